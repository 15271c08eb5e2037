//! How one page led to another.

use url::Url;

/// The way from the URL that the caller chose to another one.
#[derive(Debug, Clone, Default)]
pub struct RedirectChain {
    pub(crate) redirects: Vec<FollowedRedirect>,
    /// Something on the way was on the public internet, so nothing that only the operator's rules
    /// open may follow.
    pub(crate) has_public_page: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedRedirect {
    pub status: u16,
    pub from: Url,
}
