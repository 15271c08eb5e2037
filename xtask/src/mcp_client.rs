//! A minimal MCP client over HTTP, one connection each, for benchmarks and the soak.

// In the product, only `net` opens connections; here the clients of the product open them.
#![allow(clippy::disallowed_methods)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};

/// The longest wait for a reply, far more than it should take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The protocol era of a client.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Era {
    Stateless,
    Session,
}

#[derive(Debug)]
pub(crate) struct HttpClient {
    output: TcpStream,
    input: BufReader<TcpStream>,
    host: String,
    /// The id of the transport's session, in the era that has them.
    session: Option<String>,
}

/// A call as it is sent, so that it can be sent several times.
#[derive(Debug)]
pub(crate) struct Message {
    headers: String,
    body: String,
}

impl HttpClient {
    pub(crate) fn connect(address: &str, era: Era) -> Result<HttpClient, String> {
        let output = TcpStream::connect(address).map_err(cannot)?;
        output
            .set_nodelay(true)
            .and_then(|()| output.set_read_timeout(Some(PATIENCE)))
            .map_err(cannot)?;
        let input = BufReader::with_capacity(2_048, output.try_clone().map_err(cannot)?);
        let mut client = HttpClient {
            output,
            input,
            host: address.to_owned(),
            session: None,
        };
        if let Era::Session = era {
            client.begin_session()?;
        }
        Ok(client)
    }

    fn begin_session(&mut self) -> Result<(), String> {
        let hello = self.message("initialize", initialize());
        self.send(&hello)?;
        let (head, _) = self.receive()?;
        let session = head
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: "))
            .ok_or("no session id")?;
        self.session = Some(session.to_owned());
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let ready = Message {
            headers: self.session_headers(),
            body: ready.to_string(),
        };
        self.send(&ready)?;
        self.receive().map(drop)
    }

    /// A call of a tool: `name` and `arguments`.
    pub(crate) fn prepare(&self, mut call: Value) -> Message {
        if self.session.is_some() {
            return self.message("tools/call", call);
        }
        call["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"}
        });
        let tool = call["name"].as_str().unwrap_or_default();
        let headers = format!(
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
        );
        Message {
            headers,
            ..self.message("tools/call", call)
        }
    }

    fn message(&self, method: &str, params: Value) -> Message {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        Message {
            headers: self.session_headers(),
            body: body.to_string(),
        }
    }

    fn session_headers(&self) -> String {
        self.session.as_ref().map_or_else(String::new, |session| {
            format!("MCP-Protocol-Version: 2025-06-18\r\nMcp-Session-Id: {session}\r\n")
        })
    }

    /// Sends a call and reads its reply.
    pub(crate) fn exchange(&mut self, message: &Message) -> Result<Value, String> {
        self.send(message)?;
        let (_, body) = self.receive()?;
        // In a session the reply may be the last event of a stream.
        let event = body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .map(str::trim)
            .rfind(|data| !data.is_empty());
        serde_json::from_str(event.unwrap_or(&body)).map_err(|_| format!("not JSON: {body}"))
    }

    /// Sends a call and does not wait for its reply.
    pub(crate) fn send(&mut self, message: &Message) -> Result<(), String> {
        let Message { headers, body } = message;
        let (host, length) = (&self.host, body.len());
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Content-Length: {length}\r\n{headers}\r\n{body}"
        );
        self.output.write_all(request.as_bytes()).map_err(cannot)
    }

    fn receive(&mut self) -> Result<(String, String), String> {
        let head = head(&mut self.input).ok_or("the server closed the connection")?;
        if !head.starts_with("HTTP/1.1 20") {
            return Err(format!("refused: {head}"));
        }
        let body = body_after(&head, &mut self.input).map_err(cannot)?;
        Ok((head, body))
    }
}

/// The page at this path of a server, such as its metrics.
pub(crate) fn page(address: &str, path: &str) -> Result<String, String> {
    let mut stream = TcpStream::connect(address).map_err(cannot)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(cannot)?;
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n").map_err(cannot)?;
    let mut input = BufReader::new(stream);
    let head = head(&mut input).ok_or("the connection ended before the reply")?;
    body_after(&head, &mut input).map_err(cannot)
}

/// The parameters of a session's first request.
pub(crate) fn initialize() -> Value {
    json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
}

/// The lines of a head, up to the blank line; `None` if the connection ends first. Header names are
/// in lower case, as our server sends them.
pub(crate) fn head(input: &mut impl BufRead) -> Option<String> {
    let mut head = String::new();
    loop {
        let before = head.len();
        match input.read_line(&mut head) {
            Ok(read) if read > 0 => {}
            _ => return None,
        }
        if head[before..].trim_end().is_empty() {
            return Some(head);
        }
    }
}

pub(crate) fn body_after(head: &str, input: &mut impl BufRead) -> std::io::Result<String> {
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .and_then(|value| value.trim().parse().ok());
    let mut body = Vec::new();
    match length {
        Some(length) => {
            input.take(length).read_to_end(&mut body)?;
        }
        None if head.contains("transfer-encoding: chunked") => chunks(input, &mut body)?,
        None => {}
    }
    Ok(String::from_utf8_lossy(&body).into_owned())
}

fn chunks(input: &mut impl BufRead, body: &mut Vec<u8>) -> std::io::Result<()> {
    loop {
        let mut line = String::new();
        input.read_line(&mut line)?;
        let size =
            u64::from_str_radix(line.trim(), 16).map_err(|_| std::io::ErrorKind::InvalidData)?;
        input.take(size).read_to_end(body)?;
        input.read_line(&mut line)?;
        if size == 0 {
            return Ok(());
        }
    }
}

fn cannot(error: std::io::Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_end_a_body_are_read() {
        let plain = body_after("content-length: 3\r\n", &mut b"abcdef".as_slice());
        assert_eq!(plain.ok().as_deref(), Some("abc"));
        let chunked = body_after(
            "transfer-encoding: chunked\r\n",
            &mut b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n".as_slice(),
        );
        assert_eq!(chunked.ok().as_deref(), Some("abcde"));
    }
}
