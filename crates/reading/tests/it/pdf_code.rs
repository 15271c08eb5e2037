//! Code in PDFs: text in a font of fixed pitch, in a document that has other text.

use crate::pdf::{at, markdown, object, page};

const COURIER: &str = "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>";
/// How wide a letter of Courier is at the size of the code below.
const PITCH: f64 = 5.4;

/// A line of code, whose blanks are drawn.
fn code(column: u32, y: u32, text: &str) -> String {
    let x = 50.0 + PITCH * f64::from(column);
    format!("BT /F2 9 Tf {x} {y} Td ({text}) Tj ET ")
}

/// A page with this content, and a paragraph before and after it.
fn between_paragraphs(content: &str) -> String {
    let prose = |y: u32| {
        at(
            50,
            y,
            "Some ordinary words of a paragraph that fill a line of the page,",
        ) + &at(
            50,
            y - 12,
            "so that its size is that of the body of the text.",
        )
    };
    let content = prose(740) + content + &prose(500);
    let text = markdown(&page("", &content, &[object(COURIER)]));
    let inner = text.split("body of the text.").nth(1);
    inner.unwrap_or(&text).trim().to_owned()
}

#[test]
fn code_is_neither_a_list_nor_a_paragraph() {
    let content = code(0, 700, "meters:")
        + &code(2, 689, "- name: grid")
        + &code(4, 678, "type: template")
        + &code(2, 656, "- name: battery");
    let text = between_paragraphs(&content);
    let expected = "```\nmeters:\n  - name: grid\n    type: template\n\n  - name: battery\n```";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn code_with_comments_that_stand_below_one_another_is_no_table() {
    let content = code(0, 700, "let  first = 1;      // the first")
        + &code(0, 689, "let second = `x`;    // the second")
        + &code(0, 678, "let third = \"```\";   // the third");
    let text = between_paragraphs(&content);
    let expected = "````\nlet  first = 1;      // the first\nlet second = `x`;    // the second\nlet third = \"```\";   // the third\n````";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn one_line_of_code_is_a_block_where_it_stands_alone() {
    let text = between_paragraphs(&code(0, 690, "cargo run"));
    assert!(text.starts_with("```\ncargo run\n```"), "{text}");
    // Within a sentence it is part of it.
    let sentence = at(50, 690, "The program that you have to start is")
        + &code(0, 678, "cargo run --release --verbose")
        + &at(50, 666, "and nothing else will do.");
    let text = between_paragraphs(&sentence);
    assert!(
        text.starts_with("The program that you have to start is cargo run"),
        "{text}"
    );
}

#[test]
fn cells_in_a_font_of_fixed_pitch_are_a_table() {
    let mut content = String::new();
    for (line, (name, value)) in [("GET", "/path"), ("POST", "/other"), ("PUT", "/third")]
        .into_iter()
        .enumerate()
    {
        let y = 700 - 12 * line as u32;
        content += &code(0, y, name);
        content += &format!("BT /F2 9 Tf 203 {y} Td ({value}) Tj ET ");
    }
    let text = between_paragraphs(&content);
    assert!(text.contains("| GET | /path |"), "{text}");
}

#[test]
fn typewritten_pages_are_read_as_prose() {
    let content = code(0, 700, "- one item of a letter")
        + &code(0, 689, "- and a second item of it, which says more");
    let text = markdown(&page("", &content, &[object(COURIER)]));
    assert!(
        text.starts_with("- one item of a letter\n- and a second"),
        "{text}"
    );
}
