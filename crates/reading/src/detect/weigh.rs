//! From evidence to a verdict.
//!
//! Each reason gets points from every place that speaks for it, and the more points it has, the
//! more other text the page may hold and still be that failure. Marks of a page with a subject of
//! its own take points away. Some reasons have a condition of their own: a login wall needs a
//! login, a consent wall needs an empty page behind it.

use std::time::Duration;

use fault::Case;

use super::facts::{Facts, LONG, Tally};
use super::page::{Page, Zone};
use super::parts::{STUB, paywalled_part, shell};
use super::{Answer, Verdict, address, headers, wait};

/// In order of precedence where points are equal.
const CASES: &[Case] = &[
    Case::Captcha,
    Case::BotChallenge,
    Case::LegalBlock,
    Case::GeoBlock,
    Case::RateNotice,
    Case::Parked,
    Case::DefaultPage,
    Case::Maintenance,
    Case::AccessDenied,
    Case::Paywall,
    Case::LoginWall,
    Case::ConsentWall,
    Case::Soft404,
];

const CAPTCHA_ONLY: &str = "a captcha is the only thing to answer on the page";
const CONSENT_ONLY: &str = "a consent dialog is the only text on the page";
const PASSWORD: &str = "a password field is the main thing on the page";

/// Points of one reason and what else the page holds.
struct Score {
    case: Case,
    points: i32,
    /// Prose that does not belong to the wall.
    body: usize,
    evidence: Vec<&'static str>,
}

/// How much other prose a page may hold and still be a failure with these points.
fn room(points: i32) -> usize {
    match points {
        i32::MIN..3 => 0,
        3 => 200,
        4 => 500,
        5 => 800,
        6 => 1_200,
        7 => 1_800,
        8..10 => 2_600,
        _ => 4_000,
    }
}

pub(super) fn verdict(answer: &Answer<'_>, page: &Page, is_data: bool) -> Verdict {
    let facts = Facts::of(page, answer.html);
    let signs = headers::signs(answer.header);
    let ways = address::signs(answer.requested, answer.final_url);
    if is_data {
        return data(&facts);
    }
    let scores = CASES.iter().map(|case| {
        let mut score = score(*case, &facts.get(*case), &facts, page);
        for sign in signs.iter().filter(|sign| sign.case == *case) {
            score.points += if sign.decides {
                6
            } else {
                i32::from(score.points > 0 && score.body < 400)
            };
            score.evidence.push(sign.what);
        }
        if score.points > 0 {
            for (_, what) in ways.iter().filter(|(way, _)| way == case) {
                score.points += 2;
                score.evidence.push(what);
            }
            score.points += status_points(answer.status, *case);
        }
        score
    });
    let best = scores
        .filter(|score| holds(score, &facts, page, &ways))
        .reduce(|best, next| {
            if rank(&next) > rank(&best) {
                next
            } else {
                best
            }
        });
    if let Some(best) = best {
        return told(refined(best, &facts, page), answer, page);
    }
    if let Some(partial) = paywalled_part(&facts, page) {
        return partial;
    }
    if let Some(evidence) = shell(&facts, page, answer) {
        let case = if evidence == "the page has no text" {
            Case::Empty
        } else {
            Case::JsShell
        };
        return Verdict::Fault {
            case,
            wait: None,
            evidence: vec![evidence],
        };
    }
    let title = format!("{} {}", page.title, first_heading(page));
    if answer.status < 300
        && !page.is_document
        && address::went_home(answer.requested, answer.final_url, &title)
    {
        return Verdict::Fault {
            case: Case::HomeRedirect,
            wait: None,
            evidence: vec!["a deep address was redirected to the front page"],
        };
    }
    Verdict::Content
}

/// Points where reasons compete: a general one gives way to one that says why.
fn rank(score: &Score) -> i32 {
    match score.case {
        Case::AccessDenied => score.points - 3,
        Case::Soft404 => score.points - 2,
        _ => score.points,
    }
}

/// Names the more telling reason where the page's words are more general: what the reader has to
/// do, or who forbids it.
fn refined(mut best: Score, facts: &Facts, page: &Page) -> Score {
    let is_said = |case: Case| facts.get(case).sentences > 0;
    let (captcha, legal) = (facts.get(Case::Captcha), facts.get(Case::LegalBlock));
    let is_captcha = captcha.walls > 0 || captcha.heading || page.captcha_box;
    let case = match best.case {
        Case::BotChallenge | Case::AccessDenied if is_captcha => Case::Captcha,
        Case::AccessDenied | Case::Soft404 if is_said(Case::LegalBlock) => Case::LegalBlock,
        Case::AccessDenied if is_said(Case::GeoBlock) => Case::GeoBlock,
        Case::LegalBlock if is_said(Case::GeoBlock) && !legal.title && !legal.heading => {
            Case::GeoBlock
        }
        _ => return best,
    };
    best.case = case;
    best.evidence.extend(facts.get(case).evidence);
    best.evidence.sort_unstable();
    best.evidence.dedup();
    best
}

fn first_heading(page: &Page) -> &str {
    page.blocks
        .iter()
        .find(|block| block.heading == Some(1))
        .map_or("", |block| block.text.as_str())
}

/// Data speaks to no reader, but a vendor answers scripts with its captcha's address, and a storage
/// with the name of its error.
fn data(facts: &Facts) -> Verdict {
    let found = [Case::Captcha, Case::DefaultPage]
        .into_iter()
        .find(|case| facts.get(*case).walls > 0);
    found.map_or(Verdict::Content, |case| Verdict::Fault {
        case,
        wait: None,
        evidence: facts.get(case).evidence,
    })
}

fn status_points(status: u16, case: Case) -> i32 {
    let fits = match status {
        401 => matches!(case, Case::LoginWall | Case::Paywall),
        402 => case == Case::Paywall,
        403 => {
            matches!(
                case,
                Case::BotChallenge
                    | Case::Captcha
                    | Case::AccessDenied
                    | Case::GeoBlock
                    | Case::LegalBlock
                    | Case::LoginWall
            )
        }
        404 | 410 => matches!(case, Case::Soft404 | Case::DefaultPage | Case::Parked),
        405 | 406 | 202 => matches!(
            case,
            Case::BotChallenge | Case::Captcha | Case::AccessDenied
        ),
        429 => matches!(case, Case::RateNotice | Case::BotChallenge | Case::Captcha),
        451 => matches!(case, Case::LegalBlock | Case::GeoBlock),
        500..=599 => matches!(
            case,
            Case::Maintenance | Case::BotChallenge | Case::RateNotice | Case::Captcha
        ),
        _ => false,
    };
    if fits { 3 } else { 0 }
}

fn score(case: Case, tally: &Tally, facts: &Facts, page: &Page) -> Score {
    let mut points = said(tally);
    let body = facts.prose.saturating_sub(facts.own_prose(case, page));
    points += (tally.walls.min(2) as i32) * 2 + if tally.walls > 0 { 2 } else { 0 };
    let mut evidence = tally.evidence.clone();
    points += own_points(case, tally, facts, page, body, &mut evidence);
    if points > 0 {
        points += tally.hints.min(2) as i32;
        points += i32::from(tally.passive);
        points += i32::from(facts.is_refused_otherwise(case));
        points += i32::from(tally.is_said() && !facts.traces.is_empty() && is_notice(case));
    }
    let is_alone = body < 40
        && page.weights[Zone::Main as usize] < 450
        && !facts.subject
        && page.blocks.len() < 25;
    if points > 0 && is_alone && tally.is_said() {
        points += 1;
        evidence.push("the page says nothing else");
    }
    if points > 0 && page.noindex && tally.is_said() {
        points += 1;
        evidence.push("the page asks not to be indexed");
    }
    points -= against(case, tally, facts, page);
    Score {
        case,
        points,
        body,
        evidence,
    }
}

/// Points for what the page says.
fn said(tally: &Tally) -> i32 {
    let mut points = match (tally.title, tally.title_remark && !tally.heading_remark) {
        (true, _) => 3,
        (false, true) => 2,
        _ => 0,
    };
    points += match (tally.heading, tally.title) {
        (true, true) => 2,
        (true, false) => 3,
        (false, false) if tally.heading_remark => 3,
        (false, _) if tally.lead || tally.heading_remark => 2,
        _ => 0,
    };
    points += match (tally.sentences, tally.remarks) {
        (0, 0) => 0,
        (0, 1) => 2,
        (0, _) => 3,
        (1, 0) => 3,
        (1, _) | (2, 0) => 4,
        _ => 5,
    };
    points + i32::from(tally.buried > 0)
}

/// Points from the shape of the page.
fn own_points(
    case: Case,
    tally: &Tally,
    facts: &Facts,
    page: &Page,
    body: usize,
    evidence: &mut Vec<&'static str>,
) -> i32 {
    let mut points = 0;
    let mut add = |more: i32, what: &'static str| {
        points += more;
        evidence.push(what);
    };
    match case {
        Case::Captcha
            if is_boxed(facts, page)
                && page.fields.text + page.fields.password == 0
                && body < 150
                && !page.is_document =>
        {
            add(4, CAPTCHA_ONLY)
        }
        Case::ConsentWall if is_consent_only(page) => add(3, CONSENT_ONLY),
        Case::Captcha
            if tally.widget && body < 500 && page.fields.text <= 1 && page.fields.password == 0 =>
        {
            add(2, "a captcha is the main thing on the page")
        }
        Case::Captcha
            if tally.sentences > 0 && page.fields.text == 1 && page.fields.password == 0 =>
        {
            add(1, "a single field is the main thing on the page")
        }
        Case::BotChallenge if facts.get(Case::Captcha).widget && tally.is_said() && body < 300 => {
            add(2, "a captcha widget stands beside it")
        }
        Case::Soft404 if page.error_class => add(3, "the site's own markup names an error page"),
        Case::LoginWall if page.fields.password > 0 => add(2, PASSWORD),
        Case::Paywall => {
            if page.not_free && body < STUB {
                add(3, "the page declares itself as not free");
            } else if page.not_free {
                add(1, "the page declares itself as not free");
            }
            if page.paywall_class {
                add(2, "its markup names a paywall");
            }
        }
        _ => {}
    }
    points
}

/// A captcha's box, or that of a check that does not name itself otherwise.
fn is_boxed(facts: &Facts, page: &Page) -> bool {
    page.captcha_box || page.turnstile_box && !facts.get(Case::BotChallenge).is_said()
}

/// A consent dialog with nothing behind it that is written or still to come from scripts.
fn is_consent_only(page: &Page) -> bool {
    let [main, chrome, overlay, consent] = page.weights;
    consent > 120 && main + chrome + overlay < 60 && page.mount != Some(true) && page.media < 3
}

/// Points against: the page has a subject of its own.
fn against(case: Case, tally: &Tally, facts: &Facts, page: &Page) -> i32 {
    let has_subject_anyway = matches!(
        case,
        Case::Paywall | Case::LoginWall | Case::ConsentWall | Case::GeoBlock
    );
    let mut points = 0;
    if facts.about_title {
        // Documentation has missing pages too.
        points += if tally.title && tally.sentences > 0 {
            2
        } else {
            4
        };
    }
    points += if facts.about_site && is_name(case) {
        2
    } else {
        0
    };
    points += facts.about_text.min(2) as i32;
    // Three kinds of failure are a list of failures.
    points += if facts.kinds() > 2
        && tally.walls == 0
        && !matches!(case, Case::Paywall | Case::ConsentWall)
    {
        3
    } else {
        0
    };
    if page.is_document && !has_subject_anyway {
        points += 2;
    }
    let names_it = case == Case::Captcha && is_boxed(facts, page)
        || tally.title
        || tally.title_remark
        || tally.heading
        || tally.walls > 0;
    if facts.subject && !has_subject_anyway && !names_it {
        points += if case == Case::Soft404 { 1 } else { 2 };
    }
    if has_subject_anyway && case == Case::Paywall {
        points.min(2)
    } else {
        points
    }
}

/// Whether a score is a failure on this page.
fn holds(score: &Score, facts: &Facts, page: &Page, ways: &[(Case, &'static str)]) -> bool {
    let tally = facts.get(score.case);
    if page.weights[Zone::Main as usize] > LONG
        || score.body > room(score.points)
        || score.points < 3
    {
        return false;
    }
    if facts.prose_anywhere.saturating_sub(tally.own_prose) > room(score.points) * 2 + 400 {
        return false;
    }
    let headers_decide = score.evidence.iter().any(|fact| fact.contains("announces"));
    if headers_decide || tally.walls > 0 && page.weights[Zone::Main as usize] < 1_500 {
        return true;
    }
    score.body <= most(score.case)
        && enough(score, &tally, facts, page)
        && fits(score, &tally, facts, page, ways)
}

/// Labels alone need an almost empty page, sentences alone need company or a page that says nothing
/// else.
fn enough(score: &Score, tally: &Tally, facts: &Facts, page: &Page) -> bool {
    let has_field = page.fields.password + page.fields.text > 0;
    let labels = usize::from(tally.title) + usize::from(tally.heading || tally.lead);
    // A heading that repeats the title is one remark.
    let remarked = usize::from(tally.title_remark || tally.heading_remark) + tally.remarks;
    let is_said_again = tally.sentences > 0
        || tally.remarks > 0
        || tally.title && tally.heading_remark && !tally.heading
        || tally.widget;
    let is_declared = score.case == Case::Paywall && (page.not_free || page.paywall_class);
    let has_form = score.evidence.contains(&PASSWORD);
    let is_supported = is_said_again
        || is_declared
        || has_form
        || tally.walls > 0
        || score.points >= said(tally) + tally.hints.min(2) as i32 + 2;
    match labels {
        0 if score.evidence.contains(&CAPTCHA_ONLY) => score.body < 150,
        0 if tally.sentences == 0 && facts.about_text > 0 => false,
        0 if tally.sentences == 0 && is_notice(score.case) => {
            // Doors and machines are closed and maintained too: there one remark is not enough.
            let is_clear = !matches!(score.case, Case::Maintenance | Case::AccessDenied);
            let is_only = is_clear && score.body < 40 && facts.prose < 300;
            score.body < 150
                && (remarked > 1 || tally.heading_remark && score.body < 100 || is_only)
        }
        0 if tally.sentences == 1 && remarked > 0 => score.body < 250,
        0 if tally.sentences == 1 && tally.hints == 0 => {
            score.points >= 4 && score.body < 150 || score.body < 60
        }
        0 => score.points >= 4 && (score.body < 150 || !is_notice(score.case)),
        _ if is_supported => true,
        _ if facts.about_title || facts.about_site && !has_field => false,
        // A film or a song may be called so.
        _ if is_name(score.case) && is_of_other_things(score, tally, facts) => false,
        _ if facts.about_text > 0 => {
            labels > 1 && tally.firm && facts.about_text == 1 && score.body < 150
        }
        _ if !tally.firm => labels > 1 && score.body < 60,
        1 if score.case == Case::LoginWall => score.body < 100,
        1 => {
            score.body
                < if score.case == Case::Paywall {
                    500
                } else {
                    200
                }
        }
        _ => score.body < 400,
    }
}

/// Reasons whose page is the notice and nothing else, unlike walls in front of a text.
fn is_notice(case: Case) -> bool {
    !matches!(case, Case::Paywall | Case::LoginWall | Case::ConsentWall)
}

/// Whether a page with a label for a name goes on about something: nobody is spoken to, or there is
/// a list.
fn is_of_other_things(score: &Score, tally: &Tally, facts: &Facts) -> bool {
    if tally.heading_remark || facts.troubled {
        return false;
    }
    let is_silent = !facts.addressed;
    let has_list = facts.items > 1;
    has_list && is_silent || score.body >= 40 && (has_list || is_silent && tally.prose_hints == 0)
}

/// Reasons whose labels are also names of other things.
fn is_name(case: Case) -> bool {
    use Case::{AccessDenied, BotChallenge, Captcha, Maintenance, RateNotice, Soft404};
    matches!(
        case,
        AccessDenied | BotChallenge | Captcha | Maintenance | RateNotice | Soft404
    )
}

/// How much other text a page of this reason holds at most, where no vendor's machinery proves it.
fn most(case: Case) -> usize {
    match case {
        Case::Captcha => 250,
        Case::ConsentWall => 600,
        Case::GeoBlock => 400,
        Case::RateNotice => 500,
        Case::BotChallenge
        | Case::AccessDenied
        | Case::LegalBlock
        | Case::Maintenance
        | Case::LoginWall => 700,
        Case::Soft404 | Case::Parked => 1_500,
        _ => usize::MAX,
    }
}

/// Conditions of single reasons.
fn fits(
    score: &Score,
    tally: &Tally,
    facts: &Facts,
    page: &Page,
    ways: &[(Case, &'static str)],
) -> bool {
    let redirected = ways.iter().any(|(case, _)| *case == score.case);
    let main = page.weights[Zone::Main as usize];
    match score.case {
        Case::LoginWall => {
            let has_form = page.fields.password > 0
                || page.fields.text > 0 && page.fields.text <= 3
                || tally.passive;
            let is_login = tally.sentences > 0 || has_form || redirected || main < 60;
            is_login
                && (tally.is_said()
                    || page.fields.password > 0
                        && score.body < if facts.subject { 60 } else { 200 })
                && score.body < 600
        }
        Case::ConsentWall => {
            let is_page = tally.title || redirected || tally.in_main && !facts.subject;
            let has_choice = tally.hints > 0
                || redirected
                || tally.sentences > 1
                || tally.heading && tally.sentences > 0;
            let nothing_behind = tally.in_main && score.body < 60 || main < 25;
            let is_only = score.evidence.contains(&CONSENT_ONLY);
            (is_only || tally.is_said() && has_choice)
                && page.mount != Some(true)
                && (is_page || nothing_behind)
        }
        // An encyclopedia describes captchas in paragraphs; the page of one is short.
        Case::Captcha if !tally.widget && facts.prose > 450 => false,
        Case::Captcha => {
            tally.sentences > 0
                || tally.widget
                || redirected
                || (tally.title && tally.heading)
                || score.body < 80
        }
        Case::Paywall => tally.is_said() || page.paywall_class || page.not_free && score.body < 500,
        _ => true,
    }
}

fn told(best: Score, answer: &Answer<'_>, page: &Page) -> Verdict {
    if best.case == Case::Paywall && best.body >= STUB {
        return Verdict::Partial {
            case: Case::Paywall,
            evidence: best.evidence,
        };
    }
    let wait = matches!(best.case, Case::RateNotice | Case::Maintenance)
        .then(|| asked_wait(answer, page))
        .flatten();
    Verdict::Fault {
        case: best.case,
        wait,
        evidence: best.evidence,
    }
}

fn asked_wait(answer: &Answer<'_>, page: &Page) -> Option<Duration> {
    let header = (answer.header)("retry-after")
        .and_then(|value| value.trim().parse().ok())
        .map(Duration::from_secs);
    header.or_else(|| {
        page.blocks
            .iter()
            .filter(|block| block.zone == Zone::Main && block.weight < 600)
            .find_map(|block| wait::named(&block.text))
    })
}
