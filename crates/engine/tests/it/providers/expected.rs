//! Which case each failure must become: general rules, and the exceptions that providers document.

use engine::search::{KeyRequirement, ProviderSpec, ProviderTier};
use fault::Case;
use lab::FaultMode;

/// The cases that are right for a mode; `None` when the mode does not apply to this provider.
pub(crate) fn cases(spec: &ProviderSpec, mode: FaultMode) -> Option<&'static [Case]> {
    // HTML that is cut between two elements looks complete.
    if (spec.id(), mode) == ("duckduckgo", FaultMode::Malformed) {
        return None;
    }
    if let Some(own) = exception(spec.id(), mode) {
        return Some(own);
    }
    Some(match mode {
        FaultMode::RateLimited => &[Case::Http429],
        FaultMode::Quota if spec.tier == ProviderTier::Commercial => &[Case::QuotaExhausted],
        FaultMode::Quota => &[Case::Http429, Case::QuotaExhausted],
        FaultMode::BadKey | FaultMode::NoKey if spec.key == KeyRequirement::None => &[
            Case::AccessDenied,
            Case::Http403,
            Case::BadSetting,
            Case::BotChallenge,
        ],
        // A provider without its key is not asked at all, so this matters little.
        FaultMode::NoKey => &[Case::BadKey, Case::Forbidden],
        FaultMode::BadKey => &[Case::BadKey],
        FaultMode::Forbidden if spec.key == KeyRequirement::None => &[Case::AccessDenied],
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
        // The reply will be as long the next time, so waiting does not help.
        FaultMode::Huge => &[Case::BadShape],
        FaultMode::Slow => return None,
    })
}

/// The exceptions that single providers document.
fn exception(id: &str, mode: FaultMode) -> Option<&'static [Case]> {
    Some(match (id, mode) {
        // It has neither keys nor quotas; it takes clients for robots, with various statuses.
        (
            "duckduckgo",
            FaultMode::RateLimited
            | FaultMode::Quota
            | FaultMode::Forbidden
            | FaultMode::BadRequest,
        ) => &[Case::BotChallenge],
        // A new instance refuses JSON. A reply in which no engine responded is a failure.
        ("searxng", FaultMode::Forbidden) => &[Case::BadSetting],
        // It names the header that the key belongs in.
        ("brave", FaultMode::NoKey) => &[Case::MissingCredentials],
        // Its limiter sends those it suspects to the front page.
        ("searxng", FaultMode::Redirect) => &[Case::BadSetting],
        ("searxng" | "openserp", FaultMode::Overloaded) => &[Case::Overloaded],
        // It tells what search engines did to it: they asked for a captcha.
        ("openserp", FaultMode::RateLimited | FaultMode::Quota) => &[Case::Captcha],
        // One status for everything that is wrong with a key.
        ("serper", FaultMode::Forbidden) => &[Case::BadKey],
        ("uspto" | "semanticscholar", FaultMode::Forbidden) => &[Case::BadKey],
        // Only its message distinguishes a used-up plan from too many requests.
        ("searchapi" | "uspto", FaultMode::Quota) => &[Case::Http429],
        // Its 403 means too many requests.
        ("openalex", FaultMode::Forbidden) => &[Case::Http429],
        ("wikipedia", FaultMode::Forbidden) => &[Case::Http403],
        ("wikipedia", FaultMode::Overloaded) => &[Case::Overloaded],
        _ => return None,
    })
}
