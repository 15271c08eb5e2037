//! A data directory that a newer version wrote, or that somebody damaged: the call fails with what
//! to do, waiting is not advised, and the file is left as it is.

use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::cases::machine;
use crate::client::{Client, Exit, program};

const NAME: &str = "fingerpost.sqlite";

async fn server(folder: &Path) -> Client {
    let place = folder.to_str().unwrap();
    let mut client = Client::spawn(&["--data-dir", place, "--browser", "never"]);
    client.initialize("2025-11-25").await;
    client
}

/// A directory in which a server has begun a session, and its id.
async fn with_session() -> (tempfile::TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let mut client = server(folder.path()).await;
    let begun = client.call("sequential_search", json!({"goal": "a"})).await;
    assert_eq!(begun["isError"], false, "{begun}");
    let id = begun["structuredContent"]["sessionId"].clone();
    assert!(id.is_string(), "{begun}");
    (folder, id)
}

/// Changes the database as another program would, and returns the bytes of its file.
fn change(folder: &Path, statement: &str) -> Vec<u8> {
    let file = folder.join(NAME);
    let connection = Connection::open(&file).unwrap();
    connection.execute_batch(statement).unwrap();
    connection.close().unwrap();
    std::fs::read(file).unwrap()
}

fn assert_lasts(result: &Value, words: &str) {
    let fault = machine(result);
    assert_eq!(fault["reason"], "store", "{result}");
    assert_eq!(fault["retryable"], false, "{result}");
    assert!(fault["retryAfter"].is_null(), "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(words), "{result}");
}

async fn everything_that_stores(client: &mut Client, id: &Value) -> [Value; 3] {
    [
        client.call("sequential_search", json!({"goal": "b"})).await,
        client
            .call("get_research_session", json!({"sessionId": id}))
            .await,
        client
            .call("web_search", json!({"query": "rust", "provider": "local"}))
            .await,
    ]
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_left_as_it_is() {
    let (folder, id) = with_session().await;
    let before = change(folder.path(), "pragma user_version = 99");
    // The server that made the session may have left one.
    let log = folder.path().join("fingerpost.sqlite-wal");
    let log_before = std::fs::read(&log).unwrap_or_default();
    let mut client = server(folder.path()).await;
    for result in everything_that_stores(&mut client, &id).await {
        assert_lasts(&result, "newer version of this server");
    }
    let health = client.call("health_check", json!({})).await;
    assert_eq!(
        health["structuredContent"]["store"]["healthy"], false,
        "{health}"
    );
    drop(client);
    assert_eq!(std::fs::read(folder.path().join(NAME)).unwrap(), before);
    assert_eq!(std::fs::read(&log).unwrap_or_default(), log_before);
}

#[tokio::test]
async fn a_newer_version_that_is_still_in_the_write_ahead_log_is_seen() {
    let (folder, id) = with_session().await;
    let file = folder.path().join(NAME);
    let newer = Connection::open(&file).unwrap();
    newer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    let log = folder.path().join("fingerpost.sqlite-wal");
    let before = (std::fs::read(&file).unwrap(), std::fs::read(&log).unwrap());
    let mut client = server(folder.path()).await;
    for result in everything_that_stores(&mut client, &id).await {
        assert_lasts(&result, "newer version of this server");
    }
    let after = (std::fs::read(&file).unwrap(), std::fs::read(&log).unwrap());
    assert_eq!(before, after);
}

#[tokio::test]
async fn a_database_without_its_tables_or_with_broken_pages_is_damaged() {
    let (folder, id) = with_session().await;
    change(
        folder.path(),
        "pragma foreign_keys = off; drop table records; drop table page_words",
    );
    let mut client = server(folder.path()).await;
    for result in everything_that_stores(&mut client, &id).await {
        assert_lasts(&result, "is damaged");
    }

    let (folder, id) = with_session().await;
    let mut bytes = change(folder.path(), "pragma wal_checkpoint(truncate)");
    bytes[4_096..].fill(0x5a);
    std::fs::write(folder.path().join(NAME), &bytes).unwrap();
    let mut client = server(folder.path()).await;
    for result in everything_that_stores(&mut client, &id).await {
        assert_lasts(&result, "is damaged");
    }
}

#[tokio::test]
async fn one_damaged_session_is_told_and_others_begin() {
    let (folder, id) = with_session().await;
    change(
        folder.path(),
        "update records set head = '{' where shelf = 'session'",
    );
    let mut client = server(folder.path()).await;
    let result = client
        .call("get_research_session", json!({"sessionId": id}))
        .await;
    assert_lasts(&result, "begin anew");
    let begun = client.call("sequential_search", json!({"goal": "b"})).await;
    assert_eq!(begun["isError"], false, "{begun}");
}

/// The size of files is limited, so that writes fail as on a full disk. The file is then there, and
/// has no tables yet.
#[cfg(unix)]
#[tokio::test]
async fn a_disk_without_room_from_the_start_is_not_called_a_damaged_file() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    let mut command = tokio::process::Command::new("sh");
    command
        .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_fingerpost"))
        .args(["serve", "--browser", "never", "--data-dir", place]);
    let mut client = Client::from_command(command);
    client.initialize("2025-11-25").await;
    for _ in 0..2 {
        let refused = client.call("sequential_search", json!({"goal": "a"})).await;
        let fault = machine(&refused);
        assert_eq!(fault["reason"], "store", "{refused}");
        assert!(!refused.to_string().contains("damaged"), "{refused}");
    }
    let mut roomy = server(folder.path()).await;
    let begun = roomy.call("sequential_search", json!({"goal": "a"})).await;
    assert_eq!(begun["isError"], false, "{begun}");
}

#[tokio::test]
async fn a_data_directory_that_is_a_file_is_told_at_once_and_not_to_be_waited_for() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut client = server(file.path()).await;
    let refused = client.call("sequential_search", json!({"goal": "a"})).await;
    assert_lasts(&refused, "data directory");
    let list = [
        "session",
        "list",
        "--data-dir",
        file.path().to_str().unwrap(),
    ];
    let listed = Exit::from_output(&program().args(list).output().await.unwrap());
    assert_eq!(listed.code, Some(1), "{}", listed.stderr);
    assert!(
        listed.stderr.contains("fingerpost doctor"),
        "{}",
        listed.stderr
    );
    assert!(!listed.stderr.contains("Wait 15"), "{}", listed.stderr);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "goats climb trees").unwrap();
    let notes = folder.path().to_str().unwrap();
    let index = ["index", notes, "--data-dir", file.path().to_str().unwrap()];
    let indexed = Exit::from_output(&program().args(index).output().await.unwrap());
    assert_eq!(indexed.code, Some(1), "{}", indexed.stderr);
    assert!(
        indexed.stderr.contains("nothing was indexed"),
        "{}",
        indexed.stderr
    );
}

#[tokio::test]
async fn what_is_no_file_is_not_opened_and_not_to_be_waited_for() {
    for what in ["directory", "pipe", "link"] {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join(NAME);
        match what {
            "directory" => std::fs::create_dir(&place).unwrap(),
            "pipe" => {
                let made = std::process::Command::new("mkfifo").arg(&place).status();
                assert!(made.unwrap().success());
            }
            _ => std::os::unix::fs::symlink("nowhere/file", &place).unwrap(),
        }
        let mut client = server(folder.path()).await;
        for result in everything_that_stores(&mut client, &json!("ses_none")).await {
            assert_lasts(&result, "Something that is no file");
        }
        let health = client.call("health_check", json!({})).await;
        let store = &health["structuredContent"]["store"];
        assert_eq!(store["healthy"], false, "{what}: {health}");
    }
}
