//! The files that a PDF carries.

use reading::document::{Document, Hint, Unit, read_document};
use testkit::documents::{assembled, pdf_stream};

use crate::pdf::{document, object};

/// A PDF of one page with this content, with two files in a tree of names and one at a note on the page, which
/// has the name of another.
fn with_files(content: &str) -> Vec<u8> {
    assembled(&[
        object("<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Kids[6 0 R 6 0 R]>>>>>>"),
        object("<</Type/Pages/Kids[4 0 R]/Count 1>>"),
        object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"),
        object(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R/Annots[<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS<</Type/Filespec/F(data.csv)/EF<</F 9 0 R>>>>>>]>>",
        ),
        pdf_stream("", content.as_bytes()),
        object(
            "<</Names[(a)<</Type/Filespec/F(C:\\\\data.csv)/EF<</F 7 0 R>>>> (b)<</Type/Filespec/UF(notes/read me.txt)/EF<</UF 8 0 R>>>> (c)<</F(gone.txt)>>]>>",
        ),
        pdf_stream("/Type/EmbeddedFile", b"name,number\nAda,1\n"),
        pdf_stream("", b"What stands in the file."),
        pdf_stream("", b"name,number\nBob,2\n"),
    ])
}

fn attached(bytes: &[u8], name: &str) -> Result<Document, fault::Fault> {
    let hint = Hint {
        part: Some(name.to_owned()),
        ..Hint::default()
    };
    read_document(bytes, &hint)
}

#[test]
fn files_of_a_pdf_are_listed_and_read_by_name() {
    let file = with_files("BT /F1 12 Tf 50 700 Td (The text.) Tj ET");
    let read = document(&file);
    assert_eq!(
        read.markdown,
        "<!-- page 1 -->\n\nThe text.\n\nAttached files: data.csv, read me.txt, 3-data.csv"
    );
    let files: Vec<&str> = read
        .parts
        .iter()
        .filter(|part| part.unit == Unit::Attachment)
        .filter_map(|part| part.name.as_deref())
        .collect();
    assert_eq!(files, ["data.csv", "read me.txt", "3-data.csv"]);
    let text = |name: &str| attached(&file, name).map(|read| read.markdown);
    assert!(text("data.csv").is_ok_and(|it| it.contains("| Ada | 1 |")));
    assert!(text("3-data.csv").is_ok_and(|it| it.contains("| Bob | 2 |")));
    assert!(text("read me.txt").is_ok_and(|it| it == "What stands in the file."));
    assert!(text("gone.txt").is_err());
}

#[test]
fn a_pdf_of_nothing_but_files_is_a_list_of_them() {
    let read = document(&with_files(""));
    assert!(
        read.markdown
            .ends_with("Attached files: data.csv, read me.txt, 3-data.csv")
    );
}

/// Each node of the tree names the next one three times, so that walking all ways takes for ever: a file
/// of 3 KB held a worker for 20 seconds.
#[test]
fn a_tree_of_names_whose_nodes_are_named_often_ends() {
    let mut objects = vec![
        object("<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles 6 0 R>>>>"),
        object("<</Type/Pages/Kids[4 0 R]/Count 1>>"),
        object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"),
        object(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>",
        ),
        pdf_stream("", b"BT /F1 12 Tf 50 700 Td (The text.) Tj ET"),
    ];
    objects.extend(
        (7..46).map(|next| object(&format!("<</Kids[{next} 0 R {next} 0 R {next} 0 R]>>"))),
    );
    objects.push(object("<</Names[]>>"));
    let read = document(&assembled(&objects));
    assert_eq!(read.markdown, "<!-- page 1 -->\n\nThe text.");
}
