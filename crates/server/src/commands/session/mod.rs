//! `fingerpost session`: lists research sessions, shows one in short, or exports one as a document
//! or bibliography.
//!
//! It reads the sessions of the local user, which are those of a stdio server, or with `--subject`
//! those of a user of an HTTP server.

mod view;

use std::io::Write;

use clap::{Arg, ArgMatches};
use engine::Engine;
use engine::citation::{Style, bibliography};
use engine::research::export::Export;
use engine::research::{RepeatedFault, ResearchSessions, Source, SourceState};
use engine::store::Tenant;
use fault::{Fault, Kind, Origin};
use mask::Masker;
use serde_json::{Value, json};

use self::view::{overview, summary};
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
        let subject = Arg::new("subject")
            .long("subject")
            .value_name("NAME")
            .help("The user of an HTTP server whose sessions these are, as their token, proxy or authorization server names them");
        let json = arguments::switch("json").help("List as JSON lines, show as JSON");
        vec![action, id, format, all, subject, json]
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    let (settings, output) = (arguments::load_settings(matches)?, std::io::stdout().lock());
    let (json, text) = (matches.get_flag("json"), |name| {
        arguments::text(matches, name)
    });
    let kept = Kept::new(&settings, text("subject"));
    match (text("action"), text("id")) {
        (Some("list") | None, None) => list(&kept, json, output),
        (Some("export"), Some(id)) => {
            let form = Form {
                format: text("format").unwrap_or("markdown"),
                all_sources: matches.get_flag("all-sources"),
            };
            export(&kept, id, form, output)
        }
        (Some("show"), Some(id)) | (Some(id), None) => show(&kept, id, json, output),
        _ => Err(CommandError::Usage(
            "session: list, show ID, export ID, or just an ID".to_owned(),
        )),
    }
}

/// The sessions that are looked at.
struct Kept<'a> {
    settings: &'a Settings,
    tenant: Tenant,
    /// What else the store may call the same user.
    other_tenants: Vec<Tenant>,
}

impl Kept<'_> {
    /// Those of the local user, or of a user of an HTTP server. What the store calls such a user
    /// depends on how the server learned who called.
    fn new<'s>(settings: &'s Settings, subject: Option<&str>) -> Kept<'s> {
        let Some(subject) = subject else {
            return Kept {
                settings,
                tenant: Tenant::local(),
                other_tenants: Vec::new(),
            };
        };
        let issuer = settings.oauth_issuer.as_ref();
        let issued = issuer.map(|issuer| Tenant::issued(issuer, subject));
        let proxied = Tenant::proxied(subject);
        Kept {
            settings,
            tenant: Tenant::subject(subject),
            other_tenants: [proxied].into_iter().chain(issued).collect(),
        }
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

/// Lists all sessions, the most recently used first, one per line or as JSON lines.
fn list(kept: &Kept<'_>, json: bool, mut output: impl Write) -> Result<(), CommandError> {
    let (runtime, research) = (terminal::runtime()?, research(kept.settings)?);
    let (mut count, masker) = (0, kept.settings.masker());
    for tenant in [&kept.tenant].into_iter().chain(&kept.other_tenants) {
        let mut cursor = None;
        loop {
            let page = runtime
                .block_on(research.list(tenant, cursor.as_ref(), PAGE))
                .map_err(|fault| stop(&fault, kept.settings))?;
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
    }
    if count == 0 && !json {
        let text = format!(
            "no research sessions{}; agents start them with sequential_search. Those of a user of an HTTP server: --subject NAME\n",
            place(kept.settings)
        );
        return write(&masker, &mut output, &text);
    }
    Ok(())
}

/// Shows one session in short, or all of it as JSON.
fn show(kept: &Kept<'_>, id: &str, json: bool, mut output: impl Write) -> Result<(), CommandError> {
    let (export, masker) = (load_export(kept, id)?, kept.settings.masker());
    let text = if json {
        as_json(&export, &masker)
    } else {
        masker.mask(&overview(&export)).into_owned()
    };
    write(&masker, &mut output, &text)
}

/// Writes one session as a document, or its sources as a bibliography.
fn export(
    kept: &Kept<'_>,
    id: &str,
    form: Form<'_>,
    mut output: impl Write,
) -> Result<(), CommandError> {
    let (mut export, masker) = (load_export(kept, id)?, kept.settings.masker());
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

fn load_export(kept: &Kept<'_>, id: &str) -> Result<Export, CommandError> {
    let settings = kept.settings;
    let (research, runtime) = (research(settings)?, terminal::runtime()?);
    let _entered = runtime.enter();
    let engine = Engine::new(settings.engine());
    // A person reads it, whatever tools their agents have.
    let advisor = runtime.block_on(SessionAdvisor::new(settings, &engine, |_tool| true));
    let advice = |fault: &RepeatedFault<'_>| advisor.advise(fault);
    let load = |tenant| runtime.block_on(Export::load(&research, tenant, id.trim(), &advice));
    let mut loaded = load(&kept.tenant);
    for tenant in &kept.other_tenants {
        match &loaded {
            Err(fault) if fault.kind() == Kind::SessionNotFound => loaded = load(tenant),
            _ => break,
        }
    }
    loaded.map_err(|fault| stop(&fault, kept.settings))
}

fn research(settings: &Settings) -> Result<ResearchSessions, CommandError> {
    let store = settings.store();
    if store.is_shared() {
        return Ok(ResearchSessions::new(store, settings.limits()));
    }
    Err(CommandError::Usage("nothing is kept: name the server's data directory, for example --data-dir /var/lib/fingerpost".to_owned()))
}

/// The fault as text for a person at a terminal; a fault's own sentence is for agents.
fn stop(fault: &Fault, settings: &Settings) -> CommandError {
    CommandError::Failed(match fault.kind() {
        _ if fault.origin() == Origin::Store => format!(
            "the sessions could not be read: {}; `fingerpost doctor` says what to look at",
            terminal::words_of_store(fault, settings)
        ),
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

/// Masks configured secrets only: titles are written as the pages have them.
fn write(masker: &Masker, output: &mut impl Write, text: &str) -> Result<(), CommandError> {
    let written = output
        .write_all(terminal::escaped(&masker.mask_configured(text)).as_bytes())
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
}
