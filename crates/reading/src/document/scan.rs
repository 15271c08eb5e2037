//! Pages that are pictures of text: handing them over to a program that recognises text (OCR), and
//! putting what it read into the document.
//!
//! A reader that finds such pages notes them ([`Document::scans`]) and keeps what is needed to draw
//! them ([`Scans`]). They are drawn after the document is returned, one by one, because recognising
//! takes seconds a page: whoever reads may stop at any page and has the document already.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::budget::Limits;
use super::error::Warning;
use super::image;
use super::parts::{Part, Unit};
use super::pdf::PdfScans;
use super::{Document, DocumentKind};

/// The most samples of one picture. A sheet of A4 at 400 dots per inch has 15.5 million.
pub const MAX_SAMPLES: u64 = 16_000_000;

/// Which pages without text are wanted as pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WantedScans {
    pub first: u32,
    pub last: u32,
    /// Whether a caller named these pages. Otherwise the pictures in a document that is mostly text
    /// are left alone: they are figures more often than scans, and each costs seconds.
    pub are_named: bool,
}

impl WantedScans {
    /// All pages of a document that is mostly pictures.
    pub const ALL: WantedScans = WantedScans {
        first: 1,
        last: u32::MAX,
        are_named: false,
    };

    pub fn contains(&self, page: u32) -> bool {
        (self.first..=self.last).contains(&page)
    }

    /// The pages to be handed over, of those that are pictures, in a document of `total` pages.
    pub(super) fn chosen(&self, scans: &[u32], total: usize) -> Vec<u32> {
        if !self.are_named && scans.len() * 2 < total {
            return Vec::new();
        }
        let wanted = scans.iter().filter(|page| self.contains(**page));
        wanted.copied().collect()
    }
}

/// A page in shades of grey, row by row from the top, black as zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    /// Samples to an inch of the page, if that is known.
    pub dpi: Option<u32>,
    pub samples: Vec<u8>,
}

/// A page that was handed over. `None` for a picture that cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    pub page: u32,
    pub picture: Option<Picture>,
}

/// The pages of one document that are to be handed over as pictures.
#[derive(Debug)]
pub struct Scans(pub(super) ScanSource);

#[derive(Debug)]
pub(super) enum ScanSource {
    Pdf(PdfScans),
    /// An image file.
    Image(Vec<u8>),
}

impl Scans {
    /// The numbers of the pages.
    pub fn pages(&self) -> Vec<u32> {
        match &self.0 {
            ScanSource::Pdf(pdf) => pdf.pages.clone(),
            ScanSource::Image(_) => vec![1],
        }
    }

    /// Draws the pages in order, until `take` wants no more.
    pub fn hand_over(self, limits: Limits, mut take: impl FnMut(Scan) -> bool) {
        match self.0 {
            ScanSource::Pdf(pdf) => pdf.hand_over(limits, &mut take),
            ScanSource::Image(bytes) => {
                take(Scan {
                    page: 1,
                    picture: image::picture(&bytes),
                });
            }
        }
    }
}

impl Document {
    /// Adds what was recognised on pages that are pictures, with how sure the program is of the
    /// words, in percent. The pages that were looked at are no longer in [`Document::scans`].
    pub fn add_recognised(&mut self, texts: &BTreeMap<u32, String>, sure: Option<u8>) {
        if texts.values().any(|text| !text.trim().is_empty()) {
            self.warnings.insert(0, Warning::ReadByOcr { sure });
        }
        if self.kind == DocumentKind::IMAGE {
            let text = texts.values().next().map_or("", |text| text.trim());
            if !text.is_empty() {
                self.markdown.push_str("\n\n");
                self.markdown.push_str(text);
            } else if !texts.is_empty() {
                self.warnings.push(Warning::NothingRecognised);
            }
        } else {
            self.fill_in(texts);
        }
        self.scans.retain(|page| !texts.contains_key(page));
        let settled: &[Warning] = match self.scans.is_empty() {
            true => &[Warning::SomePagesAreImages, Warning::PictureNotRead],
            false => &[],
        };
        self.warnings.retain(|it| !settled.contains(it));
    }

    /// Writes the pages anew: with what was recognised, and without the marks of pages that are
    /// still unread.
    fn fill_in(&mut self, texts: &BTreeMap<u32, String>) {
        let old = std::mem::take(&mut self.markdown);
        let starts: Vec<usize> = self.parts.iter().filter_map(|part| part.start).collect();
        let first = starts.first().copied().unwrap_or(old.len());
        self.markdown.push_str(&old[..first]);
        let mut ends = starts.into_iter().skip(1).chain([old.len()]);
        let scans = &self.scans;
        for part in &mut self.parts {
            let Some(start) = part.start else { continue };
            let own = old[start..ends.next().unwrap_or(old.len())].trim();
            let page = (part.unit == Unit::Page).then_some(part.number);
            let recognised = page.and_then(|page| texts.get(&page));
            let is_unread = recognised.is_none()
                && page.is_some_and(|page| scans.contains(&page))
                && own == mark(part);
            if !is_unread && !self.markdown.is_empty() {
                self.markdown.push_str("\n\n");
            }
            part.start = Some(self.markdown.len());
            if is_unread {
                continue;
            }
            self.markdown.push_str(own);
            if let Some(text) = recognised.filter(|text| !text.trim().is_empty()) {
                self.markdown.push_str("\n\n");
                self.markdown.push_str(text.trim());
            }
        }
    }

    /// Whether the document has text beside the marks of its pages.
    pub fn has_text(&self) -> bool {
        let is_mark = |line: &str| line.starts_with("<!-- ") && line.ends_with(" -->");
        self.markdown
            .lines()
            .any(|line| !line.trim().is_empty() && !is_mark(line))
    }
}

/// How a page begins in Markdown.
fn mark(part: &Part) -> String {
    format!("<!-- {} {} -->", part.unit.word(), part.number)
}

#[cfg(test)]
mod tests {
    use super::super::markdown::Markdown;
    use super::*;

    fn document(pages: &[(u32, &str)]) -> Document {
        let mut markdown = Markdown::new(1_000);
        for (number, text) in pages {
            markdown.part(Unit::Page, *number, None);
            markdown.block(text);
        }
        Document::new(DocumentKind::PDF, markdown)
    }

    fn texts(pages: &[(u32, &str)]) -> BTreeMap<u32, String> {
        let own = |(page, text): &(u32, &str)| (*page, (*text).to_owned());
        pages.iter().map(own).collect()
    }

    #[test]
    fn recognised_text_stands_on_its_page_and_unread_pages_leave_no_mark() {
        let mut read = document(&[(1, ""), (2, "typed"), (3, ""), (4, ""), (5, "")]);
        read.scans = vec![1, 3, 4, 5];
        read.warnings.push(Warning::SomePagesAreImages);
        read.add_recognised(&texts(&[(3, " three\n"), (4, "")]), Some(80));
        assert_eq!(
            read.markdown,
            "<!-- page 2 -->\n\ntyped\n\n<!-- page 3 -->\n\nthree\n\n<!-- page 4 -->"
        );
        let at = |number: usize| &read.markdown[read.parts[number - 1].start.expect("is there")..];
        assert!(at(1).starts_with("<!-- page 2") && at(3).trim_start().starts_with("<!-- page 3"));
        assert_eq!((at(5), &read.scans[..]), ("", &[1, 5][..]));
        assert_eq!(
            read.warnings,
            [
                Warning::ReadByOcr { sure: Some(80) },
                Warning::SomePagesAreImages
            ]
        );
        assert!(read.has_text());
    }

    #[test]
    fn a_document_of_nothing_recognised_has_no_text() {
        let mut read = document(&[(1, ""), (2, "")]);
        read.scans = vec![1, 2];
        read.add_recognised(&texts(&[(1, "\n"), (2, "")]), None);
        assert!(!read.has_text() && read.scans.is_empty() && read.warnings.is_empty());
    }

    #[test]
    fn pictures_in_a_text_are_handed_over_only_when_they_are_named() {
        assert_eq!(WantedScans::ALL.chosen(&[2, 3], 10), [] as [u32; 0]);
        assert_eq!(WantedScans::ALL.chosen(&[2, 3], 4), [2, 3]);
        let named = WantedScans {
            first: 3,
            last: 9,
            are_named: true,
        };
        assert_eq!(named.chosen(&[2, 3], 10), [3]);
    }
}
