//! The command line: subcommands by hand, settings from the table.
//!
//! Values of settings are not checked here but by their rows, so a wrong flag, a wrong variable and
//! a wrong line in the file get the same kind of message. Exit codes: 0 done, 1 the work failed, 2
//! the command or a setting is wrong.

mod demo;
mod doctor;
mod errors;
mod explain;
mod extract;
mod fetch;
mod index;
pub(crate) mod lab;
mod mask;
mod search;
mod session;
pub(crate) mod terminal;

use std::{
    io::{IsTerminal, Write},
    process::ExitCode,
    sync::OnceLock,
};

use ::mask::Masker;
use clap::{Arg, ArgAction, ArgMatches, Command};
use fault::Secret;

use crate::{
    run,
    settings::config::{self, Flags, Surroundings},
    settings::{Settings, TABLE},
    tools::{TOOLS, Toolset},
};

const WORK_FAILED: u8 = 1;
const WRONG_USE: u8 = 2;

/// One subcommand: adding one is adding a row.
struct Subcommand {
    name: &'static str,
    about: &'static str,
    arguments: fn() -> Vec<Arg>,
    run: fn(&ArgMatches) -> Result<(), Stop>,
}

static SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        name: "demo",
        about: "Show eight failures and how obeying their advice ends; offline, a few seconds",
        arguments: Vec::new,
        run: |_| demo::run(),
    },
    Subcommand {
        name: "serve",
        about: "Serve MCP on stdin and stdout, or over HTTP",
        arguments: || {
            let http = Arg::new("http").long("http").value_name("ADDRESS");
            let lab = Arg::new("lab").long("lab").action(ArgAction::SetTrue);
            vec![
                http.help("Listen here instead of stdio, for example 127.0.0.1:8080; port 0 picks a free one"),
                lab.help("Search a lab on this machine instead of the web: every provider, a small fixed corpus, offline"),
            ]
        },
        run: serve,
    },
    Subcommand {
        name: "fetch",
        about: "Read pages and documents and print them as Markdown",
        arguments: || {
            let urls = Arg::new("url")
                .value_name("URL")
                .required(true)
                .num_args(1..)
                .help("Addresses of pages or documents");
            vec![urls, mode_argument(), json_argument()]
        },
        run: |matches| fetch::fetch(&settings(matches)?, words(matches, "url"), &wanted(matches)),
    },
    Subcommand {
        name: "convert",
        about: "Convert files or addresses of documents to Markdown",
        arguments: || {
            let sources = Arg::new("source")
                .value_name("FILE|URL")
                .required(true)
                .num_args(1..)
                .help("Files, or addresses of documents");
            vec![sources, mode_argument(), json_argument()]
        },
        run: |matches| {
            fetch::convert(
                &settings(matches)?,
                words(matches, "source"),
                &wanted(matches),
            )
        },
    },
    Subcommand {
        name: "search",
        about: "Search the web, news, papers or patents and print the results",
        arguments: || {
            let query = Arg::new("query")
                .value_name("QUERY")
                .required(true)
                .num_args(1..)
                .help("What to search for");
            let provider = Arg::new("provider")
                .long("provider")
                .value_name("ID")
                .help("Ask this one; several with commas are fused");
            let kind = Arg::new("kind")
                .long("kind")
                .value_name("web|news|academic|patents")
                .default_value("web");
            let kind = kind
                .value_parser(["web", "news", "academic", "patents"])
                .help("What is searched for");
            let results = Arg::new("results")
                .long("results")
                .value_name("COUNT")
                .default_value("10")
                .value_parser(clap::value_parser!(i64));
            let lens = Arg::new("lens")
                .long("lens")
                .value_name("NAME")
                .help("Only the sites of this lens");
            vec![
                query,
                provider,
                kind,
                results.help("How many"),
                lens,
                json_argument(),
            ]
        },
        run: search,
    },
    Subcommand {
        name: "index",
        about: "Put directories, files, pages or sitemaps into the local index",
        arguments: || {
            vec![
                Arg::new("source")
                    .value_name("DIR|FILE|URL")
                    .required(true)
                    .num_args(1..)
                    .help("What to index"),
            ]
        },
        run: |matches| index::run(&settings(matches)?, words(matches, "source")),
    },
    Subcommand {
        name: "doctor",
        about: "Check settings and reachability, and say what to do",
        arguments: || {
            let offline = Arg::new("offline")
                .long("offline")
                .action(ArgAction::SetTrue)
                .help("Ask nobody");
            vec![offline, json_argument()]
        },
        run: |matches| {
            doctor::run(
                &settings(matches)?,
                matches.get_flag("offline"),
                matches.get_flag("json"),
            )
        },
    },
    Subcommand {
        name: "lab",
        about: "Serve every search API on this machine, with faults on demand, for trying and testing",
        arguments: || {
            let listen = Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS")
                .default_value("127.0.0.1:8899");
            vec![listen.help("A loopback address; port 0 picks a free one")]
        },
        run: |matches| {
            lab::run(
                matches
                    .get_one::<String>("listen")
                    .map_or("127.0.0.1:8899", String::as_str),
            )
        },
    },
    Subcommand {
        name: "mask",
        about: "Copy stdin to stdout with secrets masked",
        arguments: || {
            let jsonl = Arg::new("jsonl").long("jsonl").action(ArgAction::SetTrue);
            vec![jsonl.help("Read {\"id\",\"text\"} lines, write {\"id\",\"masked\"} lines")]
        },
        run: mask,
    },
    Subcommand {
        name: "extract",
        about: "Read HTML from stdin and write its main text as Markdown",
        arguments: || {
            let url = Arg::new("url")
                .long("url")
                .value_name("URL")
                .help("The address of the page, to make its links absolute");
            let text = Arg::new("text")
                .long("text")
                .action(ArgAction::SetTrue)
                .help("Write plain text instead");
            let jsonl = Arg::new("jsonl")
                .long("jsonl")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["url", "text"]);
            vec![url, text, jsonl.help("Read {\"id\",\"url\",\"html\"} lines, write {\"id\",\"title\",\"markdown\",\"text\"} lines")]
        },
        run: extract,
    },
    Subcommand {
        name: "explain",
        about: "Tell what a kind, reason or code of a failure means and what to do",
        arguments: || {
            vec![
                Arg::new("term")
                    .value_name("KIND|REASON|CODE")
                    .help("Without it: the list of all"),
            ]
        },
        run: explain,
    },
    Subcommand {
        name: "errors",
        about: "Show the masked records of failed calls, by event id or request id",
        arguments: || {
            let action = Arg::new("action")
                .value_name("list|show|tail|ID")
                .default_value("list")
                .help("list the newest, show one, or print new ones as they come");
            let id = Arg::new("id")
                .value_name("ID")
                .required_if_eq("action", "show")
                .help("An event id, or the request id of a recorded call");
            let json = Arg::new("json").long("json").action(ArgAction::SetTrue);
            vec![action, id, json.help("List as JSON lines")]
        },
        run: errors,
    },
    Subcommand {
        name: "session",
        about: "List research sessions, show one, or export one as a document or bibliography",
        arguments: || {
            let action = Arg::new("action")
                .value_name("list|show|export|ID")
                .default_value("list")
                .help("What to do; an ID alone is shown");
            let id = Arg::new("id")
                .value_name("ID")
                .required_if_eq_any([("action", "show"), ("action", "export")])
                .help("A session's id");
            let format = Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .default_value("markdown");
            let format = format
                .value_parser(session::FORMATS)
                .help("What export writes");
            let json = Arg::new("json").long("json").action(ArgAction::SetTrue);
            vec![
                action,
                id,
                format,
                json.help("List as JSON lines, show as JSON"),
            ]
        },
        run: session,
    },
];

fn mode_argument() -> Arg {
    let mode = Arg::new("mode")
        .long("mode")
        .value_name("full|preview|raw")
        .default_value("full");
    mode.value_parser(["full", "preview", "raw"])
        .help("The main text, its outline and beginning, or the source as it came")
}

fn json_argument() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print one JSON object a line, failures too")
}

fn words(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches
        .get_many::<String>(name)
        .into_iter()
        .flatten()
        .cloned()
        .collect()
}

fn wanted(matches: &ArgMatches) -> fetch::Wanted {
    let mode = match matches.get_one::<String>("mode").map(String::as_str) {
        Some("preview") => engine::Mode::Preview,
        Some("raw") => engine::Mode::Raw,
        _ => engine::Mode::Full,
    };
    fetch::Wanted {
        mode,
        json: matches.get_flag("json"),
    }
}

/// The whole command, also for those who generate completions or docs from it.
pub fn command() -> Command {
    let subcommands = SUBCOMMANDS.iter().map(|row| {
        Command::new(row.name)
            .about(row.about)
            .args((row.arguments)())
    });
    Command::new("fingerpost")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A web-research server for AI agents whose every failure points the way on")
        // Wrapper scripts and client configurations add flags to flags: the last one wins.
        .args_override_self(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(config_argument())
        .args(TABLE.iter().map(setting_argument))
        .subcommands(subcommands)
}

fn config_argument() -> Arg {
    Arg::new("config")
        .long("config")
        .value_name("FILE")
        .global(true)
        .help_heading("Settings")
        .help("Read settings from this file (default: ./fingerpost.toml, then the user's) [env: FINGERPOST_CONFIG]")
}

fn setting_argument(row: &'static crate::settings::Setting) -> Arg {
    let default = if row.default.is_empty() {
        String::new()
    } else {
        format!(" [default: {}]", row.default)
    };
    let argument = Arg::new(row.key)
        .long(row.key)
        .value_name(row.value_name)
        .global(true)
        .help_heading("Settings")
        .help(format!("{}{default} [env: {}]", row.about, row.variable()));
    // A screen of general settings first; --help has all.
    let argument = argument.hide_short_help(row.is_of_provider());
    if row.is_switch() {
        return argument
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true");
    }
    // A value such as -1 is the row's to refuse, with its example.
    argument
        .allow_hyphen_values(true)
        .action(if row.repeatable {
            ArgAction::Append
        } else {
            ArgAction::Set
        })
}

/// Runs what the arguments ask for.
pub fn main(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> ExitCode {
    let matches = match command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            tell_of_usage(&error);
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(WRONG_USE));
        }
    };
    let Some((name, chosen)) = matches.subcommand() else {
        return ExitCode::from(WRONG_USE);
    };
    finish(match SUBCOMMANDS.iter().find(|row| row.name == name) {
        Some(row) => (row.run)(chosen),
        None => Err(Stop::WrongUse("there is no such command".to_owned())),
    })
}

/// Help is ours; a complaint repeats what was typed, which may be a key in the wrong place.
fn tell_of_usage(error: &clap::Error) {
    if !error.use_stderr() {
        let _ = error.print();
        return;
    }
    let _ = std::io::stderr().write_all(masker().mask(&error.render().to_string()).as_bytes());
}

fn serve(matches: &ArgMatches) -> Result<(), Stop> {
    let settings = settings(matches)?;
    has_tools(&settings.toolsets)?;
    match matches.get_one::<String>("http") {
        Some(address) => run::http(settings, address, matches.get_flag("lab")),
        None => {
            hint_for_people();
            run::stdio(settings, matches.get_flag("lab"))
        }
    }
}

/// A server without tools starts, answers, and is of no use to anybody.
fn has_tools(chosen: &[Toolset]) -> Result<(), Stop> {
    let has = |toolset: &Toolset| TOOLS.iter().any(|tool| tool.toolsets.contains(toolset));
    let names = |toolsets: Vec<&Toolset>| {
        toolsets
            .into_iter()
            .map(|toolset| toolset.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let without: Vec<&Toolset> = chosen.iter().filter(|toolset| !has(toolset)).collect();
    if without.len() == chosen.len() {
        let with = names(Toolset::ALL.iter().filter(|toolset| has(toolset)).collect());
        return Err(Stop::WrongUse(format!(
            "--toolset: this version has no tools in {}; it has some in: {with}",
            names(without)
        )));
    }
    // `all` means all there are.
    if !without.is_empty() && chosen.len() < Toolset::ALL.len() {
        tell(&format!("this version has no tools in {}", names(without)));
    }
    Ok(())
}

/// Somebody who typed `fingerpost serve` in a terminal sees nothing happen; tell them why.
fn hint_for_people() {
    if std::io::stdin().is_terminal() {
        tell(
            "speaking MCP on stdin and stdout; an MCP client starts this itself. For HTTP: fingerpost serve --http 127.0.0.1:8080",
        );
    }
}

fn mask(matches: &ArgMatches) -> Result<(), Stop> {
    let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
    match matches.get_flag("jsonl") {
        true => mask::lines(input, output, std::io::stderr().lock(), masker()),
        false => mask::whole(input, output, masker()),
    }
}

fn extract(matches: &ArgMatches) -> Result<(), Stop> {
    // Not locked: the work runs on a thread of its own.
    let (input, output) = (
        std::io::BufReader::with_capacity(1 << 20, std::io::stdin()),
        std::io::stdout(),
    );
    if matches.get_flag("jsonl") {
        return extract::lines(input, output, std::io::stderr());
    }
    let url = matches
        .get_one::<String>("url")
        .map(String::as_str)
        .unwrap_or_default();
    extract::whole(input, output, url, matches.get_flag("text"))
}

fn search(matches: &ArgMatches) -> Result<(), Stop> {
    let word = |name: &str| matches.get_one::<String>(name).cloned();
    let capability = word("kind").and_then(|kind| engine::search::Capability::of(&kind));
    let wanted = search::Wanted {
        query: words(matches, "query").join(" "),
        capability: capability.unwrap_or(engine::search::Capability::Web),
        provider: word("provider"),
        results: matches.get_one::<i64>("results").copied().unwrap_or(10),
        lens: word("lens"),
        json: matches.get_flag("json"),
    };
    search::run(&settings(matches)?, wanted)
}

fn explain(matches: &ArgMatches) -> Result<(), Stop> {
    let output = std::io::stdout().lock();
    match matches.get_one::<String>("term") {
        Some(term) => explain::one(term, output),
        None => explain::list(output),
    }
}

fn errors(matches: &ArgMatches) -> Result<(), Stop> {
    let (settings, output) = (settings(matches)?, std::io::stdout().lock());
    let word = |name| matches.get_one::<String>(name).map(String::as_str);
    match (word("action"), word("id")) {
        (Some("list") | None, None) => errors::list(&settings, matches.get_flag("json"), output),
        (Some("tail"), None) => errors::tail(&settings, matches.get_flag("json"), output),
        (Some("show" | "list") | None, Some(id)) | (Some(id), None) => {
            errors::show(&settings, id, output)
        }
        (Some(_), Some(_)) => Err(Stop::WrongUse(
            "errors: list, tail, show ID, or just an ID".to_owned(),
        )),
    }
}

fn session(matches: &ArgMatches) -> Result<(), Stop> {
    let (settings, output, json) = (
        settings(matches)?,
        std::io::stdout().lock(),
        matches.get_flag("json"),
    );
    let word = |name| matches.get_one::<String>(name).map(String::as_str);
    match (word("action"), word("id")) {
        (Some("list") | None, None) => session::list(&settings, json, output),
        (Some("export"), Some(id)) => {
            session::export(&settings, id, word("format").unwrap_or("markdown"), output)
        }
        (Some("show"), Some(id)) | (Some(id), None) => session::show(&settings, id, json, output),
        _ => Err(Stop::WrongUse(
            "session: list, show ID, export ID, or just an ID".to_owned(),
        )),
    }
}

/// Settings given in flags of any level, the environment and the file.
pub(crate) fn settings(matches: &ArgMatches) -> Result<Settings, Stop> {
    let flags: Flags = TABLE
        .iter()
        .filter_map(|row| {
            let values: Vec<String> = matches.get_many::<String>(row.key)?.cloned().collect();
            Some((row.key, values))
        })
        .collect();
    let config = matches.get_one::<String>("config").map(String::as_str);
    let loaded = config::load(&flags, config, &Surroundings::of_process()).map_err(|mistakes| {
        let mut lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        lines.push("settings come from flags, FINGERPOST_ variables and fingerpost.toml; `fingerpost serve --help` lists them".to_owned());
        Stop::WrongUse(lines.join("\n"))
    })?;
    for warning in &loaded.warnings {
        tell(warning);
    }
    Ok(loaded.settings)
}

/// Why a command ended early, in words for a person.
#[derive(Debug)]
pub enum Stop {
    /// The reader of our output went away; that is how `| head` ends a program.
    OutputClosed,
    /// The work failed; the words are ours.
    Failed(String),
    /// The command line is wrong.
    WrongUse(String),
    /// The work failed and the reason was already told.
    Told,
}

impl Stop {
    pub(crate) fn output(error: &std::io::Error) -> Stop {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Stop::OutputClosed,
            kind => Stop::Failed(format!("could not write the output ({kind})")),
        }
    }
}

fn finish(outcome: Result<(), Stop>) -> ExitCode {
    match outcome {
        Ok(()) | Err(Stop::OutputClosed) => ExitCode::SUCCESS,
        Err(Stop::Told) => ExitCode::from(WORK_FAILED),
        Err(Stop::Failed(words)) => {
            tell(&words);
            ExitCode::from(WORK_FAILED)
        }
        Err(Stop::WrongUse(words)) => {
            tell(&words);
            ExitCode::from(WRONG_USE)
        }
    }
}

/// Lines for the person at the terminal, masked: they quote flags, variables and files, and any of
/// those may hold a key. Never stdout: that may be the wire.
pub(crate) fn tell(words: &str) {
    for line in masker().mask(words).lines() {
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        let _ = writeln!(std::io::stderr(), "fingerpost: {line}");
    }
}

/// Knows the secrets of the environment, before any setting is read.
fn masker() -> &'static Masker {
    static MASKER: OnceLock<Masker> = OnceLock::new();
    MASKER.get_or_init(|| {
        Masker::new(
            Surroundings::of_process()
                .secrets
                .iter()
                .map(Secret::expose),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn settings_are_understood_before_and_after_the_subcommand() {
        for line in [
            ["fingerpost", "--deadline", "5", "serve"],
            ["fingerpost", "serve", "--deadline", "5"],
        ] {
            let matches = command().try_get_matches_from(line).expect("a valid line");
            let (_, sub) = matches.subcommand().expect("a subcommand");
            assert_eq!(
                sub.get_one::<String>("deadline").map(String::as_str),
                Some("5")
            );
        }
    }
}
