//! What came of a page: its text, or the fault that says why not.

use std::time::Duration;

use fault::{Case, Fault, Host, Origin, Phase, Say, Tainted};
use http::{HeaderValue, header};
use url::Url;

use super::page::{Page, Taken};
use super::watch::{Document, Failure};
use super::wire::{MAX_MESSAGE, Snag};
use super::{Rendered, Request, errors};
use crate::classify;
use crate::guard::{Denied, host_of};
use crate::progress::{Progress, Timings};
use crate::response::{Redirected, Response};
use crate::trouble::{Trouble, What};

/// Why a page was not read.
#[derive(Debug)]
pub(super) enum Stop {
    /// The browser went away under the page.
    Gone,
    Trouble(Trouble),
    Fault(Fault),
}

impl From<Snag> for Stop {
    fn from(snag: Snag) -> Self {
        match snag {
            Snag::Gone => Self::Gone,
            Snag::Refused(words) => Self::Fault(
                Fault::new(Case::Internal, Origin::Local)
                    .phase(Phase::Work)
                    .tainted(Tainted::new(words)),
            ),
        }
    }
}

pub(super) async fn finish(
    page: &Page,
    request: &Request,
    settled: bool,
    progress: &Progress,
) -> Result<Rendered, Stop> {
    let facts = page.facts();
    if facts.crashed {
        return Err(Stop::Fault(
            page_fault(Case::BadShape, progress)
                .detail(Say::new("the page crashed the browser's tab")),
        ));
    }
    if let Some(failure) = facts.failure {
        return Err(failed(page, failure, progress));
    }
    let document = facts
        .document
        .ok_or_else(|| Stop::Fault(page_fault(Case::Empty, progress)))?;
    led_to(&document.url, progress);
    if page.proxy.gave(&document.headers) {
        return Err(Stop::Trouble(
            told_by_proxy(page, &document.url).unwrap_or_else(|| Trouble::new(What::Reset)),
        ));
    }
    if !is_text(&document.media_type) {
        return Err(Stop::Fault(page_fault(Case::UnsupportedType, progress)));
    }
    let max = request.max_bytes.min(MAX_MESSAGE / 8);
    let taken = page.take(max as u64).await?;
    if let Some(fault) =
        classify::status_fault(document.status, &document.headers, None, Origin::Page)
    {
        let words = Tainted::new(taken.html.chars().take(2_000).collect::<String>());
        return Err(Stop::Fault(attributed(fault.tainted(words), progress)));
    }
    rendered(page, document, taken, max).map(|page| Rendered {
        settled,
        elapsed: progress.elapsed(),
        asked: progress.asked(),
        ..page
    })
}

fn rendered(page: &Page, document: Document, taken: Taken, max: usize) -> Result<Rendered, Stop> {
    let shown = Url::parse(&taken.url)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"));
    let final_url = shown
        .or_else(|| Url::parse(&document.url).ok())
        .ok_or(Stop::Trouble(Trouble::denied(Denied::Unparsable)))?;
    let mut html = taken.html;
    let cut = html.len() > max || taken.length > max as u64;
    html.truncate(html.floor_char_boundary(max));
    Ok(Rendered {
        asked: None,
        final_url,
        status: document.status,
        headers: document.headers,
        html,
        title: taken.title,
        truncated: cut || page.proxy.exhausted(),
        settled: true,
        received: page.proxy.received(),
        elapsed: Duration::ZERO,
    })
}

/// What kept a document from coming. The proxy knows better than the browser why there was no
/// connection.
pub(super) fn failed(page: &Page, failure: Failure, progress: &Progress) -> Stop {
    led_to(&failure.url, progress);
    if let Some(trouble) = told_by_proxy(page, &failure.url) {
        return Stop::Trouble(trouble);
    }
    match errors::trouble(&failure.code) {
        Some(trouble) => Stop::Trouble(trouble),
        None => {
            Stop::Fault(page_fault(Case::BadShape, progress).tainted(Tainted::new(failure.code)))
        }
    }
}

fn told_by_proxy(page: &Page, url: &str) -> Option<Trouble> {
    let url = Url::parse(url).ok()?;
    page.proxy
        .trouble(&host_of(&url).ok()?, url.port_or_known_default()?)
}

pub(super) fn nothing_to_show(progress: &Progress, download: bool) -> Fault {
    page_fault(
        if download {
            Case::UnsupportedType
        } else {
            Case::Empty
        },
        progress,
    )
}

fn page_fault(case: Case, progress: &Progress) -> Fault {
    attributed(Fault::new(case, Origin::Page).phase(Phase::Body), progress)
}

/// Names the host that was asked, never one that the page chose.
fn attributed(fault: Fault, progress: &Progress) -> Fault {
    classify::attributed(
        fault,
        progress.asked().as_ref(),
        progress.reached().as_ref(),
    )
}

/// Notes that redirects or scripts led to another site: what happens there is told as what a
/// redirect led to.
fn led_to(url: &str, progress: &Progress) {
    let phase = progress.phase();
    if let Some(url) = Url::parse(url)
        .ok()
        .filter(|url| Host::of(url) != progress.asked().as_ref().and_then(Host::of))
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

/// What a browser shows as a document with text in it.
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

/// For whoever reads answers: a rendered page is one, with its source in UTF-8 as the body.
impl From<Rendered> for Response {
    fn from(page: Rendered) -> Self {
        let elsewhere = page
            .asked
            .filter(|asked| Host::of(asked) != Host::of(&page.final_url));
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
            // How it was led elsewhere is not known, and does not matter.
            redirects: elsewhere
                .map(|from| Redirected { status: 302, from })
                .into_iter()
                .collect(),
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
