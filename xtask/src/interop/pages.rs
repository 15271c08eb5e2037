//! A site on loopback with a single page for the tools to read.

use std::{
    io::{Error, Result},
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use lab::http::{Behavior, HttpRequest, HttpServer, Service};

pub(super) const PAGE: &str = "/page";
/// A sentence that occurs only in the page's body.
pub(super) const SENTENCE: &str =
    "A fingerpost stands where roads part and names the places they lead to.";

/// The site. It serves until the program ends.
pub(super) struct Pages {
    address: SocketAddr,
}

impl Pages {
    pub(super) fn start() -> Result<Pages> {
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listening = HttpServer::start_on_thread(&[any_port], &Arc::new(OnePage))?;
        let address = listening.first().copied();
        Ok(Pages {
            address: address.ok_or_else(|| Error::other("the site does not listen"))?,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

struct OnePage;

impl Service for OnePage {
    fn respond(&self, request: HttpRequest) -> Behavior {
        if request.target == PAGE {
            Behavior::html(200, page())
        } else {
            Behavior::html(404, "<p>No.</p>")
        }
    }
}

/// The page, long enough to be taken for an article.
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
