//! The command line: settings that are wrong, masking, explaining.

use std::{path::Path, process::Stdio};

use tokio::io::AsyncWriteExt;

use crate::client::program;

struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

async fn run(arguments: &[&str], variables: &[(&str, &str)], directory: Option<&Path>, input: &[u8]) -> Ended {
    let mut command = program();
    command.args(arguments).envs(variables.iter().copied());
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // A program that refuses its settings may be gone before it has read anything.
    let _ = pipe.write_all(input).await;
    drop(pipe);
    let output = child.wait_with_output().await.unwrap();
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

const WRONG: &[(&str, &str)] = &[
    ("toolset", "reserch"),
    ("dialect", "klingon"),
    ("ephemeral", "maybe"),
    ("allow-private", "http://x/"),
    ("dns", "dns.example"),
    ("ca", "no-such-file.pem"),
    ("deadline", "soon"),
    ("max-concurrent", "0"),
    ("allowed-origin", "example.com"),
    ("issue-url", "ftp://x"),
    ("user-agent", "caf\u{e9}"),
    ("log", "a=b=c"),
    ("log-format", "xml"),
];

#[tokio::test]
async fn every_wrong_setting_stops_the_start_and_names_flag_or_variable() {
    for (key, value) in WRONG {
        let flag = format!("--{key}={value}");
        let ended = run(&["serve", &flag], &[], None, b"").await;
        assert_eq!(ended.code, Some(2), "{flag}: {}", ended.stderr);
        assert!(ended.stderr.contains(&format!("fingerpost: --{key}: ")), "{}", ended.stderr);
        assert!(ended.stderr.contains("expected") && ended.stderr.contains(&format!("Example: --{key} ")), "{}", ended.stderr);
        assert_eq!(ended.stdout, "");

        let variable = server::settings::variable(key);
        let ended = run(&["serve"], &[(&variable, value)], None, b"").await;
        assert_eq!(ended.code, Some(2), "{variable}");
        assert!(ended.stderr.contains(&format!("{variable}: ")) && ended.stderr.contains(&format!("{variable}='")), "{}", ended.stderr);
    }
    let tried: Vec<&str> = WRONG.iter().map(|(key, _)| *key).collect();
    let untried: Vec<&str> = server::settings::TABLE.iter().map(|row| row.key).filter(|key| !tried.contains(key)).collect();
    assert_eq!(untried, ["data-dir"], "every path is a possible directory");
}

#[tokio::test]
async fn mistakes_in_the_file_name_the_file_and_a_stronger_source_does_not_hide_them() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("fingerpost.toml"), "deadline = \"never\"\ntimeout = 5\n").unwrap();
    let ended = run(&["serve", "--deadline", "5"], &[], Some(here.path()), b"").await;
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("deadline in ./fingerpost.toml: \"never\""), "{}", ended.stderr);
    assert!(ended.stderr.contains("\"timeout\" is not a setting"), "{}", ended.stderr);

    let ended = run(&["serve", "--config", "nowhere.toml"], &[], None, b"").await;
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("nowhere.toml: there is no such file"), "{}", ended.stderr);
}

#[tokio::test]
async fn wrong_commands_end_with_code_2_and_help_with_0() {
    for (line, code) in [
        (&["--help"][..], 0),
        (&["--version"], 0),
        (&["serve", "--help"], 0),
        (&[], 2),
        (&["srve"], 2),
        (&["serve", "--no-such"], 2),
        (&["serve", "--http", "somewhere"], 2),
    ] {
        let ended = run(line, &[], None, b"").await;
        assert_eq!(ended.code, Some(code), "{line:?} {}", ended.stderr);
    }
    let version = run(&["--version"], &[], None, b"").await;
    assert_eq!(version.stdout, format!("fingerpost {}\n", env!("CARGO_PKG_VERSION")));
    let help = run(&["serve", "--help"], &[], None, b"").await;
    for row in server::settings::TABLE {
        assert!(help.stdout.contains(&format!("--{}", row.key)), "{}", row.key);
    }
}

#[tokio::test]
async fn mask_copies_text_and_reads_json_lines() {
    let text = "nothing secret here\nsecond line";
    let ended = run(&["mask"], &[], None, text.as_bytes()).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), text));

    let lines = "{\"id\":\"a\",\"text\":\"hello\"}\nbroken\n{\"id\":[1],\"text\":\"world\"}\n";
    let ended = run(&["mask", "--jsonl"], &[], None, lines.as_bytes()).await;
    assert_eq!(ended.code, Some(1));
    assert_eq!(ended.stdout, "{\"id\":\"a\",\"masked\":\"hello\"}\n{\"id\":[1],\"masked\":\"world\"}\n");
    assert_eq!(ended.stderr, "fingerpost: line 2: not JSON\n");
}

#[tokio::test]
async fn explain_tells_lists_and_corrects() {
    let ended = run(&["explain", "http_429"], &[], None, b"").await;
    assert_eq!(ended.code, Some(0));
    assert!(ended.stdout.contains("rate_limited/http_429"), "{}", ended.stdout);
    let ended = run(&["explain"], &[], None, b"").await;
    assert!(ended.stdout.contains("bot_challenge") && ended.stdout.contains("WEB_SEARCH_TIMEOUT"));
    let ended = run(&["explain", "rate_limitd"], &[], None, b"").await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("did you mean rate_limited?"), "{}", ended.stderr);
}
