//! Word pairs: a thing and what is wrong with it, in one sentence of a short page that speaks to
//! its reader.
//!
//! Nobody can write down every sentence of every site. Two words of one language in one sentence
//! carry most of what such a sentence says. They count only on short pages that speak to their
//! reader, because that is what notices do.

use std::collections::{BTreeMap, BTreeSet};

use fault::Case;

use super::case_rules::rules;
use super::page::{ScannedPage, TextBlock, Zone};
use super::phrase_tables::{Scope, WORD_PAIRS};
use super::sentences::{is_conditional, sentences};

/// Where a word pair was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Title,
    Heading,
    Block(usize),
}

/// A longer block is no notice.
const NOTICE: usize = 420;
/// A page with more text than this is not short.
const SHORT: usize = 2_500;
/// A page with less text than this says one thing, whether it speaks to a reader or not.
const TINY: usize = 250;
/// With less text than this where content stands, banners and dialogs are read as content.
const BARE: usize = 60;

/// What was found so far, with the language of each pair.
#[derive(Default)]
struct PairSearch {
    found: Vec<(Case, &'static str, Place)>,
    /// Languages in which the page speaks to its reader.
    addressed: BTreeSet<&'static str>,
}

/// The word pairs of a page, outside the blocks `about` that speak about failures.
pub(super) fn find_pairs(page: &ScannedPage, about: &[usize]) -> Vec<(Case, Place)> {
    let main = page.weights[Zone::Main as usize];
    // A title with a quotation names a post, and the text is what somebody wrote.
    if main > SHORT || page.title.matches('"').count() > 1 {
        return Vec::new();
    }
    let mut search = PairSearch::default();
    search.read_text(&page.title, Place::Title);
    for (index, block) in page.blocks.iter().enumerate() {
        if may_be_notice(block, main) && !about.contains(&index) {
            let place = if block.heading.is_some() {
                Place::Heading
            } else {
                Place::Block(index)
            };
            search.read_text(&block.text, place);
        }
    }
    let PairSearch {
        mut found,
        addressed,
    } = search;
    found.retain(|(case, language, _)| {
        main < TINY && rules(*case).needs_no_reader || addressed.contains(language)
    });
    let mut pairs: Vec<(Case, Place)> = found
        .into_iter()
        .map(|(case, _, place)| (case, place))
        .collect();
    pairs.dedup();
    pairs
}

/// Whether a block may be a notice, on a page with so much text where content stands.
fn may_be_notice(block: &TextBlock, main: usize) -> bool {
    let is_shown_alone = main < BARE && matches!(block.zone, Zone::Overlay | Zone::Chrome);
    (block.zone == Zone::Main || is_shown_alone)
        && !block.quoted
        && !block.item
        && block.weight <= NOTICE
}

impl PairSearch {
    /// Reads one text. Words in quotation marks are somebody else's.
    fn read_text(&mut self, text: &str, place: Place) {
        if text.contains(['"', '「', '『', '《']) {
            return;
        }
        for sentence in sentences(text) {
            self.read_sentence(sentence, place);
        }
    }

    fn read_sentence(&mut self, sentence: &str, place: Place) {
        // By case and language: whether the thing and whether what is wrong with it was found.
        let mut words: BTreeMap<(Case, &'static str), (bool, bool)> = BTreeMap::new();
        WORD_PAIRS.find(sentence, |word| match word.phrase.case {
            Some(case) => {
                let pair = words.entry((case, word.phrase.language)).or_default();
                pair.0 |= word.phrase.scope == Scope::Thing;
                pair.1 |= word.phrase.scope == Scope::Wrong;
            }
            None => {
                self.addressed.insert(word.phrase.language);
            }
        });
        if !is_conditional(sentence) {
            let pairs = words.into_iter().filter(|(_, pair)| pair.0 && pair.1);
            self.found
                .extend(pairs.map(|((case, language), _)| (case, language, place)));
        }
    }
}

/// Words by which a site speaks of itself; articles use them too.
const OURSELVES: &[&str] = &[
    "we", "our", "we're", "wir", "uns", "unser", "unsere", "nous", "nos", "мы", "siamo", "stiamo",
    "vi", "wij", "ми",
];

/// Whether a heading speaks to its reader, as notices do and subjects seldom do.
pub(super) fn speaks_to_reader(heading: &str) -> bool {
    let mut speaks = false;
    WORD_PAIRS.find(heading, |word| {
        let text = heading.get(word.start..word.end).unwrap_or_default();
        // Words of two letters mean something else in the next language.
        let is_clear = text.len() > 2 && !OURSELVES.contains(&text);
        speaks |= word.phrase.case.is_none() && is_clear;
    });
    speaks
}

/// Whether a text speaks to a reader or of the site itself.
pub(super) fn is_addressed(text: &str) -> bool {
    let mut speaks = false;
    WORD_PAIRS.find(text, |word| {
        speaks |= word.phrase.case.is_none() && word.end - word.start > 2
    });
    speaks
}
