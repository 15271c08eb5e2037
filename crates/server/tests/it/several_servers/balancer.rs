//! A load balancer without stickiness and without second attempts: each request goes to the next
//! server that is ready, on a kept connection where there is one, and what goes wrong on the way is
//! the client's to see.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

type Stream = BufReader<TcpStream>;

pub struct Balancer {
    pub address: String,
    state: Arc<State>,
}

struct State {
    servers: Vec<String>,
    ready: Mutex<Vec<bool>>,
    next: AtomicUsize,
    idle: Mutex<HashMap<String, Vec<Stream>>>,
    served: Mutex<HashMap<String, usize>>,
}

impl Balancer {
    pub async fn start(servers: Vec<String>) -> Balancer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = Arc::new(State {
            ready: Mutex::new(vec![false; servers.len()]),
            servers,
            next: AtomicUsize::new(0),
            idle: Mutex::default(),
            served: Mutex::default(),
        });
        for index in 0..state.servers.len() {
            tokio::spawn(watch(Arc::clone(&state), index));
        }
        let serving = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(Arc::clone(&serving), BufReader::new(client)));
            }
        });
        Balancer { address, state }
    }

    /// Waits until this server gets requests, or no longer does.
    pub async fn until_ready(&self, index: usize, ready: bool) {
        while self.state.ready.lock().unwrap()[index] != ready {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// How many requests each server has answered.
    pub fn served(&self) -> Vec<usize> {
        let served = self.state.served.lock().unwrap();
        let of = |server: &String| served.get(server).copied().unwrap_or_default();
        self.state.servers.iter().map(of).collect()
    }
}

/// Asks a server again and again whether it is ready.
async fn watch(state: Arc<State>, index: usize) {
    let host = &state.servers[index];
    let question = format!("GET /readyz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    loop {
        let ready = match exchange(host, question.as_bytes()).await {
            Some(answer) => answer.starts_with(b"HTTP/1.1 200"),
            None => false,
        };
        state.ready.lock().unwrap()[index] = ready;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn exchange(host: &str, request: &[u8]) -> Option<Vec<u8>> {
    let mut server = BufReader::new(TcpStream::connect(host).await.ok()?);
    server.write_all(request).await.ok()?;
    message(&mut server).await
}

/// Serves the one request of a connection. Connections to servers are kept, whatever the client does
/// with its own.
async fn serve(state: Arc<State>, mut client: Stream) {
    let Some(request) = message(&mut client).await else {
        return;
    };
    let request = String::from_utf8(request).expect("a request of this test");
    let request = request.replacen("Connection: close\r\n", "", 1);
    let response = forward(&state, request.as_bytes()).await;
    let response = response.unwrap_or_else(|why| {
        let length = why.len();
        format!("HTTP/1.1 502 Bad Gateway\r\nContent-Length: {length}\r\n\r\n{why}").into_bytes()
    });
    let _ = client.write_all(&response).await;
    let _ = client.shutdown().await;
}

async fn forward(state: &State, request: &[u8]) -> Result<Vec<u8>, String> {
    let host = next_ready(state).await;
    let mut server = match kept_connection(state, &host) {
        Some(server) => server,
        None => BufReader::new(
            TcpStream::connect(&host)
                .await
                .map_err(|error| format!("{host} refuses connections: {error}"))?,
        ),
    };
    server
        .write_all(request)
        .await
        .map_err(|error| format!("{host} takes no request: {error}"))?;
    let response = message(&mut server)
        .await
        .ok_or_else(|| format!("{host} closed the connection without a response"))?;
    *state
        .served
        .lock()
        .unwrap()
        .entry(host.clone())
        .or_default() += 1;
    if !head_of(&response).contains("connection: close") {
        let mut idle = state.idle.lock().unwrap();
        idle.entry(host).or_default().push(server);
    }
    Ok(response)
}

/// A kept connection that the server has not closed, as far as it is known here.
fn kept_connection(state: &State, host: &str) -> Option<Stream> {
    let mut idle = state.idle.lock().unwrap();
    let kept = idle.get_mut(host)?;
    loop {
        let server = kept.pop()?;
        let read = server.get_ref().try_read(&mut [0]);
        if read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock) {
            return Some(server);
        }
    }
}

/// The next ready server in turn; waits for one while none is.
async fn next_ready(state: &State) -> String {
    loop {
        {
            let ready = state.ready.lock().unwrap();
            for _ in 0..ready.len() {
                let index = state.next.fetch_add(1, Ordering::Relaxed) % ready.len();
                if ready[index] {
                    return state.servers[index].clone();
                }
            }
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// One whole request or response. `None` when the connection ends first.
async fn message(stream: &mut Stream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let before = bytes.len();
        if stream.read_until(b'\n', &mut bytes).await.ok()? == 0 {
            return None;
        }
        if bytes[before..].trim_ascii().is_empty() {
            break;
        }
    }
    let head = head_of(&bytes);
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    if head.contains("transfer-encoding: chunked") {
        chunks(stream, &mut bytes).await?;
    } else if let Some(length) = length {
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.ok()?;
        bytes.extend(body);
    }
    Some(bytes)
}

async fn chunks(stream: &mut Stream, bytes: &mut Vec<u8>) -> Option<()> {
    loop {
        let mut line = Vec::new();
        stream.read_until(b'\n', &mut line).await.ok()?;
        let size = usize::from_str_radix(std::str::from_utf8(&line).ok()?.trim(), 16).ok()?;
        let mut chunk = vec![0; size + 2];
        stream.read_exact(&mut chunk).await.ok()?;
        bytes.extend(line);
        bytes.extend(chunk);
        if size == 0 {
            return Some(());
        }
    }
}

fn head_of(message: &[u8]) -> String {
    let end = message
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap_or(message.len());
    String::from_utf8_lossy(&message[..end]).to_lowercase()
}
