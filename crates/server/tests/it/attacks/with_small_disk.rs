//! A disk that fills up while the server runs, and has room again. It is a small file system in
//! memory, which only the server sees: it runs in a mount namespace of its own (Linux, `unshare` and
//! `mount`).

use std::{
    fs::{File, remove_file},
    io::{ErrorKind, Write},
    path::PathBuf,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use crate::client::{Exit, HttpServer, program};

const FULL: &str = "The disk of the server's own store is full.";
/// More than the disk has room for.
const MOST_STEPS: usize = 1_000;

struct SmallDisk {
    server: HttpServer,
    folder: TempDir,
}

impl SmallDisk {
    async fn start() -> SmallDisk {
        let folder = tempfile::tempdir().unwrap();
        let prepare = "mount -t tmpfs -o size=2m none \"$1\" && shift && exec \"$@\"";
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", prepare])
            .arg("sh")
            .arg(folder.path())
            .arg(env!("CARGO_BIN_EXE_fingerpost"))
            .args(["serve", "--http", "127.0.0.1:0", "--browser", "never"])
            .arg("--data-dir")
            .arg(folder.path())
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .kill_on_drop(true);
        SmallDisk {
            server: HttpServer::from_command(command).await,
            folder,
        }
    }

    /// The data directory as the server sees it.
    fn place(&self) -> PathBuf {
        let id = self.server.child.id().expect("a running server");
        let path = self.folder.path().strip_prefix("/").unwrap();
        PathBuf::from(format!("/proc/{id}/root")).join(path)
    }

    /// Leaves no room, not even for a byte. A database that is closed removes its log, which makes
    /// room again.
    fn fill(&self) {
        let mut file = File::options()
            .create(true)
            .append(true)
            .open(self.place().join("filler"))
            .unwrap();
        let error = loop {
            if let Err(error) = file.write_all(&[0; 1_024]) {
                break error;
            }
        };
        assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
    }

    fn make_room(&self) {
        remove_file(self.place().join("filler")).unwrap();
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.server.modern("tools/call", params).await.json()["result"].clone()
    }

    async fn step(&self, session: &str) -> Value {
        let arguments = json!({"sessionId": session, "searchStep": "words ".repeat(1_000)});
        self.call("sequential_search", arguments).await
    }

    async fn doctor(&self) -> Exit {
        let mut command = program();
        command
            .args(["doctor", "--offline", "--json", "--data-dir"])
            .arg(self.place());
        Exit::from_output(&command.output().await.unwrap())
    }
}

#[tokio::test]
async fn a_full_disk_is_told_as_that_and_everything_goes_on_once_there_is_room() {
    let disk = SmallDisk::start().await;
    let begun = disk
        .call("sequential_search", json!({"goal": "roads"}))
        .await;
    let session = begun["structuredContent"]["sessionId"].as_str().unwrap();
    let first = disk.step(session).await;
    assert_eq!(first["isError"], false, "{first}");
    let mut taken = 1;
    disk.fill();
    let refused = loop {
        let step = disk.step(session).await;
        if step["isError"] == true {
            break step;
        }
        taken += 1;
        assert!(taken < MOST_STEPS, "the disk never fills up: {step}");
    };
    let error = &refused["structuredContent"]["error"];
    assert_eq!(
        (
            &error["reason"],
            &error["retryable"],
            &error["retryAfterSeconds"]
        ),
        (&json!("store"), &json!(true), &json!(60)),
        "{refused}"
    );
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with(FULL) && text.contains("the operator must make room"),
        "{text}"
    );

    disk.fill();
    let again = disk.step(session).await;
    let text = again["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with(FULL), "the second time too: {text}");
    let ready = disk.server.send("GET", "/readyz", &[], b"").await;
    assert_eq!(ready.json()["store"], "not writable", "{ready:?}");
    disk.fill();
    let health = disk.call("health_check", json!({})).await;
    let facts = &health["structuredContent"];
    let told = facts["store"]["lastError"].as_str().unwrap_or_default();
    assert!(
        facts["server_healthy"] == false && told.starts_with(FULL),
        "{health}"
    );
    disk.fill();
    let exit = disk.doctor().await;
    let fails = |line: &str| line.contains("data directory") && line.contains("\"fails\"");
    assert!(exit.stdout.lines().any(fails), "{}", exit.stdout);
    let kept = json!({"sessionId": session, "limit": 1});
    let kept = disk.call("get_research_session", kept).await;
    assert_eq!(
        kept["structuredContent"]["steps"], taken,
        "what was acknowledged can be read: {kept}"
    );

    disk.make_room();
    let step = disk.step(session).await;
    assert_eq!(step["isError"], false, "{step}");
    while disk.call("health_check", json!({})).await["structuredContent"]["server_healthy"] != true
    {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let exit = disk.doctor().await;
    assert!(!exit.stdout.lines().any(fails), "{}", exit.stdout);
}
