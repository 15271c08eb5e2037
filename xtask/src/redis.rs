//! A Redis server of our own, which can be killed and started again.

// In the product, only the store speaks to Redis; here it is asked whether it is there.
#![allow(clippy::disallowed_methods)]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::Outcome;

/// What the server still knows after it was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    Nothing,
    /// Everything that it has acknowledged.
    Everything,
}

#[derive(Debug)]
pub(crate) struct Redis {
    child: Child,
    port: u16,
    folder: PathBuf,
    keeps: Keeps,
}

/// The longest wait for the server to answer after its start.
const PATIENCE: Duration = Duration::from_secs(30);

impl Redis {
    pub(crate) fn start(folder: &Path, keeps: Keeps) -> Result<Redis, String> {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free
            .map_err(|error| format!("there is no free port ({})", error.kind()))?
            .port();
        let server = Redis {
            child: spawn(folder, port, keeps)?,
            port,
            folder: folder.to_owned(),
            keeps,
        };
        server.wait_until_it_answers()?;
        Ok(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// Kills the server as a crash does, and starts it again on the same port after this time.
    pub(crate) fn restart(&mut self, after: Duration) -> Outcome {
        self.kill();
        thread::sleep(after);
        self.child = spawn(&self.folder, self.port, self.keeps)?;
        self.wait_until_it_answers()
    }

    fn wait_until_it_answers(&self) -> Outcome {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if self.pong().is_ok_and(|answer| &answer == b"+PONG") {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err("redis-server does not answer".to_owned())
    }

    fn pong(&self) -> std::io::Result<[u8; 5]> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        stream.write_all(b"PING\r\n")?;
        let mut answer = [0; 5];
        stream.read_exact(&mut answer)?;
        Ok(answer)
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(folder: &Path, port: u16, keeps: Keeps) -> Result<Child, String> {
    let log = match keeps {
        Keeps::Nothing => ["--appendonly", "no"].as_slice(),
        Keeps::Everything => &["--appendonly", "yes", "--appendfsync", "always"],
    };
    Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
        .args(["--save", ""])
        .args(log)
        .arg("--dir")
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| format!("redis-server cannot be started ({})", error.kind()))
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}
