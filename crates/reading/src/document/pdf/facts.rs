//! What a PDF says about itself, and the addresses that its pages link to.

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, DateTime, Dict, Name, String as PdfString};
use hayro_syntax::page::Page;

use super::super::{Document, present};
use super::text_string;

/// The addresses of the links on a page.
pub(super) fn links(page: &Page<'_>) -> Vec<String> {
    const MAX_LINKS: usize = 100;
    let mut links: Vec<String> = Vec::new();
    let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else {
        return links;
    };
    for annotation in annotations.iter::<Dict<'_>>().take(10 * MAX_LINKS) {
        let is_link = annotation
            .get::<Name<'_>>("Subtype")
            .is_some_and(|name| name.as_str() == "Link");
        let target = annotation
            .get::<Dict<'_>>("A")
            .and_then(|action| action.get::<PdfString<'_>>("URI"));
        let Some(target) = target.filter(|_| is_link) else {
            continue;
        };
        let target = text_string(&target);
        if links.len() < MAX_LINKS
            && target.starts_with("http")
            && !target.contains(char::is_whitespace)
            && !links.contains(&target)
        {
            links.push(target);
        }
    }
    links
}

/// Says what the file says about itself.
pub(super) fn describe(document: &mut Document, pdf: &Pdf) {
    let metadata = pdf.metadata();
    let text = |bytes: &Option<Box<[u8]>>| bytes.as_deref().map(text_string).and_then(present);
    document.title = text(&metadata.title).filter(|title| !is_placeholder(title));
    document.author = text(&metadata.author).filter(|author| !is_placeholder(author));
    document.date = metadata
        .modification_date
        .or(metadata.creation_date)
        .map(date);
    let catalogue = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    document.language = catalogue
        .and_then(|dict| dict.get::<PdfString<'_>>("Lang"))
        .map(|text| text_string(&text))
        .and_then(present);
}

/// Whether this is what programs write if no one gave a title or an author.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim_matches(['(', ')']).to_ascii_lowercase();
    matches!(
        text.as_str(),
        "untitled" | "anonymous" | "unspecified" | "unknown" | "none" | "title" | "author"
    )
}

fn date(date: DateTime) -> String {
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        date.year, date.month, date.day, date.hour, date.minute, date.second
    )
}
