//! The shape of a search provider: what is fixed about it (a [`ProviderSpec`], its row in the
//! documentation) and one verb.
//!
//! To add one, write a file with a spec, the request and the mapping of its answer, and name it in
//! `registry.rs`:
//!
//! ```ignore
//! const SPEC: ProviderSpec = ProviderSpec {
//!     tier: Tier::Commercial,
//!     offers: &[Offer { capability: Capability::Web, filters: &[Filter::Country], max_results: 20 }],
//!     base: Some("https://api.example.com"),
//!     key: Key::Needed,
//!     about: "Example's web index.",
//!     docs: "https://example.com/docs",
//!     codes_at: &["/error/code"],
//!     errors: &[Meaning::code(422, "TOKEN_INVALID", Case::BadKey), Meaning::status(432, Case::QuotaExhausted)],
//!     ..provider!("example", "Example Search")
//! };
//! ```
//!
//! The settings of a provider follow from its id (`example-url`, `example-api-key`,
//! `example-timeout`); there is no second list. A provider file holds no policy: retries, breaker,
//! limits, cache, fallback, cutting to the wanted count and telling what was not honoured are the
//! layers' and the router's work.

use std::fmt::Debug;
use std::time::Duration;

use fault::{Case, ProviderId, SettingName};

use super::api::Api;
use super::hit::Hits;
use super::query::{Ask, Capability, Filter};
use crate::call::Call;
pub use crate::layer::Pace;
use crate::upstream::{Answering, Spec};

/// Something that answers searches.
pub trait Provider: Debug + Send + Sync {
    /// What is fixed about it.
    fn spec(&self) -> &'static ProviderSpec;

    /// Asks. The question is valid and of a capability the provider offers; filters it does not
    /// list are to be ignored.
    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits>;
}

/// What is fixed about a provider.
#[derive(Debug)]
pub struct ProviderSpec {
    /// Its id on the wire (lower-case letters and digits) and its name in a sentence.
    pub id: ProviderId,
    /// Which group `auto` tries it in.
    pub tier: Tier,
    /// What it can be asked, in the order of its documentation.
    pub offers: &'static [Offer],
    /// Where it is unless a setting says otherwise; nothing when the operator must say.
    pub base: Option<&'static str>,
    /// Whether it wants a key.
    pub key: Key,
    /// The settings it has.
    pub settings: SettingNames,
    /// Settings that only this provider has.
    pub extras: &'static [Extra],
    /// How often it may be asked, as it documents.
    pub pace: Option<Pace>,
    /// Requests at once.
    pub at_once: usize,
    /// How long one request may take unless a setting says otherwise.
    pub timeout: Duration,
    /// Whether `auto` asks it at all: a provider for one subject is asked only by name.
    pub auto: bool,
    /// What an answer from it lacks when `auto` had to fall back to it, as a sentence.
    pub scope: Option<&'static str>,
    /// Told when nobody said where it is.
    pub no_address: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Where its interface is documented.
    pub docs: &'static str,
    /// Where an error body holds its machine code: JSON pointers, tried in order. In an XML body
    /// the steps are the names of elements, beginning with the outermost.
    pub codes_at: &'static [&'static str],
    /// Headers whose words are machine codes.
    pub codes_in: &'static [&'static str],
    /// What its statuses and codes mean, where that is not what the status means everywhere. The
    /// first row that fits counts.
    pub errors: &'static [Meaning],
    /// The statuses of errors, and their codes, by which it says that it found nothing. Without a
    /// code only an answer in the interface's own format counts: a page of somebody in between says
    /// nothing about results.
    pub nothing: &'static [(u16, Option<&'static str>)],
    /// Its row as an upstream.
    pub upstream: Spec,
}

/// The groups that `auto` tries, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Paid by the operator, so it is what the operator wants used.
    Commercial,
    /// Run by the operator.
    SelfHosted,
    /// Free for all, with the manners that asks for.
    Keyless,
    /// In this program.
    Embedded,
}

impl Tier {
    /// The word in documents and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Tier::Commercial => "commercial",
            Tier::SelfHosted => "self-hosted",
            Tier::Keyless => "keyless",
            Tier::Embedded => "embedded",
        }
    }
}

/// One thing a provider can be asked.
#[derive(Debug, Clone, Copy)]
pub struct Offer {
    /// What is searched for.
    pub capability: Capability,
    /// The filters it honours there.
    pub filters: &'static [Filter],
    /// The most results of one request.
    pub max_results: usize,
}

/// Whether a provider wants a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Nothing works without it.
    Needed,
    /// It raises limits.
    Optional,
    /// There is none.
    None,
}

/// The names of a provider's settings, derived from its id by `provider!`.
#[derive(Debug, Clone, Copy)]
pub struct SettingNames {
    /// `<id>-url`.
    pub url: SettingName,
    /// `<id>-api-key`.
    pub key: SettingName,
    /// The key's environment variable, which is what a fault names: `FINGERPOST_<ID>_API_KEY`.
    pub key_variable: SettingName,
    /// The address's environment variable.
    pub url_variable: SettingName,
    /// `<id>-timeout`.
    pub timeout: SettingName,
}

/// A setting that only one provider has: Google's engine id, the secret half of a key.
#[derive(Debug, Clone, Copy)]
pub struct Extra {
    /// `<id>-…`, whole.
    pub name: SettingName,
    /// Its environment variable, whole: `FINGERPOST_<ID>_…`.
    pub variable: SettingName,
    /// What it is, in one line.
    pub about: &'static str,
    /// A value that works.
    pub example: &'static str,
    /// Whether the provider is unusable without it.
    pub needed: bool,
    /// Whether it must never be shown.
    pub secret: bool,
}

/// What a provider means by a status and a machine code. Codes are compared whole; prose is never
/// searched.
#[derive(Debug, Clone, Copy)]
pub struct Meaning {
    /// The status; a row for 200 is for interfaces that report errors in an answer that looks well.
    pub status: u16,
    /// The code at one of [`ProviderSpec::codes_at`]; nothing when the status alone decides.
    pub code: Option<&'static str>,
    /// What it means here.
    pub case: Case,
}

impl Meaning {
    /// A status that means something of its own at this provider.
    pub const fn status(status: u16, case: Case) -> Meaning {
        Meaning {
            status,
            code: None,
            case,
        }
    }

    /// A machine code that comes with a status.
    pub const fn code(status: u16, code: &'static str, case: Case) -> Meaning {
        Meaning {
            status,
            code: Some(code),
            case,
        }
    }
}

impl ProviderSpec {
    /// What it offers for a capability.
    pub fn offer(&self, capability: Capability) -> Option<&'static Offer> {
        self.offers
            .iter()
            .find(|offer| offer.capability == capability)
    }

    /// Its id on the wire.
    pub const fn id(&self) -> &'static str {
        self.id.as_str()
    }
}

/// `FINGERPOST_` and the id in capitals, for `provider!`.
pub(crate) const fn capitals<const N: usize>(name: &str) -> [u8; N] {
    let (name, mut capitals, mut at) = (name.as_bytes(), [0; N], 0);
    while at < N {
        capitals[at] = if name[at] == b'-' {
            b'_'
        } else {
            name[at].to_ascii_uppercase()
        };
        at += 1;
    }
    capitals
}

/// A static name in capitals with underscores.
macro_rules! variable {
    ($($part:expr),+) => {{
        const LOWER: &str = concat!($($part),+);
        const UPPER: [u8; LOWER.len()] = $crate::search::provider::capitals(LOWER);
        match std::str::from_utf8(&UPPER) {
            Ok(name) => name,
            Err(_) => LOWER,
        }
    }};
}
pub(crate) use variable;

/// The rest of a spec: everything that follows from the id or has a usual value.
macro_rules! provider {
    ($id:literal, $title:literal) => {
        $crate::search::provider::ProviderSpec {
            id: fault::ProviderId::titled($id, $title),
            tier: $crate::search::provider::Tier::Keyless,
            offers: &[],
            base: None,
            key: $crate::search::provider::Key::None,
            settings: $crate::search::provider::SettingNames {
                url: fault::SettingName::new(concat!($id, "-url")),
                key: fault::SettingName::new(concat!($id, "-api-key")),
                key_variable: fault::SettingName::new($crate::search::provider::variable!(
                    "fingerpost-",
                    $id,
                    "-api-key"
                )),
                url_variable: fault::SettingName::new($crate::search::provider::variable!(
                    "fingerpost-",
                    $id,
                    "-url"
                )),
                timeout: fault::SettingName::new(concat!($id, "-timeout")),
            },
            extras: &[],
            pace: None,
            at_once: 8,
            timeout: std::time::Duration::from_secs(10),
            auto: true,
            scope: None,
            no_address: concat!(
                $title,
                " has no address here. Ask the user to set ",
                $id,
                "-url, or use another provider."
            ),
            about: "",
            docs: "",
            codes_at: &[],
            codes_in: &[],
            errors: &[],
            nothing: &[],
            upstream: $crate::upstream::Spec {
                id: $id,
                about: "a search provider",
            },
        }
    };
}
pub(crate) use provider;

/// An extra setting of a provider: `extra!("google", "cx", "Programmable Search engine id",
/// "0123:abc")`.
#[allow(unused_macros)] // only some providers have settings of their own
macro_rules! extra {
    ($id:literal, $name:literal, $about:literal, $example:literal) => {
        $crate::search::provider::Extra {
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
#[allow(unused_imports)] // likewise
pub(crate) use extra;
