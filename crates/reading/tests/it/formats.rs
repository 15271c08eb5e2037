//! Archives, messages, pictures, and what is said of formats that are not read.

use fault::{Action, Case};
use reading::document::{Document, DocumentKind, Hint, Unit, Warning, read_document};
use testkit::documents::{compound, docx, gzip, tar, zip};

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
        assert_eq!(fault.case(), Case::InvalidArgument);
    }
    assert_eq!(
        document(&gzip(b"a,b\n1,2"), &named("t.csv.gz")).kind,
        DocumentKind::CSV
    );
}

#[test]
fn archives_in_archives_end() {
    let mut nested = gzip(b"words");
    for _ in 0..20 {
        nested = gzip(&nested);
    }
    let fault = read_document(&nested, &Hint::default()).expect_err("is too deep");
    assert_eq!(fault.case(), Case::UnsupportedType);
    let blanks = gzip(&vec![b' '; 70_000_000]);
    let fault = read_document(&blanks, &Hint::default()).expect_err("is a bomb");
    assert_eq!(fault.case(), Case::TooCostly);
}

const MESSAGE: &str = "From: =?utf-8?Q?Ad=C3=A9?= <ada@a.example>\r\nTo: Bo <bo@b.example>, c@c.example\r\nSubject: The plan\r\n\
    Date: Thu, 1 Jan 2026 10:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n\
    --x\r\nContent-Type: multipart/alternative; boundary=y\r\n\r\n--y\r\nContent-Type: text/plain\r\n\r\nFirst, then second.\r\n\
    --y\r\nContent-Type: text/html\r\n\r\n<p>See <a href=\"https://a.example/\">this</a>:</p><ol><li>First</li><li>Second</li></ol>\r\n--y--\r\n\
    --x\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=\"t.csv\"\r\nContent-Transfer-Encoding: base64\r\n\r\nYSxiCjEsMgo=\r\n--x--\r\n";

#[test]
fn a_message_has_its_people_its_text_and_its_attachments() {
    let read = document(MESSAGE.as_bytes(), &Hint::default());
    assert_eq!(
        read.markdown,
        "# The plan\n\n- From: Adé <ada@a.example>\n- To: Bo <bo@b.example>, c@c.example\n- Date: 2026-01-01T10:00:00+01:00\n\n\
         See [this](https://a.example/):\n\n1. First\n2. Second\n\n## Attachments\n\n\
         | file | type | bytes |\n| --- | --- | --- |\n| t.csv | text/csv | 8 |"
    );
    assert_eq!(
        (read.kind, read.title.as_deref(), read.author.as_deref()),
        (
            DocumentKind::EML,
            Some("The plan"),
            Some("Adé <ada@a.example>")
        )
    );
    assert_eq!(read.parts[0].unit, Unit::Attachment);
    let table = document(MESSAGE.as_bytes(), &part("t.csv"));
    assert_eq!(table.markdown, "| a | b |\n| --- | --- |\n| 1 | 2 |");
    let mailbox = format!(
        "From ada Thu Jan  1 10:00:00 2026\n{MESSAGE}\nFrom bo Thu Jan  1 10:00:00 2026\n{MESSAGE}"
    );
    let read = document(mailbox.replace("\r\n", "\n").as_bytes(), &Hint::default());
    assert_eq!((read.kind, read.pages), (DocumentKind::MBOX, Some(2)));
    assert_eq!(read.markdown.matches("## The plan").count(), 2);
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A message of Outlook with these streams and an attachment.
fn outlook(body: (&str, &[u8])) -> Vec<u8> {
    let mut properties = vec![0; 32];
    // Submitted on 2026-01-01 at 09:00 UTC.
    let ticks: u64 = (1_767_258_000 + 11_644_473_600) * 10_000_000;
    properties.extend([0x40, 0, 0x39, 0, 6, 0, 0, 0]);
    properties.extend(ticks.to_le_bytes());
    compound(&[
        ("__properties_version1.0", &properties),
        ("__substg1.0_0037001F", &wide("Das Wetter")),
        ("__substg1.0_0C1A001F", &wide("Adé")),
        ("__substg1.0_5D01001F", &wide("ada@a.example")),
        (body.0, body.1),
        (
            "__recip_version1.0_#00000000/__substg1.0_3001001F",
            &wide("Bo"),
        ),
        (
            "__recip_version1.0_#00000000/__substg1.0_39FE001F",
            &wide("bo@b.example"),
        ),
        (
            "__attach_version1.0_#00000000/__substg1.0_3707001F",
            &wide("note.txt"),
        ),
        (
            "__attach_version1.0_#00000000/__substg1.0_37010102",
            b"A note.",
        ),
    ])
}

#[test]
fn a_message_of_outlook_is_read_from_its_properties() {
    let head = "# Das Wetter\n\n- From: Adé <ada@a.example>\n- To: Bo <bo@b.example>\n- Date: 2026-01-01T09:00:00Z\n\n";
    let tail =
        "\n\n## Attachments\n\n| file | type | bytes |\n| --- | --- | --- |\n| note.txt |  | 7 |";
    for (body, text) in [
        (
            ("__substg1.0_1000001F", wide("Rain.\r\nSun.")),
            "Rain.\nSun.",
        ),
        (("__substg1.0_1000001E", b"Caf\xE9".to_vec()), "Café"),
        (
            ("__substg1.0_10130102", b"<p>A <b>storm</b></p>".to_vec()),
            "A **storm**",
        ),
        (
            (
                "__substg1.0_10090102",
                b"\0\0\0\0\0\0\0\0MELA\0\0\0\0{\\rtf1 Hail\\par}".to_vec(),
            ),
            "Hail",
        ),
    ] {
        let bytes = outlook((body.0, &body.1));
        let read = document(&bytes, &Hint::default());
        assert_eq!(read.markdown, format!("{head}{text}{tail}"));
        assert_eq!(read.kind, DocumentKind::MSG);
        assert_eq!(document(&bytes, &part("note.txt")).markdown, "A note.");
    }
}

#[test]
fn a_damaged_message_of_outlook_is_read_or_refused() {
    let whole = outlook(("__substg1.0_1000001F", &wide("Rain.")));
    for length in (0..whole.len()).step_by(97) {
        let _ = read_document(&whole[..length], &named("a.msg"));
    }
    for at in (0..whole.len()).step_by(13) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xFF;
        let _ = read_document(&damaged, &named("a.msg"));
    }
}

/// A PNG of that size with a text, as far as it is read.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend(b"\x08\x02\0\0\0....");
    bytes.extend(b"\0\0\0\x0BtEXtTitle\0A cat....");
    bytes.extend(b"\0\0\0\0IEND....");
    bytes
}

#[test]
fn a_picture_is_described_and_the_warning_says_that_it_is_not_looked_at() {
    let read = document(&png(640, 480), &Hint::default());
    assert_eq!(
        read.markdown,
        "PNG image, 640 × 480 pixels.\n\n- Title: A cat"
    );
    assert_eq!(
        (read.title.as_deref(), read.warnings.as_slice()),
        (Some("A cat"), [Warning::PictureNotRead].as_slice())
    );
    let fault = read_document(b"\x89PNG\r\n\x1A\n", &named("a.png")).expect_err("is cut");
    assert_eq!(fault.case(), Case::BrokenDocument);
}

#[test]
fn each_format_that_is_not_read_says_what_would_read_it() {
    let iwork = zip(&[("Index/Document.iwa", b"x")]);
    for (bytes, name, says) in [
        (compound(&[("VisioDocument", b"x")]), "a.vsd", "Visio"),
        (
            compound(&[("Quill/QuillSub/CONTENTS", b"x")]),
            "a.pub",
            "Publisher",
        ),
        (compound(&[("BodyText/Section0", b"x")]), "a.hwp", "Hangul"),
        (
            b"HWP Document File V3.00 \x1A\x01".to_vec(),
            "a.hwp",
            "Hangul",
        ),
        (compound(&[("Else", b"x")]), "Thumbs.db", "compound file"),
        (iwork, "a.pages", "iCloud"),
        (b"AT&TFORM\0\0\0\0DJVM".to_vec(), "a.djvu", "djvutxt"),
        (b"ITSF\x03\0\0\0".to_vec(), "a.chm", "7-Zip"),
        (b"%!PS-Adobe-3.0\n".to_vec(), "a.ps", "ps2pdf"),
        (b"SQLite format 3\0".to_vec(), "a.db", "CSV"),
        (b"OggS\0\x02".to_vec(), "a.ogg", "transcript"),
        (b"Rar!\x1A\x07\x01\0".to_vec(), "a.rar", "Unpack"),
    ] {
        let fault = read_document(&bytes, &named(name)).expect_err("is not read");
        assert_eq!(fault.case(), Case::UnsupportedType, "{name}");
        let sentence = fault.sentence();
        assert!(sentence.as_str().contains(says), "{name}: {sentence}");
        assert!(
            !sentence.as_str().contains("before 2007"),
            "{name}: {sentence}"
        );
    }
}

#[test]
fn what_is_said_of_a_document_names_no_site_and_does_not_contradict_itself() {
    for bytes in [&b"%PDF-1.7\nnothing else"[..], b"", b"\x89PNG\r\n\x1A\n"] {
        let fault = read_document(bytes, &named("a.txt")).expect_err("is not read");
        assert!(!fault.sentence().as_str().contains("the site"), "{fault}");
        assert_eq!(fault.action(), Action::InformUser, "{fault}");
    }
}
