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
