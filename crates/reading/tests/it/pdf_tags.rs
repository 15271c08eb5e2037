//! PDFs that state their structure: headings, lists, tables and the order in which they are read.

use testkit::documents::{assembled, pdf_stream};

use crate::pdf::{at, markdown, object};

/// Content that is marked with a number.
pub(crate) fn marked(number: u32, content: &str) -> String {
    format!("/P <</MCID {number}>> BDC {content} EMC ")
}

/// A PDF of one page (object 4) with this content, and a structure whose first element is object 7, the
/// others following it. F2 is Courier.
pub(crate) fn tagged(content: &str, elements: &[&str]) -> Vec<u8> {
    let mut objects: Vec<Vec<u8>> = vec![
        object("<</Type/Catalog/Pages 2 0 R/StructTreeRoot 6 0 R>>"),
        object("<</Type/Pages/Kids[4 0 R]/Count 1>>"),
        object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"),
        object(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R/F2<</Type/Font/Subtype/Type1/BaseFont/Courier>>>>>>/Contents 5 0 R>>",
        ),
        pdf_stream("", content.as_bytes()),
        object("<</Type/StructTreeRoot/K 7 0 R/RoleMap<</Headline/H2>>>>"),
    ];
    objects.extend(elements.iter().map(|element| object(element)));
    assembled(&objects)
}

#[test]
fn the_structure_says_what_is_a_heading_an_item_and_a_paragraph() {
    // The bullets are drawn as shapes, and all text has one size.
    let content = marked(0, &at(50, 700, "The title"))
        + &marked(1, &at(50, 688, "A paragraph whose words"))
        + &marked(2, &at(70, 676, "one item"))
        + &marked(3, &at(70, 664, "another"));
    let text = markdown(&tagged(
        &content,
        &[
            "<</S/Document/Pg 4 0 R/K[8 0 R 9 0 R 10 0 R]>>",
            "<</S/Headline/K 0>>",
            "<</S/P/K[1]>>",
            "<</S/L/K[<</S/LI/K<</S/LBody/K 2>>>> <</S/LI/K<</S/LBody/K<</S/P/K 3>>>>>>]>>",
        ],
    ));
    assert_eq!(
        text,
        "## The title\n\nA paragraph whose words\n\n- one item\n- another"
    );
}

#[test]
fn the_structure_says_which_cells_are_in_a_row() {
    let content = marked(0, &at(50, 700, "Kind"))
        + &marked(1, &at(150, 700, "Number"))
        + &marked(2, &at(50, 680, "a long name that"))
        + &marked(2, &at(50, 668, "goes on"))
        + &marked(3, &at(150, 660, "7"))
        + &marked(4, &at(50, 640, "both"));
    let cell = |number: u32| format!("<</S/TD/K {number}>>");
    let rows = [
        format!("<</S/TR/K[{} {}]>>", cell(0), cell(1)),
        format!("<</S/TR/K[{} {}]>>", cell(2), cell(3)),
        "<</S/TR/K[<</S/TD/A<</O/Table/ColSpan 2>>/K 4>>]>>".to_owned(),
    ];
    let text = markdown(&tagged(
        &content,
        &[
            "<</S/Table/Pg 4 0 R/K[8 0 R 9 0 R 10 0 R]>>",
            &rows[0],
            &rows[1],
            &rows[2],
        ],
    ));
    assert_eq!(
        text,
        "| Kind | Number |\n| --- | --- |\n| a long name that goes on | 7 |\n| both |  |"
    );
}

#[test]
fn cells_that_are_tagged_in_any_order_are_put_into_the_columns_in_which_they_stand() {
    let table = |places: [u32; 3]| {
        let mut content = String::new();
        for row in 0..3 {
            for (index, text) in (0..).zip(["Name", "Age", "Town"]) {
                // The cells of the rows are tagged in different orders.
                let number = 3 * row + (index + places[row as usize]) % 3;
                let text = format!("{text} {row}");
                content += &marked(number, &at(50 + 100 * index, 700 - 20 * row, &text));
            }
        }
        let cell = |number: u32| format!("<</S/TD/K {number}>>");
        let rows = [0, 1, 2].map(|row| {
            let cells = (3 * row..3 * row + 3).map(cell);
            format!("<</S/TR/K[{}]>>", cells.collect::<String>())
        });
        let first = "<</S/Table/Pg 4 0 R/K[8 0 R 9 0 R 10 0 R]>>";
        markdown(&tagged(&content, &[first, &rows[0], &rows[1], &rows[2]]))
    };
    let expected = "| Name 0 | Age 0 | Town 0 |\n| --- | --- | --- |\n\
                    | Name 1 | Age 1 | Town 1 |\n| Name 2 | Age 2 | Town 2 |";
    assert_eq!(table([0, 0, 0]), expected);
    assert_eq!(table([2, 0, 1]), expected);
    assert_eq!(table([0, 1, 0]), expected);
}

#[test]
fn the_structure_decides_about_the_order() {
    let content = marked(1, &at(50, 600, "This is drawn first and read second."))
        + &marked(0, &at(50, 700, "This is drawn last and read first."));
    let text = markdown(&tagged(
        &content,
        &[
            "<</S/Sect/Pg 4 0 R/K[8 0 R 9 0 R]>>",
            "<</S/P/K 0>>",
            "<</S/P/K 1>>",
        ],
    ));
    assert!(text.find("read first") < text.find("read second"), "{text}");
}

#[test]
fn a_footnote_at_the_bottom_of_the_page_does_not_part_its_paragraph_from_the_next() {
    // Word processors have it within the paragraph that refers to it.
    let content = marked(0, &at(50, 700, "A claim that needs proof."))
        + &marked(1, &at(50, 600, "The text goes on."))
        + &marked(2, &at(50, 100, "1 The proof of it."));
    let text = markdown(&tagged(
        &content,
        &[
            "<</S/Document/Pg 4 0 R/K[8 0 R 9 0 R]>>",
            "<</S/P/K[0 <</S/Note/K<</S/P/K 2>>>>]>>",
            "<</S/P/K 1>>",
        ],
    ));
    assert_eq!(
        text,
        "A claim that needs proof.\n\nThe text goes on.\n\n1 The proof of it."
    );
}

#[test]
fn text_that_the_structure_leaves_out_is_not_lost() {
    let mut content = at(50, 720, "Head");
    for number in 0..10 {
        let line = format!("A line of text with the number {number}.");
        content += &marked(number, &at(50, 700 - 12 * number, &line));
    }
    let numbers: Vec<String> = (0..10).map(|it| it.to_string()).collect();
    let paragraph = format!("<</S/P/Pg 4 0 R/K[{}]>>", numbers.join(" "));
    let text = markdown(&tagged(&content, &["<</S/Div/K 8 0 R>>", &paragraph]));
    assert!(
        text.starts_with("Head\n\nA line of text with the number 0."),
        "{text}"
    );
    assert!(text.ends_with("number 9."), "{text}");
}

#[test]
fn a_structure_without_end_is_left_alone() {
    let content = marked(0, &at(50, 700, "The text of the page"));
    let text = markdown(&tagged(
        &content,
        &[
            "<</S/Sect/Pg 4 0 R/K[8 0 R 8 0 R]>>",
            "<</S/Sect/K[7 0 R 7 0 R 0]>>",
        ],
    ));
    assert_eq!(text, "The text of the page");
}

#[test]
fn lines_that_are_drawn_as_pictures_have_the_text_that_the_structure_states() {
    let picture = |y: u32| format!("q 200 0 0 12 50 {y} cm BI /W 1 /H 1 /CS /G /BPC 8 ID a EI Q");
    let content = marked(0, &picture(700)) + &marked(1, &picture(686)) + &marked(2, &picture(650));
    let text = markdown(&tagged(
        &content,
        &[
            "<</S/Document/Pg 4 0 R/K[8 0 R 9 0 R 10 0 R]>>",
            "<</S/P/K<</S/Span/ActualText(A first line that)/K[0]>>>>",
            "<</S/P/K<</S/Span/ActualText(a second one follows.)/K[1]>>>>",
            "<</S/P/K 2>>",
        ],
    ));
    assert!(text.contains("A first line that"), "{text}");
    assert!(text.contains("a second one follows."), "{text}");
}

/// The structure of a form says more than its empty boxes; with an answer, both are placed by where they
/// stand.
#[test]
fn the_empty_boxes_of_a_tagged_form_do_not_cost_its_structure() {
    let content =
        marked(0, &at(50, 700, "The form")) + &marked(1, &at(80, 688, "The first answer"));
    let file = tagged(
        &content,
        &[
            "<</S/Document/Pg 4 0 R/K[8 0 R 9 0 R]>>",
            "<</S/H1/K 0>>",
            "<</S/P/K[1]>>",
        ],
    );
    let with_box = |state: &str| {
        let field =
            format!("/Annots[<</Subtype/Widget/FT/Btn/AS/{state}/Rect[50 685 70 700]>>]/Contents");
        let file = String::from_utf8_lossy(&file).replace("/Contents", &field);
        markdown(file.as_bytes())
    };
    assert_eq!(with_box("Off"), "# The form\n\nThe first answer");
    let ticked = with_box("Yes");
    assert!(ticked.contains("☒ The first answer"), "{ticked}");
}

#[test]
fn paragraphs_that_are_lines_of_code_are_one_block() {
    let code = |x: f64, y: u32, text: &str| format!("BT /F2 10 Tf {x} {y} Td ({text}) Tj ET ");
    let content = marked(
        0,
        &at(50, 740, "A paragraph before the code, which has two lines."),
    ) + &marked(1, &code(50.0, 700, "if true:"))
        + &marked(2, &code(74.0, 688, "- end"));
    let text = markdown(&tagged(
        &content,
        &[
            "<</S/Document/Pg 4 0 R/K[8 0 R 9 0 R 10 0 R]>>",
            "<</S/P/K 0>>",
            "<</S/P/K 1>>",
            "<</S/P/K 2>>",
        ],
    ));
    assert!(text.ends_with("```\nif true:\n    - end\n```"), "{text}");
}

#[test]
fn an_item_ends_where_a_heading_within_it_begins() {
    let content = marked(0, &at(70, 700, "Install the program:"))
        + &marked(1, &at(70, 680, "With a shell"))
        + &marked(2, &at(70, 660, "install program"))
        + &marked(3, &at(70, 640, "Then start it."));
    let text = markdown(&tagged(
        &content,
        &[
            "<</S/Document/Pg 4 0 R/K[<</S/L/K 8 0 R>>]>>",
            "<</S/LI/K<</S/LBody/K[<</S/P/K 0>> <</S/H4/K 1>> <</S/NonStruct/K 2>> <</S/P/K 3>>]>>>>",
        ],
    ));
    assert_eq!(
        text,
        "- Install the program:\n\n#### With a shell\n\ninstall program\n\nThen start it."
    );
}
