//! The fake DNS: a UDP server that answers what a test has scripted.

#![allow(
    clippy::disallowed_methods,
    reason = "the other side of the tests, on loopback"
)]

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// The answer for a name. IPv4 and IPv6 queries each get the matching addresses.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Answer {
    Addresses(Vec<IpAddr>),
    /// IPv4 at once, IPv6 after a delay.
    LateV6 {
        addresses: Vec<IpAddr>,
        wait: Duration,
    },
    /// The name does not exist.
    Nxdomain,
    /// The server failed.
    Servfail,
    /// The query was refused.
    Refused,
    /// No answer at all.
    Silence,
}

impl Answer {
    /// # Panics
    /// When a text is not an address.
    #[must_use]
    pub fn ip(text: &str) -> Self {
        Self::ips(&[text])
    }

    /// # Panics
    /// When a text is not an address.
    #[must_use]
    pub fn ips(texts: &[&str]) -> Self {
        Self::Addresses(parsed(texts))
    }

    /// # Panics
    /// When a text is not an address.
    #[must_use]
    pub fn late_v6(texts: &[&str], wait: Duration) -> Self {
        Self::LateV6 {
            addresses: parsed(texts),
            wait,
        }
    }
}

fn parsed(texts: &[&str]) -> Vec<IpAddr> {
    texts
        .iter()
        .map(|text| text.parse().expect("an IP address"))
        .collect()
}

#[derive(Default)]
struct DnsScript {
    names: Mutex<HashMap<String, Vec<Answer>>>,
    asked: Mutex<Vec<(String, u16)>>,
}

/// A scripted DNS server on 127.0.0.1. Unknown names do not exist. The TTL is always zero, so
/// nothing is cached.
pub struct Dns {
    address: SocketAddr,
    script: Arc<DnsScript>,
    serving: JoinHandle<()>,
}

impl std::fmt::Debug for Dns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dns")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Drop for Dns {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

const A: u16 = 1;
const AAAA: u16 = 28;

impl Dns {
    pub async fn start() -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a loopback port");
        let address = socket.local_addr().expect("a bound socket has an address");
        let script = Arc::new(DnsScript::default());
        let serving = tokio::spawn(serve(socket, Arc::clone(&script)));
        Self {
            address,
            script,
            serving,
        }
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn on(&self, name: &str, answer: Answer) -> &Self {
        self.on_each(name, vec![answer])
    }

    /// One answer per query of one type, the last one repeating: a rebound name.
    pub fn on_each(&self, name: &str, answers: Vec<Answer>) -> &Self {
        assert!(!answers.is_empty(), "a name needs at least one answer");
        lock(&self.script.names).insert(name.to_ascii_lowercase(), answers);
        self
    }

    /// How often the IPv4 address of a name was queried.
    #[must_use]
    pub fn asked(&self, name: &str) -> usize {
        lock(&self.script.asked)
            .iter()
            .filter(|(asked, kind)| asked == name && *kind == A)
            .count()
    }

    /// How many queries arrived.
    #[must_use]
    pub fn total(&self) -> usize {
        lock(&self.script.asked).len()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(socket: UdpSocket, script: Arc<DnsScript>) {
    let socket = Arc::new(socket);
    let mut packet = [0; 4096];
    loop {
        let Ok((length, peer)) = socket.recv_from(&mut packet).await else {
            continue;
        };
        if let Some((reply, wait)) = answer(&packet[..length], &script) {
            let socket = Arc::clone(&socket);
            tokio::spawn(async move {
                tokio::time::sleep(wait).await;
                let _ = socket.send_to(&reply, peer).await;
            });
        }
    }
}

/// The reply to a query and its delay.
fn answer(packet: &[u8], script: &DnsScript) -> Option<(Vec<u8>, Duration)> {
    let (name, end) = read_name(packet)?;
    let kind = u16::from_be_bytes([*packet.get(end)?, *packet.get(end + 1)?]);
    let turn = {
        let mut asked = lock(&script.asked);
        let turn = asked
            .iter()
            .filter(|(seen, seen_kind)| *seen == name && *seen_kind == kind)
            .count();
        asked.push((name.clone(), kind));
        turn
    };
    let names = lock(&script.names);
    let scripted = names
        .get(&name)
        .and_then(|answers| answers.get(turn).or(answers.last()));
    let question = packet.get(12..end + 4)?;
    let id = [packet[0], packet[1]];
    let (code, addresses, wait) = match scripted.unwrap_or(&Answer::Nxdomain) {
        Answer::Addresses(addresses) => (0, of_kind(addresses, kind), Duration::ZERO),
        Answer::LateV6 { addresses, wait } => (
            0,
            of_kind(addresses, kind),
            if kind == AAAA { *wait } else { Duration::ZERO },
        ),
        Answer::Nxdomain => (3, Vec::new(), Duration::ZERO),
        Answer::Servfail => (2, Vec::new(), Duration::ZERO),
        Answer::Refused => (5, Vec::new(), Duration::ZERO),
        Answer::Silence => return None,
    };
    Some((reply(id, question, code, &addresses), wait))
}

fn of_kind(addresses: &[IpAddr], kind: u16) -> Vec<IpAddr> {
    let wanted = |ip: &&IpAddr| (ip.is_ipv4() && kind == A) || (ip.is_ipv6() && kind == AAAA);
    addresses.iter().filter(wanted).copied().collect()
}

/// The name in the first question in lower case, and where its type starts.
fn read_name(packet: &[u8]) -> Option<(String, usize)> {
    let mut at = 12;
    let mut labels = Vec::new();
    loop {
        let length = usize::from(*packet.get(at)?);
        at += 1;
        if length == 0 {
            return Some((labels.join("."), at));
        }
        labels.push(String::from_utf8_lossy(packet.get(at..at + length)?).to_ascii_lowercase());
        at += length;
    }
}

fn reply(id: [u8; 2], question: &[u8], code: u8, addresses: &[IpAddr]) -> Vec<u8> {
    let mut packet = vec![
        id[0],
        id[1],
        0x81,
        0x80 | code,
        0,
        1,
        0,
        addresses.len() as u8,
        0,
        0,
        0,
        0,
    ];
    packet.extend_from_slice(question);
    for ip in addresses {
        let (kind, bytes) = match ip {
            IpAddr::V4(ip) => (A, ip.octets().to_vec()),
            IpAddr::V6(ip) => (AAAA, ip.octets().to_vec()),
        };
        packet.extend_from_slice(&[0xc0, 12]);
        packet.extend_from_slice(&kind.to_be_bytes());
        packet.extend_from_slice(&[0, 1, 0, 0, 0, 0]);
        packet.extend_from_slice(&(bytes.len() as u16).to_be_bytes());
        packet.extend_from_slice(&bytes);
    }
    packet
}
