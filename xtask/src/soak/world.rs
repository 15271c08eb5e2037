//! What the server meets in a soak: every search API, and a site whose pages fail in every way.

use std::{net::Ipv4Addr, time::Duration};

use lab::{FaultMode, Lab, Links, OrderedFault, RunningLab, WaitForm};
use testkit::{Behavior, Reply, Web, bodies};
use tokio::runtime::{Builder, Runtime};

use crate::bench::web::page;

/// The page that can be read.
pub(super) const GOOD_PAGE: &str = "/good";

/// Pages that fail at once.
pub(super) const FAILING_PAGES: &[&str] = &[
    "/missing",
    "/gone",
    "/forbidden",
    "/too-many",
    "/broken",
    "/maintenance",
    "/reset",
    "/reset-in-body",
    "/closed",
    "/short",
    "/cut",
    "/loop",
    "/empty",
    "/bomb",
    "/binary",
    "/broken-pdf",
    "/headers",
    "/challenge",
];

/// Pages that hold a call until its deadline.
pub(super) const HOLDING_PAGES: &[&str] = &["/stalled", "/stalled-body", "/drip"];

/// These end the use of a provider for long, so only one provider gets them.
const LASTING: &[FaultMode] = &[
    FaultMode::Quota,
    FaultMode::BadKey,
    FaultMode::NoKey,
    FaultMode::Forbidden,
];
const FOR_LASTING_FAULTS: &str = "exa";

/// The running services. Dropping it stops them.
#[derive(Debug)]
pub(super) struct World {
    lab: RunningLab,
    /// Sites with the same pages.
    sites: Vec<Web>,
    /// Last, because the services run on it.
    _runtime: Runtime,
}

impl World {
    pub(super) fn start() -> Result<World, String> {
        World::with_sites(1)
    }

    pub(super) fn with_sites(count: usize) -> Result<World, String> {
        let told = |error: std::io::Error| format!("no services on loopback ({})", error.kind());
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(told)?;
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        let lab = runtime
            .block_on(Lab::start_with(address, Links::Local))
            .map_err(told)?;
        let sites: Vec<Web> = (0..count).map(|_| runtime.block_on(Web::start())).collect();
        // Made once, because packing it takes a while.
        let bomb = bodies::gzip_bomb(64);
        sites.iter().for_each(|site| script(site, &bomb));
        Ok(World {
            lab,
            sites,
            _runtime: runtime,
        })
    }

    /// The flags that make a server use this world and nothing else.
    pub(super) fn flags(&self) -> Vec<String> {
        let mut flags: Vec<String> = self
            .lab
            .settings()
            .into_iter()
            .flat_map(|(name, value)| [format!("--{name}"), value])
            .collect();
        let sites = self.sites.iter().map(Web::address);
        for address in sites.chain([self.lab.address()]) {
            flags.extend(["--allow-private".to_owned(), address.to_string()]);
        }
        flags
    }

    /// The address of a page, at the site of this number.
    pub(super) fn url(&self, number: usize, path: &str) -> String {
        self.sites[number % self.sites.len()].url(path)
    }

    /// Replaces the faults of the search APIs by the next ones in turn.
    pub(super) fn next_trouble(&self, turn: usize) {
        self.lab.clear();
        let mode = FaultMode::ALL[turn % FaultMode::ALL.len()];
        let provider = if LASTING.contains(&mode) {
            FOR_LASTING_FAULTS
        } else {
            "*"
        };
        let slow = Duration::from_millis(200);
        let fault = OrderedFault::new(provider, mode).delay(slow).times(3);
        self.lab.fault(fault.wait(WaitForm::Seconds, 1));
    }
}

fn script(web: &Web, bomb: &[u8]) {
    let article = || Reply::html(200, page());
    let typed = |media_type: &str, bytes: &[u8]| Reply::typed(200, media_type, bytes.to_vec());
    web.on(
        "/robots.txt",
        typed("text/plain", b"User-agent: *\nAllow: /\n"),
    )
    .on(GOOD_PAGE, article())
    .on("/missing", Behavior::html(404, "<h1>Not found</h1>"))
    .on("/gone", Behavior::status(410))
    .on("/forbidden", Behavior::status(403))
    .on("/too-many", Reply::new(429, "").header("Retry-After", "1"))
    .on("/broken", Behavior::status(500))
    .on(
        "/maintenance",
        Reply::new(503, "").header("Retry-After", "2"),
    )
    .on("/reset", Behavior::Reset)
    .on("/closed", Behavior::Close)
    .on("/cut", Behavior::CutChunked(article()))
    .on("/loop", Behavior::redirect(302, "/loop"))
    .on("/empty", Behavior::html(200, ""))
    .on("/bomb", Behavior::encoded("gzip", bomb.to_vec()))
    .on(
        "/binary",
        typed("application/octet-stream", &[0, 159, 146, 150]),
    )
    .on("/broken-pdf", typed("application/pdf", b"%PDF-1.7 nothing"))
    .on("/headers", Behavior::HugeHeaders { bytes: 1 << 20 })
    .on("/challenge", Behavior::html(403, CHALLENGE))
    .on("/stalled", Behavior::StallHead);
    let reply = article();
    web.on(
        "/reset-in-body",
        Behavior::ResetInBody { reply, after: 900 },
    );
    let (reply, claim) = (article(), 1 << 20);
    web.on("/short", Behavior::ShortBody { reply, claim });
    let (reply, after) = (article(), 900);
    web.on("/stalled-body", Behavior::StallBody { reply, after });
    let (reply, piece, every) = (article(), 10, Duration::from_millis(100));
    web.on(
        "/drip",
        Behavior::Drip {
            reply,
            piece,
            every,
        },
    );
}

const CHALLENGE: &str = "<html><head><title>Just a moment...</title></head><body><div id=\"challenge-form\">\
    Checking your browser before accessing this site.</div></body></html>";
