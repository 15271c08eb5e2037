//! Turns the responses of sites into pages, whichever tier fetched them.

use std::time::Duration;

use fault::{Case, Fault, Health, Phase, Result};

use net::ReadingRoom;
use tokio::time::Instant;

use super::fetched::Fetched;
use super::{ScannedPages, WholePage, strip_parts};
use crate::worker::{DocumentWorkers, NotRead};
use reading::document::{DocumentError, DocumentKind, Hint, Limits, Warning};
use reading::extract::Metadata;

#[derive(Debug, Clone)]
pub(super) struct ResponseReader {
    documents: DocumentWorkers,
    memory: net::MemoryBudget,
}

impl ResponseReader {
    pub(super) fn new(documents: DocumentWorkers, memory: net::MemoryBudget) -> ResponseReader {
        ResponseReader { documents, memory }
    }

    /// Waits for the memory of what is made of the response, which its body does not cover.
    async fn room(&self, fetched: &mut Fetched<'_>, kind: DocumentKind) -> Result<ReadingRoom> {
        let (asked, bytes) = (Instant::now(), fetched.response.body.len() as u64);
        let reserving = async {
            if kind == DocumentKind::HTML {
                self.memory.reserve_tree(bytes).await
            } else {
                self.memory.reserve_document(bytes).await
            }
        };
        let room = tokio::time::timeout_at(fetched.call.deadline, reserving).await;
        fetched.waited = asked.elapsed();
        room.map_err(|_| net::memory_taken().tier(fetched.tier))
    }

    /// The most bytes of a response that can be read.
    pub(super) fn most_bytes() -> u64 {
        Limits::default().input as u64
    }

    /// Turns a response into a page. The caller has checked that its status is no error.
    pub(super) async fn page(&self, mut fetched: Fetched<'_>) -> Result<WholePage> {
        if !fetched.response.is_success() {
            // A 1xx, or a redirect without a target.
            return Err(fetched
                .fault(Case::BadShape)
                .status(fetched.response.status));
        }
        let hint = fetched.hint();
        let kind = hint.kind(&fetched.response.body);
        match kind {
            _ if fetched.wants_source() => fetched.source(kind).await,
            DocumentKind::HTML => {
                let _room = self.room(&mut fetched, kind).await?;
                fetched.html(&hint).await
            }
            DocumentKind::TEXT | DocumentKind::MARKDOWN => fetched.text(kind).await,
            _ => self.document(fetched, hint, kind).await,
        }
    }

    /// The fault for a response with an error status, or a more exact one where the detector finds
    /// the reason in the page.
    pub(super) async fn refusal(&self, mut fetched: Fetched<'_>, fault: Fault) -> Fault {
        let fault = fault.tier(fetched.tier).tainted(fetched.first_words());
        if fetched.response.body.is_empty()
            || fetched.hint().kind(&fetched.response.body) != DocumentKind::HTML
        {
            return fault;
        }
        let Ok(_room) = self.room(&mut fetched, DocumentKind::HTML).await else {
            return fault;
        };
        match fetched.extracted().await {
            Ok((_, verdict)) if verdict.case().is_some_and(|case| refines(&fault, case)) => {
                fetched.accepted(verdict).err().unwrap_or(fault)
            }
            _ => fault,
        }
    }

    async fn document(
        &self,
        mut fetched: Fetched<'_>,
        hint: Hint,
        kind: DocumentKind,
    ) -> Result<WholePage> {
        if fetched.response.truncated && kind.needs_worker() {
            // It was cut at a limit: of documents, or of the memory of this server.
            let limits = Limits {
                input: fetched.response.body.len(),
                ..Limits::default()
            };
            let fault = DocumentError::InputTooLarge.fault(fetched.response.body.len(), &limits);
            return Err(fetched.response.attributed(fault.tier(fetched.tier)));
        }
        let _room = self.room(&mut fetched, kind).await?;
        let mut fetched = if kind == DocumentKind::JSON {
            fetched.checked_json().await?
        } else {
            fetched
        };
        let body = fetched.response.body.clone();
        let has_password = hint.password.is_some();
        let asked = hint.scans.filter(|_| self.documents.has_ocr());
        let read = self
            .documents
            .read_document(body, hint, fetched.call.deadline)
            .await;
        let document = read.map_err(|error| match error {
            NotRead::TookTooLong => fetched.too_costly(),
            NotRead::Fault(fault) => fetched
                .response
                .attributed(fault.tier(fetched.tier).phase(Phase::Extract)),
        })?;
        let (warning, cut) = (document.parse_warning(), document.truncated);
        let scans = ScannedPages::new(&document.scans, &document.warnings, asked);
        let metadata = Metadata::from(&document);
        let is_out_of_time = document.warnings.contains(&Warning::OutOfTime);
        let (text, parts) = strip_parts(document.markdown, document.parts);
        let wanted = fetched.wanted.take();
        fetched.may_be_blank = wanted.is_some() && !parts.is_empty();
        let mut page = fetched.finish(metadata, text, warning)?;
        if is_out_of_time {
            // A call with more time reads more.
            page.fresh_for = Duration::ZERO;
        }
        page.wanted = wanted;
        page.source_truncated |= cut;
        page.is_private |= has_password;
        page.parts = parts;
        page.scans = scans;
        Ok(page)
    }
}

/// Whether the case that the detector found in an error page is more exact than the fault of its
/// status. A request to slow down with a wait that the site asked for is kept: the wait is worth
/// more.
fn refines(fault: &Fault, case: Case) -> bool {
    let named_a_wait = fault.row().health == Health::Limiting && fault.source_requested_wait();
    case.row().refines.contains(&fault.case()) && !named_a_wait
}
