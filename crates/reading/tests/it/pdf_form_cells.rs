//! Ruled cells of forms, in which options stand beside one another.

use super::pdf::{at, markdown, page};

/// The lines around two cells beside one another, in two rows.
fn lines() -> String {
    let mut content = String::from("0.5 w ");
    for x in [50, 320, 550] {
        content += &format!("{x} 600 m {x} 700 l S ");
    }
    for y in [600, 640, 700] {
        content += &format!("50 {y} m 550 {y} l S ");
    }
    content
}

const QUESTION: [(u32, u32, &str); 5] = [
    (55, 688, "Relationship to the owner"),
    (55, 674, "OWNER"),
    (180, 674, "SPOUSE"),
    (55, 660, "PARENT"),
    (180, 660, "OTHER"),
];
const NAME: [(u32, u32, &str); 2] = [
    (325, 688, "Name of the recipient, needed only"),
    (325, 674, "if it is a child or a parent"),
];
const NEXT: [(u32, u32, &str); 2] = [(55, 620, "Income"), (325, 620, "Payer")];

fn drawn(texts: &[&[(u32, u32, &str)]]) -> String {
    let texts = texts.iter().flat_map(|it| it.iter());
    lines()
        + &texts
            .map(|(x, y, text)| at(*x, *y, text))
            .collect::<String>()
}

#[test]
fn options_of_a_cell_that_is_drawn_before_the_next_stay_in_it() {
    let text = markdown(&page("", &drawn(&[&QUESTION, &NAME, &NEXT]), &[]));
    let row = "| Relationship to the owner OWNER SPOUSE PARENT OTHER | Name of the recipient, needed only if it is a child or a parent |";
    assert!(text.contains(row), "{text}");
}

#[test]
fn columns_that_no_line_divides_are_rows_if_they_are_drawn_by_rows() {
    let (first, rest) = QUESTION.split_at(1);
    let (name, more) = NAME.split_at(1);
    let (upper, lower) = rest.split_at(2);
    let text = markdown(&page(
        "",
        &drawn(&[first, name, upper, more, lower, &NEXT]),
        &[],
    ));
    assert!(text.contains("| OWNER SPOUSE | if it is"), "{text}");
    assert!(text.contains("| PARENT OTHER |"), "{text}");
}
