//! From evidence to a verdict.
//!
//! Every case gets points (`scoring`); the more it has, the more other text the page may hold and
//! still be that failure (`conditions`). The best case that holds is the verdict. Where none does,
//! the page may still be the beginning of a text, a shell that scripts fill, or a redirect to the
//! front page. Everything else is content.

use std::time::Duration;

use fault::Case;

use super::case_rules::{RULES, rules};
use super::conditions::holds;
use super::evidence::Evidence;
use super::page::{ScannedPage, Zone};
use super::partial::{STUB, paywalled_part, script_shell};
use super::scoring::{Inputs, Score, score};
use super::signals::PageSignals;
use super::{Answer, Verdict, address, headers, wait};

/// Decides what a scanned page is.
pub(super) fn verdict(answer: &Answer<'_>, page: &ScannedPage, is_data: bool) -> Verdict {
    let signals = PageSignals::collect(page, answer.html);
    if is_data {
        return data_verdict(&signals);
    }
    let inputs = Inputs {
        page,
        signals: &signals,
        headers: headers::evidence(answer.header),
        redirects: address::redirect_evidence(answer.requested, answer.final_url),
        status: answer.status,
    };
    if let Some(best) = best_score(&inputs) {
        return verdict_of(refine(best, &inputs), answer, page);
    }
    if let Some(partial) = paywalled_part(&signals, page) {
        return partial;
    }
    script_shell(&signals, page, answer)
        .or_else(|| front_page_redirect(answer, page))
        .map_or(Verdict::Content, settled)
}

/// The case with the most points among those that hold; the first of the table where points are
/// equal.
fn best_score(inputs: &Inputs<'_>) -> Option<Score> {
    RULES
        .iter()
        .map(|rules| score(rules, inputs))
        .filter(|score| holds(score, inputs))
        .reduce(|best, next| {
            if next.rank() > best.rank() {
                next
            } else {
                best
            }
        })
}

/// The verdict of evidence that needs no points.
fn settled(evidence: Evidence) -> Verdict {
    match evidence.row().case {
        Some(case) => Verdict::Fault {
            case,
            wait: None,
            evidence: vec![evidence],
        },
        None => Verdict::Content,
    }
}

/// A deep address that was redirected to the front page of the same site.
fn front_page_redirect(answer: &Answer<'_>, page: &ScannedPage) -> Option<Evidence> {
    let title = format!("{} {}", page.title, first_heading(page));
    let is_redirected = answer.status < 300
        && !page.is_document
        && address::went_to_front_page(answer.requested, answer.final_url, &title);
    is_redirected.then_some(Evidence::FrontPageRedirect)
}

fn first_heading(page: &ScannedPage) -> &str {
    page.blocks
        .iter()
        .find(|block| block.heading == Some(1))
        .map_or("", |block| block.text.as_str())
}

/// Names the more telling case where the page's words are more general: what the reader has to do,
/// or who forbids it.
fn refine(mut best: Score, inputs: &Inputs<'_>) -> Score {
    let signals = inputs.signals;
    let is_said = |case: Case| signals.of_case(case).sentences > 0;
    let (captcha, legal) = (
        signals.of_case(Case::Captcha),
        signals.of_case(Case::LegalBlock),
    );
    let is_captcha = captcha.walls > 0 || captcha.heading || inputs.page.captcha_box;
    let case = match best.case() {
        Case::BotChallenge | Case::AccessDenied if is_captcha => Case::Captcha,
        Case::AccessDenied | Case::Soft404 if is_said(Case::LegalBlock) => Case::LegalBlock,
        Case::AccessDenied if is_said(Case::GeoBlock) => Case::GeoBlock,
        Case::LegalBlock if is_said(Case::GeoBlock) && !legal.title && !legal.heading => {
            Case::GeoBlock
        }
        _ => return best,
    };
    best.rules = rules(case);
    for evidence in &signals.of_case(case).evidence {
        if !best.evidence.contains(evidence) {
            best.evidence.push(*evidence);
        }
    }
    best
}

/// Data speaks to no reader, but a vendor answers scripts with its captcha's address, and a storage
/// service with the name of its error.
fn data_verdict(signals: &PageSignals) -> Verdict {
    let found = [Case::Captcha, Case::DefaultPage]
        .into_iter()
        .find(|case| signals.of_case(*case).walls > 0);
    found.map_or(Verdict::Content, |case| Verdict::Fault {
        case,
        wait: None,
        evidence: signals.of_case(case).evidence.clone(),
    })
}

/// The verdict of the best score. A paywalled text with enough of it free is a part worth reading.
fn verdict_of(best: Score, answer: &Answer<'_>, page: &ScannedPage) -> Verdict {
    let (case, evidence) = (best.case(), best.evidence);
    if case == Case::Paywall && best.other_prose >= STUB {
        return Verdict::Partial { case, evidence };
    }
    let wait = if best.rules.names_wait {
        requested_wait(answer, page)
    } else {
        None
    };
    Verdict::Fault {
        case,
        wait,
        evidence,
    }
}

/// The wait that the response's header or else a notice of the page asks for.
fn requested_wait(answer: &Answer<'_>, page: &ScannedPage) -> Option<Duration> {
    /// A longer block is no notice.
    const NOTICE: usize = 600;
    let header = (answer.header)("retry-after")
        .and_then(|value| value.trim().parse().ok())
        .map(Duration::from_secs);
    header.or_else(|| {
        page.blocks
            .iter()
            .filter(|block| block.zone == Zone::Main && block.weight < NOTICE)
            .find_map(|block| wait::named(&block.text))
    })
}
