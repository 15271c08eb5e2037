//! Measurements over pipes. Our server and the bare server take turns, so that a busy moment of the
//! machine affects both.

use std::time::Duration;

use serde_json::json;

use super::{
    Programs,
    samples::{Samples, ratio},
    session::{Ask, Session},
    table::Row,
    usage::megabytes,
    web::Web,
};

const STARTS: usize = 60;
const ROUNDS: usize = 8;
const CALLS_A_ROUND: usize = 2_500;
const MEMORY_CALLS: [usize; 2] = [5_000, 100_000];
const FETCHES: usize = 1_000;
/// Calls before the clock starts, which fault in pages and grow buffers.
const WARM_UP: usize = 300;

const SERVE: &[&str] = &["serve"];

fn health() -> Ask {
    Ask {
        tool: "health_check",
        arguments: json!({}),
        fails: false,
    }
}

fn echo() -> Ask {
    Ask {
        tool: "echo",
        arguments: json!({"text": "The quick brown fox jumps over the lazy dog."}),
        fails: false,
    }
}

/// The same mistake in every call; varying it would only cost time in this program.
fn mistake() -> Ask {
    Ask {
        tool: "scrape_page",
        arguments: json!({"ulr": "https://example.com/", "max_chars": "many"}),
        fails: true,
    }
}

pub(crate) fn rows(programs: &Programs) -> Result<Vec<Row>, String> {
    let mut rows = vec![starts(programs)?];
    rows.extend(memory(programs)?);
    rows.push(list_size(programs)?);
    rows.extend(round_trips(programs)?);
    rows.extend(processor_time(programs)?);
    rows.push(fetches(programs)?);
    Ok(rows)
}

fn ours(programs: &Programs) -> Result<Session, String> {
    Session::start(&programs.ours, SERVE)
}

fn bare(programs: &Programs) -> Result<Session, String> {
    Session::start(&programs.bare, &[])
}

fn starts(programs: &Programs) -> Result<Row, String> {
    let (mut ours_took, mut bare_took) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        ours_took.push(ours(programs)?.start);
        bare_took.push(bare(programs)?.start);
    }
    let (ours, bare) = (Samples::new(ours_took), Samples::new(bare_took));
    let kept = ours.percentile(50) < Duration::from_millis(10);
    Ok(
        Row::new("spawn to initialize reply, p50 / p90", ours.shown(90))
            .peer(bare.shown(90))
            .target("< 10 ms", kept),
    )
}

fn memory(programs: &Programs) -> Result<Vec<Row>, String> {
    let (mut ours, mut bare) = (ours(programs)?, bare(programs)?);
    let (ours_kilobytes, bare_kilobytes) = (ours.resident_kilobytes()?, bare.resident_kilobytes()?);
    let first = Row::new(
        "resident memory after initialize",
        megabytes(ours_kilobytes),
    )
    .peer(megabytes(bare_kilobytes));
    let mut rows = vec![first.target("< 12 MB", ours_kilobytes < 12_000)];
    for (what, calls) in [
        "resident memory after 5 000 calls",
        "resident memory after 100 000 more",
    ]
    .into_iter()
    .zip(MEMORY_CALLS)
    {
        ours.calls(&health(), calls, 16)?;
        bare.calls(&echo(), calls, 16)?;
        rows.push(
            Row::new(what, megabytes(ours.resident_kilobytes()?))
                .peer(megabytes(bare.resident_kilobytes()?)),
        );
    }
    Ok(rows)
}

fn list_size(programs: &Programs) -> Result<Row, String> {
    let (ours, bare) = (
        ours(programs)?.reply_bytes("tools/list")?,
        bare(programs)?.reply_bytes("tools/list")?,
    );
    let shown = |bytes: usize| format!("{:.1} KB", bytes as f64 / 1e3);
    Ok(Row::new("tools/list reply", shown(ours))
        .peer(shown(bare))
        .target("< 15 KB", ours < 15_000))
}

fn round_trips(programs: &Programs) -> Result<Vec<Row>, String> {
    let (mut ours, mut bare) = (ours(programs)?, bare(programs)?);
    let (health, echo, mistake) = (health(), echo(), mistake());
    let (mut healthy, mut echoed, mut mistaken) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let calls = if round == 0 { WARM_UP } else { CALLS_A_ROUND };
        let took = [
            timed(&mut ours, &health, calls)?,
            timed(&mut bare, &echo, calls)?,
            timed(&mut ours, &mistake, calls)?,
        ];
        if round > 0 {
            let [a, b, c] = took;
            healthy.extend(a);
            echoed.extend(b);
            mistaken.extend(c);
        }
    }
    let (healthy, echoed, mistaken) = (
        Samples::new(healthy),
        Samples::new(echoed),
        Samples::new(mistaken),
    );
    let times = ratio(healthy.percentile(50), echoed.percentile(50));
    let plain = Row::new(
        "round trip (health_check / echo), p50 / p99",
        healthy.shown(99),
    )
    .peer(echoed.shown(99));
    let fault = Row::new(
        "round trip of a validation fault, p50 / p99",
        mistaken.shown(99),
    );
    Ok(vec![
        plain.target(&format!("p50 within 1.5×, is {times:.2}×"), times <= 1.5),
        fault.target(
            "p50 < 0.3 ms",
            mistaken.percentile(50) < Duration::from_micros(300),
        ),
    ])
}

fn timed(session: &mut Session, ask: &Ask, calls: usize) -> Result<Vec<Duration>, String> {
    (0..calls).map(|_| session.call(ask)).collect()
}

fn processor_time(programs: &Programs) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (what, in_flight) in [
        ("processor time a call, 1 in flight", 1),
        ("processor time a call, 16 in flight", 16),
    ] {
        let (mut ours, mut bare) = (ours(programs)?, bare(programs)?);
        let (mut ours_used, mut bare_used) = (Duration::ZERO, Duration::ZERO);
        for round in 0..=ROUNDS {
            let calls = if round == 0 { WARM_UP } else { CALLS_A_ROUND };
            let used = [
                used(&mut ours, &health(), calls, in_flight)?,
                used(&mut bare, &echo(), calls, in_flight)?,
            ];
            if round > 0 {
                ours_used += used[0];
                bare_used += used[1];
            }
        }
        let each = |used: Duration| {
            format!(
                "{:.0} µs",
                used.as_secs_f64() * 1e6 / (ROUNDS * CALLS_A_ROUND) as f64
            )
        };
        let shown = format!("{} ({:.2}×)", each(ours_used), ratio(ours_used, bare_used));
        rows.push(Row::new(what, shown).peer(each(bare_used)));
    }
    Ok(rows)
}

fn used(
    session: &mut Session,
    ask: &Ask,
    calls: usize,
    in_flight: usize,
) -> Result<Duration, String> {
    let before = session.processor_time()?;
    session.calls(ask, calls, in_flight)?;
    Ok(session.processor_time()?.saturating_sub(before))
}

fn fetches(programs: &Programs) -> Result<Row, String> {
    let web = Web::start()?;
    let allowed = web.address().to_string();
    let mut session = Session::start(&programs.ours, &["serve", "--allow-private", &allowed])?;
    let ask = Ask {
        tool: "scrape_page",
        arguments: json!({"url": format!("http://{allowed}/page")}),
        fails: false,
    };
    timed(&mut session, &ask, WARM_UP)?;
    let before = web.requests();
    let took = Samples::new(timed(&mut session, &ask, FETCHES)?);
    let requests = web.requests() - before;
    if requests != FETCHES {
        return Err(format!("{FETCHES} pages took {requests} requests"));
    }
    Ok(Row::new(
        "scrape_page of a 7 KB page on loopback (1 GET), p50 / p99",
        took.shown(99),
    ))
}
