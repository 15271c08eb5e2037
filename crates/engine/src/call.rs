//! What one call carries through every layer: its limits, and a log of who was asked for it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fault::{Fault, Kind};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::{Host, Url};

use crate::exchange::ExchangeLog;
use crate::observe::{Asked, Observer, PAGE, SentRequest};
use crate::store::Tenant;

/// When the call must end, whether it was withdrawn, and the attempts made for it.
#[derive(Debug, Clone)]
pub struct Call {
    pub started: Instant,
    pub deadline: Instant,
    /// Fires when the caller withdraws the call.
    pub cancel: CancellationToken,
    pub attempts: AttemptLog,
    /// Keeps what providers were sent and answered, when somebody wants to see it.
    pub exchanges: ExchangeLog,
    /// Watches what is done for the call.
    pub observer: Observer,
    /// How many times the upstream was asked before for this call.
    pub resent: u32,
    /// Who asks: private pages are cached for this user only.
    pub tenant: Tenant,
    /// Asked before work for the call begins; `None` when it was admitted already.
    pub admission: Option<Arc<dyn Admission>>,
    /// Whether the caller gave it less time than the operator allows. A source that misses such a
    /// deadline may be as healthy as ever.
    pub is_shortened: bool,
}

/// Decides when a call may begin to work. Waiting for a turn at a host is not work, so a call that
/// waits there takes nothing from the others.
pub trait Admission: std::fmt::Debug + Send + Sync {
    /// Waits until the call may work. Once it was admitted, it stays so.
    fn admit(&self) -> Pin<Box<dyn Future<Output = Result<(), Fault>> + Send + '_>>;

    /// A number for whoever makes the call, among whom turns are shared. `None` where all calls are of
    /// one.
    fn caller(&self) -> Option<u64>;
}

impl Call {
    /// A number for whoever makes the call.
    pub(crate) fn caller(&self) -> u64 {
        let told = self.admission.as_ref().and_then(|it| it.caller());
        told.unwrap_or_else(|| {
            let mut hasher = DefaultHasher::new();
            self.tenant.as_str().hash(&mut hasher);
            hasher.finish()
        })
    }

    /// A call that may take this long from now.
    pub fn within(limit: Duration) -> Call {
        let started = Instant::now();
        Call {
            started,
            deadline: started + limit,
            cancel: CancellationToken::new(),
            attempts: AttemptLog::default(),
            exchanges: ExchangeLog::default(),
            observer: Observer::default(),
            resent: 0,
            tenant: Tenant::local(),
            admission: None,
            is_shortened: false,
        }
    }

    /// Whether a failure says nothing about the source, because the caller gave the call too little
    /// time and it is up.
    pub(crate) fn was_too_short(&self) -> bool {
        self.is_shortened && Instant::now() >= self.deadline
    }

    /// Sends a request for this call, so that its observer is told.
    pub async fn send(
        &self,
        client: &net::Client,
        upstream: &'static str,
        request: net::Request,
    ) -> fault::Result<net::Response> {
        if !self.observer.is_watching() {
            return client.send(request).await;
        }
        let (started, method) = (Instant::now(), request.method.to_string());
        let url = Url::parse(&request.url).ok();
        let answer = client.send(request).await;
        self.observer.sent(&SentRequest {
            upstream,
            ask: self.observer.ask(),
            method,
            host: url
                .as_ref()
                .and_then(Url::host)
                .map(|host: Host<&str>| host.to_string()),
            port: url.as_ref().and_then(Url::port_or_known_default),
            started,
            ended: Instant::now(),
            status: answer.as_ref().ok().map(|response| response.status),
            failure: answer.as_ref().err().map(failure_name),
            resent: self.resent,
        });
        answer
    }

    /// The same call during a new question to an upstream. What is sent meanwhile belongs to it.
    pub(crate) fn for_question(&self) -> Call {
        Call {
            observer: self.observer.during_a_question(),
            ..self.clone()
        }
    }

    /// Tells the observer of a question that has ended; `during` is the call that
    /// [`for_question`](Call::for_question) made for it.
    pub(crate) fn tell_asked(
        &self,
        during: &Call,
        upstream: &'static str,
        started: Instant,
        fault: Option<&Fault>,
    ) {
        let Some(id) = during.observer.ask() else {
            return;
        };
        self.observer.asked(&Asked {
            id,
            parent: self.observer.ask(),
            upstream,
            is_page: upstream == PAGE,
            started,
            fault,
        });
    }

    /// The same call for another try of one upstream.
    pub(crate) fn resent(&self, times: u32) -> Call {
        Call {
            resent: times,
            ..self.clone()
        }
    }

    /// Waits until the call may work.
    pub(crate) async fn admit(&self) -> Result<(), Fault> {
        match &self.admission {
            Some(admission) => admission.admit().await,
            None => Ok(()),
        }
    }
}

fn failure_name(fault: &Fault) -> &'static str {
    fault.reason().unwrap_or(fault.kind().as_str())
}

/// One provider or tier that was asked on behalf of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedAttempt {
    /// The id of the provider or tier; `None` when the call failed before one was chosen.
    pub provider: Option<&'static str>,
    /// The page that was asked for; `None` for a search.
    pub url: Option<String>,
    /// The kind of the fault; `None` when it answered.
    pub error: Option<Kind>,
}

impl LoggedAttempt {
    fn new(provider: Option<&'static str>, error: Option<Kind>) -> LoggedAttempt {
        LoggedAttempt {
            provider,
            url: None,
            error,
        }
    }

    /// The attempts that a fault reports, or the fault itself where it reports none.
    fn from_fault(fault: &Fault) -> Vec<LoggedAttempt> {
        if fault.seen_attempts().is_empty() {
            let provider = fault.seen_provider().map(|provider| provider.as_str());
            let tier = fault.seen_tier().map(|tier| tier.as_str());
            return vec![LoggedAttempt::new(provider.or(tier), Some(fault.kind()))];
        }
        fault
            .seen_attempts()
            .iter()
            .map(|attempt| LoggedAttempt::new(Some(attempt.name), Some(attempt.case.row().kind)))
            .collect()
    }
}

/// The attempts of a call in the order in which they ended, including those that failed before a
/// fallback answered. Clones share one log.
#[derive(Debug, Clone, Default)]
pub struct AttemptLog(Arc<Mutex<Vec<LoggedAttempt>>>);

impl AttemptLog {
    /// Everything logged so far.
    pub fn snapshot(&self) -> Vec<LoggedAttempt> {
        self.lock().clone()
    }

    /// Logs how a provider or tier answered. A withdrawn call says nothing about it.
    pub(crate) fn record(&self, provider: &'static str, fault: Option<&Fault>) {
        if fault.is_none_or(|fault| !fault.is_withdrawn()) {
            self.lock()
                .push(LoggedAttempt::new(Some(provider), fault.map(Fault::kind)));
        }
    }

    /// Logs the reading of one page: the tiers that were asked, and the one that read it or the
    /// fault. A fault that none of the tiers explains was found in a cache or came before them.
    pub(crate) fn record_page(
        &self,
        url: &str,
        tiers: &AttemptLog,
        outcome: Result<&'static str, &Fault>,
    ) {
        let mut attempts = tiers.snapshot();
        match outcome {
            Ok(tier) => attempts.push(LoggedAttempt::new(Some(tier), None)),
            Err(fault) if fault.is_withdrawn() => {}
            Err(fault) if explains(&attempts, fault) => {}
            Err(fault) => attempts.extend(LoggedAttempt::from_fault(fault)),
        }
        let with_url = |attempt| LoggedAttempt {
            url: Some(url.to_owned()),
            ..attempt
        };
        self.lock().extend(attempts.into_iter().map(with_url));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<LoggedAttempt>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether one of the attempts failed the way the whole call did.
pub fn explains(attempts: &[LoggedAttempt], fault: &Fault) -> bool {
    attempts
        .iter()
        .any(|attempt| attempt.error == Some(fault.kind()))
}

#[cfg(test)]
mod tests {
    use fault::{Case, Origin};

    use super::*;

    #[test]
    fn a_page_logs_its_failed_tiers_and_the_one_that_read_it() {
        let (log, tiers) = (AttemptLog::default(), AttemptLog::default());
        tiers.record("html", Some(&Fault::new(Case::Http403, Origin::Page)));
        log.record_page("https://a.example/", &tiers, Ok("browser"));
        let logged: Vec<_> = log
            .snapshot()
            .into_iter()
            .map(|attempt| (attempt.provider, attempt.error))
            .collect();
        assert_eq!(
            logged,
            [(Some("html"), Some(Kind::Blocked)), (Some("browser"), None)]
        );
    }

    #[test]
    fn a_fault_is_logged_once_whether_or_not_a_tier_was_asked() {
        let fault = Fault::new(Case::Http403, Origin::Page);
        let (log, tiers) = (AttemptLog::default(), AttemptLog::default());
        log.record_page("https://a.example/", &tiers, Err(&fault));
        tiers.record("html", Some(&fault));
        log.record_page("https://b.example/", &tiers, Err(&fault));
        let logged: Vec<_> = log
            .snapshot()
            .into_iter()
            .map(|attempt| (attempt.provider, attempt.error))
            .collect();
        assert_eq!(
            logged,
            [
                (None, Some(Kind::Blocked)),
                (Some("html"), Some(Kind::Blocked))
            ]
        );
    }

    #[test]
    fn a_withdrawn_call_is_no_attempt() {
        let (log, cancelled) = (
            AttemptLog::default(),
            Fault::new(Case::Cancelled, Origin::Local),
        );
        log.record("brave", Some(&cancelled));
        log.record_page(
            "https://a.example/",
            &AttemptLog::default(),
            Err(&cancelled),
        );
        assert_eq!(log.snapshot(), []);
    }
}
