//! A site's response on its way to a page: text is decoded, HTML extracted, and both are checked
//! for what sites send in place of a page.

use std::time::Duration;

use fault::{Case, Fault, Origin, OtherForm, Phase, Result, Retry, Say, Size, Tainted, TierName};
use tokio::time::Instant;

use super::browser::TIER as BROWSER;
use super::detection::ResponseFacts;
use super::direct::{HTML, MARKDOWN};
use super::hidden_characters::strip_hidden;
use super::{TierRequest, WholePage, freshness};
use crate::call::Call;
use crate::parser_threads::{self, NotDone};
use reading::detect::{Evidence, Verdict};
use reading::document::scan::WantedScans;
use reading::document::{DocumentKind, Hint, Password, WantedParts};
use reading::extract::{self, Extracted, Metadata, charset};

/// Bytes of HTML that are read. Documents may be larger, see [`reading::document::Limits::input`].
const MOST_HTML: usize = 20 << 20;

pub(super) struct Fetched<'a> {
    pub(super) response: net::Response,
    /// The tier that fetched it.
    pub(super) tier: TierName,
    /// Whether the source is wanted as it is.
    pub(super) raw: bool,
    pub(super) call: &'a Call,
    /// How long it waited for memory after it had arrived.
    pub(super) waited: Duration,
    /// Why the rest is missing, when the response has only a part of the content.
    partial: Option<Case>,
    /// The file of an archive or the attachment that is wanted.
    part: Option<String>,
    password: Option<Password>,
    formulas: bool,
    /// The pages to recognise if they are pictures.
    scans: WantedScans,
    /// The parts of a document to read.
    pub(super) wanted: Option<WantedParts>,
    /// Whether a page without text is an answer, because it lists the parts of a document.
    pub(super) may_be_blank: bool,
}

/// A page of at least this many bytes may take too long to parse. A smaller one that is late was
/// waiting for other work.
const COSTLY_BYTES: usize = 1 << 20;

const NOT_A_FILE: Say = Say::new(
    "The address should lead to a file, but it sends a web page, most likely a landing or sign-in page.",
);

/// What is said where the caller gave a call less time than the operator allows.
pub(crate) const NOT_IN_TIME: Say =
    Say::new("The time of the call ran out while the content was being read.");
pub(crate) const MORE_TIME: Say =
    Say::new("Make the same call with more time, or ask for fewer pages of the document.");

pub(crate) const NO_SOURCE: Say =
    Say::new("The content is not text, so there is no source to show.");

impl<'a> Fetched<'a> {
    pub(super) fn new(
        response: net::Response,
        tier: TierName,
        request: &TierRequest,
        call: &'a Call,
    ) -> Fetched<'a> {
        Fetched {
            response,
            tier,
            raw: request.raw,
            call,
            waited: Duration::ZERO,
            partial: None,
            part: request.part.clone(),
            password: request.password.clone(),
            formulas: request.formulas,
            scans: request.scans,
            wanted: request.wanted.clone(),
            may_be_blank: false,
        }
    }

    /// A fault about this response.
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

    /// The fault of a page that is known to have no text. It has none the next time either.
    fn without_text(&self) -> Fault {
        self.empty().retry(Retry::Never)
    }

    /// The beginning of the body, for the operator's record of a fault.
    pub(super) fn first_words(&self) -> Tainted {
        let start = &self.response.body[..self.response.body.len().min(2_000)];
        Tainted::new(String::from_utf8_lossy(start).into_owned())
    }

    pub(super) fn hint(&self) -> Hint {
        let file_name = self
            .response
            .header("content-disposition")
            .and_then(attached_name);
        let media_type = self.response.header("content-type").map(str::to_owned);
        Hint {
            media_type,
            file_name,
            url: Some(self.response.final_url.to_string()),
            part: self.part.clone(),
            wanted: self.wanted.clone(),
            raw: self.raw,
            password: self.password.clone(),
            formulas: self.formulas,
            scans: Some(self.scans),
        }
    }

    /// Whether the source of the response is wanted, and not that of a file inside it.
    pub(super) fn wants_source(&self) -> bool {
        self.raw && self.part.is_none()
    }

    /// The page's source, if it is text.
    pub(super) async fn source(self, kind: DocumentKind) -> Result<WholePage> {
        if kind.is_text() {
            self.text(kind).await
        } else {
            Err(self
                .fault(Case::UnsupportedType)
                .size(Size::Bytes(self.response.body.len() as u64))
                .saying(NO_SOURCE)
                .other_form(OtherForm::MainText))
        }
    }

    /// The page of a response that is plain text or Markdown.
    pub(super) async fn text(mut self, kind: DocumentKind) -> Result<WholePage> {
        if kind == DocumentKind::MARKDOWN && !self.raw && self.tier == HTML {
            self.tier = MARKDOWN;
        }
        let decoded = charset::decode(&self.response.body, self.response.charset().as_deref());
        let warning = decoded
            .lossy
            .then(|| "some bytes are not valid in the page's charset".to_owned());
        if self.raw {
            return self.finish(Metadata::default(), decoded.text, warning);
        }
        let facts = ResponseFacts::new(&self.response);
        let (text, verdict) = self
            .on_parser_thread(move || {
                let verdict = facts.judge(&decoded.text, &decoded.text);
                (decoded.text, verdict)
            })
            .await?;
        self.accepted(verdict)?
            .finish(Metadata::default(), text, warning)
    }

    pub(super) async fn html(mut self, hint: &Hint) -> Result<WholePage> {
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
        let fetched = self.accepted(verdict)?;
        if promises_a_file(hint) {
            return Err(fetched
                .fault(Case::BrokenDocument)
                .saying(NOT_A_FILE)
                .other_form(OtherForm::Source)
                .tainted(fetched.first_words()));
        }
        fetched.finish(metadata, markdown, warning.map(str::to_owned))
    }

    /// Checks JSON, in which some sites say that they refuse to answer.
    pub(super) async fn checked_json(self) -> Result<Self> {
        let (body, facts) = (
            self.response.body.clone(),
            ResponseFacts::new(&self.response),
        );
        let verdict = self
            .on_parser_thread(move || facts.judge(&String::from_utf8_lossy(&body), ""))
            .await?;
        self.accepted(verdict)
    }

    /// The main text, and the detector's verdict on the page.
    pub(super) async fn extracted(&self) -> Result<(Extracted, Verdict)> {
        let (body, charset) = (self.response.body.clone(), self.response.charset());
        let facts = ResponseFacts::new(&self.response);
        self.on_parser_thread(move || {
            let source = charset::decode(&body, charset.as_deref()).text;
            let extracted = extract::markdown(&source, facts.final_url.as_str());
            let verdict = facts.judge(&source, &extracted.markdown);
            (extracted, verdict)
        })
        .await
    }

    /// For a page that arrived in time and could not be parsed in time. A retry would take as long,
    /// unless the caller chose the time.
    pub(super) fn too_costly(&self) -> Fault {
        if self.waited_for_memory() {
            return net::memory_taken().tier(self.tier);
        }
        if self.call.is_shortened {
            return self
                .fault(Case::Timeout)
                .elapsed(self.call.started.elapsed())
                .saying(NOT_IN_TIME)
                .advising(MORE_TIME);
        }
        self.fault(Case::TooCostly)
            .saying(Say::new(
                "The page is too large or complex to be read in time.",
            ))
            .advising(Say::new("Do not retry; use another source."))
    }

    /// Whether much of the call's time went to waiting for other pages, so that the page may well be
    /// read in time when it is alone.
    fn waited_for_memory(&self) -> bool {
        (self.response.timings.memory + self.waited) * 4 > self.call.started.elapsed()
    }

    /// Whether reading had less than half of the call's time. Beside other pages that says nothing
    /// about what the page costs.
    fn came_late(&self, asked: Instant) -> bool {
        asked - self.call.started > (self.call.deadline - self.call.started) / 2
    }

    /// Runs CPU work on hostile input off the async threads, until the call's deadline.
    async fn on_parser_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let asked = Instant::now();
        let done = parser_threads::run(self.call.deadline, work).await;
        done.map_err(|not_done| match not_done {
            // The panic hook has logged the message.
            NotDone::Panicked => self.fault(Case::Internal),
            NotDone::Waited => crate::busy::readers_are_busy().tier(self.tier),
            NotDone::TookTooLong if self.came_late(asked) && parser_threads::others_are_busy() => {
                crate::busy::readers_are_busy().tier(self.tier)
            }
            NotDone::TookTooLong
                if self.response.body.len() < COSTLY_BYTES && !self.waited_for_memory() =>
            {
                self.fault(Case::Timeout)
                    .elapsed(self.call.started.elapsed())
            }
            NotDone::TookTooLong => self.too_costly(),
        })
    }

    /// Continues with content and with a part of the content. Anything else is a fault, whatever
    /// the status was.
    pub(super) fn accepted(mut self, verdict: Verdict) -> Result<Self> {
        match verdict {
            Verdict::Content => Ok(self),
            // The scripts have run, so this is all there is.
            Verdict::Partial { case, .. } if self.is_settled(case) => Ok(self),
            Verdict::Fault { case, .. } if self.is_settled(case) => Err(self.without_text()),
            Verdict::Partial { case, .. } => {
                self.partial = Some(case);
                Ok(self)
            }
            Verdict::Fault {
                case,
                wait,
                evidence,
            } => {
                let wait = wait.or_else(|| net::requested_wait(&self.response.headers, None));
                let fault = match case.row().may_be_unfinished {
                    true => self.without_text(),
                    false => self.fault(case),
                };
                let fault = fault
                    .status(self.response.status)
                    .requested_wait(wait)
                    .detail(joined_facts(&evidence));
                Err(fault.tainted(self.first_words()))
            }
        }
    }

    /// Whether this tier has already done what a page of this case needs.
    fn is_settled(&self, case: Case) -> bool {
        self.tier == BROWSER && case.row().settled_by_scripts
    }

    pub(super) fn finish(
        self,
        metadata: Metadata,
        text: String,
        parse_warning: Option<String>,
    ) -> Result<WholePage> {
        let (text, metadata) = (strip_hidden(text), metadata.map(strip_hidden));
        if self.response.body.trim_ascii().is_empty() {
            return Err(self.without_text());
        }
        if text.trim().is_empty() && !self.may_be_blank {
            return Err(self.empty());
        }
        let response = &self.response;
        Ok(WholePage {
            metadata,
            source_truncated: response.truncated || response.status == 206,
            parse_warning: parse_warning
                .or_else(|| self.partial.map(|case| case.row().partial.to_owned())),
            partial: self.partial,
            fresh_for: freshness::lifetime(response),
            is_private: freshness::is_private(&response.headers),
            ..WholePage::new(response.final_url.to_string(), self.tier.as_str(), text)
        })
    }
}

/// The facts that led to a verdict, as one text.
fn joined_facts(evidence: &[Evidence]) -> Option<Say> {
    evidence
        .iter()
        .map(|it| Say::new(it.fact()))
        .reduce(Say::and)
}

/// Whether the Content-Type declares a file that HTML cannot be. The types of Office before
/// 2007 are no such types: many sites send HTML under them.
fn promises_a_file(hint: &Hint) -> bool {
    const OLD_OFFICE: [DocumentKind; 3] = [DocumentKind::DOC, DocumentKind::XLS, DocumentKind::PPT];
    DocumentKind::claimed(hint.media_type.as_deref(), None)
        .is_some_and(|claimed| !claimed.is_text() && !OLD_OFFICE.contains(&claimed))
}

/// The file name in a Content-Disposition header. Only its extension is used.
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
    fn the_file_name_is_taken_from_content_disposition() {
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
    fn binary_content_types_promise_a_file_and_text_types_do_not() {
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
