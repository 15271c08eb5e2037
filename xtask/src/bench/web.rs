//! Both peers of the server over HTTP, on loopback: a site with one page to fetch, and a thousand
//! clients.

use std::{
    net::{Ipv4Addr, SocketAddr},
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

use super::{samples::Samples, table::Row};
use crate::{
    mcp_client::{Era, HttpClient},
    process::Server,
};

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
/// The stack size of a client's thread; there are many clients, and each needs little.
pub(crate) const STACK: usize = 128 * 1024;

/// The calls that every client makes.
pub(crate) struct Errand {
    pub(crate) tool: &'static str,
    /// The arguments of the client with this number.
    pub(crate) arguments: Box<dyn Fn(usize) -> Value + Send + Sync>,
    pub(crate) times: usize,
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
    let address = server.address().to_owned();
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
    let client = HttpClient::connect(address, era);
    let call = json!({"name": errand.tool, "arguments": (errand.arguments)(number)});
    // All clients connect before the first one calls. A client that failed does not hold up the
    // others.
    together.wait();
    let mut took = Vec::new();
    let outcome = client.and_then(|mut client| {
        let call = client.prepare(call);
        for _ in 0..errand.times {
            let began = Instant::now();
            let answer = client.exchange(&call)?;
            took.push(began.elapsed());
            if answer["result"]["isError"] != false {
                return Err(format!("not a success: {answer}"));
            }
        }
        Ok(())
    });
    (took, outcome.err())
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
}
