//! What the outcomes of a session say together: failures that repeat, and how each provider did.

use std::collections::BTreeMap;

use fault::Kind;
use serde::Serialize;

use super::SessionOutcome;

/// A kind that was seen less often than this is no pattern.
const PATTERN: u32 = 3;

/// A kind of failure that repeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorPattern {
    /// The kind.
    pub kind: Kind,
    /// How often it was seen.
    pub count: u32,
    /// What to do about it in the whole session.
    pub suggestion: &'static str,
}

/// How a provider or tier did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderStats {
    /// Which.
    pub provider: String,
    /// How often it was asked.
    pub attempts: u32,
    /// How often it answered.
    pub successes: u32,
}

/// The outcomes, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Failures that repeat, the most frequent first.
    pub error_patterns: Vec<ErrorPattern>,
    /// Every provider, by name.
    pub provider_stats: Vec<ProviderStats>,
}

/// Counts outcomes.
pub fn tally(outcomes: &[SessionOutcome]) -> Tally {
    let mut kinds: BTreeMap<Kind, u32> = BTreeMap::new();
    let mut providers: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for outcome in outcomes {
        if let Some(kind) = outcome
            .error_kind
            .as_deref()
            .and_then(|kind| kind.parse().ok())
        {
            *kinds.entry(kind).or_default() += 1;
        }
        if let Some(provider) = &outcome.provider {
            let (attempts, successes) = providers.entry(provider).or_default();
            *attempts += 1;
            *successes += u32::from(outcome.success);
        }
    }
    let repeated = kinds.into_iter().filter(|(_, count)| *count >= PATTERN);
    let mut patterns: Vec<_> = repeated
        .map(|(kind, count)| ErrorPattern {
            kind,
            count,
            suggestion: suggestion(kind),
        })
        .collect();
    patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.count));
    let stats = providers.into_iter();
    let stats = stats.map(|(provider, (attempts, successes))| ProviderStats {
        provider: provider.to_owned(),
        attempts,
        successes,
    });
    Tally {
        error_patterns: patterns,
        provider_stats: stats.collect(),
    }
}

/// What to do when a kind repeats. The first seven are the words that clients know from
/// web-researcher-mcp.
fn suggestion(kind: Kind) -> &'static str {
    match kind {
        Kind::AuthRequired => {
            "Consider open_access=true or target preprint servers (arxiv, biorxiv)."
        }
        Kind::Blocked => "Try alternative sources or use web_search for cached versions.",
        Kind::RateLimited => "Switch to a different provider or space requests further apart.",
        Kind::BrowserUnavailable => "Set CHROME_PATH for JavaScript-heavy sites.",
        Kind::Network => "Transient network errors — retry, or try a different source.",
        Kind::ContentEmpty => {
            "The page yielded no usable text — try a different source or the original PDF."
        }
        Kind::UpstreamUnavailable => {
            "The provider is unavailable — switch providers or retry later."
        }
        Kind::NotFound => {
            "Links in use are dead — search for the titles instead of opening old addresses."
        }
        Kind::Validation => {
            "Calls are refused before they are made — read the first line of each fault and correct the arguments."
        }
        Kind::Config => {
            "A provider is not set up on this server — leave the provider out, or use one that health_check lists."
        }
        Kind::SessionNotFound => {
            "Session ids do not match — list the sessions and use an id from the list."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(provider: &str, kind: Option<Kind>) -> SessionOutcome {
        let error_kind = kind.map(|kind| kind.as_str().to_owned());
        SessionOutcome {
            tool: "scrape_page".to_owned(),
            provider: Some(provider.to_owned()),
            success: kind.is_none(),
            error_kind,
            url: None,
            at: 1,
        }
    }

    #[test]
    fn three_of_a_kind_are_a_pattern() {
        let mut outcomes = vec![outcome("html", Some(Kind::Blocked)); 2];
        outcomes.extend(vec![outcome("brave", Some(Kind::RateLimited)); 4]);
        outcomes.push(outcome("brave", None));
        let counted = tally(&outcomes);
        assert_eq!(counted.error_patterns.len(), 1);
        assert_eq!(
            (
                counted.error_patterns[0].kind,
                counted.error_patterns[0].count
            ),
            (Kind::RateLimited, 4)
        );
        assert_eq!(
            counted.provider_stats[0],
            ProviderStats {
                provider: "brave".to_owned(),
                attempts: 5,
                successes: 1
            }
        );
        outcomes.push(outcome("html", Some(Kind::Blocked)));
        assert_eq!(tally(&outcomes).error_patterns.len(), 2);
    }

    #[test]
    fn kinds_of_other_versions_are_counted_for_the_provider_only() {
        let mut strange = outcome("x", Some(Kind::Network));
        strange.error_kind = Some("unheard_of".to_owned());
        assert!(tally(&vec![strange; 5]).error_patterns.is_empty());
    }
}
