//! Pages of which only a part is there: a text that breaks off, a frame that scripts fill.

use fault::Case;

use super::evidence::Evidence;
use super::fold::weight;
use super::page::{ScannedPage, Zone};
use super::signals::{CaseSignals, PageSignals};
use super::{Answer, Verdict};

/// Less free text is the stub of a paywalled article; more is a part worth reading.
pub(super) const STUB: usize = 1_200;
/// With more text than this, the article is whole, whatever the page says about subscribing.
const WHOLE: usize = 5_000;
/// A page with more text of its own than this is no shell.
const SHELL_TEXT: usize = 400;
/// A page that says more than this to readers without scripts carries its text there.
const NOSCRIPT_TEXT: usize = 600;
/// Extracted text below this is a leftover, such as a name or a date.
const LEFTOVER_TEXT: usize = 40;
/// Text and prose of a page whose mount node is empty: a header or a splash screen at most.
const SPLASH_TEXT: usize = 150;
const SPLASH_PROSE: usize = 60;
/// Text of a page that shows only that it is loading, or only the request to enable scripts.
const BARE_TEXT: usize = 60;
/// Text and other prose of a page whose notice asks to enable scripts; less text where there are no
/// scripts.
const NOTICE_TEXT: usize = 350;
const NOTICE_TEXT_WITHOUT_SCRIPTS: usize = 200;
const NOTICE_OTHER_PROSE: usize = 100;

/// A text that breaks off with an offer to subscribe.
pub(super) fn paywalled_part(signals: &PageSignals, page: &ScannedPage) -> Option<Verdict> {
    let found = signals.of_case(Case::Paywall);
    let free = signals.prose.saturating_sub(found.own_prose);
    let after: usize = page
        .blocks
        .iter()
        .skip(found.last_block + 1)
        .filter(|block| block.zone == Zone::Main && block.is_prose())
        .map(|block| block.weight)
        .sum();
    let supports = usize::from(page.not_free)
        + usize::from(page.paywall_class)
        + usize::from(found.sentences > 1)
        + usize::from(found.heading);
    let breaks_off = found.sentences + usize::from(found.heading) > 0 && after * 3 < free;
    let is_part =
        breaks_off && supports >= 2 && (STUB / 3..WHOLE).contains(&free) && !signals.about_title;
    is_part.then(|| Verdict::Partial {
        case: Case::Paywall,
        evidence: found.evidence.clone(),
    })
}

/// Why a page has no text to read: it waits for scripts, or is empty. `None` when it has text.
pub(super) fn script_shell(
    signals: &PageSignals,
    page: &ScannedPage,
    answer: &Answer<'_>,
) -> Option<Evidence> {
    let found = signals.of_case(Case::JsShell);
    let own_text = weight(answer.main_text).max(signals.prose_anywhere);
    if own_text > SHELL_TEXT || weight(&page.noscript) > NOSCRIPT_TEXT {
        return None;
    }
    let has_text = page.weights.iter().sum::<usize>() > 0 || own_text >= LEFTOVER_TEXT;
    let shows_media = page.media > 0 && page.mount != Some(true) && !found.to_scriptless;
    if !has_text && !shows_media {
        let needs_scripts = page.scripts > 0 || found.to_scriptless;
        return Some(if needs_scripts {
            Evidence::NoTextUntilScripts
        } else {
            Evidence::NoText
        });
    }
    waits_for_scripts(found, signals, page)
}

/// Whether a page with little text shows that its scripts bring the rest.
fn waits_for_scripts(
    found: &CaseSignals,
    signals: &PageSignals,
    page: &ScannedPage,
) -> Option<Evidence> {
    let main = page.weights[Zone::Main as usize];
    let has_scripts = page.scripts > 0;
    let is_empty_mount = page.mount == Some(true) && has_scripts;
    if is_empty_mount && main < SPLASH_TEXT && signals.prose < SPLASH_PROSE && !signals.subject {
        return Some(Evidence::EmptyMountNode);
    }
    if found.to_scriptless && main < BARE_TEXT && signals.prose < LEFTOVER_TEXT {
        return Some(Evidence::AsksForScripts);
    }
    let other_prose = signals.prose.saturating_sub(found.own_prose);
    let is_about_failures = signals.about_title || signals.about_text > 0;
    let asks_only = found.sentences > 0
        && other_prose < NOTICE_OTHER_PROSE
        && main < NOTICE_TEXT
        && !is_about_failures
        && (has_scripts || main < NOTICE_TEXT_WITHOUT_SCRIPTS)
        && !signals.subject;
    if asks_only {
        return Some(Evidence::AsksForScripts);
    }
    let is_loading = found.hints > 0 && main < BARE_TEXT && has_scripts;
    is_loading.then_some(Evidence::OnlyLoading)
}
