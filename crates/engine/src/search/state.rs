//! One provider as the operator set it up: whether it can be asked at all, and whether it failed
//! recently.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fault::{Action, Case, Fault, Origin, ProviderId, Retry, Say, SettingName};
use tokio::time::Instant;

use super::api::ProviderSettings;
use super::provider::{KeyRequirement, Provider, ProviderSpec, ProviderTier};
use super::query::{Capability, Filters, SearchQuery};
use crate::layer::BreakerHandle;

/// How long a failure puts a provider behind others of its tier, unless it named a shorter wait.
const FAILURE_REMEMBERED: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct ProviderState {
    provider: Arc<dyn Provider>,
    pub(super) spec: &'static ProviderSpec,
    pub(super) availability: Availability,
    pub(super) breaker: Arc<BreakerHandle>,
    /// Where the operator says that it is; `None` for its default address.
    pub(super) address: Option<url::Origin>,
    /// Whether it is asked without a key that it would take.
    lacks_key: bool,
    /// Its last failure, and until when it counts.
    last_failure: Mutex<Option<(Instant, Fault)>>,
}

/// Whether a provider can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// Nothing is missing.
    Ready,
    /// The operator has turned it off.
    Disabled,
    /// It has no default address, and this setting, which would give one, is not set.
    NoAddress(SettingName),
    /// Its key or another setting that it needs is not set: this one.
    Missing(SettingName),
}

impl Availability {
    /// Whether a provider can be asked with these settings.
    pub(super) fn from_settings(
        spec: &'static ProviderSpec,
        settings: &ProviderSettings,
    ) -> Availability {
        let has_extra = |name: SettingName| {
            settings
                .extras
                .iter()
                .any(|(key, value)| key == name.as_str() && !value.expose().is_empty())
        };
        let missing = spec
            .extras
            .iter()
            .find(|extra| extra.needed && !has_extra(extra.name));
        if settings.disabled {
            Availability::Disabled
        } else if spec.base.is_none()
            && settings.url.is_none()
            && spec.tier != ProviderTier::Embedded
        {
            Availability::NoAddress(spec.settings.url_variable)
        } else if spec.key == KeyRequirement::Needed
            && settings
                .key
                .as_ref()
                .is_none_or(|key| key.expose().is_empty())
        {
            Availability::Missing(spec.settings.key_variable)
        } else {
            missing.map_or(Availability::Ready, |extra| {
                Availability::Missing(extra.variable)
            })
        }
    }
}

impl ProviderState {
    pub(super) fn new(
        provider: Arc<dyn Provider>,
        settings: &ProviderSettings,
        breaker: Arc<BreakerHandle>,
    ) -> ProviderState {
        let spec = provider.spec();
        let availability = Availability::from_settings(spec, settings);
        ProviderState {
            spec,
            lacks_key: spec.key != KeyRequirement::None && settings.key.is_none(),
            provider,
            availability,
            breaker,
            address: settings.url.as_ref().map(url::Url::origin),
            last_failure: Mutex::default(),
        }
    }

    pub(super) fn id(&self) -> ProviderId {
        self.spec.id
    }

    /// Whether `auto` asks it and faults suggest it. What somebody else would pay for is asked
    /// without a key only by name.
    pub(super) fn is_offered_unasked(&self) -> bool {
        self.spec.auto && !(self.lacks_key && self.spec.tier == ProviderTier::Commercial)
    }

    /// Whether it is set up and offers this kind of search.
    pub(super) fn offers(&self, capability: Capability) -> bool {
        self.is_set_up() && self.spec.offer(capability).is_some()
    }

    /// Whether it can be asked for any kind of search.
    pub(super) fn is_set_up(&self) -> bool {
        self.availability == Availability::Ready
    }

    /// The setting that would make it offer this kind of search.
    pub(super) fn missing_setting(&self, capability: Capability) -> Option<SettingName> {
        match self.availability {
            Availability::Missing(setting) if self.spec.offer(capability).is_some() => {
                Some(setting)
            }
            _ => None,
        }
    }

    /// Whether it offers this kind of search and its breaker lets a question through.
    pub(super) fn is_usable(&self, capability: Capability) -> bool {
        self.offers(capability) && self.breaker.refusal().is_none()
    }

    /// Whether it may have results for any of these queries.
    pub(super) async fn may_have_results(&self, queries: &[SearchQuery]) -> bool {
        for query in queries {
            if self.provider.may_have_results(query).await {
                return true;
            }
        }
        false
    }

    /// Sorts the providers for `auto`: by tier, then those of limited scope last, then those that
    /// failed recently last, then those that are about to end or that a key would make better
    /// last, then by how many of the filters they do not know.
    pub(super) fn order(
        &self,
        capability: Capability,
        filters: &Filters,
    ) -> (ProviderTier, bool, bool, bool, bool, usize) {
        let known = self
            .spec
            .offer(capability)
            .map(|offer| offer.filters)
            .unwrap_or_default();
        let unknown = filters
            .set()
            .into_iter()
            .filter(|filter| !known.contains(filter))
            .count();
        (
            self.spec.tier,
            self.spec.scope.is_some(),
            self.has_failed(),
            self.spec.retires.is_some(),
            self.lacks_key,
            unknown,
        )
    }

    /// Whether its last answer was a failure, a short while ago, whose wait is not over.
    pub(super) fn has_failed(&self) -> bool {
        self.lock_last_failure()
            .as_ref()
            .is_some_and(|(until, _)| Instant::now() < *until)
    }

    /// The failure, a short while ago, that stands until somebody corrects the key.
    pub(super) fn standing_key_fault(&self) -> Option<Fault> {
        let failure = self.lock_last_failure();
        let (until, fault) = failure.as_ref()?;
        let stands = Instant::now() < *until && fault.action() == Action::CheckApiKey;
        stands.then(|| fault.clone().remembered(true))
    }

    pub(super) fn record_success(&self) {
        *self.lock_last_failure() = None;
    }

    pub(super) fn record_failure(&self, fault: &Fault) {
        let remembered = match fault.advice() {
            Retry::After(wait) => wait.min(FAILURE_REMEMBERED),
            Retry::Now | Retry::Never => FAILURE_REMEMBERED,
        };
        *self.lock_last_failure() = Some((Instant::now() + remembered, fault.clone()));
    }

    fn lock_last_failure(&self) -> MutexGuard<'_, Option<(Instant, Fault)>> {
        self.last_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Why it cannot be asked for this kind of search; `None` when it can.
    pub(super) fn refusal(&self, capability: Capability) -> Option<Fault> {
        let own = |case| Fault::new(case, Origin::Local).provider(self.id());
        Some(match self.availability {
            Availability::Ready if self.spec.offer(capability).is_some() => return None,
            Availability::Ready => own(Case::DisabledProvider).saying(does_not_offer(capability)),
            Availability::Disabled => own(Case::DisabledProvider),
            Availability::NoAddress(setting) => own(Case::DisabledProvider)
                .setting(setting)
                .saying(Say::new(self.spec.no_address))
                .advising(set_address(setting)),
            Availability::Missing(setting) => own(Case::MissingKey).setting(setting),
        })
    }
}

const fn does_not_offer(capability: Capability) -> Say {
    Say::new(match capability {
        Capability::Web => "The provider has no web search.",
        Capability::News => "The provider has no news search.",
        Capability::Academic => "The provider does not search papers.",
        Capability::Patents => "The provider does not search patents.",
        Capability::Structured => "The provider has no structured search.",
    })
}

fn set_address(setting: SettingName) -> Say {
    Say::new("Its address belongs in this setting:")
        .then(Say::new(setting.as_str()))
        .then(Say::new("Ask the user to set it."))
}
