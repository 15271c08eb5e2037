//! Text that the structure of a PDF leaves out, and where it is told.

use crate::pdf::{at, markdown};
use crate::pdf_tags::{marked, tagged};

/// An element of the structure for each of these texts, which are marked with their places.
fn read(texts: &[(&str, String)], untagged: &str) -> String {
    let contents = (0..).zip(texts);
    let content: String = contents.map(|(it, text)| marked(it, &text.1)).collect();
    let elements = (0..).zip(texts);
    let elements: String = elements
        .map(|(it, (kind, _))| match *kind {
            "LI" => format!("<</S/L/K<</S/LI/K<</S/LBody/K {it}>>>>>>"),
            kind => format!("<</S/{kind}/K {it}>>"),
        })
        .collect();
    let root = format!("<</S/Document/Pg 4 0 R/K[{elements}]>>");
    markdown(&tagged(&(content + untagged), &[&root]))
}

/// A text that is long enough for the rest to be a small part of the page.
fn long(y: u32) -> String {
    at(
        50,
        y,
        "This is a paragraph of the page, as long as they usually are.",
    )
}

#[test]
fn marks_of_items_that_the_structure_leaves_out_are_theirs() {
    let texts = [
        ("P", long(720)),
        ("LI", at(90, 700, "Review the logic of the system.")),
        ("LI", at(90, 688, "Review what the contracts do.")),
        ("P", long(660)),
    ];
    let text = read(&texts, &(at(70, 700, "1.") + &at(70, 688, "2.")));
    let items = "1. Review the logic of the system.\n2. Review what the contracts do.\n";
    assert!(text.contains(items), "{text}");
}

#[test]
fn an_equation_that_the_structure_leaves_out_stays_in_its_sentence() {
    let words = at(50, 700, "The user deposits") + &at(160, 700, "of a token in this pool.");
    let texts = [("P", words), ("P", long(660)), ("P", long(640))];
    let text = read(&texts, &at(139, 700, "777"));
    assert!(text.contains("deposits 777 of a token"), "{text}");
}

#[test]
fn a_line_that_the_structure_leaves_out_stands_between_its_neighbours() {
    let texts = [("P", long(700)), ("P", long(600)), ("P", long(580))];
    let text = read(&texts, &at(250, 650, "x = 7"));
    let (first, rest) = text.split_once("x = 7").unwrap_or_default();
    assert!(first.matches("This is a").count() == 1, "{text}");
    assert!(rest.matches("This is a").count() == 2, "{text}");
}

#[test]
fn what_is_laid_over_the_text_is_not_put_into_it() {
    let texts = [("P", long(700)), ("P", long(688)), ("P", long(676))];
    let text = read(&texts, &at(100, 689, "COPY"));
    assert_eq!(
        text.matches("as long as they usually are.").count(),
        3,
        "{text}"
    );
}

#[test]
fn numbers_of_pages_stand_at_the_end_of_their_lines_in_a_list_of_contents() {
    let texts = [
        ("P", at(50, 700, "The introduction of the whole report")),
        ("P", at(50, 680, "What was found in it by the reviewers")),
        ("P", long(660)),
    ];
    let text = read(&texts, &(at(500, 700, "2") + &at(500, 680, "13")));
    assert!(
        text.contains("The introduction of the whole report 2"),
        "{text}"
    );
    assert!(
        text.contains("What was found in it by the reviewers 13"),
        "{text}"
    );
}
