//! A format that says one sentence; see xtask/src/extensions.rs.

use super::error::DocumentError;
use super::format::{DocumentKind, Format, Signature};
use super::{Document, Input};

pub(super) static THROWAWAY: Format = Format {
    kind: DocumentKind::named("throwaway"),
    label: None,
    media_types: &["application/x-throwaway"],
    extensions: &["throwaway"],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_throwaway,
};

fn read_throwaway(input: &Input<'_>) -> Result<Document, DocumentError> {
    let mut markdown = input.markdown();
    markdown.block("Read as the new format.");
    Ok(Document::new(DocumentKind::named("throwaway"), markdown))
}
