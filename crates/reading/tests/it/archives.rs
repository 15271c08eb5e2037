//! Archives: lists, files by name, and archives in archives.

use fault::Case;
use reading::document::{Document, DocumentKind, Hint, Warning, read_document};
use testkit::documents::{docx, gzip, tar, zip};

fn named(name: &str) -> Hint {
    Hint {
        file_name: Some(name.to_owned()),
        ..Hint::default()
    }
}

fn part(name: &str) -> Hint {
    Hint {
        part: Some(name.to_owned()),
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

#[test]
fn an_archive_is_a_list_and_one_file_is_read_by_its_name() {
    let word = docx("<w:p><w:r><w:t>Inside.</w:t></w:r></w:p>");
    let files: &[(&str, &[u8])] = &[
        ("notes/a.txt", b"Some words."),
        ("b.docx", &word),
        ("__MACOSX/._b.docx", b"\0"),
    ];
    let packed = tar(&files[..2]);
    for (bytes, kind) in [
        (zip(files), DocumentKind::ZIP),
        (packed.clone(), DocumentKind::TAR),
        (gzip(&packed), DocumentKind::TAR),
    ] {
        let list = document(&bytes, &Hint::default());
        assert_eq!((list.kind, list.pages), (kind, Some(2)));
        assert_eq!(names(&list), ["notes/a.txt", "b.docx"]);
        assert!(
            list.markdown.contains("| notes/a.txt | 11 |"),
            "{}",
            list.markdown
        );
        assert_eq!(document(&bytes, &part("a.txt")).markdown, "Some words.");
        let inside = document(&bytes, &part("B.DOCX"));
        assert_eq!(
            (inside.kind, &*inside.markdown),
            (DocumentKind::DOCX, "Inside.")
        );
        let fault = read_document(&bytes, &part("c.txt")).expect_err("is not there");
        assert_eq!(fault.case(), Case::UnknownId);
    }
    assert_eq!(
        document(&gzip(b"a,b\n1,2"), &named("t.csv.gz")).kind,
        DocumentKind::CSV
    );
}

#[test]
fn an_archive_of_many_files_is_no_bomb() {
    let files: Vec<String> = (0..10_001)
        .map(|number| format!("d/{number}.txt"))
        .collect();
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|name| (name.as_str(), &b"Some words."[..]))
        .collect();
    for bytes in [zip(&files), tar(&files)] {
        assert_eq!(document(&bytes, &Hint::default()).pages, Some(10_001));
        let last = document(&bytes, &part("d/10000.txt"));
        assert_eq!(last.markdown, "Some words.");
    }
}

#[test]
fn archives_in_archives_end() {
    let mut nested = gzip(b"words");
    for _ in 0..20 {
        nested = gzip(&nested);
    }
    let fault = read_document(&nested, &Hint::default()).expect_err("is too deep");
    assert_eq!(fault.case(), Case::TooCostly);
    let said = fault.sentence().as_str().to_owned();
    assert!(said.contains("more archives than are opened"), "{said}");
    let blanks = gzip(&vec![b' '; 70_000_000]);
    let fault = read_document(&blanks, &Hint::default()).expect_err("is a bomb");
    assert_eq!(fault.case(), Case::TooCostly);
}

#[test]
fn a_file_of_an_archive_in_an_archive_is_read_by_both_names() {
    let inner = zip(&[("a/words.txt", b"Inside."), ("t.csv", b"a,b\n1,2")]);
    let packed = gzip(&inner);
    let outer = zip(&[
        ("x.txt", b"Outside."),
        ("in/inner.zip", &inner),
        ("p.gz", &packed),
    ]);
    let listing = document(&outer, &part("inner.zip"));
    assert!(
        listing.markdown.contains("words.txt"),
        "{}",
        listing.markdown
    );
    assert_eq!(listing.kind, DocumentKind::ZIP);
    for name in [
        "in/inner.zip!/a/words.txt",
        "inner.zip!/words.txt",
        "p.gz!/words.txt",
        "in/inner.zip/a/words.txt",
        "inner.zip/words.txt",
    ] {
        assert_eq!(document(&outer, &part(name)).markdown, "Inside.", "{name}");
    }
    let deeper = zip(&[("o.zip", &outer)]);
    let name = "o.zip!/in/inner.zip!/t.csv";
    assert_eq!(document(&deeper, &part(name)).kind, DocumentKind::CSV);
    for name in [
        "inner.zip!/none",
        "x.txt!/y",
        "none!/words.txt",
        "none/words.txt",
        "x.txt/y",
        "in/y",
        "!/",
        "inner.zip!/",
    ] {
        let fault = read_document(&outer, &part(name)).expect_err("is not there");
        assert_eq!(fault.case(), Case::UnknownId, "{name}");
    }
    let mut deep = zip(&[("w.txt", b"words")]);
    for _ in 0..9 {
        deep = zip(&[("z", &deep)]);
    }
    let name = format!("{}w.txt", "z!/".repeat(9));
    let fault = read_document(&deep, &part(&name)).expect_err("is too deep");
    assert_eq!(fault.case(), Case::TooCostly);
}

/// The file as far as the directory at its end.
fn without_directory(archive: &[u8]) -> &[u8] {
    let at = archive.windows(4).position(|mark| mark == b"PK\x01\x02");
    &archive[..at.expect("it has a directory")]
}

#[test]
fn an_archive_that_was_cut_is_read_as_far_as_it_goes() {
    let long = "Words of a text that goes on. ".repeat(90);
    let whole = zip(&[("a.txt", b"First."), ("b.txt", long.as_bytes())]);
    let cut = without_directory(&whole);
    let cut = &cut[..cut.len() - 9];
    let listing = document(cut, &Hint::default());
    assert_eq!(names(&listing), ["a.txt", "b.txt"]);
    assert_eq!(listing.warnings, [Warning::Incomplete]);
    assert_eq!(document(cut, &part("a.txt")).markdown, "First.");
    let text = document(cut, &part("b.txt")).markdown;
    assert!(long.starts_with(&*text) && text.len() > 20, "{text}");
    for length in 0..whole.len() {
        let _ = read_document(&whole[..length], &part("b.txt"));
    }
}

/// Whose size was not known when it was begun, it stands behind the content.
#[test]
fn entries_with_their_size_behind_them_are_found_without_a_directory() {
    let entry = |name: &str, content: &[u8]| {
        let size = (content.len() as u32).to_le_bytes();
        [
            &b"PK\x03\x04\x14\0\x08\0"[..],
            &[0; 18],
            &(name.len() as u16).to_le_bytes(),
            &[0, 0],
            name.as_bytes(),
            content,
            b"PK\x07\x08....",
            &size,
            &size,
        ]
        .concat()
    };
    let bytes = [
        entry("a.txt", b"First PK\x07\x08 and on."),
        entry("b.txt", b"Second."),
    ]
    .concat();
    assert_eq!(
        names(&document(&bytes, &Hint::default())),
        ["a.txt", "b.txt"]
    );
    assert_eq!(document(&bytes, &part("b.txt")).markdown, "Second.");
}

#[test]
fn a_document_that_was_cut_is_no_other_document_and_no_archive() {
    let inner = docx("<w:p><w:r><w:t>Inside.</w:t></w:r></w:p>");
    let outer = zip(&[("inner.docx", &inner), ("other.txt", b"Outside.")]);
    let read = read_document(without_last_directory(&outer), &named("a.zip"));
    assert!(read.is_err_and(|fault| fault.case() == Case::BrokenDocument));
    let read = document(without_directory(&inner), &named("a.docx"));
    assert_eq!(
        (read.kind, &*read.markdown, &read.warnings[..]),
        (DocumentKind::DOCX, "Inside.", &[Warning::Incomplete][..])
    );
    let types = without_directory(&inner);
    let second = types
        .windows(4)
        .skip(1)
        .position(|mark| mark == b"PK\x03\x04");
    let types = &types[..1 + second.expect("it has several parts")];
    let fault = read_document(types, &named("a.docx")).expect_err("has no text");
    assert_eq!(fault.case(), Case::BrokenDocument);
}

/// The file as far as the directory that comes last, which is its own.
fn without_last_directory(archive: &[u8]) -> &[u8] {
    let at = archive.len() - 22;
    let start = archive[at + 16..at + 20].try_into().map(u32::from_le_bytes);
    &archive[..start.expect("four bytes") as usize]
}

#[test]
fn a_compressed_file_that_was_cut_is_read_as_far_as_it_goes() {
    let text: String = (0..9_000)
        .map(|number| format!("Line {number}.\n\n"))
        .collect();
    let whole = gzip(text.as_bytes());
    let read = document(&whole[..whole.len() / 2], &named("a.txt.gz"));
    assert!(read.markdown.starts_with("Line 0."), "{}", read.markdown);
    assert_eq!(read.warnings, [Warning::Incomplete]);
    let fault = read_document(&whole[..10], &named("a.txt.gz")).expect_err("has no text");
    assert_eq!(fault.case(), Case::BrokenDocument);
}

#[test]
fn a_sheet_of_a_workbook_in_an_archive_is_read_by_both_names() {
    let sheet = |name: &str| {
        format!(
            "<table:table table:name=\"{name}\"><table:table-row><table:table-cell><text:p>in {name}</text:p>\
             </table:table-cell></table:table-row></table:table>"
        )
    };
    let content = format!(
        "<d><office:body><office:spreadsheet>{}{}</office:spreadsheet></office:body></d>",
        sheet("Q1"),
        sheet("Q 2")
    );
    let workbook = zip(&[
        (
            "mimetype",
            b"application/vnd.oasis.opendocument.spreadsheet",
        ),
        ("content.xml", content.as_bytes()),
    ]);
    let inner = zip(&[("in/book.ods", &workbook), ("x.txt", b"Outside.")]);
    let outer = zip(&[("inner.zip", &inner)]);
    for name in ["inner.zip/in/book.ods/Q 2", "inner.zip!/book.ods!/q 2"] {
        let read = document(&outer, &part(name));
        assert_eq!(read.markdown, "## Q 2\n\nin Q 2", "{name}");
    }
    for name in ["inner.zip/book.ods/Q3", "inner.zip/x.txt/Q1"] {
        let fault = read_document(&outer, &part(name)).expect_err("is not there");
        assert_eq!(fault.case(), Case::UnknownId, "{name}");
    }
}

#[test]
fn an_attachment_of_a_message_in_an_archive_is_named_as_the_listing_says() {
    let mail = b"From: Ada <a@a.example>\nSubject: x\nMIME-Version: 1.0\n\
        Content-Type: multipart/mixed; boundary=i\n\n--i\nContent-Type: text/plain\n\nWords\n\
        --i\nContent-Disposition: attachment; filename=data.csv\n\na,b\n1,2\n--i--\n";
    let archive = zip(&[("in/m.eml", mail), ("x.txt", b"Outside.")]);
    let listing = document(&archive, &Hint::default()).markdown;
    assert!(listing.contains("`in/m.eml/NAME`"), "{listing}");
    for name in ["in/m.eml/data.csv", "m.eml/data.csv", "m.eml!/data.csv"] {
        let read = document(&archive, &part(name));
        assert_eq!(read.kind, DocumentKind::CSV, "{name}");
    }
    let fault = read_document(&archive, &part("data.csv")).expect_err("is inside");
    assert!(
        fault.sentence().as_str().contains("mail.eml/report.pdf"),
        "{fault}"
    );
    let plain = document(&zip(&[("x.txt", b"Outside.")]), &Hint::default());
    assert!(!plain.markdown.contains("NAME"), "{}", plain.markdown);
}

#[test]
fn a_name_in_an_archive_stays_on_one_line() {
    let odd = "a\n\n# Heading\u{1B}[1m.txt";
    for bytes in [zip(&[(odd, b"Words.")]), tar(&[(odd, b"Words.")])] {
        let list = document(&bytes, &Hint::default());
        assert_eq!(names(&list), ["a # Heading [1m.txt"]);
        assert!(list.markdown.contains("| a # Heading [1m.txt | 6 |"));
        let read = document(&bytes, &part("a # Heading [1m.txt"));
        assert_eq!(read.markdown, "Words.");
        assert_eq!(read.title.as_deref(), Some("a # Heading [1m.txt"));
    }
}

/// An archive of one stored file, with its numbers where ZIP64 has them.
fn zip64(name: &str, content: &[u8]) -> Vec<u8> {
    let size = content.len() as u64;
    let mut bytes = b"PK\x03\x04\x2D\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec();
    bytes.extend([0xFF; 8]);
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend(name.as_bytes());
    bytes.extend(content);
    let directory = bytes.len();
    bytes.extend(b"PK\x01\x02\x2D\0\x2D\0\0\0\0\0\0\0\0\0\0\0\0\0");
    bytes.extend([0xFF; 8]);
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend(28_u16.to_le_bytes());
    bytes.extend([0; 10]);
    bytes.extend([0xFF; 4]);
    bytes.extend(name.as_bytes());
    bytes.extend(b"\x01\0\x18\0");
    for number in [size, size, 0] {
        bytes.extend(number.to_le_bytes());
    }
    let record = bytes.len();
    bytes.extend(b"PK\x06\x06");
    bytes.extend(44_u64.to_le_bytes());
    bytes.extend([0; 12]);
    for number in [1, 1, (record - directory) as u64, directory as u64] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend((record as u64).to_le_bytes());
    bytes.extend([1, 0, 0, 0]);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([0xFF; 12]);
    bytes.extend([0, 0]);
    bytes
}

#[test]
fn archives_with_large_numbers_are_read() {
    let bytes = zip64("a.txt", b"Some words.");
    assert_eq!(names(&document(&bytes, &Hint::default())), ["a.txt"]);
    assert_eq!(document(&bytes, &part("a.txt")).markdown, "Some words.");
    for at in 0..bytes.len() {
        for value in [0, 0x7F, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            let _ = read_document(&damaged, &part("a.txt"));
        }
    }
}
