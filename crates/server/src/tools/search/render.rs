//! Renders a search's answer as JSON, complete and for programs, and says what the answer lacks.
//! Titles and snippets are quoted from other sources and marked as such.

use engine::search::{
    AttemptOutcome, Date, Degraded, Details, FusedHit, Hints, Paper, Patent, ProviderAttempt,
    QueryResults, SearchAnswer, Suggestion,
};
use fault::{Action, Alternatives, Context, Dialect, Fault, Kind, Retry, Surface, render};
use serde_json::{Map, Value, json};

use super::fields::filter_name;

/// The whole answer as JSON, for programs.
pub(crate) fn structured(answer: &SearchAnswer) -> Value {
    let mut value = json!({
        "status": if is_partial(answer) { "partial" } else { "complete" },
        "untrusted": fault::UNTRUSTED_TEXTS,
        "resultCount": answer.groups.iter().map(|group| group.results.len()).sum::<usize>(),
        "attempts": answer.attempts.iter().map(|it| attempt(answer, it)).collect::<Vec<_>>(),
    });
    if let Some(seconds) = wait(answer).seconds() {
        value["retryAfterSeconds"] = json!(seconds);
    }
    match answer.groups.as_slice() {
        [only] => merge(&mut value, query_fields(only)),
        several => {
            value["queries"] = several
                .iter()
                .map(query_fields)
                .map(Value::Object)
                .collect()
        }
    }
    let degraded = degraded(answer);
    if !degraded.is_empty() {
        value["degraded"] = json!(degraded);
    }
    value
}

/// Whether a query failed, or was answered only by providers that do not cover what was asked for.
pub(crate) fn is_partial(answer: &SearchAnswer) -> bool {
    lacking(answer).next().is_some()
}

/// The queries that failed or were answered only in part, and why.
pub(super) fn lacking(answer: &SearchAnswer) -> impl Iterator<Item = (&QueryResults, &Fault)> {
    answer
        .groups
        .iter()
        .filter_map(|group| Some((group, group.fault.as_ref().or(group.missing.as_ref())?)))
}

/// When the same search may find what is missing.
pub(super) fn wait(answer: &SearchAnswer) -> Retry {
    lacking(answer).fold(Retry::Never, |wait, (_, fault)| {
        wait.earlier(fault.advice())
    })
}

/// What the providers did that did not answer.
pub(super) fn failures_of(answer: &SearchAnswer) -> impl Iterator<Item = &Fault> {
    answer
        .attempts
        .iter()
        .filter_map(|attempt| match &attempt.outcome {
            AttemptOutcome::Failed(fault) | AttemptOutcome::Skipped(fault) => Some(fault),
            AttemptOutcome::Answered(_) => None,
        })
}

/// A sentence for everything that the answer lacks. It contains no text from a provider.
pub(crate) fn degraded(answer: &SearchAnswer) -> Vec<String> {
    let limits = answer.degraded.iter().map(sentence);
    limits.chain(failures(answer)).collect()
}

/// What the providers did that did not answer, each once, with the queries that it concerns. A
/// query that failed has its own fault.
fn failures(answer: &SearchAnswer) -> Vec<String> {
    let mut failures: Vec<(String, Vec<usize>)> = Vec::new();
    for attempt in &answer.attempts {
        let (AttemptOutcome::Failed(fault) | AttemptOutcome::Skipped(fault)) = &attempt.outcome
        else {
            continue;
        };
        let group = answer.groups.get(attempt.query);
        if group.is_some_and(|group| group.fault.is_some()) {
            continue;
        }
        let sentence = failure(fault);
        match failures.iter_mut().find(|(known, _)| *known == sentence) {
            Some((_, queries)) if queries.contains(&(attempt.query + 1)) => {}
            Some((_, queries)) => queries.push(attempt.query + 1),
            None => failures.push((sentence, vec![attempt.query + 1])),
        }
    }
    failures
        .into_iter()
        .map(|(sentence, queries)| match queries.as_slice() {
            all if all.len() == answer.groups.len() => sentence,
            [one] => format!("Query {one}: {sentence}"),
            several => format!("Queries {}: {sentence}", numbers(several)),
        })
        .collect()
}

fn numbers(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(", ")
}

/// What a provider did, for an answer that came without it. What the operator has to correct is
/// said in full.
pub(in crate::tools) fn failure(fault: &Fault) -> String {
    let fault = fault.clone().alternatives(Alternatives::Known(Vec::new()));
    if fault.action() == Action::CheckApiKey || fault.kind() == Kind::Config {
        return fault.what_to_correct().to_string();
    }
    match fault.advice().wait_in_words() {
        Some(wait) => format!("{} It may answer again in {wait}.", fault.what_happened()),
        None => fault.what_happened().to_string(),
    }
}

fn merge(value: &mut Value, fields: Map<String, Value>) {
    if let Some(map) = value.as_object_mut() {
        map.extend(fields);
    }
}

fn query_fields(group: &QueryResults) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("query".to_owned(), json!(group.query));
    fields.insert(
        "providers".to_owned(),
        group
            .providers
            .iter()
            .map(|provider| provider.as_str())
            .collect(),
    );
    fields.insert(
        "results".to_owned(),
        group.results.iter().map(result).collect(),
    );
    if let Some(total) = group.total {
        fields.insert("total".to_owned(), json!(total));
    }
    if let Some(age) = group.age {
        fields.insert("ageSeconds".to_owned(), json!(age.as_secs()));
    }
    if let Some(hints) = &group.hints {
        fields.insert("hints".to_owned(), self::hints(hints));
    }
    if let Some(seconds) = group.missing.as_ref().and_then(|it| it.advice().seconds()) {
        fields.insert("retryAfterSeconds".to_owned(), json!(seconds));
    }
    if let Some(fault) = &group.fault {
        fields.insert("error".to_owned(), fault_value(fault));
    }
    fields
}

/// The JSON of a fault inside an answer.
pub(crate) fn fault_value(fault: &Fault) -> Value {
    let mut rendered = render(fault, Dialect::Dual, &Context::new(Surface::Search));
    rendered
        .structured
        .as_mut()
        .map(|structured| structured["error"].take())
        .unwrap_or_default()
}

fn result(found: &FusedHit) -> Value {
    let hit = &found.hit;
    let mut value = json!({
        "title": hit.title, "url": hit.url, "snippet": hit.snippet,
        "published": hit.published.map(|date| date.to_string()), "source": hit.source,
    });
    if found.providers.len() > 1 {
        value["providers"] = found
            .providers
            .iter()
            .map(|provider| provider.as_str())
            .collect();
    }
    match &hit.details {
        Details::Page => {}
        Details::Paper(details) => merge(&mut value, paper(details)),
        Details::Patent(details) => merge(&mut value, patent(details)),
        Details::Fields(fields) => value["fields"] = fields.clone(),
    }
    if let Some(map) = value.as_object_mut() {
        map.retain(|_, value| !value.is_null() && *value != json!("") && *value != json!([]));
    }
    value
}

fn paper(paper: &Paper) -> Map<String, Value> {
    fields(json!({
        "authors": paper.authors, "doi": paper.doi, "venue": paper.venue, "citations": paper.citations, "pdf": paper.pdf,
        "openAccess": paper.open_access, "id": paper.id,
    }))
}

fn patent(patent: &Patent) -> Map<String, Value> {
    let day = |date: Option<Date>| date.map(|date| date.to_string());
    fields(json!({
        "number": patent.number, "assignees": patent.assignees, "inventors": patent.inventors, "filed": day(patent.filed),
        "granted": day(patent.granted), "priority": day(patent.priority), "pdf": patent.pdf,
    }))
}

fn fields(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// The filter, spelling, provider or capability that a suggestion is about.
fn suggestion_value(suggestion: &Suggestion) -> Option<&str> {
    match suggestion {
        Suggestion::RemoveFilter(filter) => Some(filter_name(*filter)),
        Suggestion::UseSpelling(words) => Some(words),
        Suggestion::SwitchProvider(provider) => Some(provider.as_str()),
        Suggestion::SwitchCapability(capability) => Some(capability.as_str()),
        Suggestion::RemoveQuotes | Suggestion::ShortenQuery | Suggestion::ReadPages => None,
    }
}

/// The sentence for a limitation of an answer. It contains no text from a provider.
fn sentence(degraded: &Degraded) -> String {
    match degraded {
        Degraded::FilterIgnored(provider, filter) => format!(
            "{} cannot filter by {}; its results are unfiltered.",
            provider.title(),
            filter_name(*filter)
        ),
        Degraded::FilteredHere(provider, filter) => format!(
            "{} cannot filter by {}; its results were filtered here, so there may be few.",
            provider.title(),
            filter_name(*filter)
        ),
        Degraded::FewerResults(provider, most) => {
            format!("{} gives at most {}.", provider.title(), results(*most))
        }
        Degraded::Scope(_, say) | Degraded::Note(_, say) => say.to_string(),
    }
}

fn hints(hints: &Hints) -> Value {
    let action = |suggestion: &Suggestion| match suggestion_value(suggestion) {
        Some(value) => json!({"action": suggestion.action(), "value": value}),
        None => json!({"action": suggestion.action()}),
    };
    let mut value = json!({
        "reason": hints.reason.as_str(),
        "suggestedActions": hints.actions.iter().map(action).collect::<Vec<_>>(),
    });
    if hints.reason.is_too_narrow() {
        value["suggestedAction"] = json!(Action::BroadenQuery);
    }
    value
}

fn attempt(answer: &SearchAnswer, attempt: &ProviderAttempt) -> Value {
    let mut value = json!({"provider": attempt.provider.as_str()});
    if let [_, _, ..] = answer.groups.as_slice() {
        value["query"] = json!(attempt.query + 1);
    }
    let (word, fault) = match &attempt.outcome {
        AttemptOutcome::Answered(results) => {
            value["outcome"] = json!("answered");
            value["results"] = json!(results);
            return value;
        }
        AttemptOutcome::Failed(fault) => ("failed", fault),
        AttemptOutcome::Skipped(fault) => ("skipped", fault),
    };
    value["outcome"] = json!(word);
    value["kind"] = json!(fault.kind().as_str());
    value["reason"] = json!(fault.reason());
    if let Some(seconds) = fault.advice().seconds() {
        value["retryAfterSeconds"] = json!(seconds);
    }
    value
}

/// `1 result`, `2 results`.
pub(crate) fn results(count: usize) -> String {
    counted(count as u64, "result")
}

pub(super) fn counted(count: u64, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}
