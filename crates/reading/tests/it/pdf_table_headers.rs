//! Short tables without lines in PDFs, which only the font of their header tells.

use crate::pdf::{markdown, object, page};

/// A page with these texts at these places, in Helvetica (F1) or another font (F2).
fn read(font: &str, texts: &[(u32, u32, &str, &str)]) -> String {
    let content: String = texts
        .iter()
        .map(|(x, y, font, text)| format!("BT /{font} 10 Tf {x} {y} Td ({text}) Tj ET "))
        .collect();
    let font = object(&format!(
        "<</Type/Font/Subtype/Type1/BaseFont/{font}/Encoding/WinAnsiEncoding>>"
    ));
    markdown(&page("", &content, &[font]))
}

#[test]
fn a_bold_header_makes_two_rows_a_table() {
    let text = read(
        "Helvetica-Bold",
        &[
            (50, 740, "F2", "Removed"),
            (150, 740, "F2", "Replacement"),
            (50, 725, "F1", "prefix"),
            (150, 725, "F1", "format"),
        ],
    );
    assert_eq!(
        text,
        "| Removed | Replacement |\n| --- | --- |\n| prefix | format |"
    );
}

#[test]
fn cells_of_code_below_a_header_are_no_code() {
    let text = read(
        "Courier",
        &[
            (50, 740, "F1", "Removed"),
            (150, 740, "F1", "Replacement"),
            (50, 725, "F2", "prefix"),
            (150, 725, "F2", "format"),
            (50, 713, "F2", "suffix"),
            (150, 713, "F2", "format"),
        ],
    );
    assert_eq!(
        text,
        "| Removed | Replacement |\n| --- | --- |\n| prefix | format |\n| suffix | format |"
    );
}

#[test]
fn numbered_headings_are_no_header() {
    let text = read(
        "Helvetica-Bold",
        &[
            (50, 740, "F2", "1.3"),
            (70, 740, "F2", "Application notes"),
            (50, 725, "F1", "1.3.1"),
            (70, 725, "F1", "Notes of all kinds"),
        ],
    );
    assert!(!text.contains('|'), "{text}");
}
