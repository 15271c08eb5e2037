//! What a search provider is: a [`ProviderSpec`], which describes it, and a function that asks it.
//!
//! To add one, write a file in `registry/` with a spec, the request and the mapping of the reply,
//! and add it to the list in `registry.rs`:
//!
//! ```ignore
//! const SPEC: ProviderSpec = ProviderSpec {
//!     tier: ProviderTier::Commercial,
//!     offers: &[Offer {
//!         capability: Capability::Web,
//!         filters: &[Filter::Country],
//!         max_results: 20,
//!     }],
//!     base: Some("https://api.example.com"),
//!     key: KeyRequirement::Needed,
//!     about: "Example's web index.",
//!     docs: "https://example.com/docs",
//!     codes_at: &["/error/code"],
//!     errors: &[
//!         ErrorMeaning::code(422, "TOKEN_INVALID", Case::BadKey),
//!         ErrorMeaning::status(432, Case::QuotaExhausted),
//!     ],
//!     ..provider!("example", "Example Search")
//! };
//! ```
//!
//! The settings of a provider follow from its id (`example-url`, `example-api-key`,
//! `example-timeout`); there is no second list. A provider file has no policy in it: retries,
//! breaker, limits, cache, fallback, cutting to the wanted count and reporting ignored filters
//! belong to the layers and the router.

use std::fmt::Debug;
use std::time::Duration;

use fault::{Case, ProviderId, Say, SettingName};
use futures_util::future::BoxFuture;

use super::api::Api;
use super::hit::Hits;
use super::query::{Capability, Filter, SearchQuery};
use crate::call::Call;
pub use crate::layer::Pace;
use crate::upstream::{Answering, Spec};

pub trait Provider: Debug + Send + Sync {
    fn spec(&self) -> &'static ProviderSpec;

    /// Asks it. The query is valid and of a capability that the provider offers. Filters that the
    /// offer does not list must be ignored.
    fn ask<'a>(
        &'a self,
        api: &'a Api,
        call: &'a Call,
        query: &'a SearchQuery,
    ) -> Answering<'a, Hits>;

    /// Whether it may have results for a query. A caller is sent to a provider only if it may. Only
    /// a provider inside this program knows better than "maybe".
    fn may_have_results<'a>(&'a self, _query: &'a SearchQuery) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(true))
    }
}

/// The description of a provider: everything about it that does not depend on settings.
#[derive(Debug)]
pub struct ProviderSpec {
    /// Its id on the wire (lower-case letters and digits) and its name in sentences.
    pub id: ProviderId,
    /// Which group `auto` tries it in.
    pub tier: ProviderTier,
    /// The kinds of search it offers, in the order of its documentation.
    pub offers: &'static [Offer],
    /// Its address unless a setting gives another; `None` when a setting must.
    pub base: Option<&'static str>,
    /// Whether it needs a key.
    pub key: KeyRequirement,
    /// The names of the settings that every provider has.
    pub settings: SettingNames,
    /// Variables under which people may already have one of its settings, with the name of that
    /// setting. `BRAVE_API_KEY` for `brave-api-key` goes without saying.
    pub other_variables: &'static [(&'static str, &'static str)],
    /// Settings that only this provider has.
    pub extras: &'static [ExtraSetting],
    /// How often it may be asked, according to its documentation.
    pub pace: Option<Pace>,
    /// The most requests at the same time.
    pub at_once: usize,
    /// How long one request may take unless a setting gives another limit.
    pub timeout: Duration,
    /// Whether `auto` asks it. A provider for a single subject is asked only by name.
    pub auto: bool,
    /// For a provider of limited scope: the sentence that says what it covers, which `auto` adds to
    /// its answers.
    pub scope: Option<&'static str>,
    /// What happened, for a caller who names it while it has no address.
    pub no_address: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The address of its documentation.
    pub docs: &'static str,
    /// Where an error body has its machine codes: JSON pointers, in which the step `*` stands for
    /// every element of a list. In an XML body the steps are the names of elements, from the
    /// outermost.
    pub codes_at: &'static [&'static str],
    /// Headers that consist of machine codes.
    pub codes_in: &'static [&'static str],
    /// What its statuses and codes mean, where they differ from what the status means in general.
    /// The first row that matches counts.
    pub errors: &'static [ErrorMeaning],
    /// The statuses, and their codes, that mean "no results". Without a code only a JSON reply
    /// counts, because a proxy's error page says nothing about results.
    pub nothing: &'static [(u16, Option<&'static str>)],
    /// What the headers of a failed reply add to its status, such as whose allowance is used up.
    pub remark: fn(&net::Response) -> Option<Say>,
    /// Whether it is more lenient towards callers whom it can reach.
    pub contact_helps: bool,
    /// What its users should know about its future; `auto` asks it after others of its tier.
    pub retires: Option<&'static str>,
    /// Its description as an upstream.
    pub upstream: Spec,
}

/// The groups of providers that `auto` asks, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProviderTier {
    /// Paid for by the operator, who therefore wants it used.
    Commercial,
    /// Run by the operator.
    SelfHosted,
    /// Free for all, so it is asked rarely.
    Keyless,
    /// Part of this program.
    Embedded,
}

impl ProviderTier {
    /// The word in documents and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            ProviderTier::Commercial => "commercial",
            ProviderTier::SelfHosted => "self-hosted",
            ProviderTier::Keyless => "keyless",
            ProviderTier::Embedded => "embedded",
        }
    }
}

/// One kind of search that a provider offers.
#[derive(Debug, Clone, Copy)]
pub struct Offer {
    /// What is searched for.
    pub capability: Capability,
    /// The filters it applies.
    pub filters: &'static [Filter],
    /// The most results that one request gets.
    pub max_results: usize,
}

/// Whether a provider needs a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRequirement {
    /// It does not work without one.
    Needed,
    /// A key raises its limits.
    Optional,
    /// It takes no key.
    None,
}

/// The names of a provider's settings, derived from its id by `provider!`.
#[derive(Debug, Clone, Copy)]
pub struct SettingNames {
    /// `<id>-url`.
    pub url: SettingName,
    /// `<id>-api-key`.
    pub key: SettingName,
    /// The key's environment variable, which faults name: `FINGERPOST_<ID>_API_KEY`.
    pub key_variable: SettingName,
    /// The key's variable without our prefix, which other programs use too: `<ID>_API_KEY`.
    pub shared_key_variable: SettingName,
    /// The address's environment variable.
    pub url_variable: SettingName,
    /// `<id>-timeout`.
    pub timeout: SettingName,
}

/// A setting that only one provider has, such as Google's engine id or the secret half of a key.
#[derive(Debug, Clone, Copy)]
pub struct ExtraSetting {
    /// The whole name: `<id>-…`.
    pub name: SettingName,
    /// The whole name of its environment variable: `FINGERPOST_<ID>_…`.
    pub variable: SettingName,
    /// What it is, in one line.
    pub about: &'static str,
    pub example: &'static str,
    /// Whether the provider does not work without it.
    pub needed: bool,
    /// Whether the value is a secret.
    pub secret: bool,
}

/// What a provider means by a status and a machine code. Codes are compared as a whole; messages
/// are never searched.
#[derive(Debug, Clone, Copy)]
pub struct ErrorMeaning {
    /// The status. A row for 200 is for providers that report errors in successful replies.
    pub status: u16,
    /// The code; `None` when the status alone decides.
    pub code: Option<&'static str>,
    /// What both mean.
    pub case: Case,
}

impl ErrorMeaning {
    /// A status with a meaning of its own.
    pub const fn status(status: u16, case: Case) -> ErrorMeaning {
        ErrorMeaning {
            status,
            code: None,
            case,
        }
    }

    /// A status together with a machine code.
    pub const fn code(status: u16, code: &'static str, case: Case) -> ErrorMeaning {
        ErrorMeaning {
            status,
            code: Some(code),
            case,
        }
    }
}

impl ProviderSpec {
    /// Its offer for a capability, where it has one.
    pub fn offer(&self, capability: Capability) -> Option<&'static Offer> {
        self.offers
            .iter()
            .find(|offer| offer.capability == capability)
    }

    /// The variable that a fault about the key names: the one it was read from, or ours when it
    /// was given in another way.
    pub fn key_name(&self, origin: &str) -> SettingName {
        let names = &self.settings;
        let others = self.other_variables.iter().map(|(name, _)| *name);
        let known = [names.key_variable, names.shared_key_variable];
        let mut known = known.into_iter().chain(others.map(SettingName::new));
        let found = known.find(|name| name.as_str() == origin);
        found.unwrap_or(names.key_variable)
    }

    /// Its id on the wire.
    pub const fn id(&self) -> &'static str {
        self.id.as_str()
    }
}

/// The name of an environment variable: capitals, with underscores for hyphens.
pub(crate) const fn variable_name<const N: usize>(name: &str) -> [u8; N] {
    let (name, mut variable, mut at) = (name.as_bytes(), [0; N], 0);
    while at < N {
        variable[at] = if name[at] == b'-' {
            b'_'
        } else {
            name[at].to_ascii_uppercase()
        };
        at += 1;
    }
    variable
}

/// The name of an environment variable as a `&'static str`:
/// `variable!("fingerpost-", "epo", "-url")`.
macro_rules! variable {
    ($($part:expr),+) => {{
        const LOWER: &str = concat!($($part),+);
        const UPPER: [u8; LOWER.len()] = $crate::search::provider::variable_name(LOWER);
        match std::str::from_utf8(&UPPER) {
            Ok(name) => name,
            Err(_) => LOWER,
        }
    }};
}
pub(crate) use variable;

/// A spec with everything that follows from the id, and default values for the rest.
macro_rules! provider {
    ($id:literal, $title:literal) => {
        $crate::search::provider::ProviderSpec {
            id: fault::ProviderId::titled($id, $title),
            tier: $crate::search::provider::ProviderTier::Keyless,
            offers: &[],
            base: None,
            key: $crate::search::provider::KeyRequirement::None,
            settings: $crate::search::provider::SettingNames {
                url: fault::SettingName::new(concat!($id, "-url")),
                key: fault::SettingName::new(concat!($id, "-api-key")),
                key_variable: fault::SettingName::new($crate::search::provider::variable!(
                    "fingerpost-",
                    $id,
                    "-api-key"
                )),
                shared_key_variable: fault::SettingName::new($crate::search::provider::variable!(
                    $id, "-api-key"
                )),
                url_variable: fault::SettingName::new($crate::search::provider::variable!(
                    "fingerpost-",
                    $id,
                    "-url"
                )),
                timeout: fault::SettingName::new(concat!($id, "-timeout")),
            },
            other_variables: &[],
            extras: &[],
            pace: None,
            at_once: 8,
            timeout: std::time::Duration::from_secs(10),
            auto: true,
            scope: None,
            no_address: concat!($title, " has no address configured."),
            about: "",
            docs: "",
            codes_at: &[],
            codes_in: &[],
            errors: &[],
            nothing: &[],
            remark: |_| None,
            contact_helps: false,
            retires: None,
            upstream: $crate::upstream::Spec { id: $id },
        }
    };
}
pub(crate) use provider;

/// An extra setting of a provider: `extra!("google", "cx", "Programmable Search engine id",
/// "0123:abc")`.
macro_rules! extra {
    ($id:literal, $name:literal, $about:literal, $example:literal) => {
        $crate::search::provider::ExtraSetting {
            name: fault::SettingName::new(concat!($id, "-", $name)),
            variable: fault::SettingName::new($crate::search::provider::variable!(
                "fingerpost-",
                $id,
                "-",
                $name
            )),
            about: $about,
            example: $example,
            needed: true,
            secret: false,
        }
    };
}
pub(crate) use extra;
