//! Decides what may be contacted, before anything is sent.
//!
//! Four questions, each in its own file: may this URL be requested (`target`), may this address be
//! connected to (`address`), what did the operator open (`allow`), and to which domains are callers
//! limited (`domains`). The URL rules run before
//! any DNS query. The address rules run again in the connector on the exact address it connects to,
//! IP literals included, so a name cannot pass the check with one address and be reached at
//! another.

mod address;
mod allow;
mod domains;
mod target;

pub use address::{SpecialAddress, check_ip};
pub use allow::{AllowRule, AllowRuleError, Policy};
pub use domains::{DomainRule, DomainRuleError};
pub(crate) use target::host_of;
pub use target::{MAX_URL_BYTES, Target, TargetHost, parse_target};

/// Why a URL or an address is refused. Every variant means that nothing was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denied {
    /// The text is not a URL.
    Unparsable,
    /// Longer than [`MAX_URL_BYTES`].
    TooLong { bytes: usize },
    /// Anything but http and https.
    Scheme,
    /// `user:password@` in the URL.
    Credentials,
    /// No host, or one that is not a valid DNS name.
    BadHost,
    /// An IPv6 zone such as `%eth0`: it names a local interface.
    ZoneId,
    /// A port on the browsers' bad-port list.
    Port(u16),
    /// Such a port of a private host: it stays closed when the host is opened.
    PrivatePort,
    /// A name that by convention means this machine or this network.
    Name(NameRule),
    /// An address that is not on the public internet.
    Address(SpecialAddress),
    /// A domain outside those that the operator lets callers read.
    Domain,
}

/// The rule that refused a name without a DNS query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameRule {
    Loopback,
    SingleLabel,
    LocalSuffix,
    Metadata,
    Onion,
}

impl Denied {
    /// One fixed sentence for the agent. It quotes nothing from the URL.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Self::Unparsable => "the text is not an absolute URL",
            Self::TooLong { .. } => "the URL is longer than 8192 bytes",
            Self::Scheme => "only http and https URLs are fetched",
            Self::Credentials => "URLs with a user name or password are not fetched",
            Self::BadHost => "the URL has no usable host name",
            Self::ZoneId => "IPv6 zone ids name a local network interface",
            Self::Port(_) => "the port belongs to a service that is not the web",
            Self::PrivatePort => {
                "it is private, and the port belongs to a service that is not the web"
            }
            Self::Name(rule) => rule.why(),
            Self::Address(special) => special.why(),
            Self::Domain => "the operator limits which domains are read",
        }
    }

    /// Whether an operator could have a good reason to open it. Addresses that can do harm without
    /// being a place to read from are not worth asking for.
    pub(crate) fn may_be_opened(self) -> bool {
        match self {
            Self::Name(rule) => !matches!(rule, NameRule::Metadata | NameRule::Onion),
            Self::Address(special) => special.is_a_network(),
            _ => false,
        }
    }
}

impl NameRule {
    fn why(self) -> &'static str {
        match self {
            Self::Loopback => "the name means this machine",
            Self::SingleLabel => "a name without a dot exists only on a local network",
            Self::LocalSuffix => "the name ends in a suffix reserved for local networks",
            Self::Metadata => "the name belongs to a cloud metadata service",
            Self::Onion => "onion names are reached through Tor, which this server does not use",
        }
    }
}

impl std::fmt::Display for Denied {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.why())
    }
}

impl std::error::Error for Denied {}
