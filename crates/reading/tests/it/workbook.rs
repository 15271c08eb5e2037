//! Excel workbooks: what programs other than Excel write, and what is beside the cells.

use std::time::Duration;

use reading::document::{
    Document, DocumentKind, Hint, Limits, Warning, read_document, read_document_within,
};
use testkit::documents::{package, zip};

fn read(bytes: &[u8]) -> Document {
    read_document(bytes, &Hint::default()).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

/// A workbook of one sheet with this content, and these parts beside it.
fn workbook(sheet: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let mut parts = vec![
        (
            "xl/_rels/workbook.xml.rels",
            r#"<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/>
               <Relationship Id="r2" Type="x/styles" Target="styles.xml"/><Relationship Id="r3" Type="x/person" Target="persons/person.xml"/></Relationships>"#,
        ),
        ("xl/worksheets/sheet1.xml", sheet),
    ];
    parts.extend(more);
    package(
        "xl/workbook.xml",
        r#"<workbook><sheets><sheet name="Data" sheetId="1" r:id="r1"/></sheets></workbook>"#,
        &parts,
    )
}

#[test]
fn an_empty_sheet_is_named() {
    let read = read(&workbook("<worksheet><sheetData/></worksheet>", &[]));
    assert_eq!(read.markdown, "## Data");
    assert_eq!(read.warnings, []);
}

#[test]
fn the_digits_of_a_long_whole_number_are_kept() {
    let numbers = [
        "123456789012345678",
        "1.234567890123457e+17",
        "9007199254740993",
        "0.30000000000000004",
    ];
    let cells: String = numbers
        .iter()
        .map(|it| format!("<c><v>{it}</v></c>"))
        .collect();
    let sheet = format!("<worksheet><sheetData><row>{cells}</row></sheetData></worksheet>");
    assert_eq!(
        read(&workbook(&sheet, &[])).markdown,
        "## Data\n\n| 123456789012345678 | 123456789012345700 | 9007199254740993 | 0.3 |\n| --- | --- | --- | --- |"
    );
}

#[test]
fn cells_keep_their_links() {
    let sheet = r##"<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>https://a.example/x</v></c></row>
        <row r="2"><c r="B2" t="str"><f>HYPERLINK("https://a.example/f","text")</f><v>text</v></c><c r="C2" t="str"><v>inner</v></c></row>
        <row r="3"><c r="A3" t="str"><f>HYPERLINK("#Sums!B2","sum")</f><v>sum</v></c><c r="B3" t="str"><v>file</v></c><c r="C3" t="str"><v>both</v></c></row></sheetData>
        <hyperlinks><hyperlink ref="A1" o:id="rId1"/><hyperlink ref="B1:B1" o:id="rId2"/><hyperlink ref="C2" location="'My data'!A1"/>
        <hyperlink ref="B3" o:id="rId3"/><hyperlink ref="C3" o:id="rId1" location="part"/><hyperlink ref="A4" o:id="rId2"/><hyperlink ref="B4" location="Data!A1"/></hyperlinks></worksheet>"##;
    let relations = r#"<Relationships><Relationship Id="rId1" Type="x/hyperlink" Target="https://a.example/a b" TargetMode="External"/>
        <Relationship Id="rId2" Type="x/hyperlink" Target="https://a.example/x" TargetMode="External"/>
        <Relationship Id="rId3" Type="x/hyperlink" Target="../b.xlsx" TargetMode="External"/></Relationships>"#;
    let read = read(&workbook(
        sheet,
        &[("xl/worksheets/_rels/sheet1.xml.rels", relations)],
    ));
    assert_eq!(
        read.markdown,
        "## Data\n\n| [name](https://a.example/a%20b) | <https://a.example/x> |  |\n| --- | --- | --- |\n|  | [text](https://a.example/f) | [inner](#'My%20data'!A1) |\n\
        | [sum](#Sums!B2) | [file](../b.xlsx) | [both](https://a.example/a%20b#part) |\n| <https://a.example/x> |  |  |"
    );
}

#[test]
fn a_sheet_of_nothing_but_addresses_is_whole() {
    let sheet = r#"<worksheet><sheetData/><hyperlinks><hyperlink ref="A1" o:id="rId1"/></hyperlinks></worksheet>"#;
    let relations = r#"<Relationships><Relationship Id="rId1" Type="x/hyperlink" Target="https://a.example/x" TargetMode="External"/></Relationships>"#;
    let relations = [("xl/worksheets/_rels/sheet1.xml.rels", relations)];
    let read = read(&workbook(sheet, &relations));
    assert_eq!(read.markdown, "## Data\n\n<https://a.example/x>");
    assert_eq!(read.warnings, []);
}

#[test]
fn notes_and_conversations_follow_the_table() {
    let relations = r#"<Relationships><Relationship Id="rId1" Type="x/comments" Target="../comments1.xml"/>
        <Relationship Id="rId2" Type="x/threadedComment" Target="../threadedComments/t1.xml"/></Relationships>"#;
    let notes = r#"<comments><authors><author>Ada</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t>Ada:</t></r><r><t>
        Check this.</t></r></text></comment><comment ref="B1" authorId="0"><text><t>[Threaded comment]</t></text></comment></commentList></comments>"#;
    let thread = r#"<ThreadedComments><threadedComment ref="B1" personId="{1}"><text>Why?</text></threadedComment>
        <threadedComment ref="B1" personId="{2}"><text>Because.</text></threadedComment></ThreadedComments>"#;
    let people = r#"<personList><person displayName="Grace" id="{1}"/></personList>"#;
    let read = read(&workbook(
        r#"<worksheet><sheetData><row><c t="str"><v>a</v></c><c><v>1</v></c></row></sheetData></worksheet>"#,
        &[
            ("xl/worksheets/_rels/sheet1.xml.rels", relations),
            ("xl/comments1.xml", notes),
            ("xl/threadedComments/t1.xml", thread),
            ("xl/persons/person.xml", people),
        ],
    ));
    assert_eq!(
        read.markdown,
        "## Data\n\n| a | 1 |\n| --- | --- |\n\nComments:\n\n- B1 (Grace): Why?\n- B1: Because.\n- A1 (Ada): Check this."
    );
}

#[test]
fn a_chart_becomes_a_table_and_a_text_box_a_paragraph() {
    let relations = r#"<Relationships><Relationship Id="rId1" Type="x/drawing" Target="../drawings/d.xml"/></Relationships>"#;
    let drawing = r#"<xdr:wsDr><xdr:twoCellAnchor><xdr:sp><xdr:txBody><a:p><a:r><a:t>A remark</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor>
        <xdr:twoCellAnchor><xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame></xdr:twoCellAnchor>
        <xdr:twoCellAnchor><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="2" name="Picture 1" descr="A map"/></xdr:nvPicPr></xdr:pic></xdr:twoCellAnchor></xdr:wsDr>"#;
    let series = |name: &str, values: [&str; 2]| {
        let [first, second] = values;
        format!(
            r#"<c:ser><c:tx><c:strRef><c:f>Data!$B$1</c:f><c:strCache><c:pt idx="0"><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>
            <c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt><c:pt idx="1"><c:v>South</c:v></c:pt></c:strCache></c:strRef></c:cat>
            <c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>{first}</c:v></c:pt><c:pt idx="1"><c:v>{second}</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>"#
        )
    };
    let chart = format!(
        r#"<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>{}{}</c:barChart></c:plotArea></c:chart></c:chartSpace>"#,
        series("2023", ["1.50", "2"]),
        series("2024", ["3", "4"])
    );
    let read_with = |chart: &str| {
        read(&workbook(
            "<worksheet><sheetData/><drawing r:id='rId1'/></worksheet>",
            &[
                ("xl/worksheets/_rels/sheet1.xml.rels", relations),
                ("xl/drawings/d.xml", drawing),
                (
                    "xl/drawings/_rels/d.xml.rels",
                    r#"<Relationships><Relationship Id="rId1" Type="x/chart" Target="../charts/c1.xml"/></Relationships>"#,
                ),
                ("xl/charts/c1.xml", chart),
            ],
        ))
    };
    // Some programs store none of the values.
    let blank = chart.replace("c:pt idx", "c:no idx");
    assert_eq!(
        read_with(&blank).markdown,
        "## Data\n\nA remark\n\nChart: Sales\n\n![A map]"
    );
    assert_eq!(
        read_with(&chart).markdown,
        "## Data\n\nA remark\n\nChart: Sales\n\n|  | 2023 | 2024 |\n| --- | --- | --- |\n| North | 1.5 | 3 |\n| South | 2 | 4 |\n\n![A map]"
    );
}

#[test]
fn far_columns_are_not_lost() {
    let cells: String = (0..400).map(|at| format!("<c><v>{at}</v></c>")).collect();
    let sheet = format!(
        r#"<worksheet><sheetData><row>{cells}</row><row r="9"><c r="XFD9"><v>0.5</v></c></row></sheetData></worksheet>"#
    );
    let read = read(&workbook(&sheet, &[]));
    assert!(read.markdown.contains(", 398, 399\n"), "{}", read.markdown);
    assert!(read.markdown.ends_with(",0.5\n```"), "{}", read.markdown);
    assert_eq!(read.warnings, []);
}

#[test]
fn packages_of_other_programs_are_read() {
    let sheet = "<x:worksheet><x:sheetData><x:row><x:c t='inlineStr'><x:is><x:t>kept</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>";
    let relation = |kind: &str, target: &str| {
        format!(
            r#"<rel:Relationships><rel:Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/{kind}" Target="{target}"/></rel:Relationships>"#
        )
    };
    let book = r#"<x:workbook><x:sheets><x:sheet name="S" sheetId="1" ns1:id="a"/></x:sheets></x:workbook>"#;
    let types = r#"<Types><Override PartName="/book.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#;
    let (main, to_sheet) = (
        relation("officeDocument", "book.xml"),
        relation("worksheet", "one.xml"),
    );
    let without_folder = zip(&[
        ("[Content_Types].xml", types.as_bytes()),
        ("_rels/.rels", main.as_bytes()),
        ("book.xml", book.as_bytes()),
        ("_rels/book.xml.rels", to_sheet.as_bytes()),
        ("one.xml", sheet.as_bytes()),
    ]);
    let without_relations = zip(&[
        ("[Content_Types].xml", types.as_bytes()),
        ("book.xml", book.as_bytes()),
        ("_rels/book.xml.rels", to_sheet.as_bytes()),
        ("one.xml", sheet.as_bytes()),
    ]);
    let (main, to_sheet) = (
        relation("officeDocument", "xl\\book.xml"),
        relation("worksheet", "sheets\\one.xml"),
    );
    let backslashes = zip(&[
        ("[Content_Types].xml", types.as_bytes()),
        ("_rels\\.rels", main.as_bytes()),
        ("xl\\book.xml", book.as_bytes()),
        ("xl\\_rels\\book.xml.rels", to_sheet.as_bytes()),
        ("xl\\sheets\\one.xml", sheet.as_bytes()),
    ]);
    for bytes in [without_folder, without_relations, backslashes] {
        let read = read(&bytes);
        assert_eq!(
            (read.kind, read.markdown.as_str()),
            (DocumentKind::XLSX, "## S\n\nkept")
        );
    }
}

#[test]
fn a_damaged_sheet_costs_that_sheet() {
    let bytes = package(
        "xl/workbook.xml",
        r#"<workbook><sheets><sheet name="Gone" r:id="r9"/><sheet name="Cut" r:id="r1"/></sheets></workbook>"#,
        &[
            (
                "xl/_rels/workbook.xml.rels",
                r#"<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r3" Type="x/sharedStrings" Target="nothing.xml"/></Relationships>"#,
            ),
            (
                "xl/worksheets/sheet1.xml",
                "<worksheet><sheetData><row><c t='str'><v>kept</v></c></row><row><c t='str'><v>lo",
            ),
        ],
    );
    let read = read(&bytes);
    assert_eq!(read.markdown, "## Gone\n\n## Cut\n\nkept");
    assert_eq!(read.warnings, [Warning::Incomplete]);
}

/// A sheet of 100 KB took 13 seconds: the formula was moved for every cell, though nobody had asked for it.
#[test]
fn a_long_formula_that_many_cells_share_is_moved_only_where_it_is_shown() {
    let formula = "A1+".repeat(5_000);
    let cells = r#"<row><c><f t="shared" si="0"/><v>2</v></c></row>"#.repeat(20_000);
    let sheet = format!(
        r#"<worksheet><sheetData><row><c><f t="shared" si="0">{formula}1</f><v>1</v></c></row>{cells}</sheetData></worksheet>"#
    );
    let bytes = workbook(&sheet, &[]);
    let values = read(&bytes).markdown;
    assert_eq!(values.matches("2").count(), 20_000);
    let hint = Hint {
        formulas: true,
        ..Hint::default()
    };
    // The machine may be busy: what is limited here is the text.
    let limits = Limits {
        time: Duration::from_secs(600),
        ..Limits::default()
    };
    let shown = read_document_within(&bytes, &hint, limits).expect("is read");
    assert!(shown.markdown.contains("2 (=A2+A2+"));
    assert!(shown.warnings.contains(&Warning::Truncated));
}

#[test]
fn formulas_are_shown_on_request() {
    let sheet = r#"<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B2" si="0">A1*$A$1</f><v>1</v></c></row>
        <row r="2"><c r="A2"><v>2</v></c><c r="B2"><f t="shared" si="0"/><v>2</v></c></row></sheetData></worksheet>"#;
    let bytes = workbook(sheet, &[]);
    assert_eq!(
        read(&bytes).markdown,
        "## Data\n\n| 1 | 1 |\n| --- | --- |\n| 2 | 2 |"
    );
    let hint = Hint {
        formulas: true,
        ..Hint::default()
    };
    let shown = read_document(&bytes, &hint).expect("is read").markdown;
    assert_eq!(
        shown,
        "## Data\n\n| 1 | 1 (=A1*$A$1) |\n| --- | --- |\n| 2 | 2 (=A2*$A$1) |"
    );
    let content = r#"<d><office:body><office:spreadsheet><table:table table:name="S"><table:table-row><table:table-cell table:formula="of:=SUM([.A1:.A2])" office:value="3"><text:p>3</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></d>"#;
    let ods = zip(&[
        (
            "mimetype",
            b"application/vnd.oasis.opendocument.spreadsheet",
        ),
        ("content.xml", content.as_bytes()),
    ]);
    let shown = read_document(&ods, &hint).expect("is read").markdown;
    assert_eq!(shown, "## S\n\n3 (=SUM([.A1:.A2]))");
}
