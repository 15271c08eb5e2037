//! The signals that a page gives for each case.
//!
//! They come from places that do not depend on each other: the title, a heading, a sentence, the
//! machinery in the HTML. (Headers, redirects and forms are counted by `scoring`.) A page is judged
//! by how many of them agree and by how much other text it holds, so a word alone decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use fault::Case;

use super::case_rules::{CaseRules, rules};
use super::evidence::Evidence;
use super::fold::{is_unspaced, weight};
use super::labels::{TROUBLE, covers, has_address, is_error_title, is_firm, title_parts};
use super::page::{ScannedPage, TextBlock, Zone};
use super::phrase_tables::{MARKERS, PHRASES, PhraseMatch, Scope, Strength};
use super::sentences::{is_about_replies, is_quoted};
use super::word_pairs::{self, Place};

/// The signals for one case.
#[derive(Debug, Default, Clone)]
pub(super) struct CaseSignals {
    /// The title is a label of the case.
    pub(super) title: bool,
    /// A heading is.
    pub(super) heading: bool,
    /// The first text of the page is.
    pub(super) lead: bool,
    /// One of these labels is more than a word that may name anything.
    pub(super) firm: bool,
    /// Said where content stands, not only in a banner or dialog.
    pub(super) in_main: bool,
    /// Said to readers without scripts.
    pub(super) to_scriptless: bool,
    /// Sentences of notices.
    pub(super) sentences: usize,
    /// Word pairs in the title, in a heading, in other blocks.
    pub(super) title_pair: bool,
    pub(super) heading_pair: bool,
    pub(super) pairs: usize,
    /// Blocks that say it.
    blocks: Vec<usize>,
    /// Blocks that only hint at it but belong to the notice.
    hinted: Vec<usize>,
    /// Sentences inside long paragraphs, which may be about anything.
    pub(super) buried: usize,
    pub(super) hints: usize,
    /// Hints in running text.
    pub(super) prose_hints: usize,
    /// Traces of machinery that only the wall itself has.
    pub(super) walls: usize,
    /// A captcha widget.
    pub(super) widget: bool,
    /// Traces of the vendor that ordinary pages have too.
    pub(super) passive: bool,
    /// Prose that belongs to the notice itself.
    pub(super) own_prose: usize,
    /// Index of the last block with a sentence.
    pub(super) last_block: usize,
    pub(super) evidence: Vec<Evidence>,
}

impl CaseSignals {
    fn add_evidence(&mut self, evidence: Evidence) {
        if !self.evidence.contains(&evidence) {
            self.evidence.push(evidence);
        }
    }

    /// Whether words of the page itself name the case.
    pub(super) fn is_said(&self) -> bool {
        self.title
            || self.heading
            || self.lead
            || self.sentences > 0
            || self.heading_pair
            || self.pairs > 0
    }

    /// Points for hints; more than two add nothing.
    pub(super) fn hint_points(&self) -> i32 {
        self.hints.min(2) as i32
    }
}

/// The signals of a page.
#[derive(Debug, Default)]
pub(super) struct PageSignals {
    by_case: BTreeMap<Case, CaseSignals>,
    /// What [`of_case`](Self::of_case) returns for cases without signals.
    no_signals: CaseSignals,
    /// Prose where content stands.
    pub(super) prose: usize,
    /// Prose there and in larger blocks of banners, menus and dialogs.
    pub(super) prose_anywhere: usize,
    /// The title or first heading is that of a page about failures.
    pub(super) about_title: bool,
    /// The title names a site that explains things: documentation, help.
    pub(super) about_site: bool,
    /// Blocks of text with the words of a page about failures.
    pub(super) about_text: usize,
    /// The same blocks and headings by index: word pairs in them do not count.
    about_blocks: Vec<usize>,
    /// A heading of several words that names no case: the page has a subject.
    pub(super) subject: bool,
    /// Items of lists that are no links.
    pub(super) items: usize,
    /// Running text speaks to a reader.
    pub(super) addressed: bool,
    title: String,
    /// Short blocks that show an IP address, as refusals do.
    pub(super) traces: Vec<usize>,
    /// The title only says that something is wrong.
    pub(super) troubled: bool,
}

/// More text than this where content stands is content, unless something outside the text says
/// otherwise.
pub(super) const LONG: usize = 12_000;
/// A paragraph longer than this is no notice.
const NOTICE: usize = 420;
/// With less text than this where content stands, banners and dialogs are read as content.
const BARE: usize = 60;
/// With less text than this where content stands, the text for readers without scripts counts.
const NEARLY_BARE: usize = 120;
/// A longer block that shows an IP address is not a refusal's.
const TRACE: usize = 200;
/// Shorter blocks of banners, menus and dialogs are labels.
const BANNER_PROSE: usize = 120;

/// One block while its phrases are counted.
struct BlockContext<'b> {
    block: &'b TextBlock,
    /// No text was seen before it.
    lead_open: bool,
    /// It has words of a page about failures.
    is_about: bool,
    /// Where the last sentence for a case ended.
    said: BTreeMap<Case, usize>,
    /// The cases it only hints at.
    hinted: BTreeSet<Case>,
}

impl PageSignals {
    /// Reads the signals of a page.
    pub(super) fn collect(page: &ScannedPage, html: &str) -> PageSignals {
        let mut signals = PageSignals {
            title: page.title.clone(),
            ..PageSignals::default()
        };
        // Machinery is markup: a list of host names has none.
        if html.contains('<') || html.trim_start().starts_with(['{', '[']) {
            signals.count_markers(html);
        }
        signals.read_title(&page.title);
        let main = page.weights[Zone::Main as usize];
        let mut lead_open = true;
        for (index, block) in page.blocks.iter().enumerate() {
            let is_shown_alone = main < BARE && matches!(block.zone, Zone::Overlay | Zone::Chrome);
            let zone = if is_shown_alone {
                Zone::Main
            } else {
                block.zone
            };
            signals.count_prose(block, zone);
            if main > LONG && block.heading.is_none() {
                continue;
            }
            signals.read_block(index, block, zone, lead_open);
            lead_open &= zone != Zone::Main || block.control || block.weight < 3;
        }
        signals.count_word_pairs(page);
        if main < NEARLY_BARE {
            signals.read_noscript(&page.noscript);
        }
        signals
    }

    /// The signals for a case.
    pub(super) fn of_case(&self, case: Case) -> &CaseSignals {
        self.by_case.get(&case).unwrap_or(&self.no_signals)
    }

    fn of_case_mut(&mut self, case: Case) -> &mut CaseSignals {
        self.by_case.entry(case).or_default()
    }

    /// How many kinds of failure the page names. One that names many is about failures.
    pub(super) fn kinds(&self) -> usize {
        let said = self
            .by_case
            .iter()
            .filter(|(_, found)| found.sentences > 0 || found.heading || found.title);
        let kind = |case: Case| {
            if rules(case).is_refusal {
                Case::AccessDenied
            } else {
                case
            }
        };
        said.map(|(case, _)| kind(*case))
            .collect::<BTreeSet<_>>()
            .len()
    }

    /// Prose that belongs to a case, or to any refusal where the case is one: they share their
    /// words.
    pub(super) fn own_prose(&self, of: &CaseRules, page: &ScannedPage) -> usize {
        let own = self.of_case(of.case).own_prose;
        if !of.is_refusal {
            return own;
        }
        let mut blocks: BTreeSet<usize> = self.traces.iter().copied().collect();
        for (_, found) in self
            .by_case
            .iter()
            .filter(|(case, _)| rules(**case).is_refusal)
        {
            blocks.extend(found.blocks.iter().chain(&found.hinted));
        }
        let refusing = blocks.iter().filter_map(|index| page.blocks.get(*index));
        let all: usize = refusing
            .filter(|block| block.is_prose() && block.zone == Zone::Main)
            .map(|block| block.weight)
            .sum();
        all.max(own)
    }

    /// Whether the words of another refusal stand beside those of this one.
    pub(super) fn is_refused_otherwise(&self, of: &CaseRules) -> bool {
        let is_other_refusal = |case: Case| case != of.case && rules(case).is_refusal;
        of.is_refusal
            && self
                .by_case
                .iter()
                .any(|(case, found)| is_other_refusal(*case) && found.is_said())
    }

    /// Counts the traces of vendors' machinery.
    fn count_markers(&mut self, html: &str) {
        for marker in MARKERS.find(html) {
            let found = self.of_case_mut(marker.case);
            match marker.strength {
                Strength::Wall => found.walls += 1,
                Strength::Widget => found.widget = true,
                Strength::Passive => found.passive = true,
            }
            found.add_evidence(Evidence::Machinery(marker.fact));
        }
    }

    /// A title is the page's name and the site's, in either order; a label must be one of them.
    fn read_title(&mut self, title: &str) {
        let is_parted = title_parts(title).count() > 2;
        for part in title_parts(title) {
            self.troubled |= TROUBLE.contains(&part.trim_end_matches(['!', '.']));
            let is_whole = is_parted && part == title;
            PHRASES.find(part, |found| {
                match (found.phrase.case, found.phrase.scope) {
                    (Some(case), Scope::Label | Scope::Sentence)
                        if !is_whole && covers(part, &found) && !is_quoted(part, found.start) =>
                    {
                        let signals = self.of_case_mut(case);
                        signals.title = true;
                        signals.firm |= is_firm(&part[found.start..found.end]);
                        signals.add_evidence(Evidence::Title);
                    }
                    (None, Scope::AboutSite) => self.about_site = true,
                    (None, _) => self.about_title |= !is_whole && !is_error_title(part),
                    _ => {}
                }
            });
        }
    }

    fn count_prose(&mut self, block: &TextBlock, zone: Zone) {
        if !block.is_prose() {
            return;
        }
        if zone == Zone::Main {
            self.items += usize::from(block.item);
            self.addressed = self.addressed || word_pairs::is_addressed(&block.text);
            self.prose += block.weight;
            self.prose_anywhere += block.weight;
        } else if matches!(zone, Zone::Chrome | Zone::Overlay) && block.weight >= BANNER_PROSE {
            self.prose_anywhere += block.weight;
        }
    }

    /// Counts what one block says.
    fn read_block(&mut self, index: usize, block: &TextBlock, zone: Zone, lead_open: bool) {
        if block.quoted || matches!(zone, Zone::Hidden | Zone::Chrome) {
            return;
        }
        if zone == Zone::Main && block.weight < TRACE && has_address(&block.text) {
            self.traces.push(index);
        }
        let (phrases, is_about) = phrases_in(block);
        if is_about {
            self.count_about(index, block, zone);
        }
        let mut context = BlockContext {
            block,
            lead_open,
            is_about,
            said: BTreeMap::new(),
            hinted: BTreeSet::new(),
        };
        let mut names_case = false;
        for (case, found) in phrases {
            if rules(case).may_stand_in(zone) && !is_invitation(case, &found, block) {
                names_case |= self.count_phrase(case, &found, &mut context);
            }
        }
        self.credit_block(index, zone, context);
        self.subject |= !names_case
            && zone == Zone::Main
            && block.heading == Some(1)
            && self.names_subject(&block.text);
    }

    /// Counts a block with words of a page about failures.
    fn count_about(&mut self, index: usize, block: &TextBlock, zone: Zone) {
        self.about_blocks.push(index);
        if zone != Zone::Main {
            return;
        }
        match block.heading {
            Some(1) => self.about_title = true,
            _ => self.about_text += 1,
        }
    }

    /// Gives a block and its prose to the cases that it names or hints at.
    fn credit_block(&mut self, index: usize, zone: Zone, context: BlockContext<'_>) {
        let is_main = zone == Zone::Main;
        let prose = if context.block.is_prose() && is_main {
            context.block.weight
        } else {
            0
        };
        for case in context
            .hinted
            .iter()
            .filter(|case| !context.said.contains_key(case))
        {
            let found = self.of_case_mut(*case);
            found.hinted.push(index);
            found.own_prose += prose;
        }
        for case in context.said.into_keys() {
            let found = self.of_case_mut(case);
            found.last_block = index;
            found.blocks.push(index);
            found.own_prose += prose;
            found.in_main |= is_main;
        }
    }

    /// A heading of several words, or one that repeats the title, is what the page is about, unless
    /// it speaks to the reader.
    fn names_subject(&self, heading: &str) -> bool {
        let weight = weight(heading);
        let is_long = weight >= 15 && heading.split(' ').count() >= 3
            || weight >= 24 && heading.contains(is_unspaced);
        // A host name is no subject: challenges show it as their heading.
        let is_host = heading.contains('.') && !heading.contains(' ');
        let is_title =
            weight >= 6 && !is_host && title_parts(&self.title).any(|part| part == heading);
        (is_long || is_title) && !self.troubled && !word_pairs::speaks_to_reader(heading)
    }

    /// Counts one phrase of a block. Returns whether it names the case.
    fn count_phrase(
        &mut self,
        case: Case,
        found: &PhraseMatch,
        context: &mut BlockContext<'_>,
    ) -> bool {
        let block = context.block;
        let covers = covers(&block.text, found);
        let signals = self.of_case_mut(case);
        let is_heading = covers && block.heading.is_some_and(|level| level <= 3);
        match found.phrase.scope {
            Scope::Label | Scope::Sentence if is_heading => {
                signals.heading = true;
                signals.firm |= is_firm(&block.text[found.start..found.end]);
                signals.add_evidence(Evidence::Heading);
                context.said.entry(case).or_insert(0);
                true
            }
            Scope::Label if covers && !block.control => {
                signals.count_label(case, found, context);
                context.lead_open
            }
            Scope::Sentence if !context.is_about => {
                signals.count_sentence(case, found, context);
                true
            }
            Scope::Hint if block.weight <= NOTICE => {
                signals.hints += 1;
                signals.prose_hints += usize::from(block.is_prose());
                if rules(case).owns_hints {
                    context.hinted.insert(case);
                }
                false
            }
            _ => false,
        }
    }

    /// Counts the word pairs of the page, each block once for a case.
    fn count_word_pairs(&mut self, page: &ScannedPage) {
        for (case, place) in word_pairs::find_pairs(page, &self.about_blocks) {
            let found = self.of_case_mut(case);
            match place {
                Place::Title => found.title_pair = true,
                Place::Heading => found.heading_pair = true,
                Place::Block(index) => {
                    let Some(block) = page.blocks.get(index) else {
                        continue;
                    };
                    if found.blocks.contains(&index) {
                        continue;
                    }
                    found.add_pair(index, block);
                }
            }
            found.add_evidence(Evidence::WordPair);
            // A heading with such a pair is no subject.
            self.subject &= place != Place::Heading;
        }
    }

    /// Challenges speak to readers without scripts in `noscript`, and script shells as well.
    fn read_noscript(&mut self, text: &str) {
        PHRASES.find(text, |found| {
            if found.phrase.scope != Scope::Sentence {
                return;
            }
            match found.phrase.case {
                Some(Case::JsShell) => self.of_case_mut(Case::JsShell).to_scriptless = true,
                Some(case @ (Case::BotChallenge | Case::Captcha)) => {
                    let signals = self.of_case_mut(case);
                    signals.sentences += 1;
                    signals.add_evidence(Evidence::Noscript);
                }
                _ => {}
            }
        });
    }
}

impl CaseSignals {
    /// Counts a block that is a label but no heading: a hint, and the page's first line.
    fn count_label(&mut self, case: Case, found: &PhraseMatch, context: &mut BlockContext<'_>) {
        self.hints += 1;
        context.said.entry(case).or_insert(0);
        if context.lead_open {
            self.lead = true;
            self.firm |= is_firm(&context.block.text[found.start..found.end]);
            self.add_evidence(Evidence::FirstLine);
        }
    }

    /// Counts a sentence of a notice.
    fn count_sentence(&mut self, case: Case, found: &PhraseMatch, context: &mut BlockContext<'_>) {
        let block = context.block;
        if block.heading.is_some() {
            // More than the sentence: an announcement, or a notice in other words.
            self.heading_pair = true;
            self.add_evidence(Evidence::WordPair);
            return;
        }
        // Overlapping phrases of one sentence are one piece of evidence.
        let next = context.said.entry(case).or_insert(0);
        if found.start < *next {
            return;
        }
        *next = found.end;
        // A list is about several things, a notice about one.
        if block.weight > NOTICE || block.item {
            self.buried += 1;
            self.add_evidence(Evidence::LongParagraph);
        } else {
            self.sentences += 1;
            self.add_evidence(Evidence::Notice);
        }
    }

    fn add_pair(&mut self, index: usize, block: &TextBlock) {
        self.pairs += 1;
        self.blocks.push(index);
        self.last_block = self.last_block.max(index);
        if block.is_prose() && !self.hinted.contains(&index) {
            self.own_prose += block.weight;
        }
        self.in_main = true;
    }
}

/// The phrases of a block that name cases, and whether it has words of a page about failures.
fn phrases_in(block: &TextBlock) -> (Vec<(Case, PhraseMatch)>, bool) {
    let mut phrases = Vec::new();
    let mut is_about = false;
    PHRASES.find(&block.text, |found| match found.phrase.case {
        None => is_about |= is_about_failures(found.phrase.scope, block.heading),
        Some(case) if !is_quoted(&block.text, found.start) => phrases.push((case, found)),
        Some(_) => {}
    });
    (phrases, is_about)
}

/// Words of pages about failures count everywhere, in any heading, or only in the first one.
fn is_about_failures(scope: Scope, heading: Option<u8>) -> bool {
    match scope {
        Scope::About => true,
        Scope::AboutTitle => heading.is_some(),
        Scope::AboutSubject => heading == Some(1),
        _ => false,
    }
}

/// Whether a demand to log in is only an invitation to take part: a thread can be read without
/// replying.
fn is_invitation(case: Case, found: &PhraseMatch, block: &TextBlock) -> bool {
    case == Case::LoginWall
        && found.phrase.scope == Scope::Sentence
        && is_about_replies(&block.text[found.end..])
}
