//! Pages of which a part is there: a text that breaks off, a frame that scripts fill.

use fault::Case;

use super::facts::Facts;
use super::fold::weight;
use super::page::{Page, Zone};
use super::{Answer, Verdict};

/// Free text up to this much is the stub of a paywalled article; more is a part worth reading.
pub(super) const STUB: usize = 1_200;
/// More than this, and the text is there whatever the page says about subscribing.
const WHOLE: usize = 5_000;

/// A text that breaks off with an offer to subscribe.
pub(super) fn paywalled_part(facts: &Facts, page: &Page) -> Option<Verdict> {
    let tally = facts.get(Case::Paywall);
    let body = facts.prose.saturating_sub(tally.own_prose);
    let after: usize = page
        .blocks
        .iter()
        .skip(tally.last_block + 1)
        .filter(|block| block.zone == Zone::Main && block.is_prose())
        .map(|block| block.weight)
        .sum();
    let supports = usize::from(page.not_free)
        + usize::from(page.paywall_class)
        + usize::from(tally.sentences > 1)
        + usize::from(tally.heading);
    let breaks_off = tally.sentences + usize::from(tally.heading) > 0 && after * 3 < body;
    let is_part =
        breaks_off && supports >= 2 && (STUB / 3..WHOLE).contains(&body) && !facts.about_title;
    is_part.then_some(Verdict::Partial {
        case: Case::Paywall,
        evidence: tally.evidence,
    })
}

/// Whether a page waits for scripts, or has nothing at all.
pub(super) fn shell(facts: &Facts, page: &Page, answer: &Answer<'_>) -> Option<&'static str> {
    let tally = facts.get(Case::JsShell);
    let main = page.weights[Zone::Main as usize];
    let anything: usize = page.weights.iter().sum();
    let runs = page.scripts > 0;
    let own_text = weight(answer.main_text).max(facts.prose_anywhere);
    if own_text > 400 || weight(&page.noscript) > 600 {
        return None;
    }
    if anything == 0
        && own_text < 40
        && !(page.media > 0 && page.mount != Some(true) && !tally.to_scriptless)
    {
        return Some(if runs || tally.to_scriptless {
            "the page has no text until its scripts run"
        } else {
            "the page has no text"
        });
    }
    let about = facts.about_title || facts.about_text > 0;
    let body = facts.prose.saturating_sub(tally.own_prose);
    if page.mount == Some(true) && runs && main < 150 && facts.prose < 60 && !facts.subject {
        return Some("the node that scripts fill is empty");
    }
    if tally.to_scriptless && main < 60 && facts.prose < 40 {
        return Some("the page asks to enable JavaScript and has no other text");
    }
    if tally.sentences > 0
        && body < 100
        && main < 350
        && !about
        && (runs || main < 200)
        && !facts.subject
    {
        return Some("the page asks to enable JavaScript and has no other text");
    }
    let is_loading = tally.hints > 0 && main < 60 && runs;
    is_loading.then_some("the page only says that it is loading")
}
