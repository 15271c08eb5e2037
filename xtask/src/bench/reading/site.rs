//! Sites on loopback that count how often they are asked, for a page and for their robots.txt.

use std::{
    io::{BufReader, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use crate::bench::web::{STACK, TITLE, cannot, head, page};

/// It forbids nothing that is asked for, but has to be read to know that.
const ROBOTS: &str = "User-agent: *\nDisallow: /private/\nAllow: /\n";

/// What a site has.
#[derive(Debug)]
pub(super) enum Content {
    /// An article of 7 KB under every path, entitled by it, that stays fresh for an hour.
    Articles,
    /// The same file under every path.
    File {
        media_type: &'static str,
        bytes: Vec<u8>,
    },
}

/// Sites that have the same and count together, each on an address of its own.
#[derive(Debug)]
pub(super) struct Sites {
    addresses: Vec<SocketAddr>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    content: Content,
    delay: Duration,
    requests: AtomicUsize,
}

impl Sites {
    /// So many sites that wait so long before they answer. They serve until this program ends.
    pub(super) fn start(count: usize, content: Content, delay: Duration) -> Result<Sites, String> {
        let shared = Arc::new(Shared {
            content,
            delay,
            requests: AtomicUsize::new(0),
        });
        let addresses = (0..count)
            .map(|index| listen(host(index), &shared))
            .collect::<Result<_, _>>()?;
        Ok(Sites { addresses, shared })
    }

    /// The address of a path on one of the sites.
    pub(super) fn url(&self, site: usize, path: &str) -> String {
        format!(
            "http://{}/{path}",
            self.addresses[site % self.addresses.len()]
        )
    }

    /// Requests so far, for robots.txt too.
    pub(super) fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }
}

/// Every address of 127.0.0.0/8 is this machine.
fn host(index: usize) -> Ipv4Addr {
    let [high, low] = [index / 250, index % 250].map(|part| u8::try_from(part).unwrap_or(u8::MAX));
    Ipv4Addr::new(127, 0, high, low + 1)
}

fn listen(host: Ipv4Addr, shared: &Arc<Shared>) -> Result<SocketAddr, String> {
    let listener = TcpListener::bind((host, 0)).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let shared = shared.clone();
    let accept = move || {
        for socket in listener.incoming().map_while(Result::ok) {
            let shared = shared.clone();
            // A site that has no room for another visitor closes the connection, which the visitor
            // tells.
            let _ = small_thread(move || serve(socket, &shared));
        }
    };
    small_thread(accept)?;
    Ok(address)
}

fn small_thread(work: impl FnOnce() + Send + 'static) -> Result<(), String> {
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(work)
        .map(drop)
        .map_err(cannot)
}

/// Answers on one connection until the other side leaves it.
fn serve(socket: TcpStream, shared: &Shared) {
    let _ = socket.set_nodelay(true);
    let Ok(mut output) = socket.try_clone() else {
        return;
    };
    let mut input = BufReader::new(socket);
    while let Some(head) = head(&mut input) {
        shared.requests.fetch_add(1, Ordering::SeqCst);
        thread::sleep(shared.delay);
        let path = head.split(' ').nth(1).unwrap_or_default();
        if answer(&mut output, path, &shared.content).is_err() {
            return;
        }
    }
}

fn answer(output: &mut TcpStream, path: &str, content: &Content) -> std::io::Result<()> {
    match content {
        _ if path == "/robots.txt" => send(output, "text/plain", ROBOTS.as_bytes()),
        Content::Articles => send(
            output,
            "text/html; charset=utf-8",
            page().replace(TITLE, path).as_bytes(),
        ),
        Content::File { media_type, bytes } => send(output, media_type, bytes),
    }
}

/// A small answer goes out in one piece; a large one is not copied for that.
fn send(output: &mut TcpStream, media_type: &str, body: &[u8]) -> std::io::Result<()> {
    let length = body.len();
    let mut answer =
        format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nCache-Control: max-age=3600\r\nContent-Length: {length}\r\n\r\n")
            .into_bytes();
    let (first, rest) = body.split_at(length.min(16 * 1024));
    answer.extend_from_slice(first);
    output.write_all(&answer)?;
    output.write_all(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_site_has_an_address_of_its_own() {
        assert_eq!(host(0), Ipv4Addr::LOCALHOST);
        assert_eq!(host(249), Ipv4Addr::new(127, 0, 0, 250));
        assert_eq!(host(250), Ipv4Addr::new(127, 0, 1, 1));
    }
}
