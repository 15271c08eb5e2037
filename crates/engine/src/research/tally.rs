//! Counts the outcomes of a session: failures that repeat, and the success of each provider.

use std::collections::{BTreeMap, BTreeSet};

use fault::Kind;
use serde::Serialize;

use super::SessionOutcome;

/// A kind of fault is a pattern from this many occurrences on.
const PATTERN: u32 = 3;

/// What to change in a session that keeps meeting a kind of fault. The caller supplies the words,
/// because they may name its tools, providers and parameters.
pub type SessionAdvice<'a> = &'a (dyn Fn(&RepeatedFault<'_>) -> String + Sync);

/// A kind of fault that repeats, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedFault<'o> {
    pub kind: Kind,
    pub count: u32,
    /// The tools that met it.
    pub tools: BTreeSet<&'o str>,
    /// The providers and tiers that failed in this way.
    pub providers: BTreeSet<&'o str>,
    /// The providers and tiers whose last outcome in the session was a fault of any kind.
    pub failing: BTreeSet<&'o str>,
}

/// A kind of fault that repeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorPattern {
    pub kind: Kind,
    pub count: u32,
    pub suggestion: String,
}

/// The statistics of one provider or tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderStats {
    pub provider: String,
    pub attempts: u32,
    pub successes: u32,
}

/// The outcomes of a session, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Failures that repeat, the most frequent first.
    pub error_patterns: Vec<ErrorPattern>,
    /// All providers, by name.
    pub provider_stats: Vec<ProviderStats>,
}

pub fn tally(outcomes: &[SessionOutcome], advice: SessionAdvice<'_>) -> Tally {
    Tally {
        error_patterns: error_patterns(outcomes, advice),
        provider_stats: provider_stats(outcomes),
    }
}

fn error_patterns(outcomes: &[SessionOutcome], advice: SessionAdvice<'_>) -> Vec<ErrorPattern> {
    let mut repeated: Vec<RepeatedFault<'_>> = counted(outcomes)
        .into_values()
        .filter(|fault| fault.count >= PATTERN)
        .collect();
    repeated.sort_by_key(|fault| std::cmp::Reverse(fault.count));
    repeated
        .iter()
        .map(|fault| ErrorPattern {
            kind: fault.kind,
            count: fault.count,
            suggestion: advice(fault),
        })
        .collect()
}

fn counted(outcomes: &[SessionOutcome]) -> BTreeMap<Kind, RepeatedFault<'_>> {
    let mut counts: BTreeMap<Kind, RepeatedFault<'_>> = BTreeMap::new();
    let failing = failing(outcomes);
    for outcome in outcomes {
        let kind = outcome.error_kind.as_deref().map(str::parse::<Kind>);
        let Some(Ok(kind)) = kind else {
            continue;
        };
        let fault = counts.entry(kind).or_insert_with(|| RepeatedFault {
            kind,
            count: 0,
            tools: BTreeSet::new(),
            providers: BTreeSet::new(),
            failing: failing.clone(),
        });
        fault.count += 1;
        fault.tools.insert(&outcome.tool);
        fault.providers.extend(outcome.provider.as_deref());
    }
    counts
}

/// The providers and tiers whose last outcome was a fault.
fn failing(outcomes: &[SessionOutcome]) -> BTreeSet<&str> {
    let mut failing = BTreeSet::new();
    for outcome in outcomes {
        if let Some(provider) = &outcome.provider {
            if outcome.success {
                failing.remove(provider.as_str());
            } else {
                failing.insert(provider.as_str());
            }
        }
    }
    failing
}

fn provider_stats(outcomes: &[SessionOutcome]) -> Vec<ProviderStats> {
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for outcome in outcomes {
        if let Some(provider) = &outcome.provider {
            let (attempts, successes) = counts.entry(provider).or_default();
            *attempts += 1;
            *successes += u32::from(outcome.success);
        }
    }
    counts
        .into_iter()
        .map(|(provider, (attempts, successes))| ProviderStats {
            provider: provider.to_owned(),
            attempts,
            successes,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(fault: &RepeatedFault<'_>) -> String {
        fault.kind.to_string()
    }

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
    fn a_kind_becomes_a_pattern_with_its_third_occurrence() {
        let mut outcomes = vec![outcome("html", Some(Kind::Blocked)); 2];
        outcomes.extend(vec![outcome("brave", Some(Kind::RateLimited)); 4]);
        outcomes.push(outcome("brave", None));
        let counted = tally(&outcomes, &kind);
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
        assert_eq!(tally(&outcomes, &kind).error_patterns.len(), 2);
    }

    #[test]
    fn a_kind_that_this_version_does_not_know_counts_only_for_its_provider() {
        let mut strange = outcome("x", Some(Kind::Network));
        strange.error_kind = Some("unknown_kind".to_owned());
        assert!(tally(&vec![strange; 5], &kind).error_patterns.is_empty());
    }
}
