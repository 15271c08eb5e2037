//! A real Redis server for one test, on a loopback port, without persistence.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Alone,
    /// A cluster of one node, which refuses what larger clusters refuse.
    Cluster,
}

pub(super) struct RedisServer {
    kind: Kind,
    port: u16,
    child: Child,
    folder: tempfile::TempDir,
}

impl RedisServer {
    pub(super) fn start() -> RedisServer {
        RedisServer::start_kind(Kind::Alone)
    }

    pub(super) fn start_cluster() -> RedisServer {
        let server = RedisServer::start_kind(Kind::Cluster);
        server
            .ask::<String>(
                redis::cmd("CLUSTER")
                    .arg("ADDSLOTSRANGE")
                    .arg(0)
                    .arg(16_383),
            )
            .unwrap();
        for _ in 0..500 {
            let state: String = server.ask(redis::cmd("CLUSTER").arg("INFO")).unwrap();
            if state.contains("cluster_state:ok") {
                return server;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the cluster did not come up")
    }

    fn start_kind(kind: Kind) -> RedisServer {
        // Another process may take a free port before the server does; then another port is tried.
        for _ in 0..20 {
            let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
            let child = run(kind, port, &folder);
            let mut server = RedisServer {
                kind,
                port,
                child,
                folder,
            };
            if server.answers() {
                return server;
            }
        }
        panic!("no Redis server could be started")
    }

    pub(super) fn url(&self) -> String {
        let scheme = if self.kind == Kind::Cluster {
            "redis-cluster"
        } else {
            "redis"
        };
        format!("{scheme}://127.0.0.1:{}/0", self.port)
    }

    /// Kills the server at once, as a crash does.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts the server again on the same port, empty.
    pub(super) fn start_again(&mut self) {
        self.kill();
        self.child = run(self.kind, self.port, &self.folder);
        assert!(self.answers(), "the server came back");
    }

    pub(super) fn ask<T: redis::FromRedisValue>(
        &self,
        command: &redis::Cmd,
    ) -> redis::RedisResult<T> {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}/0", self.port)).unwrap();
        command.query(&mut client.get_connection()?)
    }

    /// Waits until the server answers. Returns false when it has exited or never answers.
    fn answers(&mut self) -> bool {
        for _ in 0..500 {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            if self.ask::<String>(&redis::cmd("PING")).is_ok() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

pub(super) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

pub(super) fn command(folder: &std::path::Path) -> Command {
    let mut command = Command::new("redis-server");
    command
        .args([
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
        ])
        .arg(folder);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn run(kind: Kind, port: u16, folder: &tempfile::TempDir) -> Child {
    let mut command = command(folder.path());
    command.args(["--port", &port.to_string()]);
    if kind == Kind::Cluster {
        command.args([
            "--cluster-enabled",
            "yes",
            "--cluster-port",
            &free_port().to_string(),
            "--cluster-announce-ip",
            "127.0.0.1",
        ]);
    }
    command
        .spawn()
        .expect("the Debian package redis-server is installed; `cargo xtask test` does that")
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}
