//! How one page led to another.

use url::Url;

/// The way from the URL that the caller chose to another one.
#[derive(Debug, Clone, Default)]
pub struct RedirectChain {
    pub(crate) redirects: Vec<FollowedRedirect>,
    /// Something on the way was on the public internet, so nothing that only the operator's rules
    /// open may follow.
    pub(crate) has_public_page: bool,
    /// It begins at a search result, which neither the caller nor a page named.
    pub(crate) is_search_result: bool,
}

impl RedirectChain {
    /// The way to a search result. Its provider is on the public internet or repeats what public
    /// pages say, so the result counts as the link of a public page.
    #[must_use]
    pub fn from_search() -> Self {
        Self {
            redirects: Vec::new(),
            has_public_page: true,
            is_search_result: true,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedRedirect {
    pub status: u16,
    pub from: Url,
}
