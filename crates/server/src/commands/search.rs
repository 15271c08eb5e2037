//! `fingerpost search`: the searching tools for people: readable, linked results, or the whole
//! answer as JSON.

use std::io::{IsTerminal, Write};

use engine::search::{Capability, Details, Found, SearchAnswer, SearchRequest};
use engine::{Call, Engine};
use serde_json::json;

use crate::commands::terminal::{self, Progress};
use crate::commands::{self, Stop};
use crate::settings::Settings;
use crate::tools::search;

/// What is wanted.
pub(crate) struct Wanted {
    pub(crate) query: String,
    pub(crate) capability: Capability,
    pub(crate) provider: Option<String>,
    pub(crate) results: i64,
    pub(crate) lens: Option<String>,
    pub(crate) json: bool,
}

/// Searches and prints.
pub(crate) fn run(settings: &Settings, wanted: Wanted) -> Result<(), Stop> {
    let runtime = terminal::runtime()?;
    let engine = Engine::new(settings.engine());
    let mut request = SearchRequest::new(wanted.query.clone(), wanted.capability);
    request.provider = search::choice(wanted.provider.as_deref());
    (request.max_results, request.lens) = (wanted.results, wanted.lens);
    let found = runtime.block_on(async {
        let progress = Progress::over(1);
        let shown = progress.begin(&wanted.query);
        let found = engine
            .search(&Call::within(settings.deadline), &request)
            .await;
        drop(shown);
        progress.end();
        found
    });
    let masker = settings.masker();
    let mut output = std::io::stdout().lock();
    let written = match found {
        Ok(answer) if wanted.json => {
            let mut value = search::structured(&answer);
            masker.mask_json(&mut value);
            writeln!(output, "{value:#}")
        }
        Ok(answer) => {
            for line in remarks(&answer) {
                commands::tell(&line);
            }
            let colours = output.is_terminal();
            write!(
                output,
                "{}",
                masker.mask_configured(&shown(&answer, colours))
            )
        }
        Err(fault) if wanted.json => {
            let mut value = json!({ "error": search::machine(&fault) });
            masker.mask_json(&mut value);
            let written = writeln!(output, "{value:#}");
            return written
                .map_err(|error| Stop::output(&error))
                .and(Err(Stop::Told));
        }
        Err(fault) => return Err(Stop::Failed(fault.sentence().to_string())),
    };
    written
        .and_then(|()| output.flush())
        .map_err(|error| Stop::output(&error))
}

/// Who answered, who did not, and what is missing.
fn remarks(answer: &SearchAnswer) -> Vec<String> {
    let by = |group: &engine::search::Group| {
        group
            .providers
            .iter()
            .map(|provider| provider.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut lines: Vec<String> = answer
        .groups
        .iter()
        .map(|group| format!("{} results from {}", group.results.len(), by(group)))
        .collect();
    for attempt in &answer.attempts {
        if let engine::search::Outcome::Failed(fault) | engine::search::Outcome::Skipped(fault) =
            &attempt.outcome
        {
            lines.push(format!(
                "{} did not answer: {}",
                attempt.provider.as_str(),
                fault.sentence()
            ));
        }
    }
    lines.extend(answer.degraded.iter().map(|degraded| degraded.sentence()));
    lines
}

/// The results for a reader: titles linked where the terminal can follow links.
fn shown(answer: &SearchAnswer, colours: bool) -> String {
    let results = answer.groups.iter().flat_map(|group| &group.results);
    results
        .enumerate()
        .map(|(number, found)| entry(number + 1, found, colours))
        .collect()
}

fn entry(number: usize, found: &Found, colours: bool) -> String {
    let hit = &found.hit;
    let title = if colours {
        format!(
            "\x1b]8;;{0}\x1b\\\x1b[1m{1}\x1b[0m\x1b]8;;\x1b\\",
            hit.url, hit.title
        )
    } else {
        hit.title.clone()
    };
    let mut facts: Vec<String> = hit
        .published
        .map(|date| date.to_string())
        .into_iter()
        .chain(hit.source.clone())
        .collect();
    match &hit.details {
        Details::Paper(paper) => facts.extend(
            paper
                .authors
                .first()
                .cloned()
                .into_iter()
                .chain(paper.doi.clone()),
        ),
        Details::Patent(patent) => facts.push(patent.number.clone()),
        Details::Page | Details::Fields(_) => {}
    }
    let facts = if facts.is_empty() {
        String::new()
    } else {
        format!("    {}\n", facts.join(" · "))
    };
    let snippet: String = hit.snippet.chars().take(300).collect();
    let snippet = if snippet.is_empty() {
        snippet
    } else {
        format!("    {snippet}\n")
    };
    format!("{number:>2}. {title}\n    {}\n{facts}{snippet}\n", hit.url)
}
