//! Live search with xAI's models: the web, the news and posts on X, searched and summed up by a
//! model.
//!
//! - A [`LiveQuery`] is what a caller wants; `request` makes the body for xAI of it.
//! - `xai` is the adapter: its spec, what its errors mean, the check of the key.
//! - `reply` reads xAI's envelope: the text of the model and its citations.
//! - `json_text` finds the JSON in that text, `answer` checks it against the schema and links what
//!   it says with the citations; `analysis` is the comprehensive part, `texts` bounds all of it.
//!
//! What the model wrote is taken as it is or refused: no title, date or address is made up here, and
//! an address that xAI did not cite never counts as cited.

mod analysis;
mod answer;
mod citation;
mod json_text;
mod query;
mod reply;
mod request;
#[cfg(test)]
mod tests;
mod texts;
mod xai;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fault::{
    Action, Alternatives, Case, Fault, Health, Kind, Origin, Phase, Result, Secret, SettingName,
};
use tokio::time::Instant;
use url::Url;

pub use analysis::{
    Analysis, Finding, Implications, Perspective, Quote, TimelineEvent, Verification,
};
pub use answer::{LiveAnswer, LiveResult};
pub use citation::Citation;
pub use query::{AnalysisMode, LiveKind, LiveQuery};
pub use xai::{KEY_VARIABLE, KeyCheck, MODEL_VARIABLE, URL_VARIABLE};

use self::xai::{XAI, Xai};
use crate::call::Call;
use crate::layer::{
    self, Aged, BreakerHandle, CacheSize, InMemoryLimits, ProviderStack, SearchStack, SharedCache,
    SharedLimits, SharedStore,
};
use crate::search::api::{Api, ProviderSettings};
use crate::upstream::Upstream;

/// How live search is set up.
#[derive(Debug, Clone, PartialEq, Hash)]
pub struct LiveSettings {
    /// The address below which `/v1/responses` is.
    pub base: Url,
    /// Without one, every search says that it is missing.
    pub key: Option<Secret>,
    /// The variable that the key was read from.
    pub key_name: SettingName,
    pub model: String,
    /// How long one request may take.
    pub timeout: Duration,
    /// How often a failed request is repeated.
    pub retries: u32,
}

/// Where xAI is.
pub const DEFAULT_BASE: &str = "https://api.x.ai";

impl Default for LiveSettings {
    /// Without a key.
    fn default() -> LiveSettings {
        LiveSettings {
            base: Url::parse(DEFAULT_BASE).expect("a constant address"),
            key: None,
            key_name: KEY_VARIABLE,
            model: "grok-4.5".to_owned(),
            timeout: Duration::from_secs(120),
            retries: 3,
        }
    }
}

/// Time for a layer to notice the deadline itself: its fault says more than ours.
const GRACE: Duration = Duration::from_millis(150);

/// How long the outcome of a check of the key holds.
const CHECK_HOLDS: Duration = Duration::from_secs(30);

/// How long the fault of a search tells the state of xAI. The operator may have acted since, and
/// nobody may have searched.
const FAULT_HOLDS: Duration = Duration::from_secs(300);

type LiveStack = SearchStack<ProviderStack<Xai>>;

/// xAI behind its layers.
#[derive(Debug)]
pub struct Live {
    /// `None` without a key.
    asking: Option<Asking>,
    limits: Arc<dyn SharedLimits>,
    /// Why the last search failed; `None` once one has succeeded.
    last_fault: Mutex<Option<LastFault>>,
    last_check: tokio::sync::Mutex<Option<(Instant, Result<KeyCheck>)>>,
}

/// Why the last search failed.
#[derive(Debug, Clone)]
pub struct LastFault {
    pub fault: Fault,
    at: Instant,
    /// Whether xAI has since accepted the key that it refused here.
    is_mended: bool,
}

impl LastFault {
    /// How long ago it was.
    pub fn ago(&self) -> Duration {
        self.at.elapsed()
    }

    /// Whether searches would still fail as this one did, as far as is known.
    fn holds(&self, key: KeyCheck) -> bool {
        let tells = match key {
            KeyCheck::Accepted => needs_the_operator(&self.fault),
            // Nothing else tells the state of xAI.
            KeyCheck::NotOffered => needs_the_operator(&self.fault) || blames_xai(&self.fault),
        };
        tells && !self.is_mended && self.ago() < FAULT_HOLDS
    }
}

#[derive(Debug)]
struct Asking {
    stack: LiveStack,
    /// For the check of the key, which no layer delays.
    xai: Xai,
    breaker: Arc<BreakerHandle>,
}

impl Live {
    /// Sets everything up. Nothing is opened or sent before the first search.
    pub fn new(
        network: net::ClientSettings,
        settings: &LiveSettings,
        limits: Option<Arc<dyn SharedLimits>>,
        store: Option<SharedStore>,
    ) -> Live {
        let shared_cache =
            store.map(|store| SharedCache::new(store, "live", &(&network, settings)));
        let limits = limits.unwrap_or_else(|| Arc::new(InMemoryLimits::default()));
        let own = ProviderSettings {
            url: Some(settings.base.clone()),
            key: settings.key.clone(),
            key_name: Some(settings.key_name),
            timeout: Some(settings.timeout),
            ..ProviderSettings::default()
        };
        let api = settings
            .key
            .as_ref()
            .and_then(|_| Api::new(&XAI, &own, net::Client::trusted(network)));
        let asking = api.map(|api| {
            let breaker = BreakerHandle::new(XAI.id, Arc::clone(&limits));
            let xai = Xai::new(api, settings.model.clone());
            let stack = layer::provider_stack(
                xai.clone(),
                &breaker,
                XAI.pace,
                XAI.at_once,
                settings.retries,
            );
            Asking {
                stack: layer::search_stack(stack, shared_cache),
                xai,
                breaker,
            }
        });
        Live {
            asking,
            limits,
            last_fault: Mutex::default(),
            last_check: tokio::sync::Mutex::default(),
        }
    }

    pub fn has_key(&self) -> bool {
        self.asking.is_some()
    }

    /// Searches; the answer has an age when it was cached.
    ///
    /// # Errors
    /// Why there is no answer. What cannot be read is not asked for again.
    pub async fn search(&self, call: &Call, query: &LiveQuery) -> Result<Aged<Arc<LiveAnswer>>> {
        let Some(asking) = &self.asking else {
            return Err(missing_key());
        };
        self.limits.refresh().await;
        let asked = asking.stack.ask(call, query);
        let outcome = tokio::time::timeout_at(call.deadline + GRACE, asked)
            .await
            .unwrap_or_else(|_elapsed| Err(too_late(call)))
            .map_err(alone);
        call.attempts.record(XAI.id(), outcome.as_ref().err());
        if outcome.is_ok() || !call.was_too_short() {
            self.remember(outcome.as_ref().err());
        }
        outcome
    }

    /// Whether xAI takes the key now, or did a moment ago. One cheap request that searches nothing,
    /// and that not every server between here and xAI has.
    ///
    /// # Errors
    /// Why it does not.
    pub async fn check(&self, call: &Call) -> Result<KeyCheck> {
        let Some(asking) = &self.asking else {
            return Err(missing_key());
        };
        let mut last = self.last_check.lock().await;
        match last.as_ref() {
            Some((checked, outcome)) if checked.elapsed() < CHECK_HOLDS => outcome.clone(),
            _ => {
                let began = Instant::now();
                let outcome = asking.xai.check_key(call).await.map_err(alone);
                if matches!(outcome, Ok(KeyCheck::Accepted)) {
                    self.key_was_accepted(began);
                }
                *last = Some((Instant::now(), outcome.clone()));
                outcome
            }
        }
    }

    /// Why the last search failed; `None` when it succeeded or there was none.
    pub fn last_fault(&self) -> Option<LastFault> {
        self.lock_last_fault().clone()
    }

    /// What keeps searches from succeeding until somebody acts or time passes: an open breaker, or
    /// a key or setting that a search was refused for in the last minutes. Where the key cannot be
    /// checked, any failure of xAI in these minutes.
    pub fn standing_fault(&self, key: KeyCheck) -> Option<Fault> {
        self.refusal().or_else(|| {
            let last = self.last_fault().filter(|last| last.holds(key));
            last.map(|last| last.fault)
        })
    }

    /// Why the breaker refuses questions now; `None` when it does not.
    pub fn refusal(&self) -> Option<Fault> {
        self.asking.as_ref().and_then(|it| it.breaker.refusal())
    }

    /// How much the cache of answers holds.
    pub fn cache_size(&self) -> CacheSize {
        let none = CacheSize {
            entries: 0,
            bytes: 0,
        };
        self.asking.as_ref().map_or(none, |it| it.stack.size())
    }

    /// A withdrawn call says nothing about xAI.
    fn remember(&self, fault: Option<&Fault>) {
        if fault.is_none_or(|fault| !fault.is_withdrawn()) {
            *self.lock_last_fault() = fault.map(|fault| LastFault {
                fault: fault.clone(),
                at: Instant::now(),
                is_mended: false,
            });
        }
    }

    /// A check that began later than a search is newer knowledge of the key, and of nothing else.
    fn key_was_accepted(&self, check_began: Instant) {
        if let Some(last) = self.lock_last_fault().as_mut()
            && refuses_the_key(&last.fault)
            && last.at <= check_began
        {
            last.is_mended = true;
        }
    }

    fn lock_last_fault(&self) -> MutexGuard<'_, Option<LastFault>> {
        let last = self.last_fault.lock();
        last.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether only the operator can do something about a fault.
pub fn needs_the_operator(fault: &Fault) -> bool {
    fault.action() == Action::CheckApiKey || fault.kind() == Kind::Config
}

/// Whether a fault is about the key itself and not about what it may be used for.
fn refuses_the_key(fault: &Fault) -> bool {
    fault.kind() == Kind::AuthRequired && fault.row().http_status != 403
}

/// Whether a fault says that xAI does not work, and not only this request or this answer.
fn blames_xai(fault: &Fault) -> bool {
    !matches!(fault.row().health, Health::Unknown | Health::Healthy)
}

fn missing_key() -> Fault {
    let fault = Fault::new(Case::MissingKey, Origin::Local).provider(XAI.id);
    alone(fault.setting(KEY_VARIABLE))
}

/// No other provider does this.
fn alone(fault: Fault) -> Fault {
    fault.alternatives(Alternatives::Known(Vec::new()))
}

fn too_late(call: &Call) -> Fault {
    Fault::new(Case::Timeout, Origin::Provider)
        .provider(XAI.id)
        .phase(Phase::Work)
        .elapsed(call.started.elapsed())
}
