//! `fingerpost search`: the searching tools for people: readable, linked results, or the whole
//! answer as JSON.

use std::io::{IsTerminal, Write};

use clap::{Arg, ArgMatches};
use engine::search::{Capability, Details, FusedHit, QueryResults, SearchAnswer, SearchRequest};
use engine::{Call, Engine};
use serde_json::json;

use super::{
    Subcommand, arguments,
    error::CommandError,
    terminal::{self, ProgressLine, print_message},
};
use crate::settings::Settings;
use crate::tools::search as search_tool;

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "search",
    about: "Search the web, news, papers or patents and print the results",
    arguments,
    run: |matches| search(&arguments::load_settings(matches)?, Options::new(matches)),
};

fn arguments() -> Vec<Arg> {
    let query = Arg::new("query")
        .value_name("QUERY")
        .required(true)
        .num_args(1..)
        .help("What to search for");
    let provider = Arg::new("provider")
        .long("provider")
        .value_name("ID")
        .help("Ask this provider; several, separated by commas, are fused");
    let kind = Arg::new("kind")
        .long("kind")
        .value_name("web|news|academic|patents")
        .default_value("web")
        .value_parser(["web", "news", "academic", "patents"])
        .help("What is searched for");
    let results = Arg::new("results")
        .long("results")
        .value_name("COUNT")
        .default_value("10")
        .value_parser(clap::value_parser!(i64))
        .help("How many");
    let lens = Arg::new("lens")
        .long("lens")
        .value_name("NAME")
        .help("Only the sites of this lens");
    vec![query, provider, kind, results, lens, arguments::json()]
}

struct Options {
    query: String,
    capability: Capability,
    provider: Option<String>,
    results: i64,
    lens: Option<String>,
    json: bool,
}

impl Options {
    fn new(matches: &ArgMatches) -> Options {
        let text = |name: &str| arguments::text(matches, name).map(str::to_owned);
        let capability = arguments::text(matches, "kind").and_then(Capability::parse);
        Options {
            query: arguments::texts(matches, "query").join(" "),
            capability: capability.unwrap_or(Capability::Web),
            provider: text("provider"),
            results: matches.get_one::<i64>("results").copied().unwrap_or(10),
            lens: text("lens"),
            json: matches.get_flag("json"),
        }
    }
}

fn search(settings: &Settings, options: Options) -> Result<(), CommandError> {
    let runtime = terminal::runtime()?;
    let engine = Engine::new(settings.engine());
    let mut request = SearchRequest::new(options.query.clone(), options.capability);
    request.provider = search_tool::choice(options.provider.as_deref());
    (request.max_results, request.lens) = (options.results, options.lens);
    let found = runtime.block_on(async {
        let progress = ProgressLine::new(1);
        let shown = progress.start(&options.query);
        let limits = Call::within(settings.deadline);
        let found = search_tool::search(&engine, &limits, &request).await;
        drop(shown);
        progress.finish();
        found
    });
    let masker = settings.masker();
    let mut output = std::io::stdout().lock();
    let written = match found {
        Ok(answer) if options.json => {
            let mut value = search_tool::structured(&answer);
            masker.mask_json(&mut value);
            writeln!(output, "{}", terminal::escaped(&format!("{value:#}")))
        }
        Ok(answer) => {
            for line in remarks(&answer) {
                print_message(&line);
            }
            let colours = output.is_terminal();
            write!(
                output,
                "{}",
                masker.mask_configured(&shown(&answer, colours))
            )
        }
        Err(fault) if options.json => {
            let mut value = json!({ "error": search_tool::fault_value(&fault) });
            value["error"]["message"] = json!(fault.sentence().to_string());
            masker.mask_json(&mut value);
            let written = writeln!(output, "{}", terminal::escaped(&format!("{value:#}")));
            return written
                .map_err(|error| CommandError::output(&error))
                .and(Err(CommandError::Reported));
        }
        Err(fault) => return Err(CommandError::Failed(fault.sentence().to_string())),
    };
    written
        .and_then(|()| output.flush())
        .map_err(|error| CommandError::output(&error))
}

/// Who answered, who did not, and what is missing.
fn remarks(answer: &SearchAnswer) -> Vec<String> {
    let by = |group: &QueryResults| {
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
        .map(|group| {
            format!(
                "{} from {}",
                search_tool::results(group.results.len()),
                by(group)
            )
        })
        .collect();
    lines.extend(search_tool::degraded(answer));
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

fn entry(number: usize, found: &FusedHit, colours: bool) -> String {
    let hit = &found.hit;
    let (url, title) = (terminal::escaped(&hit.url), terminal::escaped(&hit.title));
    let title = if colours {
        format!("\x1b]8;;{url}\x1b\\\x1b[1m{title}\x1b[0m\x1b]8;;\x1b\\")
    } else {
        title
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
        format!("    {}\n", terminal::escaped(&facts.join(" · ")))
    };
    let snippet: String = hit.snippet.chars().take(300).collect();
    let snippet = if snippet.is_empty() {
        snippet
    } else {
        format!("    {}\n", terminal::escaped(&snippet))
    };
    format!("{number:>2}. {title}\n    {url}\n{facts}{snippet}\n")
}
