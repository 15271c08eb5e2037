//! Whether the points of a case make the page a failure: how much other text the page may hold,
//! how much has to be said, and the conditions of single cases.

use fault::Case;

use super::evidence::Evidence;
use super::page::Zone;
use super::scoring::{Inputs, Score, word_points};
use super::signals::{CaseSignals, LONG, PageSignals};

/// Fewer points are no failure.
const LEAST_POINTS: i32 = 3;
/// Points from which on a page without a label is a failure though it says little else.
const CLEAR_POINTS: i32 = 4;
/// On a page with less text than this, a vendor's machinery is proof enough.
const MACHINERY_TEXT: usize = 1_500;
/// Prose of banners, menus and dialogs that a failure may hold beside twice its room.
const BANNER_PROSE: usize = 400;

// How much other prose a page may hold, by what names the case. The numbers are those that score
// best on the labelled pages; weaker signs get less room.

/// A page with less is little more than its notice.
const LITTLE_PROSE: usize = 150;
/// A page with less has almost no text but its notice.
const ALMOST_NO_PROSE: usize = 60;
/// Beside a word pair in a heading.
const PROSE_BESIDE_HEADING_PAIR: usize = 100;
/// Beside one word pair and no sentence: the notice is the only text, and short itself.
const PROSE_BESIDE_ONE_PAIR: usize = 40;
const ONE_PAIR_PAGE: usize = 300;
/// Beside a sentence and a word pair.
const PROSE_BESIDE_SENTENCE_AND_PAIR: usize = 250;
/// Beside a title and a heading that both name the case.
const PROSE_BESIDE_TWO_LABELS: usize = 400;
/// A page whose label may be a name goes on about something with this much.
const PROSE_OF_A_SUBJECT: usize = 40;

/// How much other prose a page may hold and still be a failure with these points.
fn room(points: i32) -> usize {
    match points {
        i32::MIN..LEAST_POINTS => 0,
        3 => 200,
        4 => 500,
        5 => 800,
        6 => 1_200,
        7 => 1_800,
        8..10 => 2_600,
        _ => 4_000,
    }
}

/// Whether a score makes this page a failure.
pub(super) fn holds(score: &Score, inputs: &Inputs<'_>) -> bool {
    let found = inputs.signals.of_case(score.case());
    let main = inputs.page.weights[Zone::Main as usize];
    let room = room(score.points);
    let prose_anywhere = inputs
        .signals
        .prose_anywhere
        .saturating_sub(found.own_prose);
    let has_room = main <= LONG
        && score.points >= LEAST_POINTS
        && score.other_prose <= room
        && prose_anywhere <= room * 2 + BANNER_PROSE;
    if !has_room {
        return false;
    }
    if score.is_decided() || found.walls > 0 && main < MACHINERY_TEXT {
        return true;
    }
    score.other_prose <= score.rules.most_other_prose
        && says_enough(score, found, inputs)
        && (score.rules.condition)(score, inputs)
}

/// Labels alone need an almost empty page; sentences alone need company or a page that says nothing
/// else.
fn says_enough(score: &Score, found: &CaseSignals, inputs: &Inputs<'_>) -> bool {
    let labels = usize::from(found.title) + usize::from(found.heading || found.lead);
    if labels == 0 {
        return says_enough_without_label(score, found, inputs.signals);
    }
    is_supported(score, found, inputs) || labels_are_enough(labels, score, found, inputs)
}

/// Neither title nor heading names the case: its sentences and word pairs have to.
fn says_enough_without_label(score: &Score, found: &CaseSignals, signals: &PageSignals) -> bool {
    let other_prose = score.other_prose;
    // A heading that repeats the title is one pair.
    let pairs = usize::from(found.title_pair || found.heading_pair) + found.pairs;
    if score.evidence.contains(&Evidence::CaptchaOnly) {
        return other_prose < LITTLE_PROSE;
    }
    match found.sentences {
        0 if signals.about_text > 0 => false,
        0 if score.rules.is_notice => {
            let is_only = !score.rules.needs_two_pairs
                && other_prose < PROSE_BESIDE_ONE_PAIR
                && signals.prose < ONE_PAIR_PAGE;
            let in_heading = found.heading_pair && other_prose < PROSE_BESIDE_HEADING_PAIR;
            other_prose < LITTLE_PROSE && (pairs > 1 || in_heading || is_only)
        }
        1 if pairs > 0 => other_prose < PROSE_BESIDE_SENTENCE_AND_PAIR,
        1 if found.hints == 0 => {
            score.points >= CLEAR_POINTS && other_prose < LITTLE_PROSE
                || other_prose < ALMOST_NO_PROSE
        }
        _ => score.points >= CLEAR_POINTS && (other_prose < LITTLE_PROSE || !score.rules.is_notice),
    }
}

/// Whether something besides the labels speaks for the case.
fn is_supported(score: &Score, found: &CaseSignals, inputs: &Inputs<'_>) -> bool {
    let page = inputs.page;
    let is_said_again = found.sentences > 0
        || found.pairs > 0
        || found.title && found.heading_pair && !found.heading
        || found.widget;
    let is_declared = score.case() == Case::Paywall && (page.not_free || page.paywall_class);
    is_said_again
        || is_declared
        || score.evidence.contains(&Evidence::PasswordField)
        || found.walls > 0
        || score.points >= word_points(found) + found.hint_points() + 2
}

/// Whether labels make the case with nothing to support them.
fn labels_are_enough(
    labels: usize,
    score: &Score,
    found: &CaseSignals,
    inputs: &Inputs<'_>,
) -> bool {
    let (signals, other_prose) = (inputs.signals, score.other_prose);
    let has_field = inputs.page.fields.password + inputs.page.fields.text > 0;
    if signals.about_title || signals.about_site && !has_field {
        return false;
    }
    if score.rules.is_name && is_about_something_else(score, found, signals) {
        return false;
    }
    if signals.about_text > 0 {
        return labels > 1 && found.firm && signals.about_text == 1 && other_prose < LITTLE_PROSE;
    }
    if !found.firm {
        return labels > 1 && other_prose < ALMOST_NO_PROSE;
    }
    let most = match labels {
        1 => score.rules.most_beside_one_label,
        _ => PROSE_BESIDE_TWO_LABELS,
    };
    other_prose < most
}

/// Whether a page whose label may be a name goes on about something: it speaks to nobody, or there
/// is a list.
fn is_about_something_else(score: &Score, found: &CaseSignals, signals: &PageSignals) -> bool {
    if found.heading_pair || signals.troubled {
        return false;
    }
    let is_silent = !signals.addressed;
    let has_list = signals.items > 1;
    has_list && is_silent
        || score.other_prose >= PROSE_OF_A_SUBJECT
            && (has_list || is_silent && found.prose_hints == 0)
}

/// For cases without a condition of their own.
pub(super) fn always(_: &Score, _: &Inputs<'_>) -> bool {
    true
}

/// A login wall needs a login: a form, a redirect, or a page that says so.
pub(super) fn is_login_wall(score: &Score, inputs: &Inputs<'_>) -> bool {
    /// Beside a form that no words explain: a little, and less where the page has a subject.
    const BESIDE_FORM: usize = 200;
    const BESIDE_FORM_AND_SUBJECT: usize = 60;
    /// Beside any login.
    const MOST: usize = 600;
    let found = inputs.signals.of_case(Case::LoginWall);
    let fields = inputs.page.fields;
    let has_form = fields.password > 0 || (1..=3).contains(&fields.text) || found.passive;
    let has_login = found.sentences > 0
        || has_form
        || inputs.is_redirected_to(Case::LoginWall)
        || inputs.page.weights[Zone::Main as usize] < ALMOST_NO_PROSE;
    let most_beside_form = if inputs.signals.subject {
        BESIDE_FORM_AND_SUBJECT
    } else {
        BESIDE_FORM
    };
    let is_said = found.is_said() || fields.password > 0 && score.other_prose < most_beside_form;
    has_login && is_said && score.other_prose < MOST
}

/// A consent wall needs a choice to make and an empty page behind it.
pub(super) fn is_consent_wall(score: &Score, inputs: &Inputs<'_>) -> bool {
    /// Text of a page on which there is nothing behind a dialog.
    const BEHIND_DIALOG: usize = 25;
    let found = inputs.signals.of_case(Case::ConsentWall);
    let is_redirected = inputs.is_redirected_to(Case::ConsentWall);
    let is_page = found.title || is_redirected || found.in_main && !inputs.signals.subject;
    let has_choice = found.hints > 0
        || is_redirected
        || found.sentences > 1
        || found.heading && found.sentences > 0;
    let main = inputs.page.weights[Zone::Main as usize];
    let nothing_behind =
        found.in_main && score.other_prose < ALMOST_NO_PROSE || main < BEHIND_DIALOG;
    let is_only = score.evidence.contains(&Evidence::ConsentOnly);
    (is_only || found.is_said() && has_choice)
        && inputs.page.mount != Some(true)
        && (is_page || nothing_behind)
}

/// An encyclopedia describes captchas in paragraphs; the page of one is short.
pub(super) fn is_captcha(score: &Score, inputs: &Inputs<'_>) -> bool {
    /// Prose of a page that only talks about captchas.
    const TALK: usize = 450;
    /// Beside a label alone.
    const BESIDE_LABEL: usize = 80;
    let found = inputs.signals.of_case(Case::Captcha);
    if !found.widget && inputs.signals.prose > TALK {
        return false;
    }
    found.sentences > 0
        || found.widget
        || inputs.is_redirected_to(Case::Captcha)
        || (found.title && found.heading)
        || score.other_prose < BESIDE_LABEL
}

/// A paywall has to be named by the page's words or its markup.
pub(super) fn is_paywall(score: &Score, inputs: &Inputs<'_>) -> bool {
    /// Free text of a page that only its metadata calls paid.
    const BESIDE_DECLARATION: usize = 500;
    let page = inputs.page;
    inputs.signals.of_case(Case::Paywall).is_said()
        || page.paywall_class
        || page.not_free && score.other_prose < BESIDE_DECLARATION
}
