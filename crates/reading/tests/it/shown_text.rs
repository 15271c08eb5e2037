//! The text of documents as their programs show it: symbols, superscripts, hidden text, fields and
//! documents that a document takes in.

use reading::document::{Document, Hint, Warning, read_document};
use testkit::documents::{docx, package, zip};

use crate::books::epub;
use crate::word_and_slides::{open_document, p, word};

fn read(bytes: &[u8]) -> Document {
    read_document(bytes, &Hint::default()).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

fn text(bytes: &[u8]) -> String {
    read(bytes).markdown
}

/// A run of a Word document with these properties.
fn run(properties: &str, text: &str) -> String {
    format!("<w:r><w:rPr>{properties}</w:rPr><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

fn paragraph(runs: &[String]) -> String {
    format!("<w:p>{}</w:p>", runs.concat())
}

const SYMBOL: &str = r#"<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>"#;
const RAISED: &str = r#"<w:vertAlign w:val="superscript"/>"#;
const LOWERED: &str = r#"<w:vertAlign w:val="subscript"/>"#;
const WHITE: &str = r#"<w:color w:val="FFFFFF"/>"#;

/// A presentation whose only slide has a paragraph with these runs.
fn slide(runs: &str) -> Vec<u8> {
    let slide = format!(
        "<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p>{runs}</a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    );
    package(
        "ppt/presentation.xml",
        r#"<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>"#,
        &[
            (
                "ppt/_rels/presentation.xml.rels",
                r#"<Relationships><Relationship Id="r1" Target="slides/slide1.xml"/></Relationships>"#,
            ),
            ("ppt/slides/slide1.xml", &slide),
        ],
    )
}

/// A text of OpenDocument with these automatic styles.
fn text_document(styles: &str, body: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    open_document("text", &content, &[])
}

fn span_style(name: &str, properties: &str) -> String {
    format!(
        r#"<style:style style:name="{name}" style:family="text"><style:text-properties {properties}/></style:style>"#
    )
}

/// A book of one chapter.
fn book(chapter: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all: Vec<(&str, &[u8])> = vec![("c.xhtml", chapter.as_bytes())];
    all.extend(files);
    epub(
        r#"<item id="c" href="c.xhtml"/>"#,
        r#"<itemref idref="c"/>"#,
        &all,
    )
}

#[test]
fn symbols_of_word_are_what_their_fonts_show() {
    let symbols = r#"<w:p><w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Symbol" w:char="F0A3"/><w:sym w:font="Symbol" w:char="006D"/><w:sym w:font="Wingdings" w:char="F0FE"/><w:sym w:font="Wingdings" w:char="F0E0"/><w:sym w:font="Wingdings 2" w:char="F050"/><w:sym w:font="Webdings" w:char="F061"/><w:sym w:font="MS Gothic" w:char="2610"/><w:sym w:font="House Font" w:char="F041"/></w:r></w:p>"#;
    assert_eq!(text(&docx(symbols)), "α≤μ☑→✓✔☐\u{FFFD}");
    let dose = paragraph(&[
        run("", "5 "),
        run(SYMBOL, "m"),
        run("", "g "),
        run(SYMBOL, "\u{F0B3}"),
    ]);
    assert_eq!(text(&docx(&dose)), "5 μg ≥");
    let styles = format!(
        r#"<w:styles><w:style w:type="character" w:styleId="Greek"><w:name w:val="Greek"/><w:rPr>{SYMBOL}</w:rPr></w:style></w:styles>"#
    );
    let styled = r#"<w:rStyle w:val="Greek"/>"#;
    let own_font = format!(r#"{styled}<w:rFonts w:ascii="Arial"/>"#);
    let body = paragraph(&[run(styled, "a"), run(&own_font, "a")]);
    let bytes = word(&body, &[("styles", "styles.xml", &styles)]);
    assert_eq!(text(&bytes), "αa");
}

#[test]
fn symbols_of_other_formats_are_what_their_fonts_show() {
    let rich = br#"{\rtf1\ansi{\fonttbl{\f0 Arial;}{\f1\fcharset2 Symbol;}{\f2\fcharset2 Wingdings{\*\falt X};}}\f0 5 {\f1 m}g {\f1\'a3 \u-3999 ?} {\f2\'fc}{\f1\plain  m}\par}"#;
    assert_eq!(text(rich), "5 μg ≤ α ✓ m");
    let runs = "<a:r><a:t>5 </a:t></a:r><a:r><a:rPr><a:latin typeface=\"Symbol\"/></a:rPr><a:t>m</a:t></a:r><a:r><a:t>g </a:t></a:r><a:r><a:rPr><a:sym typeface=\"Wingdings\"/></a:rPr><a:t>a \u{F0E0} b</a:t></a:r>";
    assert_eq!(text(&slide(runs)), "<!-- slide 1 -->\n\n5 μg a → b");
    let open = text_document(
        &span_style("S", r#"style:font-name="Symbol""#),
        r#"<text:p>5 <text:span text:style-name="S">m</text:span>g</text:p>"#,
    );
    assert_eq!(text(&open), "5 μg");
}

#[test]
fn superscripts_have_one_notation_in_every_format() {
    let body = paragraph(&[
        run("", "10"),
        run(RAISED, "8"),
        run("", " m"),
        run(RAISED, "\u{2212}"),
        run(RAISED, "2"),
        run("", " H"),
        run(LOWERED, "2"),
        run("", "O 2"),
        run(RAISED, "n+1"),
        run("", " 1"),
        run(RAISED, "st"),
        run("<w:b/>", " 10"),
        run(&format!("<w:b/>{RAISED}"), "3"),
    ]);
    assert_eq!(
        text(&docx(&body)),
        "10^8 m^\u{2212}2 H2O 2^(n+1) 1st **10^3**"
    );
    assert_eq!(
        text(br"{\rtf1 10{\super 8} H{\sub 2}O \super 1\nosupersub  end\par}"),
        "10^8 H2O 1 end"
    );
    let runs = r#"<a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>8</a:t></a:r><a:r><a:t> H</a:t></a:r><a:r><a:rPr baseline="-25000"/><a:t>2</a:t></a:r>"#;
    assert_eq!(text(&slide(runs)), "<!-- slide 1 -->\n\n10^8 H2");
    let styles = [
        span_style("Up", r#"style:text-position="super 58%""#),
        span_style("Down", r#"style:text-position="-33% 58%""#),
    ];
    let open = text_document(
        &styles.concat(),
        r#"<text:p>10<text:span text:style-name="Up">8</text:span> 1010<text:span text:style-name="Down">2</text:span></text:p>"#,
    );
    assert_eq!(text(&open), "10^8 1010_2");
    let chapter = "<html><body><p>10<sup>8</sup> 1<sup>st</sup> <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math></p></body></html>";
    assert_eq!(text(&book(chapter, &[])), r"10^8 1st $\frac{1}{2}$");
    let fiction = "<FictionBook><body><section><title><p>On 10<sup>8</sup></p></title><p>10<sup>8</sup></p></section></body></FictionBook>";
    assert_eq!(text(fiction.as_bytes()), "## On 10^8\n\n10^8");
}

#[test]
fn equations_of_a_page_are_tex() {
    let page = "<html><body><article><p>Half is <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>, the speed <math><mn>3</mn><mo>×</mo><msup><mn>10</mn><mn>8</mn></msup></math> \
        and the root <math><semantics><msqrt><mi>x</mi></msqrt><annotation>IGNORE</annotation></semantics></math>, which are all the numbers that this paragraph has, and 2<sup>n</sup>.</p></article></body></html>";
    let read = reading::extract::markdown(page, "https://a.example/").markdown;
    assert!(
        read.contains(
            r"Half is $\frac{1}{2}$, the speed $3\times{10}^{8}$ and the root $\sqrt{x}$, which"
        ),
        "{read}"
    );
    assert!(read.ends_with("2^n."), "{read}");
}

#[test]
fn documents_that_a_document_takes_in_are_read() {
    let chunk = |number: usize| format!(r#"<w:altChunk r:id="rel{number}"/>"#);
    let body = [p("start"), chunk(1), chunk(2), chunk(3), chunk(4), p("end")].concat();
    let saved_page = "MIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/html; charset=\"utf-8\"\r\n\r\n<html><body><h1>Report</h1><p>Saved text.</p></body></html>\r\n--b--\r\n";
    let bytes = word(
        &body,
        &[
            (
                "aFChunk",
                "a.html",
                "<html><body><p>From <b>HTML</b></p></body></html>",
            ),
            ("aFChunk", "b.rtf", r"{\rtf1 From RTF\par}"),
            ("aFChunk", "c.txt", "From text"),
            ("aFChunk", "d.mht", saved_page),
        ],
    );
    let read = read(&bytes);
    assert_eq!(
        read.markdown,
        "start\n\nFrom **HTML**\n\nFrom RTF\n\nFrom text\n\n# Report\n\nSaved text.\n\nend"
    );
    assert_eq!(read.warnings, []);
}

#[test]
fn a_word_document_in_a_word_document_is_read_to_a_depth() {
    let relations =
        r#"<Relationships><Relationship Id="c" Type="x/aFChunk" Target="c.docx"/></Relationships>"#;
    let around = |inner: &[u8], text: &str| {
        let main = format!(
            r#"<w:document><w:body>{}<w:altChunk r:id="c"/></w:body></w:document>"#,
            p(text)
        );
        zip(&[
            ("word/document.xml", main.as_bytes()),
            ("word/_rels/document.xml.rels", relations.as_bytes()),
            ("word/c.docx", inner),
        ])
    };
    let one = around(&docx(&p("inside")), "outside");
    assert_eq!(text(&one), "outside\n\ninside");
    let mut deep = docx(&p("deepest"));
    for level in 0..8 {
        deep = around(&deep, &format!("level {level}"));
    }
    let deep = read(&deep);
    assert!(deep.markdown.starts_with("level 7\n\nlevel 6"));
    assert!(!deep.markdown.contains("deepest"));
    assert_eq!(deep.warnings, [Warning::Incomplete]);
}

#[test]
fn a_chunk_that_is_no_text_is_missing() {
    let bytes = word(
        &[p("text"), r#"<w:altChunk r:id="rel1"/>"#.to_owned()].concat(),
        &[("aFChunk", "a.zip", "PK\u{3}\u{4}")],
    );
    let read = read(&bytes);
    assert_eq!(read.markdown, "text");
    assert_eq!(read.warnings, [Warning::Incomplete]);
}

#[test]
fn deletions_of_rich_text_are_accepted() {
    let fee = br"{\rtf1\ansi The fee is {\deleted\revauthdel1 500 EUR}{\revised\revauth1 700 EUR} per year.{\deleted\par} And\deleted  not\deleted0  more.\par}";
    assert_eq!(text(fee), "The fee is 700 EUR per year. And more.");
}

#[test]
fn fields_show_their_result_and_their_choice() {
    let mark = |kind: &str, inside: &str| {
        format!(r#"<w:r><w:fldChar w:fldCharType="{kind}">{inside}</w:fldChar></w:r>"#)
    };
    let code = |code: &str| format!("<w:r><w:instrText>{code}</w:instrText></w:r>");
    let nested = [
        mark("begin", ""),
        code(" IF "),
        mark("begin", ""),
        code(" PAGE "),
        mark("separate", ""),
        run("", "INNER"),
        mark("end", ""),
        code(" = 1 "),
        mark("separate", ""),
        run("", "result"),
        mark("end", ""),
        run("", " tail"),
    ];
    assert_eq!(text(&docx(&paragraph(&nested))), "result tail");
    let list = r#"<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="green"/></w:ddList></w:ffData>"#;
    let form = [
        run("", "Colour: "),
        mark("begin", list),
        code(" FORMDROPDOWN "),
        mark("end", ""),
        run("", ", "),
        mark("begin", ""),
        code(r#" SYMBOL 109 \f "Symbol" \s 10 "#),
        mark("end", ""),
        run("", "g"),
    ];
    assert_eq!(text(&docx(&paragraph(&form))), "Colour: green, μg");
    // A field without an end hides at most the rest of its paragraph.
    let lost = paragraph(&[mark("begin", ""), code(" IF "), run("", "one")]) + &p("two");
    assert_eq!(text(&docx(&lost)), "one\n\ntwo");
}

#[test]
fn white_text_is_hidden_on_white_paper_only() {
    let tiny = format!(r#"{WHITE}<w:sz w:val="2"/>"#);
    let visible = p("Visible.");
    for hidden in [WHITE, &tiny, r#"<w:sz w:val="2"/>"#, "<w:vanish/>"] {
        let body = visible.clone() + &paragraph(&[run(hidden, "secret")]);
        assert_eq!(text(&docx(&body)), "Visible.", "{hidden}");
    }
    let white = run(WHITE, "shown");
    let cells = |properties: &str| {
        format!(
            "<w:tbl><w:tr><w:tc><w:tcPr>{properties}</w:tcPr><w:p>{white}</w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>"
        )
    };
    let dark = r#"<w:shd w:val="clear" w:fill="1F3864"/>"#;
    for shown in [
        paragraph(&[run(&format!("{WHITE}{dark}"), "shown")]),
        paragraph(&[run(
            &format!(r#"{WHITE}<w:highlight w:val="black"/>"#),
            "shown",
        )]),
        format!("<w:p><w:pPr>{dark}</w:pPr>{white}</w:p>"),
        cells(dark),
        format!(
            "<w:p><w:r><w:pict><v:textbox><w:txbxContent><w:p>{white}</w:p></w:txbxContent></v:textbox></w:pict></w:r></w:p>"
        ),
        format!(
            r#"<w:p><w:r><w:drawing><wp:anchor behindDoc="1"/></w:drawing></w:r>{white}</w:p>"#
        ),
    ] {
        let read = text(&docx(&(visible.clone() + &shown)));
        assert!(read.contains("shown"), "{shown}: {read}");
    }
    let body = visible + &cells("");
    assert!(!text(&docx(&body)).contains("shown"));
}

#[test]
fn hidden_text_of_books_and_opendocument_is_left_out() {
    let open = text_document(
        &span_style("Hidden", r#"text:display="none""#),
        r#"<text:p>Shown<text:span text:style-name="Hidden"> secret</text:span><text:hidden-text text:is-hidden="true">secret</text:hidden-text></text:p>
           <text:section text:display="none"><text:p>secret</text:p></text:section><text:section text:display="condition" text:is-hidden="true"><text:p>secret</text:p></text:section>
           <text:p>secret<text:hidden-paragraph text:is-hidden="true"/></text:p><text:section><text:p>Section</text:p></text:section>"#,
    );
    assert_eq!(text(&open), "Shown\n\nSection");
    let chapter = r#"<html><head><style>.gone{display:none}</style><link rel="stylesheet" href="s.css"/></head><body><p>Shown</p><p class="gone">secret</p><p class="sheet">secret</p><p style="display: none">secret</p></body></html>"#;
    let bytes = book(chapter, &[("s.css", b"p.sheet { display: none }")]);
    assert_eq!(text(&bytes), "Shown");
}
