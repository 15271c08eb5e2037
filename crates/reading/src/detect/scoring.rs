//! Points for one case on one page.
//!
//! Each place that speaks for a case adds points: the page's words, the vendor's machinery, the
//! shape of the page, headers, redirects and the status. A subject of the page's own takes points
//! away.

use fault::Case;

use super::case_rules::CaseRules;
use super::evidence::{Evidence, Weight};
use super::page::{ScannedPage, Zone};
use super::shape::shows_captcha_box;
use super::signals::{CaseSignals, PageSignals};

/// Everything that the points are counted from.
pub(super) struct Inputs<'p> {
    pub(super) page: &'p ScannedPage,
    pub(super) signals: &'p PageSignals,
    pub(super) headers: Vec<Evidence>,
    pub(super) redirects: Vec<Evidence>,
    pub(super) status: u16,
}

impl Inputs<'_> {
    /// Whether a redirect led to an address that is named after the case.
    pub(super) fn is_redirected_to(&self, case: Case) -> bool {
        self.redirects.iter().any(|it| it.row().case == Some(case))
    }
}

/// The points of one case, with the evidence for it.
pub(super) struct Score {
    pub(super) rules: &'static CaseRules,
    pub(super) points: i32,
    /// Prose of the page that does not belong to the notice.
    pub(super) other_prose: usize,
    pub(super) evidence: Vec<Evidence>,
}

/// Points for a status that fits the case.
const STATUS_POINTS: i32 = 3;
/// A page with less other prose than this is empty enough for a vendor's ordinary headers to count.
const HEADER_PROSE: usize = 400;
/// A page says nothing else when it has less other prose, less text and fewer blocks than this.
const ALONE_PROSE: usize = 40;
const ALONE_TEXT: usize = 450;
const ALONE_BLOCKS: usize = 25;
/// Points taken off a page about failures, and off one whose title says what its text says:
/// documentation has missing pages too.
const ABOUT_FAILURES: i32 = 4;
const ABOUT_FAILURES_AND_SAID: i32 = 2;
/// Points taken off a page of a site that explains things.
const EXPLAINING_SITE: i32 = 2;
/// Points taken off a page that names three kinds of failure or more.
const LIST_OF_FAILURES: i32 = 3;
/// Points taken off an article, a post or a product.
const DOCUMENT: i32 = 2;

/// Counts the points of one case.
pub(super) fn score(rules: &'static CaseRules, inputs: &Inputs<'_>) -> Score {
    let signals = inputs.signals;
    let found = signals.of_case(rules.case);
    let own_prose = signals.own_prose(rules, inputs.page);
    let mut score = Score {
        rules,
        points: word_points(found) + machinery_points(found),
        other_prose: signals.prose.saturating_sub(own_prose),
        evidence: found.evidence.clone(),
    };
    (rules.shape)(&mut score, inputs);
    if score.points > 0 {
        score.points += company_points(rules, found, signals);
    }
    score.add_silence(found, inputs);
    score.points -= subject_penalty(rules, found, inputs);
    score.add_headers(inputs);
    score.add_redirects_and_status(inputs);
    score
}

impl Score {
    pub(super) fn case(&self) -> Case {
        self.rules.case
    }

    /// Points where cases compete.
    pub(super) fn rank(&self) -> i32 {
        self.points - self.rules.handicap
    }

    /// Adds a piece of evidence with its points.
    pub(super) fn add(&mut self, evidence: Evidence) {
        self.points += match evidence.row().weight {
            Weight::Points(points) | Weight::Decides(points) => points,
            Weight::Supports => i32::from(self.points > 0 && self.other_prose < HEADER_PROSE),
            Weight::Counted | Weight::Verdict => 0,
        };
        self.evidence.push(evidence);
    }

    /// Whether a header settles the matter.
    pub(super) fn is_decided(&self) -> bool {
        self.evidence
            .iter()
            .any(|it| matches!(it.row().weight, Weight::Decides(_)))
    }

    /// A page that names the case and says nothing else, or that no search engine should list.
    fn add_silence(&mut self, found: &CaseSignals, inputs: &Inputs<'_>) {
        let page = inputs.page;
        let is_alone = self.other_prose < ALONE_PROSE
            && page.weights[Zone::Main as usize] < ALONE_TEXT
            && !inputs.signals.subject
            && page.blocks.len() < ALONE_BLOCKS;
        if self.points > 0 && is_alone && found.is_said() {
            self.add(Evidence::SaysNothingElse);
        }
        if self.points > 0 && page.noindex && found.is_said() {
            self.add(Evidence::NoIndex);
        }
    }

    fn add_headers(&mut self, inputs: &Inputs<'_>) {
        let case = Some(self.case());
        for header in inputs.headers.iter().filter(|it| it.row().case == case) {
            self.add(*header);
        }
    }

    /// Redirects and statuses support what the page says and never speak alone.
    fn add_redirects_and_status(&mut self, inputs: &Inputs<'_>) {
        if self.points <= 0 {
            return;
        }
        let case = Some(self.case());
        for redirect in inputs.redirects.iter().filter(|it| it.row().case == case) {
            self.add(*redirect);
        }
        let mut statuses = self.rules.statuses.iter();
        if statuses.any(|range| range.contains(&inputs.status)) {
            self.points += STATUS_POINTS;
        }
    }
}

/// Points for what the page says, by the place where it says so. A heading that repeats the title
/// counts less, and more sentences than two add nothing.
pub(super) fn word_points(found: &CaseSignals) -> i32 {
    let mut points = match (found.title, found.title_pair && !found.heading_pair) {
        (true, _) => 3,
        (false, true) => 2,
        _ => 0,
    };
    points += match (found.heading, found.title) {
        (true, true) => 2,
        (true, false) => 3,
        (false, false) if found.heading_pair => 3,
        (false, _) if found.lead || found.heading_pair => 2,
        _ => 0,
    };
    points += match (found.sentences, found.pairs) {
        (0, 0) => 0,
        (0, 1) => 2,
        (0, _) => 3,
        (1, 0) => 3,
        (1, _) | (2, 0) => 4,
        _ => 5,
    };
    points + i32::from(found.buried > 0)
}

/// Four points for the first trace of a vendor's wall, two more for the second.
fn machinery_points(found: &CaseSignals) -> i32 {
    match found.walls {
        0 => 0,
        1 => 4,
        _ => 6,
    }
}

/// Points for what often stands beside a notice: its hints, the vendor's beacons, the words of
/// another refusal, an address of the visitor.
fn company_points(rules: &CaseRules, found: &CaseSignals, signals: &PageSignals) -> i32 {
    let shows_visitor = found.is_said() && !signals.traces.is_empty() && rules.is_notice;
    found.hint_points()
        + i32::from(found.passive)
        + i32::from(signals.is_refused_otherwise(rules))
        + i32::from(shows_visitor)
}

/// Points to take away because the page has a subject of its own.
fn subject_penalty(rules: &CaseRules, found: &CaseSignals, inputs: &Inputs<'_>) -> i32 {
    let (signals, page) = (inputs.signals, inputs.page);
    let mut points = 0;
    if signals.about_title {
        let is_said = found.title && found.sentences > 0;
        points += if is_said {
            ABOUT_FAILURES_AND_SAID
        } else {
            ABOUT_FAILURES
        };
    }
    if signals.about_site && rules.is_name {
        points += EXPLAINING_SITE;
    }
    points += signals.about_text.min(2) as i32;
    if signals.kinds() > 2 && found.walls == 0 && rules.fails_in_lists {
        points += LIST_OF_FAILURES;
    }
    if page.is_document && !rules.keeps_subject {
        points += DOCUMENT;
    }
    if signals.subject && !rules.keeps_subject && !names_case(rules, found, inputs) {
        points += rules.subject_penalty;
    }
    points.min(rules.most_penalty)
}

/// Whether a title, a heading or a vendor's machinery names the case.
fn names_case(rules: &CaseRules, found: &CaseSignals, inputs: &Inputs<'_>) -> bool {
    rules.case == Case::Captcha && shows_captcha_box(inputs.signals, inputs.page)
        || found.title
        || found.title_pair
        || found.heading
        || found.walls > 0
}
