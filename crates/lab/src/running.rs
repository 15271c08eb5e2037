//! The running lab: its APIs, its controls and its pages behind one HTTP server.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;

use crate::api::{Api, find, settings};
use crate::api_request::ApiRequest;
use crate::corpus::Corpus;
use crate::fault_behavior::fault_behavior;
use crate::http::{Behavior, HttpRequest, HttpServer, Reply, Service};
use crate::ordered_fault::OrderedFault;
use crate::state::LabState;
use crate::{control, pages};

/// Where the links in replies lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// To the documents' own hosts, which do not exist. For tests of searching.
    Corpus,
    /// To the lab's copies under `/pages`, which can be read. For trying things out.
    Local,
}

/// Starts labs.
#[derive(Debug)]
pub struct Lab;

#[derive(Debug)]
struct LabService {
    state: LabState,
    corpus: Corpus,
}

/// A running lab. Dropping it stops it.
#[derive(Debug)]
pub struct RunningLab {
    server: HttpServer,
    service: Arc<LabService>,
}

impl Lab {
    /// Starts the lab with links to the documents' own hosts. Port 0 chooses a free one.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn start(address: SocketAddr) -> io::Result<RunningLab> {
        Lab::start_with(address, Links::Corpus).await
    }

    /// Starts the lab.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn start_with(address: SocketAddr, links: Links) -> io::Result<RunningLab> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let base = (links == Links::Local).then(|| format!("http://{address}"));
        let service = Arc::new(LabService {
            state: LabState::default(),
            corpus: Corpus::new(base),
        });
        let server = HttpServer::serve(listener, Arc::clone(&service))?;
        Ok(RunningLab { server, service })
    }
}

impl RunningLab {
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// The base URL of an API: `http://127.0.0.1:PORT/<id>`.
    #[must_use]
    pub fn url_of(&self, id: &str) -> String {
        format!("http://{}/{id}", self.address())
    }

    /// The settings that make a server use this lab, as names and values.
    #[must_use]
    pub fn settings(&self) -> Vec<(String, String)> {
        settings(&self.base_url())
    }

    /// Orders a fault. Faults are used up oldest first.
    pub fn fault(&self, fault: OrderedFault) -> &RunningLab {
        self.service.state.order(fault);
        self
    }

    /// The faults that are still ordered, oldest first.
    #[must_use]
    pub fn ordered_faults(&self) -> Vec<OrderedFault> {
        self.service.state.faults()
    }

    /// Drops every ordered fault and keeps the counters.
    pub fn clear(&self) {
        self.service.state.clear(false);
    }

    /// Drops every ordered fault and every counter.
    pub fn reset(&self) {
        self.service.state.clear(true);
    }

    /// How many requests each API has received.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.service.state.counts()
    }

    /// How many requests one API has received.
    #[must_use]
    pub fn count(&self, id: &str) -> u64 {
        self.counts().get(id).copied().unwrap_or(0)
    }

    /// The last requests to one API, oldest first.
    #[must_use]
    pub fn seen(&self, id: &str) -> Vec<ApiRequest> {
        self.service.state.seen(id)
    }

    /// Waits until the lab stops, which it does only when this is dropped.
    pub async fn ended(&mut self) {
        self.server.ended().await;
    }
}

impl Service for LabService {
    fn respond(&self, request: HttpRequest) -> Behavior {
        let request = ApiRequest::from(request);
        let id = request
            .path
            .trim_start_matches('/')
            .split('/')
            .next()
            .unwrap_or_default()
            .to_owned();
        if id == "lab" {
            return Behavior::Reply(control::answer(&self.state, &request.below("/lab")));
        }
        if let Some(rest) = request.path.strip_prefix("/pages/") {
            return Behavior::Reply(pages::answer(&self.corpus, rest));
        }
        let Some(api) = find(&id) else {
            return Behavior::Reply(Reply::html(404, "No such API here; GET /lab lists them.\n"));
        };
        let request = request.below(&format!("/{id}"));
        self.state.record_request(api.id, &request);
        match self.state.take_due(api.id) {
            Some(due) => fault_behavior(api, &due, || good_reply(api, &request, &self.corpus)),
            None => Behavior::Reply(good_reply(api, &request, &self.corpus)),
        }
    }
}

fn good_reply(api: &Api, request: &ApiRequest, corpus: &Corpus) -> Reply {
    api.refused(request)
        .unwrap_or_else(|| (api.answer)(request, corpus))
}
