//! PDFs with lines around text: where they divide a table, and what its rows are.

use crate::pdf::{at, markdown, page};

/// Horizontal lines at these heights, and vertical ones at these places, across one another.
fn grid(across: &[u32], down: &[u32]) -> String {
    let (left, right) = (across[0], across[across.len() - 1]);
    let (top, bottom) = (down[0], down[down.len() - 1]);
    let flat = down.iter().map(|y| line([left, *y, right, *y]));
    let upright = across.iter().map(|x| line([*x, bottom, *x, top]));
    flat.chain(upright).collect()
}

fn line([x0, y0, x1, y1]: [u32; 4]) -> String {
    format!("{x0} {y0} m {x1} {y1} l S ")
}

fn frame([x0, y0, x1, y1]: [u32; 4]) -> String {
    format!("{x0} {y0} {} {} re S ", x1 - x0, y1 - y0)
}

/// The lines of a cell, from the top.
fn cell(x: u32, y: u32, lines: &[&str]) -> String {
    let lines = (0..).zip(lines);
    lines
        .map(|(line, text)| at(x, y - 12 * line, text))
        .collect()
}

#[test]
fn cells_with_as_many_lines_as_their_neighbours_keep_their_lines() {
    let content = grid(&[50, 250, 450], &[720, 660, 640])
        + &cell(
            60,
            708,
            &["The learner meets", "the principles of", "good planning"],
        )
        + &cell(
            260,
            708,
            &["The learner sees", "the work of the", "whole team"],
        )
        + &cell(60, 646, &["Week one"])
        + &cell(260, 646, &["Week two"]);
    let text = markdown(&page("", &content, &[]));
    let row = "| The learner meets the principles of good planning | \
               The learner sees the work of the whole team |";
    assert!(text.contains(row), "{text}");
}

#[test]
fn rows_that_no_line_divides_are_rows_if_they_are_drawn_cell_by_cell() {
    let content = grid(&[50, 200, 350, 500], &[720, 700, 610])
        + &cell(60, 706, &["Meeting"])
        + &cell(210, 706, &["Who comes"])
        + &cell(360, 706, &["How long"])
        + &cell(
            60,
            688,
            &["The first one to", "share what all the", "people do"],
        )
        + &cell(210, 676, &["All who are there"])
        + &cell(360, 676, &["An hour"])
        + &cell(60, 652, &["The second one of", "the whole house"])
        + &cell(210, 652, &["The officers of the", "front"])
        + &cell(360, 646, &["Two hours"])
        + &cell(60, 628, &["The third one with", "the others"])
        + &cell(210, 628, &["The officers of the", "back"])
        + &cell(360, 622, &["A day"]);
    let text = markdown(&page("", &content, &[]));
    let row = "| The second one of the whole house | The officers of the front | Two hours |";
    assert!(text.contains(row), "{text}");
}

#[test]
fn tables_that_touch_side_by_side_are_two() {
    let content = grid(&[50, 150, 250], &[700, 680, 660, 640])
        + &grid(&[249, 350, 450], &[670, 650, 630, 610])
        + &cell(60, 686, &["Name"])
        + &cell(160, 686, &["Kind"])
        + &cell(60, 666, &["one"])
        + &cell(160, 666, &["number"])
        + &cell(60, 646, &["two"])
        + &cell(160, 646, &["number"])
        + &cell(260, 656, &["Field"])
        + &cell(360, 656, &["Use"])
        + &cell(260, 636, &["red"])
        + &cell(360, 636, &["colour"])
        + &cell(260, 616, &["blue"])
        + &cell(360, 616, &["colour"]);
    let text = markdown(&page("", &content, &[]));
    assert!(
        text.contains("| one | number |\n| two | number |"),
        "{text}"
    );
    assert!(
        text.contains("| red | colour |\n| blue | colour |"),
        "{text}"
    );
}

#[test]
fn records_between_two_lines_are_rows_although_they_are_drawn_column_by_column() {
    let content = grid(&[50, 250, 450], &[720, 700, 640])
        + &cell(60, 706, &["Item"])
        + &cell(260, 706, &["Price"])
        + &cell(60, 686, &["Bread", "Butter", "Salt"])
        + &cell(260, 686, &["2.10", "3.40", "0.90"]);
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("| Butter | 3.40 |"), "{text}");
}

#[test]
fn records_beside_a_tall_cell_are_rows() {
    let mut content = grid(&[50, 150, 250, 350, 450], &[720, 690, 660]);
    for (y, size, figures) in [
        (
            694,
            "6",
            [["OTSL", "0.965", "2.73"], ["HTML", "0.969", "5.39"]],
        ),
        (
            664,
            "4",
            [["OTSL", "0.938", "1.97"], ["HTML", "0.952", "3.77"]],
        ),
    ] {
        content += &at(60, y + 7, size);
        for (above, row) in [13, 1].into_iter().zip(figures) {
            for (x, text) in [160, 260, 360].into_iter().zip(row) {
                content += &at(x, y + above, text);
            }
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("| 6 | OTSL | 0.965 | 2.73 |"), "{text}");
    assert!(text.contains("|  | HTML | 0.969 | 5.39 |"), "{text}");
    assert!(text.contains("| 4 | OTSL | 0.938 | 1.97 |"), "{text}");
}

#[test]
fn a_row_without_lines_has_the_columns_of_the_others() {
    let mut content = grid(&[50, 250, 350, 450], &[700, 670, 640])
        + &line([50, 730, 450, 730])
        + &line([50, 700, 50, 730])
        + &line([450, 700, 450, 730]);
    for (y, name) in [(718, "first"), (688, "second"), (658, "third")] {
        content += &cell(60, y, &[&format!("The {name} name"), "on two lines"]);
        content += &cell(260, y, &["plain"]);
        content += &cell(360, y, &["short", "text"]);
    }
    let text = markdown(&page("", &content, &[]));
    for name in ["first", "second", "third"] {
        let row = format!("| The {name} name on two lines | plain | short text |");
        assert!(text.contains(&row), "{text}");
    }
}

#[test]
fn boxes_around_some_words_of_a_text_are_no_table() {
    let content = frame([50, 600, 450, 722])
        + &frame([250, 700, 450, 722])
        + &frame([50, 675, 330, 697])
        + &frame([120, 650, 410, 672])
        + &frame([190, 625, 380, 647])
        + &at(55, 706, "The first line has a")
        + &at(260, 706, "box at its end, and")
        + &at(55, 681, "so has the second one, but")
        + &at(335, 681, "at its start,")
        + &at(55, 656, "while the")
        + &at(125, 656, "third has it in its")
        + &at(415, 656, "middle")
        + &at(55, 631, "as has the last")
        + &at(195, 631, "of these lines")
        + &at(385, 631, "here.");
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains('|'), "{text}");
    assert!(
        text.contains("a box at its end, and so has the second"),
        "{text}"
    );
}

#[test]
fn parts_of_a_page_that_lines_frame_are_no_table() {
    // A poster: the parts on the left have two columns of text that are not level.
    let mut content = grid(&[50, 350, 550], &[720, 640, 560]);
    for (x, y, part) in [(60, 708, "one"), (210, 703, "two"), (360, 708, "three")] {
        for line in 0..11 {
            content += &at(x, y - 13 * line, &format!("text {part} line {line}"));
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains('|'), "{text}");
    assert!(text.contains("text two line 4 text two line 5"), "{text}");
}

fn filled([x0, y0, x1, y1]: [u32; 4]) -> String {
    format!("0.8 g {x0} {y0} {} {} re f 0 g ", x1 - x0, y1 - y0)
}

#[test]
fn the_background_of_each_line_of_a_cell_does_not_divide_it() {
    // Word processors paint the paragraphs of a cell one by one, within its lines.
    let mut content = String::new();
    for left in [50, 250] {
        for y in [700, 688, 676] {
            content += &filled([left + 2, y - 3, left + 198, y + 9]);
        }
    }
    content += &(grid(&[50, 250, 450], &[720, 660, 640])
        + &cell(60, 700, &["The name", "of the", "district"])
        + &cell(260, 700, &["The date", "of the", "outbreak"])
        + &cell(60, 646, &["North"])
        + &cell(260, 646, &["May"]));
    let text = markdown(&page("", &content, &[]));
    let table =
        "| The name of the district | The date of the outbreak |\n| --- | --- |\n| North | May |";
    assert_eq!(text, table);
}

#[test]
fn a_table_with_leaders_is_not_divided_into_columns_of_prose() {
    let mut content = String::new();
    for line in 0..16 {
        let y = 700 - 12 * line;
        content += &at(50, y, &format!("Item {line} {}", ".".repeat(40)));
        for column in 0..10 {
            content += &at(230 + 34 * column, y, &format!("{line}.{column}"));
        }
    }
    let text = markdown(&page("", &content, &[]));
    let row = ".... | 7.0 | 7.1 | 7.2 | 7.3 | 7.4 | 7.5 | 7.6 | 7.7 | 7.8 | 7.9 |";
    assert!(text.contains(row), "{text}");
}

#[test]
fn boxes_with_round_corners_behind_words_are_no_cells() {
    let rounded = |x0: u32, y0: u32, x1: u32| {
        let (y1, c) = (y0 + 12, 2);
        format!(
            "0.8 g {} {y0} m {} {y0} l {x1} {y0} {x1} {} {x1} {} c {x1} {} l {x1} {y1} {x1} {y1} {} {y1} c \
             {} {y1} l {x0} {y1} {x0} {} {x0} {} c {x0} {} l {x0} {y0} {x0} {y0} {} {y0} c f 0 g ",
            x0 + c,
            x1 - c,
            y0 + c,
            y0 + c,
            y1 - c,
            x1 - c,
            x0 + c,
            y1 - c,
            y1 - c,
            y0 + c,
            x0 + c
        )
    };
    let mut content = String::new();
    for (y, name) in [(700, "head"), (688, "bead"), (676, "deed"), (664, "need")] {
        content += &(rounded(58, y - 3, 84)
            + &rounded(181, y - 3, 204)
            + &at(60, y, name)
            + &at(87, y, "stands unless set for")
            + &at(183, y, "auto")
            + &at(207, y, "as it is."));
    }
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains('|'), "{text}");
    assert!(
        text.contains("deed stands unless set for auto as it is."),
        "{text}"
    );
}

#[test]
fn the_labels_of_boxes_in_a_drawing_are_no_table() {
    let mut content = grid(&[50, 150, 250, 350], &[720, 690, 660, 630, 600]);
    let drawn = [
        (0, 0, "clock"),
        (2, 3, "bus"),
        (1, 1, "core"),
        (0, 2, "timer"),
        (2, 0, "reset"),
        (1, 3, "cache"),
        (0, 1, "data"),
        (2, 2, "select"),
        (1, 0, "power"),
        (0, 3, "sync"),
        (2, 1, "ready"),
        (1, 2, "store"),
    ];
    for (column, row, label) in drawn {
        content += &at(60 + 100 * column, 700 - 30 * row, label);
    }
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains('|'), "{text}");
    let labels: Vec<&str> = drawn.iter().map(|it| it.2).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(words, labels);
}

#[test]
fn the_cells_of_each_row_may_be_drawn_in_any_order() {
    let mut content = grid(&[50, 150, 250, 350], &[720, 690, 660, 630, 600]);
    for (row, name) in ["Albrieu", "Alonso", "Arena", "Brawer"]
        .into_iter()
        .enumerate()
    {
        let y = 700 - 30 * row as u32;
        content += &(at(160, y, "Front") + &at(60, y, name) + &at(260, y, "yes"));
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("| Arena | Front | yes |"), "{text}");
}

#[test]
fn backgrounds_that_end_where_words_do_divide_no_line() {
    // Listings in colours: each piece of a line has its own background, the blanks too.
    let pieces: [&[(&str, f64)]; 3] = [
        &[("ooo", 16.68), (" ", 6.0), ("nooo", 22.24)],
        &[
            ("nn", 11.12),
            (" ", 6.0),
            ("ooo", 16.68),
            (" ", 6.0),
            ("pp", 11.12),
        ],
        &[
            ("on", 11.12),
            (" ", 6.0),
            ("no", 11.12),
            (" ", 6.0),
            ("bud", 16.68),
        ],
    ];
    let mut content = String::new();
    for (line, pieces) in pieces.into_iter().enumerate() {
        let (mut x, y) = (60.0, 700 - 12 * line);
        for (text, width) in pieces {
            content += &format!("0.9 g {x:.2} {} {width} 12 re f 0 g ", y - 3);
            content += &format!("BT /F1 10 Tf {x:.2} {y} Td ({text}) Tj ET ");
            x += width;
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert_eq!(text, "ooo nooo nn ooo pp on no bud");
}

#[test]
fn shaded_code_within_sentences_is_no_cell() {
    // The boxes of two lines lie so that their edges are below one another.
    let mut content = String::new();
    for (y, left, before, code, after) in [
        (700, 53, "The", "owner", "sets the flag of"),
        (688, 59, "To", "nomin", "and uses the first"),
        (676, 57, "the", "state", "that the other has"),
        (664, 62, "or", "proxy", "as it is stored."),
    ] {
        content += &(filled([74, y - 3, 106, y + 9])
            + &at(left, y, before)
            + &at(76, y, code)
            + &at(109, y, after));
    }
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains('|'), "{text}");
    assert!(
        text.contains("the state that the other has or proxy"),
        "{text}"
    );
}

#[test]
fn shaded_cells_that_touch_are_a_table() {
    // Their texts are so near that without the edges each row would be one.
    let mut content = String::new();
    for (y, name, price) in [
        (700, "Apples", "1.20"),
        (688, "Pears", "2.40"),
        (676, "Plums", "3.60"),
    ] {
        content += &(filled([50, y - 3, 86, y + 9])
            + &filled([86, y - 3, 126, y + 9])
            + &at(54, y, name)
            + &at(88, y, price));
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("| Pears | 2.40 |"), "{text}");
}

#[test]
fn a_form_whose_labels_are_drawn_before_its_values_is_a_table() {
    let rows = [
        ["Name", "Maria Gomez", "Born", "1981-04-02"],
        ["Street", "12 High Road", "Town", "Leeds"],
        ["Phone", "0113 4960", "Fax", "0113 4961"],
        ["Employer", "Acme", "Since", "2014"],
    ];
    let mut content = grid(&[50, 150, 250, 350, 450], &[720, 690, 660, 630, 600]);
    for columns in [[0, 2], [1, 3]] {
        for (row, cells) in rows.iter().enumerate() {
            for column in columns {
                content += &at(
                    60 + 100 * column as u32,
                    700 - 30 * row as u32,
                    cells[column],
                );
            }
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(
        text.contains("| Street | 12 High Road | Town | Leeds |"),
        "{text}"
    );
}

#[test]
fn lines_of_text_on_white_paper_are_no_cells_although_each_is_painted_white() {
    // Browsers print so. The marks of items stand beside their boxes.
    let white = |[x0, y0, x1, y1]: [u32; 4]| {
        format!("1 1 1 rg {x0} {y0} {} {} re f 0 g ", x1 - x0, y1 - y0)
    };
    let mut content = white([0, 0, 600, 800]);
    for line in 0..4 {
        let y = 700 - 15 * line;
        content += &(white([90, y - 4, 540, y + 12])
            + &at(
                95,
                y,
                &format!("- item {line} that takes more than its line of"),
            ));
    }
    content += &white([72, 618, 540, 640]);
    for line in 0..4 {
        let y = 622 - 15 * line;
        content += &(white([72, y - 4, 540, y + 12])
            + &at(
                72,
                y,
                &format!("line {line} of a paragraph that goes on below"),
            ));
    }
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains('|'), "{text}");
    assert!(text.contains("goes on below line 1 of"), "{text}");
}

#[test]
fn white_cells_on_a_dark_ground_are_a_table() {
    let mut content = "0.3 g 40 640 200 90 re f 0 g ".to_owned();
    for (y, name, price) in [
        (700, "Apples", "1.20"),
        (688, "Pears", "2.40"),
        (676, "Plums", "3.60"),
    ] {
        let bottom = y - 3;
        content += &format!("1 g 50 {bottom} 36 12 re f 86 {bottom} 40 12 re f 0 g ");
        content += &(at(54, y, name) + &at(88, y, price));
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("| Pears | 2.40 |"), "{text}");
}

#[test]
fn the_white_ground_of_a_page_is_no_part_of_its_table() {
    // The table touches the ground, on which the text below it stands, too.
    let mut content = "1 g 50 100 400 620 re f 0 g ".to_owned()
        + &grid(&[50, 250, 450], &[720, 700, 680])
        + &cell(60, 706, &["Name"])
        + &cell(260, 706, &["Price"])
        + &cell(60, 686, &["Bread"])
        + &cell(260, 686, &["2.10"]);
    for line in 0..4 {
        content += &at(
            50,
            640 - 14 * line,
            &format!("line {line} of a paragraph that goes on below"),
        );
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.starts_with("| Name | Price |"), "{text}");
    assert!(text.ends_with("\n\nline 0 of a paragraph that goes on below line 1 of a paragraph that goes on below line 2 of a paragraph that goes on below line 3 of a paragraph that goes on below"), "{text}");
}

/// A table that is wider than the paper is often drawn across it, without a word that the page is turned.
#[test]
fn a_table_that_is_drawn_up_or_down_the_page_is_a_table() {
    let words = |number: u32| format!("Item {number} of a long list");
    let mut content = grid(&[50, 250, 450], &[720, 690, 660, 630, 600]);
    for row in 0..4 {
        let name: &str = &words(row);
        content += &cell(60, 700 - 30 * row, &[name]);
        content += &cell(260, 700 - 30 * row, &["A price", "and a remark"]);
    }
    let flat = markdown(&page("", &content, &[]));
    assert!(
        flat.contains("| Item 3 of a long list | A price and a remark |"),
        "{flat}"
    );
    for turn in ["0 1 -1 0 760 0", "0 -1 1 0 -300 600", "-1 0 0 -1 600 800"] {
        let turned = markdown(&page("", &format!("{turn} cm {content}"), &[]));
        assert_eq!(turned, flat, "{turn}");
    }
}
