//! Books and OpenDocument files that are one XML file.

use reading::document::{Document, DocumentKind, Hint, Warning, read_document};

fn named(name: &str) -> Hint {
    Hint {
        file_name: Some(name.to_owned()),
        ..Hint::default()
    }
}

fn read(bytes: &[u8], name: &str) -> Document {
    read_document(bytes, &named(name)).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

/// Every beginning of the file is read or refused, and nothing panics.
fn cut_everywhere(bytes: &[u8], name: &str) {
    for length in (0..bytes.len()).step_by(7) {
        let _ = read_document(&bytes[..length], &named(name));
    }
}

const BOOK: &str = r##"<?xml version="1.0" encoding="windows-1251"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">
<description><title-info><author><first-name>Ada</first-name><last-name>Byron</last-name></author>
<author><nickname>Bo</nickname></author><book-title>The Harbour</book-title><annotation><p>About lights.</p></annotation>
<lang>ru</lang><date>1843</date></title-info></description>
<body><title><p>The Harbour</p><p>A tale</p></title><epigraph><p>Look out.</p><text-author>Anon</text-author></epigraph>
<section><title><p>One</p></title><p>The lights are <strong>green</strong><a l:href="#n1" type="note">1</a>, see
<a l:href="https://a.example/">there</a>.</p><image l:href="#i.png" alt="A boat"/><empty-line/>
<poem><stanza><v>First verse</v><v>Second verse</v></stanza></poem>
<section><title><p>Inner</p></title><subtitle>Later</subtitle><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></section></section>
<section><p>DOBRO</p></section></body>
<body name="notes"><section id="n1"><title><p>1</p></title><p>At night.</p></section></body>
<binary id="i.png" content-type="image/png">aGVsbG8gd29ybGQ=</binary></FictionBook>"##;

#[test]
fn a_fiction_book_is_read() {
    let mut bytes = BOOK.as_bytes().to_vec();
    let at = BOOK.find("DOBRO").expect("is there");
    bytes.splice(at..at + 5, *b"\xC4\xEE\xE1\xF0\xEE");
    for name in ["a.fb2", "a.xml", "a"] {
        let book = read(&bytes, name);
        assert_eq!(book.kind, DocumentKind::FB2);
        assert_eq!(
            book.markdown,
            "About lights.\n\n# The Harbour / A tale\n\n> Look out.\n> \n> Anon\n\n## One\n\n\
             The lights are **green**[^n1], see [there](https://a.example/).\n\n![A boat]\n\n\
             First verse  \nSecond verse\n\n### Inner\n\n#### Later\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n\
             Добро\n\n[^n1]: At night."
        );
        assert_eq!(book.title.as_deref(), Some("The Harbour"));
        assert_eq!(book.author.as_deref(), Some("Ada Byron, Bo"));
        assert_eq!(book.language.as_deref(), Some("ru"));
        assert_eq!((book.pages, book.parts.len()), (Some(2), 2));
        assert_eq!(book.parts[0].name.as_deref(), Some("One"));
        assert_eq!(book.warnings, [], "{name}");
    }
    cut_everywhere(&bytes, "a.fb2");
    let cut = read(&bytes[..at], "a.fb2");
    assert_eq!(cut.warnings, [Warning::Incomplete]);
    let deep = format!(
        "<FictionBook><body>{}<p>x</p></body></FictionBook>",
        "<section>".repeat(50_000)
    );
    let _ = read_document(deep.as_bytes(), &named("a.fb2"));
}

#[test]
fn a_page_about_the_format_is_no_book() {
    let page = b"<!DOCTYPE html><html><body><p>The root is &lt;FictionBook&gt;: <code><FictionBook></code></p></body></html>";
    assert_eq!(read(page, "a.html").kind, DocumentKind::HTML);
    let feed = b"<?xml version='1.0'?><notes><note>office:document</note></notes>";
    assert_eq!(read(feed, "a.xml").kind, DocumentKind::XML);
}

fn flat(body: &str) -> Vec<u8> {
    let spaces = (0..40).map(|number| format!(" xmlns:n{number}=\"urn:example:{number}\""));
    format!(
        "<?xml version=\"1.0\"?>\n<office:document{} office:mimetype=\"x\"><office:meta><dc:title>Flat</dc:title></office:meta><office:automatic-styles/><office:body>{body}</office:body></office:document>",
        spaces.collect::<String>()
    )
    .into_bytes()
}

#[test]
fn flat_opendocument_files_are_read_like_packages() {
    for (body, name, kind, text) in [
        (
            "<office:text><text:h text:outline-level='2'>Head</text:h><text:p>Words <draw:frame><draw:image><office:binary-data>aGVsbG8=</office:binary-data></draw:image></draw:frame>here.</text:p></office:text>",
            "a.fodt",
            DocumentKind::ODT,
            "## Head\n\nWords here.",
        ),
        (
            "<office:spreadsheet><table:table table:name='Q1'><table:table-row><table:table-cell office:value-type='float' office:value='1.5'><text:p>1.5</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>",
            "a.fods",
            DocumentKind::ODS,
            "## Q1\n\n| 1.5 | b |\n| --- | --- |",
        ),
        (
            "<office:presentation><draw:page draw:name='p1'><draw:frame><draw:text-box><text:p>Slide words</text:p></draw:text-box></draw:frame></draw:page></office:presentation>",
            "a.fodp",
            DocumentKind::ODP,
            "Slide words",
        ),
    ] {
        let bytes = flat(body);
        for name in [name, "a.xml"] {
            let document = read(&bytes, name);
            assert_eq!(document.kind, kind);
            assert!(document.markdown.ends_with(text), "{}", document.markdown);
            assert_eq!(document.title.as_deref(), Some("Flat"));
            assert_eq!(document.warnings, [], "{name}");
        }
        cut_everywhere(&bytes, name);
    }
    assert!(read_document(b"<office:document ></office:document>", &named("a.fodt")).is_err());
}
