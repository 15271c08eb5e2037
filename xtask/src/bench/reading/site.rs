//! Sites on loopback that count their requests, for pages and for robots.txt.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use lab::http::{Behavior, HttpRequest, HttpServer, Reply, Service};

use crate::bench::web::{TITLE, cannot, page};

/// Allows every requested page, but must be read to know that.
const ROBOTS: &str = "User-agent: *\nDisallow: /private/\nAllow: /\n";

/// What a site serves.
#[derive(Debug)]
pub(super) enum Content {
    /// A 7 KB article under every path, with the path as its title, that stays fresh for an hour.
    Articles,
    /// The same file under every path.
    File {
        media_type: &'static str,
        bytes: Vec<u8>,
    },
}

/// Sites with the same content and a common counter, each at its own address.
#[derive(Debug)]
pub(super) struct Sites {
    addresses: Vec<SocketAddr>,
    site: Arc<Site>,
}

#[derive(Debug)]
struct Site {
    content: Content,
    delay: Duration,
    requests: AtomicUsize,
}

impl Sites {
    /// Starts `count` sites that wait for `delay` before they answer. They serve until this program
    /// ends.
    pub(super) fn start(count: usize, content: Content, delay: Duration) -> Result<Sites, String> {
        let site = Arc::new(Site {
            content,
            delay,
            requests: AtomicUsize::new(0),
        });
        let hosts: Vec<SocketAddr> = (0..count).map(|index| (host(index), 0).into()).collect();
        let addresses = HttpServer::start_on_thread(&hosts, &site).map_err(cannot)?;
        Ok(Sites { addresses, site })
    }

    /// The URL of a path on one of the sites.
    pub(super) fn url(&self, site: usize, path: &str) -> String {
        format!(
            "http://{}/{path}",
            self.addresses[site % self.addresses.len()]
        )
    }

    /// The number of requests so far, including those for robots.txt.
    pub(super) fn requests(&self) -> usize {
        self.site.requests.load(Ordering::SeqCst)
    }
}

/// Every address of 127.0.0.0/8 is this machine.
fn host(index: usize) -> Ipv4Addr {
    let [high, low] = [index / 250, index % 250].map(|part| u8::try_from(part).unwrap_or(u8::MAX));
    Ipv4Addr::new(127, 0, high, low + 1)
}

impl Service for Site {
    fn respond(&self, request: HttpRequest) -> Behavior {
        self.requests.fetch_add(1, Ordering::SeqCst);
        let path = &request.target;
        let reply = match &self.content {
            _ if path == "/robots.txt" => Reply::typed(200, "text/plain", ROBOTS),
            Content::Articles => Reply::html(200, page().replace(TITLE, path)),
            Content::File { media_type, bytes } => Reply::typed(200, media_type, bytes.clone()),
        };
        Behavior::Slow {
            reply: reply.header("Cache-Control", "max-age=3600"),
            wait: self.delay,
        }
    }
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
