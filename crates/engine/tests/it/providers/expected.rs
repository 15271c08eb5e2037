//! Which case each fault must become. The general rules first; the exceptions are what single
//! providers document.

use engine::search::{Key, ProviderSpec, Tier};
use fault::Case;
use lab::FaultMode;

/// The cases that are right for a mode; nothing when the mode says nothing about this provider.
pub(crate) fn cases(spec: &ProviderSpec, mode: FaultMode) -> Option<&'static [Case]> {
    // A page cut where its markup allows it cannot be told from a whole one.
    if (spec.id(), mode) == ("duckduckgo", FaultMode::Malformed) {
        return None;
    }
    if let Some(own) = exception(spec.id(), mode) {
        return Some(own);
    }
    Some(match mode {
        FaultMode::RateLimited => &[Case::Http429],
        FaultMode::Quota if spec.tier == Tier::Commercial => &[Case::QuotaExhausted],
        FaultMode::Quota => &[Case::Http429, Case::QuotaExhausted],
        FaultMode::BadKey | FaultMode::NoKey if spec.key == Key::None => return None,
        // Without its key a provider is not asked at all, so what this answer becomes matters
        // little.
        FaultMode::NoKey => &[Case::BadKey, Case::Forbidden, Case::BadRequest],
        FaultMode::BadKey => &[Case::BadKey],
        FaultMode::Forbidden => &[Case::Forbidden],
        FaultMode::BadRequest => &[Case::BadRequest],
        FaultMode::Overloaded | FaultMode::Internal | FaultMode::Status => &[Case::HttpStatus],
        FaultMode::Malformed
        | FaultMode::WrongShape
        | FaultMode::EmptyBody
        | FaultMode::Redirect => &[Case::BadShape],
        FaultMode::StalledHead | FaultMode::Stalled => &[Case::Timeout],
        FaultMode::Reset | FaultMode::Closed => &[Case::ConnectionReset],
        FaultMode::ResetBody => &[Case::ConnectionReset, Case::TruncatedBody],
        FaultMode::Truncated => &[Case::TruncatedBody],
        FaultMode::Challenge => &[Case::BotChallenge],
        // As long the next time: nothing to wait for.
        FaultMode::Huge => &[Case::BadShape],
        FaultMode::Slow => return None,
    })
}

/// What single providers do in their own way, as they document it.
fn exception(id: &str, mode: FaultMode) -> Option<&'static [Case]> {
    Some(match (id, mode) {
        // It has neither keys nor quotas: whoever it dislikes is a robot to it, whatever the
        // status.
        (
            "duckduckgo",
            FaultMode::RateLimited
            | FaultMode::Quota
            | FaultMode::Forbidden
            | FaultMode::BadRequest,
        ) => &[Case::BotChallenge],
        // A fresh instance refuses JSON; its engines, all silent, are no "nothing found".
        ("searxng", FaultMode::Forbidden) => &[Case::BadSetting],
        ("searxng" | "openserp", FaultMode::Overloaded) => &[Case::Overloaded],
        // Its 503 does not say whether an engine wants a captcha.
        ("openserp", FaultMode::RateLimited | FaultMode::Quota) => &[Case::HttpStatus],
        // One status for every complaint about a key.
        ("serper", FaultMode::Forbidden) => &[Case::BadKey],
        ("uspto" | "semanticscholar", FaultMode::Forbidden) => &[Case::BadKey],
        // Nothing but prose tells a used-up plan from haste.
        ("searchapi" | "uspto", FaultMode::Quota) => &[Case::Http429],
        // Its 403 is for haste; it forbids nothing else.
        ("openalex", FaultMode::Forbidden) => &[Case::Http429],
        // Its errors come with status 200; those that its table does not list are answers in an
        // unknown form.
        ("wikipedia", FaultMode::Forbidden) => &[Case::Http403],
        ("wikipedia", FaultMode::Overloaded) => &[Case::Overloaded],
        ("wikipedia", FaultMode::BadRequest | FaultMode::Internal) => {
            &[Case::BadShape, Case::HttpStatus, Case::BadRequest]
        }
        _ => return None,
    })
}
