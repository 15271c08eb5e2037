//! Two hundred pages asked for at once over one session, from one site and from twenty.
//!
//! One site is not asked for more than a few pages at a time, whatever the agent wants; that is part of what is measured. It shows
//! only on sites that take their time, so they are measured as well.

use std::time::{Duration, Instant};

use super::{
    reader::{BOTH, Programs, Who},
    site::{Content, Sites},
};
use crate::bench::{
    samples::Samples,
    table::Row,
    usage::{self, megabytes},
};

const PAGES: usize = 200;
const ROUNDS: usize = 3;
/// What a site on the other side of an ocean needs at least.
const FAR: Duration = Duration::from_millis(100);

static CROWDS: [(&str, usize, Duration); 4] = [
    ("200 pages at once, one site", 1, Duration::ZERO),
    ("200 pages at once, 20 sites", 20, Duration::ZERO),
    ("200 pages at once, one site that answers after 100 ms", 1, FAR),
    ("200 pages at once, 20 sites that answer after 100 ms", 20, FAR),
];

/// What one program did in all rounds.
#[derive(Debug, Default)]
struct Seen {
    took: Vec<Duration>,
    errors: Vec<String>,
    peak_kilobytes: u64,
}

pub(super) fn rows(programs: &Programs) -> Result<Vec<Row>, String> {
    CROWDS.iter().map(|(what, sites, delay)| row(what, *sites, *delay, programs)).collect()
}

fn row(what: &str, count: usize, delay: Duration, programs: &Programs) -> Result<Row, String> {
    let sites = Sites::start(count, Content::Articles, delay)?;
    let mut seen = [Seen::default(), Seen::default()];
    for _ in 0..ROUNDS {
        for (who, seen) in BOTH.into_iter().zip(&mut seen) {
            visit(who, &sites, count, programs, seen)?;
        }
    }
    let [ours, peer] = &seen;
    if let Some(first) = ours.errors.first() {
        eprintln!("first of our {} errors: {first}", ours.errors.len());
    }
    Ok(Row::new(what, ours.shown()).peer(peer.shown()).target("no error", ours.errors.is_empty()))
}

/// A new server asks for every page once.
fn visit(who: Who, sites: &Sites, count: usize, programs: &Programs, seen: &mut Seen) -> Result<(), String> {
    let mut session = programs.start(who)?;
    let asks: Vec<_> = (0..PAGES).map(|page| who.ask(sites.url(page % count, &format!("page/{page}")))).collect();
    let began = Instant::now();
    let errors = session.at_once(&asks)?;
    seen.took.push(began.elapsed());
    seen.errors.extend(errors);
    seen.peak_kilobytes = seen.peak_kilobytes.max(usage::peak_kilobytes(session.process())?);
    Ok(())
}

impl Seen {
    fn shown(&self) -> String {
        let seconds = Samples::new(self.took.clone()).percentile(50).as_secs_f64();
        let (rate, errors) = (PAGES as f64 / seconds, self.errors.len());
        format!("{seconds:.2} s, {rate:.0} pages a second, {errors} errors; {}", megabytes(self.peak_kilobytes))
    }
}
