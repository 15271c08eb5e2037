//! Which case each fault must become. The general rules first; the exceptions are what single
//! providers document.

use engine::search::{Key, ProviderSpec, Tier};
use fault::Case;
use lab::Mode;

/// The cases that are right for a mode; nothing when the mode says nothing about this provider.
pub(crate) fn cases(spec: &ProviderSpec, mode: Mode) -> Option<&'static [Case]> {
    // A page cut where its markup allows it cannot be told from a whole one.
    if (spec.id(), mode) == ("duckduckgo", Mode::Malformed) {
        return None;
    }
    if let Some(own) = exception(spec.id(), mode) {
        return Some(own);
    }
    Some(match mode {
        Mode::RateLimited => &[Case::Http429],
        Mode::Quota if spec.tier == Tier::Commercial => &[Case::QuotaExhausted],
        Mode::Quota => &[Case::Http429, Case::QuotaExhausted],
        Mode::BadKey | Mode::NoKey if spec.key == Key::None => return None,
        // Without its key a provider is not asked at all, so what this answer becomes matters
        // little.
        Mode::NoKey => &[Case::BadKey, Case::Forbidden, Case::BadRequest],
        Mode::BadKey => &[Case::BadKey],
        Mode::Forbidden => &[Case::Forbidden],
        Mode::BadRequest => &[Case::BadRequest],
        Mode::Overloaded | Mode::Internal | Mode::Status => &[Case::HttpStatus],
        Mode::Malformed | Mode::WrongShape | Mode::EmptyBody | Mode::Redirect => &[Case::BadShape],
        Mode::StalledHead | Mode::Stalled => &[Case::Timeout],
        Mode::Reset | Mode::Closed => &[Case::ConnectionReset],
        Mode::ResetBody => &[Case::ConnectionReset, Case::TruncatedBody],
        Mode::Truncated => &[Case::TruncatedBody],
        Mode::Challenge => &[Case::BotChallenge],
        // As long the next time: nothing to wait for.
        Mode::Huge => &[Case::BadShape],
        Mode::Slow => return None,
    })
}

/// What single providers do in their own way, as they document it.
fn exception(id: &str, mode: Mode) -> Option<&'static [Case]> {
    Some(match (id, mode) {
        // It has neither keys nor quotas: whoever it dislikes is a robot to it, whatever the
        // status.
        ("duckduckgo", Mode::RateLimited | Mode::Quota | Mode::Forbidden | Mode::BadRequest) => {
            &[Case::BotChallenge]
        }
        // A fresh instance refuses JSON; its engines, all silent, are no "nothing found".
        ("searxng", Mode::Forbidden) => &[Case::BadSetting],
        ("searxng" | "openserp", Mode::Overloaded) => &[Case::Overloaded],
        // Its 503 does not say whether an engine wants a captcha.
        ("openserp", Mode::RateLimited | Mode::Quota) => &[Case::HttpStatus],
        // One status for every complaint about a key.
        ("serper", Mode::Forbidden) => &[Case::BadKey],
        ("uspto" | "semanticscholar", Mode::Forbidden) => &[Case::BadKey],
        // Nothing but prose tells a used-up plan from haste.
        ("searchapi" | "uspto", Mode::Quota) => &[Case::Http429],
        // Its 403 is for haste; it forbids nothing else.
        ("openalex", Mode::Forbidden) => &[Case::Http429],
        // Its errors come with status 200; those that its table does not list are answers in an
        // unknown form.
        ("wikipedia", Mode::Forbidden) => &[Case::Http403],
        ("wikipedia", Mode::Overloaded) => &[Case::Overloaded],
        ("wikipedia", Mode::BadRequest | Mode::Internal) => {
            &[Case::BadShape, Case::HttpStatus, Case::BadRequest]
        }
        _ => return None,
    })
}
