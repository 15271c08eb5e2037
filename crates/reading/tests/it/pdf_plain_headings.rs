//! Headings in PDFs that are as large as the text and no bolder.

use crate::pdf::{markdown, object, page};

/// A page with these texts at these places, in Helvetica (F1) or an italic font (F2) of a size.
fn read(texts: &[(u32, u32, &str, u32, &str)]) -> String {
    let content: String = texts
        .iter()
        .map(|(x, y, font, size, text)| format!("BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET "))
        .collect();
    let italic = object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Oblique>>");
    markdown(&page("", &content, &[italic]))
}

const LONG: &str = "Boats are made of wood, and wood must be dried for two years.";
const NEXT: &str = "The builders used the time for other work, as the letters say.";

#[test]
fn sections_with_roman_numbers_and_parts_with_letters_are_headings() {
    let text = read(&[
        // Small capitals that are drawn as capitals of two sizes.
        (150, 740, "F1", 10, "I. I"),
        (161, 740, "F1", 8, "NTRODUCTION"),
        (50, 724, "F1", 10, LONG),
        (50, 712, "F1", 10, NEXT),
        (150, 692, "F1", 10, "II. M"),
        (170, 692, "F1", 8, "ETHODS"),
        (50, 676, "F2", 10, "A. Accounts of Travellers"),
        (50, 660, "F1", 10, LONG),
        (50, 648, "F1", 10, NEXT),
        (50, 632, "F2", 10, "1\\) Errors:"),
        (
            103,
            632,
            "F1",
            10,
            "The error of the tape is small, and that of",
        ),
        (
            50,
            620,
            "F1",
            10,
            "the reader is larger. It depends on the light.",
        ),
        (50, 600, "F2", 10, "B. Dating"),
        (50, 584, "F1", 10, LONG),
    ]);
    for heading in [
        "## I. INTRODUCTION",
        "## II. METHODS",
        "### A. Accounts of Travellers",
        "#### 1) Errors\n\nThe error of the tape is small, and that of the reader",
        "### B. Dating",
    ] {
        assert!(text.contains(heading), "{heading} is missing in:\n{text}");
    }
}

#[test]
fn lines_in_italics_with_room_above_are_headings_if_there_are_several() {
    let first = [
        (50, 740, "F1", 10, LONG),
        (50, 728, "F1", 10, NEXT),
        (50, 704, "F2", 10, "Growing grain"),
        (50, 688, "F1", 10, LONG),
        (50, 676, "F1", 10, NEXT),
    ];
    let second = [
        (50, 652, "F2", 10, "Baking bread"),
        (50, 636, "F1", 10, LONG),
        (50, 624, "F1", 10, NEXT),
    ];
    assert!(!read(&first).contains('#'));
    let text = read(&[&first[..], &second].concat());
    let headings = text.lines().filter(|line| line.starts_with('#'));
    assert_eq!(
        headings.collect::<Vec<_>>(),
        ["#### Growing grain", "#### Baking bread"],
        "{text}"
    );
}

#[test]
fn italics_within_the_text_are_no_headings() {
    let text = read(&[
        (50, 740, "F1", 10, LONG),
        (50, 728, "F2", 10, "The Wooden Boats of the North"),
        (
            50,
            716,
            "F1",
            10,
            "is a book of two volumes that says more about them.",
        ),
        (50, 704, "F2", 10, "The Wooden Boats of the South"),
        (50, 692, "F1", 10, "is another book, by the same writer."),
        (
            50,
            668,
            "F2",
            10,
            "A line in italics that ends as a sentence does.",
        ),
        (50, 644, "F1", 10, NEXT),
        (50, 620, "F2", 10, "Another line in italics that ends so."),
        (50, 596, "F1", 10, NEXT),
    ]);
    assert!(!text.contains('#'), "{text}");
}
