//! `cargo xtask bench memory`: what large pages take, one by one and many at once.
//!
//! The first rows say how many bytes of memory a byte of a page costs while it is read, which
//! `net::memory` reserves. The last is the case that once took 4.3 GB: eight calls, each for ten
//! pages of 50 MB, against the default budget. Pages are sent compressed, so that this program does
//! not hold them.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
};

use lab::http::{Behavior, HttpRequest, HttpServer, Reply, Service};
use serde_json::json;

use super::{
    session::{Ask, Session},
    table::{self, Row},
    usage,
};
use crate::{Outcome, process};

const ONE_PAGE: usize = 16 << 20;
const LARGE_PAGE: usize = 50 << 20;
const CALLS: usize = 8;
const PAGES_A_CALL: usize = 10;
/// As many addresses as one call has pages, because a host is asked for a few pages at a time.
const HOSTS: u8 = 10;
/// The default of `--max-memory`, and what is outside it: the program, its cache, a tree.
const MOST: f64 = 512.0 + 200.0;

const SENTENCE: &str = "Goats climb because they can, and the grass up there is better. ";

/// Text of a kind, repeated up to a size, between a beginning and an end.
struct Kind {
    name: &'static str,
    media_type: &'static str,
    around: (&'static str, &'static str),
    unit: &'static str,
}

const KINDS: &[Kind] = &[
    Kind {
        name: "text",
        media_type: "text/plain",
        around: ("", ""),
        unit: "",
    },
    Kind {
        name: "an article",
        media_type: "text/html",
        around: (
            "<html><body><article><h1>Goats</h1>",
            "</article></body></html>",
        ),
        unit: "<p>Goats climb because they can, and the grass up there is <b>better</b>, as <a href='/x'>all</a> know.</p>",
    },
    Kind {
        name: "a page of tags",
        media_type: "text/html",
        around: (
            "<html><body><p>A table of goats and places.</p><table>",
            "</table></body></html>",
        ),
        unit: "<tr><td>1</td><td>a</td></tr>",
    },
    Kind {
        name: "JSON",
        media_type: "application/json",
        around: ("[", "{}]"),
        unit: "{\"id\":12345,\"name\":\"goat\",\"places\":[\"alps\",\"roof\"]},",
    },
    Kind {
        name: "CSV",
        media_type: "text/csv",
        around: ("id,name,place,date\n", ""),
        unit: "1,goat,alps,2024-01-01\n",
    },
];

impl Kind {
    fn reply(&self, size: usize) -> Reply {
        let unit = if self.unit.is_empty() {
            SENTENCE
        } else {
            self.unit
        };
        let (start, end) = self.around;
        let body = format!("{start}{}{end}", unit.repeat(size / unit.len()));
        Reply::new(200, testkit::bodies::gzip(body.as_bytes()))
            .header("Content-Type", self.media_type)
            .header("Content-Encoding", "gzip")
            .header("Cache-Control", "no-store")
    }
}

/// Answers `/<number of a kind>` with a page of that kind, and all else with a large text.
struct Site {
    pages: Vec<Reply>,
    large: Reply,
}

impl Service for Site {
    fn respond(&self, request: HttpRequest) -> Behavior {
        let number = request.target.trim_start_matches('/').parse::<usize>();
        let page = number.ok().and_then(|number| self.pages.get(number));
        Behavior::Reply(page.unwrap_or(&self.large).clone())
    }
}

/// Measures the release program, or the one that is named.
pub(super) fn run(switches: &[String]) -> Outcome {
    let keeps = switches.iter().any(|switch| switch == super::WRITE);
    let program = match switches.iter().find(|switch| *switch != super::WRITE) {
        Some(program) => PathBuf::from(program),
        None => process::release_program()?,
    };
    let site = Arc::new(Site {
        pages: KINDS.iter().map(|kind| kind.reply(ONE_PAGE)).collect(),
        large: KINDS[0].reply(LARGE_PAGE),
    });
    let places: Vec<SocketAddr> = (1..=HOSTS)
        .map(|host| SocketAddr::from((Ipv4Addr::new(127, 0, 0, host), 0)))
        .collect();
    let places = HttpServer::start_on_thread(&places, &site)
        .map_err(|error| format!("the site does not listen ({})", error.kind()))?;
    let mut rows = Vec::new();
    for (number, kind) in KINDS.iter().enumerate() {
        rows.push(one_page(&program, places[0], number, kind)?);
    }
    rows.push(many_pages(&program, &places)?);
    let block = table::markdown(&rows, "", &usage::machine());
    println!("{block}");
    if keeps {
        table::write("memory", &block)
    } else {
        Ok(())
    }
}

fn session(program: &Path, deadline: &str) -> Result<Session, String> {
    let arguments = [
        "serve",
        "--ephemeral",
        "--toolset=all",
        "--robots=false",
        "--browser=never",
        "--allow-private=127.0.0.0/8",
        deadline,
    ];
    Session::start(program, &arguments)
}

fn one_page(program: &Path, place: SocketAddr, number: usize, kind: &Kind) -> Result<Row, String> {
    let mut session = session(program, "--deadline=300")?;
    let before = usage::peak_kilobytes(session.process())?;
    session.call(&Ask {
        tool: "scrape_page",
        arguments: json!({"url": format!("http://{place}/{number}"), "max_chars": 500}),
        fails: false,
    })?;
    let taken = usage::peak_kilobytes(session.process())? - before;
    let factor = taken as f64 * 1_024.0 / ONE_PAGE as f64;
    Ok(Row::new(
        format!("one page of 16 MB, {}", kind.name),
        format!("{} ({factor:.1} times its size)", usage::megabytes(taken)),
    ))
}

fn many_pages(program: &Path, places: &[SocketAddr]) -> Result<Row, String> {
    let mut session = session(program, "--deadline=60")?;
    let ask = |call: usize| {
        let url = |(page, place): (usize, &SocketAddr)| format!("http://{place}/{call}-{page}");
        let urls: Vec<String> = places.iter().enumerate().map(url).collect();
        Ask {
            tool: "fetch_content",
            arguments: json!({"urls": urls, "max_chars": 1_000}),
            fails: false,
        }
    };
    let asks: Vec<Ask> = (0..CALLS).map(ask).collect();
    let late = session.at_once(&asks)?.len();
    let peak = usage::peak_kilobytes(session.process())?;
    let row = Row::new(
        format!("{CALLS} calls with {PAGES_A_CALL} pages of 50 MB each, at the peak"),
        format!("{}; {late} calls told to wait", usage::megabytes(peak)),
    );
    Ok(row.target("< 712 MB", usage::in_megabytes(peak) < MOST))
}
