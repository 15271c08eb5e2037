//! `cargo xtask bench search`: the cost of the router compared with the bare HTTP call, and a
//! thousand searches at once.
//!
//! All requests go to the lab, so both sides get the same bytes from the same program. No query
//! occurs twice, so nothing comes from a cache.

// In the product, only `net` opens connections; this program is a client of the lab.
#![allow(clippy::disallowed_methods)]

use std::{
    io::{BufReader, Write},
    net::TcpStream,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    WRITE,
    samples::{Samples, milliseconds},
    session::{Ask, Session},
    table::{self, Row},
    usage,
    web::{self, Errand},
};
use crate::{
    Outcome,
    mcp_client::{self, Era},
    only_switch, process,
    process::Server,
};

const ROUNDS: usize = 40;
const CALLS: usize = 50;

const KEY: &str = "lab-key-7f3a91";

pub(crate) fn run(switches: &[String]) -> Outcome {
    let keeps = only_switch(switches, WRITE)?;
    let program = process::release_program()?;
    let machine = usage::machine();
    let mut rows = latency(&program)?;
    rows.extend(crowds(&program)?);
    let block = table::markdown(&rows, "bare HTTP call", &machine);
    println!("{block}");
    if keeps {
        table::write("search", &block)
    } else {
        Ok(())
    }
}

/// A query that was not used before.
fn query(number: usize) -> String {
    format!("sodium battery q{number}")
}

fn latency(program: &Path) -> Result<Vec<Row>, String> {
    let lab = Server::start(program, &["lab", "--listen", "127.0.0.1:0"])?;
    let base = lab.url().split(';').next().unwrap_or_default().to_owned();
    let (searxng, brave) = (format!("{base}/searxng"), format!("{base}/brave"));
    let settings = [
        "serve",
        "--ephemeral",
        "--searxng-url",
        &searxng,
        "--brave-url",
        &brave,
        "--brave-api-key",
        KEY,
    ];
    let mut session = Session::start(program, &settings)?;
    let mut raw = Raw::connect(base.trim_start_matches("http://"))?;
    let (mut bare, mut named, mut auto, mut pipes) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut number = 0;
    // The first round pays for connections and page faults, so it is not counted.
    for round in 0..=ROUNDS {
        let keep =
            |times: &mut Vec<Duration>, took: Duration| times.extend((round > 0).then_some(took));
        for _ in 0..CALLS {
            number += 1;
            keep(&mut bare, raw.search(&query(number))?);
            keep(&mut named, session.call(&search(number, "searxng"))?);
            keep(&mut auto, session.call(&search(number, "auto"))?);
            keep(
                &mut pipes,
                session.call(&Ask {
                    tool: "health_check",
                    arguments: json!({}),
                    fails: false,
                })?,
            );
        }
    }
    let [bare, named, auto, pipes] = [bare, named, auto, pipes].map(Samples::new);
    Ok(vec![
        Row::new(
            "one search, provider named (SearXNG), p50 / p99",
            named.shown(99),
        )
        .peer(bare.shown(99)),
        Row::new(
            "one search, `auto` (Brave answers), p50 / p99",
            auto.shown(99),
        ),
        Row::new(
            "added to the bare call, provider named, p50 / p99",
            added(&named, &bare),
        ),
        Row::new(
            "of it, MCP over pipes (`health_check`), p50 / p99",
            pipes.shown(99),
        ),
    ])
}

fn added(whole: &Samples, bare: &Samples) -> String {
    let more = |hundredths: usize| {
        milliseconds(
            whole
                .percentile(hundredths)
                .saturating_sub(bare.percentile(hundredths)),
        )
    };
    format!("{} / {}", more(50), more(99))
}

fn search(number: usize, provider: &str) -> Ask {
    Ask {
        tool: "web_search",
        arguments: json!({"query": query(number), "provider": provider}),
        fails: false,
    }
}

/// A minimal client of SearXNG: one persistent connection.
struct Raw {
    output: TcpStream,
    input: BufReader<TcpStream>,
    host: String,
}

impl Raw {
    fn connect(host: &str) -> Result<Raw, String> {
        let output = TcpStream::connect(host).map_err(|error| error.to_string())?;
        output
            .set_nodelay(true)
            .map_err(|error| error.to_string())?;
        let input = BufReader::new(output.try_clone().map_err(|error| error.to_string())?);
        Ok(Raw {
            output,
            input,
            host: host.to_owned(),
        })
    }

    fn search(&mut self, query: &str) -> Result<Duration, String> {
        let target = format!("/searxng/search?q={}&format=json", query.replace(' ', "+"));
        let request = format!(
            "GET {target} HTTP/1.1\r\nHost: {}\r\nAccept: application/json\r\n\r\n",
            self.host
        );
        let began = Instant::now();
        self.output
            .write_all(request.as_bytes())
            .map_err(|error| error.to_string())?;
        let head = mcp_client::head(&mut self.input)
            .ok_or("the lab closed the connection")?
            .to_ascii_lowercase();
        let body =
            mcp_client::body_after(&head, &mut self.input).map_err(|error| error.to_string())?;
        let took = began.elapsed();
        let results: Value =
            serde_json::from_str(&body).map_err(|_| "the lab did not answer in JSON")?;
        let found = results["results"]
            .as_array()
            .is_some_and(|results| !results.is_empty());
        if found {
            Ok(took)
        } else {
            Err("the lab found nothing".to_owned())
        }
    }
}

/// A thousand concurrent searches over HTTP.
fn crowds(program: &Path) -> Result<Vec<Row>, String> {
    let crowds = [
        (
            "1 000 searches at once over HTTP, provider named, p50 / p99",
            "searxng",
        ),
        (
            "1 000 searches at once over HTTP, `auto`, p50 / p99",
            "auto",
        ),
    ];
    let row = |(what, provider): (&'static str, &'static str)| {
        let server = Server::start(
            program,
            &["serve", "--http", "127.0.0.1:0", "--lab", "--ephemeral"],
        )?;
        let errand = Errand {
            tool: "web_search",
            arguments: Box::new(
                move |client| json!({"query": query(client), "provider": provider}),
            ),
            times: 1,
        };
        web::crowd(&server, what, Era::Stateless, errand)
    };
    crowds.into_iter().map(row).collect()
}
