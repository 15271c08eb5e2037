//! The answer: what the model wrote, checked against the schema and linked with what xAI cites.

use std::ops::Range;
use std::time::Duration;

use fault::Say;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::analysis::Analysis;
use super::citation::{Citation, Citations};
use super::json_text;
use super::query::{AnalysisMode, LiveQuery};
use super::reply::{self, Reply};
use super::texts::{Texts, date};
use crate::layer::Cacheable;
use crate::search::Date;

/// What a live search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveAnswer {
    /// The cited ones first.
    pub results: Vec<LiveResult>,
    pub summary: String,
    /// With [`AnalysisMode::Comprehensive`].
    pub analysis: Option<Analysis>,
    /// Every source that xAI names, in its order.
    pub citations: Vec<Citation>,
    /// What the answer lacks.
    #[serde(skip)]
    pub degraded: Vec<Say>,
}

/// One result. A value that the model did not give is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LiveResult {
    pub title: Option<String>,
    pub snippet: Option<String>,
    pub url: Option<String>,
    /// The name of the site, or the account.
    pub source: Option<String>,
    pub published: Option<Date>,
    pub author: Option<String>,
    /// From 1 to 10, as the model sees it.
    pub relevance: Option<u64>,
    /// Which of the citations the address is; `None` when xAI does not cite it.
    pub citation: Option<usize>,
    /// The citations that stand in this result's text.
    pub cited_here: Vec<usize>,
}

impl LiveAnswer {
    /// The answer in the body of a reply; `None` when there is none of the documented form.
    pub fn from_body(query: &LiveQuery, body: &[u8]) -> Option<LiveAnswer> {
        LiveAnswer::read(query, reply::read(body).ok()?)
    }

    /// The answer in a reply; `None` when the text holds no object of the documented form.
    pub(super) fn read(query: &LiveQuery, reply: Reply) -> Option<LiveAnswer> {
        let written = json_text::find(&reply.text, |object| Written::read(query.mode, object))?;
        let texts = Texts::new();
        let summary = texts.long(&written.object["summary"]).unwrap_or_default();
        let analysis = match query.mode {
            AnalysisMode::Basic => None,
            AnalysisMode::Comprehensive => {
                Some(Analysis::read(&written.object, &reply.citations, &texts)?)
            }
        };
        let mut degraded = shortcomings(query, &reply);
        let mut results = Vec::new();
        for raw in written.results.iter().take(MAX_READ) {
            results.push(written_result(raw, &reply, &texts)?);
        }
        results.retain(LiveResult::says_something);
        keep_period(&mut results, query, &mut degraded);
        results.sort_by_key(|result| result.citation.is_none());
        results.truncate(query.count);
        if texts.is_full() {
            degraded.push(TOO_LONG);
        }
        let addresses = results.iter().filter(|it| it.url.is_some());
        let uncited = addresses.filter(|it| it.citation.is_none()).count();
        if uncited + analysis.as_ref().map_or(0, Analysis::uncited) > 0 {
            degraded.push(UNCITED);
        }
        Some(LiveAnswer {
            results,
            summary,
            analysis,
            citations: reply.citations.into_list(),
            degraded,
        })
    }
}

/// The most results that are looked at. A caller gets far fewer, and the citations in each have to
/// be found.
const MAX_READ: usize = 200;

const TOO_LONG: Say = Say::new("The answer is too long; the rest of it was left out.");
const UNCITED: Say = Say::new(
    "xAI does not cite every address that its model names; the others are marked as not cited and may not exist.",
);
const NOT_SEARCHED: Say =
    Say::new("xAI answered without searching; this is what its model remembers.");
const CUT: Say = Say::new("The model was stopped before it had finished.");
const FILTERED_HERE: Say = Say::new(
    "xAI filters only posts on X by date; pages were filtered here, and those without a date are kept.",
);

/// What is known to be missing before the results are looked at.
fn shortcomings(query: &LiveQuery, reply: &Reply) -> Vec<Say> {
    let has_period = query.from.is_some() || query.to.is_some();
    let rows = [
        (
            !reply.has_searched && reply.citations.is_empty(),
            NOT_SEARCHED,
        ),
        (reply.is_cut, CUT),
        (has_period && query.kind.has_web(), FILTERED_HERE),
    ];
    let applies = rows.into_iter().filter(|(applies, _)| *applies);
    applies.map(|(_, say)| say).collect()
}

/// Leaves out results that were published before or after the period that was asked for.
fn keep_period(results: &mut Vec<LiveResult>, query: &LiveQuery, degraded: &mut Vec<Say>) {
    let before = results.len();
    results.retain(|result| {
        result.published.is_none_or(|published| {
            let early = query.from.is_some_and(|from| published.last_day() < from);
            let late = query.to.is_some_and(|to| published.first_day() > to);
            !early && !late
        })
    });
    if results.len() < before && !degraded.contains(&FILTERED_HERE) {
        degraded.push(FILTERED_HERE);
    }
}

/// The object that the model wrote, with the places of its results.
struct Written<'t> {
    object: Value,
    results: Vec<&'t RawValue>,
}

/// The fields whose places matter.
#[derive(Deserialize)]
struct ResultLists<'t> {
    #[serde(borrow)]
    results: Option<Vec<&'t RawValue>>,
    #[serde(borrow)]
    raw_results: Option<Vec<&'t RawValue>>,
}

impl<'t> Written<'t> {
    /// `None` when the object is not of the form that the mode asks for.
    fn read(mode: AnalysisMode, object: &'t RawValue) -> Option<Written<'t>> {
        let lists: ResultLists<'t> = serde_json::from_str(object.get()).ok()?;
        let object: Value = serde_json::from_str(object.get()).ok()?;
        let results = match mode {
            AnalysisMode::Basic => lists.results?,
            AnalysisMode::Comprehensive => {
                has_text(&object["comprehensive_analysis"]).then_some(())?;
                lists.raw_results.or(lists.results).unwrap_or_default()
            }
        };
        Some(Written { object, results })
    }
}

fn has_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// A result with its citations; `None` when it is not an object.
fn written_result(raw: &RawValue, reply: &Reply, texts: &Texts) -> Option<LiveResult> {
    let value: Value = serde_json::from_str(raw.get()).ok()?;
    value.as_object()?;
    let place = place_of(raw.get(), &reply.text);
    let mut cited_here: Vec<usize> = Vec::new();
    for (at, citation) in &reply.places {
        if place.contains(at) && !cited_here.contains(citation) {
            cited_here.push(*citation);
        }
    }
    let url = texts.address(&value["url"]);
    let url = url.or_else(|| only_cited(&cited_here, &reply.citations));
    Some(LiveResult {
        title: texts.name(&value["title"]),
        snippet: texts.field(&value["snippet"]),
        citation: url.as_deref().and_then(|url| reply.citations.find(url)),
        url,
        source: texts.name(&value["source"]),
        published: date(&value["published_date"]),
        author: texts.name(&value["author"]),
        relevance: value["relevance_score"].as_u64().filter(|it| *it <= 10),
        cited_here,
    })
}

/// The address of a result that has none of its own and cites exactly one source.
fn only_cited(cited_here: &[usize], citations: &Citations) -> Option<String> {
    match cited_here {
        [only] => citations.url(*only).map(str::to_owned),
        _ => None,
    }
}

/// Where a part of a text is in it, in bytes.
fn place_of(part: &str, text: &str) -> Range<usize> {
    let start = part.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    start..start + part.len()
}

impl LiveResult {
    fn says_something(&self) -> bool {
        self.title.is_some() || self.snippet.is_some() || self.url.is_some()
    }
}

impl Cacheable for LiveAnswer {
    /// What lacks something is not shown again.
    fn fresh_for(&self) -> Duration {
        if !self.degraded.is_empty() {
            return Duration::ZERO;
        }
        match self.analysis {
            None => AnalysisMode::Basic.fresh_for(),
            Some(_) => AnalysisMode::Comprehensive.fresh_for(),
        }
    }

    fn weight(&self) -> u64 {
        serde_json::to_string(self).map_or(0, |packed| packed.len() as u64)
    }

    fn packed(&self) -> Option<String> {
        serde_json::to_string(self)
            .ok()
            .filter(|_| self.degraded.is_empty())
    }

    fn unpacked(text: &str) -> Option<LiveAnswer> {
        serde_json::from_str(text).ok()
    }
}
