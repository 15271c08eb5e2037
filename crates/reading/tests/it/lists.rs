//! Numbers of items and headings, and tables that are lists.

use reading::document::{Hint, read_document};

use crate::word_and_slides::{open_document, p, word};

fn read(bytes: &[u8]) -> String {
    let read = read_document(bytes, &Hint::default());
    read.unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
        .markdown
}

const LEVELS: &str = r#"
    <text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
    <text:list-level-style-number text:level="2" style:num-format="1" text:display-levels="2"/>
    <text:list-level-style-number text:level="3" style:num-format="i" style:num-prefix="(" style:num-suffix=")"/>"#;

fn text_document(body: &str) -> Vec<u8> {
    let content = format!(
        r#"<office:document-content><office:automatic-styles><text:list-style style:name="L">{LEVELS}</text:list-style></office:automatic-styles>
        <office:body><office:text>{body}</office:text></office:body></office:document-content>"#
    );
    let outline = LEVELS.replace("list-level-style-number", "outline-level-style");
    let styles = format!(
        r#"<office:document-styles><office:styles><text:outline-style style:name="Outline">{outline}</text:outline-style></office:styles></office:document-styles>"#
    );
    open_document("text", &content, &[("styles.xml", &styles)])
}

#[test]
fn opendocument_headings_in_lists_are_headings_with_their_numbers() {
    let heading = |level: usize, attributes: &str, text: &str| {
        let open = "<text:list-item><text:list>".repeat(level - 1);
        let close = "</text:list></text:list-item>".repeat(level - 1);
        format!(
            r#"<text:list text:style-name="L" {attributes}>{open}<text:list-item><text:h text:outline-level="{level}">{text}</text:h></text:list-item>{close}</text:list>"#
        )
    };
    let on = r#"text:continue-numbering="true""#;
    let body = [
        heading(1, r#"xml:id="a""#, "Scope"),
        heading(2, on, "Terms").replace(
            "<text:list><text:list-item><text:h",
            r#"<text:list text:continue-numbering="true"><text:list-item><text:h"#,
        ),
        heading(2, on, "Signs").replace(
            "<text:list><text:list-item><text:h",
            r#"<text:list text:continue-numbering="true"><text:list-item><text:h"#,
        ),
        r#"<text:list><text:list-item><text:p>other</text:p></text:list-item></text:list>"#
            .to_owned(),
        heading(1, r#"text:continue-list="a""#, "Use"),
    ];
    assert_eq!(
        read(&text_document(&body.concat())),
        "# 1. Scope\n\n## 1.1 Terms\n\n## 1.2 Signs\n\n- other\n\n# 2. Use"
    );
}

#[test]
fn opendocument_headings_have_the_numbers_of_the_outline() {
    let body = r#"<text:h text:outline-level="1">One</text:h><text:h text:outline-level="2">Inside</text:h>
        <text:h text:outline-level="1" text:is-list-header="true">Without</text:h><text:h text:outline-level="3">Deep</text:h>
        <text:h text:outline-level="1">Two</text:h><text:h text:outline-level="2">Inside</text:h>"#;
    assert_eq!(
        read(&text_document(body)),
        "# 1. One\n\n## 1.1 Inside\n\n# Without\n\n### (i) Deep\n\n# 2. Two\n\n## 2.1 Inside"
    );
}

#[test]
fn opendocument_items_have_letters_and_numbers_of_their_list_in_cells_too() {
    let list = r#"<text:list text:style-name="L"><text:list-item><text:p>first</text:p><text:list><text:list-item><text:p>inner</text:p>
        <text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list></text:list-item></text:list></text:list-item>
        <text:list-item><text:p/></text:list-item><text:list-item><text:p>third</text:p></text:list-item></text:list>"#;
    let body = format!(
        "{list}<table:table><table:table-row><table:table-cell>{list}</table:table-cell><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>"
    );
    assert_eq!(
        read(&text_document(&body)),
        "1. first\n   - 1.1 inner\n     - (i) deep\n3. third\n\n\
        | 1. first<br>\u{2003}- 1.1 inner<br>\u{2003}\u{2003}- (i) deep<br>3. third | x |\n| --- | --- |"
    );
}

#[test]
fn opendocument_comments_are_marked_where_their_passage_ends() {
    let body = r#"<text:p>Some <office:annotation office:name="c1"><dc:creator>Ada</dc:creator><text:p>Why?</text:p></office:annotation>words<office:annotation-end office:name="c1"/> more</text:p>"#;
    assert_eq!(
        read(&text_document(body)),
        "Some words[^comment-1] more\n\n[^comment-1]: Ada: Why?"
    );
}

#[test]
fn an_empty_item_of_a_word_list_counts() {
    let numbering = r#"<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>
        <w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>"#;
    let item = |text: &str| {
        format!(
            r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#
        )
    };
    let body = [item("one"), item(""), item("three")].concat();
    let file = word(&body, &[("numbering", "numbering.xml", numbering)]);
    assert_eq!(read(&file), "1. one\n3. three");
}

#[test]
fn a_word_table_of_one_column_is_a_table_unless_it_is_a_frame() {
    let table = |rows: &[&str]| {
        let rows: String = rows
            .iter()
            .map(|cell| format!("<w:tr><w:tc>{cell}</w:tc></w:tr>"))
            .collect();
        format!("<w:tbl>{rows}</w:tbl>")
    };
    let (one, two) = (p("one"), p("two"));
    assert_eq!(
        read(&word(&table(&[&one, &two]), &[])),
        "| one |\n| --- |\n| two |"
    );
    assert_eq!(read(&word(&table(&[&one]), &[])), "one");
    let both = format!("{one}{two}");
    assert_eq!(
        read(&word(&table(&[&both, &one]), &[])),
        "one\n\ntwo\n\none"
    );
}
