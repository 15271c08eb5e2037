//! Pictures, notebooks, subtitles, markups, signed and saved files, and what is said of
//! formats that are not read.

use fault::{Action, Case};
use reading::document::{Document, DocumentKind, Hint, Warning, read_document};
use testkit::documents::{compound, signed, zip};

fn named(name: &str) -> Hint {
    Hint {
        file_name: Some(name.to_owned()),
        ..Hint::default()
    }
}

fn document(bytes: &[u8], hint: &Hint) -> Document {
    read_document(bytes, hint).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
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

/// Some programs do not say that there is no further directory after the last one.
#[test]
fn exif_that_ends_early_is_read_as_far_as_it_goes() {
    let entry = |tag: u16, kind: u16, count: u32, value: u32| {
        let numbers = [tag.to_be_bytes(), kind.to_be_bytes()].concat();
        [
            numbers,
            count.to_be_bytes().into(),
            value.to_be_bytes().into(),
        ]
        .concat()
    };
    let exif = [
        b"MM\0*\0\0\0\x08\0\x02".to_vec(),
        entry(0x010E, 2, 5, 38),
        entry(0x8769, 4, 1, 44),
        vec![0; 4],
        b"Boat\0\0".to_vec(),
        b"\0\x01".to_vec(),
        entry(0x9003, 2, 4, 0x3230_3000),
    ];
    let exif = exif.concat();
    let mut bytes = png(640, 480);
    bytes.truncate(bytes.len() - b"\0\0\0\0IEND....".len());
    bytes.extend((exif.len() as u32).to_be_bytes());
    bytes.extend([&b"eXIf"[..], &exif, b"....\0\0\0\0IEND...."].concat());
    let read = document(&bytes, &Hint::default());
    assert_eq!(
        (read.title.as_deref(), read.date.as_deref()),
        (Some("Boat"), Some("200"))
    );
    assert!(
        read.markdown.contains("- Description: Boat"),
        "{}",
        read.markdown
    );
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
fn a_picture_that_cannot_be_decoded_says_so_and_is_not_given_to_ocr() {
    let jpeg_xl = [&b"\xFF\x0A\x41"[..], &[0; 30]].concat();
    let read = document(&jpeg_xl, &named("a.jxl"));
    assert!(read.markdown.contains("8 × 8"), "{}", read.markdown);
    assert_eq!(
        (&read.scans[..], &read.warnings[..]),
        (&[][..], &[Warning::PictureNotDecoded][..])
    );
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
        (b"\x01\0\x09\0\0\x03\x12\0".to_vec(), "a.wmf", "metafile"),
        (
            [&b"\x01\0\0\0\x6C\0\0\0"[..], &[0; 32], b" EMF\0\0\x01\0"].concat(),
            "a.emf",
            "metafile",
        ),
        (b"\0\0\x02\0\x06\x04\x06\0\x08\0".to_vec(), "a.wk1", "Lotus"),
        (
            compound(&[("NativeContent_MAIN", b"x")]),
            "a.qpw",
            "Quattro",
        ),
        (
            b"\x1B\x13\0\0\xA4\xB0\xB2\xEA\x81\x47".to_vec(),
            "a.txt.br",
            "Brotli",
        ),
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
        (b"\xDB\xA5\x2D\0\x78\x40".to_vec(), "a.doc", "1993"),
        (b"\xFE\x37\0\x1C\0\0".to_vec(), "a.doc", "1993"),
        (b"\x31\xBE\0\0\0\xAB\0\0".to_vec(), "a.wri", "Write"),
        (b"\x7FELF\x02\x01\x01\0".to_vec(), "a", "program"),
        (b"SQLite format 3\0".to_vec(), "a.db", "CSV"),
        (b"OggS\0\x02".to_vec(), "a.ogg", "transcript"),
        (b"Rar!\x1A\x07\x01\0".to_vec(), "a.rar", "Unpack"),
    ] {
        let fault = read_document(&bytes, &named(name)).expect_err("is not read");
        assert_eq!(fault.case(), Case::UnsupportedType, "{name}");
        let sentence = fault.sentence();
        assert!(sentence.as_str().contains(says), "{name}: {sentence}");
        let refusals = sentence.as_str().matches("Do not retry").count();
        assert_eq!(refusals, 1, "{name}: {sentence}");
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

#[test]
fn a_notebook_has_its_text_its_code_and_what_it_printed() {
    let notebook = r##"{"cells":[{"cell_type":"markdown","source":["# Study\n","Words."]},
        {"cell_type":"code","source":"print(1)","outputs":[{"output_type":"stream","text":["1\n"]},
          {"output_type":"display_data","data":{"text/html":["<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"],"text/plain":"x"}},
          {"output_type":"display_data","data":{"image/png":"aGk=","text/plain":"<Figure>"}},
          {"output_type":"error","ename":"ValueError","evalue":"no"}]},
        {"cell_type":"code","source":[],"outputs":[]}],
        "metadata":{"language_info":{"name":"python"},"authors":[{"name":"Ada"},"Bo"]},"nbformat":4,"nbformat_minor":5}"##;
    let read = document(notebook.as_bytes(), &named("a.ipynb"));
    assert_eq!(
        read.markdown,
        "# Study\nWords.\n\n```python\nprint(1)\n```\n\n```\n1\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n\
         ![output: <Figure>]\n\n```\nValueError: no\n```"
    );
    assert_eq!(
        (read.kind, read.title.as_deref(), read.author.as_deref()),
        (DocumentKind::NOTEBOOK, Some("Study"), Some("Ada, Bo"))
    );
    let broken = document(&notebook.as_bytes()[..300], &named("a.ipynb"));
    assert_eq!(broken.kind, DocumentKind::JSON);
}

#[test]
fn subtitles_are_lines_with_their_times() {
    let srt = b"1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Hello</i>\r\nthere\r\n\r\n2\r\n00:01:05,500 --> 00:01:06,000\r\nBye\r\n";
    let read = document(srt, &Hint::default());
    assert_eq!(
        (read.kind, &*read.markdown),
        (DocumentKind::SRT, "[00:00:01] Hello there\n[00:01:05] Bye")
    );
    let gaps = "1\n00:00:01,000 --> 00:00:02,000\n\nIn\n\n1999\n2\n00:00:03,000 --> 00:00:04,000\nBye\n3\n00:00:05,000 --> 00:00:06,000\n\n42\n";
    assert_eq!(
        document(gaps.as_bytes(), &named("a.srt")).markdown,
        "[00:00:01] In 1999\n[00:00:03] Bye\n[00:00:05] 42"
    );
    let years =
        "00:00:01,000 --> 00:00:02,000\nBorn in\n1999\n\n00:00:03,000 --> 00:00:04,000\nDied\n";
    assert_eq!(
        document(years.as_bytes(), &named("a.srt")).markdown,
        "[00:00:01] Born in 1999\n[00:00:03] Died"
    );
    let gaps = "WEBVTT\n\n\n00:01.000 --> 00:02.000\n\nOne\n\ntwo\n\nNOTE hidden\n\nintro\n00:03.000 --> 00:04.000\n\nThree\n\nlast\n00:05.000 --> 00:06.000\nFour\n";
    assert_eq!(
        document(gaps.as_bytes(), &named("a.vtt")).markdown,
        "[00:00:01] One two\n[00:00:03] Three\n[00:00:05] Four"
    );
    let vtt = b"WEBVTT - talk\n\nNOTE hidden\n\n00:01.000 --> 00:02.000 align:start\n<v Ada>One\n\n00:02.000 --> 00:03.000\n<v Ada>One\nTwo\n";
    let with_returns = String::from_utf8_lossy(vtt).replace('\n', "\r") + "\n";
    for vtt in [&vtt[..], with_returns.as_bytes()] {
        let read = document(vtt, &Hint::default());
        assert_eq!(
            (read.kind, &*read.markdown),
            (DocumentKind::VTT, "[00:00:01] Ada: One\n[00:00:02] Two")
        );
    }
}

#[test]
fn latex_restructuredtext_and_asciidoc_become_markdown() {
    let latex = "\\documentclass{article}\n\\title{A \\emph{paper}}\n\\author{Ada \\and Bo}\n\\begin{document}\n\\maketitle\n\\section{One}\nWords.\n\\end{document}\nno";
    let read = document(latex.as_bytes(), &named("a.tex"));
    assert_eq!(read.markdown, "# A *paper*\n\n## One\n\nWords.");
    assert_eq!(
        (read.title.as_deref(), read.author.as_deref()),
        (Some("A *paper*"), Some("Ada, Bo"))
    );
    let read = document(b"Title\n=====\n\nWords.\n", &named("a.rst"));
    assert_eq!(
        (read.title.as_deref(), &*read.markdown),
        (Some("Title"), "# Title\n\nWords.")
    );
    let read = document(b"= Title\n:author: Ada\n\nWords.\n", &named("a.adoc"));
    assert_eq!(
        (read.title.as_deref(), read.author.as_deref()),
        (Some("Title"), Some("Ada"))
    );
}

#[test]
fn text_that_only_mentions_a_format_is_shown_as_it_is() {
    let json = br#"{"note": "has \"nbformat\" and", "inner": {"nbformat": 4, "cells": []}}"#;
    for name in ["a.json", "a.ipynb"] {
        let read = document(json, &named(name));
        assert_eq!((read.kind, &*read.warnings), (DocumentKind::JSON, &[][..]));
        assert!(read.markdown.contains("inner"), "{}", read.markdown);
    }
    for (name, text) in [
        (
            "a.ics",
            "BEGIN:VCALENDAR is how calendars begin.\nMore words.",
        ),
        ("a.vcf", "BEGIN:VCARDs\nMore words."),
    ] {
        let read = document(text.as_bytes(), &named(name));
        assert_eq!(read.markdown, text);
        assert_eq!(read.warnings, [Warning::Malformed]);
    }
    let report = "FWS (Fish and Wildlife Service) report";
    assert_eq!(
        document(report.as_bytes(), &named("a.txt")).markdown,
        report
    );
    let about = "WEBVTT is a format";
    assert_eq!(document(about.as_bytes(), &Hint::default()).markdown, about);
}

#[test]
fn noise_is_no_document_of_a_text_format() {
    let noise: Vec<u8> = (0..4_096_u32)
        .map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    for name in ["a.ipynb", "a.rtf", "a.ics", "a.eml", "a.vtt"] {
        let fault = read_document(&noise, &named(name)).expect_err(name);
        assert_eq!(fault.case(), Case::UnsupportedType, "{name}");
    }
}

#[test]
fn a_signed_file_is_its_content() {
    let octets = |tag: u8, content: &[u8]| [&[tag, content.len() as u8], content].concat();
    let family = b"\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07";
    let read = document(&signed(b"<a>words</a>"), &named("invoice.xml.p7m"));
    assert_eq!(
        (read.kind, read.warnings.as_slice()),
        (DocumentKind::XML, [Warning::SignatureNotChecked].as_slice())
    );
    assert!(read.markdown.contains("words"), "{}", read.markdown);
    let sealed = octets(0x30, &[&family[..], &[3], b"\xA0\0"].concat());
    let fault = read_document(&sealed, &named("a.p7m")).expect_err("is sealed");
    assert_eq!(fault.case(), Case::BrokenDocument);
    assert!(fault.sentence().as_str().contains("encrypted"), "{fault}");
}

/// A binary property list of a page that Safari saved.
fn webarchive(html: &[u8]) -> Vec<u8> {
    let text = |words: &str| [&[0x5F, 0x10, words.len() as u8], words.as_bytes()].concat();
    let objects = [
        b"\xD1\x01\x02".to_vec(),
        text("WebMainResource"),
        b"\xD1\x03\x04".to_vec(),
        text("WebResourceData"),
        [&[0x4F, 0x10, html.len() as u8], html].concat(),
    ];
    let mut bytes = b"bplist00".to_vec();
    let mut offsets = Vec::new();
    for object in &objects {
        offsets.push(bytes.len() as u8);
        bytes.extend(object);
    }
    let table = bytes.len() as u64;
    bytes.extend(&offsets);
    bytes.extend([0, 0, 0, 0, 0, 0, 1, 1]);
    bytes.extend((objects.len() as u64).to_be_bytes());
    bytes.extend(0_u64.to_be_bytes());
    bytes.extend(table.to_be_bytes());
    bytes
}

#[test]
fn a_page_that_safari_saved_is_its_html() {
    let bytes = webarchive(b"<html><body><h1>One</h1><p>Saved words.</p></body></html>");
    let read = document(&bytes, &named("a.webarchive"));
    assert_eq!(read.kind, DocumentKind::HTML);
    assert!(read.markdown.contains("Saved words."), "{}", read.markdown);
    for length in 9..bytes.len() {
        assert!(read_document(&bytes[..length], &named("a.webarchive")).is_err());
    }
    for at in 8..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] = 0xFF;
        let _ = read_document(&damaged, &Hint::default());
    }
}

#[test]
fn a_feed_with_only_links_rights_or_contributors_has_text() {
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><rights>All &amp; mine</rights><link href='https://a.example/'/>\
        <entry><link href='https://a.example/1'/><contributor><name>Bo</name><uri>https://b.example/</uri></contributor></entry>\
        <entry><updated>2026-01-31</updated><title type='html'>A &lt;b>bold&lt;/b> title</title><category term='news'/></entry></feed>";
    let read = document(atom.as_bytes(), &Hint::default());
    assert_eq!(
        read.markdown,
        "- rights: All & mine\n- link: https://a.example/\n\n## <https://a.example/1>\n\n- contributor: Bo, https://b.example/\n\n\
         ## A bold title\n\n2026-01-31\n\n- category: news"
    );
    let facts = "<?xml version='1.0'?><rdf:RDF xmlns:rdf='x'><rdf:Description about='y'><dc:title>Z</dc:title></rdf:Description></rdf:RDF>";
    let read = document(facts.as_bytes(), &Hint::default());
    assert!(
        read.kind == DocumentKind::XML && read.markdown.contains('Z'),
        "{read:?}"
    );
}

#[test]
fn tables_in_the_charsets_of_dos_and_of_the_mac_are_read() {
    let dos = b"Pr\x82nom;\xB6ge\nH\x82l\x8Ane;30\nJos\x82;40\n";
    let mac = b"Pr\x8Enom;\xE5ge\nH\x8El\x8Fne;30\nJos\x8E;40\n";
    for table in [&dos[..], mac] {
        let read = document(table, &named("a.csv"));
        assert_eq!(
            read.markdown,
            "| Prénom | Âge |\n| --- | --- |\n| Hélène | 30 |\n| José | 40 |"
        );
        assert!(document(table, &named("a.txt")).markdown.contains("Hélène"));
    }
}

/// A file of OpenOffice 1.
fn staroffice(class: &str, body: &str) -> Vec<u8> {
    let program = match class {
        "spreadsheet" => "calc",
        "presentation" => "impress",
        _ => "writer",
    };
    let manifest =
        format!("<manifest><entry media-type=\"application/vnd.sun.xml.{program}\"/></manifest>");
    let content = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE office:document-content PUBLIC \"x\" \"office.dtd\">\
         <office:document-content office:class=\"{class}\"><office:automatic-styles>\
         <style:style style:name=\"T1\" style:family=\"text\"><style:properties fo:font-weight=\"bold\"/></style:style>\
         <style:style style:name=\"ta\" style:family=\"table\"><style:properties table:display=\"false\"/></style:style>\
         </office:automatic-styles><office:body>{body}</office:body></office:document-content>"
    );
    let meta = "<office:document-meta><office:meta><dc:title>The title</dc:title></office:meta></office:document-meta>";
    zip(&[
        ("content.xml", content.as_bytes()),
        ("meta.xml", meta.as_bytes()),
        ("META-INF/manifest.xml", manifest.as_bytes()),
    ])
}

#[test]
fn documents_of_openoffice_1_are_read_as_those_of_today() {
    let text = staroffice(
        "text",
        "<text:h text:level=\"2\">Heading</text:h><text:p>Some <text:span text:style-name=\"T1\">bold</text:span> words\
         <text:footnote><text:footnote-citation>1</text:footnote-citation><text:footnote-body><text:p>The note.</text:p></text:footnote-body></text:footnote>.</text:p>\
         <text:unordered-list><text:list-item><text:p>Item</text:p></text:list-item></text:unordered-list>\
         <text:p><draw:text-box><text:p>In a box</text:p></draw:text-box></text:p>",
    );
    let read = document(&text, &named("a.sxw"));
    assert_eq!(
        (read.kind, read.title.as_deref(), &read.warnings[..]),
        (DocumentKind::ODT, Some("The title"), &[][..])
    );
    assert_eq!(
        read.markdown,
        "## Heading\n\nSome **bold** words[^1].\n\n- Item\n\nIn a box\n\n[^1]: The note."
    );
    let sheet = staroffice(
        "spreadsheet",
        "<table:table table:name=\"One\"><table:table-row><table:table-cell table:value-type=\"float\" table:value=\"1.5\"><text:p>1.50</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>\
         <table:table table:name=\"Two\" table:style-name=\"ta\"><table:table-row><table:table-cell><text:p>c</text:p></table:table-cell></table:table-row></table:table>",
    );
    let read = document(&sheet, &named("a.sxc"));
    assert_eq!(read.kind, DocumentKind::ODS);
    assert!(
        read.markdown.starts_with("## One\n\n| 1.50"),
        "{}",
        read.markdown
    );
    assert_eq!(read.warnings, [Warning::HiddenParts]);
    let slides = staroffice(
        "presentation",
        "<draw:page draw:name=\"p\"><draw:text-box presentation:class=\"title\"><text:p>Title</text:p></draw:text-box>\
         <draw:text-box><text:unordered-list><text:list-item><text:p>Point</text:p></text:list-item></text:unordered-list></draw:text-box></draw:page>",
    );
    let read = document(&slides, &named("a.sxi"));
    assert_eq!((read.kind, read.pages), (DocumentKind::ODP, Some(1)));
    assert!(
        read.markdown.contains("## Title\n\n- Point"),
        "{}",
        read.markdown
    );
    for length in 0..text.len() {
        let _ = read_document(&text[..length], &named("a.sxw"));
    }
}
