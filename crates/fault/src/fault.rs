//! The fault itself: a case, the facts that were seen, and the advice that follows from both.

use std::fmt;
use std::time::Duration;

use crate::catalogue::{Case, Row, Wait};
use crate::id::{EventId, RequestId};
use crate::kind::{Action, Kind, Origin, Phase};
use crate::problem::Problem;
use crate::remedy::{Alternatives, NextCall, RecoveryHint, Retry, in_words};
use crate::slot::{Host, ProviderId, ResourcePath, SettingName, TierName};
use crate::template;
use crate::text::{Quoted, Say, Tainted};

/// One failure. Boxed, so that a `Result` stays one pointer wide on the path that succeeds.
#[derive(Clone)]
pub struct Fault(Box<Facts>);

#[derive(Clone)]
struct Facts {
    case: Case,
    origin: Origin,
    saying: Option<Say>,
    provider: Option<ProviderId>,
    tier: Option<TierName>,
    host: Option<Host>,
    resource: Option<ResourcePath>,
    setting: Option<SettingName>,
    status: Option<u16>,
    phase: Option<Phase>,
    size: Option<u64>,
    limit: Option<u64>,
    elapsed: Option<Duration>,
    retry: Option<Retry>,
    told_wait: Option<Duration>,
    tries: u32,
    remembered: bool,
    attempts: Vec<Attempt>,
    alternatives: Alternatives,
    problems: Vec<Problem>,
    unknown_arguments: Vec<Quoted>,
    next_calls: Vec<NextCall>,
    recovery_hint: Option<RecoveryHint>,
    detail: Option<Say>,
    request_id: Option<RequestId>,
    event_id: Option<EventId>,
    tainted: Vec<Tainted>,
    cause: Option<Cause>,
}

/// What one tier or provider saw before the whole call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The tier's or provider's name.
    pub name: &'static str,
    /// The case it ended in.
    pub case: Case,
    /// The status it got.
    pub status: Option<u16>,
    /// The bytes of text it got.
    pub size: Option<u64>,
}

/// The fault behind a fault.
#[derive(Debug, Clone)]
pub struct Cause(pub Fault);

/// A fault of a given case; the named methods add what was seen.
impl Fault {
    /// A bare fault.
    pub fn new(case: Case, origin: Origin) -> Fault {
        Fault(Box::new(Facts {
            case,
            origin,
            saying: None,
            provider: None,
            tier: None,
            host: None,
            resource: None,
            setting: None,
            status: None,
            phase: None,
            size: None,
            limit: None,
            elapsed: None,
            retry: None,
            told_wait: None,
            tries: 0,
            remembered: false,
            attempts: Vec::new(),
            alternatives: Alternatives::Unknown,
            problems: Vec::new(),
            unknown_arguments: Vec::new(),
            next_calls: Vec::new(),
            recovery_hint: None,
            detail: None,
            request_id: None,
            event_id: None,
            tainted: Vec::new(),
            cause: None,
        }))
    }

    /// A validation fault that tells every mistake in the arguments.
    pub fn arguments(problems: Vec<Problem>) -> Fault {
        Fault::new(Case::InvalidArgument, Origin::Local).problems(problems)
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty),+ $(,)?) => {
        impl Fault {
            $($(#[$doc])*
            #[must_use]
            pub fn $name(mut self, value: impl Into<$type>) -> Fault {
                self.0.$name = value.into();
                self
            })+
        }
    };
}

setters! {
    /// Says this instead of the catalogue's sentence.
    saying: Option<Say>,
    /// The provider that failed.
    provider: Option<ProviderId>,
    /// The tier that failed.
    tier: Option<TierName>,
    /// The host that failed.
    host: Option<Host>,
    /// The resource of ours that was asked for.
    resource: Option<ResourcePath>,
    /// The setting to look at.
    setting: Option<SettingName>,
    /// The HTTP status that was received.
    status: Option<u16>,
    /// How far the work had come.
    phase: Option<Phase>,
    /// Bytes received, or characters of text found.
    size: Option<u64>,
    /// The limit that was met.
    limit: Option<u64>,
    /// The time it took.
    elapsed: Option<Duration>,
    /// Overrides the catalogue's retry advice.
    retry: Option<Retry>,
    /// The wait the other side asked for.
    told_wait: Option<Duration>,
    /// Requests we already made for this call.
    tries: u32,
    /// Whether it is answered from our own memory, without asking anybody: a cached failure, an
    /// open breaker, a full limiter.
    remembered: bool,
    /// What each tier or provider saw, in order.
    attempts: Vec<Attempt>,
    /// The providers that could serve the call instead.
    alternatives: Alternatives,
    /// Every mistake in the arguments.
    problems: Vec<Problem>,
    /// Argument names that the tool does not have, as the caller wrote them.
    unknown_arguments: Vec<Quoted>,
    /// Calls that lead on.
    next_calls: Vec<NextCall>,
    /// How to go on with a session.
    recovery_hint: Option<RecoveryHint>,
    /// Facts beyond the ones a dialect derives by itself.
    detail: Option<Say>,
    /// The call this fault answers.
    request_id: Option<RequestId>,
    /// The record of this fault. Set only after the record exists.
    event_id: Option<EventId>,
    /// The fault behind this one.
    cause: Option<Cause>,
}

impl Fault {
    /// Keeps what an upstream said, for the operator.
    #[must_use]
    pub fn tainted(mut self, words: Tainted) -> Fault {
        self.0.tainted.push(words);
        self
    }

    /// Adds a call that leads on.
    #[must_use]
    pub fn next_call(mut self, call: NextCall) -> Fault {
        self.0.next_calls.push(call);
        self
    }
}

macro_rules! getters {
    ($($(#[$doc:meta])* $name:ident -> $type:ty = $field:ident),+ $(,)?) => {
        impl Fault {
            $($(#[$doc])*
            pub fn $name(&self) -> $type {
                self.0.$field
            })+
        }
    };
}

getters! {
    /// The case.
    case -> Case = case,
    /// Who produced the trouble.
    origin -> Origin = origin,
    /// The HTTP status that was received.
    seen_status -> Option<u16> = status,
    /// How far the work had come.
    seen_phase -> Option<Phase> = phase,
    /// The provider that failed.
    seen_provider -> Option<ProviderId> = provider,
    /// The tier that failed.
    seen_tier -> Option<TierName> = tier,
    /// Bytes or characters seen.
    seen_size -> Option<u64> = size,
    /// Requests we already made.
    seen_tries -> u32 = tries,
    /// Whether it was answered from our own memory, without asking anybody.
    is_remembered -> bool = remembered,
    /// The hint for a session that is not here.
    hint -> Option<RecoveryHint> = recovery_hint,
}

impl Fault {
    /// The catalogue's row.
    pub fn row(&self) -> &'static Row {
        self.0.case.row()
    }

    /// The category.
    pub fn kind(&self) -> Kind {
        self.row().kind
    }

    /// The refinement of the category.
    pub fn reason(&self) -> Option<&'static str> {
        self.row().reason
    }

    /// The host that failed.
    pub fn seen_host(&self) -> Option<&Host> {
        self.0.host.as_ref()
    }

    /// What each tier or provider saw.
    pub fn seen_attempts(&self) -> &[Attempt] {
        &self.0.attempts
    }

    /// Every mistake in the arguments.
    pub fn seen_problems(&self) -> &[Problem] {
        &self.0.problems
    }

    /// Calls that lead on.
    pub fn calls(&self) -> &[NextCall] {
        &self.0.next_calls
    }

    /// The record of this fault, if there is one.
    pub fn event(&self) -> Option<&EventId> {
        self.0.event_id.as_ref()
    }

    pub(crate) fn seen_request(&self) -> Option<&RequestId> {
        self.0.request_id.as_ref()
    }

    pub(crate) fn upstream_words(&self) -> &[Tainted] {
        &self.0.tainted
    }

    pub(crate) fn seen_cause(&self) -> Option<&Fault> {
        self.0.cause.as_ref().map(|cause| &cause.0)
    }

    pub(crate) fn seen_unknown_arguments(&self) -> &[Quoted] {
        &self.0.unknown_arguments
    }

    /// Whether the caller gave up the call.
    pub fn is_withdrawn(&self) -> bool {
        self.row().withdrawn
    }

    /// Whether the other side itself asked for the wait.
    pub fn told_by_source(&self) -> bool {
        self.0.told_wait.is_some()
    }

    /// Whole seconds the other side asked for, where waiting helps at all.
    pub(crate) fn told_seconds(&self) -> Option<u64> {
        self.0.told_wait.and_then(|_| self.advice().seconds())
    }

    /// Usable, untried providers, when somebody has looked.
    pub fn usable_alternatives(&self) -> &[ProviderId] {
        match &self.0.alternatives {
            Alternatives::Known(providers) => providers,
            Alternatives::Unknown => &[],
        }
    }

    /// Whether going elsewhere is advice that can be followed.
    fn has_elsewhere(&self) -> bool {
        match &self.0.alternatives {
            Alternatives::Known(providers) => !providers.is_empty(),
            Alternatives::Unknown => self.0.origin == Origin::Provider,
        }
    }

    /// Whether and when the same call may succeed: what the other side asked for before the
    /// catalogue's own wait.
    pub fn advice(&self) -> Retry {
        if let Some(retry) = self.0.retry {
            return retry;
        }
        match (self.row().retry, self.0.told_wait) {
            (Wait::Never, _) => Retry::Never,
            (Wait::Seconds(_), Some(told)) => Retry::After(told),
            (Wait::Seconds(0), None) => Retry::Now,
            (Wait::Seconds(seconds), None) => Retry::After(Duration::from_secs(seconds)),
        }
    }

    /// What the reader should do. Going elsewhere is only advised where there is an elsewhere.
    pub fn action(&self) -> Action {
        let row = self.row();
        let wanted = match (self.0.origin, row.page_action) {
            (Origin::Page, Some(action)) => action,
            _ => row.action,
        };
        match wanted {
            Action::TryDifferentProvider if !self.has_elsewhere() => self.stay_action(),
            action => action,
        }
    }

    fn stay_action(&self) -> Action {
        if self.advice().is_possible() {
            Action::RetryAfterDelay
        } else {
            Action::InformUser
        }
    }

    /// The sentence: what failed, then what to do.
    pub fn sentence(&self) -> Say {
        self.0
            .saying
            .clone()
            .unwrap_or_else(|| self.fill(self.row().sentence))
    }

    /// Whether the sentence was given instead of taken from the catalogue; a dialect's template
    /// then has no say either.
    pub(crate) fn has_own_sentence(&self) -> bool {
        self.0.saying.is_some()
    }

    /// Fills one of the row's templates with this fault's facts.
    pub(crate) fn fill(&self, template: &'static str) -> Say {
        let sentence = template::fill(template, |name| self.value(name));
        // A host keeps its case at the start of a sentence; our own words for an unnamed source do
        // not.
        let unnamed = self.0.provider.is_none() && self.0.host.is_none();
        if unnamed && template.starts_with("{source}") {
            sentence.capitalised()
        } else {
            sentence
        }
    }

    /// The value of a gap, from a typed fact.
    fn value(&self, name: &str) -> Option<String> {
        let facts = &*self.0;
        match name {
            "provider" => facts.provider.map(|it| it.title().to_owned()),
            "host" => facts.host.as_ref().map(ToString::to_string),
            "source" => Some(self.source()),
            "status" => facts.status.map(|it| it.to_string()),
            "phrase" => facts.status.and_then(status_phrase).map(str::to_owned),
            "phase" => facts.phase.map(|it| it.to_string()),
            "wait" => self.advice().seconds().map(in_words),
            "told" => self.told_seconds().map(in_words),
            "elsewhere" => self.elsewhere(),
            "size" => facts.size.map(|it| it.to_string()),
            "limit" => facts.limit.map(|it| it.to_string()),
            "elapsed" => facts.elapsed.map(|it| format!("{:.1} s", it.as_secs_f64())),
            "milliseconds" => facts.elapsed.map(|it| it.as_millis().to_string()),
            "why" => facts.detail.as_ref().map(ToString::to_string),
            "setting" => facts.setting.map(|it| it.to_string()),
            "resource" => facts.resource.as_ref().map(ToString::to_string),
            "problems" => {
                (!facts.problems.is_empty()).then(|| join(&facts.problems, Problem::sentence))
            }
            "flat_problems" => {
                (!facts.problems.is_empty()).then(|| join(&facts.problems, Problem::flat_sentence))
            }
            _ => None,
        }
    }

    /// Who failed, for a reader.
    fn source(&self) -> String {
        let facts = &*self.0;
        match (facts.provider, &facts.host) {
            (Some(provider), _) => provider.title().to_owned(),
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

    fn elsewhere(&self) -> Option<String> {
        if !self.has_elsewhere() {
            return None;
        }
        let names: Vec<&str> = self
            .usable_alternatives()
            .iter()
            .map(|provider| provider.as_str())
            .collect();
        Some(match names.as_slice() {
            [] => "try a different provider".to_owned(),
            names => format!("try a different provider: {}", names.join(", ")),
        })
    }

    /// Each tier's outcome in order, `(markdown: empty, html: HTTP 403)`, when there was more than
    /// one.
    pub(crate) fn tiers(&self) -> Option<String> {
        let outcomes: Vec<String> = self.0.attempts.iter().map(Attempt::outcome).collect();
        (outcomes.len() > 1).then(|| format!("({})", outcomes.join(", ")))
    }

    /// The facts as one line for `detail`, or nothing when there are none.
    pub(crate) fn facts_line(&self) -> Option<Say> {
        let facts = &*self.0;
        let mut seen: Vec<String> = Vec::new();
        if facts.attempts.len() < 2 {
            seen.extend(facts.status.map(|status| format!("HTTP {status}")));
            // A text is measured after decoding, in characters; everything else as it came, in
            // bytes.
            let unit = if facts.case == Case::TooLarge {
                "characters"
            } else {
                "bytes"
            };
            seen.extend(facts.size.map(|size| format!("{size} {unit}")));
        }
        seen.extend(facts.limit.map(|limit| format!("limit {limit}")));
        seen.extend(
            facts
                .elapsed
                .map(|elapsed| format!("after {:.1} s", elapsed.as_secs_f64())),
        );
        seen.extend(facts.phase.map(|phase| format!("in phase {phase}")));
        seen.extend((facts.tries > 1).then(|| format!("tried {} times", facts.tries)));
        seen.extend(facts.detail.as_ref().map(ToString::to_string));
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

    fn nothing_from(&self) -> String {
        match (self.0.origin, &self.0.host) {
            (Origin::Page, Some(host)) => format!("no content extracted from {host} "),
            (Origin::Page, None) => "no content extracted ".to_owned(),
            _ => "no provider answered ".to_owned(),
        }
    }
}

fn join(problems: &[Problem], sentence: impl Fn(&Problem) -> String) -> String {
    problems.iter().map(sentence).collect::<Vec<_>>().join("; ")
}

impl Attempt {
    /// What a fault of one tier contributes to the whole.
    pub fn of(name: &'static str, fault: &Fault) -> Attempt {
        Attempt {
            name,
            case: fault.case(),
            status: fault.seen_status(),
            size: fault.seen_size(),
        }
    }

    /// `html: HTTP 403`, `markdown: empty`, `html: 12 bytes`.
    fn outcome(&self) -> String {
        let name = self.name;
        match (self.status.filter(|status| *status >= 400), self.size) {
            (Some(status), _) => format!("{name}: HTTP {status}"),
            (None, Some(size)) if self.case.row().kind == Kind::ContentEmpty && size > 0 => {
                format!("{name}: {size} bytes")
            }
            _ => format!("{name}: {}", self.case.row().outcome()),
        }
    }
}

/// The standard name of a status. Only names from this list ever stand in a sentence.
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

/// Short on purpose: a fault in a log or a failed test shows its case and facts, never upstream
/// words.
impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = &*self.0;
        f.debug_struct("Fault")
            .field("case", &facts.case)
            .field("origin", &facts.origin)
            .field("host", &facts.host)
            .field("provider", &facts.provider)
            .field("status", &facts.status)
            .field("phase", &facts.phase)
            .field("advice", &self.advice())
            .field("tainted", &facts.tainted)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for Fault {}
