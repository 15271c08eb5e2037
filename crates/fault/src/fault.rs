//! The fault: a case, the facts that were seen, and the advice that follows from both.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::catalogue::{Case, Row, Wait};
use crate::id::{EventId, RequestId};
use crate::kind::{Action, Kind, Origin, Phase};
use crate::problem::Problem;
use crate::remedy::{Alternatives, LONG_WAIT_SECONDS, NextCall, OtherForm, RecoveryHint, Retry};
use crate::size::{Limit, Size};
use crate::slot::{FieldName, Host, ProviderId, SettingName, TierName};
use crate::text::{Quoted, Say, Tainted};

/// From this many identical failures on, the reply says to stop.
pub const STOP_AFTER: u32 = 3;

/// One failure. It is boxed so that a `Result` stays small on the success path.
#[derive(Clone)]
pub struct Fault(Box<Facts>);

#[derive(Clone)]
pub(crate) struct Facts {
    pub(crate) case: Case,
    pub(crate) origin: Origin,
    pub(crate) saying: Option<Say>,
    pub(crate) advising: Option<Say>,
    pub(crate) provider: Option<ProviderId>,
    pub(crate) tier: Option<TierName>,
    pub(crate) host: Option<Host>,
    pub(crate) of_robots: bool,
    pub(crate) setting: Option<SettingName>,
    pub(crate) parameter: Option<FieldName>,
    pub(crate) status: Option<u16>,
    pub(crate) phase: Option<Phase>,
    pub(crate) size: Option<Size>,
    pub(crate) limit: Option<Limit>,
    pub(crate) elapsed: Option<Duration>,
    pub(crate) retry: Option<Retry>,
    pub(crate) requested_wait: Option<Duration>,
    pub(crate) tries: u32,
    pub(crate) repeats: u32,
    pub(crate) remembered: bool,
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) alternatives: Alternatives,
    pub(crate) problems: Vec<Problem>,
    pub(crate) unknown_arguments: Vec<Quoted>,
    pub(crate) next_calls: Vec<NextCall>,
    pub(crate) pages: Vec<PageOutcome>,
    pub(crate) recovery_hint: Option<RecoveryHint>,
    pub(crate) other_form: Option<OtherForm>,
    pub(crate) detail: Option<Say>,
    pub(crate) note: Option<Say>,
    pub(crate) request_id: Option<RequestId>,
    pub(crate) event_id: Option<EventId>,
    pub(crate) tainted: Vec<Tainted>,
}

/// One page that a call was to read, or that a search found beside those.
#[derive(Debug, Clone)]
pub struct PageOutcome {
    /// Its address and what else is known about it, for the reply's data.
    pub facts: Map<String, Value>,
    /// Why it could not be read; `None` if it was not tried.
    pub fault: Option<Fault>,
}

/// The outcome of one tier or provider before the whole call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub name: &'static str,
    pub case: Case,
    /// The HTTP status it received.
    pub status: Option<u16>,
    /// How much it received.
    pub size: Option<Size>,
    /// The provider that was asked, if it was one.
    pub provider: Option<ProviderId>,
    /// Whether and when it may succeed.
    pub retry: Retry,
}

impl Attempt {
    /// Summarises the fault of one tier or provider.
    pub fn new(name: &'static str, fault: &Fault) -> Attempt {
        Attempt {
            name,
            case: fault.case(),
            status: fault.seen_status(),
            size: fault.seen_size(),
            provider: fault.seen_provider(),
            retry: fault.advice(),
        }
    }

    /// A provider that answered, but has no results.
    pub fn without_results(provider: ProviderId) -> Attempt {
        Attempt {
            name: provider.as_str(),
            case: Case::Empty,
            status: None,
            size: Some(Size::Results(0)),
            provider: Some(provider),
            retry: Retry::Never,
        }
    }
}

/// Constructors and setters: a fault starts with its case, and named methods add the facts.
impl Fault {
    /// A fault without facts.
    pub fn new(case: Case, origin: Origin) -> Fault {
        Fault(Box::new(Facts {
            case,
            origin,
            saying: None,
            advising: None,
            provider: None,
            tier: None,
            host: None,
            of_robots: false,
            setting: None,
            parameter: None,
            status: None,
            phase: None,
            size: None,
            limit: None,
            elapsed: None,
            retry: None,
            requested_wait: None,
            tries: 0,
            repeats: 1,
            remembered: false,
            attempts: Vec::new(),
            alternatives: Alternatives::Unknown,
            problems: Vec::new(),
            unknown_arguments: Vec::new(),
            next_calls: Vec::new(),
            pages: Vec::new(),
            recovery_hint: None,
            other_form: None,
            detail: None,
            note: None,
            request_id: None,
            event_id: None,
            tainted: Vec::new(),
        }))
    }

    /// A validation fault with all mistakes in the arguments.
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
    /// Replaces the catalogue's sentence and its advice: what happened.
    saying: Option<Say>,
    /// Replaces the advice, of the catalogue's sentence or after [`Fault::saying`].
    advising: Option<Say>,
    /// The provider that failed.
    provider: Option<ProviderId>,
    /// The tier that failed.
    tier: Option<TierName>,
    /// The host that failed, or that was refused.
    host: Option<Host>,
    /// Whether it is the host's robots.txt that failed, and not the page that was asked for.
    of_robots: bool,
    /// The setting that needs a correction.
    setting: Option<SettingName>,
    /// The parameter whose value is in the way.
    parameter: Option<FieldName>,
    /// The HTTP status that was received.
    status: Option<u16>,
    /// How far the request had got.
    phase: Option<Phase>,
    /// How much was received or found.
    size: Option<Size>,
    /// The limit that was reached.
    limit: Option<Limit>,
    /// The time it took.
    elapsed: Option<Duration>,
    /// Overrides the catalogue's retry advice.
    retry: Option<Retry>,
    /// The wait that the source asked for.
    requested_wait: Option<Duration>,
    /// The number of requests already made for this call.
    tries: u32,
    /// How often in a row the same call has failed in this way, this time included.
    repeats: u32,
    /// Whether it was answered from memory without asking a source: a cached failure, an open
    /// breaker or a full limiter.
    remembered: bool,
    /// The outcome of each tier or provider, in order.
    attempts: Vec<Attempt>,
    /// The providers that could serve the call instead.
    alternatives: Alternatives,
    /// All mistakes in the arguments.
    problems: Vec<Problem>,
    /// Argument names that the tool does not have, as the caller wrote them.
    unknown_arguments: Vec<Quoted>,
    /// What the reader should know beside the failure, such as that a session does not exist.
    note: Option<Say>,
    /// Calls that can help.
    next_calls: Vec<NextCall>,
    /// The pages that the call was to read or that it found, none of which was read.
    pages: Vec<PageOutcome>,
    /// How to continue after a session was not found.
    recovery_hint: Option<RecoveryHint>,
    /// The form in which the page may be readable instead.
    other_form: Option<OtherForm>,
    /// A fact for `detail` that a dialect cannot derive.
    detail: Option<Say>,
    /// The id of the failed call.
    request_id: Option<RequestId>,
    /// The id of this fault's record. It is set only once the record exists.
    event_id: Option<EventId>,
}

impl Fault {
    /// Keeps text from upstream for the operator's record.
    #[must_use]
    pub fn tainted(mut self, words: Tainted) -> Fault {
        self.0.tainted.push(words);
        self
    }

    /// The same facts as another case, or of another origin: what failed behind a tool is told as
    /// the tool's users know it.
    #[must_use]
    pub fn told_as(mut self, case: Case, origin: Origin) -> Fault {
        self.0.case = case;
        self.0.origin = origin;
        self
    }

    /// Adds what the reader should know beside the failure, after what is there already.
    #[must_use]
    pub fn and_note(mut self, note: Say) -> Fault {
        let before = self.0.note.take();
        self.0.note = Some(match before {
            Some(before) => before.then(note),
            None => note,
        });
        self
    }

    /// Adds a call that can help.
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
    case -> Case = case,
    origin -> Origin = origin,
    /// The HTTP status that was received.
    seen_status -> Option<u16> = status,
    /// How far the request had got.
    seen_phase -> Option<Phase> = phase,
    /// The provider that failed.
    seen_provider -> Option<ProviderId> = provider,
    /// The tier that failed.
    seen_tier -> Option<TierName> = tier,
    /// How much was received or found.
    seen_size -> Option<Size> = size,
    /// The limit that was reached, or how many there are of what does not exist.
    seen_limit -> Option<Limit> = limit,
    /// The number of requests already made.
    seen_tries -> u32 = tries,
    /// Whether it was answered from memory without asking a source.
    is_remembered -> bool = remembered,
    /// The parameter whose value is in the way.
    seen_parameter -> Option<FieldName> = parameter,
    /// How to continue after a session was not found.
    hint -> Option<RecoveryHint> = recovery_hint,
    /// The form in which the page may be readable instead.
    readable_form -> Option<OtherForm> = other_form,
}

impl Fault {
    pub(crate) fn facts(&self) -> &Facts {
        &self.0
    }

    pub fn row(&self) -> &'static Row {
        self.0.case.row()
    }

    pub fn kind(&self) -> Kind {
        self.row().kind
    }

    pub fn reason(&self) -> Option<&'static str> {
        self.row().reason
    }

    /// The host that failed.
    pub fn seen_host(&self) -> Option<&Host> {
        self.0.host.as_ref()
    }

    /// The outcome of each tier or provider.
    pub fn seen_attempts(&self) -> &[Attempt] {
        &self.0.attempts
    }

    /// All mistakes in the arguments.
    pub fn seen_problems(&self) -> &[Problem] {
        &self.0.problems
    }

    /// Calls that can help.
    pub fn calls(&self) -> &[NextCall] {
        &self.0.next_calls
    }

    /// The id of this fault's record, if there is one.
    pub fn event(&self) -> Option<&EventId> {
        self.0.event_id.as_ref()
    }

    pub(crate) fn seen_request(&self) -> Option<&RequestId> {
        self.0.request_id.as_ref()
    }

    pub(crate) fn upstream_words(&self) -> &[Tainted] {
        &self.0.tainted
    }

    pub(crate) fn seen_unknown_arguments(&self) -> &[Quoted] {
        &self.0.unknown_arguments
    }

    /// Whether the content is known to have no text, which no maintainer could mend.
    pub(crate) fn is_known_to_be_empty(&self) -> bool {
        self.kind() == Kind::ContentEmpty && self.0.retry == Some(Retry::Never)
    }

    /// Whether the caller withdrew the call.
    pub fn is_withdrawn(&self) -> bool {
        self.row().withdrawn
    }

    /// Whether the source itself asked for the wait.
    pub fn source_requested_wait(&self) -> bool {
        self.0.requested_wait.is_some()
    }

    /// The wait that the source asked for, in whole seconds; `None` if waiting does not help.
    pub(crate) fn requested_seconds(&self) -> Option<u64> {
        self.0.requested_wait.and_then(|_| self.advice().seconds())
    }

    /// Usable, untried providers. Also empty if the alternatives are unknown.
    pub fn usable_alternatives(&self) -> &[ProviderId] {
        match &self.0.alternatives {
            Alternatives::Known(providers) => providers,
            Alternatives::Unknown => &[],
        }
    }

    /// Whether advice to use another provider can be followed.
    pub(crate) fn has_elsewhere(&self) -> bool {
        match &self.0.alternatives {
            Alternatives::Known(providers) => !providers.is_empty(),
            Alternatives::Unknown => self.0.origin == Origin::Provider,
        }
    }

    /// Whether the same call has failed so often that the reply says to stop.
    pub fn is_stopped(&self) -> bool {
        self.0.repeats >= STOP_AFTER
    }

    /// Whether and when the same call may succeed.
    pub fn advice(&self) -> Retry {
        if self.is_stopped() {
            Retry::Never
        } else {
            self.first_advice()
        }
    }

    /// The advice as if the call had not been repeated. A wait that the source asked for takes
    /// precedence over the catalogue's.
    pub(crate) fn first_advice(&self) -> Retry {
        if let Some(retry) = self.0.retry {
            return retry;
        }
        match (self.row().retry, self.0.requested_wait) {
            (Wait::Never, _) => Retry::Never,
            (Wait::Seconds(_), Some(told)) => Retry::After(told),
            (Wait::Seconds(0), None) => Retry::Now,
            (Wait::Seconds(seconds), None) => Retry::After(Duration::from_secs(seconds)),
        }
    }

    /// What the reader should do. Another provider is advised only if there is one.
    pub fn action(&self) -> Action {
        let row = self.row();
        let wanted = match (self.0.origin, row.page_action) {
            (Origin::Page, Some(action)) => action,
            _ => row.action,
        };
        match wanted {
            Action::RetryAfterDelay if self.has_elsewhere() && self.is_long_wait() => {
                Action::TryDifferentProvider
            }
            Action::TryDifferentProvider if self.has_elsewhere() => wanted,
            Action::TryDifferentProvider | Action::RetryAfterDelay => self.stay_action(),
            Action::InformUser if self.may_pass_later() => Action::RetryAfterDelay,
            Action::ReportBug if self.is_known_to_be_empty() => Action::InformUser,
            action => action,
        }
    }

    /// What to do when there is no other provider.
    fn stay_action(&self) -> Action {
        if self.advice().is_possible() && !self.is_long_wait() {
            Action::RetryAfterDelay
        } else {
            Action::InformUser
        }
    }

    /// Whether the wait is longer than anyone waits for one source.
    pub(crate) fn is_long_wait(&self) -> bool {
        let seconds = self.advice().seconds();
        seconds.is_some_and(|seconds| seconds > LONG_WAIT_SECONDS)
    }

    /// Whether the case itself never passes, but the call may: another of its attempts can succeed
    /// later.
    pub(crate) fn may_pass_later(&self) -> bool {
        self.row().retry == Wait::Never && self.advice().is_possible()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

/// Deliberately short: a fault in a log or a failed test shows its case and facts, never upstream
/// text.
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
