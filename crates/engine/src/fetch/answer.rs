//! What an answer is worth: a page, a document, or something that only came in their place.
//!
//! Every tier that receives what the site itself sent reads it here, so that the same answer means
//! the same whichever way it came.

use fault::{Case, Fault, Origin, Phase, Result, Say, Size, Tainted, TierName};
use url::Url;

use super::visible::visible;
use super::{WholePage, freshness};
use crate::call::Call;
use crate::worker::{self, DocumentWorkers};
use reading::detect::{self, Evidence, Verdict};
use reading::document::{DocumentError, DocumentKind, Hint, Limits};
use reading::extract::{self, Extracted, Metadata, charset};

/// Of a page's source, more is not read; documents may be as large as [`Limits::input`].
const MOST_HTML: usize = 20 << 20;

/// Turns answers into pages.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    documents: DocumentWorkers,
}

/// The answer to one question, on its way to a page.
pub(super) struct Came<'a> {
    pub(super) response: net::Response,
    /// Who brought it.
    pub(super) tier: TierName,
    /// Whether the source is wanted as it is.
    pub(super) raw: bool,
    pub(super) call: &'a Call,
    /// What holds back the rest, when only a part of the content came.
    partial: Option<Case>,
}

impl Answers {
    pub(super) fn new(documents: DocumentWorkers) -> Answers {
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
            _ if came.raw => came.source(kind).await,
            DocumentKind::HTML => came.html(&hint).await,
            DocumentKind::TEXT | DocumentKind::MARKDOWN => came.text(kind).await,
            _ => self.document(came, hint, kind).await,
        }
    }

    /// The fault that an error status means, or a better one where the page says more than its
    /// status.
    pub(super) async fn refusal(&self, came: Came<'_>, fault: Fault) -> Fault {
        let fault = fault.tier(came.tier).tainted(came.first_words());
        if came.response.body.is_empty()
            || came.hint().kind(&came.response.body) != DocumentKind::HTML
        {
            return fault;
        }
        match came.extracted().await {
            Ok((_, verdict)) if verdict.case().is_some_and(|case| refines(&fault, case)) => {
                came.accepted(verdict).err().unwrap_or(fault)
            }
            _ => fault,
        }
    }

    async fn document(&self, came: Came<'_>, hint: Hint, kind: DocumentKind) -> Result<WholePage> {
        if came.response.truncated && kind.needs_worker() {
            let fault =
                DocumentError::InputTooLarge.fault(came.response.body.len(), &Limits::default());
            return Err(came.response.attributed(fault.tier(came.tier)));
        }
        let came = if kind == DocumentKind::JSON {
            came.judged_json().await?
        } else {
            came
        };
        let reading = self.documents.read(came.response.body.clone(), hint);
        let document = match tokio::time::timeout_at(came.call.deadline, reading).await {
            Ok(read) => read.map_err(|fault| {
                came.response
                    .attributed(fault.tier(came.tier).phase(Phase::Extract))
            })?,
            Err(_) => return Err(came.too_heavy()),
        };
        let (warning, cut) = (document.parse_warning(), document.truncated);
        let mut page = came.finish(Metadata::from(&document), document.markdown, warning)?;
        page.source_truncated |= cut;
        Ok(page)
    }
}

/// Bytes from which on a page may be slow by itself: shorter ones are read in a moment.
const HEAVY: usize = 1 << 20;

const NOT_A_FILE: Say = Say::new(
    "The address promises a file of another type and sends a web page, most likely a landing or sign-in page. \
     Do not retry it as it is; read the page with mode=raw to find the real link, or look for another copy of the file.",
);

pub(crate) const NO_SOURCE: Say = Say::new(
    "The content is not text, so there is no source to show. Repeat the call without mode=raw.",
);

impl<'a> Came<'a> {
    pub(super) fn new(
        response: net::Response,
        tier: TierName,
        raw: bool,
        call: &'a Call,
    ) -> Came<'a> {
        Came {
            response,
            tier,
            raw,
            call,
            partial: None,
        }
    }

    /// A fault about this answer, with what every one of them has in common.
    pub(super) fn fault(&self, case: Case) -> Fault {
        self.response.attributed(
            Fault::new(case, Origin::Page)
                .tier(self.tier)
                .phase(Phase::Extract),
        )
    }

    fn empty(&self) -> Fault {
        self.fault(Case::Empty)
            .size(Size::Bytes(self.response.body.len() as u64))
    }

    /// What an operator may want to see of an answer that was no page.
    pub(super) fn first_words(&self) -> Tainted {
        let start = &self.response.body[..self.response.body.len().min(2_000)];
        Tainted::new(String::from_utf8_lossy(start).into_owned())
    }

    fn hint(&self) -> Hint {
        let file_name = self
            .response
            .header("content-disposition")
            .and_then(attached_name);
        let media_type = self.response.header("content-type").map(str::to_owned);
        Hint {
            media_type,
            file_name,
            url: Some(self.response.final_url.to_string()),
        }
    }

    /// The source of anything that is text.
    async fn source(self, kind: DocumentKind) -> Result<WholePage> {
        if kind.is_text() {
            self.text(kind).await
        } else {
            Err(self
                .fault(Case::UnsupportedType)
                .size(Size::Bytes(self.response.body.len() as u64))
                .saying(NO_SOURCE))
        }
    }

    /// Text that is fine as it stands.
    async fn text(mut self, kind: DocumentKind) -> Result<WholePage> {
        if kind == DocumentKind::MARKDOWN && !self.raw && self.tier == HTML {
            self.tier = MARKDOWN;
        }
        let decoded = charset::decode(&self.response.body, self.response.charset().as_deref());
        let warning = decoded
            .lossy
            .then(|| "some bytes had no meaning in the page's charset".to_owned());
        if self.raw {
            return self.finish(Metadata::default(), decoded.text, warning);
        }
        let asked = Asked::of(&self.response);
        let (text, verdict) = self
            .apart(move || {
                let verdict = asked.judged(&decoded.text, &decoded.text);
                (decoded.text, verdict)
            })
            .await?;
        self.accepted(verdict)?
            .finish(Metadata::default(), text, warning)
    }

    async fn html(mut self, hint: &Hint) -> Result<WholePage> {
        if self.response.body.len() > MOST_HTML {
            self.response.body.truncate(MOST_HTML);
            self.response.truncated = true;
        }
        let (
            Extracted {
                metadata,
                markdown,
                warning,
            },
            verdict,
        ) = self.extracted().await?;
        let came = self.accepted(verdict)?;
        if promises_a_file(hint) {
            return Err(came
                .fault(Case::BrokenDocument)
                .saying(NOT_A_FILE)
                .tainted(came.first_words()));
        }
        came.finish(metadata, markdown, warning.map(str::to_owned))
    }

    /// Some sites answer in JSON that there is no answer.
    async fn judged_json(self) -> Result<Self> {
        let (body, asked) = (self.response.body.clone(), Asked::of(&self.response));
        let verdict = self
            .apart(move || asked.judged(&String::from_utf8_lossy(&body), ""))
            .await?;
        self.accepted(verdict)
    }

    /// The main text, and whether it is what was asked for.
    async fn extracted(&self) -> Result<(Extracted, Verdict)> {
        let (body, charset) = (self.response.body.clone(), self.response.charset());
        let asked = Asked::of(&self.response);
        self.apart(move || {
            let source = charset::decode(&body, charset.as_deref()).text;
            let extracted = extract::markdown(&source, asked.final_url.as_str());
            let verdict = asked.judged(&source, &extracted.markdown);
            (extracted, verdict)
        })
        .await
    }

    /// The answer came in time and reading it did not end in time: it takes as long the next time.
    fn too_heavy(&self) -> Fault {
        self.fault(Case::TooCostly)
            .saying(Say::new("The page is too heavy to be read in time."))
            .advising(Say::new("Do not retry; use another source."))
    }

    /// Work off the async threads: it is CPU work on hostile input.
    async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        match tokio::time::timeout_at(self.call.deadline, worker::on_parser_thread(work)).await {
            Ok(done) => done.ok_or_else(|| self.fault(Case::Internal)), // it panicked; its words are in the panic hook's log
            // A short page was late because others stood before it or the machine was busy, and
            // that passes.
            Err(_) if self.response.body.len() < HEAVY => Err(self
                .fault(Case::Timeout)
                .elapsed(self.call.started.elapsed())),
            Err(_) => Err(self.too_heavy()),
        }
    }

    /// Goes on with content and with a part of it; anything else is a fault, whatever the status
    /// said.
    fn accepted(mut self, verdict: Verdict) -> Result<Self> {
        match verdict {
            Verdict::Content => Ok(self),
            // The scripts did run: what is here is all there is.
            Verdict::Partial { case, .. } if self.is_settled(case) => Ok(self),
            Verdict::Fault { case, .. } if self.is_settled(case) => Err(self.empty()),
            Verdict::Partial { case, .. } => {
                self.partial = Some(case);
                Ok(self)
            }
            Verdict::Fault {
                case,
                wait,
                evidence,
            } => {
                let told = wait.or_else(|| net::requested_wait(&self.response.headers, None));
                let fault = self
                    .fault(case)
                    .status(self.response.status)
                    .told_wait(told)
                    .detail(facts(&evidence));
                Err(fault.tainted(self.first_words()))
            }
        }
    }

    /// Whether this tier has already done what a page of this case needs.
    fn is_settled(&self, case: Case) -> bool {
        self.tier == BROWSER && case.row().settled_by_scripts
    }

    fn finish(
        self,
        metadata: Metadata,
        text: String,
        parse_warning: Option<String>,
    ) -> Result<WholePage> {
        let (text, metadata) = (visible(text), metadata.map(visible));
        if text.trim().is_empty() {
            return Err(self.empty());
        }
        let response = &self.response;
        Ok(WholePage {
            url: response.final_url.to_string(),
            tier: self.tier.as_str(),
            metadata,
            text,
            source_truncated: response.truncated || response.status == 206,
            parse_warning: parse_warning
                .or_else(|| self.partial.map(|case| case.row().partial.to_owned())),
            partial: self.partial,
            fresh_for: freshness::of(response),
        })
    }
}

/// What the detector must know of an answer beside its text. It owns all of it, to go to another
/// thread.
struct Asked {
    status: u16,
    headers: http::HeaderMap,
    requested: Url,
    final_url: Url,
}

impl Asked {
    fn of(response: &net::Response) -> Asked {
        let requested = response
            .redirects
            .first()
            .map_or(&response.final_url, |hop| &hop.from);
        Asked {
            status: response.status,
            headers: response.headers.clone(),
            requested: requested.clone(),
            final_url: response.final_url.clone(),
        }
    }

    fn judged(&self, source: &str, main_text: &str) -> Verdict {
        let header = |name: &str| {
            let values: Vec<&str> = self
                .headers
                .get_all(name)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .collect();
            (!values.is_empty()).then(|| values.join(", "))
        };
        let (status, requested, final_url) = (self.status, &self.requested, &self.final_url);
        detect::judge_page(&detect::Answer {
            status,
            header: &header,
            requested,
            final_url,
            html: source,
            main_text,
            title: None,
        })
    }
}

/// Whether what an error page shows says more than its status: why somebody is turned away, or that
/// the site is being worked on. A wait that the status came with is worth more than a guess.
fn refines(fault: &Fault, case: Case) -> bool {
    let named_a_wait = fault.kind() == fault::Kind::RateLimited && fault.told_by_source();
    case.row().refines.contains(&fault.case()) && !named_a_wait
}

/// The sentences for the evidence of a verdict, one after the other.
fn facts(evidence: &[Evidence]) -> Option<Say> {
    evidence
        .iter()
        .map(|it| Say::new(it.fact()))
        .reduce(Say::then)
}

pub(super) const HTML: TierName = TierName::new("html");
pub(super) const BROWSER: TierName = TierName::new("browser");
const MARKDOWN: TierName = TierName::new("markdown");

/// Whether the header declares a file that HTML cannot be. Tables of HTML called Excel are everyday
/// life.
fn promises_a_file(hint: &Hint) -> bool {
    DocumentKind::claimed(hint.media_type.as_deref(), None)
        .is_some_and(|claimed| !claimed.is_text() && claimed != DocumentKind::LEGACY_OFFICE)
}

/// The name in a Content-Disposition header; only its extension is ever looked at.
fn attached_name(header: &str) -> Option<String> {
    let mut parameters = header.split(';').filter_map(|part| part.split_once('='));
    let (_, value) = parameters.find(|(name, _)| {
        name.trim()
            .trim_end_matches('*')
            .eq_ignore_ascii_case("filename")
    })?;
    let name = value
        .trim()
        .trim_matches('"')
        .rsplit(['/', '\\', '\''])
        .next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attached_files_lend_their_names() {
        assert_eq!(
            attached_name("attachment; filename=\"report.pdf\"").as_deref(),
            Some("report.pdf")
        );
        assert_eq!(
            attached_name("inline; FileName*=UTF-8''a%20b.docx").as_deref(),
            Some("a%20b.docx")
        );
        assert_eq!(
            attached_name("attachment; filename=../../etc/passwd").as_deref(),
            Some("passwd")
        );
        assert_eq!(attached_name("attachment"), None);
    }

    #[test]
    fn a_page_under_the_type_of_a_file_breaks_a_promise() {
        let promises = |media_type: &str| {
            promises_a_file(&Hint {
                media_type: Some(media_type.to_owned()),
                ..Hint::default()
            })
        };
        assert!(
            promises("application/pdf") && promises("image/png") && promises("application/zip")
        );
        assert!(
            !promises("text/html; charset=utf-8")
                && !promises("application/octet-stream")
                && !promises("application/vnd.ms-excel")
        );
    }
}
