//! One part of a document: it is read whatever comes before it, and all of them are listed.

use reading::document::{
    Document, Hint, Limits, WantedParts, Warning, read_document, read_document_within,
};
use testkit::documents::{package, pdf};

fn numbers(first: u32, last: u32) -> Hint {
    Hint {
        wanted: Some(WantedParts {
            first,
            last,
            name: None,
        }),
        ..Hint::default()
    }
}

fn named(name: &str) -> Hint {
    Hint {
        wanted: Some(WantedParts {
            first: 1,
            last: u32::MAX,
            name: Some(name.to_owned()),
        }),
        ..Hint::default()
    }
}

fn read(bytes: &[u8], hint: &Hint) -> Document {
    read_document(bytes, hint).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

fn listed(document: &Document) -> Vec<(u32, bool)> {
    let parts = document.parts.iter();
    parts
        .map(|part| (part.number, part.start.is_some()))
        .collect()
}

/// A PDF whose pages say their numbers below a running head.
fn pages(count: u32) -> Vec<u8> {
    let page = |number: u32| {
        format!(
            "BT /F1 12 Tf 50 780 Td (Annual report) Tj 0 -80 Td (This is leaf {number} of it.) Tj 0 -40 Td (More words.) Tj \
             0 -40 Td (And more.) Tj 0 -40 Td (And an end.) Tj ET"
        )
    };
    let contents: Vec<String> = (1..=count).map(page).collect();
    pdf(&contents.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn pages_of_a_long_pdf_are_read_without_those_before_them() {
    let bytes = pages(60);
    let all = read(&bytes, &Hint::default());
    assert_eq!((all.pages, all.parts.len()), (Some(60), 60));
    let limits = Limits {
        text: 1_000,
        ..Limits::default()
    };
    let cut = read_document_within(&bytes, &Hint::default(), limits).expect("is read");
    assert_eq!((cut.parts.len(), cut.truncated), (60, true));
    assert_eq!(cut.parts[58].start, None);
    let late = read_document_within(&bytes, &numbers(58, 59), limits).expect("is read");
    assert!(!late.truncated, "{late:?}");
    assert!(
        late.markdown.contains("leaf 58 of") && late.markdown.contains("leaf 59 of"),
        "{}",
        late.markdown
    );
    assert!(!late.markdown.contains("leaf 57 of") && !late.markdown.contains("leaf 60 of"));
    assert_eq!(
        late.markdown.matches("Annual report").count(),
        0,
        "the pages beside them show what repeats: {}",
        late.markdown
    );
    assert_eq!(late.pages, Some(60));
    let in_text: Vec<u32> = listed(&late)
        .iter()
        .filter(|it| it.1)
        .map(|it| it.0)
        .collect();
    assert_eq!(in_text, [58, 59]);
}

#[test]
fn a_page_that_does_not_exist_leaves_the_list_of_those_that_do() {
    let none = read(&pages(40), &numbers(41, 50));
    assert_eq!((none.markdown.as_str(), none.parts.len()), ("", 40));
    let named = read(&pages(40), &named("Summary"));
    assert_eq!((named.markdown.as_str(), named.parts.len()), ("", 40));
}

/// A workbook of sheets with these names, states and cells.
fn workbook(sheets: &[(&str, &str, &str)]) -> Vec<u8> {
    let (mut list, mut relations) = (String::new(), String::new());
    let mut parts: Vec<(String, String)> = Vec::new();
    for ((name, state, cells), number) in sheets.iter().zip(1..) {
        list += &format!(r#"<sheet name="{name}" state="{state}" r:id="r{number}"/>"#);
        relations += &format!(
            r#"<Relationship Id="r{number}" Type="x/worksheet" Target="worksheets/{number}.xml"/>"#
        );
        parts.push((
            format!("xl/worksheets/{number}.xml"),
            format!("<worksheet><sheetData>{cells}</sheetData></worksheet>"),
        ));
    }
    parts.push((
        "xl/_rels/workbook.xml.rels".to_owned(),
        format!("<Relationships>{relations}</Relationships>"),
    ));
    let parts: Vec<(&str, &str)> = parts
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    package(
        "xl/workbook.xml",
        &format!("<workbook><sheets>{list}</sheets></workbook>"),
        &parts,
    )
}

fn row(text: &str) -> String {
    format!(r#"<row><c t="str"><v>{text}</v></c></row>"#)
}

#[test]
fn a_sheet_behind_a_long_one_is_read_and_listed() {
    let long = row("many words in a row").repeat(1_000);
    let (short, last) = (row("the sum"), row("the end"));
    let bytes = workbook(&[
        ("Data", "visible", &long),
        ("Summary", "visible", &short),
        ("Last", "visible", &last),
    ]);
    let limits = Limits {
        text: 5_000,
        ..Limits::default()
    };
    let cut = read_document_within(&bytes, &Hint::default(), limits).expect("is read");
    assert_eq!(listed(&cut), [(1, true), (2, false), (3, false)]);
    assert!(cut.truncated);
    for hint in [named("summary"), numbers(2, 2)] {
        let one = read_document_within(&bytes, &hint, limits).expect("is read");
        assert_eq!(one.markdown, "## Summary\n\nthe sum");
        assert_eq!(listed(&one), [(1, false), (2, true), (3, false)]);
        assert!(!one.truncated);
    }
}

#[test]
fn a_hidden_sheet_has_its_number_and_is_read_when_it_is_asked_for() {
    let cells = ["one", "two", "three"].map(row);
    let bytes = workbook(&[
        ("First", "visible", &cells[0]),
        ("Kept back", "veryHidden", &cells[1]),
        ("Third", "visible", &cells[2]),
    ]);
    let all = read(&bytes, &Hint::default());
    assert_eq!(listed(&all), [(1, true), (2, false), (3, true)]);
    assert!(all.parts[1].is_hidden && !all.parts[2].is_hidden);
    assert!(
        all.markdown
            .ends_with("*Hidden sheets, left out: Kept back*")
    );
    for hint in [named("kept back"), numbers(2, 2)] {
        let hidden = read(&bytes, &hint);
        assert_eq!(hidden.markdown, "## Kept back\n\ntwo");
        assert_eq!(hidden.warnings, [Warning::HiddenPart]);
    }
    let range = read(&bytes, &numbers(2, 3));
    assert_eq!(range.markdown, "## Third\n\nthree");
    assert_eq!(range.warnings, [Warning::HiddenParts]);
    let third = read(&bytes, &numbers(3, 3));
    assert_eq!(third.warnings, []);
}

#[test]
fn a_part_that_many_sheets_share_is_read_once() {
    let entries = r#"<sheet name="Again" r:id="r1"/>"#.repeat(3);
    let bytes = package(
        "xl/workbook.xml",
        &format!("<workbook><sheets>{entries}</sheets></workbook>"),
        &[
            (
                "xl/_rels/workbook.xml.rels",
                r#"<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/1.xml"/></Relationships>"#,
            ),
            (
                "xl/worksheets/1.xml",
                &format!(
                    "<worksheet><sheetData>{}</sheetData></worksheet>",
                    row("cell")
                ),
            ),
        ],
    );
    let read = read(&bytes, &Hint::default());
    assert_eq!(read.markdown.matches("cell").count(), 1);
    assert_eq!(read.warnings, [Warning::Incomplete]);
    assert_eq!(read.parts.len(), 3);
}

#[test]
fn a_hidden_slide_has_its_number_and_is_read_when_it_is_asked_for() {
    let slide = |show: u8, text: &str| {
        format!(
            r#"<p:sld show="{show}"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"#
        )
    };
    let slides = [slide(1, "one"), slide(0, "two"), slide(1, "three")];
    let bytes = package(
        "ppt/presentation.xml",
        r#"<p:presentation><p:sldIdLst><p:sldId r:id="s1"/><p:sldId r:id="s2"/><p:sldId r:id="s3"/></p:sldIdLst></p:presentation>"#,
        &[
            (
                "ppt/_rels/presentation.xml.rels",
                r#"<Relationships><Relationship Id="s1" Type="x/slide" Target="slides/1.xml"/><Relationship Id="s2" Type="x/slide" Target="slides/2.xml"/>
                   <Relationship Id="s3" Type="x/slide" Target="slides/3.xml"/></Relationships>"#,
            ),
            ("ppt/slides/1.xml", &slides[0]),
            ("ppt/slides/2.xml", &slides[1]),
            ("ppt/slides/3.xml", &slides[2]),
        ],
    );
    let all = read(&bytes, &Hint::default());
    assert_eq!(listed(&all), [(1, true), (2, false), (3, true)]);
    let hidden = read(&bytes, &numbers(2, 2));
    assert_eq!(hidden.markdown, "<!-- slide 2 -->\n\ntwo");
    assert_eq!(hidden.warnings, [Warning::HiddenPart]);
    let third = read(&bytes, &numbers(3, 3));
    assert_eq!(third.markdown, "<!-- slide 3 -->\n\nthree");
    assert_eq!((third.pages, third.warnings.len()), (Some(3), 0));
}

#[test]
fn the_source_of_a_file_in_an_archive_is_its_own() {
    let bytes = testkit::documents::zip(&[("a.md", b"# *One*\n\n\n\ntwo"), ("b.pdf", &pages(1))]);
    let source = |part: &str| {
        let hint = Hint {
            part: Some(part.to_owned()),
            raw: true,
            ..Hint::default()
        };
        read_document(&bytes, &hint)
    };
    assert_eq!(
        source("a.md").expect("is text").markdown,
        "# *One*\n\n\n\ntwo"
    );
    let refused = source("b.pdf").expect_err("is no text");
    assert_eq!(refused.reason(), Some("unsupported_type"), "{refused:?}");
}
