//! Points for the shape of a page: what kinds of fields, boxes and markup it has.

use fault::Case;

use super::evidence::Evidence;
use super::page::{FormFields, ScannedPage};
use super::partial::STUB;
use super::scoring::{Inputs, Score};
use super::signals::PageSignals;

/// The most prose on a page whose only task is a captcha.
const CAPTCHA_ONLY_PROSE: usize = 150;
/// The most prose on a page that is mainly a captcha.
const CAPTCHA_MAINLY_PROSE: usize = 500;
/// The most prose on a page of a browser check that shows a captcha as well.
const CHALLENGE_PROSE: usize = 300;
/// A consent dialog says at least this much, and the page around it at most that much.
const CONSENT_TEXT: usize = 120;
const BEHIND_CONSENT_TEXT: usize = 60;

/// For cases without a shape of their own.
pub(super) fn none(_: &mut Score, _: &Inputs<'_>) {}

pub(super) fn captcha(score: &mut Score, inputs: &Inputs<'_>) {
    let FormFields { text, password } = inputs.page.fields;
    let found = inputs.signals.of_case(Case::Captcha);
    let is_only = shows_captcha_box(inputs.signals, inputs.page)
        && text + password == 0
        && score.other_prose < CAPTCHA_ONLY_PROSE
        && !inputs.page.is_document;
    if is_only {
        score.add(Evidence::CaptchaOnly);
    } else if found.widget && score.other_prose < CAPTCHA_MAINLY_PROSE && text <= 1 && password == 0
    {
        score.add(Evidence::CaptchaMainly);
    } else if found.sentences > 0 && text == 1 && password == 0 {
        score.add(Evidence::SingleField);
    }
}

pub(super) fn bot_challenge(score: &mut Score, inputs: &Inputs<'_>) {
    let has_widget = inputs.signals.of_case(Case::Captcha).widget;
    let is_said = inputs.signals.of_case(Case::BotChallenge).is_said();
    if has_widget && is_said && score.other_prose < CHALLENGE_PROSE {
        score.add(Evidence::CaptchaBesideNotice);
    }
}

pub(super) fn consent_wall(score: &mut Score, inputs: &Inputs<'_>) {
    let page = inputs.page;
    let [main, chrome, overlay, consent] = page.weights;
    let has_nothing_else = main + chrome + overlay < BEHIND_CONSENT_TEXT && page.media < 3;
    // Scripts may still fill the page behind the dialog.
    let waits_for_scripts = page.mount == Some(true);
    if consent > CONSENT_TEXT && has_nothing_else && !waits_for_scripts {
        score.add(Evidence::ConsentOnly);
    }
}

pub(super) fn soft_404(score: &mut Score, inputs: &Inputs<'_>) {
    if inputs.page.error_class {
        score.add(Evidence::ErrorMarkup);
    }
}

pub(super) fn login_wall(score: &mut Score, inputs: &Inputs<'_>) {
    if inputs.page.fields.password > 0 {
        score.add(Evidence::PasswordField);
    }
}

pub(super) fn paywall(score: &mut Score, inputs: &Inputs<'_>) {
    if inputs.page.not_free && score.other_prose < STUB {
        score.add(Evidence::NotFreeStub);
    } else if inputs.page.not_free {
        score.add(Evidence::NotFree);
    }
    if inputs.page.paywall_class {
        score.add(Evidence::PaywallMarkup);
    }
}

/// Whether the page shows a captcha's box. The box of a check that works by itself counts unless
/// the page says that it is one.
pub(super) fn shows_captcha_box(signals: &PageSignals, page: &ScannedPage) -> bool {
    page.captcha_box || page.turnstile_box && !signals.of_case(Case::BotChallenge).is_said()
}
