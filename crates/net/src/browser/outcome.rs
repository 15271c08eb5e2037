//! Turns a finished page into its text or into the fault that says why there is none.

use std::time::Duration;

use fault::{Case, Fault, Host, Origin, Phase, Retry, Say, Tainted};
use http::{HeaderValue, header};
use url::Url;

use super::devtools::{CommandError, MAX_MESSAGE};
use super::monitor::{FailedNavigation, MainDocument};
use super::page::{Page, PageSource};
use super::{PageRequest, RenderedPage, chromium_errors};
use crate::classify;
use crate::guard::{Denied, host_of};
use crate::network_error::{NetworkError, NetworkErrorKind};
use crate::progress::{Progress, Timings};
use crate::redirect_chain::FollowedRedirect;
use crate::response::Response;

/// The pause before a page that was navigating is read again.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// Why a page could not be read.
#[derive(Debug)]
pub(super) enum PageError {
    /// The browser ended while the page was open.
    BrowserGone,
    Network(NetworkError),
    Fault(Fault),
}

impl From<CommandError> for PageError {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::BrowserGone => Self::BrowserGone,
            CommandError::Refused(words) => Self::Fault(
                Fault::new(Case::Internal, Origin::Local)
                    .phase(Phase::Work)
                    .tainted(Tainted::new(words)),
            ),
        }
    }
}

pub(super) async fn finish(
    page: &Page,
    request: &PageRequest,
    settled: bool,
    progress: &Progress,
) -> Result<RenderedPage, PageError> {
    let document = text_document(page, progress)?;
    let max = request.max_bytes.min(MAX_MESSAGE / 8);
    let source = read_source(page, settled, max as u64).await?;
    if let Some(fault) =
        classify::status_fault(document.status, &document.headers, None, Origin::Page)
    {
        let words = Tainted::new(source.html.chars().take(2_000).collect::<String>());
        return Err(PageError::Fault(attributed(fault.tainted(words), progress)));
    }
    rendered(page, document, source, max, &request.url).map(|page| RenderedPage {
        settled,
        elapsed: progress.elapsed(),
        asked: progress.requested(),
        ..page
    })
}

/// A page that is just being replaced by another cannot be read. One that replaces itself all the
/// time is waited for until its time is up, which is then told as that.
async fn read_source(page: &Page, settled: bool, max: u64) -> Result<PageSource, CommandError> {
    loop {
        match page.source(max).await {
            Err(CommandError::Refused(_)) if !settled || page.facts().navigating => {
                tokio::time::sleep(RETRY_PAUSE).await;
            }
            read => return read,
        }
    }
}

/// The main document, if there is one and it is text.
fn text_document(page: &Page, progress: &Progress) -> Result<MainDocument, PageError> {
    let facts = page.facts();
    if facts.crashed {
        let detail = Say::new("the page crashed the browser's tab");
        let fault = page_fault(Case::BadShape, progress).detail(detail);
        return Err(PageError::Fault(fault));
    }
    if let Some(failure) = facts.failure {
        return Err(failed(page, failure, progress));
    }
    let document = facts
        .document
        .ok_or_else(|| PageError::Fault(page_fault(Case::Empty, progress)))?;
    record_site_change(&document.url, progress);
    if page.proxy.is_own_response(&document.headers) {
        let error = proxy_error(page, &document.url);
        let reset = || NetworkError::new(NetworkErrorKind::Reset);
        return Err(PageError::Network(error.unwrap_or_else(reset)));
    }
    if !is_text(&document.media_type) {
        let fault = page_fault(Case::UnsupportedType, progress);
        return Err(PageError::Fault(fault));
    }
    Ok(document)
}

fn rendered(
    page: &Page,
    document: MainDocument,
    source: PageSource,
    max: usize,
    requested: &str,
) -> Result<RenderedPage, PageError> {
    // Scripts may show what they made themselves (`blob:`), which has no address outside.
    let on_the_web = |url: &str| {
        let url = Url::parse(url).ok()?;
        matches!(url.scheme(), "http" | "https").then_some(url)
    };
    let final_url = on_the_web(&source.url)
        .or_else(|| on_the_web(&document.url))
        .or_else(|| on_the_web(requested))
        .ok_or(PageError::Network(NetworkError::denied(Denied::Unparsable)))?;
    let mut html = source.html;
    let cut = html.len() > max || source.length > max as u64;
    html.truncate(html.floor_char_boundary(max));
    Ok(RenderedPage {
        asked: None,
        is_public: page.proxy.is_public_only(),
        final_url,
        status: document.status,
        headers: document.headers,
        html,
        title: source.title,
        truncated: cut || page.proxy.exhausted() || page.facts().oversized,
        settled: true,
        received: page.proxy.received(),
        elapsed: Duration::ZERO,
    })
}

/// Why there is no document. The proxy knows the reason for a failed connection better than the
/// browser.
pub(super) fn failed(page: &Page, failure: FailedNavigation, progress: &Progress) -> PageError {
    record_site_change(&failure.url, progress);
    if let Some(error) = proxy_error(page, &failure.url) {
        return PageError::Network(error);
    }
    match chromium_errors::error(&failure.code) {
        Some(error) => PageError::Network(error),
        None => PageError::Fault(
            page_fault(Case::BadShape, progress).tainted(Tainted::new(failure.code)),
        ),
    }
}

fn proxy_error(page: &Page, url: &str) -> Option<NetworkError> {
    let url = Url::parse(url).ok()?;
    page.proxy
        .error(&host_of(&url).ok()?, url.port_or_known_default()?)
}

pub(super) fn no_document_fault(progress: &Progress, download: bool) -> Fault {
    if download {
        return page_fault(Case::UnsupportedType, progress);
    }
    // The site answered, and with nothing (HTTP 204): it does so the next time, too.
    page_fault(Case::Empty, progress).retry(Retry::Never)
}

fn page_fault(case: Case, progress: &Progress) -> Fault {
    attributed(Fault::new(case, Origin::Page).phase(Phase::Body), progress)
}

/// Adds the requested host to a fault, never one that the page chose.
fn attributed(fault: Fault, progress: &Progress) -> Fault {
    classify::attributed(
        fault,
        progress.requested().as_ref(),
        progress.current_url().as_ref(),
    )
}

/// Records that redirects or scripts led to another site, so that faults there are treated like
/// those after a redirect.
fn record_site_change(url: &str, progress: &Progress) {
    let phase = progress.phase();
    if let Some(url) = Url::parse(url)
        .ok()
        .filter(|url| Host::from_url(url) != progress.requested().as_ref().and_then(Host::from_url))
    {
        progress.redirected_to(&url);
        progress.enter(phase);
    }
}

pub(super) fn launch_failed(detail: &'static str, words: &str) -> Fault {
    let fault = Fault::new(Case::LaunchFailed, Origin::Local)
        .phase(Phase::Work)
        .detail(Say::new(detail));
    if words.is_empty() {
        fault
    } else {
        fault.tainted(Tainted::new(words))
    }
}

/// Whether a browser shows this media type as a document with text.
fn is_text(media_type: &str) -> bool {
    let (family, subtype) = media_type.split_once('/').unwrap_or((media_type, ""));
    match family {
        "" | "text" => true,
        "application" => ["json", "xml", "javascript"]
            .iter()
            .any(|known| subtype.ends_with(known)),
        "image" => subtype == "svg+xml",
        _ => false,
    }
}

/// A rendered page as a response, with its source in UTF-8 as the body.
impl From<RenderedPage> for Response {
    fn from(page: RenderedPage) -> Self {
        let elsewhere = page
            .asked
            .filter(|asked| Host::from_url(asked) != Host::from_url(&page.final_url));
        let mut headers = page.headers;
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        );
        Self {
            status: page.status,
            headers,
            final_url: page.final_url,
            body: page.html.into(),
            truncated: page.truncated,
            raw_bytes: page.received,
            // How the page got there is not known and does not matter.
            redirects: elsewhere
                .map(|from| FollowedRedirect { status: 302, from })
                .into_iter()
                .collect(),
            has_public_page: page.is_public,
            timings: Timings {
                total: page.elapsed,
                ..Timings::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_browser_shows_as_text_is_a_page() {
        for shown in [
            "",
            "text/html",
            "text/plain",
            "application/xhtml+xml",
            "application/json",
            "application/ld+json",
            "image/svg+xml",
        ] {
            assert!(is_text(shown), "{shown}");
        }
        for not_shown in [
            "application/pdf",
            "image/png",
            "video/mp4",
            "application/zip",
            "font/woff",
        ] {
            assert!(!is_text(not_shown), "{not_shown}");
        }
    }
}
