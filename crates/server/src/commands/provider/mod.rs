//! `fingerpost provider check NAME`: asks one provider for real and shows what was sent, what came
//! back, and which of the adapter's assumptions that confirms or breaks.
//!
//! The adapters are tested against servers of our own. Whoever has a key can verify one against the
//! service in a minute, and report what this prints: keys are masked, and of the reply only names,
//! types and counts are shown.

mod assumptions;
mod outline;

use std::io::Write;
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches};
use engine::search::{
    Availability, Capability, ProviderChoice, ProviderSpec, SearchAnswer, SearchRequest,
};
use engine::{Call, Engine, Exchange, ExchangeLog, ExchangeReply};
use fault::{Fault, counted};
use serde_json::{Value, json};

use self::assumptions::{Assumption, assumptions};
use super::{Subcommand, arguments, error::CommandError, terminal};
use crate::settings::Settings;
use crate::tools::search;

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "provider",
    about: "Check one search provider with a real request",
    arguments: || {
        let action = Arg::new("action")
            .value_name("check")
            .required(true)
            .value_parser(["check"])
            .help("Ask it once and compare its answer with what is expected");
        let name = Arg::new("name")
            .value_name("ID")
            .required(true)
            .help("The provider's id, as fingerpost doctor lists it");
        let query = Arg::new("query")
            .long("query")
            .value_name("TEXT")
            .default_value("sodium battery")
            .help("What to search for; something that has results");
        let kind = Arg::new("kind")
            .long("kind")
            .value_name("web|news|academic|patents")
            .value_parser(["web", "news", "academic", "patents"])
            .help("What is searched for, for providers with several kinds");
        vec![action, name, query, kind, arguments::json()]
    },
    run,
};

/// Few enough for a metered plan, enough to see whether results are alike.
const RESULTS: i64 = 5;

/// Everything that was seen.
struct Check {
    spec: &'static ProviderSpec,
    key_origin: Option<String>,
    exchanges: Vec<Exchange>,
    outcome: Result<SearchAnswer, Fault>,
    took: Duration,
}

fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    let settings = arguments::load_settings(matches)?;
    let engine = Engine::new(settings.engine());
    let name = arguments::text(matches, "name").unwrap_or_default();
    let spec = chosen(&engine, name)?;
    let kind = arguments::text(matches, "kind").and_then(Capability::parse);
    let offered = || Some(spec.offers.first()?.capability);
    let capability = kind.or_else(offered).unwrap_or(Capability::Web);
    let query = arguments::text(matches, "query").unwrap_or_default();
    let check = terminal::runtime()?.block_on(ask(&settings, &engine, spec, capability, query));
    let assumptions = assumptions(&check);
    let text = if matches.get_flag("json") {
        format!("{:#}\n", as_json(&check, &assumptions))
    } else {
        as_text(&check, &assumptions)
    };
    let text = settings.masker().mask(&text).into_owned();
    let mut output = std::io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .map_err(|error| CommandError::output(&error))?;
    if check.outcome.is_err() || assumptions.iter().any(Assumption::is_broken) {
        Err(CommandError::Reported)
    } else {
        Ok(())
    }
}

/// The provider of this name, if it is set up.
fn chosen(engine: &Engine, name: &str) -> Result<&'static ProviderSpec, CommandError> {
    let mut statuses = engine.searching().statuses();
    let Some(status) = statuses.find(|status| status.spec.id() == name) else {
        let ids = engine.searching().statuses().map(|it| it.spec.id());
        let ids: Vec<&str> = ids.collect();
        let nearest = fault::nearest(name, ids.iter().copied());
        let nearest = nearest.map(|id| format!("; did you mean {id}?"));
        return Err(CommandError::Usage(format!(
            "there is no such provider{}\nproviders: {}",
            nearest.unwrap_or_default(),
            ids.join(", ")
        )));
    };
    let setting = match status.availability {
        Availability::Ready => return Ok(status.spec),
        Availability::Disabled => {
            return Err(CommandError::Failed(format!(
                "{name} is turned off by --disable-provider"
            )));
        }
        Availability::NoAddress(setting) | Availability::Missing(setting) => setting,
    };
    Err(CommandError::Failed(format!(
        "{name} is not set up: set {setting} first. {}",
        status.spec.docs
    )))
}

async fn ask(
    settings: &Settings,
    engine: &Engine,
    spec: &'static ProviderSpec,
    capability: Capability,
    query: &str,
) -> Check {
    let mut request = SearchRequest::new(query, capability);
    (request.provider, request.max_results) = (ProviderChoice::One(spec.id().to_owned()), RESULTS);
    let call = Call {
        exchanges: ExchangeLog::keeping(),
        ..Call::within(settings.deadline)
    };
    let began = Instant::now();
    let outcome = search::search(engine, &call, &request).await;
    Check {
        spec,
        key_origin: settings.key_origin(spec),
        exchanges: call.exchanges.snapshot(),
        outcome,
        took: began.elapsed(),
    }
}

fn as_text(check: &Check, assumptions: &[Assumption]) -> String {
    let key = match &check.key_origin {
        Some(origin) => format!("key from {origin}"),
        None => "without a key".to_owned(),
    };
    let title = check.spec.id.title();
    let mut lines = vec![format!("{title}, {key}, {} ms", check.took.as_millis())];
    for exchange in &check.exchanges {
        lines.push(String::new());
        lines.extend(sent(exchange));
        lines.extend(received(exchange));
    }
    lines.push(String::new());
    match &check.outcome {
        Ok(answer) => lines.push(format!("Read      {}", counts(answer))),
        Err(fault) => lines.push(format!("Failed    {}", fault.sentence())),
    }
    lines.push(String::new());
    lines.extend(assumptions.iter().map(Assumption::line));
    lines.join("\n") + "\n"
}

fn sent(exchange: &Exchange) -> Vec<String> {
    let mut lines = vec![format!("Sent      {} {}", exchange.method, exchange.url)];
    for (name, value) in &exchange.headers {
        let value = value.as_deref().unwrap_or("[hidden]");
        lines.push(format!("          {name}: {value}"));
    }
    lines.extend(
        exchange
            .body
            .as_ref()
            .map(|body| format!("          {body}")),
    );
    lines
}

fn received(exchange: &Exchange) -> Vec<String> {
    let reply = match &exchange.reply {
        Ok(reply) => reply,
        Err(fault) => return vec![format!("Received  nothing: {}", fault.sentence())],
    };
    let mut lines = vec![format!(
        "Received  HTTP {}, {}, {} bytes",
        reply.status,
        media_type(reply),
        reply.body.len()
    )];
    let indented = |line: String| format!("          {line}");
    lines.extend(limits(reply).into_iter().map(indented));
    lines.extend(outline::of(&reply.body).into_iter().map(indented));
    lines
}

fn media_type(reply: &ExchangeReply) -> String {
    let value = reply.headers.get(http::header::CONTENT_TYPE);
    let text = value.and_then(|value| value.to_str().ok());
    text.map_or_else(|| "no content type".to_owned(), outline::name)
}

/// The headers about limits and waits: most of what an adapter assumes about errors.
fn limits(reply: &ExchangeReply) -> Vec<String> {
    let telling = |name: &str| {
        ["ratelimit", "rate-limit", "retry-after", "credit", "quota"]
            .iter()
            .any(|word| name.contains(word))
    };
    let headers = reply.headers.iter();
    headers
        .filter(|(name, _)| telling(name.as_str()))
        .filter_map(|(name, value)| {
            let value = outline::name(value.to_str().ok()?);
            Some(format!("{}: {value}", outline::name(name.as_str())))
        })
        .take(12)
        .collect()
}

fn counts(answer: &SearchAnswer) -> String {
    let hits = || answer.groups.iter().flat_map(|group| &group.results);
    let with_snippet = hits().filter(|hit| !hit.hit.snippet.is_empty()).count();
    let with_date = hits().filter(|hit| hit.hit.published.is_some()).count();
    let total = answer.groups.iter().find_map(|group| group.total);
    let total = total.map_or_else(String::new, |total| format!(", {total} in all"));
    format!(
        "{}, {with_snippet} with a description, {with_date} with a date{total}",
        counted(hits().count() as u64, "result")
    )
}

fn as_json(check: &Check, assumptions: &[Assumption]) -> Value {
    let exchange = |exchange: &Exchange| {
        let reply = exchange.reply.as_ref();
        json!({
            "sent": sent(exchange),
            "status": reply.map(|reply| reply.status).ok(),
            "contentType": reply.map(media_type).ok(),
            "bytes": reply.map(|reply| reply.body.len()).ok(),
            "limits": reply.map(limits).unwrap_or_default(),
            "shape": reply.map(|reply| outline::of(&reply.body)).unwrap_or_default(),
            "fault": reply.err().map(|fault| fault.sentence().to_string()),
        })
    };
    json!({
        "provider": check.spec.id(),
        "keyFrom": check.key_origin,
        "milliseconds": u64::try_from(check.took.as_millis()).ok(),
        "exchanges": check.exchanges.iter().map(exchange).collect::<Vec<_>>(),
        "read": check.outcome.as_ref().map(counts).ok(),
        "fault": check.outcome.as_ref().err().map(|fault| fault.sentence().to_string()),
        "assumptions": assumptions.iter().map(Assumption::value).collect::<Vec<_>>(),
    })
}
