//! What an answer is worth: a page, a document, or something that only came in their place.
//!
//! Every tier that receives what the site itself sent reads it here, so that the same answer means the same whichever way it came.

use fault::{Case, Fault, Origin, Phase, Result, Say, Tainted, TierName};

use super::visible::visible;
use super::{WholePage, freshness};
use crate::call::Call;
use crate::document::{Hint, Isolated, Kind, Limits, Trouble};
use crate::extract::{self, Extracted, Metadata, charset};

/// Of a page's source, more is not read; documents may be as large as [`Limits::input`].
const MOST_HTML: usize = 20 << 20;

/// Turns answers into pages.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    documents: Isolated,
}

/// The answer to one question, on its way to a page.
pub(super) struct Came<'a> {
    pub(super) response: net::Response,
    /// Who brought it.
    pub(super) tier: TierName,
    /// Whether the source is wanted as it is.
    pub(super) raw: bool,
    pub(super) call: &'a Call,
}

impl Answers {
    pub(super) fn new(documents: Isolated) -> Answers {
        Answers { documents }
    }

    /// The most bytes of one answer that are of any use.
    pub(super) fn most_bytes() -> u64 {
        Limits::default().input as u64
    }

    /// Reads an answer that is no error by its status.
    pub(super) async fn page(&self, came: Came<'_>) -> Result<WholePage> {
        if !came.response.is_success() {
            // A 1xx or a redirect that leads nowhere is not an answer to a GET.
            return Err(came.fault(Case::BadShape).status(came.response.status));
        }
        let hint = came.hint();
        let kind = hint.kind(&came.response.body);
        match kind {
            _ if came.raw => came.source(kind),
            Kind::Html => came.html(&hint).await,
            Kind::Text | Kind::Markdown => came.text(kind),
            _ => self.document(came, hint, kind).await,
        }
    }

    async fn document(&self, came: Came<'_>, hint: Hint, kind: Kind) -> Result<WholePage> {
        if came.response.truncated && kind.needs_worker() {
            let fault = Trouble::InputTooLarge.fault(came.response.body.len(), &Limits::default());
            return Err(came.response.attributed(fault.tier(came.tier)));
        }
        let reading = self.documents.read(came.response.body.clone(), hint);
        let document = match tokio::time::timeout_at(came.call.deadline, reading).await {
            Ok(read) => read.map_err(|fault| came.response.attributed(fault.tier(came.tier).phase(Phase::Extract)))?,
            Err(_) => return Err(came.fault(Case::TooLarge).saying(TOO_HEAVY)),
        };
        let (warning, cut) = (document.parse_warning(), document.truncated);
        let mut page = came.finish(Metadata::from(&document), document.markdown, warning)?;
        page.source_truncated |= cut;
        Ok(page)
    }
}

/// Told when the answer came in time and reading it did not: it takes as long the next time.
const TOO_HEAVY: Say = Say::new("The page is too heavy to be read in time. Do not retry; use another source.");

const NOT_A_FILE: Say = Say::new(
    "The address promises a file of another type and sends a web page, most likely a landing or sign-in page. \
     Do not retry it as it is; read the page with mode=raw to find the real link, or look for another copy of the file.",
);

const NO_SOURCE: Say = Say::new("The content is not text, so there is no source to show. Repeat the call without mode=raw.");

impl Came<'_> {
    /// A fault about this answer, with what every one of them has in common.
    pub(super) fn fault(&self, case: Case) -> Fault {
        self.response.attributed(Fault::new(case, Origin::Page).tier(self.tier).phase(Phase::Extract))
    }

    /// What an operator may want to see of an answer that was no page.
    pub(super) fn first_words(&self) -> Tainted {
        let start = &self.response.body[..self.response.body.len().min(2_000)];
        Tainted::new(String::from_utf8_lossy(start).into_owned())
    }

    fn hint(&self) -> Hint {
        let file_name = self.response.header("content-disposition").and_then(attached_name);
        let media_type = self.response.header("content-type").map(str::to_owned);
        Hint { media_type, file_name, url: Some(self.response.final_url.to_string()) }
    }

    /// The source of anything that is text.
    fn source(self, kind: Kind) -> Result<WholePage> {
        if kind.is_text() {
            self.text(kind)
        } else {
            Err(self.fault(Case::UnsupportedType).size(self.response.body.len() as u64).saying(NO_SOURCE))
        }
    }

    /// Text that is fine as it stands.
    fn text(mut self, kind: Kind) -> Result<WholePage> {
        if kind == Kind::Markdown && !self.raw && self.tier == HTML {
            self.tier = MARKDOWN;
        }
        let decoded = charset::decode(&self.response.body, self.response.charset().as_deref());
        let warning = decoded.lossy.then(|| "some bytes had no meaning in the page's charset".to_owned());
        self.finish(Metadata::default(), decoded.text, warning)
    }

    /// HTML, extracted off the async threads because it is CPU work on hostile input.
    async fn html(mut self, hint: &Hint) -> Result<WholePage> {
        if self.response.body.len() > MOST_HTML {
            self.response.body.truncate(MOST_HTML);
            self.response.truncated = true;
        }
        let (body, charset) = (self.response.body.clone(), self.response.charset());
        let url = self.response.final_url.to_string();
        let work = move || extract::markdown(&charset::decode(&body, charset.as_deref()).text, &url);
        let extracted = match tokio::time::timeout_at(self.call.deadline, extract::apart(work)).await {
            Ok(extracted) => extracted.ok_or_else(|| self.fault(Case::Internal))?, // it panicked; its words are in the panic hook's log
            Err(_) => return Err(self.fault(Case::TooLarge).saying(TOO_HEAVY)),
        };
        if promises_a_file(hint) {
            return Err(self.fault(Case::BrokenDocument).saying(NOT_A_FILE).tainted(self.first_words()));
        }
        let Extracted { metadata, markdown, warning } = extracted;
        self.finish(metadata, markdown, warning.map(str::to_owned))
    }

    fn finish(self, metadata: Metadata, text: String, parse_warning: Option<String>) -> Result<WholePage> {
        let (text, metadata) = (visible(text), metadata.map(visible));
        if text.trim().is_empty() {
            return Err(self.fault(Case::Empty).size(self.response.body.len() as u64));
        }
        let response = &self.response;
        Ok(WholePage {
            url: response.final_url.to_string(),
            tier: self.tier.as_str(),
            metadata,
            text,
            source_truncated: response.truncated || response.status == 206,
            parse_warning,
            fresh_for: freshness::of(response),
        })
    }
}

pub(super) const HTML: TierName = TierName::new("html");
const MARKDOWN: TierName = TierName::new("markdown");

/// Whether the header declares a file that HTML cannot be. Tables of HTML called Excel are everyday life.
fn promises_a_file(hint: &Hint) -> bool {
    Kind::claimed(hint.media_type.as_deref(), None).is_some_and(|claimed| !claimed.is_text() && claimed != Kind::LegacyOffice)
}

/// The name in a Content-Disposition header; only its extension is ever looked at.
fn attached_name(header: &str) -> Option<String> {
    let mut parameters = header.split(';').filter_map(|part| part.split_once('='));
    let (_, value) = parameters.find(|(name, _)| name.trim().trim_end_matches('*').eq_ignore_ascii_case("filename"))?;
    let name = value.trim().trim_matches('"').rsplit(['/', '\\', '\'']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attached_files_lend_their_names() {
        assert_eq!(attached_name("attachment; filename=\"report.pdf\"").as_deref(), Some("report.pdf"));
        assert_eq!(attached_name("inline; FileName*=UTF-8''a%20b.docx").as_deref(), Some("a%20b.docx"));
        assert_eq!(attached_name("attachment; filename=../../etc/passwd").as_deref(), Some("passwd"));
        assert_eq!(attached_name("attachment"), None);
    }

    #[test]
    fn a_page_under_the_type_of_a_file_breaks_a_promise() {
        let promises = |media_type: &str| promises_a_file(&Hint { media_type: Some(media_type.to_owned()), ..Hint::default() });
        assert!(promises("application/pdf") && promises("image/png") && promises("application/zip"));
        assert!(!promises("text/html; charset=utf-8") && !promises("application/octet-stream") && !promises("application/vnd.ms-excel"));
    }
}
