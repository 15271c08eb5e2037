//! A server that everyone could use by mistake does not start.

use super::{ADA, token_file};
use crate::client::{Exit, program};

async fn exit(arguments: &[&str]) -> Exit {
    let mut command = program();
    command
        .args(["serve", "--ephemeral", "--http"])
        .args(arguments);
    let output = tokio::time::timeout(std::time::Duration::from_secs(20), command.output());
    Exit::from_output(&output.await.expect("the program ends").unwrap())
}

#[tokio::test]
async fn without_authentication_only_this_machine_is_served() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        let refused = exit(&[address]).await;
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        for way_out in ["--tokens", "127.0.0.1", "--insecure"] {
            assert!(refused.stderr.contains(way_out), "{}", refused.stderr);
        }
        let named = exit(&[address, "--subject-header", "x-user"]).await;
        assert_eq!(named.code, Some(2), "a header is no authentication");
    }
}

#[tokio::test]
async fn a_file_of_tokens_with_a_mistake_stops_the_start_and_is_not_quoted() {
    let file = token_file(&[("ada", ADA, "[\"admin\"]")]);
    let path = file.path().to_str().unwrap();
    let refused = exit(&["127.0.0.1:0", "--tokens", path]).await;
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused
            .stderr
            .contains("--tokens: [[token]] number 1: scopes may be"),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains(ADA));
}
