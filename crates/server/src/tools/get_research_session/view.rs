//! What a reply shows of a session: as much as fits, and how to get the rest.
//!
//! A session may hold megabytes. Every list has its own room, so that many sources do not hide the
//! gaps, and what has no room is counted. Steps are read only as far as there is room for them.

use std::fmt::Write;
use std::iter;

use engine::research::export::{fitting_sources, json_characters};
use engine::research::{
    Branch, Gap, RejectedApproach, ResearchSessions, Session, Source, SourceState, Step,
    StepStatus, Tally,
};
use engine::store::Tenant;
use fault::Fault;
use serde::Serialize;
use serde_json::{Value, json};

/// The room of each list in the structured content, in characters. Together with the text, which
/// repeats most of it shortened, they keep a reply well under 25 000 tokens.
const STEPS: usize = 20_000;
const SOURCES: usize = 16_000;
const GAPS: usize = 6_000;
const REJECTED: usize = 3_000;
const BRANCHES: usize = 2_000;
/// The longest summary.
const SUMMARY: usize = 4_000;

/// The longest text or reasoning of a step among others; alone it is shown whole.
const STEP_PART: usize = 4_000;
/// The same on its line of text.
const STEP_LINE: usize = 200;
/// How many steps are read at once.
const STEPS_AT_ONCE: usize = 10;
/// How many sources the text shows.
const SHOWN_SOURCES: usize = 20;

/// The steps from number `from` on for which there is room, at most `limit`, and at least one.
pub(super) async fn fitting_steps(
    research: &ResearchSessions,
    (tenant, id): (&Tenant, &str),
    from: u32,
    limit: usize,
) -> Result<Vec<ListedStep>, Fault> {
    let (mut listed, mut room, mut next) = (Vec::new(), STEPS, from);
    while listed.len() < limit {
        let count = STEPS_AT_ONCE.min(limit - listed.len());
        let steps = research.steps(tenant, id, next, count).await?;
        let Some(last) = steps.last() else {
            break;
        };
        next = last.number.saturating_add(1);
        for step in steps.into_iter().map(ListedStep::new) {
            let size = json_characters(&step);
            if size > room && !listed.is_empty() {
                return Ok(listed);
            }
            room = room.saturating_sub(size);
            listed.push(step);
        }
    }
    Ok(listed)
}

/// A step among others, with long texts cut.
#[derive(Debug, Serialize)]
pub(super) struct ListedStep {
    #[serde(flatten)]
    step: Step,
    /// Whether `stepNumber` shows more of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl ListedStep {
    fn new(mut step: Step) -> ListedStep {
        let mut truncated = false;
        for text in iter::once(&mut step.text).chain(&mut step.reasoning) {
            let short = cut(text, STEP_PART);
            truncated |= short != *text;
            *text = short;
        }
        ListedStep { step, truncated }
    }
}

/// A session with the requested steps.
pub(super) struct Shown {
    session: Session,
    steps: Vec<ListedStep>,
    sources: Vec<Source>,
    tally: Tally,
    gaps: Vec<Gap>,
    rejected: Vec<RejectedApproach>,
    branches: Vec<Branch>,
    summary: Option<String>,
    left_out: LeftOut,
}

/// How many entries of each list had no room.
#[derive(Debug, Clone, Copy, Serialize)]
struct LeftOut {
    sources: usize,
    gaps: usize,
    rejected: usize,
    branches: usize,
}

impl LeftOut {
    fn is_nothing(self) -> bool {
        self.sources + self.gaps + self.rejected + self.branches == 0
    }
}

impl Shown {
    pub(super) fn new(
        session: Session,
        steps: Vec<ListedStep>,
        sources: Vec<Source>,
        tally: Tally,
    ) -> Shown {
        let digest = &session.digest;
        // Open gaps are what the caller must see; of the rest, the newest.
        let mut gaps: Vec<Gap> = digest.gaps.clone();
        gaps.sort_by_key(|gap| (gap.closed_at.is_some(), std::cmp::Reverse(gap.closed_at)));
        let (mut gaps, no_gaps) = fitting(gaps, GAPS);
        gaps.sort_by_key(|gap| gap.opened_at);
        let newest = |list: &[RejectedApproach]| list.iter().rev().cloned().collect();
        let (mut rejected, no_rejected) = fitting(newest(&digest.rejected), REJECTED);
        rejected.reverse();
        let (branches, no_branches) = fitting(digest.branches.clone(), BRANCHES);
        let (sources, no_sources) = fitting_sources(sources, SOURCES);
        Shown {
            summary: digest.summary.as_ref().map(|text| cut(text, SUMMARY)),
            left_out: LeftOut {
                sources: no_sources,
                gaps: no_gaps,
                rejected: no_rejected,
                branches: no_branches,
            },
            session,
            steps,
            sources,
            tally,
            gaps,
            rejected,
            branches,
        }
    }

    pub(super) fn structured(&self) -> Value {
        let mut structured = json!(self.session);
        structured["gaps"] = json!(self.gaps);
        structured["rejected"] = json!(self.rejected);
        structured["branches"] = json!(self.branches);
        if let Some(summary) = &self.summary {
            structured["summary"] = json!(summary);
        }
        if !self.left_out.is_nothing() {
            structured["leftOut"] = json!(self.left_out);
        }
        structured["sessionId"] = json!(self.session.id);
        structured["stepList"] = json!(self.steps);
        structured["sources"] = json!(self.sources);
        structured["untrusted"] = json!(fault::UNTRUSTED_TEXTS);
        structured["errorPatterns"] = json!(self.tally.error_patterns);
        structured["providerStats"] = json!(self.tally.provider_stats);
        let next = self.steps.last().map(|listed| listed.step.number + 1);
        if let Some(next) = next.filter(|next| *next <= self.session.digest.steps) {
            structured["cursor"] = json!(next.to_string());
            structured["truncated"] = json!(true);
        }
        structured
    }

    pub(super) fn text(&self, can_export: bool) -> String {
        let mut text = self.heading();
        for listed in &self.steps {
            let _ = writeln!(text, "{}", one_step(&listed.step, STEP_LINE));
        }
        self.write_notes(&mut text);
        self.write_sources(&mut text);
        for pattern in &self.tally.error_patterns {
            let _ = writeln!(
                text,
                "{} failures of kind {}: {}",
                pattern.count, pattern.kind, pattern.suggestion
            );
        }
        if let Some(summary) = &self.summary {
            let _ = writeln!(text, "Summary: {summary}");
        }
        self.write_left_out(&mut text, can_export);
        text.truncate(text.trim_end().len());
        text
    }

    fn heading(&self) -> String {
        let digest = &self.session.digest;
        let mut facts = vec![counted(digest.steps as usize, "step", "steps")];
        facts.extend(digest.completed.map(|_| "complete".to_owned()));
        let confidence = digest.confidence.map(percent);
        facts.extend(confidence.map(|confidence| format!("confidence {confidence}")));
        format!(
            "{}: {} ({})\n",
            self.session.id,
            digest.goal,
            facts.join(", ")
        )
    }

    /// Branches, gaps and rejected approaches.
    fn write_notes(&self, text: &mut String) {
        for branch in &self.branches {
            let (name, from, first) = (&branch.name, branch.from, branch.first);
            let _ = writeln!(
                text,
                "Branch {name}: from step {from}, starts with step {first}"
            );
        }
        for gap in self.gaps.iter().filter(|gap| gap.closed_at.is_none()) {
            let _ = writeln!(text, "Open gap {}: {}", gap.id, gap.text);
        }
        for gap in &self.gaps {
            if let Some(at) = gap.closed_at {
                let _ = writeln!(text, "Closed gap {} (step {at}): {}", gap.id, gap.text);
            }
        }
        for way in &self.rejected {
            let _ = writeln!(text, "Rejected (step {}): {}", way.step, way.text);
        }
    }

    /// The sources that were read come first.
    fn write_sources(&self, text: &mut String) {
        if self.sources.is_empty() {
            return;
        }
        let mut sources: Vec<&Source> = self.sources.iter().collect();
        sources.sort_by_key(|source| std::cmp::Reverse(source.state));
        let count = |state| {
            sources
                .iter()
                .filter(|source| source.state == state)
                .count()
        };
        let _ = writeln!(
            text,
            "Sources (untrusted titles): {} read, {} failed, {} only listed",
            count(SourceState::Read),
            count(SourceState::Failed),
            count(SourceState::Listed)
        );
        for source in sources.iter().take(SHOWN_SOURCES) {
            let title = source.title.as_deref().unwrap_or_default();
            let (state, via) = (source.state.as_str(), &source.via);
            let _ = writeln!(text, "- {state} ({via}): {title} {}", source.url);
        }
    }

    fn write_left_out(&self, text: &mut String, can_export: bool) {
        let LeftOut {
            sources,
            gaps,
            rejected,
            branches,
        } = self.left_out;
        let counts = [
            (sources, "source", "sources"),
            (gaps, "gap", "gaps"),
            (rejected, "rejected approach", "rejected approaches"),
            (branches, "branch", "branches"),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(count, one, several)| counted(count, one, several))
            .collect();
        if counts.is_empty() {
            return;
        }
        let more = if can_export {
            "; research_export shows more"
        } else {
            ""
        };
        let _ = writeln!(text, "Left out here: {}{more}", counts.join(", "));
    }
}

/// The first entries that have this many characters as JSON, and how many are left out.
fn fitting<T: Serialize>(mut list: Vec<T>, characters: usize) -> (Vec<T>, usize) {
    let mut room = characters;
    let fits = |entry: &&T| {
        let size = json_characters(*entry);
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    };
    let count = list.iter().take_while(fits).count();
    let left_out = list.len() - count;
    list.truncate(count);
    (list, left_out)
}

/// The text, or its beginning with a mark that there is more.
pub(super) fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// A step on one line: its number, the beginning of its text, and what it did.
pub(super) fn one_step(step: &Step, characters: usize) -> String {
    let mut facts = Vec::new();
    facts.extend(step.revises.map(|number| format!("revises step {number}")));
    facts.extend(step.branch.as_ref().map(|name| match step.branch_from {
        Some(from) => format!("branch {name} from step {from}"),
        None => format!("branch {name}"),
    }));
    facts.extend(
        step.query
            .as_ref()
            .map(|query| format!("query \"{query}\"")),
    );
    facts.extend(search_facts(step));
    facts.extend(
        step.confidence
            .map(|it| format!("confidence {}", percent(it))),
    );
    for (name, gaps) in [("opened", &step.opened), ("closed", &step.closed)] {
        facts.extend((!gaps.is_empty()).then(|| format!("{name} {}", gaps.join(", "))));
    }
    let facts = if facts.is_empty() {
        String::new()
    } else {
        format!(" [{}]", facts.join("; "))
    };
    format!("{}. {}{facts}", step.number, cut(&step.text, characters))
}

/// How the search of a step ended.
fn search_facts(step: &Step) -> Vec<String> {
    let mut facts = Vec::new();
    match step.status {
        StepStatus::Done => {}
        StepStatus::Failed => {
            let error = step.error.as_ref();
            let word = |name| error.and_then(|error| error.get(name)?.as_str());
            let kind = word("kind").unwrap_or("unknown");
            let reason = word("reason").map_or(String::new(), |reason| format!("/{reason}"));
            facts.push(format!("search failed: {kind}{reason}"));
        }
        StepStatus::Unanswered => facts.push("search not answered".to_owned()),
    }
    facts.extend(
        step.response_id
            .as_ref()
            .map(|id| format!("responseId {id}")),
    );
    facts
}

fn percent(confidence: f64) -> String {
    format!("{:.0} %", confidence * 100.0)
}

pub(super) fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
