//! What a caller of an HTTP server may do. Each toolset is a scope of its own name.

use std::collections::BTreeSet;

use crate::toolset::Toolset;

/// One permission. Its name is what tokens carry, with the operator's prefix in those of an
/// authorization server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The tools of the toolset `research`.
    Research,
    /// The tools of the toolset `web`.
    Web,
    /// The tools of the toolset `live`.
    Live,
    /// The tools of the toolset `patterns`.
    Patterns,
    /// The tools of the toolset `agent`. The agent uses other tools whatever scopes its caller has.
    Agent,
    /// Reading `/metrics`.
    Metrics,
    /// Seeing what all users of the server did, and not only oneself.
    Operator,
    /// Naming the user in the header that `--subject-header` sets: for the proxy in front.
    Proxy,
}

impl Scope {
    pub const ALL: [Scope; 8] = [
        Scope::Research,
        Scope::Web,
        Scope::Live,
        Scope::Patterns,
        Scope::Agent,
        Scope::Metrics,
        Scope::Operator,
        Scope::Proxy,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Research => Toolset::Research.as_str(),
            Scope::Web => Toolset::Web.as_str(),
            Scope::Live => Toolset::Live.as_str(),
            Scope::Patterns => Toolset::Patterns.as_str(),
            Scope::Agent => Toolset::Agent.as_str(),
            Scope::Metrics => "metrics",
            Scope::Operator => "operator",
            Scope::Proxy => "proxy",
        }
    }

    pub fn parse(name: &str) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    pub fn of(toolset: Toolset) -> Scope {
        match toolset {
            Toolset::Research => Scope::Research,
            Toolset::Web => Scope::Web,
            Toolset::Live => Scope::Live,
            Toolset::Patterns => Scope::Patterns,
            Toolset::Agent => Scope::Agent,
        }
    }
}

/// The permissions of a caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes(BTreeSet<Scope>);

impl Scopes {
    /// Every permission, for the callers of a server without authentication.
    pub fn all() -> Scopes {
        Scope::ALL.into_iter().collect()
    }

    /// The tools of every toolset.
    pub fn every_toolset() -> Scopes {
        Toolset::ALL.into_iter().map(Scope::of).collect()
    }

    pub fn has(&self, scope: Scope) -> bool {
        self.0.contains(&scope)
    }

    /// Whether a tool of these toolsets may be used, on a server that offers those of `offered`.
    pub fn allow_tool(&self, toolsets: &[Toolset], offered: &[Toolset]) -> bool {
        let mut usable = offered.iter().filter(|set| toolsets.contains(set));
        usable.any(|set| self.has(Scope::of(*set)))
    }

    /// Whether what is known about the server may be seen: by those who use its tools or run it, and
    /// not by a program that only reads its counters.
    pub fn allow_looking(&self) -> bool {
        let uses = |toolset| self.has(Scope::of(toolset));
        Toolset::ALL.into_iter().any(uses) || self.has(Scope::Operator)
    }

    pub fn iter(&self) -> impl Iterator<Item = Scope> + '_ {
        self.0.iter().copied()
    }

    pub fn without(mut self, scope: Scope) -> Scopes {
        self.0.remove(&scope);
        self
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Scopes {
        Scopes(scopes.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_is_found_by_its_name_and_every_toolset_has_one() {
        for scope in Scope::ALL {
            assert_eq!(Scope::parse(scope.as_str()), Some(scope));
        }
        for toolset in Toolset::ALL {
            assert_eq!(Scope::of(toolset).as_str(), toolset.as_str());
        }
    }

    #[test]
    fn a_tool_is_allowed_by_a_toolset_that_the_server_offers() {
        let web: Scopes = [Scope::Web].into_iter().collect();
        let both = [Toolset::Research, Toolset::Web];
        assert!(web.allow_tool(&both, &both));
        assert!(!web.allow_tool(&both, &[Toolset::Research]));
        assert!(!web.allow_tool(&[Toolset::Research], &both));
    }
}
