//! A real Redis server for one test, on a loopback port, with nothing on disk.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub(super) struct RedisServer {
    port: u16,
    child: Child,
    folder: tempfile::TempDir,
}

impl RedisServer {
    pub(super) fn start() -> RedisServer {
        // Somebody else may take a free port before the server does; then another one is tried.
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let child = run(port, &folder);
            let mut server = RedisServer { port, child, folder };
            if server.answers() {
                return server;
            }
        }
        panic!("no Redis server could be started")
    }

    pub(super) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// Ends it at once, as a crash does.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts it again on the same port, empty.
    pub(super) fn start_again(&mut self) {
        self.kill();
        self.child = run(self.port, &self.folder);
        assert!(self.answers(), "the server came back");
    }

    /// Waits until it does, or is known not to.
    fn answers(&mut self) -> bool {
        for _ in 0..500 {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            let client = redis::Client::open(self.url()).unwrap();
            if client.get_connection().is_ok_and(|mut connection| redis::cmd("PING").query::<String>(&mut connection).is_ok()) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

fn run(port: u16, folder: &tempfile::TempDir) -> Child {
    Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir"])
        .arg(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the Debian package redis-server is installed; `cargo xtask test` does that")
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}
