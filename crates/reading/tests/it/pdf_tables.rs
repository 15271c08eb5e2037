//! PDFs in which what stands side by side is a table, blocks of text, or a form.

use crate::pdf::{at, markdown, object, page};

#[test]
fn blocks_side_by_side_are_read_one_after_the_other() {
    let blocks = [
        (50, ["From the office", "of the editor"]),
        (250, ["Printed in", "the summer"]),
        (430, ["Sent to", "all readers"]),
    ];
    let mut content = String::new();
    for (x, lines) in &blocks {
        content += &at(*x, 700, lines[0]);
        content += &at(*x, 688, lines[1]);
    }
    let text = markdown(&page("", &content, &[]));
    for (_, lines) in blocks {
        assert!(text.contains(&lines.join(" ")), "{text}");
    }
    // Drawn line by line, the same is read line by line.
    let mut content = String::new();
    for line in 0..2 {
        for (x, lines) in &blocks[..2] {
            content += &at(*x, 700 - 12 * line, lines[line as usize]);
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("From the office Printed in"), "{text}");
}

#[test]
fn labels_are_not_parted_from_what_they_label() {
    let mut content = String::new();
    for (x, lines) in [(50, ["Name:", "Town:"]), (200, ["Ada Lovelace", "London"])] {
        content += &at(x, 700, lines[0]);
        content += &at(x, 688, lines[1]);
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("Name: Ada Lovelace"), "{text}");
}

#[test]
fn the_frames_of_fields_are_no_table() {
    let labels = ["Name", "Street", "Town"];
    let (mut content, mut list) = (String::new(), String::new());
    let mut objects = Vec::new();
    for (index, label) in labels.iter().enumerate() {
        let y = 700 - 20 * index;
        content += &at(50, y as u32, label);
        let field = 6 + 2 * index;
        list += &format!("{field} 0 R ");
        objects.push(object(&format!(
            "<</Type/Annot/Subtype/Widget/FT/Tx/V(x)/Rect[200 {} 400 {}]/AP<</N {} 0 R>>>>",
            y - 6,
            y + 14,
            field + 1
        )));
        let drawn =
            format!("0 0 100 20 re S 100 0 100 20 re S BT /F1 10 Tf 4 6 Td (value {index}) Tj ET");
        objects.push(object(&format!(
            "<</Type/XObject/Subtype/Form/BBox[0 0 200 20]/Length {}>>stream\n{drawn}\nendstream",
            drawn.len()
        )));
    }
    let text = markdown(&page(&format!("/Annots[{list}]"), &content, &objects));
    for (index, label) in labels.iter().enumerate() {
        assert!(
            text.contains(&format!("| {label} | value {index} |")),
            "{text}"
        );
    }
}

#[test]
fn a_header_with_fewer_cells_belongs_to_the_table_below_it() {
    let mut content = at(50, 712, "Kind") + &at(350, 712, "Width") + &at(450, 712, "Height");
    for line in 0..6 {
        let y = 700 - 12 * line;
        for (x, cell) in [(50, "kind"), (200, "note"), (350, "1"), (450, "2")] {
            content += &at(x, y, &format!("{cell}{line}"));
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(
        text.starts_with("| Kind |  | Width | Height |\n| ---"),
        "{text}"
    );
    assert!(text.contains("| kind5 | note5 | 15 | 25 |"), "{text}");
}

#[test]
fn lines_of_numbers_are_rows_although_some_are_closer_than_others() {
    let mut content = String::new();
    // Drawn from the bottom, so that only their places tell.
    for (index, y) in [592, 604, 616, 640, 652, 664, 688, 700].iter().enumerate() {
        for (x, cell) in [(450, "3"), (300, "2"), (200, "1"), (50, "")] {
            let text = if cell.is_empty() {
                format!("year {index}")
            } else {
                format!("{cell}{index}.5")
            };
            content += &at(x, *y, &text);
        }
    }
    let text = markdown(&page("", &content, &[]));
    for index in 0..8 {
        let row = format!("| year {index} | 1{index}.5 | 2{index}.5 | 3{index}.5 |");
        assert!(text.contains(&row), "{text}");
    }
}

#[test]
fn a_heading_above_several_columns_does_not_join_them() {
    let mut content = at(50, 724, "Place")
        + &at(
            200,
            724,
            "The figures of both of these years and more of them",
        );
    for line in 0..6 {
        let y = 712 - 12 * line;
        for (x, cell) in [(50, "place"), (200, "a"), (300, "b"), (400, "c")] {
            content += &at(x, y, &format!("{cell}{line}"));
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("| place3 | a3 | b3 | c3 |"), "{text}");
}

#[test]
fn lines_that_frame_groups_of_cells_are_no_grid() {
    let mut content = String::from("0.5 w ");
    for y in [712, 688, 664, 640] {
        content += &format!("40 {y} m 560 {y} l S ");
    }
    for x in [40, 400, 560] {
        content += &format!("{x} 640 m {x} 712 l S ");
    }
    for line in 0..6 {
        let y = 703 - 12 * line;
        for (x, cell) in [(50, "place"), (150, "a"), (250, "b"), (420, "c")] {
            content += &at(x, y, &format!("{cell}{line}"));
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("| place3 | a3 | b3 | c3 |"), "{text}");
}

#[test]
fn a_cell_may_be_centred_beside_one_of_two_lines() {
    let mut content = at(50, 720, "Symbol") + &at(150, 720, "Explanation");
    let rows = [
        ("path", "the path of a type", "in this module"),
        ("super", "the path of a type", "in the module above"),
        ("self", "the value on which", "a method is called"),
        ("crate", "the root of all", "that is compiled"),
        ("mod", "a part of a crate", "with a name"),
    ];
    for (index, (symbol, first, second)) in (0..).zip(rows) {
        let y = 690 - 30 * index;
        content += &at(50, y - 6, symbol);
        content += &at(150, y, first);
        content += &at(150, y - 12, second);
    }
    content += &at(
        50,
        500,
        "The text after the table reaches across its columns.",
    );
    let text = markdown(&page("", &content, &[]));
    for (symbol, first, second) in rows {
        assert!(
            text.contains(&format!("| {symbol} | {first} {second} |")),
            "{text}"
        );
    }
    assert!(text.contains("\n\nThe text after"), "{text}");
}

#[test]
fn a_stray_text_does_not_mix_the_columns_of_a_page() {
    let mut content = String::new();
    for line in 0..30 {
        let text = format!("Line {line} of the left column, which is prose.");
        content += &at(50, 750 - 12 * line, &text);
    }
    for line in 0..30 {
        let y = 750 - 12 * line;
        for (x, cell) in [(330, "a"), (390, "b"), (450, "c"), (510, "d")] {
            content += &at(x, y, &format!("{cell}{line}"));
        }
        if line == 15 {
            content += &at(50, 380, "Astray.");
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("| a20 | b20 | c20 | d20 |"), "{text}");
    assert!(text.find("Line 29") < text.find("| a0"), "{text}");
}

#[test]
fn columns_of_prose_are_columns_although_their_lines_are_drawn_in_turn() {
    let mut content = String::new();
    for line in 0..14 {
        let y = 750 - 12 * line;
        let left = format!("The line {line} of the left column is prose,");
        let right = format!("the line {line} of the right column is prose.");
        content += &at(50, y, &left);
        content += &at(320, y, &right);
    }
    let text = markdown(&page("", &content, &[]));
    let (left, right) = (
        text.find("line 13 of the left"),
        text.find("line 0 of the right"),
    );
    assert!(left.is_some() && left < right, "{text}");
}

#[test]
fn the_lines_of_cells_that_are_drawn_cell_by_cell_stay_in_their_cells() {
    let mut content = at(50, 712, "Kind") + &at(150, 712, "Meaning") + &at(330, 712, "Since");
    for row in 0..4 {
        let y = 696 - 40 * row;
        content += &at(50, y, &format!("kind {row}"));
        content += &at(150, y, "the first line of a cell");
        content += &at(150, y - 12, "and its second line");
        content += &at(330, y, &format!("199{row}"));
        content += &at(330, y - 12, "or so");
    }
    let text = markdown(&page("", &content, &[]));
    assert!(
        text.starts_with("| Kind | Meaning | Since |\n| ---"),
        "{text}"
    );
    for row in 0..4 {
        let cells = "the first line of a cell and its second line";
        let row = format!("| kind {row} | {cells} | 199{row} or so |");
        assert!(text.contains(&row), "{text}");
    }
}

#[test]
fn wide_gaps_between_the_words_of_a_justified_line_are_no_columns() {
    let mut content = at(50, 712, "Kind") + &at(150, 712, "Meaning");
    for row in 0..4 {
        let y = 696 - 40 * row;
        content += &at(50, y, &format!("kind {row}"));
        content += &(at(150, y, "Blocks") + &at(225, y, "exter-"));
        content += &at(150, y - 12, "nal resource load-");
        content += &at(150, y - 24, "ing.");
    }
    let text = markdown(&page("", &content, &[]));
    assert!(
        text.contains("| kind 3 | Blocks external resource loading. |"),
        "{text}"
    );
}

#[test]
fn a_table_that_is_drawn_column_by_column_is_read_row_by_row() {
    let mut content = String::new();
    for (x, column) in [(50, "State"), (200, "Votes"), (300, "Seats")] {
        for line in 0..6 {
            content += &at(x, 700 - 14 * line, &format!("{column} {line}"));
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("| State 4 | Votes 4 | Seats 4 |"), "{text}");
}

#[test]
fn a_table_whose_rows_are_drawn_from_the_right_is_read_from_the_left() {
    let mut content = String::new();
    for line in 0..6 {
        let y = 700 - 14 * line;
        // The amount, what it is for, and who receives it.
        content += &at(400, y, &format!("1{line},500.00"));
        content += &at(200, y, &format!("Office number {line}"));
        content += &at(50, y, &format!("Person {line}"));
    }
    let text = markdown(&page("", &content, &[]));
    let row = "| Person 4 | Office number 4 | 14,500.00 |";
    assert!(text.contains(row), "{text}");
}

#[test]
fn a_table_does_not_get_lost_because_lines_with_other_columns_follow() {
    let mut content = String::new();
    for (line, form) in (0..).zip(["Form", "Single", "Double", "Raw", "Bare"]) {
        for (x, text) in [
            (50, form),
            (130, "code"),
            (190, "none"),
            (240, "words of it"),
        ] {
            content += &at(x, 700 - 13 * line, text);
        }
    }
    content += &at(20, 612, "Some words of a paragraph beside");
    // Together, these and the rows above leave no gap between columns.
    for (line, y) in (0..3).zip([588, 575, 562]) {
        content += &at(20, y, &format!("long call {line}"));
        content += &at(75, y, "noonnoonnoonnoonnoonn");
        content += &at(209, y, "and something else");
    }
    let text = markdown(&page("", &content, &[]));
    let row = "| Double | code | none | words of it |";
    assert!(text.contains(row), "{text}");
}

#[test]
fn lines_of_code_keep_the_marks_that_are_drawn_after_them() {
    let mut content = String::new();
    for line in 0..6 {
        content += &at(80, 700 - 14 * line, "let value = longer_than_the_line");
        content += &at(50, 700 - 14 * line, "..");
    }
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains('|'), "{text}");
}

#[test]
fn lines_that_are_drawn_from_the_bottom_are_read_from_the_top() {
    let lines = (0..8).rev();
    let content: String = lines
        .map(|line| {
            at(
                50,
                700 - 12 * line,
                &format!("The line number {line} of it"),
            )
        })
        .collect();
    let text = markdown(&page("", &content, &[]));
    let places: Vec<usize> = (0..8)
        .filter_map(|line| text.find(&format!("number {line}")))
        .collect();
    assert!(places.is_sorted() && places.len() == 8, "{text}");
}

/// Lines from one place to another.
fn lines(places: &[[u32; 4]]) -> String {
    let line = |[x0, y0, x1, y1]: &[u32; 4]| format!("{x0} {y0} m {x1} {y1} l S ");
    places.iter().map(line).collect()
}

#[test]
fn the_lines_of_a_chart_are_no_table() {
    let mut content = lines(&[
        [80, 600, 400, 600],
        [80, 640, 400, 640],
        [80, 680, 400, 680],
        [80, 720, 400, 720],
        [80, 600, 80, 720],
        [300, 600, 300, 720],
        [400, 600, 400, 720],
    ]);
    // From the bottom up, as charts are drawn.
    for (index, number) in ["0", "50", "100", "150", "200", "250"].iter().enumerate() {
        content += &at(90, 606 + 19 * index as u32, number);
    }
    content += &at(310, 660, "Wheat");
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains('|'), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbers = ["0", "50", "100", "150", "200", "250"];
    assert!(words.windows(6).any(|it| it == numbers), "{text}");
}

#[test]
fn frames_that_only_touch_are_no_table() {
    let content = lines(&[
        [50, 700, 200, 700],
        [50, 660, 350, 660],
        [200, 620, 350, 620],
        [50, 660, 50, 700],
        [200, 620, 200, 700],
        [350, 620, 350, 660],
    ]) + &at(60, 675, "server")
        + &at(210, 635, "store");
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains('|') && text.contains("server"), "{text}");
}

#[test]
fn texts_beside_one_another_in_a_cell_stay_on_their_lines() {
    let mut content = lines(&[
        [50, 720, 450, 720],
        [50, 660, 450, 660],
        [50, 640, 450, 640],
        [50, 640, 50, 720],
        [350, 640, 350, 720],
        [450, 640, 450, 720],
    ]);
    for (y, cells) in [
        (705, ["BILL TO", "Number:", "181"]),
        (690, ["Ada Small", "Issued:", "1/2/22"]),
        (675, ["12 Village Road", "Due:", "3/3/22"]),
    ] {
        content += &(at(60, y, cells[0]) + &at(200, y, cells[1]) + &at(360, y, cells[2]));
    }
    content += &(at(60, 646, "Item") + &at(360, 646, "Price"));
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("| Ada Small Issued: | 1/2/22 |"), "{text}");
}

#[test]
fn a_text_beside_the_rows_of_a_table_stays_together() {
    // Lines divide only the right side into rows.
    let mut content = lines(&[
        [50, 720, 450, 720],
        [50, 640, 450, 640],
        [250, 700, 450, 700],
        [250, 680, 450, 680],
        [250, 660, 450, 660],
        [50, 640, 50, 720],
        [250, 640, 250, 720],
        [350, 640, 350, 720],
        [450, 640, 450, 720],
    ]);
    for (y, text) in [
        (709, "Ada Small"),
        (697, "12 Village Road"),
        (685, "Oxford"),
    ] {
        content += &at(60, y, text);
    }
    for (y, label, value) in [
        (705, "Number", "181"),
        (688, "Issued", "1/2/22"),
        (668, "Due", "3/3/22"),
        (648, "Total", "9.50"),
    ] {
        content += &(at(260, y, label) + &at(360, y, value));
    }
    let text = markdown(&page("", &content, &[]));
    assert!(
        text.contains("| Ada Small 12 Village Road Oxford | Number | 181 |"),
        "{text}"
    );
}

#[test]
fn boxes_beside_one_another_are_no_table() {
    // The page of a poster: a line in one column says nothing about the text of the other.
    let mut content = lines(&[
        [50, 720, 550, 720],
        [50, 560, 550, 560],
        [50, 660, 300, 660],
        [300, 620, 550, 620],
        [50, 560, 50, 720],
        [300, 560, 300, 720],
        [550, 560, 550, 720],
    ]);
    for (x, shift, side) in [(60, 0, "left"), (310, 5, "right")] {
        for line in 0..11 {
            content += &at(
                x,
                708 - shift - 13 * line,
                &format!("words of the {side} text {line}"),
            );
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains('|'), "{text}");
    let left = text.find("left text 10");
    assert!(left.is_some() && left < text.find("right text 0"), "{text}");
}
