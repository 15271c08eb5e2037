//! Reads one document of every format.

use fault::Case;
use reading::document::{
    Document, DocumentKind, Hint, Limits, Warning, read_document, read_document_within,
};

use testkit::documents::{compound, docx, package, pdf, zip};

fn named(name: &str) -> Hint {
    Hint {
        file_name: Some(name.to_owned()),
        ..Hint::default()
    }
}

fn declared(media_type: &str) -> Hint {
    Hint {
        media_type: Some(media_type.to_owned()),
        ..Hint::default()
    }
}

fn document(bytes: &[u8], hint: &Hint) -> Document {
    read_document(bytes, hint).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

fn case(bytes: &[u8], hint: &Hint) -> Case {
    read_document(bytes, hint).expect_err("must fail").case()
}

#[test]
fn a_pdf_becomes_pages_headings_and_paragraphs() {
    let page = "BT /F1 24 Tf 50 740 Td (The title) Tj ET BT /F1 10 Tf 50 700 Td 12 TL (First line of a para-) Tj T* (graph that goes on.) Tj ET \
                BT /F1 10 Tf 50 640 Td (An) Tj [(oth) -20 (er) -300 (one.)] TJ ET";
    let read = document(
        &pdf(&[page, "BT /F1 10 Tf 50 700 Td (Page \\(two\\).) Tj ET"]),
        &Hint::default(),
    );
    assert_eq!(
        read.markdown,
        "<!-- page 1 -->\n\n# The title\n\nFirst line of a paragraph that goes on.\n\nAnother one.\n\n<!-- page 2 -->\n\nPage (two)."
    );
    assert_eq!(
        (read.kind, read.pages, read.language.as_deref()),
        (DocumentKind::PDF, Some(2), Some("en-GB"))
    );
    assert_eq!(read.parse_warning(), None);
}

#[test]
fn tables_links_and_columns_of_a_pdf_are_kept() {
    let simple = document(
        include_bytes!("../../../testkit/fixtures/simple.pdf"),
        &declared("application/pdf"),
    );
    assert_eq!(
        (simple.title.as_deref(), simple.author.as_deref()),
        (Some("A simple title"), Some("Ada Lovelace"))
    );
    for wanted in [
        "# Main heading",
        "difficult office of the chief",
        "- second item",
        "| apples | 3 | 1.20 |",
        "<https://a.example/x>",
        "<!-- page 2 -->",
    ] {
        assert!(
            simple.markdown.contains(wanted),
            "{wanted} is missing in:\n{}",
            simple.markdown
        );
    }
    let columns = document(
        include_bytes!("../../../testkit/fixtures/columns.pdf"),
        &Hint::default(),
    )
    .markdown;
    let places: Vec<usize> = [
        "Left paragraph 0",
        "Left paragraph 8",
        "Right paragraph 0",
        "Right paragraph 7",
    ]
    .map(|wanted| {
        columns
            .find(wanted)
            .unwrap_or_else(|| panic!("{wanted} is missing in:\n{columns}"))
    })
    .to_vec();
    assert!(places.is_sorted(), "{columns}");
    assert_eq!(
        columns.matches("in the difficult office").count(),
        17 * 3,
        "lines of two columns were mixed:\n{columns}"
    );
}

#[test]
fn a_pdf_with_ligatures_cyrillic_and_asian_fonts_is_read() {
    let text = document(
        include_bytes!("../../../testkit/fixtures/unicode.pdf"),
        &Hint::default(),
    )
    .markdown;
    for wanted in ["naïve café", "final flow", "Привет", "Sideways stamp"] {
        assert!(text.contains(wanted), "{wanted} is missing in:\n{text}");
    }
    let text = document(
        include_bytes!("../../../testkit/fixtures/cjk.pdf"),
        &Hint::default(),
    )
    .markdown;
    assert!(
        text.contains("日本語のテキスト") && text.contains("中文内容测试"),
        "{text}"
    );
}

#[test]
fn a_pdf_without_text_is_a_fault_that_says_why() {
    assert_eq!(
        case(
            include_bytes!("../../../testkit/fixtures/scan.pdf"),
            &Hint::default()
        ),
        Case::ImageOnlyPdf
    );
    assert_eq!(
        case(&pdf(&["0 0 m 10 10 l S"]), &Hint::default()),
        Case::Empty
    );
    assert_eq!(
        case(
            include_bytes!("../../../testkit/fixtures/locked.pdf"),
            &Hint::default()
        ),
        Case::BrokenDocument
    );
    assert_eq!(
        case(b"%PDF-1.7\nnothing else", &Hint::default()),
        Case::BrokenDocument
    );
    let fault = read_document(
        include_bytes!("../../../testkit/fixtures/locked.pdf"),
        &Hint::default(),
    )
    .expect_err("is locked");
    assert!(fault.sentence().as_str().contains("password"), "{fault}");
}

#[test]
fn a_docx_keeps_headings_lists_tables_links_and_notes() {
    let body = r#"
      <w:p><w:pPr><w:pStyle w:val="T"/></w:pPr><w:r><w:t>Report</w:t></w:r></w:p>
      <w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>Part</w:t></w:r></w:p>
      <w:p><w:r><w:t xml:space="preserve">Plain </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>bo</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>ld</w:t></w:r>
        <w:r><w:rPr><w:i w:val="0"/></w:rPr><w:t>, </w:t></w:r><w:hyperlink r:id="rId9"><w:r><w:t>a link</w:t></w:r></w:hyperlink>
        <w:r><w:footnoteReference w:id="2"/></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:ins><w:r><w:t> new</w:t></w:r></w:ins></w:p>
      <w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>one</w:t></w:r></w:p>
      <w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>dot</w:t></w:r></w:p>
      <w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>two</w:t></w:r></w:p>
      <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>
        <w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>1</w:t></w:r></w:p><w:p><w:r><w:t>2</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
      <w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:docPr descr="A cat"/><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></w:drawing></mc:Choice>
        <mc:Fallback><w:pict><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"#;
    let bytes = package(
        "word/document.xml",
        &format!("<w:document><w:body>{body}</w:body></w:document>"),
        &[
            (
                "word/styles.xml",
                r#"<w:styles><w:style w:styleId="T"><w:name w:val="Title"/></w:style></w:styles>"#,
            ),
            (
                "word/numbering.xml",
                r#"<w:numbering><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl>
                   <w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>"#,
            ),
            (
                "word/_rels/document.xml.rels",
                r#"<Relationships><Relationship Id="rId9" Type="x/hyperlink" Target="https://a.example/?a=1&amp;b" TargetMode="External"/></Relationships>"#,
            ),
            (
                "word/footnotes.xml",
                r#"<w:footnotes><w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>"#,
            ),
            (
                "docProps/core.xml",
                "<c><dc:title>Title &amp; more</dc:title><dc:creator>Ada</dc:creator><dcterms:modified>2024-01-02</dcterms:modified></c>",
            ),
        ],
    );
    let read = document(&bytes, &Hint::default());
    assert_eq!(
        read.markdown,
        "# Report\n\n## Part\n\nPlain **bold**, [a link](https://a.example/?a=1&b)[^1] new\n\n1. one\n   - dot\n2. two\n\n\
         | a | b |\n| --- | --- |\n| 1<br>2 |  |\n\n![A cat]\n\nboxed\n\n[^1]: A note."
    );
    let facts = [
        read.title.as_deref(),
        read.author.as_deref(),
        read.date.as_deref(),
    ];
    assert_eq!(
        facts,
        [Some("Title & more"), Some("Ada"), Some("2024-01-02")]
    );
}

#[test]
fn pptx_slides_are_in_the_order_of_presentation() {
    let slide = |title: &str, body: &str| {
        format!(
            r#"<p:sld><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:txBody></p:sp>
            <p:sp><p:nvSpPr><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvSpPr><p:txBody>{body}</p:txBody></p:sp>
            <p:sp><p:nvSpPr><p:nvPr><p:ph type="sldNum"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>99</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"#
        )
    };
    let first = slide(
        "Opening",
        r#"<a:p><a:r><a:t>top</a:t></a:r></a:p><a:p><a:pPr lvl="1"/><a:r><a:rPr b="1"/><a:t>deep</a:t></a:r></a:p>"#,
    );
    let second = slide("Closing", "<a:p><a:r><a:t>bye</a:t></a:r></a:p>");
    let notes = r#"<p:notes><p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Smile.</a:t></a:r></a:p></p:txBody></p:sp></p:notes>"#;
    let bytes = package(
        "ppt/presentation.xml",
        r#"<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId1"/></p:sldIdLst></p:presentation>"#,
        &[
            (
                "ppt/_rels/presentation.xml.rels",
                r#"<Relationships><Relationship Id="rId1" Target="slides/slide1.xml"/><Relationship Id="rId2" Target="slides/slide2.xml"/></Relationships>"#,
            ),
            ("ppt/slides/slide1.xml", &second),
            ("ppt/slides/slide2.xml", &first),
            (
                "ppt/slides/_rels/slide2.xml.rels",
                r#"<Relationships><Relationship Id="rId1" Type="x/notesSlide" Target="../notesSlides/n1.xml"/></Relationships>"#,
            ),
            ("ppt/notesSlides/n1.xml", notes),
        ],
    );
    let read = document(&bytes, &Hint::default());
    let expected = "<!-- slide 1 -->\n\n## Opening\n\n- top\n  - **deep**\n\n> Notes: Smile.\n\n<!-- slide 2 -->\n\n## Closing\n\n- bye";
    assert_eq!((read.markdown.as_str(), read.pages), (expected, Some(2)));
}

#[test]
fn xlsx_values_are_formatted_as_excel_shows_them() {
    let sheet = r#"<worksheet><sheetData>
        <row r="2"><c r="B2" t="s"><v>0</v></c><c r="C2" t="inlineStr"><is><t>when</t></is></c><c r="D2" t="str"><v>share</v></c></row>
        <row r="3"><c r="B3" t="s"><v>1</v></c><c r="C3" s="1"><f>TODAY()</f><v>45292.5</v></c><c r="D3" s="2"><v>0.256</v></c></row>
        <row r="9"><c r="B9" t="b"><v>1</v></c><c r="D9" t="e"><v>#N/A</v></c></row>
        <row r="10"><c r="B10" s="1"/><c r="D10"><f>SUM(D2)</f></c></row></sheetData></worksheet>"#;
    let bytes = package(
        "xl/workbook.xml",
        r#"<workbook><sheets><sheet name="Numbers" r:id="r1"/><sheet name="More" r:id="r2"/><sheet name="Secret" state="hidden" r:id="r2"/></sheets></workbook>"#,
        &[
            (
                "xl/_rels/workbook.xml.rels",
                r#"<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="x/worksheet" Target="/xl/worksheets/sheet2.xml"/>
                   <Relationship Id="r3" Type="x/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="r4" Type="x/styles" Target="styles.xml"/></Relationships>"#,
            ),
            ("xl/worksheets/sheet1.xml", sheet),
            (
                "xl/worksheets/sheet2.xml",
                r#"<worksheet><sheetData><row><c t="str"><v>k</v></c><c><v>42</v></c></row></sheetData></worksheet>"#,
            ),
            (
                "xl/sharedStrings.xml",
                "<sst><si><t>na|me</t></si><si><r><t>Zo</t></r><r><t>ë</t></r><rPh><t>reading</t></rPh></si></sst>",
            ),
            (
                "xl/styles.xml",
                r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd.mm.yyyy\ hh:mm"/></numFmts>
                   <cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="10"/></cellXfs></styleSheet>"#,
            ),
        ],
    );
    let read = document(&bytes, &Hint::default());
    assert_eq!(
        read.markdown,
        "## Numbers\n\n| na\\|me | when | share |\n| --- | --- | --- |\n| Zoë | 2024-01-01 12:00:00 | 25.60% |\n| TRUE |  | #N/A |\n|  |  | =SUM(D2) |\n\n\
         ## More\n\n| k | 42 |\n| --- | --- |\n\n*Hidden sheets, left out: Secret*"
    );
    assert_eq!(
        (read.pages, read.warnings.as_slice()),
        (Some(3), [Warning::HiddenParts].as_slice())
    );
}

#[test]
fn opendocument_texts_and_spreadsheets_are_read() {
    let content = r#"<office:document-content><office:automatic-styles><style:style style:name="T1"><style:text-properties fo:font-weight="bold"/></style:style></office:automatic-styles>
        <office:body><office:text><text:h text:outline-level="2">Titel</text:h><text:p>Etwas <text:span text:style-name="T1">fett</text:span><text:s text:c="2"/>und
        <text:a xlink:href="https://a.example/">hier</text:a><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Fußnote</text:p></text:note-body></text:note></text:p>
        <text:list><text:list-item><text:p>eins</text:p><text:list><text:list-item><text:p>zwei</text:p></text:list-item></text:list></text:list-item></text:list></office:text></office:body></office:document-content>"#;
    let odt = zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("content.xml", content.as_bytes()),
        ("meta.xml", b"<m><dc:title>T</dc:title></m>"),
    ]);
    let read = document(&odt, &Hint::default());
    assert_eq!(
        read.markdown,
        "## Titel\n\nEtwas **fett**  und [hier](https://a.example/)[^1]\n\n- eins\n  - zwei\n\n[^1]: Fußnote"
    );
    assert_eq!(
        (read.kind, read.title.as_deref()),
        (DocumentKind::ODT, Some("T"))
    );

    let content = r#"<d><office:body><office:spreadsheet><table:table table:name="Blatt"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>
        <table:table-cell table:number-columns-repeated="2"><text:p>b</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16000"/></table:table-row>
        <table:table-row table:number-rows-repeated="2"><table:table-cell office:value="0.5"><text:p>50 %</text:p></table:table-cell></table:table-row>
        <table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table></office:spreadsheet></office:body></d>"#;
    let ods = zip(&[
        (
            "mimetype",
            b"application/vnd.oasis.opendocument.spreadsheet",
        ),
        ("content.xml", content.as_bytes()),
    ]);
    assert_eq!(
        document(&ods, &Hint::default()).markdown,
        "## Blatt\n\n| a | b | b |\n| --- | --- | --- |\n| 50 % |  |  |\n| 50 % |  |  |"
    );
}

#[test]
fn what_is_missing_is_told_with_its_reason() {
    let paragraphs = docx(&"<w:p><w:r><w:t>Words</w:t></w:r></w:p>".repeat(50));
    let limits = Limits {
        nodes: 100,
        ..Limits::default()
    };
    let read = read_document_within(&paragraphs, &Hint::default(), limits).expect("a part of it");
    assert_eq!(
        (&read.warnings[..], read.truncated),
        (&[Warning::Truncated][..], true)
    );
    let damaged = docx("<w:p><w:r><w:t");
    let fault = read_document(&damaged, &Hint::default()).expect_err("its text is lost");
    assert_eq!(fault.case(), Case::BrokenDocument);
}

#[test]
fn an_opendocument_file_is_by_who_wrote_it_first() {
    let content =
        "<d><office:body><office:text><text:p>Words.</text:p></office:text></office:body></d>";
    let meta = "<m><dc:creator>Bo</dc:creator><meta:initial-creator>Ada</meta:initial-creator></m>";
    let odt = zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("content.xml", content.as_bytes()),
        ("meta.xml", meta.as_bytes()),
    ]);
    let read = document(&odt, &Hint::default());
    assert_eq!(read.author.as_deref(), Some("Ada"));
}

/// The type of these settings is that of the files from before OpenDocument.
#[test]
fn opendocument_files_with_settings_of_menus_are_opendocument() {
    let manifest = |kind: &str| {
        format!(
            r#"<manifest:manifest><manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>
            <manifest:file-entry manifest:full-path="Configurations2/" manifest:media-type="application/vnd.sun.xml.ui.configuration"/></manifest:manifest>"#
        )
    };
    let kind = "application/vnd.oasis.opendocument.spreadsheet";
    let content = "<d><office:body><office:spreadsheet><table:table table:name=\"Blatt\"><table:table-row><table:table-cell>\
        <text:p>a</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></d>";
    let manifest = manifest(kind);
    let parts = [
        ("mimetype", kind.as_bytes()),
        ("content.xml", content.as_bytes()),
        ("META-INF/manifest.xml", manifest.as_bytes()),
    ];
    // Some programs leave the first entry out.
    for parts in [&parts[..], &parts[1..]] {
        let read = document(&zip(parts), &Hint::default());
        assert_eq!(
            (read.kind, &*read.markdown),
            (DocumentKind::ODS, "## Blatt\n\na")
        );
    }
}

#[test]
fn epub_chapters_are_in_the_order_of_the_spine() {
    let package = r#"<package><metadata><dc:title>A Book</dc:title><dc:creator>Ada</dc:creator><dc:language>en</dc:language></metadata>
        <manifest><item id="b" href="text/two%20b.xhtml"/><item id="a" href="text/one.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>"#;
    let epub = zip(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", br#"<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"#),
        ("OEBPS/book.opf", package.as_bytes()),
        ("OEBPS/text/two b.xhtml", "<html><head><title/></head><body><p>It <em>ends</em>&nbsp;here.</p></body></html>".as_bytes()),
        ("OEBPS/text/one.xhtml", b"<!DOCTYPE html><html><body><h1>One</h1><p>It begins <a href='two.xhtml'>there</a>.</p></body></html>"),
    ]);
    let read = document(&epub, &Hint::default());
    assert_eq!(
        read.markdown,
        "# One\n\nIt begins there.\n\nIt *ends*\u{A0}here."
    );
    assert_eq!(
        (
            read.kind,
            read.title.as_deref(),
            read.language.as_deref(),
            read.pages
        ),
        (DocumentKind::EPUB, Some("A Book"), Some("en"), Some(2))
    );
}

#[test]
fn rtf_keeps_styles_tables_and_links() {
    let rtf = br#"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\title A title}{\author Ada}}{\*\generator Word;}
\pard\outlinelevel0\b Heading\b0\par\pard Plain \b bold\b0  caf\'e9 \u8364? {\field{\*\fldinst{HYPERLINK "https://a.example/"}}{\fldrslt link}} {\v hidden}\par
\trowd\cellx1\cellx2\pard\intbl a\cell b\cell\row\trowd\pard\intbl 1\cell 2\cell\row\pard End\'2e\par}"#;
    let read = document(rtf, &declared("application/rtf"));
    assert_eq!(
        read.markdown,
        "# Heading\n\nPlain **bold** café € [link](https://a.example/)\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nEnd."
    );
    assert_eq!(
        (read.title.as_deref(), read.author.as_deref()),
        (Some("A title"), Some("Ada"))
    );
    let japanese = b"{\\rtf1\\ansi\\ansicpg932 \\'93\\'fa\\'96\\'7b}";
    assert_eq!(document(japanese, &Hint::default()).markdown, "日本");
}

#[test]
fn csv_and_tsv_become_a_table() {
    let csv = "name;note\r\n\"Zoë; \"\"Z\"\"\";1,5\r\n\"two\nlines\";a|b\n";
    assert_eq!(
        document(csv.as_bytes(), &named("a.csv")).markdown,
        "| name | note |\n| --- | --- |\n| Zoë; \"Z\" | 1,5 |\n| two<br>lines | a\\|b |"
    );
    assert_eq!(
        document(b"a\tb\n1\t2\n", &declared("text/tab-separated-values")).markdown,
        "| a | b |\n| --- | --- |\n| 1 | 2 |"
    );
    assert_eq!(
        document(b"sep=|\na|b\n1|2\n", &named("a.csv")).markdown,
        "| a | b |\n| --- | --- |\n| 1 | 2 |"
    );
    assert_eq!(
        document(b"caf\xE9,b\n1,2\n", &named("a.csv")).markdown,
        "| café | b |\n| --- | --- |\n| 1 | 2 |"
    );
}

#[test]
fn json_that_does_not_parse_is_given_with_a_warning() {
    let read = document(b"{\"a\": 1.50}", &declared("application/json"));
    assert_eq!(
        (read.markdown.as_str(), read.parse_warning()),
        ("```json\n{\"a\": 1.50}\n```", None)
    );
    let broken = document(b"{\"a\": 1,", &declared("application/json"));
    assert_eq!(broken.warnings, [Warning::Malformed]);
    assert!(broken.markdown.contains("{\"a\": 1,"));
    let long = format!("{{\"list\":[{}1]}}", "1,".repeat(200));
    assert!(
        document(long.as_bytes(), &Hint::default())
            .markdown
            .starts_with("```json\n{\n  \"list\": [\n    1,")
    );
    assert_eq!(document(b"{}\n{\"b\":1}\n", &named("x.jsonl")).warnings, []);
}

#[test]
fn a_feed_becomes_a_list_of_its_items() {
    let rss = r#"<?xml version="1.0"?><rss><channel><title>News</title><language>en</language><item><title>First &amp; best</title><link>https://a.example/1</link>
        <pubDate>Mon, 01 Jan 2024</pubDate><dc:creator>Ada</dc:creator><description><![CDATA[<p>Some <b>bold</b> text<br>here</p>]]></description></item></channel></rss>"#;
    let read = document(rss.as_bytes(), &declared("text/xml"));
    assert_eq!(
        read.markdown,
        "# News\n\n## [First & best](https://a.example/1)\n\nMon, 01 Jan 2024 · Ada\n\nSome **bold** text\nhere"
    );
    assert_eq!(
        (read.kind, read.title.as_deref(), read.language.as_deref()),
        (DocumentKind::FEED, Some("News"), Some("en"))
    );
    let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><entry><title>Post</title><link rel="self" href="x"/><link href="https://a.example/p"/>
        <updated>2024-01-01</updated><author><name>Grace</name></author><summary>Short.</summary></entry></feed>"#;
    let read = document(atom.as_bytes(), &Hint::default());
    assert_eq!(
        read.markdown,
        "# Blog\n\n## [Post](https://a.example/p)\n\n2024-01-01 · Grace\n\nShort."
    );
}

#[test]
fn xml_becomes_an_outline_of_its_elements() {
    let read = document(
        b"<?xml version='1.0'?><a id='1'><b>x  y</b><c/></a>",
        &Hint::default(),
    );
    assert_eq!(
        read.markdown,
        "```xml\n<a id=\"1\">\n  <b>x y</b>\n  <c/>\n</a>\n```"
    );
    assert_eq!(
        document(b"<a><b>x</b>", &declared("application/xml")).warnings,
        [Warning::Malformed]
    );
}

#[test]
fn text_yaml_source_code_and_web_pages_are_read() {
    assert_eq!(
        document(b"a: 1\n", &named("x.yml")).markdown,
        "```yaml\na: 1\n```"
    );
    assert_eq!(
        document(b"fn main() {}\n", &named("main.rs")).markdown,
        "```rust\nfn main() {}\n```"
    );
    assert_eq!(
        document(b"three\nlines\nof text\n", &declared("text/plain")).markdown,
        "three\nlines\nof text"
    );
    assert_eq!(
        document(b"# Title\n\nx", &named("README.md"))
            .title
            .as_deref(),
        Some("Title")
    );
    let page = document(
        b"<html><head><title>T</title></head><body><p>Some words.</p></body></html>",
        &declared("text/html"),
    );
    assert_eq!(
        (page.kind, page.title.as_deref()),
        (DocumentKind::HTML, Some("T"))
    );
    let from_url = Hint {
        url: Some("https://a.example/dir/data.csv?x=1".into()),
        ..Hint::default()
    };
    assert_eq!(document(b"a,b\n1,2", &from_url).kind, DocumentKind::CSV);
}

#[test]
fn a_wrong_declared_type_is_a_warning_and_the_bytes_decide() {
    let page = document(
        b"<!DOCTYPE html><html><head><title>Sign in</title></head><body><p>Please sign in.</p></body></html>",
        &declared("application/pdf"),
    );
    assert_eq!(
        (page.kind, page.warnings.as_slice()),
        (DocumentKind::HTML, [Warning::NotAsDeclared].as_slice())
    );
    let bytes = pdf(&["BT /F1 10 Tf 50 700 Td (It is a PDF.) Tj ET"]);
    let read = document(&bytes, &declared("text/html"));
    assert_eq!(
        (read.kind, read.warnings.as_slice()),
        (DocumentKind::PDF, [Warning::NotAsDeclared].as_slice())
    );
    let word = document(
        &docx("<w:p><w:r><w:t>Word</w:t></w:r></w:p>"),
        &declared("application/pdf"),
    );
    assert_eq!(
        (word.kind, word.markdown.as_str()),
        (DocumentKind::DOCX, "Word")
    );
    assert_eq!(
        document(
            &docx("<w:p><w:r><w:t>Word</w:t></w:r></w:p>"),
            &declared("application/zip")
        )
        .warnings,
        []
    );
}

#[test]
fn a_refused_type_lists_the_formats_that_are_read() {
    for (bytes, hint) in [
        (compound(&[("VisioDocument", b"old")]), named("a.vsd")),
        (b"ID3\x03".to_vec(), named("a.mp3")),
        (b"7z\xBC\xAF\x27\x1C".to_vec(), named("a.7z")),
        (b"\0\0\0\0".to_vec(), Hint::default()),
    ] {
        let fault = read_document(&bytes, &hint).expect_err("is not read");
        assert_eq!(fault.case(), Case::UnsupportedType);
        assert!(fault.sentence().as_str().contains("DOCX"), "{fault}");
    }
    assert_eq!(case(b"", &named("a.txt")), Case::Empty);
}
