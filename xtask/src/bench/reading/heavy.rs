//! The cost of the heaviest documents: time, and the memory of the server and of the worker process
//! that reads them.

use std::time::Duration;

use super::{
    files, print_row,
    reader::{ReaderPrograms, Who},
    site::{Content, Sites},
    watch::Watch,
};
use crate::bench::{
    samples::Samples,
    session::Ask,
    table::Row,
    usage::{self, in_megabytes, megabytes},
};

/// Each round runs in a new server, so that its peak memory is that of one document.
const ROUNDS: usize = 3;

struct Heavy {
    what: &'static str,
    media_type: &'static str,
    name: &'static str,
    bytes: fn() -> Vec<u8>,
    /// The kind of the expected fault; `None` if the document must be read.
    fault: Option<&'static str>,
    target: &'static str,
    kept: fn(&Cost) -> bool,
}

/// The limit for a worker's address space, which bounds its memory.
const WORKER_MEGABYTES: f64 = 640.0;
/// The longest time that a call may take.
const DEADLINE: Duration = Duration::from_secs(30);

static HEAVY: [Heavy; 4] = [
    Heavy {
        what: "20 MB of HTML",
        media_type: "text/html; charset=utf-8",
        name: "long.html",
        bytes: files::html,
        fault: None,
        target: "read within the deadline",
        kept: |cost| cost.slowest < DEADLINE,
    },
    Heavy {
        what: "50 MB PDF, text and a picture on every page",
        media_type: "application/pdf",
        name: "illustrated.pdf",
        bytes: files::illustrated_pdf,
        fault: None,
        target: "read within the deadline, worker < 640 MB",
        kept: |cost| cost.slowest < DEADLINE && in_megabytes(cost.worker) < WORKER_MEGABYTES,
    },
    Heavy {
        what: "50 MB PDF, nothing but unpacked text",
        media_type: "application/pdf",
        name: "plain.pdf",
        bytes: files::plain_pdf,
        fault: None,
        target: "read within the deadline, worker < 640 MB",
        kept: |cost| cost.slowest < DEADLINE && in_megabytes(cost.worker) < WORKER_MEGABYTES,
    },
    Heavy {
        what: "200 KB DOCX that unpacks to 3.9 GB",
        media_type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        name: "bomb.docx",
        bytes: files::bomb,
        fault: Some("too_large"),
        target: "`too_large` within 2 s, both together < 200 MB",
        kept: |cost| {
            cost.slowest < Duration::from_secs(2) && in_megabytes(cost.server + cost.worker) < 200.0
        },
    },
];

/// The cost of a document in the worst round; memory in kilobytes.
#[derive(Debug, Default)]
struct Cost {
    slowest: Duration,
    server: u64,
    worker: u64,
}

pub(super) fn rows(programs: &ReaderPrograms) -> Result<Vec<Row>, String> {
    HEAVY
        .iter()
        .map(|heavy| row(heavy, programs).inspect(print_row))
        .collect()
}

fn row(heavy: &Heavy, programs: &ReaderPrograms) -> Result<Row, String> {
    let content = Content::File {
        media_type: heavy.media_type,
        bytes: (heavy.bytes)(),
    };
    let sites = Sites::start(1, content, Duration::ZERO)?;
    let ask = Ask {
        fails: heavy.fault.is_some(),
        ..Who::Ours.ask(sites.url(0, heavy.name))
    };
    let (mut took, mut cost) = (Vec::new(), Cost::default());
    for _ in 0..ROUNDS {
        let mut session = programs.start(Who::Ours)?;
        let watch = Watch::start(session.process());
        let answered = session.answered(&ask);
        let worker = watch.stop();
        let (time, answer) = answered?;
        expected(heavy, &answer.to_string())?;
        took.push(time);
        cost.slowest = cost.slowest.max(time);
        cost.server = cost.server.max(usage::peak_kilobytes(session.process())?);
        cost.worker = cost.worker.max(worker);
    }
    Ok(Row::new(heavy.what, shown(&took, &cost)).target(heavy.target, (heavy.kept)(&cost)))
}

fn shown(took: &[Duration], cost: &Cost) -> String {
    let seconds = Samples::new(took.to_vec()).percentile(50).as_secs_f64();
    let worker = if cost.worker == 0 {
        String::new()
    } else {
        format!(", worker {}", megabytes(cost.worker))
    };
    format!("{seconds:.2} s; server {}{worker}", megabytes(cost.server))
}

/// Checks the answer. Any fault would be fast and small; only the right one counts.
fn expected(heavy: &Heavy, answer: &str) -> Result<(), String> {
    match heavy.fault {
        Some(kind) if !answer.contains(kind) => {
            Err(format!("{} is not {kind}: {answer}", heavy.what))
        }
        _ => Ok(()),
    }
}
