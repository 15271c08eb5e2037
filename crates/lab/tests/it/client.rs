//! A client that reads exactly what is sent.

use std::time::Duration;

use lab::{Lab, Links, RunningLab};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(crate) async fn start() -> RunningLab {
    Lab::start(([127, 0, 0, 1], 0).into()).await.unwrap()
}

pub(crate) async fn start_local() -> RunningLab {
    Lab::start_with(([127, 0, 0, 1], 0).into(), Links::Local)
        .await
        .unwrap()
}

/// What was received before the connection ended.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) text: String,
    /// The connection was reset rather than closed.
    pub(crate) reset: bool,
}

impl Seen {
    pub(crate) fn status(&self) -> u16 {
        self.text
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0)
    }

    pub(crate) fn body(&self) -> &str {
        self.text
            .split_once("\r\n\r\n")
            .map_or("", |(_, body)| body)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.body()).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let head = self.text.split("\r\n\r\n").next()?;
        let mut pairs = head.lines().filter_map(|line| line.split_once(": "));
        pairs
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

/// Sends these bytes and reads to the end.
pub(crate) async fn raw(lab: &RunningLab, bytes: &[u8]) -> Seen {
    raw_within(lab, bytes, Duration::from_secs(20)).await
}

/// The same with a time limit.
#[allow(clippy::disallowed_methods)] // the lab may use nothing of ours, and it is on loopback
pub(crate) async fn raw_within(lab: &RunningLab, bytes: &[u8], limit: Duration) -> Seen {
    let mut socket = TcpStream::connect(lab.address()).await.unwrap();
    socket.write_all(bytes).await.unwrap();
    let mut all = Vec::new();
    let mut piece = [0; 4096];
    let mut reset = false;
    let reading = async {
        loop {
            match socket.read(&mut piece).await {
                Ok(0) => break,
                Ok(read) => all.extend_from_slice(&piece[..read]),
                Err(_) => {
                    reset = true;
                    break;
                }
            }
        }
    };
    let _ = tokio::time::timeout(limit, reading).await;
    Seen {
        text: String::from_utf8_lossy(&all).into_owned(),
        reset,
    }
}

pub(crate) async fn get(lab: &RunningLab, target: &str) -> Seen {
    send(lab, "GET", target, "", "").await
}

pub(crate) async fn send(
    lab: &RunningLab,
    method: &str,
    target: &str,
    headers: &str,
    body: &str,
) -> Seen {
    let length = body.len();
    let request = format!(
        "{method} {target} HTTP/1.1\r\nHost: lab\r\nUser-Agent: test\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    );
    raw(lab, request.as_bytes()).await
}
