//! A small search engine for the corpus.
//!
//! At least half of the words of a query must occur in a document, and words in the title weigh
//! more. The usual operators (`site:`, `-site:`, `-word`, `"a phrase"`) are supported.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::corpus::{Corpus, Document, DocumentKind, days_before_today, documents};

/// A parsed query with its filters.
#[derive(Debug, Clone, Default)]
pub struct Search {
    words: Vec<String>,
    phrases: Vec<String>,
    without: Vec<String>,
    /// Only these kinds; empty means all.
    pub kinds: Vec<DocumentKind>,
    /// Only these hosts and their subdomains; empty means all.
    pub sites: Vec<String>,
    /// Excludes these hosts.
    pub not_sites: Vec<String>,
    /// Published on this day or later, `2026-03-14`. Excludes documents without a date.
    pub from: Option<String>,
    /// Published on this day or earlier.
    pub to: Option<String>,
    /// Only this language, a two-letter code.
    pub language: Option<String>,
}

/// Words that are ignored in a query.
const EMPTY_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "from", "how", "in",
    "is", "it", "of", "on", "or", "that", "the", "to", "what", "when", "where", "which", "who",
    "why", "with",
];

/// Further words of a query are ignored.
const MOST_WORDS: usize = 64;

impl Search {
    /// Parses a query.
    #[must_use]
    pub fn new(query: &str, kinds: &[DocumentKind]) -> Search {
        let mut search = Search {
            kinds: kinds.to_vec(),
            ..Search::default()
        };
        for (index, part) in query.split('"').enumerate() {
            if index % 2 == 1 {
                search.phrases.push(words(part).join(" "));
            } else {
                part.split_whitespace()
                    .take(MOST_WORDS)
                    .for_each(|term| search.term(term));
            }
        }
        search.phrases.retain(|phrase| !phrase.is_empty());
        search
    }

    fn term(&mut self, term: &str) {
        let term = term.trim_matches(['(', ')']);
        if let Some(site) = term.strip_prefix("site:") {
            self.sites.push(site.to_lowercase());
        } else if let Some(site) = term.strip_prefix("-site:") {
            self.not_sites.push(site.to_lowercase());
        } else if let Some(word) = term.strip_prefix('-') {
            self.without.extend(words(word));
        } else if term != "OR" && term != "AND" {
            self.words.extend(
                words(term)
                    .into_iter()
                    .filter(|word| !EMPTY_WORDS.contains(&word.as_str())),
            );
        }
    }

    /// Only documents published between these days.
    #[must_use]
    pub fn between(mut self, from: Option<&str>, to: Option<&str>) -> Search {
        (self.from, self.to) = (from.map(str::to_owned), to.map(str::to_owned));
        self
    }

    /// Only documents published within this many days before the lab's today.
    #[must_use]
    pub fn within_days(mut self, days: Option<i64>) -> Search {
        self.from = days.map(days_before_today).or(self.from);
        self
    }

    /// Only documents in this language.
    #[must_use]
    pub fn in_language(mut self, language: Option<&str>) -> Search {
        self.language = language.map(|code| {
            code.chars()
                .take_while(|c| c.is_ascii_alphabetic())
                .collect::<String>()
                .to_lowercase()
        });
        self
    }

    /// Whether the query is empty.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty() && self.sites.is_empty()
    }

    fn run(
        &self,
        documents: &'static [Document],
        read: &[DocumentWords],
    ) -> Vec<&'static Document> {
        let pairs = documents
            .iter()
            .zip(read)
            .filter(|(document, _)| self.admits(document));
        let mut found: Vec<(usize, &Document)> = pairs
            .filter_map(|(document, words)| Some((self.score(words)?, document)))
            .collect();
        // A stable sort: equal scores keep the order of the file, so replies never change.
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().map(|(_, document)| document).collect()
    }

    fn admits(&self, document: &Document) -> bool {
        let on = |site: &String| {
            document.host == *site
                || document
                    .host
                    .strip_suffix(site.as_str())
                    .is_some_and(|rest| rest.ends_with('.'))
        };
        let day = document.day();
        (self.kinds.is_empty() || self.kinds.contains(&document.kind))
            && (self.sites.is_empty() || self.sites.iter().any(on))
            && !self.not_sites.iter().any(on)
            && self
                .from
                .as_deref()
                .is_none_or(|from| day.is_some_and(|day| day >= from))
            && self
                .to
                .as_deref()
                .is_none_or(|to| day.is_some_and(|day| day <= to))
            && self
                .language
                .as_ref()
                .is_none_or(|language| document.language == *language)
    }

    /// `None` when the document does not match.
    fn score(&self, words: &DocumentWords) -> Option<usize> {
        let has = |word: &&String| words.all.contains(*word);
        if self.without.iter().any(|word| has(&word))
            || !self
                .phrases
                .iter()
                .all(|phrase| words.joined.contains(&format!(" {phrase} ")))
        {
            return None;
        }
        let hits = self.words.iter().filter(has).count();
        let in_title = self
            .words
            .iter()
            .filter(|word| words.title.contains(*word))
            .count();
        (!self.is_blank() && hits * 2 >= self.words.len())
            .then_some(hits * 2 + in_title * 3 + self.phrases.len())
    }
}

impl Corpus {
    /// What a search finds, best first.
    #[must_use]
    pub fn find(&self, search: &Search) -> Vec<&'static Document> {
        search.run(self.documents(), document_words())
    }
}

fn document_words() -> &'static [DocumentWords] {
    static WORDS: OnceLock<Vec<DocumentWords>> = OnceLock::new();
    WORDS.get_or_init(|| {
        documents()
            .iter()
            .map(DocumentWords::from_document)
            .collect()
    })
}

/// The words of a document, computed once so that the lab is fast enough for benchmarks.
#[derive(Debug)]
struct DocumentWords {
    title: HashSet<String>,
    all: HashSet<String>,
    /// In order, with a space before and after each, to find phrases.
    joined: String,
}

impl DocumentWords {
    fn from_document(document: &Document) -> DocumentWords {
        let title = words(&document.title);
        let mut all = title.clone();
        all.extend(words(&document.text));
        all.extend(
            document
                .tags
                .iter()
                .chain(&document.authors)
                .chain(&document.assignee)
                .flat_map(|tag| words(tag)),
        );
        DocumentWords {
            title: title.into_iter().collect(),
            joined: format!(" {} ", all.join(" ")),
            all: all.into_iter().collect(),
        }
    }
}

/// The words of a text in lower case, without a final "s".
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let parts = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty());
    parts
        .map(|word| {
            word.strip_suffix('s')
                .filter(|stem| stem.len() > 2 && !stem.ends_with('s'))
                .unwrap_or(word)
                .to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(query: &str, kinds: &[DocumentKind]) -> Vec<&'static str> {
        Corpus::new(None)
            .find(&Search::new(query, kinds))
            .into_iter()
            .map(|document| document.title.as_str())
            .collect()
    }

    #[test]
    fn what_does_not_match_is_not_found() {
        assert!(titles("qwzx unheard-of", &[]).is_empty());
        assert!(titles("", &[]).is_empty());
        assert!(titles("the of and", &[]).is_empty());
        assert!(!titles("sodium batteries", &[]).is_empty());
    }

    #[test]
    fn kinds_and_operators_narrow_a_search() {
        let all = titles("sodium battery", &[]).len();
        let papers = titles("sodium battery", &[DocumentKind::Paper]).len();
        assert!(papers > 0 && papers < all);
        let corpus = Corpus::new(None);
        let host = &corpus.find(&Search::new("sodium battery", &[]))[0].host;
        let there = corpus.find(&Search::new(&format!("sodium battery site:{host}"), &[]));
        assert!(!there.is_empty() && there.iter().all(|document| document.host == *host));
        let elsewhere = corpus.find(&Search::new(&format!("sodium battery -site:{host}"), &[]));
        assert!(!elsewhere.is_empty() && elsewhere.iter().all(|document| document.host != *host));
        assert!(
            titles("battery -sodium", &[])
                .iter()
                .all(|title| !title.to_lowercase().contains("sodium"))
        );
        assert!(titles("\"battery sodium\"", &[]).is_empty());
    }

    #[test]
    fn a_range_of_days_excludes_undated_pages() {
        let corpus = Corpus::new(None);
        let recent = corpus
            .find(&Search::new("battery", &[]).between(Some("2026-01-01"), Some("2026-12-31")));
        assert!(!recent.is_empty());
        assert!(recent.iter().all(|document| document.year() == Some(2026)));
    }
}
