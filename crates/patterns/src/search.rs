//! Ranked full-text search over the library.
//!
//! The library has some dozens of short texts, so all of them are scored for each query (BM25 with
//! weights for the fields) and no index is kept. The total is counted before the limit is applied.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::library::{Library, Pattern};

/// What to look for. A filter that is `None` lets everything through.
#[derive(Debug, Clone, Default)]
pub struct Query<'q> {
    /// A pattern must have all of its words, or at least one where none has all; without words,
    /// every pattern matches.
    pub words: &'q str,
    pub category: Option<&'q str>,
    pub difficulty: Option<&'q str>,
}

/// The patterns that match, best first.
#[derive(Debug)]
pub struct Matches<'l> {
    pub patterns: Vec<&'l Pattern>,
}

impl Matches<'_> {
    /// How many matches there are of each category, largest first.
    pub fn by_category(&self) -> Vec<(&'static str, usize)> {
        counted(self.patterns.iter().map(|pattern| pattern.category))
    }

    /// How many matches there are of each difficulty, largest first.
    pub fn by_difficulty(&self) -> Vec<(&'static str, usize)> {
        counted(self.patterns.iter().map(|pattern| pattern.difficulty))
    }
}

fn counted(names: impl Iterator<Item = &'static str>) -> Vec<(&'static str, usize)> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    counts
}

/// The longest query that is read, in words.
const MAX_WORDS: usize = 64;

/// The parameters of BM25, as usual.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

pub fn search<'l>(library: &'l Library, query: &Query<'_>) -> Matches<'l> {
    let passes = |pattern: &&Pattern| {
        query.category.is_none_or(|it| it == pattern.category)
            && query.difficulty.is_none_or(|it| it == pattern.difficulty)
    };
    let words: Vec<String> = stems(query.words).take(MAX_WORDS).collect();
    let candidates: Vec<&Pattern> = library.all().iter().filter(passes).collect();
    if words.is_empty() {
        return Matches {
            patterns: candidates,
        };
    }
    // Rarity is that of the whole library, so that a filter does not change the order.
    let texts: Vec<(&Pattern, Weighted)> = library.all().iter().map(|it| (it, weigh(it))).collect();
    let mean = texts.iter().map(|(_, it)| it.length).sum::<f64>() / (texts.len().max(1) as f64);
    let rarity: Vec<f64> = words
        .iter()
        .map(|word| {
            let found = texts
                .iter()
                .filter(|(_, it)| it.weights.contains_key(word))
                .count() as f64;
            ((texts.len() as f64 - found + 0.5) / (found + 0.5)).ln_1p()
        })
        .collect();
    let has_all = |text: &Weighted| words.iter().all(|word| text.weights.contains_key(word));
    let only_whole = texts
        .iter()
        .any(|(pattern, text)| passes(pattern) && has_all(text));
    let mut scored: Vec<(f64, &Pattern)> = texts
        .iter()
        .filter(|(pattern, text)| passes(pattern) && (!only_whole || has_all(text)))
        .map(|(pattern, text)| (score(text, &words, &rarity, mean), *pattern))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    Matches {
        patterns: scored.into_iter().map(|(_, pattern)| pattern).collect(),
    }
}

/// The words of a pattern with their weights.
struct Weighted {
    weights: HashMap<String, f64>,
    length: f64,
}

fn weigh(pattern: &Pattern) -> Weighted {
    let tags = pattern.tags.join(" ");
    let fields: [(&str, f64); 7] = [
        (&pattern.title, 6.0),
        (&pattern.id, 6.0),
        (&tags, 4.0),
        (&pattern.summary, 3.0),
        (&pattern.use_when, 2.0),
        (pattern.category, 2.0),
        (&pattern.body, 1.0),
    ];
    let mut weighted = Weighted {
        weights: HashMap::new(),
        length: 0.0,
    };
    for (text, weight) in fields {
        for word in stems(text) {
            *weighted.weights.entry(word).or_default() += weight;
            weighted.length += weight;
        }
    }
    weighted
}

fn score(text: &Weighted, words: &[String], rarity: &[f64], mean: f64) -> f64 {
    let norm = SATURATION * (1.0 - LENGTH + LENGTH * text.length / mean.max(1.0));
    words
        .iter()
        .zip(rarity)
        .filter_map(|(word, rarity)| {
            let weight = text.weights.get(word)?;
            Some(rarity * weight * (SATURATION + 1.0) / (weight + norm))
        })
        .sum()
}

/// Words that nearly every text has.
const COMMON: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "how", "in", "is", "it", "of",
    "on", "or", "that", "the", "to", "what", "when", "with",
];

/// The words of a text in lower case, without endings that do not change what is meant.
fn stems(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty() && word.len() <= 64)
        .map(str::to_lowercase)
        .filter(|word| !COMMON.contains(&word.as_str()))
        .map(|word| stem(&word).to_owned())
}

fn stem(word: &str) -> &str {
    for (ending, shortest) in [
        ("ies", 5),
        ("ing", 6),
        ("ed", 5),
        ("es", 5),
        ("s", 4),
        ("y", 4),
    ] {
        if word.len() >= shortest
            && !word.ends_with("ss")
            && let Some(stem) = word.strip_suffix(ending)
        {
            return stem;
        }
    }
    word
}

/// At most this many suggestions are made for an id that does not exist.
pub const MAX_NEAREST: usize = 5;

/// How many of these words are in the id, the title or the tags of a pattern. What its text says of
/// other things does not make its id the one that was meant.
fn shared_words(pattern: &Pattern, words: &BTreeSet<String>) -> usize {
    let tags = pattern.tags.iter().map(String::as_str);
    let names = [pattern.id.as_str(), pattern.title.as_str()];
    let own: BTreeSet<String> = names.into_iter().chain(tags).flat_map(stems).collect();
    words.intersection(&own).count()
}

/// Ids that may have been meant: close in spelling, or named with half of its words. Never an
/// arbitrary one.
pub fn nearest_ids<'l>(library: &'l Library, given: &str) -> Vec<&'l str> {
    let given: String = given.chars().take(100).collect::<String>().to_lowercase();
    let mut close: Vec<(usize, &str)> = library
        .all()
        .iter()
        .map(|pattern| {
            (
                strsim::osa_distance(&given, &pattern.id),
                pattern.id.as_str(),
            )
        })
        .filter(|(distance, id)| *distance <= 1 + id.len().min(given.len()) / 3)
        .collect();
    close.sort_unstable();
    // Two letters say nothing about what was meant.
    let words: BTreeSet<String> = stems(&given).filter(|word| word.len() > 2).collect();
    let mut shared: Vec<(usize, &str)> = library
        .all()
        .iter()
        .map(|pattern| (shared_words(pattern, &words), pattern.id.as_str()))
        .filter(|(count, _)| *count > 0 && count * 2 >= words.len())
        .collect();
    shared.sort_unstable_by_key(|(count, id)| (std::cmp::Reverse(*count), *id));
    let mut ids: Vec<&str> = Vec::new();
    // Who mistyped an id means that one.
    let candidates = if close.is_empty() { shared } else { close };
    for (_, id) in candidates {
        if !ids.contains(&id) && ids.len() < MAX_NEAREST {
            ids.push(id);
        }
    }
    ids
}
