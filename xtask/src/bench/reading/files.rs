//! The largest legitimate documents that a page reader gets, and one hostile file.

use testkit::documents::{assembled, overlapping_bomb, pdf_stream, zlib};

/// 20 MB of HTML: one very long article.
pub(super) fn html() -> Vec<u8> {
    const SIZE: usize = 20_000_000;
    let mut page =
        b"<!doctype html><html lang=\"en\"><head><title>A long page</title></head><body><article><h1>A long page</h1>\n".to_vec();
    for part in 0.. {
        let paragraph = format!(
            "<h2>Part {part}</h2>\n<p>{}</p>\n<ul><li>{}</li><li>{}</li></ul>\n",
            prose(part, 60),
            prose(part + 1, 8),
            prose(part + 2, 8)
        );
        if page.len() + paragraph.len() > SIZE - 40 {
            break;
        }
        page.extend(paragraph.into_bytes());
    }
    page.extend(b"</article></body></html>\n");
    page
}

/// The largest document that is accepted.
const PDF_SIZE: usize = 50_000_000;
const PICTURE: usize = 17_000;

/// 50 MB like most large PDF files: pages of compressed text, each with a picture that the reader
/// does not need.
pub(super) fn illustrated_pdf() -> Vec<u8> {
    let noise = Noise::new().bytes(PICTURE);
    pdf(|page| {
        let text = zlib(text(page, 40).as_bytes());
        let picture = pdf_stream(
            "/Type/XObject/Subtype/Image/Width 600/Height 400/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode",
            &noise,
        );
        (pdf_stream("/Filter/FlateDecode", &text), Some(picture))
    })
}

/// 50 MB of uncompressed text: ten times the amount that is read of a document.
pub(super) fn plain_pdf() -> Vec<u8> {
    pdf(|page| (pdf_stream("", text(page, 150).as_bytes()), None))
}

/// A 200 KB archive that claims 4 GB: twenty overlapping entries of 200 MB.
pub(super) fn bomb() -> Vec<u8> {
    overlapping_bomb(195, 20)
}

/// A PDF with as many pages as fit, each a content stream and optionally a picture.
fn pdf(page: impl Fn(usize) -> (Vec<u8>, Option<Vec<u8>>)) -> Vec<u8> {
    const FONT: &[u8] = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";
    // The catalogue, the page list and the font come first; the first two are filled in at the end,
    // when the pages are known.
    let mut objects = vec![Vec::new(), Vec::new(), FONT.to_vec()];
    let (mut kids, mut size) = (Vec::new(), 1_000);
    loop {
        let (content, picture) = page(kids.len());
        // Besides its bytes, an object costs its header and an entry in the cross-reference table.
        size += 300 + content.len() + picture.as_ref().map_or(0, Vec::len);
        if size > PDF_SIZE {
            break;
        }
        let number = objects.len() + 1;
        let pictures = picture.as_ref().map_or_else(String::new, |_| {
            format!("/XObject<</I1 {} 0 R>>", number + 2)
        });
        kids.push(format!("{number} 0 R"));
        objects.push(
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 2000]/Resources<</Font<</F1 3 0 R>>{pictures}>>/Contents {} 0 R>>",
                number + 1
            )
            .into_bytes(),
        );
        objects.push(content);
        objects.extend(picture);
    }
    objects[0] = b"<</Type/Catalog/Pages 2 0 R/Lang(en-GB)>>".to_vec();
    objects[1] = format!(
        "<</Type/Pages/Kids[{}]/Count {}>>",
        kids.join(" "),
        kids.len()
    )
    .into_bytes();
    assembled(&objects)
}

/// The content stream of a page.
fn text(page: usize, lines: usize) -> String {
    let mut content = format!("/I1 Do BT /F1 10 Tf 12 TL 40 1960 Td (Page {page}) Tj T*\n");
    for line in 0..lines {
        content += &format!("({}) Tj T*\n", prose(page * lines + line, 13));
    }
    content + "ET\n"
}

const WORDS: [&str; 31] = [
    "water",
    "measures",
    "the",
    "of",
    "a",
    "river",
    "and",
    "season",
    "between",
    "stations",
    "with",
    "level",
    "in",
    "reported",
    "which",
    "average",
    "was",
    "for",
    "by",
    "engineers",
    "rises",
    "after",
    "rain",
    "until",
    "observed",
    "tables",
    "show",
    "that",
    "its",
    "course",
    "changes",
];

/// Words in an order that depends on the number, so that no two lines are alike.
fn prose(number: usize, words: usize) -> String {
    let mut noise = Noise(number as u64 + 1);
    (0..words)
        .map(|_| WORDS[noise.next() as usize % WORDS.len()])
        .collect::<Vec<_>>()
        .join(" ")
}

/// Pseudorandom numbers, the same in every run.
struct Noise(u64);

impl Noise {
    fn new() -> Noise {
        Noise(7)
    }

    /// The upper half of a linear congruential generator (Knuth's constants), because its lower
    /// bits repeat too soon.
    fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_have_the_sizes_that_are_told() {
        assert!((19_900_000..=20_000_000).contains(&html().len()));
        assert!((49_000_000..=50_000_000).contains(&plain_pdf().len()));
        assert!(
            (180_000..=210_000).contains(&bomb().len()),
            "{}",
            bomb().len()
        );
    }
}
