//! The sentences of a fault: the row's templates filled with the facts that were seen.

use crate::catalogue::{Wait, Wording};
use crate::fault::{Attempt, Fault};
use crate::kind::{Action, Kind, Origin};
use crate::problem::Problem;
use crate::remedy::{Retry, in_words};
use crate::size::{Limit, Size, counted};
use crate::slot::ProviderId;
use crate::template;
use crate::text::Say;

/// How many further providers' waits are told.
const MAX_WAITS_TOLD: usize = 3;

/// A sentence in two parts, so that a dialect can leave out the advice without searching for where
/// it begins.
pub(crate) struct Sentence {
    happened: Say,
    /// Begins with its own space or comma; may be empty.
    advice: String,
}

impl Sentence {
    /// What happened, without advice.
    pub(crate) fn new(happened: Say) -> Sentence {
        Sentence {
            happened,
            advice: String::new(),
        }
    }

    /// What happened and what to do.
    pub(crate) fn whole(self) -> Say {
        if self.advice.is_empty() {
            self.happened
        } else {
            Say::assembled(format!("{}{}", self.happened, self.advice))
        }
    }

    /// What happened, as a sentence of its own.
    pub(crate) fn without_advice(self) -> Say {
        Say::assembled(format!("{}.", self.happened.as_str().trim_end_matches('.')))
    }

    pub(crate) fn has_advice(&self) -> bool {
        !self.advice.is_empty()
    }

    /// What to do, as a sentence of its own; `None` if there is nothing to do.
    pub(crate) fn only_advice(self) -> Option<Say> {
        let advice = self.advice.trim_start_matches([' ', ',', ';', '.']);
        (!advice.is_empty()).then(|| Say::assembled(advice.to_owned()).capitalised())
    }

    /// Whether the advice leaves no doubt that the same call must not be made.
    pub(crate) fn rules_out_a_retry(&self) -> bool {
        self.advice.to_lowercase().contains("do not retry")
    }

    /// What happened as a sentence without advice, and the advice as one of its own.
    pub(crate) fn split(self) -> (Sentence, Option<Say>) {
        let advice = Sentence {
            happened: Say::new(""),
            advice: self.advice.clone(),
        };
        (Sentence::new(self.without_advice()), advice.only_advice())
    }

    /// Puts an introduction such as `API error (404): ` before it.
    pub(crate) fn introduced(self, introduction: &str) -> Sentence {
        Sentence {
            happened: Say::assembled(format!("{introduction}{}", self.happened)),
            ..self
        }
    }

    /// Names the source after what happened: `Request timeout (Brave Search)`.
    pub(crate) fn naming(self, source: &str) -> Sentence {
        let happened = self.happened.as_str().trim_end_matches('.');
        Sentence {
            happened: Say::assembled(format!("{happened} ({source})")),
            ..self
        }
    }

    /// Appends another piece of advice.
    pub(crate) fn advised(self, advice: Say) -> Sentence {
        let end = if self.advice.is_empty() {
            self.happened.as_str()
        } else {
            &self.advice
        };
        let stop = if end.ends_with('.') { "" } else { "." };
        Sentence {
            advice: format!("{}{stop} {advice}", self.advice),
            happened: self.happened,
        }
    }
}

impl Fault {
    /// What failed, then what to do.
    pub fn sentence(&self) -> Say {
        let sentence = self.in_parts(self.common_wording());
        match self.stop_note() {
            Some(stop) if self.first_advice().is_possible() => sentence.without_advice().then(stop),
            Some(stop) => sentence.whole().then(stop),
            None => sentence.whole(),
        }
    }

    /// The request to stop, once the same call has failed too often.
    pub(crate) fn stop_note(&self) -> Option<Say> {
        self.is_stopped().then(|| {
            Say::assembled(format!(
                "This same call has now failed {} times: stop repeating it.",
                self.facts().repeats
            ))
        })
    }

    /// What failed, without advice, for an answer that came in spite of it.
    pub fn what_happened(&self) -> Say {
        self.in_parts(self.common_wording()).without_advice()
    }

    /// What failed and what somebody has to correct, for an answer that came in spite of it and that
    /// needs no retry.
    pub fn what_to_correct(&self) -> Say {
        if self.has_own_sentence() || self.has_own_advice() {
            return self.sentence();
        }
        let wording = self.common_wording();
        let advice = template::fill(wording.advice(), |name| {
            self.value(name).filter(|_| name != "not_before")
        });
        Say::assembled(format!("{}{advice}", self.fill(wording.happened())))
    }

    /// The row's wording for pages, for a provider or for several of them.
    pub(crate) fn common_wording(&self) -> Wording {
        let row = self.row();
        if let Some(wording) = row.of_all_providers.filter(|_| self.is_of_all_providers()) {
            return wording;
        }
        match (self.origin(), row.provider_sentence) {
            (Origin::Provider, Some(wording)) => wording,
            _ => row.sentence,
        }
    }

    /// The fault's own sentence if it has one, or else this wording of the row. Several pages have
    /// one sentence for all of them.
    pub(crate) fn in_parts(&self, wording: Wording) -> Sentence {
        if let Some(sentence) = self.sentence_of_pages() {
            return sentence;
        }
        let (saying, advising) = (&self.facts().saying, &self.facts().advising);
        let happened = match (saying, advising) {
            (None, None) => return self.advised_for_the_call(wording),
            (Some(happened), _) => happened.clone(),
            (None, Some(_)) => self.fill(wording.happened()),
        };
        let sentence = Sentence::new(happened);
        // What one source's failure needs is not what the call needs: another may answer earlier.
        if self.facts().attempts.len() > 1 && self.first_may_pass_later() {
            return sentence.advised(self.fill(self.wait_advice()));
        }
        let sentence = match advising {
            Some(advice) => self.until_corrected(sentence.advised(advice.clone())),
            None => sentence,
        };
        match self.fill(self.other_way(advising.is_some())) {
            none if none.as_str().is_empty() => sentence,
            way => sentence.advised(way),
        }
    }

    /// Adds that a call which waits for somebody's correction is not to be repeated before.
    fn until_corrected(&self, sentence: Sentence) -> Sentence {
        let waits = match self.kind() {
            Kind::Config => true,
            Kind::AuthRequired => self.origin() == Origin::Provider,
            _ => false,
        };
        if waits && self.first_advice() == Retry::Never && !sentence.rules_out_a_retry() {
            sentence.advised(Say::new("Do not retry before that is done."))
        } else {
            sentence
        }
    }

    /// The other providers, after a sentence of the fault's own.
    fn other_way(&self, has_advice: bool) -> &'static str {
        match (has_advice, self.first_advice().is_possible()) {
            _ if self.usable_alternatives().is_empty() => "",
            (false, _) => "Try a different provider: {others}.",
            (true, _) if self.is_long_wait() => {
                "Meanwhile {elsewhere}; this one may answer again in {wait}."
            }
            (true, true) => "Or {elsewhere}.",
            (true, false) => "Meanwhile {elsewhere}.",
        }
    }

    /// Whether the case itself never passes, but another attempt of the call may.
    fn first_may_pass_later(&self) -> bool {
        !self.row_may_pass() && self.first_advice().is_possible()
    }

    /// The row's sentence. Its advice is replaced where the call's own retry contradicts it, because
    /// several attempts were made or the wait is long.
    fn advised_for_the_call(&self, wording: Wording) -> Sentence {
        let happened = Sentence::new(self.fill(wording.happened()));
        let with_own_advice = || Sentence {
            happened: self.fill(wording.happened()),
            advice: self.fill(wording.advice()).to_string(),
        };
        let may_pass = self.first_advice().is_possible();
        if wording.advice().is_empty() || may_pass == self.row_may_pass() && !self.is_special_wait()
        {
            return with_own_advice();
        }
        if !may_pass {
            return happened.advised(self.fill(match self.origin() {
                Origin::Page => "Do not retry; use another source.",
                _ => "Do not retry[; {elsewhere}].",
            }));
        }
        let wait = self.fill(self.wait_advice());
        if self.row().correctable && self.action() == Action::CheckApiKey {
            with_own_advice().advised(wait)
        } else {
            happened.advised(wait)
        }
    }

    /// A wording's advice as a sentence of its own; `None` if it has none.
    pub(crate) fn filled_advice(&self, wording: Wording) -> Option<Say> {
        let advice = self.fill(wording.advice()).to_string();
        let sentence = Sentence {
            happened: Say::new(""),
            advice,
        };
        sentence.only_advice()
    }

    fn row_may_pass(&self) -> bool {
        self.row().retry != Wait::Never
    }

    /// Whether the row's words about waiting are not true of this call.
    fn is_special_wait(&self) -> bool {
        let speaks_for_all = self.row().of_all_providers.is_some() && self.is_of_all_providers();
        self.is_long_wait()
            || self.first_advice().is_possible() && self.waits().is_some() && !speaks_for_all
    }

    /// Whether several providers were asked, and each failed as this fault says.
    fn is_of_all_providers(&self) -> bool {
        let attempts = &self.facts().attempts;
        let is_same = |attempt: &Attempt| attempt.provider.is_some() && attempt.case == self.case();
        attempts.len() > 1 && attempts.iter().all(is_same)
    }

    fn wait_advice(&self) -> &'static str {
        match (self.waits().is_some(), self.is_long_wait()) {
            (true, false) if self.has_blanks() => {
                "No provider found anything; {waits}.[ Not asked yet: {others}.]"
            }
            (true, true) if self.has_blanks() => {
                "No provider found anything; {waits}. Use another source[: {others}]."
            }
            (true, false) => "No provider answered; {waits}.[ Not asked yet: {others}.]",
            (true, true) => "No provider answered; {waits}. Use another source[: {others}].",
            (false, true) => "Use another source[: {others}]. This one may answer again in {wait}.",
            (false, false) => "Wait {wait} and retry once, or use another source.",
        }
    }

    /// When each of several providers may answer again, the first one first; `None` when only one
    /// was asked.
    fn waits(&self) -> Option<String> {
        let failed = |attempt: &&Attempt| !attempt.is_blank();
        if self.facts().attempts.iter().filter(failed).count() < 2 {
            return None;
        }
        let mut waits: Vec<(u64, ProviderId)> = Vec::new();
        for attempt in &self.facts().attempts {
            if let (Some(provider), Some(seconds)) = (attempt.provider, attempt.retry.seconds())
                && !waits.iter().any(|(_, known)| *known == provider)
            {
                waits.push((seconds, provider));
            }
        }
        waits.sort_by_key(|(seconds, _)| *seconds);
        let mut groups = waits
            .chunk_by(|(one, _), (other, _)| in_words(*one) == in_words(*other))
            .filter_map(|group| Some((titles(group), group.len(), in_words(group.first()?.0))));
        let (names, count, wait) = groups.next()?;
        let are = if count == 1 { "is" } else { "are" };
        let later: Vec<String> = groups
            .take(MAX_WAITS_TOLD)
            .map(|(names, _, wait)| format!("{names} in {wait}"))
            .collect();
        let later = if later.is_empty() {
            String::new()
        } else {
            format!(" ({})", later.join(", "))
        };
        Some(format!("{names} {are} free again in {wait}{later}"))
    }

    /// Whether a provider answered, but without results.
    fn has_blanks(&self) -> bool {
        self.facts().attempts.iter().any(Attempt::is_blank)
    }

    /// Whether the fault's own sentence replaces the catalogue's.
    pub(crate) fn has_own_sentence(&self) -> bool {
        self.facts().saying.is_some()
    }

    /// Whether the fault's own advice replaces the catalogue's.
    pub(crate) fn has_own_advice(&self) -> bool {
        self.facts().advising.is_some()
    }

    /// Whether the sentence already says all there is to say about a retry, so that no dialect needs
    /// to add it.
    pub(crate) fn says_whether_to_retry(&self) -> bool {
        let sentence = || self.in_parts(self.common_wording());
        !self.is_stopped() && (self.has_own_advice() || sentence().rules_out_a_retry())
    }

    /// Fills one of the row's templates with this fault's facts.
    pub(crate) fn fill(&self, template: &'static str) -> Say {
        let sentence = template::fill(template, |name| self.value(name));
        // A host keeps its case at the start of a sentence; our own words for a source are
        // capitalised.
        let facts = self.facts();
        let is_own_words = facts.provider.is_none() && (facts.host.is_none() || facts.of_robots);
        if is_own_words && template.starts_with("{source}") {
            sentence.capitalised()
        } else {
            sentence
        }
    }

    /// The value of a slot, from a typed fact.
    fn value(&self, name: &str) -> Option<String> {
        let facts = self.facts();
        let problems = |sentence: fn(&Problem) -> String| {
            let sentences: Vec<String> = facts.problems.iter().map(sentence).collect();
            (!sentences.is_empty()).then(|| sentences.join("; "))
        };
        match name {
            "source" => Some(self.source()),
            "host" => facts.host.as_ref().map(ToString::to_string),
            // A success that was none is explained by other words than its status.
            "status" => facts
                .status
                .filter(|status| !(200..300).contains(status))
                .map(|status| status.to_string()),
            "phrase" => facts.status.and_then(status_phrase).map(str::to_owned),
            "phase" => facts.phase.map(|phase| phase.to_string()),
            "wait" => self.advice().seconds().map(in_words),
            "requested" => self.requested_seconds().map(in_words),
            "waits" => self.waits(),
            "asked" => Some(facts.attempts.len().to_string()),
            // Only where no other attempt makes the call worth repeating.
            "not_before" => (self.first_advice() == Retry::Never)
                .then(|| "do not retry before that is done".to_owned()),
            "elsewhere" => self.elsewhere(),
            "others" => self.other_providers(),
            "size" => facts.size.map(|size| size.to_string()),
            "limit" => facts.limit.map(|limit| limit.to_string()),
            "calls" => match facts.limit {
                Some(Limit::Count(calls)) => Some(counted(calls, "call")),
                _ => None,
            },
            "elapsed" => facts.elapsed.map(|it| format!("{:.1} s", it.as_secs_f64())),
            "milliseconds" => facts.elapsed.map(|it| it.as_millis().to_string()),
            "why" => facts.detail.as_ref().map(ToString::to_string),
            "setting" => facts.setting.map(|setting| setting.to_string()),
            "parameter" => facts.parameter.map(|parameter| parameter.to_string()),
            "problems" => problems(Problem::sentence),
            "flat_problems" => problems(Problem::flat_sentence),
            _ => None,
        }
    }

    /// The provider or host that failed, if one is known.
    pub(crate) fn named_source(&self) -> Option<String> {
        let facts = self.facts();
        (facts.provider.is_some() || facts.host.is_some()).then(|| self.source())
    }

    /// Names the source that failed.
    fn source(&self) -> String {
        let facts = self.facts();
        match (facts.provider, &facts.host) {
            (Some(provider), _) => provider.title().to_owned(),
            (None, Some(host)) if facts.of_robots => format!("the robots.txt of {host}"),
            (None, None) if facts.of_robots => "the site's robots.txt".to_owned(),
            (None, Some(host)) => host.to_string(),
            (None, None) => match facts.origin {
                Origin::Page => "the site",
                Origin::Provider => "the provider",
                Origin::Local => "this server",
                Origin::Llm => "the language model",
                Origin::Store => "the store",
            }
            .to_owned(),
        }
    }

    /// Names another provider to use, if there is one.
    fn elsewhere(&self) -> Option<String> {
        if !self.has_elsewhere() {
            return None;
        }
        Some(match self.other_providers() {
            None => "try a different provider".to_owned(),
            Some(names) => format!("try a different provider: {names}"),
        })
    }

    /// The names of the usable providers.
    fn other_providers(&self) -> Option<String> {
        let usable = self.usable_alternatives().iter();
        let names: Vec<&str> = usable.map(|provider| provider.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// The outcome of each tier in order, `(markdown: empty, html: HTTP 403)`; `None` if there was
    /// only one, and for several pages, which have entries of their own.
    pub(crate) fn tiers(&self) -> Option<String> {
        if self.failed_page_count() > 0 {
            return None;
        }
        let outcomes: Vec<String> = self.facts().attempts.iter().map(Attempt::outcome).collect();
        (outcomes.len() > 1).then(|| format!("({})", outcomes.join(", ")))
    }

    /// The facts as one line for `detail`; `None` when there are none.
    pub(crate) fn facts_line(&self) -> Option<Say> {
        let seen = self.facts_seen();
        let lead = match (self.tiers(), seen.is_empty()) {
            (Some(tiers), _) => self.nothing_from() + &tiers,
            (None, true) => return None,
            (None, false) => self.row().detail.to_owned(),
        };
        let separator = if seen.is_empty() { "" } else { ": " };
        Some(Say::assembled(format!(
            "{lead}{separator}{}",
            seen.join(", ")
        )))
    }

    fn facts_seen(&self) -> Vec<String> {
        let facts = self.facts();
        let mut seen: Vec<String> = Vec::new();
        if facts.attempts.len() < 2 {
            seen.extend(facts.status.map(|status| format!("HTTP {status}")));
            seen.extend(facts.size.map(|size| size.to_string()));
        }
        seen.extend(facts.limit.map(|limit| format!("limit {limit}")));
        seen.extend(
            facts
                .elapsed
                .map(|elapsed| format!("after {:.1} s", elapsed.as_secs_f64())),
        );
        seen.extend(facts.phase.map(|phase| format!("in phase {phase}")));
        seen.extend((facts.tries > 1).then(|| format!("tried {} times", facts.tries)));
        seen.extend(self.unsaid_detail().map(ToString::to_string));
        seen
    }

    /// The detail, unless the sentence says it already.
    fn unsaid_detail(&self) -> Option<&Say> {
        let is_said =
            !self.has_own_sentence() && self.common_wording().happened().contains("{why}");
        self.facts().detail.as_ref().filter(|_| !is_said)
    }

    fn nothing_from(&self) -> String {
        let facts = self.facts();
        let asked_providers = facts.origin != Origin::Page
            && facts
                .attempts
                .iter()
                .all(|attempt| attempt.provider.is_some());
        match &facts.host {
            _ if asked_providers && self.has_blanks() => "no provider found anything ".to_owned(),
            _ if asked_providers => "no provider answered ".to_owned(),
            Some(host) => format!("no content extracted from {host} "),
            None => "no content extracted ".to_owned(),
        }
    }
}

/// `Brave`, `Brave and Tavily`, `Brave, Tavily and Exa`.
fn titles(providers: &[(u64, ProviderId)]) -> String {
    let titles: Vec<&str> = providers.iter().map(|(_, it)| it.title()).collect();
    match titles.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => titles.concat(),
    }
}

impl Attempt {
    /// Whether it is a search that was answered without results.
    fn is_blank(&self) -> bool {
        self.size == Some(Size::Results(0))
    }

    /// `html: HTTP 403`, `markdown: empty`, `html: 12 bytes`.
    fn outcome(&self) -> String {
        let name = self.name;
        match (self.status.filter(|status| *status >= 400), self.size) {
            (Some(status), _) => format!("{name}: HTTP {status}"),
            (None, Some(size)) if self.case.row().kind == Kind::ContentEmpty && !size.is_zero() => {
                format!("{name}: {size}")
            }
            _ => format!("{name}: {}", self.case.row().outcome()),
        }
    }
}

/// The standard phrase of a status. Only phrases from this list appear in a sentence.
pub(crate) fn status_phrase(status: u16) -> Option<&'static str> {
    Some(match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        520 => "Unknown Origin Error",
        521 => "Origin Down",
        522 => "Origin Connection Timed Out",
        523 => "Origin Unreachable",
        524 => "Origin Timed Out",
        525 => "Origin TLS Handshake Failed",
        526 => "Origin Certificate Invalid",
        529 => "Site Overloaded",
        _ => return None,
    })
}
