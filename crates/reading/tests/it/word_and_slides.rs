//! Word documents, presentations and OpenDocument files: what is beside the plain text.

use reading::document::{Document, DocumentKind, Hint, Unit, Warning, read_document};
use testkit::documents::{docx, package, zip};

fn read(bytes: &[u8]) -> Document {
    read_document(bytes, &Hint::default()).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

pub(crate) fn p(text: &str) -> String {
    format!("<w:p><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}

/// A paragraph with these properties.
fn with(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn item(list: u32, level: u32, text: &str) -> String {
    with(
        &format!(r#"<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr>"#),
        text,
    )
}

/// A Word document with this body and these parts, whose relationships are `rel1`, `rel2` and so on.
pub(crate) fn word(body: &str, parts: &[(&str, &str, &str)]) -> Vec<u8> {
    let relations: String = parts
        .iter()
        .enumerate()
        .map(|(index, (kind, name, _))| {
            format!(
                r#"<Relationship Id="rel{}" Type="x/{kind}" Target="{name}"/>"#,
                index + 1
            )
        })
        .collect();
    let relations = format!("<Relationships>{relations}</Relationships>");
    let named: Vec<(String, &str)> = parts
        .iter()
        .map(|(_, name, content)| (format!("word/{name}"), *content))
        .collect();
    let mut all = vec![("word/_rels/document.xml.rels", relations.as_str())];
    all.extend(
        named
            .iter()
            .map(|(name, content)| (name.as_str(), *content)),
    );
    package(
        "word/document.xml",
        &format!("<w:document><w:body>{body}</w:body></w:document>"),
        &all,
    )
}

const NUMBERING: &str = r#"<w:numbering>
    <w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
      <w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%2)"/></w:lvl><w:lvl w:ilvl="2"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%3"/></w:lvl></w:abstractNum>
    <w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1"/><w:pStyle w:val="H1"/></w:lvl>
      <w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/><w:isLgl/><w:pStyle w:val="H2"/></w:lvl></w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>
    <w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num></w:numbering>"#;

#[test]
fn lists_are_counted_as_word_counts_them() {
    let body = [
        item(1, 0, "one"),
        item(1, 1, "first"),
        item(1, 1, "second"),
        item(1, 2, "deep"),
        item(1, 0, "two"),
        item(1, 1, "again"),
        p("between"),
        item(1, 0, "three"),
        item(3, 0, "five"),
        item(3, 0, "six"),
    ]
    .concat();
    let read = read(&word(&body, &[("numbering", "numbering.xml", NUMBERING)]));
    assert_eq!(
        read.markdown,
        "1. one\n   - (a) first\n   - (b) second\n     - 1.1 deep\n2. two\n   - (a) again\n\nbetween\n\n3. three\n5. five\n6. six"
    );
}

#[test]
fn headings_keep_their_numbers() {
    let styles = r#"<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>
        <w:style w:styleId="H2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style></w:styles>"#;
    let heading = |style: &str, text: &str| with(&format!(r#"<w:pStyle w:val="{style}"/>"#), text);
    let body = [
        heading("H1", "Start"),
        heading("H2", "More"),
        heading("H2", "Most"),
        heading("H1", "End"),
    ]
    .concat();
    let read = read(&word(
        &body,
        &[
            ("styles", "styles.xml", styles),
            ("numbering", "numbering.xml", NUMBERING),
        ],
    ));
    assert_eq!(
        read.markdown,
        "# I Start\n\n## 1.1 More\n\n## 1.2 Most\n\n# II End"
    );
}

#[test]
fn comments_notes_headers_and_footers_come_at_the_end_once() {
    let body = format!(
        r#"<w:p><w:r><w:t>Text</w:t></w:r><w:r><w:commentReference w:id="7"/></w:r></w:p>
        <w:p><w:pPr><w:sectPr><w:headerReference w:type="default" r:id="rel2"/></w:sectPr></w:pPr></w:p>{}
        <w:sectPr><w:headerReference w:type="default" r:id="rel2"/><w:headerReference w:type="first" r:id="rel3"/><w:footerReference r:id="rel4"/></w:sectPr>"#,
        p("More")
    );
    let read = read(&word(
        &body,
        &[
            (
                "comments",
                "comments.xml",
                r#"<w:comments><w:comment w:id="7" w:author="Ada"><w:p><w:r><w:t>Really?</w:t></w:r></w:p></w:comment></w:comments>"#,
            ),
            (
                "header",
                "header1.xml",
                &format!("<w:hdr>{}</w:hdr>", p("Company")),
            ),
            (
                "header",
                "header2.xml",
                &format!("<w:hdr>{}</w:hdr>", p("Not shown")),
            ),
            (
                "footer",
                "footer1.xml",
                &format!("<w:ftr>{}</w:ftr>", p("12")),
            ),
        ],
    ));
    assert_eq!(
        read.markdown,
        "Text[^comment-1]\n\nMore\n\n[^comment-1]: Ada: Really?\n\n<!-- headers and footers -->\n\nCompany"
    );
}

/// A file of 7 KB took 21 seconds: the note was written for each reference to it, the references
/// in it included.
#[test]
fn a_note_is_written_once_however_often_the_text_and_it_itself_refer_to_it() {
    let reference = r#"<w:r><w:footnoteReference w:id="1"/></w:r>"#;
    let paragraphs = format!("<w:p><w:r><w:t>word</w:t></w:r>{reference}</w:p>").repeat(5_000);
    let footnotes = format!(
        r#"<w:footnotes><w:footnote w:id="1">{paragraphs}<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p></w:footnote>
        <w:footnote w:id="2">{}</w:footnote></w:footnotes>"#,
        p("Further.")
    );
    let body = format!("<w:p>{}</w:p>", reference.repeat(30_000));
    let read = read(&word(&body, &[("footnotes", "footnotes.xml", &footnotes)]));
    assert_eq!(read.markdown.matches("\n[^1]: ").count(), 1);
    assert!(
        read.markdown.starts_with("[^1][^1]"),
        "{:.80}",
        read.markdown
    );
    assert!(read.markdown.ends_with("[^2]\n\n[^2]: Further."));
}

#[test]
fn changes_are_shown_as_accepted() {
    let body = r#"<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:r><w:t>One </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>
        <w:p><w:ins><w:r><w:t>sentence.</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>
        <w:tbl><w:tr><w:trPr><w:del w:id="2"/></w:trPr><w:tc><w:p><w:r><w:t>old</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr>
        <w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc><w:tc><w:tcPr><w:cellDel w:id="3"/></w:tcPr><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"#;
    let read = read(&docx(body));
    assert_eq!(read.markdown, "One sentence.\n\n| a | b |\n| --- | --- |");
}

#[test]
fn drop_caps_tasks_and_equations_are_one_text() {
    let body = [
        with(r#"<w:framePr w:dropCap="drop" w:lines="3"/>"#, "O"),
        p("ver the hills"),
        p("☐ open"),
        p("☒ done"),
        r#"<w:p><w:r><w:t xml:space="preserve">Area </w:t></w:r><m:oMath><m:r><m:t>A=π</m:t></m:r><m:sSup><m:e><m:r><m:t>r</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>"#.to_owned(),
        "<w:p><m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></m:oMathPara></w:p>".to_owned(),
    ]
    .concat();
    assert_eq!(
        read(&docx(&body)).markdown,
        "Over the hills\n\n- [ ] open\n- [x] done\n\nArea $A=\\pi r^{2}$\n\n$$\\frac{1}{2}$$"
    );
}

#[test]
fn tables_in_cells_lists_in_cells_and_frames_are_kept() {
    let cell = |content: &str| format!("<w:tc>{content}</w:tc>");
    let row = |cells: &str| format!("<w:tr>{cells}</w:tr>");
    let inner = format!(
        "<w:tbl>{}</w:tbl>",
        row(&format!("{}{}", cell(&p("x")), cell(&p("y"))))
    );
    let listed = [item(1, 0, "one"), item(1, 1, "deep")].concat();
    let table = format!(
        "<w:tbl>{}</w:tbl>",
        row(&format!("{}{}", cell(&inner), cell(&listed)))
    );
    let frame = format!(
        "<w:tbl>{}</w:tbl>",
        row(&cell(&format!(
            "{}{table}",
            with(r#"<w:outlineLvl w:val="0"/>"#, "Framed")
        )))
    );
    let read = read(&word(&frame, &[("numbering", "numbering.xml", NUMBERING)]));
    assert_eq!(
        read.markdown,
        "# Framed\n\n| x \\| y | 1. one<br>\u{2003}- (a) deep |\n| --- | --- |"
    );
}

const CHART: &str = r#"<c:chartSpace><c:chart><c:plotArea><c:pieChart><c:ser><c:tx><c:v>Share</c:v></c:tx>
    <c:cat><c:strLit><c:pt idx="0"><c:v>Red</c:v></c:pt><c:pt idx="1"><c:v>Blue</c:v></c:pt></c:strLit></c:cat>
    <c:val><c:numLit><c:pt idx="0"><c:v>0.25</c:v></c:pt><c:pt idx="1"><c:v>0.75</c:v></c:pt></c:numLit></c:val></c:ser></c:pieChart></c:plotArea></c:chart></c:chartSpace>"#;
const CHART_TEXT: &str = "Chart:\n\n|  | Share |\n| --- | --- |\n| Red | 0.25 |\n| Blue | 0.75 |";
const DIAGRAM: &str = r#"<dgm:dataModel><dgm:ptLst><dgm:pt modelId="0" type="doc"/><dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>Second</a:t></a:r></a:p></dgm:t></dgm:pt>
    <dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>First</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="3"><dgm:t><a:p><a:r><a:t>Inner</a:t></a:r></a:p></dgm:t></dgm:pt>
    <dgm:pt modelId="9" type="pres"><dgm:t><a:p><a:r><a:t>layout</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst>
    <dgm:cxnLst><dgm:cxn srcId="0" destId="2" srcOrd="1"/><dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn srcId="1" destId="3" srcOrd="0"/><dgm:cxn srcId="3" destId="1" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>"#;
const DIAGRAM_TEXT: &str = "- First\n  - Inner\n- Second";

#[test]
fn charts_and_diagrams_of_a_document_follow_their_paragraph() {
    let body = r#"<w:p><w:r><w:t>Before</w:t></w:r><w:r><w:drawing><wp:docPr descr="A pie"/><a:graphic><a:graphicData><c:chart r:id="rel1"/></a:graphicData></a:graphic></w:drawing></w:r></w:p>
        <w:p><w:r><w:drawing><a:graphic><a:graphicData><dgm:relIds r:dm="rel2" r:lo="rel9"/></a:graphicData></a:graphic></w:drawing></w:r></w:p>"#;
    let read = read(&word(
        body,
        &[
            ("chart", "charts/chart1.xml", CHART),
            ("diagramData", "diagrams/data1.xml", DIAGRAM),
        ],
    ));
    assert_eq!(
        read.markdown,
        format!("Before![A pie]\n\n{CHART_TEXT}\n\n{DIAGRAM_TEXT}")
    );
}

#[test]
fn shapes_of_a_slide_are_read_by_their_place() {
    let shape = |x: u32, y: u32, text: &str| {
        format!(
            r#"<p:sp><p:nvSpPr><p:cNvPr id="1" name="n"/></p:nvSpPr><p:spPr><a:xfrm><a:off x="{x}" y="{y}"/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"#
        )
    };
    let frame = |reference: &str, y: u32| {
        format!(
            r#"<p:graphicFrame><p:xfrm><a:off x="0" y="{y}"/></p:xfrm><a:graphic><a:graphicData>{reference}</a:graphicData></a:graphic></p:graphicFrame>"#
        )
    };
    let footer = r#"<p:sp><p:nvSpPr><p:nvPr><p:ph type="ftr"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Company</a:t></a:r></a:p></p:txBody></p:sp>"#;
    let shapes = [
        frame(r#"<dgm:relIds r:dm="d"/>"#, 9_000_000),
        shape(5_000_000, 1_000_000, "right"),
        shape(0, 2_000_000, "below"),
        shape(0, 1_050_000, "left"),
        shape(0, 0, "switched off").replace("id=\"1\"", "id=\"1\" hidden=\"1\""),
        frame(r#"<c:chart r:id="c"/>"#, 8_000_000),
        r#"<p:pic><p:nvPicPr><p:cNvPr id="4" name="Picture 3" descr="A cat"><a:hlinkClick r:id="h"/></p:cNvPr></p:nvPicPr><p:spPr><a:xfrm><a:off x="0" y="3000000"/></a:xfrm></p:spPr></p:pic>"#.to_owned(),
        footer.to_owned(),
    ]
    .concat();
    let slide = format!("<p:sld><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>");
    let bytes = package(
        "ppt/presentation.xml",
        r#"<p:presentation><p:sldIdLst><p:sldId id="256" rel:id="r1"/><p:sldId id="257" rel:id="r1"/></p:sldIdLst></p:presentation>"#,
        &[
            (
                "ppt/_rels/presentation.xml.rels",
                r#"<Relationships><Relationship Id="r1" Type="x/slide" Target="slides/slide1.xml"/><Relationship Id="r2" Type="x/commentAuthors" Target="authors.xml"/></Relationships>"#,
            ),
            (
                "ppt/authors.xml",
                r#"<p:cmAuthorLst><p:cmAuthor id="0" name="Ada"/></p:cmAuthorLst>"#,
            ),
            ("ppt/slides/slide1.xml", &slide),
            (
                "ppt/slides/_rels/slide1.xml.rels",
                r#"<Relationships><Relationship Id="c" Type="x/chart" Target="../charts/c.xml"/><Relationship Id="d" Type="x/diagramData" Target="../d.xml"/>
                   <Relationship Id="k" Type="x/comments" Target="../comments/k.xml"/><Relationship Id="h" Type="x/hyperlink" Target="https://a.example/cat" TargetMode="External"/></Relationships>"#,
            ),
            ("ppt/charts/c.xml", CHART),
            ("ppt/d.xml", DIAGRAM),
            (
                "ppt/comments/k.xml",
                r#"<p:cmLst><p:cm authorId="0"><p:text>Too long.</p:text></p:cm></p:cmLst>"#,
            ),
        ],
    );
    let read = read(&bytes);
    let one = format!(
        "left\n\nright\n\nbelow\n\n[![A cat]](https://a.example/cat)\n\n{CHART_TEXT}\n\n{DIAGRAM_TEXT}\n\n> Comment (Ada): Too long."
    );
    assert_eq!(
        read.markdown,
        format!(
            "<!-- slide 1 -->\n\n{one}\n\n<!-- slide 2 -->\n\n{one}\n\n<!-- footers -->\n\nCompany"
        )
    );
    assert_eq!(read.parts.len(), 2);
    assert_eq!((read.parts[1].unit, read.parts[1].number), (Unit::Slide, 2));
}

#[test]
fn dates_further_titles_and_notes_beside_the_notes_are_kept() {
    let shape = |kind: &str, content: &str| {
        format!(
            r#"<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr><p:txBody><a:p>{content}</a:p></p:txBody></p:sp>"#
        )
    };
    let run = |text: &str| format!("<a:r><a:t>{text}</a:t></a:r>");
    let number = |text: &str| format!(r#"<a:fld type="slidenum"><a:t>{text}</a:t></a:fld>"#);
    let slide = |number: &str| {
        let shapes = [
            shape("title", ""),
            shape("title", &run("First")),
            shape("ctrTitle", &run("Second")),
            shape("dt", &run("4 May")),
            shape("sldNum", number),
        ]
        .concat();
        format!("<p:sld><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>")
    };
    let notes = [
        shape("body", &run("Said")),
        shape("body", &run("Box")).replace(r#"<p:ph type="body"/>"#, ""),
        shape("sldNum", &run("1")),
    ]
    .concat();
    let bytes = package(
        "ppt/presentation.xml",
        r#"<p:presentation><p:sldIdLst><p:sldId r:id="a"/><p:sldId r:id="b"/></p:sldIdLst></p:presentation>"#,
        &[
            (
                "ppt/_rels/presentation.xml.rels",
                r#"<Relationships><Relationship Id="a" Type="x/slide" Target="slides/s1.xml"/><Relationship Id="b" Type="x/slide" Target="slides/s2.xml"/></Relationships>"#,
            ),
            (
                "ppt/slides/s1.xml",
                &slide(&[run("Page "), number("1")].concat()),
            ),
            ("ppt/slides/s2.xml", &slide(&number("2"))),
            (
                "ppt/slides/_rels/s1.xml.rels",
                r#"<Relationships><Relationship Id="n" Type="x/notesSlide" Target="../notes.xml"/></Relationships>"#,
            ),
            (
                "ppt/notes.xml",
                &format!("<p:notes><p:cSld><p:spTree>{notes}</p:spTree></p:cSld></p:notes>"),
            ),
        ],
    );
    assert_eq!(
        read(&bytes).markdown,
        "<!-- slide 1 -->\n\n## First\n\nSecond\n\n> Notes: Said\n> Box\n\n\
        <!-- slide 2 -->\n\n## First\n\nSecond\n\n<!-- footers -->\n\n4 May\n\nPage"
    );
}

#[test]
fn texts_behind_the_slides_are_kept_once() {
    let shape = |y: i64, kind: &str, text: &str| {
        format!(
            r#"<p:sp><p:nvSpPr><p:nvPr>{kind}</p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="{y}"/></a:xfrm></p:spPr><p:txBody><a:p>{text}</a:p></p:txBody></p:sp>"#
        )
    };
    let run = |text: &str| format!("<a:r><a:t>{text}</a:t></a:r>");
    let tree = |name: &str, shapes: &[String]| {
        let shapes = shapes.concat();
        format!("<p:{name}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:{name}>")
    };
    let layout = tree(
        "sldLayout",
        &[
            shape(10, r#"<p:ph type="body"/>"#, &run("Click to edit")),
            shape(10, "", &run("Confidential")),
            shape(-10, "", &run("How to use this")),
            shape(10, "", r#"<a:fld type="slidenum"><a:t>3</a:t></a:fld>"#),
        ],
    );
    let master = tree("sldMaster", &[shape(10, "", &run("Company"))]);
    let slide = tree("sld", &[shape(10, "", &run("Text"))]);
    let plain = slide.replace("<p:sld>", r#"<p:sld showMasterSp="0">"#);
    let to_layout = |name: &str| {
        format!(
            r#"<Relationships><Relationship Id="l" Type="x/slideLayout" Target="{name}"/></Relationships>"#
        )
    };
    let presentation = |first: &str| {
        package(
            "ppt/presentation.xml",
            r#"<p:presentation><p:sldIdLst><p:sldId r:id="a"/><p:sldId r:id="b"/></p:sldIdLst><p:sldSz cx="100" cy="100"/></p:presentation>"#,
            &[
                (
                    "ppt/_rels/presentation.xml.rels",
                    r#"<Relationships><Relationship Id="a" Type="x/slide" Target="s1.xml"/><Relationship Id="b" Type="x/slide" Target="s2.xml"/></Relationships>"#,
                ),
                ("ppt/s1.xml", first),
                ("ppt/s2.xml", first),
                ("ppt/_rels/s1.xml.rels", &to_layout("layout.xml")),
                ("ppt/_rels/s2.xml.rels", &to_layout("layout.xml")),
                ("ppt/layout.xml", &layout),
                (
                    "ppt/_rels/layout.xml.rels",
                    r#"<Relationships><Relationship Id="m" Type="x/slideMaster" Target="master.xml"/></Relationships>"#,
                ),
                ("ppt/master.xml", &master),
            ],
        )
    };
    let slides = "<!-- slide 1 -->\n\nText\n\n<!-- slide 2 -->\n\nText";
    assert_eq!(
        read(&presentation(&slide)).markdown,
        format!("{slides}\n\n<!-- footers -->\n\nConfidential\n\nCompany")
    );
    assert_eq!(read(&presentation(&plain)).markdown, slides);
}

#[test]
fn fields_that_never_have_a_result_show_their_text() {
    let field = |code: &str| {
        format!(
            r#"<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>{code}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>"#
        )
    };
    let body = format!(
        "<w:p>{}</w:p><w:p>{}</w:p><w:p><w:r><w:t>At </w:t></w:r>{}</w:p>",
        field(" MACROBUTTON NoMacro [Type a name] "),
        field(r" EQ \f(1,2) "),
        field(" PAGE "),
    );
    assert_eq!(read(&docx(&body)).markdown, "[Type a name]\n\n1/2\n\nAt");
}

#[test]
fn hidden_slides_are_left_out_unless_all_are_hidden() {
    let slide = |is_shown: bool, text: &str| {
        format!(
            r#"<p:sld show="{}"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"#,
            u8::from(is_shown)
        )
    };
    for (first, expected, warnings) in [
        (true, "<!-- slide 1 -->\n\none", &[Warning::HiddenParts][..]),
        (
            false,
            "<!-- slide 1 -->\n\none\n\n<!-- slide 2 -->\n\ntwo",
            &[],
        ),
    ] {
        let bytes = package(
            "ppt/presentation.xml",
            r#"<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r1"/><p:sldId id="257" r:id="r2"/></p:sldIdLst></p:presentation>"#,
            &[
                (
                    "ppt/_rels/presentation.xml.rels",
                    r#"<Relationships><Relationship Id="r1" Target="slides/slide1.xml"/><Relationship Id="r2" Target="slides/slide2.xml"/></Relationships>"#,
                ),
                ("ppt/slides/slide1.xml", &slide(first, "one")),
                ("ppt/slides/slide2.xml", &slide(false, "two")),
            ],
        );
        let read = read(&bytes);
        assert_eq!((&*read.markdown, &*read.warnings), (expected, warnings));
        assert_eq!(read.pages, Some(2));
    }
}

pub(crate) fn open_document(kind: &str, content: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let mimetype = format!("application/vnd.oasis.opendocument.{kind}");
    let mut entries: Vec<(&str, &[u8])> = vec![
        ("mimetype", mimetype.as_bytes()),
        ("content.xml", content.as_bytes()),
    ];
    entries.extend(more.iter().map(|(name, text)| (*name, text.as_bytes())));
    zip(&entries)
}

#[test]
fn an_opendocument_text_keeps_numbers_comments_charts_and_equations() {
    let content = r#"<office:document-content><office:automatic-styles><text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" text:start-value="3"/>
        <text:list-level-style-bullet text:level="2"/></text:list-style></office:automatic-styles><office:body><office:text>
        <text:p text:style-name="Title">Report</text:p>
        <text:list text:style-name="L1"><text:list-item><text:p>three</text:p><text:list><text:list-item><text:p>dot</text:p></text:list-item></text:list></text:list-item></text:list>
        <text:p>Between<office:annotation><dc:creator>Ada</dc:creator><text:p>Why?</text:p></office:annotation></text:p>
        <text:list text:style-name="L1" text:continue-numbering="true"><text:list-item><text:p>four</text:p></text:list-item><text:list-item text:start-value="9"><text:p>nine</text:p></text:list-item></text:list>
        <text:p>Area <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>
        <text:p>Pandoc <draw:frame><draw:object xlink:href="Object 1/"/></draw:frame></text:p>
        <text:p><draw:frame><draw:object xlink:href="./Object 2"/><draw:image xlink:href="x"/></draw:frame></text:p></office:text></office:body></office:document-content>"#;
    let math =
        "<math><semantics><mrow><mfrac><mn>1</mn><mi>π</mi></mfrac></mrow></semantics></math>";
    let chart = r#"<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title><table:table><table:table-header-rows><table:table-row><table:table-cell><text:p/></table:table-cell><table:table-cell><text:p>2024</text:p></table:table-cell></table:table-row></table:table-header-rows>
        <table:table-rows><table:table-row><table:table-cell><text:p>North</text:p></table:table-cell><table:table-cell office:value="1.25"><text:p>1.3</text:p></table:table-cell></table:table-row></table:table-rows></table:table></chart:chart></office:chart></office:body></office:document-content>"#;
    let styles = r#"<office:document-styles><office:master-styles><style:master-page><style:header><text:p>Company</text:p></style:header><style:footer><text:p><text:page-number>1</text:page-number></text:p></style:footer></style:master-page></office:master-styles></office:document-styles>"#;
    let read = read(&open_document(
        "text",
        content,
        &[
            ("Object 1/content.xml", math),
            ("Object 2/content.xml", chart),
            ("styles.xml", styles),
        ],
    ));
    assert_eq!(
        read.markdown,
        "# Report\n\n3. three\n   - dot\n\nBetween[^comment-1]\n\n4. four\n9. nine\n\nArea $\\frac{1}{\\pi}$\n\nPandoc $\\frac{1}{\\pi}$\n\nChart: Sales\n\n|  | 2024 |\n| --- | --- |\n| North | 1.25 |\n\n[^comment-1]: Ada: Why?\n\n<!-- headers and footers -->\n\nCompany"
    );
}

#[test]
fn footers_and_masters_of_an_opendocument_presentation_are_kept_once() {
    let styles = r#"<office:document-styles><office:master-styles><style:master-page style:name="M">
        <draw:frame presentation:class="title"><draw:text-box><text:p>Click to edit</text:p></draw:text-box></draw:frame>
        <draw:frame presentation:class="footer"><draw:text-box><text:p>Footer</text:p></draw:text-box></draw:frame>
        <draw:frame><draw:text-box><text:p>Confidential</text:p></draw:text-box></draw:frame>
        <draw:frame><draw:text-box><text:p><text:page-number>&lt;number&gt;</text:page-number></text:p></draw:text-box></draw:frame>
        </style:master-page></office:master-styles></office:document-styles>"#;
    let slides = |style: &str| {
        format!(
            r#"<office:document-content><office:automatic-styles><style:style style:name="d1" style:family="drawing-page">
            <style:drawing-page-properties presentation:display-footer="true"/></style:style>
            <style:style style:name="d2" style:family="drawing-page"><style:drawing-page-properties presentation:display-footer="false"/></style:style></office:automatic-styles>
            <office:body><office:presentation><presentation:footer-decl presentation:name="f1">Spring</presentation:footer-decl>
            <presentation:footer-decl presentation:name="f2">Unused</presentation:footer-decl>
            <draw:page draw:master-page-name="M" draw:style-name="{style}" presentation:use-footer-name="f1"><draw:frame><draw:text-box><text:p>One</text:p></draw:text-box></draw:frame></draw:page>
            <draw:page draw:master-page-name="M" draw:style-name="{style}" presentation:use-footer-name="f1"><draw:frame><draw:text-box><text:p>Two</text:p></draw:text-box></draw:frame></draw:page>
            </office:presentation></office:body></office:document-content>"#
        )
    };
    let read_with = |style: &str| {
        let bytes = open_document("presentation", &slides(style), &[("styles.xml", styles)]);
        read(&bytes).markdown
    };
    let text = "<!-- slide 1 -->\n\nOne\n\n<!-- slide 2 -->\n\nTwo\n\n<!-- footers -->";
    assert_eq!(
        read_with("d1"),
        format!("{text}\n\nSpring\n\nFooter\n\nConfidential")
    );
    assert_eq!(read_with("d2"), format!("{text}\n\nConfidential"));
}

#[test]
fn an_opendocument_sheet_has_names_dates_and_exact_numbers() {
    let content = r#"<d><office:automatic-styles><style:style style:name="ta2"><style:table-properties table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet>
        <table:table table:name="Empty"/><table:table table:name="Data"><table:table-row><table:table-cell office:date-value="2024-03-01"><text:p>1.3.24</text:p></table:table-cell>
        <table:table-cell office:value="1234.5678"><text:p>1,234.57</text:p></table:table-cell><table:table-cell><office:annotation><dc:creator>Ada</dc:creator><text:p>Hm.</text:p></office:annotation><text:p>x</text:p></table:table-cell></table:table-row></table:table>
        <table:table table:name="Secret" table:style-name="ta2"><table:table-row><table:table-cell><text:p>no</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></d>"#;
    let expected = "## Empty\n\n## Data\n\n| 2024-03-01 | 1,234.57 (1234.5678) | x |\n| --- | --- | --- |\n\nComments:\n\n- C1 (Ada): Hm.\n\n*Hidden sheets, left out: Secret*";
    let read_named = read(&open_document("spreadsheet", content, &[]));
    assert_eq!(read_named.markdown, expected);
    assert_eq!(read_named.warnings, [Warning::HiddenParts]);
    // Without its first entry, the content says what it is.
    let read_unnamed = read(&zip(&[("content.xml", content.as_bytes())]));
    assert_eq!(
        (read_unnamed.kind, &*read_unnamed.markdown),
        (DocumentKind::ODS, expected)
    );
}

#[test]
fn cells_without_a_text_show_their_value() {
    let cells = r#"<table:table-cell office:value-type="float" office:value="3.14"/><table:table-cell office:value-type="boolean" office:boolean-value="true"/>
        <table:table-cell office:value-type="date" office:date-value="2024-03-01T00:00:00"/><table:table-cell office:value-type="string" office:string-value="word"/>"#;
    let content = format!(
        r#"<d><office:body><office:spreadsheet><table:table table:name="Data"><table:table-row>{cells}</table:table-row></table:table></office:spreadsheet></office:body></d>"#
    );
    let read = read(&open_document("spreadsheet", &content, &[]));
    let expected = "| 3.14 | TRUE | 2024-03-01 | word |";
    assert!(read.markdown.contains(expected), "{}", read.markdown);
}

#[test]
fn deep_and_circular_structures_end() {
    let deep = |element: &str, inner: &str| {
        format!(
            "{}{inner}{}",
            format!("<{element}>").repeat(5_000),
            format!("</{element}>").repeat(5_000)
        )
    };
    for body in [
        deep(
            "w:tbl",
            "<w:tr><w:tc><w:p><w:r><w:t>in</w:t></w:r></w:p></w:tc></w:tr>",
        ),
        format!(
            "<w:p><m:oMath>{}</m:oMath></w:p>",
            deep("m:e", "<m:r><m:t>in</m:t></m:r>")
        ),
        format!(
            "<w:p><w:r><w:drawing>{}</w:drawing></w:r></w:p>",
            deep("a:g", "")
        ),
    ] {
        let _ = read_document(&docx(&format!("{}{body}", p("text"))), &Hint::default());
    }
    // A style based on itself, a list of a style of that list, and a field that never ends.
    let styles = r#"<w:styles><w:style w:styleId="A"><w:basedOn w:val="A"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>"#;
    let numbering = r#"<w:numbering><w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="A"/></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>"#;
    let fields = r#"<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:p>"#.repeat(500);
    let body = format!("{fields}{}", with(r#"<w:pStyle w:val="A"/>"#, "kept"));
    let bytes = word(
        &body,
        &[
            ("styles", "styles.xml", styles),
            ("numbering", "numbering.xml", numbering),
        ],
    );
    assert_eq!(read(&bytes).markdown, "- kept");
}

#[test]
fn how_words_are_read_follows_them_in_brackets() {
    let run = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let ruby = format!(
        "<w:p><w:r><w:ruby><w:rubyPr/><w:rt>{}</w:rt><w:rubyBase>{}</w:rubyBase></w:ruby></w:r>{}</w:p>",
        run("かん"),
        run("漢"),
        run("字")
    );
    assert_eq!(read(&word(&ruby, &[])).markdown, "漢(かん)字");
    let content = r#"<office:document-content><office:body><office:text><text:p><text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>かん</text:ruby-text></text:ruby>字</text:p></office:text></office:body></office:document-content>"#;
    let text = open_document("text", content, &[]);
    assert_eq!(read(&text).markdown, "漢(かん)字");
}

#[test]
fn shapes_in_a_group_are_where_the_group_is_and_notes_have_no_numbers() {
    let shape = |place: &str, text: &str| {
        format!("<draw:custom-shape {place}><text:p>{text}</text:p></draw:custom-shape>")
    };
    let notes = r#"<presentation:notes><draw:page-thumbnail presentation:class="page"/>
        <draw:frame presentation:class="notes"><draw:text-box><text:p>Said</text:p></draw:text-box></draw:frame>
        <draw:frame presentation:class="page-number"><draw:text-box><text:p><text:page-number>&lt;number&gt;</text:page-number></text:p></draw:text-box></draw:frame></presentation:notes>"#;
    let content = format!(
        "<office:document-content><office:body><office:presentation><draw:page>{}<draw:g>{}{}</draw:g>{}{notes}</draw:page></office:presentation></office:body></office:document-content>",
        shape(r#"svg:x="1cm" svg:y="9cm""#, "bottom"),
        shape(r#"svg:x="1cm" svg:y="6cm""#, "second"),
        shape(r#"svg:x="1cm" svg:y="5cm""#, "first"),
        shape(r#"svg:x="1cm" svg:y="1cm""#, "top"),
    );
    assert_eq!(
        read(&open_document("presentation", &content, &[])).markdown,
        "<!-- slide 1 -->\n\ntop\n\nfirst\n\nsecond\n\nbottom\n\n> Notes: Said"
    );
}

#[test]
fn a_chart_of_points_has_what_is_to_the_right_in_its_first_column() {
    let cell = |value: &str| format!(r#"<table:table-cell office:value="{value}"/>"#);
    let row = |values: [&str; 3]| {
        let cells: String = values.into_iter().map(cell).collect();
        format!("<table:table-row><table:table-cell/>{cells}</table:table-row>")
    };
    let head = ["XY", "Second", "x"]
        .map(|it| format!("<table:table-cell><text:p>{it}</text:p></table:table-cell>"));
    let chart = format!(
        r#"<office:document-content><office:body><office:chart><chart:chart chart:class="chart:scatter"><chart:plot-area>
        <chart:series chart:values-cell-range-address="local-table.$B$2:.$B$3"><chart:domain table:cell-range-address="local-table.$D$2:.$D$3"/></chart:series>
        <chart:series chart:values-cell-range-address="local-table.$C$2:.$C$3"/></chart:plot-area>
        <table:table><table:table-row><table:table-cell/>{}</table:table-row>{}{}</table:table></chart:chart></office:chart></office:body></office:document-content>"#,
        head.concat(),
        row(["2", "20", "1"]),
        row(["4.5", "45", "3"])
    );
    let content = r#"<office:document-content><office:body><office:text><text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p></office:text></office:body></office:document-content>"#;
    let bytes = open_document("text", content, &[("Object 1/content.xml", &chart)]);
    assert_eq!(
        read(&bytes).markdown,
        "Chart:\n\n| x | XY | Second |\n| --- | --- | --- |\n| 1 | 2 | 20 |\n| 3 | 4.5 | 45 |"
    );
}

#[test]
fn an_opendocument_sheet_keeps_links_to_other_sheets() {
    let content = r##"<d><office:body><office:spreadsheet><table:table table:name="Data"><table:table-row>
        <table:table-cell><text:p><text:a xlink:href="#'Q 2'.A1">there</text:a></text:p></table:table-cell>
        <table:table-cell office:value-type="float" office:value="1"><text:p>TRUE</text:p></table:table-cell>
        </table:table-row></table:table></office:spreadsheet></office:body></d>"##;
    let read = read(&open_document("spreadsheet", content, &[]));
    assert_eq!(
        read.markdown,
        "## Data\n\n| [there](#'Q%202'.A1) | TRUE |\n| --- | --- |"
    );
}

#[test]
fn tables_and_formulas_in_too_many_others_keep_their_text() {
    let (open, close) = ("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>");
    for depth in 60..70 {
        let table = format!(
            "{}{}{}",
            open.repeat(depth),
            p("deepest"),
            close.repeat(depth)
        );
        assert_eq!(read(&word(&table, &[])).markdown, "deepest", "{depth}");
    }
    let table = format!("{}{}{}", open.repeat(300), p("deepest"), close.repeat(300));
    assert_eq!(read(&word(&table, &[])).warnings, [Warning::TooNested]);
    let (open, close) = ("<m:f><m:num>", "</m:num></m:f>");
    let formula = "<m:r><m:t>x</m:t></m:r>";
    let formula = format!(
        "<w:p><m:oMath>{}{formula}{}</m:oMath></w:p>",
        open.repeat(300),
        close.repeat(300)
    );
    let read = read(&word(&formula, &[]));
    assert!(read.markdown.contains("{x}"), "{}", read.markdown);
    assert_eq!(read.warnings, [Warning::TooNested]);
}

#[test]
fn a_presentation_without_any_text_is_empty() {
    let content = |shape: &str| {
        let page = format!("<draw:page>{shape}</draw:page>");
        format!(
            "<office:document-content><office:body><office:presentation>{page}{page}</office:presentation></office:body></office:document-content>"
        )
    };
    let open = |shape: &str| {
        let bytes = open_document("presentation", &content(shape), &[]);
        read_document(&bytes, &Hint::default())
    };
    let fault = open("<draw:frame/>").expect_err("holds no text");
    assert!(fault.to_string().contains("holds no text"), "{fault}");
    let frame = "<draw:frame><draw:text-box><text:p>x</text:p></draw:text-box></draw:frame>";
    assert!(open(frame).is_ok());
}
