//! Books: MOBI and EPUB.

use reading::document::{Document, DocumentKind, Hint, read_document};
use testkit::documents::zip;

fn named(name: &str) -> Hint {
    Hint {
        file_name: Some(name.to_owned()),
        ..Hint::default()
    }
}

fn document(bytes: &[u8], hint: &Hint) -> Document {
    read_document(bytes, hint).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

fn names(document: &Document) -> Vec<&str> {
    let names = document.parts.iter().map(|part| part.name.as_deref());
    names.flatten().collect()
}

/// A book of Mobipocket with one record of text.
fn mobi(compression: u16, encryption: u16, text: &[u8]) -> Vec<u8> {
    mobi_with(compression, encryption, &[text])
}

/// A book of Mobipocket: the text, the codes it is packed with and their phrases.
fn mobi_with(compression: u16, encryption: u16, records: &[&[u8]]) -> Vec<u8> {
    let mut head = vec![0; 264];
    head[0..2].copy_from_slice(&compression.to_be_bytes());
    head[8..10].copy_from_slice(&1_u16.to_be_bytes());
    head[12..14].copy_from_slice(&encryption.to_be_bytes());
    head[16..20].copy_from_slice(b"MOBI");
    head[20..24].copy_from_slice(&232_u32.to_be_bytes());
    head[28..32].copy_from_slice(&65_001_u32.to_be_bytes());
    head[84..88].copy_from_slice(&260_u32.to_be_bytes());
    head[88..92].copy_from_slice(&4_u32.to_be_bytes());
    head[112..116].copy_from_slice(&2_u32.to_be_bytes());
    head[116..120].copy_from_slice(&(records.len() as u32 - 1).to_be_bytes());
    head[260..264].copy_from_slice(b"Book");
    let records: Vec<&[u8]> = [&head[..]].iter().chain(records).copied().collect();
    let mut bytes = vec![0; 60];
    bytes.extend(b"BOOKMOBI");
    bytes.resize(76, 0);
    bytes.extend((records.len() as u16).to_be_bytes());
    let mut at = 78 + 8 * records.len();
    for record in &records {
        bytes.extend((at as u32).to_be_bytes());
        bytes.extend([0; 4]);
        at += record.len();
    }
    bytes.extend(records.concat());
    bytes
}

#[test]
fn an_unprotected_book_of_mobipocket_is_read() {
    for (compression, text) in [
        (1, &b"<h1>One</h1><p>it is here</p>"[..]),
        (2, b"<h1>One</h1><p>it\xE9s\xE8ere</p>"),
    ] {
        let read = document(&mobi(compression, 0, text), &Hint::default());
        assert_eq!(read.markdown, "# One\n\nit is here");
        assert_eq!(
            (read.kind, read.title.as_deref()),
            (DocumentKind::MOBI, Some("Book"))
        );
    }
    let fault = read_document(&mobi(2, 2, b"x"), &Hint::default()).expect_err("is protected");
    assert!(fault.sentence().as_str().contains("DRM"), "{fault}");
    let fault = read_document(&mobi(3, 0, b"x"), &Hint::default()).expect_err("is packed");
    assert!(fault.sentence().as_str().contains("Calibre"), "{fault}");
    damage_book(&mobi(2, 0, b"<p>it\xE9s\xE8ere</p>"));
    // A newer book says where its text ends and its style sheets begin.
    let list = [
        &b"FDST"[..],
        &[0, 0, 0, 12, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 17],
    ]
    .concat();
    let mut book = mobi_with(1, 0, &[b"<p>it is here</p>p { margin: 0 }", &list]);
    let head = 78 + 8 * 3;
    book[head + 36..head + 40].copy_from_slice(&8_u32.to_be_bytes());
    book[head + 192..head + 196].copy_from_slice(&2_u32.to_be_bytes());
    assert_eq!(document(&book, &Hint::default()).markdown, "it is here");
}

/// Reads a book cut anywhere, and with any byte changed. Nothing may panic or go on for ever.
fn damage_book(whole: &[u8]) {
    for length in 0..whole.len() {
        let _ = read_document(&whole[..length], &named("a.mobi"));
    }
    for at in 60..whole.len() {
        let mut damaged = whole.to_vec();
        damaged[at] = 0xFF;
        let _ = read_document(&damaged, &named("a.mobi"));
    }
}

/// Codes of a book: 8 bits that begin with a one are phrases 0 to 127, from the greatest code on, and
/// 9 bits that begin with a zero the phrases from 128 on.
fn codes() -> Vec<u8> {
    let mut codes = b"HUFF\0\0\0\x18".to_vec();
    codes.extend(24_u32.to_be_bytes());
    codes.extend((24_u32 + 4 * 256).to_be_bytes());
    codes.resize(24, 0);
    for byte in 0..256 {
        let start: u32 = if byte < 128 { 9 } else { 8 | 0x80 | 0xFF << 8 };
        codes.extend(start.to_be_bytes());
    }
    for bits in 1..=32 {
        // The greatest code of 9 bits has the phrase 128, so that numbering goes on.
        let greatest: u32 = if bits == 9 { 0xFF + 128 } else { 0 };
        codes.extend([0, greatest].map(u32::to_be_bytes).concat());
    }
    codes
}

/// A record of phrases, each with whether it is packed with the same codes.
fn phrases(phrases: &[(&[u8], bool)]) -> Vec<u8> {
    let mut record = b"CDIC\0\0\0\x10".to_vec();
    record.extend((phrases.len() as u32).to_be_bytes());
    record.extend(16_u32.to_be_bytes());
    let mut texts = Vec::new();
    for (phrase, is_packed) in phrases {
        let at = 2 * phrases.len() + texts.len();
        record.extend((at as u16).to_be_bytes());
        let flag = if *is_packed { 0 } else { 0x8000 };
        texts.extend((phrase.len() as u16 | flag).to_be_bytes());
        texts.extend(*phrase);
    }
    record.extend(texts);
    record
}

#[test]
fn a_book_that_is_packed_by_phrases_is_read() {
    // The code of phrase n is 0xFF - n. The third phrase consists of the first two.
    let first = [
        (&b"<p>it is "[..], false),
        (b"here</p>", false),
        (b"\xFF\xFE", true),
    ];
    let mut more = vec![(&b"x"[..], false); 126];
    // Its code is 9 bits: a zero, and the greatest 8.
    more[125] = (b"<h1>One</h1>", false);
    let (codes, first, more) = (codes(), phrases(&first), phrases(&more));
    // 9 bits of phrase 128, 8 of phrase 2, and what fills the byte.
    let text = [0b0111_1111, 0b1111_1110, 0b1000_0000];
    let book = mobi_with(17_480, 0, &[&text, &codes, &first, &more]);
    let read = document(&book, &Hint::default());
    assert_eq!(read.markdown, "# One\n\nit is here");
    // A phrase that contains itself, and a dictionary that is not there.
    let circle = phrases(&[(b"\xFF", true)]);
    for records in [vec![&b"\xFF"[..], &codes, &circle], vec![b"\xFF"]] {
        let book = mobi_with(17_480, 0, &records);
        read_document(&book, &Hint::default()).expect_err("is damaged");
    }
    damage_book(&book);
}

pub(crate) fn epub(manifest: &str, spine: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let package = format!(
        "<package><metadata/><manifest>{manifest}</manifest><spine>{spine}</spine></package>"
    );
    let container: &[u8] =
        br#"<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>"#;
    let mut entries: Vec<(&str, &[u8])> = vec![
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container),
        ("book.opf", package.as_bytes()),
    ];
    entries.extend(files);
    zip(&entries)
}

#[test]
fn books_of_drawings_and_books_without_a_spine_are_read() {
    let page: &[u8] = b"<html><head><title>Cover</title></head><body><svg><g><text>Drawn <tspan>words</tspan></text></g><defs><text>no</text></defs></svg></body></html>";
    let svg: &[u8] = b"<svg xmlns='http://www.w3.org/2000/svg'><text>Only a drawing</text></svg>";
    let items = "<item id='a' href='a.xhtml'/><item id='b' href='b.svg'/>";
    let spine = "<itemref idref='a'/><itemref idref='b'/>";
    let book = epub(items, spine, &[("a.xhtml", page), ("b.svg", svg)]);
    let read = document(&book, &Hint::default());
    assert_eq!(read.markdown, "Drawn words\n\nOnly a drawing");
    assert_eq!(names(&read), ["Cover"]);
    assert_eq!(
        read.parts.iter().map(|it| it.number).collect::<Vec<_>>(),
        [1, 2]
    );
    let loose: &[u8] = b"<html><body><p>Open <br>words<p>end</body></html>";
    let lost = epub("", "<itemref idref='x'/>", &[("text/a.html", loose)]);
    assert_eq!(
        document(&lost, &Hint::default()).markdown,
        "Open\nwords\n\nend"
    );
}

#[test]
fn a_book_of_pictures_says_what_reads_it() {
    let page: &[u8] = b"<html><body><img src='p1.png'/></body></html>";
    let items = "<item id='a' href='a.xhtml'/>";
    let files: [(&str, &[u8]); 2] = [("a.xhtml", page), ("p1.png", b"x")];
    let fault = |files| {
        let book = epub(items, "<itemref idref='a'/>", files);
        read_document(&book, &Hint::default()).expect_err("has no text")
    };
    let pictures = fault(&files);
    let sentence = pictures.sentence();
    assert!(sentence.as_str().contains("pictures"), "{pictures}");
    assert!(sentence.as_str().contains("ebook-convert"), "{pictures}");
    let empty = fault(&files[..1]);
    assert!(!empty.sentence().as_str().contains("pictures"), "{empty}");
}
