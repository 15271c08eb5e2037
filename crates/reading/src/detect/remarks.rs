//! Remarks: a thing and what is wrong with it, in one short block of a short page that speaks to
//! its reader.
//!
//! Nobody can write down every sentence of every site. Two words of one language side by side carry
//! most of what such a sentence says, and a page that is short and speaks to its reader is where it
//! would stand.

use std::collections::{BTreeMap, BTreeSet};

use fault::Case;

use super::page::{Page, Zone};
use super::speech::{is_conditional, sentences};
use super::tables::{REMARKS, Scope};

/// Where a remark stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Title,
    Heading,
    Block(usize),
}

/// Longer blocks are no notices.
const NOTICE: usize = 420;
/// A page with more text than this is not short.
const SHORT: usize = 2_500;
/// A page with less text than this says one thing, to whomever.
const TINY: usize = 250;

/// The remarks of a page, outside blocks that speak about failures. Words in quotation marks are
/// somebody else's.
pub(super) fn of(page: &Page, about: &[usize]) -> Vec<(Case, Place)> {
    let main = page.weights[Zone::Main as usize];
    let bare = main < 60;
    // A title with a quotation names a post, and the text is what somebody wrote.
    if main > SHORT || page.title.matches('"').count() > 1 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut addressed = BTreeSet::new();
    read(&page.title, Place::Title, &mut found, &mut addressed);
    for (index, block) in page.blocks.iter().enumerate() {
        let counts =
            block.zone == Zone::Main || bare && matches!(block.zone, Zone::Overlay | Zone::Chrome);
        if counts
            && !block.quoted
            && !block.item
            && block.weight <= NOTICE
            && !about.contains(&index)
        {
            let place = if block.heading.is_some() {
                Place::Heading
            } else {
                Place::Block(index)
            };
            read(&block.text, place, &mut found, &mut addressed);
        }
    }
    // A road may be closed and a show cancelled: only what can be said of nothing but a page or a
    // domain needs no reader.
    let is_plain = |case: &Case| {
        main < TINY
            && matches!(
                case,
                Case::Soft404 | Case::LegalBlock | Case::Parked | Case::DefaultPage
            )
    };
    found.retain(|(case, language, _)| is_plain(case) || addressed.contains(language));
    let mut remarks: Vec<(Case, Place)> = found
        .into_iter()
        .map(|(case, _, place)| (case, place))
        .collect();
    remarks.dedup();
    remarks
}

fn read(
    text: &str,
    place: Place,
    found: &mut Vec<(Case, &'static str, Place)>,
    addressed: &mut BTreeSet<&'static str>,
) {
    if text.contains(['"', '「', '『', '《']) {
        return;
    }
    for sentence in sentences(text) {
        let mut words: BTreeMap<(Case, &'static str), (bool, bool)> = BTreeMap::new();
        REMARKS.find(sentence, |word| {
            match (word.phrase.case, word.phrase.scope) {
                (Some(case), scope) => {
                    let pair = words.entry((case, word.phrase.language)).or_default();
                    pair.0 |= scope == Scope::Thing;
                    pair.1 |= scope == Scope::Wrong;
                }
                (None, _) => {
                    addressed.insert(word.phrase.language);
                }
            }
        });
        if !is_conditional(sentence) {
            found.extend(
                words
                    .into_iter()
                    .filter(|(_, pair)| pair.0 && pair.1)
                    .map(|((case, language), _)| (case, language, place)),
            );
        }
    }
}

/// The words for a site's own people, who speak in articles too.
const OURSELVES: &[&str] = &[
    "we", "our", "we're", "wir", "uns", "unser", "unsere", "nous", "nos", "мы", "siamo", "stiamo",
    "vi", "wij", "ми",
];

/// Whether a heading speaks to its reader, as notices do and subjects seldom.
pub(super) fn speaks_to_reader(heading: &str) -> bool {
    let mut speaks = false;
    REMARKS.find(heading, |word| {
        let text = heading.get(word.start..word.end).unwrap_or_default();
        // Words of two letters mean something else in the next language.
        let is_clear = text.len() > 2 && !OURSELVES.contains(&text);
        speaks |= word.phrase.case.is_none() && is_clear;
    });
    speaks
}

/// Whether a text speaks to a reader, or of the site's own people.
pub(super) fn is_addressed(text: &str) -> bool {
    let mut speaks = false;
    REMARKS.find(text, |word| {
        speaks |= word.phrase.case.is_none() && word.end - word.start > 2
    });
    speaks
}
