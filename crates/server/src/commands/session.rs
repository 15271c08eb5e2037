//! `fingerpost session`: lists research sessions, shows one in short, or exports one as a document
//! or bibliography.
//!
//! It reads the sessions of the local user, which are those of a stdio server.

use std::io::Write;

use clap::{Arg, ArgMatches};
use engine::Engine;
use engine::citation::{Style, bibliography};
use engine::research::export::{Export, minute};
use engine::research::{
    RepeatedFault, ResearchSessions, Session, Source, SourceState, Step, StepStatus,
};
use engine::store::Tenant;
use fault::{Fault, Kind};
use mask::Masker;
use serde_json::{Value, json};

use super::{
    Subcommand, arguments,
    error::CommandError,
    terminal::{self, print_message},
};
use crate::{
    session_advice::SessionAdvisor, settings::Settings, tools::format_bibliography::mask_addresses,
};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "session",
    about: "List research sessions, show one, or export one",
    arguments: || {
        let action = Arg::new("action")
            .value_name("list|show|export|ID")
            .default_value("list")
            .help("What to do; an ID alone shows that session");
        let id = Arg::new("id")
            .value_name("ID")
            .required_if_eq_any([("action", "show"), ("action", "export")])
            .help("A session's id");
        let format = Arg::new("format")
            .long("format")
            .value_name("FORMAT")
            .default_value("markdown")
            .value_parser(FORMATS)
            .help("What export writes");
        let all = arguments::switch("all-sources")
            .help("Cite sources that were only listed, not just those that were read");
        let json = arguments::switch("json").help("List as JSON lines, show as JSON");
        vec![action, id, format, all, json]
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    let (settings, output) = (arguments::load_settings(matches)?, std::io::stdout().lock());
    let (json, text) = (matches.get_flag("json"), |name| {
        arguments::text(matches, name)
    });
    match (text("action"), text("id")) {
        (Some("list") | None, None) => list(&settings, json, output),
        (Some("export"), Some(id)) => {
            let form = Form {
                format: text("format").unwrap_or("markdown"),
                all_sources: matches.get_flag("all-sources"),
            };
            export(&settings, id, form, output)
        }
        (Some("show"), Some(id)) | (Some(id), None) => show(&settings, id, json, output),
        _ => Err(CommandError::Usage(
            "session: list, show ID, export ID, or just an ID".to_owned(),
        )),
    }
}

/// What `export` writes.
#[derive(Clone, Copy)]
struct Form<'a> {
    /// One of [`FORMATS`].
    format: &'a str,
    /// Whether a bibliography has sources that were not read.
    all_sources: bool,
}

/// The values of `--format`.
const FORMATS: [&str; 7] = [
    "markdown", "json", "apa", "mla", "bibtex", "ris", "csl-json",
];

/// How many sessions are read at once.
const PAGE: usize = 100;
/// The longest goal, step or title on a line, in characters.
const LONGEST: usize = 100;
/// How many steps and sources the short form shows.
const SHOWN: usize = 20;

/// Lists all sessions, the most recently used first, one per line or as JSON lines.
fn list(settings: &Settings, json: bool, mut output: impl Write) -> Result<(), CommandError> {
    let (runtime, research, tenant) = (terminal::runtime()?, research(settings)?, Tenant::local());
    let (mut cursor, mut count, masker) = (None, 0, settings.masker());
    loop {
        let page = runtime
            .block_on(research.list(&tenant, cursor.as_ref(), PAGE))
            .map_err(|fault| stop(&fault))?;
        count += page.sessions.len();
        for session in &page.sessions {
            let line = if json {
                masked(json!(session), &masker).to_string()
            } else {
                masker.mask(&summary(session)).into_owned()
            };
            write(&masker, &mut output, &(line + "\n"))?;
        }
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    if count == 0 && !json {
        return write(
            &masker,
            &mut output,
            &format!(
                "no research sessions{}; agents start them with sequential_search. Those of users of an HTTP server are on its page\n",
                place(settings)
            ),
        );
    }
    Ok(())
}

/// Shows one session in short, or all of it as JSON.
fn show(
    settings: &Settings,
    id: &str,
    json: bool,
    mut output: impl Write,
) -> Result<(), CommandError> {
    let (export, masker) = (load_export(settings, id)?, settings.masker());
    let text = if json {
        as_json(&export, &masker)
    } else {
        masker.mask(&overview(&export)).into_owned()
    };
    write(&masker, &mut output, &text)
}

/// Writes one session as a document, or its sources as a bibliography.
fn export(
    settings: &Settings,
    id: &str,
    form: Form<'_>,
    mut output: impl Write,
) -> Result<(), CommandError> {
    let (mut export, masker) = (load_export(settings, id)?, settings.masker());
    let text = match Style::parse(form.format) {
        Some(style) => {
            let count = export.sources.len();
            let is_cited = |source: &Source| form.all_sources || source.state == SourceState::Read;
            export.sources.retain(is_cited);
            if export.sources.is_empty() {
                print_message(match count {
                    0 => "this session has no sources, so its bibliography is empty",
                    _ => {
                        "no source of this session was read, so its bibliography is empty; --all-sources cites those that were listed"
                    }
                });
            }
            mask_addresses(&mut export.sources, &masker);
            bibliography(style, &export.sources)
        }
        None if form.format == "json" => as_json(&export, &masker),
        None => masker.mask(&export.to_markdown()).into_owned(),
    };
    write(&masker, &mut output, &text)
}

fn as_json(export: &Export, masker: &Masker) -> String {
    format!("{:#}\n", masked(export.to_json(), masker))
}

fn masked(mut value: Value, masker: &Masker) -> Value {
    masker.mask_json(&mut value);
    value
}

fn load_export(settings: &Settings, id: &str) -> Result<Export, CommandError> {
    let (research, runtime) = (research(settings)?, terminal::runtime()?);
    let _entered = runtime.enter();
    let engine = Engine::new(settings.engine());
    // A person reads it, whatever tools their agents have.
    let advisor = runtime.block_on(SessionAdvisor::new(settings, &engine, |_tool| true));
    let advice = |fault: &RepeatedFault<'_>| advisor.advise(fault);
    let tenant = Tenant::local();
    let export = Export::load(&research, &tenant, id.trim(), &advice);
    runtime.block_on(export).map_err(|fault| stop(&fault))
}

fn research(settings: &Settings) -> Result<ResearchSessions, CommandError> {
    let store = settings.store();
    if store.is_shared() {
        return Ok(ResearchSessions::new(store, settings.limits()));
    }
    Err(CommandError::Usage("nothing is kept: name the server's data directory, for example --data-dir /var/lib/fingerpost".to_owned()))
}

/// The fault as text for a person at a terminal; a fault's own sentence is for agents.
fn stop(fault: &Fault) -> CommandError {
    CommandError::Failed(match fault.kind() {
        Kind::SessionNotFound => format!(
            "{} `fingerpost session list` shows those there are; --session-days says how long they live.",
            fault.row().sentence.happened()
        ),
        _ => fault.sentence().to_string(),
    })
}

fn place(settings: &Settings) -> String {
    let path = settings
        .storage_dir()
        .filter(|_| settings.store_url.is_none());
    path.map(|path| format!(" in {}", path.display()))
        .unwrap_or_default()
}

fn summary(session: &Session) -> String {
    let digest = &session.digest;
    let steps = format!(
        "{} {}",
        digest.steps,
        if digest.steps == 1 { "step" } else { "steps" }
    );
    format!(
        "{}  {}  {steps:>11}  {:<4}  {}",
        session.id,
        minute(session.last_used),
        state(session),
        line(&digest.goal)
    )
}

fn state(session: &Session) -> &'static str {
    if session.digest.completed.is_some() {
        "done"
    } else {
        "open"
    }
}

fn overview(export: &Export) -> String {
    let (session, digest) = (&export.session, &export.session.digest);
    let mut text = format!(
        "{}  {}\n{}\n",
        session.id,
        state(session),
        line_within(&digest.goal, 1_000)
    );
    text += &format!(
        "started {}, last used {}\n",
        minute(digest.created),
        minute(session.last_used)
    );
    if let Some(confidence) = digest.confidence {
        text += &format!("confidence {:.0} %\n", confidence * 100.0);
    }
    if let Some(summary) = &digest.summary {
        text += &format!("\nsummary\n{}", indented(summary));
    }
    text += &section("steps", &export.steps, one_step);
    text += &section(
        "open gaps",
        &digest.open_gaps().collect::<Vec<_>>(),
        |gap| format!("{}: {}", gap.id, line(&gap.text)),
    );
    text += &section("sources", &export.sources, one_source);
    text += &section(
        "errors that repeat",
        &export.tally.error_patterns,
        |pattern| {
            format!(
                "{} ({} times): {}",
                pattern.kind, pattern.count, pattern.suggestion
            )
        },
    );
    text + &format!("\nall of it: fingerpost session export {}\n", session.id)
}

/// The newest items under a title; empty when there are none.
fn section<T>(title: &str, items: &[T], write: impl Fn(&T) -> String) -> String {
    if items.is_empty() {
        return String::new();
    }
    let newest = &items[items.len().saturating_sub(SHOWN)..];
    let count = if newest.len() < items.len() {
        format!("the last {} of {}", newest.len(), items.len())
    } else {
        items.len().to_string()
    };
    let lines: String = newest
        .iter()
        .map(|item| format!("  {}\n", write(item)))
        .collect();
    format!("\n{title} ({count})\n{lines}")
}

fn one_step(step: &Step) -> String {
    let revises = step
        .revises
        .map(|number| format!(" (revises {number})"))
        .unwrap_or_default();
    let branch = step
        .branch
        .as_ref()
        .map(|name| format!(" [{}]", line(name)))
        .unwrap_or_default();
    let failed = match step.status {
        StepStatus::Done => "",
        StepStatus::Failed => " (search failed)",
        StepStatus::Unanswered => " (search not answered)",
    };
    format!(
        "{:>3}. {}{revises}{branch}{failed}",
        step.number,
        line(&step.text)
    )
}

fn one_source(source: &Source) -> String {
    let title = source
        .title
        .as_deref()
        .map(|title| format!("  {}", line(title)))
        .unwrap_or_default();
    format!(
        "{}{title}  ({}, {}, {})",
        line_within(&source.url, 1_000),
        source.state.as_str(),
        line(&source.via),
        minute(source.at)
    )
}

fn line(text: &str) -> String {
    line_within(text, LONGEST)
}

/// Text on one line, without control characters, which a terminal would obey.
fn line_within(text: &str, longest: usize) -> String {
    let plain: String = text
        .chars()
        .take(longest * 4)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= longest {
        words
    } else {
        words.chars().take(longest - 1).chain(['…']).collect()
    }
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("  {}\n", line_within(line, 10_000)))
        .collect()
}

/// Masks configured secrets only: titles are written as the pages have them.
fn write(masker: &Masker, output: &mut impl Write, text: &str) -> Result<(), CommandError> {
    let written = output
        .write_all(masker.mask_configured(text).as_bytes())
        .and_then(|()| output.flush());
    written.map_err(|error| CommandError::output(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_is_a_format() {
        assert!(
            Style::ALL
                .iter()
                .all(|style| FORMATS.contains(&style.as_str()))
        );
    }

    #[test]
    fn a_line_is_one_line_and_short() {
        assert_eq!(line("a\u{1b}[2J\r\nb"), "a [2J b");
        assert_eq!(line_within("abcdef", 4), "abc…");
    }

    #[test]
    fn a_long_section_shows_its_end() {
        let numbers: Vec<usize> = (1..=25).collect();
        let text = section("numbers", &numbers, usize::to_string);
        assert!(
            text.starts_with("\nnumbers (the last 20 of 25)\n  6\n") && text.ends_with("  25\n"),
            "{text}"
        );
        assert_eq!(section("none", &[0usize; 0], usize::to_string), "");
    }
}
