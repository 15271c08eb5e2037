//! Two hundred pages requested at once over one session, from one site and from twenty.
//!
//! The server requests only a few pages of one site at a time, whatever the agent asks for, and
//! that is part of the measurement. It is visible only with slow sites, so those are measured as
//! well.

use std::time::{Duration, Instant};

use super::{
    print_row,
    reader::{ReaderPrograms, Who},
    site::{Content, Sites},
};
use crate::bench::{
    samples::Samples,
    table::Row,
    usage::{self, megabytes},
};

const PAGES: usize = 200;
const ROUNDS: usize = 3;
/// A typical latency of a site on another continent.
const FAR: Duration = Duration::from_millis(100);

/// Where the pages are, and whether the other program is measured too, which takes minutes.
struct Crowd {
    what: &'static str,
    sites: usize,
    delay: Duration,
    with_peer: bool,
}

static CROWDS: [Crowd; 4] = [
    Crowd {
        what: "200 pages at once, one site",
        sites: 1,
        delay: Duration::ZERO,
        with_peer: false,
    },
    Crowd {
        what: "200 pages at once, 20 sites",
        sites: 20,
        delay: Duration::ZERO,
        with_peer: true,
    },
    Crowd {
        what: "200 pages at once, one site that answers after 100 ms",
        sites: 1,
        delay: FAR,
        with_peer: false,
    },
    Crowd {
        what: "200 pages at once, 20 sites that answer after 100 ms",
        sites: 20,
        delay: FAR,
        with_peer: false,
    },
];

/// The measurements of one program in all rounds.
#[derive(Debug, Default)]
struct CrowdResult {
    took: Vec<Duration>,
    errors: Vec<String>,
    peak_kilobytes: u64,
}

pub(super) fn rows(programs: &ReaderPrograms) -> Result<Vec<Row>, String> {
    CROWDS
        .iter()
        .map(|crowd| row(crowd, programs).inspect(print_row))
        .collect()
}

fn row(crowd: &Crowd, programs: &ReaderPrograms) -> Result<Row, String> {
    let sites = Sites::start(crowd.sites, Content::Articles, crowd.delay)?;
    let mut ours = CrowdResult::default();
    for _ in 0..ROUNDS {
        visit(Who::Ours, &sites, crowd.sites, programs, &mut ours)?;
    }
    if let Some(first) = ours.errors.first() {
        eprintln!("first of our {} errors: {first}", ours.errors.len());
    }
    let row = Row::new(crowd.what, ours.shown()).target("no error", ours.errors.is_empty());
    if !crowd.with_peer {
        return Ok(row);
    }
    let mut peer = CrowdResult::default();
    visit(Who::Peer, &sites, crowd.sites, programs, &mut peer)?;
    Ok(row.peer(peer.shown()))
}

/// Requests every page once from a new server.
fn visit(
    who: Who,
    sites: &Sites,
    count: usize,
    programs: &ReaderPrograms,
    seen: &mut CrowdResult,
) -> Result<(), String> {
    let mut session = programs.start(who)?;
    let asks: Vec<_> = (0..PAGES)
        .map(|page| who.ask(sites.url(page % count, &format!("page/{page}"))))
        .collect();
    let began = Instant::now();
    let errors = session.at_once(&asks)?;
    seen.took.push(began.elapsed());
    seen.errors.extend(errors);
    seen.peak_kilobytes = seen
        .peak_kilobytes
        .max(usage::peak_kilobytes(session.process())?);
    Ok(())
}

impl CrowdResult {
    fn shown(&self) -> String {
        let seconds = Samples::new(self.took.clone()).percentile(50).as_secs_f64();
        let (rate, errors) = (PAGES as f64 / seconds, self.errors.len());
        format!(
            "{seconds:.2} s, {rate:.0} pages a second, {errors} errors; {}",
            megabytes(self.peak_kilobytes)
        )
    }
}
