//! What each reason has for it on one page.
//!
//! Evidence comes from places that do not depend on each other: the title, a heading, a sentence,
//! the machinery in the HTML, a form, the response's headers, the address. A page is judged by how
//! many of them agree and by how much other text stands on it, so that a word alone decides
//! nothing.

use std::collections::{BTreeMap, BTreeSet};

use fault::Case;

use super::fold::{is_unspaced, weight};
use super::labels::{
    TROUBLE, covers, has_address, is_error_title, is_firm, is_refusal, may_speak, title_parts,
};
use super::page::{Block, Page, Zone};
use super::remarks::{self, Place};
use super::speech::{is_about_replies, is_quoted};
use super::tables::{Found, MARKERS, PHRASES, Scope, Strength};

/// What speaks for one reason.
#[derive(Debug, Default, Clone)]
pub(super) struct Tally {
    pub(super) title: bool,
    pub(super) heading: bool,
    /// The first text of the page is the label.
    pub(super) lead: bool,
    /// One of the labels is more than a word that may name anything.
    pub(super) firm: bool,
    /// Said where content stands, not only in a banner or dialog.
    pub(super) in_main: bool,
    /// Said to readers without scripts.
    pub(super) to_scriptless: bool,
    pub(super) sentences: usize,
    /// Remarks in the title, in a heading, in other blocks.
    pub(super) title_remark: bool,
    pub(super) heading_remark: bool,
    pub(super) remarks: usize,
    /// Blocks that say it, and blocks that only hint at it but belong to the wall.
    blocks: Vec<usize>,
    hinted: Vec<usize>,
    /// Sentences inside long paragraphs, which may be about anything.
    pub(super) buried: usize,
    pub(super) hints: usize,
    /// Those in running text.
    pub(super) prose_hints: usize,
    pub(super) walls: usize,
    pub(super) widget: bool,
    pub(super) passive: bool,
    /// Prose that belongs to the wall itself.
    pub(super) own_prose: usize,
    /// Index of the last block with a sentence.
    pub(super) last_block: usize,
    pub(super) evidence: Vec<&'static str>,
}

impl Tally {
    fn note(&mut self, fact: &'static str) {
        if !self.evidence.contains(&fact) {
            self.evidence.push(fact);
        }
    }

    /// Words of the page itself name the reason.
    pub(super) fn is_said(&self) -> bool {
        self.title
            || self.heading
            || self.lead
            || self.sentences > 0
            || self.heading_remark
            || self.remarks > 0
    }
}

/// The evidence of a page.
#[derive(Debug, Default)]
pub(super) struct Facts {
    tallies: BTreeMap<Case, Tally>,
    /// Prose where content stands, and anywhere.
    pub(super) prose: usize,
    pub(super) prose_anywhere: usize,
    /// Title or heading of a page about failures; words of such a page in its text.
    pub(super) about_title: bool,
    /// Title of a site that explains things: documentation, help.
    pub(super) about_site: bool,
    pub(super) about_text: usize,
    /// Blocks with such words, which make no remark.
    about_blocks: Vec<usize>,
    /// A heading of several words that names no reason: the page has a subject.
    pub(super) subject: bool,
    /// Items of lists that are no links.
    pub(super) items: usize,
    /// Running text speaks to a reader.
    pub(super) addressed: bool,
    title: String,
    /// Short blocks that show an address or a number of the request, as refusals do.
    pub(super) traces: Vec<usize>,
    /// The title only says that something is wrong.
    pub(super) troubled: bool,
}

/// What one block was counted for: where the last sentence for a reason ended, and which reasons it
/// only hints at.
#[derive(Default)]
struct Counted {
    said: BTreeMap<Case, usize>,
    hinted: BTreeSet<Case>,
}

/// More text than this where content stands, and only what is outside the text could make it a
/// failure.
pub(super) const LONG: usize = 12_000;
/// A paragraph longer than this is no notice.
const NOTICE: usize = 420;

impl Facts {
    pub(super) fn of(page: &Page, html: &str) -> Facts {
        let mut facts = Facts {
            title: page.title.clone(),
            ..Facts::default()
        };
        // Machinery is markup: a list of hosts is none.
        if html.contains('<') || html.trim_start().starts_with(['{', '[']) {
            facts.markers(html);
        }
        facts.title(&page.title);
        let bare = page.weights[Zone::Main as usize] < 60;
        let mut lead_open = true;
        for (index, block) in page.blocks.iter().enumerate() {
            let zone = if bare && matches!(block.zone, Zone::Overlay | Zone::Chrome) {
                Zone::Main
            } else {
                block.zone
            };
            facts.count(block, zone);
            if page.weights[Zone::Main as usize] > LONG && block.heading.is_none() {
                continue;
            }
            facts.block(index, block, zone, lead_open);
            lead_open &= zone != Zone::Main || block.control || block.weight < 3;
        }
        facts.remarks(page);
        if page.weights[Zone::Main as usize] < 120 {
            facts.noscript(&page.noscript);
        }
        facts
    }

    /// Counts what `remarks` found, each block once for a reason.
    fn remarks(&mut self, page: &Page) {
        for (case, place) in remarks::of(page, &self.about_blocks) {
            let tally = self.tally(case);
            match place {
                Place::Title => tally.title_remark = true,
                Place::Heading => tally.heading_remark = true,
                Place::Block(index) if tally.blocks.contains(&index) => continue,
                Place::Block(index) => {
                    let Some(block) = page.blocks.get(index) else {
                        continue;
                    };
                    tally.remarks += 1;
                    tally.blocks.push(index);
                    tally.last_block = tally.last_block.max(index);
                    tally.own_prose += if block.is_prose() && !tally.hinted.contains(&index) {
                        block.weight
                    } else {
                        0
                    };
                    tally.in_main = true;
                }
            }
            tally.note("its words together say so");
            // A heading that makes a remark is no subject.
            self.subject &= place != Place::Heading;
        }
    }

    pub(super) fn get(&self, case: Case) -> Tally {
        self.tallies.get(&case).cloned().unwrap_or_default()
    }

    /// Kinds of failure that the page names; one that names many is about failures.
    pub(super) fn kinds(&self) -> usize {
        let said = self
            .tallies
            .iter()
            .filter(|(_, tally)| tally.sentences > 0 || tally.heading || tally.title);
        said.map(|(case, _)| {
            if is_refusal(*case) {
                Case::AccessDenied
            } else {
                *case
            }
        })
        .collect::<BTreeSet<_>>()
        .len()
    }

    /// Prose that belongs to a reason, or to any refusal where the reason is one: they share their
    /// words.
    pub(super) fn own_prose(&self, case: Case, page: &Page) -> usize {
        if !is_refusal(case) {
            return self.get(case).own_prose;
        }
        let mut blocks: BTreeSet<usize> = self.traces.iter().copied().collect();
        for (_, tally) in self.tallies.iter().filter(|(case, _)| is_refusal(**case)) {
            blocks.extend(tally.blocks.iter().chain(&tally.hinted));
        }
        let prose = blocks.iter().filter_map(|index| page.blocks.get(*index));
        let all: usize = prose
            .filter(|block| block.is_prose() && block.zone == Zone::Main)
            .map(|block| block.weight)
            .sum();
        all.max(self.get(case).own_prose)
    }

    /// Whether the words of another refusal stand beside those of this one.
    pub(super) fn is_refused_otherwise(&self, case: Case) -> bool {
        is_refusal(case)
            && self
                .tallies
                .iter()
                .any(|(other, tally)| *other != case && is_refusal(*other) && tally.is_said())
    }

    fn tally(&mut self, case: Case) -> &mut Tally {
        self.tallies.entry(case).or_default()
    }

    fn markers(&mut self, html: &str) {
        for marker in MARKERS.find(html) {
            let tally = self.tally(marker.case);
            match marker.strength {
                Strength::Wall => tally.walls += 1,
                Strength::Widget => tally.widget = true,
                Strength::Passive => tally.passive = true,
            }
            tally.note(marker.what);
        }
    }

    /// A title is the page's name and the site's, in either order; a label must be one of them.
    fn title(&mut self, title: &str) {
        let is_parted = title_parts(title).count() > 2;
        for part in title_parts(title) {
            self.troubled |= TROUBLE.contains(&part.trim_end_matches(['!', '.']));
            let is_whole = is_parted && part == title;
            PHRASES.find(part, |found| {
                match (found.phrase.case, found.phrase.scope) {
                    (Some(case), Scope::Label | Scope::Sentence)
                        if !is_whole && covers(part, &found) && !is_quoted(part, found.start) =>
                    {
                        let firm = is_firm(&part[found.start..found.end]);
                        let tally = self.tally(case);
                        tally.title = true;
                        tally.firm |= firm;
                        tally.note("the title says so");
                    }
                    (None, Scope::AboutSite) => self.about_site = true,
                    (None, _) => self.about_title |= !is_whole && !is_error_title(part),
                    _ => {}
                }
            });
        }
    }

    fn count(&mut self, block: &Block, zone: Zone) {
        if !block.is_prose() {
            return;
        }
        self.items += usize::from(block.item && zone == Zone::Main);
        self.addressed = self.addressed || zone == Zone::Main && remarks::is_addressed(&block.text);
        match zone {
            Zone::Main => {
                self.prose += block.weight;
                self.prose_anywhere += block.weight;
            }
            Zone::Chrome | Zone::Overlay if block.weight >= 120 => {
                self.prose_anywhere += block.weight
            }
            _ => {}
        }
    }

    fn block(&mut self, index: usize, block: &Block, zone: Zone, lead_open: bool) {
        if block.quoted || matches!(zone, Zone::Hidden | Zone::Chrome) {
            return;
        }
        if zone == Zone::Main && block.weight < 200 && has_address(&block.text) {
            self.traces.push(index);
        }
        let mut hits: Vec<Found> = Vec::new();
        let mut about = 0;
        PHRASES.find(&block.text, |found| match found.phrase.case {
            None => about += usize::from(is_about(found.phrase.scope, block.heading)),
            Some(_) if !is_quoted(&block.text, found.start) => hits.push(found),
            Some(_) => {}
        });
        if about > 0 {
            self.about_blocks.push(index);
        }
        if about > 0 && zone == Zone::Main {
            match block.heading {
                Some(1) => self.about_title = true,
                _ => self.about_text += 1,
            }
        }
        let mut named = false;
        let mut counted = Counted::default();
        for found in hits {
            let Some(case) = found.phrase.case else {
                continue;
            };
            if !may_speak(case, zone) {
                continue;
            }
            if case == Case::LoginWall
                && found.phrase.scope == Scope::Sentence
                && is_about_replies(&block.text[found.end..])
            {
                continue;
            }
            named |= self.hit(case, &found, block, lead_open, about > 0, &mut counted);
        }
        let prose = if block.is_prose() && zone == Zone::Main {
            block.weight
        } else {
            0
        };
        for case in counted
            .hinted
            .into_iter()
            .filter(|case| !counted.said.contains_key(case))
        {
            let tally = self.tally(case);
            tally.hinted.push(index);
            tally.own_prose += prose;
        }
        for case in counted.said.into_keys() {
            let tally = self.tally(case);
            tally.last_block = index;
            tally.blocks.push(index);
            tally.own_prose += prose;
            tally.in_main |= zone == Zone::Main;
        }
        self.subject |= !named
            && zone == Zone::Main
            && block.heading == Some(1)
            && self.names_subject(&block.text);
    }

    /// A heading of several words, or the title again, is what the page is about, unless it speaks
    /// to the reader.
    fn names_subject(&self, heading: &str) -> bool {
        let weight = weight(heading);
        let is_long = weight >= 15 && heading.split(' ').count() >= 3
            || weight >= 24 && heading.contains(is_unspaced);
        // A host is no subject: challenges show it as their heading.
        let is_host = heading.contains('.') && !heading.contains(' ');
        let is_title =
            weight >= 6 && !is_host && title_parts(&self.title).any(|part| part == heading);
        (is_long || is_title) && !self.troubled && !remarks::speaks_to_reader(heading)
    }

    /// Counts one phrase of a block; whether it names a reason.
    fn hit(
        &mut self,
        case: Case,
        found: &Found,
        block: &Block,
        lead_open: bool,
        about: bool,
        counted: &mut Counted,
    ) -> bool {
        let scope = found.phrase.scope;
        let covers = covers(&block.text, found);
        let tally = self.tally(case);
        match scope {
            Scope::Label | Scope::Sentence
                if covers && block.heading.is_some_and(|level| level <= 3) =>
            {
                tally.heading = true;
                tally.firm |= is_firm(&block.text[found.start..found.end]);
                tally.note("a heading says so");
                counted.said.entry(case).or_insert(0);
                return true;
            }
            Scope::Label if covers && !block.control => {
                tally.lead |= lead_open;
                tally.firm |= lead_open && is_firm(&block.text[found.start..found.end]);
                if lead_open {
                    tally.note("the first line says so");
                }
                tally.hints += 1;
                counted.said.entry(case).or_insert(0);
                return lead_open;
            }
            Scope::Sentence if !about => {
                if block.heading.is_some() {
                    // More than the sentence: an announcement, or a notice in other words.
                    tally.heading_remark = true;
                    tally.note("its words together say so");
                    return true;
                }
                // Overlapping phrases of one sentence are one piece of evidence.
                let next = counted.said.entry(case).or_insert(0);
                if found.start < *next {
                    return true;
                }
                *next = found.end;
                // Lists tell of several things; a notice is about one.
                if block.weight > NOTICE || block.item {
                    tally.buried += 1;
                    tally.note("a sentence in its text says so");
                } else {
                    tally.sentences += 1;
                    tally.note("a notice in its text says so");
                }
                return true;
            }
            Scope::Hint if block.weight <= NOTICE => {
                tally.hints += 1;
                tally.prose_hints += usize::from(block.is_prose());
                if matches!(case, Case::ConsentWall | Case::DefaultPage | Case::Parked)
                    || is_refusal(case)
                {
                    counted.hinted.insert(case);
                }
            }
            _ => {}
        }
        false
    }

    /// Challenges speak to readers without scripts from here; shells as well.
    fn noscript(&mut self, text: &str) {
        PHRASES.find(text, |found| {
            if let (
                Some(case @ (Case::BotChallenge | Case::Captcha | Case::JsShell)),
                Scope::Sentence,
            ) = (found.phrase.case, found.phrase.scope)
            {
                let tally = self.tally(case);
                if case == Case::JsShell {
                    tally.to_scriptless = true;
                } else {
                    tally.sentences += 1;
                    tally.note("its text for readers without scripts says so");
                }
            }
        });
    }
}

/// Words of pages about failures count everywhere, in any heading, or only in the first one.
fn is_about(scope: Scope, heading: Option<u8>) -> bool {
    match scope {
        Scope::About => true,
        Scope::AboutTitle => heading.is_some(),
        Scope::AboutSubject => heading == Some(1),
        _ => false,
    }
}
