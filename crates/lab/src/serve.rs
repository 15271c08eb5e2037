//! The listener and its connections: plain HTTP/1.1 with keep-alive, everything bounded.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use crate::act::{Act, After, act};
use crate::api::{Api, find, settings};
use crate::corpus::Corpus;
use crate::order::Order;
use crate::reply::Reply;
use crate::request::Request;
use crate::switchboard::Switchboard;
use crate::{control, pages};

const MOST_CONNECTIONS: usize = 4096;
const MOST_HEAD: usize = 64 * 1024;
const MOST_BODY: usize = 1024 * 1024;
const IDLE: Duration = Duration::from_secs(60);

/// Where the links in answers lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// To the documents' own hosts, which do not exist: right for tests of searching.
    Corpus,
    /// To the lab's copies under `/pages`: right for trying things out, because they can be read.
    Local,
}

/// The lab, before it runs.
#[derive(Debug)]
pub struct Lab;

/// What every connection shares.
#[derive(Debug)]
struct Shared {
    board: Switchboard,
    corpus: Corpus,
}

/// A running lab. It stops when this is dropped.
#[derive(Debug)]
pub struct Handle {
    address: SocketAddr,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

impl Lab {
    /// Starts the lab with links to the documents' own hosts; port 0 takes any free one.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn start(address: SocketAddr) -> io::Result<Handle> {
        Lab::start_with(address, Links::Corpus).await
    }

    /// Starts the lab.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn start_with(address: SocketAddr, links: Links) -> io::Result<Handle> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let base = (links == Links::Local).then(|| format!("http://{address}"));
        let shared = Arc::new(Shared {
            board: Switchboard::default(),
            corpus: Corpus::new(base),
        });
        let serving = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Handle {
            address,
            shared,
            serving,
        })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Handle {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What to give as the base URL of an API: `http://127.0.0.1:PORT/<id>`.
    #[must_use]
    pub fn url_of(&self, id: &str) -> String {
        format!("http://{}/{id}", self.address)
    }

    /// The settings that lead a server here, as names and values.
    #[must_use]
    pub fn settings(&self) -> Vec<(String, String)> {
        settings(&self.base_url())
    }

    /// Orders a fault. Orders are used up oldest first.
    pub fn fault(&self, order: Order) -> &Handle {
        self.shared.board.order(order);
        self
    }

    /// The orders that stand, oldest first.
    #[must_use]
    pub fn orders(&self) -> Vec<Order> {
        self.shared.board.orders()
    }

    /// Drops every order; counters stay.
    pub fn clear(&self) {
        self.shared.board.clear(false);
    }

    /// Drops every order and every count.
    pub fn reset(&self) {
        self.shared.board.clear(true);
    }

    /// How many requests each API has received.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.shared.board.counts()
    }

    /// How many requests one API has received.
    #[must_use]
    pub fn count(&self, id: &str) -> u64 {
        self.counts().get(id).copied().unwrap_or(0)
    }

    /// The last requests to one API, oldest first.
    #[must_use]
    pub fn seen(&self, id: &str) -> Vec<Request> {
        self.shared.board.seen(id)
    }

    /// Runs until the lab stops, which it does only when its listener breaks or this is dropped.
    pub async fn ended(&mut self) {
        let _ = (&mut self.serving).await;
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    // Connections die with the lab, so a test leaves nothing running.
    let mut running = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((socket, _)) => {
                let shared = Arc::clone(&shared);
                running.spawn(async move {
                    connection(socket, &shared).await;
                    drop(place);
                });
            }
            // Out of file descriptors, most likely: they come back when connections end.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
        while running.try_join_next().is_some() {}
    }
}

async fn connection(mut socket: TcpStream, shared: &Shared) {
    let _ = socket.set_nodelay(true);
    let mut left_over = Vec::new();
    loop {
        let after = match tokio::time::timeout(IDLE, read(&mut socket, &mut left_over)).await {
            Err(_) | Ok(Read::Gone) => After::Close,
            Ok(Read::Refused(status)) => {
                let refusal = Act::Whole(Reply::html(status, crate::reply::reason(status)));
                let _ = refusal.play(&mut socket).await;
                After::Close
            }
            Ok(Read::Request(request)) => {
                let last = request
                    .header("connection")
                    .is_some_and(|value| value.eq_ignore_ascii_case("close"));
                let after = played(&mut socket, shared, request).await;
                if last && after == After::KeepAlive {
                    After::Close
                } else {
                    after
                }
            }
        };
        match after {
            After::KeepAlive => {}
            After::Reset => return drop(socket.set_zero_linger()),
            After::Close => return close(&mut socket).await,
        }
    }
}

/// Plays the answer, unless the client leaves first: a stalled answer to nobody would hold its
/// place for minutes.
async fn played(socket: &mut TcpStream, shared: &Shared, request: Request) -> After {
    let act = respond(shared, request);
    let (mut reading, mut writing) = socket.split();
    let mut sink = [0; 1];
    tokio::select! {
        biased;
        done = act.play(&mut writing) => done.unwrap_or(After::Close),
        Ok(0) | Err(_) = async { reading.peek(&mut sink).await } => After::Close,
    }
}

/// Reads what the client still sends: closing on unread bytes would reset the connection instead.
async fn close(socket: &mut TcpStream) {
    let _ = socket.shutdown().await;
    let mut sink = [0; 1024];
    let drained = async { while socket.read(&mut sink).await.is_ok_and(|read| read > 0) {} };
    let _ = tokio::time::timeout(Duration::from_millis(200), drained).await;
}

fn respond(shared: &Shared, request: Request) -> Act {
    let id = request
        .path
        .trim_start_matches('/')
        .split('/')
        .next()
        .unwrap_or_default()
        .to_owned();
    if id == "lab" {
        return Act::Whole(control::answer(&shared.board, &request.below("/lab")));
    }
    if let Some(rest) = request.path.strip_prefix("/pages/") {
        return Act::Whole(pages::answer(&shared.corpus, rest));
    }
    let Some(api) = find(&id) else {
        return Act::Whole(Reply::html(404, "No such API here; GET /lab lists them.\n"));
    };
    let request = request.below(&format!("/{id}"));
    shared.board.saw(api.id, &request);
    match shared.board.due(api.id) {
        Some(due) => act(api, &due, || good(api, &request, &shared.corpus)),
        None => Act::Whole(good(api, &request, &shared.corpus)),
    }
}

fn good(api: &Api, request: &Request, corpus: &Corpus) -> Reply {
    api.refused(request)
        .unwrap_or_else(|| (api.answer)(request, corpus))
}

enum Read {
    Request(Request),
    Refused(u16),
    Gone,
}

async fn read(socket: &mut TcpStream, bytes: &mut Vec<u8>) -> Read {
    let mut piece = [0; 8192];
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n")
            && at <= MOST_HEAD
        {
            break at;
        }
        if bytes.len() > MOST_HEAD {
            return Read::Refused(431);
        }
        match socket.read(&mut piece).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return Read::Gone,
        }
    };
    let Some(mut request) = parse_head(&String::from_utf8_lossy(&bytes[..head_end])) else {
        return Read::Refused(400);
    };
    if request.header("transfer-encoding").is_some() {
        return Read::Refused(411);
    }
    let length: usize = request
        .header("content-length")
        .map_or(Some(0), |value| value.parse().ok())
        .unwrap_or(usize::MAX);
    if length > MOST_BODY {
        return Read::Refused(413);
    }
    let end = head_end + 4 + length;
    while bytes.len() < end {
        match socket.read(&mut piece).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return Read::Gone,
        }
    }
    let rest = bytes.split_off(end);
    request.body = bytes.split_off(head_end + 4);
    *bytes = rest;
    Read::Request(request)
}

fn parse_head(head: &str) -> Option<Request> {
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target, version) = (first.next()?, first.next()?, first.next()?);
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return None;
    }
    let mut request = Request::new(method, target);
    let pairs = lines.filter_map(|line| line.split_once(':'));
    request.headers = pairs
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    Some(request)
}
