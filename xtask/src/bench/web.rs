//! Both peers of the server over HTTP, on loopback: a site with one page to fetch, and a thousand
//! clients.

// In the product, only `net` opens connections; here the clients of the product open them.
#![allow(clippy::disallowed_methods)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    path::Path,
    sync::{
        Arc, Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use lab::http::{Behavior, HttpRequest, HttpServer, Reply, Service};
use serde_json::{Value, json};

use super::{samples::Samples, session::initialize, table::Row};
use crate::process::Server;

/// A site that answers every request with the same page and counts them.
#[derive(Debug)]
pub(crate) struct Web {
    address: SocketAddr,
    site: Arc<BenchPage>,
}

#[derive(Debug)]
struct BenchPage {
    page: Reply,
    requests: AtomicUsize,
}

impl Service for BenchPage {
    fn respond(&self, _: HttpRequest) -> Behavior {
        self.requests.fetch_add(1, Ordering::SeqCst);
        Behavior::Reply(self.page.clone())
    }
}

impl Web {
    pub(crate) fn start() -> Result<Web, String> {
        let site = Arc::new(BenchPage {
            page: Reply::html(200, page()).header("Cache-Control", "no-store"),
            requests: AtomicUsize::new(0),
        });
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listening = HttpServer::start_on_thread(&[any_port], &site).map_err(cannot)?;
        let address = *listening.first().ok_or("the site does not listen")?;
        Ok(Web { address, site })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn requests(&self) -> usize {
        self.site.requests.load(Ordering::SeqCst)
    }
}

pub(crate) const TITLE: &str = "An article";

/// A small article of 7 KB.
pub(crate) fn page() -> String {
    let paragraph = "<p>A sentence about <a href=\"/topic\">the topic</a> that says something, with a number such as 42, and ends. \
                     Another one follows it, <em>a little longer</em> than the first, so that the paragraph counts as text.</p>\n";
    let list = "<ul><li>one thing</li><li>another thing</li><li>the last thing</li></ul>\n<pre><code>let one = 1;\n    let two = 2;</code></pre>\n";
    let body: String = (1..=8)
        .map(|part| format!("<h2>Part {part}</h2>\n{paragraph}{paragraph}{paragraph}{list}"))
        .collect();
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{TITLE}</title></head>\n<body><nav><a href=\"/\">Home</a></nav>\n\
         <article><h1>{TITLE}</h1>\n{body}</article><footer>The end</footer></body></html>\n"
    )
}

const CLIENTS: usize = 1_000;
const CALLS_EACH: usize = 10;
/// The longest wait for a reply, far more than it should take.
const PATIENCE: Duration = Duration::from_secs(60);
/// The stack size of a client's thread; there are many clients, and each needs little.
pub(crate) const STACK: usize = 128 * 1024;

/// The calls that every client makes.
pub(crate) struct Errand {
    pub(crate) tool: &'static str,
    /// The arguments of the client with this number.
    pub(crate) arguments: Box<dyn Fn(usize) -> Value + Send + Sync>,
    pub(crate) times: usize,
}

/// The protocol era of a client.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Era {
    Stateless,
    Session,
}

pub(crate) fn rows(program: &Path) -> Result<Vec<Row>, String> {
    let eras = [
        (
            "1 000 HTTP clients at once, stateless revision, p50 / p99",
            Era::Stateless,
        ),
        (
            "1 000 HTTP clients at once, a session each, p50 / p99",
            Era::Session,
        ),
    ];
    let row = |(what, era)| {
        let server = Server::start(program, &["serve", "--http", "127.0.0.1:0"])?;
        crowd(
            &server,
            what,
            era,
            Errand {
                tool: "health_check",
                arguments: Box::new(|_| json!({})),
                times: CALLS_EACH,
            },
        )
    };
    eras.into_iter().map(row).collect()
}

/// Runs a thousand clients that make the same calls at the same time.
pub(crate) fn crowd(
    server: &Server,
    what: &'static str,
    era: Era,
    errand: Errand,
) -> Result<Row, String> {
    let errand = Arc::new(errand);
    let address = server
        .url()
        .trim_start_matches("http://")
        .trim_end_matches("/mcp")
        .to_owned();
    let together = Arc::new(Barrier::new(CLIENTS));
    let began = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let (address, together, errand) = (address.clone(), together.clone(), errand.clone());
            thread::Builder::new()
                .stack_size(STACK)
                .spawn(move || visit(&address, era, &errand, number, &together))
                .map_err(cannot)
        })
        .collect::<Result<_, _>>()?;
    let (mut took, mut errors) = (Vec::new(), Vec::new());
    for client in clients {
        let (times, error) = client.join().map_err(|_| "a client panicked")?;
        took.extend(times);
        errors.extend(error);
    }
    let rate = took.len() as f64 / began.elapsed().as_secs_f64();
    if let Some(first) = errors.first() {
        eprintln!("first of {} errors: {first}", errors.len());
    }
    let shown = format!(
        "{}; {} calls, {rate:.0} a second, {} errors",
        Samples::new(took.clone()).shown(99),
        took.len(),
        errors.len()
    );
    Ok(Row::new(what, shown).target("no error", errors.is_empty()))
}

/// The times of one client's calls, and the error that ended them.
fn visit(
    address: &str,
    era: Era,
    errand: &Errand,
    number: usize,
    together: &Barrier,
) -> (Vec<Duration>, Option<String>) {
    let client = HttpClient::begin(address, era, errand, number);
    // All clients connect before the first one calls. A client that failed does not hold up the
    // others.
    together.wait();
    let mut took = Vec::new();
    let outcome = client.and_then(|mut client| {
        for _ in 0..errand.times {
            let began = Instant::now();
            let answer = client.call()?;
            took.push(began.elapsed());
            if answer["result"]["isError"] != false {
                return Err(format!("not a success: {answer}"));
            }
        }
        Ok(())
    });
    (took, outcome.err())
}

struct HttpClient {
    output: TcpStream,
    input: BufReader<TcpStream>,
    host: String,
    headers: String,
    call: String,
}

impl HttpClient {
    fn begin(
        address: &str,
        era: Era,
        errand: &Errand,
        number: usize,
    ) -> Result<HttpClient, String> {
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
            headers: String::new(),
            call: String::new(),
        };
        let call = json!({"name": errand.tool, "arguments": (errand.arguments)(number)});
        match era {
            Era::Stateless => client.stateless(errand.tool, call),
            Era::Session => client.session(call)?,
        }
        Ok(client)
    }

    fn stateless(&mut self, tool: &str, mut call: Value) {
        self.headers = format!(
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
        );
        call["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"}
        });
        self.call = request("tools/call", call);
    }

    fn session(&mut self, call: Value) -> Result<(), String> {
        let (head, _) = self.post(&request("initialize", initialize()))?;
        let session = head
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: "))
            .ok_or("no session id")?;
        self.headers = format!("MCP-Protocol-Version: 2025-06-18\r\nMcp-Session-Id: {session}\r\n");
        self.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string())?;
        self.call = request("tools/call", call);
        Ok(())
    }

    fn call(&mut self) -> Result<Value, String> {
        let call = std::mem::take(&mut self.call);
        let answered = self.post(&call);
        self.call = call;
        let (_, body) = answered?;
        // In a session the reply may be the last event of a stream.
        let event = body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .map(str::trim)
            .rfind(|data| !data.is_empty());
        serde_json::from_str(event.unwrap_or(&body)).map_err(|_| format!("not JSON: {body}"))
    }

    fn post(&mut self, body: &str) -> Result<(String, String), String> {
        let HttpClient { host, headers, .. } = self;
        let length = body.len();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Content-Length: {length}\r\n{headers}\r\n{body}"
        );
        self.output.write_all(request.as_bytes()).map_err(cannot)?;
        let head = head(&mut self.input).ok_or("the server closed the connection")?;
        if !head.starts_with("HTTP/1.1 20") {
            return Err(format!("refused: {head}"));
        }
        let body = body_after(&head, &mut self.input).map_err(cannot)?;
        Ok((head, body))
    }
}

fn request(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
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

pub(crate) fn cannot(error: impl std::error::Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_size_that_is_told() {
        assert!((6_500..7_500).contains(&page().len()), "{}", page().len());
    }

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
