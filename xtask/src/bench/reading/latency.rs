//! The time to read a page of 7 KB: from a new site, from a known site, and a second time.

use std::time::Duration;

use super::{
    print_row,
    reader::{BOTH, ReaderPrograms, Who},
    site::{Content, Sites},
};
use crate::bench::{
    samples::{Samples, ratio},
    session::Session,
    table::Row,
};

const ROUNDS: usize = 8;
/// The number of calls of one program: for warming up, and in a round.
#[derive(Debug, Clone, Copy)]
struct Calls {
    warm_up: usize,
    a_round: usize,
}

const OURS: Calls = Calls {
    warm_up: 20,
    a_round: 50,
};
/// Fewer calls, because each takes much longer.
const PEER: Calls = Calls {
    warm_up: 5,
    a_round: 38,
};
const ALL: usize = OURS.warm_up + ROUNDS * OURS.a_round;

/// A kind of page.
struct Kind {
    what: &'static str,
    /// Maps the number of the call to the number of the site and the path.
    place: fn(usize) -> (usize, String),
    sites: usize,
}

static KINDS: [Kind; 3] = [
    Kind {
        what: "a page of a site never seen, p50 / p99",
        place: |call| (call, "page".to_owned()),
        sites: ALL,
    },
    Kind {
        what: "a new page of a known site (cold), p50 / p99",
        place: |call| (0, format!("page/{call}")),
        sites: 1,
    },
    Kind {
        what: "the same page again (cached), p50 / p99",
        place: |_| (0, "page".to_owned()),
        sites: 1,
    },
];

/// The measurements of one program with one kind of page.
#[derive(Debug, Default)]
struct LatencyResult {
    took: Vec<Duration>,
    calls: usize,
    requests: usize,
}

pub(super) fn rows(programs: &ReaderPrograms) -> Result<Vec<Row>, String> {
    KINDS
        .iter()
        .map(|kind| row(kind, programs).inspect(print_row))
        .collect()
}

/// The programs take turns, so that a busy moment of the machine affects both.
fn row(kind: &Kind, programs: &ReaderPrograms) -> Result<Row, String> {
    let sites = Sites::start(kind.sites, Content::Articles, Duration::ZERO)?;
    let mut sessions = [programs.start(Who::Ours)?, programs.start(Who::Peer)?];
    let mut seen = [LatencyResult::default(), LatencyResult::default()];
    for round in 0..=ROUNDS {
        for ((who, session), seen) in BOTH.into_iter().zip(&mut sessions).zip(&mut seen) {
            // The first round only warms up.
            let calls = if who == Who::Ours { OURS } else { PEER };
            visit(
                who,
                session,
                kind,
                if round == 0 {
                    calls.warm_up
                } else {
                    calls.a_round
                },
                &sites,
                seen,
            )?;
            if round == 0 {
                seen.took.clear();
                seen.requests = 0;
            }
        }
    }
    let [ours, peer] = seen.map(|seen| {
        let requests = seen.requests as f64 / seen.took.len() as f64;
        (Samples::new(seen.took), requests)
    });
    let times = ratio(peer.0.percentile(50), ours.0.percentile(50));
    let shown = |(samples, requests): &(Samples, f64)| {
        format!("{}; {requests:.2} requests a call", samples.shown(99))
    };
    let row = Row::new(kind.what, shown(&ours)).peer(shown(&peer));
    Ok(row.target(
        &format!("p50 below the other's, is {times:.0}× below"),
        times > 1.0,
    ))
}

fn visit(
    who: Who,
    session: &mut Session,
    kind: &Kind,
    calls: usize,
    sites: &Sites,
    seen: &mut LatencyResult,
) -> Result<(), String> {
    let before = sites.requests();
    for _ in 0..calls {
        let (site, path) = (kind.place)(seen.calls);
        seen.took
            .push(session.call(&who.ask(sites.url(site, &path)))?);
        seen.calls += 1;
    }
    seen.requests += sites.requests() - before;
    Ok(())
}
