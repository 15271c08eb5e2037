//! A site on loopback for the tools to read: one page, and nothing else.

use std::{
    io::{BufRead, BufReader, Result, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
    time::Duration,
};

pub(super) const PAGE: &str = "/page";
/// A sentence that only the page's body has.
pub(super) const SENTENCE: &str =
    "A fingerpost stands where roads part and names the places they lead to.";

/// The site; it serves until the program ends.
pub(super) struct Pages {
    address: SocketAddr,
}

impl Pages {
    pub(super) fn start() -> Result<Pages> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A client that went away is not this site's problem.
                thread::spawn(move || drop(answer(stream)));
            }
        });
        Ok(Pages { address })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

fn answer(mut stream: TcpStream) -> Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    lines
        .map_while(Result::ok)
        .take_while(|line| !line.is_empty())
        .for_each(drop);
    let (status, body) = if first.split(' ').nth(1) == Some(PAGE) {
        ("200 OK", page())
    } else {
        ("404 Not Found", "<p>No.</p>".to_owned())
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// Long enough to be an article and not a stub.
fn page() -> String {
    let paragraphs: String = (1..=6)
        .map(|number| format!("<p>Road {number}. {SENTENCE} {FILLER}</p>\n"))
        .collect();
    format!(
        "<!doctype html><html lang=\"en\"><head><title>Fingerposts</title></head><body><article><h1>Fingerposts</h1>\n{paragraphs}</article></body></html>"
    )
}

const FILLER: &str = "Each arm points one way only, and tells how far it is, so that nobody walks a road that does not go there. \
    The posts are painted white, with black letters, and are repaired every spring by the parish through which the road runs.";
