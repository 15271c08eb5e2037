//! The groups of tools that `--toolset` chooses from, each with its dialect.

use fault::Dialect;

/// A group of tools that the operator can offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    Research,
    Web,
    Live,
    Patterns,
    Agent,
}

impl Toolset {
    pub const ALL: [Toolset; 5] = [
        Toolset::Research,
        Toolset::Web,
        Toolset::Live,
        Toolset::Patterns,
        Toolset::Agent,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Toolset::Research => "research",
            Toolset::Web => "web",
            Toolset::Live => "live",
            Toolset::Patterns => "patterns",
            Toolset::Agent => "agent",
        }
    }

    pub fn parse(name: &str) -> Option<Toolset> {
        Toolset::ALL
            .into_iter()
            .find(|toolset| toolset.as_str() == name)
    }

    /// The dialect that clients written for this toolset expect.
    pub fn dialect(self) -> Dialect {
        match self {
            Toolset::Research => Dialect::Dual,
            Toolset::Web => Dialect::Code,
            Toolset::Live => Dialect::Flat,
            Toolset::Patterns => Dialect::Gated,
            Toolset::Agent => Dialect::Section,
        }
    }
}
