//! A store that removes records by itself is told to the operator.

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use tokio::io::{AsyncBufReadExt, BufReader};

use crate::client::{Exit, program};

pub(crate) struct Redis {
    child: Child,
    pub(crate) url: String,
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A Redis server of the test's own.
pub(crate) async fn redis(policy: &str) -> Redis {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let child = Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
        .args([
            "--save",
            "",
            "--maxmemory",
            "50mb",
            "--maxmemory-policy",
            policy,
        ])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while tokio::net::TcpStream::connect(("127.0.0.1", port))
        .await
        .is_err()
    {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Redis {
        child,
        url: format!("redis://127.0.0.1:{port}/0"),
    }
}

async fn doctor(redis: &Redis) -> Exit {
    let arguments = ["doctor", "--offline", "--store", &redis.url];
    let output = program().args(arguments).output().await.unwrap();
    Exit::from_output(&output)
}

#[tokio::test]
async fn an_evicting_store_is_told_by_doctor_and_at_start_up() {
    let (keeping, losing) = (redis("noeviction").await, redis("allkeys-lru").await);
    let exit = doctor(&keeping).await;
    assert!(!exit.stdout.contains("maxmemory-policy"), "{}", exit.stdout);
    let exit = doctor(&losing).await;
    assert!(
        exit.stdout.contains("allkeys-lru") && exit.stdout.contains("noeviction"),
        "{}",
        exit.stdout
    );
    assert_eq!(exit.code, Some(1));
    let mut server = program()
        .args(["serve", "--store", &losing.url])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await;
    let line = line.expect("a line in time").unwrap().expect("a line");
    assert!(line.contains("noeviction"), "{line}");
}
