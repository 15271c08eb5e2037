//! A raw JSON-RPC client that sends exactly what a test writes and checks every line it reads.

use std::{
    process::{Output, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    process::{Child, Command},
};

/// Longer than any test should take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A session over any pair of pipes.
pub struct Client {
    input: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    output: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    child: Option<Child>,
    next_id: u64,
    /// How long a frame may take.
    pub patience: Duration,
    /// Frames that were read while looking for another one.
    pub others: Vec<Value>,
}

/// The program under test, with only the given environment.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fingerpost"));
    command
        .env_clear()
        .current_dir(std::env::temp_dir())
        .kill_on_drop(true);
    command
}

/// What a run of the program left behind.
pub struct Exit {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Exit {
    pub fn from_output(output: &Output) -> Exit {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Exit {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }
}

/// Asks a program to end.
pub fn terminate(child: &Child) {
    let id = child.id().expect("a running program").to_string();
    let killed = std::process::Command::new("kill")
        .args(["-TERM", &id])
        .status();
    assert!(killed.unwrap().success());
}

impl Client {
    pub fn spawn(arguments: &[&str]) -> Client {
        let mut command = program();
        command.arg("serve").args(arguments);
        Client::from_command(command)
    }

    /// Starts any server that speaks MCP on its pipes.
    pub fn from_command(command: Command) -> Client {
        Client::with_stderr(command, Stdio::null())
    }

    /// The same, with its log going where the test says.
    pub fn with_stderr(mut command: Command, stderr: impl Into<Stdio>) -> Client {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut client = Client::over(output, input);
        client.child = Some(child);
        client
    }

    pub fn over(
        output: impl AsyncRead + Send + Unpin + 'static,
        input: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Client {
        let output: Box<dyn AsyncRead + Send + Unpin> = Box::new(output);
        let (input, output) = (
            Some(Box::new(input) as Box<dyn AsyncWrite + Send + Unpin>),
            BufReader::new(output),
        );
        Client {
            input,
            output,
            child: None,
            next_id: 0,
            patience: PATIENCE,
            others: Vec::new(),
        }
    }

    pub async fn bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).await.unwrap();
        input.flush().await.unwrap();
    }

    pub async fn send(&mut self, message: &Value) {
        self.bytes(format!("{message}\n").as_bytes()).await;
    }

    /// Sends a request and returns its id.
    pub async fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        id
    }

    /// The reply to a request. Other frames that arrive before it are kept.
    pub async fn reply(&mut self, id: u64) -> Value {
        if let Some(index) = self.others.iter().position(|frame| frame["id"] == id) {
            return self.others.remove(index);
        }
        loop {
            let frame = self.frame().await.expect("the server still answers");
            if frame["id"] == id {
                return frame;
            }
            self.others.push(frame);
        }
    }

    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.reply(id).await
    }

    /// Calls a tool and returns its result.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
            .await["result"]
            .clone()
    }

    /// The next frame, or `None` at the end of the stream. Every line must be a frame.
    pub async fn frame(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = tokio::time::timeout(self.patience, self.output.read_line(&mut line))
            .await
            .expect("a frame in time")
            .unwrap();
        if read == 0 {
            return None;
        }
        let frame: Value = serde_json::from_str(&line).expect("every line is JSON");
        assert_eq!(frame["jsonrpc"], "2.0", "{frame}");
        Some(frame)
    }

    pub async fn initialize(&mut self, version: &str) -> Value {
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let reply = self.request("initialize", params).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        reply["result"].clone()
    }

    /// Our end of the pipe, for a test that writes while it does not read.
    pub fn take_input(&mut self) -> Box<dyn AsyncWrite + Send + Unpin> {
        self.input.take().unwrap()
    }

    /// Closes our end; the server may still write.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the pipe we read from, so that the server's writes fail.
    pub fn stop_reading(&mut self) {
        let nothing: Box<dyn AsyncRead + Send + Unpin> = Box::new(tokio::io::empty());
        self.output = BufReader::new(nothing);
    }

    pub fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id().unwrap()
    }

    pub async fn exit_code(&mut self) -> Option<i32> {
        let child = self.child.as_mut().unwrap();
        tokio::time::timeout(self.patience, child.wait())
            .await
            .expect("the program ends")
            .unwrap()
            .code()
    }

    /// What is left to read, then the exit code.
    pub async fn rest(mut self) -> (Vec<Value>, Option<i32>) {
        let mut frames = std::mem::take(&mut self.others);
        while let Some(frame) = self.frame().await {
            frames.push(frame);
        }
        let code = match &mut self.child {
            Some(child) => tokio::time::timeout(self.patience, child.wait())
                .await
                .expect("the program ends")
                .unwrap()
                .code(),
            None => None,
        };
        (frames, code)
    }
}

/// The `_meta` of a stateless request.
pub fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}
    })
}

/// The page's own words in a reply: what stands between the server's header and its end mark.
pub fn page_body(text: &str) -> &str {
    let (header, rest) = text.split_once("\n\n").expect("a header");
    let mark = header.lines().next().and_then(|line| line.rsplit_once('['));
    let end = format!("\n[{}", mark.expect("a mark").1.trim_end_matches(')'));
    rest.rsplit_once(&end).expect("the end of the page").0
}

/// A complete HTTP response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The JSON of a plain response, or the last message of a stream.
    pub fn json(&self) -> Value {
        if self
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("text/event-stream"))
        {
            let last = self
                .body
                .lines()
                .filter_map(|line| line.strip_prefix("data:"))
                .map(str::trim)
                .rfind(|data| !data.is_empty());
            return serde_json::from_str(last.unwrap()).unwrap();
        }
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("JSON in {self:?}"))
    }
}

/// A running HTTP server of the real program.
pub struct HttpServer {
    entrance: HttpEntrance,
    pub child: Child,
}

impl std::ops::Deref for HttpServer {
    type Target = HttpEntrance;

    fn deref(&self) -> &HttpEntrance {
        &self.entrance
    }
}

impl HttpServer {
    pub async fn spawn(arguments: &[&str]) -> HttpServer {
        HttpServer::spawn_at("127.0.0.1:0", arguments).await
    }

    pub async fn spawn_at(address: &str, arguments: &[&str]) -> HttpServer {
        let mut command = program();
        command.args(["serve", "--http", address]).args(arguments);
        HttpServer::from_command(command).await
    }

    /// Starts any command that serves and says where.
    pub async fn from_command(mut command: Command) -> HttpServer {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line())
            .await
            .expect("a line in time")
            .unwrap()
            .expect("a line");
        let address = line
            .split("://")
            .nth(1)
            .and_then(|rest| rest.split('/').next())
            .expect("an address in the line")
            .to_owned();
        // Keep reading, so that the program never writes into a closed pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        HttpServer::new(address, child)
    }

    pub fn new(address: String, child: Child) -> HttpServer {
        HttpServer {
            entrance: HttpEntrance { address },
            child,
        }
    }
}

/// An address at which MCP over HTTP is answered.
pub struct HttpEntrance {
    pub address: String,
}

impl HttpEntrance {
    /// One request on its own connection. `headers` replace the default ones of the same name; an
    /// empty value removes one.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let length = body.len().to_string();
        let usual = [
            ("Host", self.address.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Length", length.as_str()),
            ("Connection", "close"),
        ];
        let mut request = format!("{method} {path} HTTP/1.1\r\n");
        for (name, value) in usual
            .iter()
            .filter(|(name, _)| {
                headers
                    .iter()
                    .all(|(own, _)| !own.eq_ignore_ascii_case(name))
            })
            .chain(headers)
        {
            if !value.is_empty() {
                request.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        request.push_str("\r\n");
        self.raw(&[request.as_bytes(), body].concat()).await
    }

    /// Posts a message from another address of this machine.
    pub async fn send_from(&self, address: [u8; 4], message: &str) -> Answer {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((address, 0).into()).unwrap();
        let socket = socket.connect(self.address.parse().unwrap()).await.unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nConnection: close\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
            self.address,
            message.len()
        );
        answer(socket, format!("{head}{message}").as_bytes()).await
    }

    pub async fn raw(&self, bytes: &[u8]) -> Answer {
        let socket = tokio::net::TcpStream::connect(&self.address).await.unwrap();
        answer(socket, bytes).await
    }

    pub async fn modern(&self, method: &str, params: Value) -> Answer {
        self.modern_as(&[], method, params).await
    }

    /// The same with more headers.
    pub async fn modern_as(
        &self,
        more: &[(&str, &str)],
        method: &str,
        mut params: Value,
    ) -> Answer {
        params["_meta"] = modern_meta();
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let mut headers = vec![
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        headers.extend_from_slice(more);
        if !name.is_empty() {
            headers.push(("Mcp-Name", &name));
        }
        self.send("POST", "/mcp", &headers, body.as_bytes()).await
    }
}

async fn answer(mut socket: tokio::net::TcpStream, request: &[u8]) -> Answer {
    // The server may refuse a large body before it has read all of it.
    let _ = socket.write_all(request).await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(PATIENCE, socket.read_to_end(&mut answer))
        .await
        .expect("an answer in time");
    parse(&answer)
}

pub fn parse(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("an HTTP answer, not {text:?}"));
    let mut lines = head.lines();
    let status = lines
        .next()
        .unwrap()
        .split(' ')
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    let chunked = headers
        .iter()
        .any(|(name, value)| name.eq_ignore_ascii_case("transfer-encoding") && value == "chunked");
    Answer {
        status,
        headers,
        body: if chunked {
            unchunked(body)
        } else {
            body.to_owned()
        },
    }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}
