//! The closed vocabularies of the wire: kinds, actions, and where and when a fault arose.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// Every word, in the order the documentation shows them.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = ();
            fn from_str(word: &str) -> Result<Self, ()> {
                Self::ALL.iter().copied().find(|it| it.as_str() == word).ok_or(())
            }
        }
    };
}
pub(crate) use words;

words! {
    /// The eleven categories a client switches on. The set is closed: a new failure is a new
    /// reason, not a new kind.
    Kind {
        RateLimited = "rate_limited",
        AuthRequired = "auth_required",
        Blocked = "blocked",
        Validation = "validation",
        Network = "network",
        ContentEmpty = "content_empty",
        NotFound = "not_found",
        BrowserUnavailable = "browser_unavailable",
        Config = "config",
        UpstreamUnavailable = "upstream_unavailable",
        SessionNotFound = "session_not_found",
    }
}

words! {
    /// What the reader should do. The set is closed and each word is an instruction an agent can
    /// follow.
    Action {
        RetryAfterDelay = "retry_after_delay",
        TryDifferentProvider = "try_different_provider",
        CheckApiKey = "check_api_key",
        BroadenQuery = "broaden_query",
        InformUser = "inform_user",
        ReportBug = "report_bug",
    }
}

words! {
    /// Where a failure comes from. The same status means different things from a page and from a
    /// provider's API.
    Origin {
        Page = "page",
        Provider = "provider",
        Local = "local",
        Llm = "llm",
        Store = "store",
    }
}

words! {
    /// How far a request got.
    Phase {
        Policy = "policy",
        Dns = "dns",
        Connect = "connect",
        Tls = "tls",
        Send = "send",
        Headers = "headers",
        Redirect = "redirect",
        Body = "body",
        Decode = "decode",
        Extract = "extract",
        Work = "work",
    }
}

words! {
    /// Whether the operator gets a record: expected faults are only logged, reportable ones are
    /// recorded too.
    Severity {
        Expected = "expected",
        Reportable = "reportable",
    }
}

words! {
    /// Whether this version emits a case or code. Names are never deleted, only retired.
    State {
        Active = "active",
        Reserved = "reserved",
        Deprecated = "deprecated",
    }
}

impl Kind {
    /// The order in which kinds represent several faults: the first one in this list that occurred
    /// is the headline. Network comes last, so it is the headline only when every attempt failed in
    /// the network.
    pub const PRECEDENCE: [Kind; 11] = [
        Kind::Validation,
        Kind::SessionNotFound,
        Kind::NotFound,
        Kind::AuthRequired,
        Kind::RateLimited,
        Kind::Blocked,
        Kind::UpstreamUnavailable,
        Kind::BrowserUnavailable,
        Kind::ContentEmpty,
        Kind::Config,
        Kind::Network,
    ];

    /// Position in [`Kind::PRECEDENCE`]; lower wins.
    pub fn rank(self) -> usize {
        Self::PRECEDENCE
            .iter()
            .position(|kind| *kind == self)
            .unwrap_or(Self::PRECEDENCE.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_names_every_kind_once() {
        let mut ranks: Vec<usize> = Kind::ALL.iter().map(|kind| kind.rank()).collect();
        ranks.sort_unstable();
        assert_eq!(ranks, (0..Kind::ALL.len()).collect::<Vec<_>>());
    }

    #[test]
    fn words_read_back() {
        for kind in Kind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(*kind));
        }
        assert_eq!("timeout".parse::<Kind>(), Err(()));
    }
}
