//! OpenDocument files as programs other than today's LibreOffice write them.

use reading::document::{DocumentKind, Hint, read_document};

use crate::word_and_slides::open_document;

#[test]
fn a_manifest_that_names_toolbars_of_openoffice_is_no_file_of_openoffice_1() {
    let content = r#"<office:document-content><office:body><office:spreadsheet><table:table table:name="Costs"><table:table-row>
        <table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"#;
    let manifest = r#"<manifest:manifest><manifest:file-entry manifest:media-type="application/vnd.oasis.opendocument.spreadsheet" manifest:full-path="/"/>
        <manifest:file-entry manifest:media-type="application/vnd.sun.xml.ui.configuration" manifest:full-path="Configurations2/"/></manifest:manifest>"#;
    let manifest = [("META-INF/manifest.xml", manifest)];
    let file = open_document("spreadsheet", content, &manifest);
    let read = read_document(&file, &Hint::default()).unwrap();
    assert_eq!(read.kind, DocumentKind::ODS);
    assert!(read.markdown.starts_with("## Costs"), "{}", read.markdown);
}

/// A text with a table of these rows.
fn table(rows: &[&[&str]]) -> String {
    let rows: String = rows
        .iter()
        .map(|cells| format!("<table:table-row>{}</table:table-row>", cells.concat()))
        .collect();
    let content = format!(
        "<office:document-content><office:body><office:text><table:table>{rows}</table:table></office:text></office:body></office:document-content>"
    );
    let file = open_document("text", &content, &[]);
    read_document(&file, &Hint::default()).unwrap().markdown
}

#[test]
fn spans_place_the_cells_of_a_table_that_does_not_write_covered_ones() {
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let wide = r#"<table:table-cell table:number-columns-spanned="2" table:number-rows-spanned="2"><text:p>wide</text:p></table:table-cell>"#;
    let tall = r#"<table:table-cell table:number-rows-spanned="2"><text:p>tall</text:p></table:table-cell>"#;
    let covered = "<table:covered-table-cell/>";
    let (a, b, c, d) = (&*cell("a"), &*cell("b"), &*cell("c"), &*cell("d"));
    assert_eq!(
        table(&[&[tall, a, b], &[wide], &[c], &[a, b, d]]),
        "| tall | a | b |\n| --- | --- | --- |\n|  | wide |  |\n| c |  |  |\n| a | b | d |"
    );
    let written = [&[wide, covered, a][..], &[covered, covered, b], &[c, d, a]];
    assert_eq!(
        table(&written),
        "| wide |  | a |\n| --- | --- | --- |\n|  |  | b |\n| c | d | a |"
    );
}
