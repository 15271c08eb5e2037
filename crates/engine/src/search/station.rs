//! One provider as the operator set it up: whether it can be asked at all, and how it has been
//! doing.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fault::{Alternatives, Case, Fault, Origin, ProviderId, Say, SettingName};
use tokio::time::Instant;

use super::api::ProviderSettings;
use super::provider::{Key, ProviderSpec, Tier};
use super::query::{Capability, Filters};
use crate::layer::Switch;

/// For how long a failure makes a provider the second choice among its equals.
const REMEMBERED: Duration = Duration::from_secs(60);

/// A provider and its standing.
#[derive(Debug)]
pub(super) struct Station {
    pub(super) spec: &'static ProviderSpec,
    pub(super) standing: Standing,
    pub(super) switch: Arc<Switch>,
    failed: Mutex<Option<Instant>>,
}

/// Whether a provider can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It can.
    Ready,
    /// The operator has turned it off.
    Disabled,
    /// Nobody said where it is: this setting would.
    NoAddress(SettingName),
    /// A key or another setting of its own is missing: this one.
    Missing(SettingName),
}

impl Standing {
    /// What the settings make of a provider.
    pub(super) fn of(spec: &'static ProviderSpec, settings: &ProviderSettings) -> Standing {
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
            Standing::Disabled
        } else if spec.base.is_none() && settings.url.is_none() && spec.tier != Tier::Embedded {
            Standing::NoAddress(spec.settings.url_variable)
        } else if spec.key == Key::Needed
            && settings
                .key
                .as_ref()
                .is_none_or(|key| key.expose().is_empty())
        {
            Standing::Missing(spec.settings.key_variable)
        } else {
            missing.map_or(Standing::Ready, |extra| Standing::Missing(extra.variable))
        }
    }
}

impl Station {
    pub(super) fn new(
        spec: &'static ProviderSpec,
        standing: Standing,
        switch: Arc<Switch>,
    ) -> Station {
        Station {
            spec,
            standing,
            switch,
            failed: Mutex::default(),
        }
    }

    pub(super) fn id(&self) -> ProviderId {
        self.spec.id
    }

    /// Whether it is set up for this.
    pub(super) fn offers(&self, capability: Capability) -> bool {
        self.standing == Standing::Ready && self.spec.offer(capability).is_some()
    }

    /// Whether asking it now makes sense.
    pub(super) fn is_usable(&self, capability: Capability) -> bool {
        self.offers(capability) && self.switch.refusal().is_none()
    }

    /// Its place in the order of `auto`: tier, then breadth, then health, then how many of the
    /// filters it does not know.
    pub(super) fn order(
        &self,
        capability: Capability,
        filters: &Filters,
    ) -> (Tier, bool, bool, usize) {
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
            unknown,
        )
    }

    /// Whether its last answer was a failure, a short while ago.
    pub(super) fn has_failed(&self) -> bool {
        self.failed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some_and(|at| at.elapsed() < REMEMBERED)
    }

    /// Remembers how it did.
    pub(super) fn note(&self, failed: bool) {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = failed.then(Instant::now);
    }

    /// Why it cannot be asked, whatever the question.
    pub(super) fn refusal(&self, capability: Capability, others: Vec<ProviderId>) -> Option<Fault> {
        let own = |case| Fault::new(case, Origin::Local).provider(self.id());
        let fault = match self.standing {
            Standing::Ready if self.spec.offer(capability).is_some() => return None,
            Standing::Ready => {
                own(Case::DisabledProvider).saying(Say::new(does_not_offer(capability)))
            }
            Standing::Disabled => own(Case::DisabledProvider),
            Standing::NoAddress(setting) => own(Case::DisabledProvider)
                .setting(setting)
                .saying(Say::new(self.spec.no_address)),
            Standing::Missing(setting) => own(Case::MissingKey).setting(setting),
        };
        Some(fault.alternatives(Alternatives::Known(others)))
    }
}

const fn does_not_offer(capability: Capability) -> &'static str {
    match capability {
        Capability::Web => {
            "The provider has no web search; use one of the alternatives or leave the provider out."
        }
        Capability::News => {
            "The provider has no news search; use one of the alternatives or leave the provider out."
        }
        Capability::Academic => {
            "The provider does not search papers; use one of the alternatives or leave the provider out."
        }
        Capability::Patents => {
            "The provider does not search patents; use one of the alternatives or leave the provider out."
        }
        Capability::Structured => {
            "The provider has no structured search; use one of the alternatives or leave the provider out."
        }
    }
}
