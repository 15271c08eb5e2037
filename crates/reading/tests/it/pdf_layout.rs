//! PDFs whose words and lines are hard to tell apart, or in an order of their own.

use crate::pdf::{at, markdown, object, page};

#[test]
fn the_values_of_a_form_stand_beside_their_labels() {
    let labels = ["Name", "Street", "Town", "Country", "Telephone"];
    let mut content = String::new();
    let mut fields = Vec::new();
    let mut list = String::new();
    for (index, label) in labels.iter().enumerate() {
        let y = 700 - 20 * index;
        content += &at(50, y as u32, label);
        fields.push(object(&format!(
            "<</Type/Annot/Subtype/Widget/FT/Tx/V(value {index})/Rect[200 {} 400 {}]>>",
            y - 2,
            y + 11
        )));
        list += &format!("{} 0 R ", index + 6);
    }
    let text = markdown(&page(&format!("/Annots[{list}]"), &content, &fields));
    for (index, label) in labels.iter().enumerate() {
        assert!(
            text.contains(&format!("| {label} | value {index} |")),
            "{text}"
        );
    }
}

#[test]
fn a_list_field_shows_what_can_be_chosen() {
    let list = object(
        "<</Type/Annot/Subtype/Widget/FT/Ch/V(two)/Opt[(one)[(2)(two)](three)]/Rect[50 600 300 700]>>",
    );
    let combo = object(
        "<</Type/Annot/Subtype/Widget/FT/Ch/Ff 131072/V(red)/Opt[(red)(green)]/Rect[50 400 300 415]>>",
    );
    let text = markdown(&page("/Annots[6 0 R 7 0 R]", "", &[list, combo]));
    assert_eq!(text, "one two three\n\nred");
}

#[test]
fn a_list_field_without_room_shows_what_is_chosen() {
    let list = object(
        "<</Type/Annot/Subtype/Widget/FT/Ch/V(two)/Opt[(one)(two)(three)]/Rect[50 600 300 614]>>",
    );
    assert_eq!(markdown(&page("/Annots[6 0 R]", "", &[list])), "two");
}

#[test]
fn letters_that_are_drawn_backwards_are_one_word() {
    // The blank at the end of the first line is drawn just before the last letter of the second.
    let mut content = at(50, 700, "The state of ");
    let places = [50.0, 57.2, 62.8, 65.0, 70.6, 77.8, 83.3, 86.7];
    for (place, letter) in places.iter().rev().zip("Delaware".chars().rev()) {
        content += &format!("BT /F1 10 Tf {place} 688 Td ({letter}) Tj ET ");
    }
    let text = markdown(&page("", &content, &[]));
    assert_eq!(text, "The state of Delaware");
}

#[test]
fn a_blank_between_words_counts_although_they_overlap() {
    let content = at(50, 700, "Complete the ") + &at(102, 700, "Qualified form.");
    let text = markdown(&page("", &content, &[]));
    assert_eq!(text, "Complete the Qualified form.");
}

#[test]
fn the_mark_of_a_footnote_stays_with_its_word_although_it_is_not_small() {
    let content = at(50, 700, "was asked in Wiki-")
        + &at(50, 688, "pedia")
        + "BT /F1 9 Tf 74.5 692 Td (1) Tj ET "
        + &at(82, 688, "as a document.");
    let text = markdown(&page("", &content, &[]));
    assert_eq!(text, "was asked in Wikipedia1 as a document.");
}

#[test]
fn the_labels_of_a_drawing_are_read_as_they_are_drawn() {
    let mut content = String::new();
    // Boxes with two lines each, none of which are on one line, and the numbers along an axis.
    for (x, y, label) in [
        (60, 700, "first"),
        (150, 693, "second"),
        (300, 640, "third"),
        (400, 655, "fourth"),
    ] {
        content += &at(x, y, label);
        content += &at(x, y - 12, "stage");
    }
    for number in 0..5 {
        content += &at(40, 300 + 25 * number, &format!("{number}0 %"));
    }
    let text = markdown(&page("", &content, &[]));
    for label in ["first stage", "second stage", "third stage", "fourth stage"] {
        assert!(text.contains(label), "{text}");
    }
    let percent: Vec<usize> = (0..5)
        .filter_map(|number| text.find(&format!("{number}0 %")))
        .collect();
    assert!(percent.is_sorted() && percent.len() == 5, "{text}");
}

#[test]
fn a_table_in_one_column_of_a_page_is_not_mixed_with_the_text_of_the_other() {
    let mut content = String::new();
    for line in 0..14 {
        content += &at(
            50,
            700 - 12 * line,
            "The left column is ordinary prose that fills it.",
        );
    }
    for line in 0..14 {
        let y = 700 - 12 * line;
        for (x, cell) in [(330, "a"), (390, "b"), (450, "c"), (510, "d")] {
            content += &at(x, y, &format!("{cell}{line}"));
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("| a3 | b3 | c3 | d3 |"), "{text}");
    assert!(!text.contains("| The left"), "{text}");
    assert!(text.find("prose") < text.find("| a0"), "{text}");
}

#[test]
fn a_frame_around_columns_is_no_table() {
    let mut content =
        String::from("0.5 w 40 400 m 560 400 l S 40 720 m 560 720 l S 40 740 m 560 740 l S ");
    content += "40 400 m 40 740 l S 300 400 m 300 740 l S 560 400 m 560 740 l S ";
    content += &at(50, 726, "First half");
    content += &at(310, 726, "Second half");
    for (x, half) in [(50, "x"), (310, "y")] {
        for line in 0..8 {
            content += &at(x, 700 - 12 * line, &format!("{half}{line}"));
            content += &at(x + 120, 700 - 12 * line, &format!("{}", 10 * line));
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains("x0 0 x1"), "{text}");
}

#[test]
fn texts_that_overlap_keep_their_letters_and_are_two_words() {
    let content = at(50, 700, "(centred)") + &at(75, 700, "tested");
    let text = markdown(&page("", &content, &[]));
    assert!(
        text.contains("(centred)") && text.contains(" tested"),
        "{text}"
    );
}

#[test]
fn a_small_raised_letter_within_a_word_stays_in_it() {
    // As TeX writes its own name: L, a raised small A over its foot, then TEX with a lowered E.
    let content = "BT /F1 10 Tf 50 700 Td (the L) Tj ET BT /F1 7 Tf 67.4 702 Td (A) Tj ET BT /F1 10 Tf 71 700 Td (T) Tj ET BT /F1 10 Tf 75.5 698 Td (E) Tj ET BT /F1 10 Tf 81 700 Td (X package) Tj ET";
    assert_eq!(markdown(&page("", content, &[])), "the LATEX package");
}

#[test]
fn letters_with_a_blank_between_each_are_a_list_and_not_a_word() {
    let spread = |letters: &str| {
        let shown: String = letters.chars().map(|it| format!("({it})-330")).collect();
        let content = format!("BT /F1 10 Tf 50 700 Td [{shown}]TJ ET");
        markdown(&page("", &content, &[]))
    };
    assert!(spread("abcdefghijklmnopqrstuvwxyz").contains("b c d"));
    assert_eq!(spread("CONTENTS"), "CONTENTS");
}

#[test]
fn text_in_small_print_does_not_make_headings_of_the_rest() {
    let mut content = String::new();
    for line in 0..12 {
        content += &at(50, 700 - 12 * line, "A sentence of the text.").replace("10 Tf", "9 Tf");
    }
    for line in 0..30 {
        let note = "A note in small print, which is longer than the text.";
        content += &at(50, 500 - 8 * line, note).replace("10 Tf", "6 Tf");
    }
    assert!(!markdown(&page("", &content, &[])).contains('#'));
}

#[test]
fn a_hyphen_that_stands_for_nothing_joins_the_parts_of_a_word() {
    let hyphen = "/Span <</ActualText <FEFF00AD>>> BDC BT /F1 10 Tf 102 700 Td (-) Tj ET EMC ";
    let content = at(50, 700, "the first con") + hyphen + &at(50, 688, "formance test");
    let text = markdown(&page("", &content, &[]));
    assert_eq!(text, "the first conformance test");
}

#[test]
fn a_line_of_small_code_does_not_end_a_paragraph() {
    let content = at(50, 700, "The transaction must be valid, the same as in")
        + "BT /F1 8 Tf 50 688 Td (send_raw_transaction_of_the_method) Tj ET "
        + &at(210, 688, ",")
        + &at(50, 676, "and so on.");
    let text = markdown(&page("", &content, &[]));
    assert_eq!(text.matches("\n\n").count(), 0, "{text}");
}

#[test]
fn discs_before_lines_are_the_marks_of_a_list() {
    // The operators for a curve, which differ in the control points that they name.
    for curve in ["c", "v", "y"] {
        list_with_discs(|y| disc(60, y, curve));
    }
}

/// A disc of four curves.
fn disc(x: u32, y: u32, curve: &str) -> String {
    let (left, right, below, above) = (x - 2, x + 2, y - 2, y + 2);
    let quarters = [
        [right, y + 1, x + 1, above, x, above],
        [x - 1, above, left, y + 1, left, y],
        [left, y - 1, x - 1, below, x, below],
        [x + 1, below, right, y - 1, right, y],
    ];
    let quarter = |[a, b, c, d, e, f]: [u32; 6]| match curve {
        "v" => format!("{c} {d} {e} {f} v "),
        "y" => format!("{a} {b} {e} {f} y "),
        _ => format!("{a} {b} {c} {d} {e} {f} c "),
    };
    format!("{right} {y} m {}f ", quarters.map(quarter).concat())
}

fn list_with_discs(disc: impl Fn(u32) -> String) {
    let line = |y: u32, text: &str| format!("BT /F1 12 Tf 75 {y} Td ({text}) Tj ET ");
    let list = format!(
        "{}{}{}{}{}",
        disc(704),
        line(700, "the first point of the list"),
        line(686, "and its second line"),
        disc(676),
        line(672, "the second point"),
    );
    assert_eq!(
        markdown(&page("", &list, &[])),
        "- the first point of the list and its second line\n- the second point"
    );
    // The points of a diagram stand before nothing.
    let diagram: String = (0..9).map(|it| disc(400 + 20 * it)).collect();
    let text = markdown(&page("", &format!("{list}{diagram}"), &[]));
    assert!(!text.contains("- "), "{text}");
}

#[test]
fn the_numbers_of_an_axis_are_read_from_its_start() {
    let mut content = String::new();
    for index in 0..8 {
        content += &at(50, 400 + 30 * index, &(10 * index).to_string());
    }
    let text = markdown(&page("", &content, &[]));
    let numbers: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(numbers, ["0", "10", "20", "30", "40", "50", "60", "70"]);
}

#[test]
fn texts_at_slants_are_read_as_they_are_drawn() {
    let slanted = |matrix: &str, text: &str| format!("BT /F1 12 Tf {matrix} Tm ({text}) Tj ET ");
    let content = slanted("0.5 -0.866 0.866 0.5 300 500", "first")
        + &slanted("0 1 -1 0 300 400", "second")
        + &slanted("0.866 0.5 -0.5 0.866 200 300", "third");
    let text = markdown(&page("", &content, &[]));
    let words: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(words, ["first", "second", "third"]);
}

#[test]
fn the_parts_of_a_fraction_are_not_one_number() {
    let small = |x: u32, y: u32, text: &str| format!("BT /F1 7 Tf {x} {y} Td ({text}) Tj ET ");
    let content =
        at(50, 700, "Take") + &small(78, 704, "1") + &small(78, 696, "2") + &at(84, 700, "cup");
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains("12") && !text.contains("21"), "{text}");
}

#[test]
fn the_mark_of_an_item_that_is_drawn_after_it_stands_before_it() {
    let mut content = String::new();
    for (index, text) in ["apples", "pears", "plums"].iter().enumerate() {
        let y = 700 - 14 * index as u32;
        content += &(at(70, y, text) + &at(52, y, &format!("{}.", index + 1)));
    }
    assert_eq!(
        markdown(&page("", &content, &[])),
        "1. apples\n2. pears\n3. plums"
    );
}

#[test]
fn a_highlight_that_repeats_its_text_is_no_note() {
    let highlights = [
        object(
            "<</Type/Annot/Subtype/Highlight/Contents(repeated in the file)/Rect[50 695 300 710]>>",
        ),
        object("<</Type/Annot/Subtype/Highlight/Contents(Is this so?)/Rect[50 695 300 710]>>"),
    ];
    let content = at(50, 700, "These words are repeated in the file.");
    let text = markdown(&page("/Annots[6 0 R 7 0 R]", &content, &highlights));
    assert_eq!(text.matches("repeated").count(), 1, "{text}");
    assert!(text.contains("Note: Is this so?"), "{text}");
}

#[test]
fn labels_that_run_upwards_are_told_where_they_are_drawn() {
    let upwards = |x: u32, text: &str| format!("BT /F1 10 Tf 0 1 -1 0 {x} 500 Tm ({text}) Tj ET ");
    let downwards =
        |x: u32, text: &str| format!("BT /F1 10 Tf 0 -1 1 0 {x} 560 Tm ({text}) Tj ET ");
    let months = ["January", "February", "March", "April", "May", "June"];
    let content = at(50, 700, "Before the chart.")
        + &upwards(60, "Profit")
        + &(80..)
            .step_by(20)
            .zip(months)
            .map(|(x, month)| downwards(x, month))
            .collect::<String>()
        + &at(50, 400, "After the chart.");
    let text = markdown(&page("", &content, &[]));
    let told = ["Before", "Profit"].iter().chain(&months).chain(&["After"]);
    let places: Vec<Option<usize>> = told.map(|word| text.find(word)).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{text}");
}

#[test]
fn a_list_in_columns_stays_in_the_order_of_the_alphabet() {
    let columns = [
        ["Add()", "Any()", "Cut()", "Drop()"],
        ["Each()", "Find()", "Get()", "Has()"],
        ["Join()", "Keep()", "Last()", "Map()"],
    ];
    let mut content = String::new();
    for (x, names) in [50, 250, 450].into_iter().zip(columns) {
        for (y, name) in (0..).map(|line| 700 - 12 * line).zip(names) {
            content += &at(x, y, name);
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(text.contains("Cut() Drop()\n\nEach() Find()"), "{text}");
}

#[test]
fn cards_that_stand_side_by_side_are_read_one_after_the_other() {
    let cards = [
        ["Ada Lovelace", "Chair", "Analyst"],
        ["Grace Hopper", "Member", "Compiler group"],
        ["Alan Kay", "Lead", "Objects"],
    ];
    let mut content = String::new();
    for (middle, lines) in [120, 300, 480].into_iter().zip(cards) {
        for (y, text) in [700, 688, 676].into_iter().zip(lines) {
            // The font of the file has no widths, so letters are as wide as in Helvetica.
            let width: f64 = text.chars().map(helvetica).sum();
            let left = f64::from(middle) - width / 2.0;
            content += &format!("BT /F1 10 Tf {left:.2} {y} Td ({text}) Tj ET ");
        }
    }
    let text = markdown(&page("", &content, &[]));
    assert!(!text.contains('|'), "{text}");
    let hopper = text.find("Compiler group").expect("told");
    assert!(text.find("Member").expect("told") < hopper, "{text}");
    assert!(hopper < text.find("Alan Kay").expect("told"), "{text}");
}

/// The widths of the letters above, at 10 points.
fn helvetica(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' => 2.22,
        ' ' | 't' => 2.78,
        'r' => 3.33,
        'c' | 'k' | 's' | 'v' | 'y' => 5.0,
        'A' | 'K' => 6.67,
        'C' | 'H' => 7.22,
        'G' | 'O' => 7.78,
        'M' | 'm' => 8.33,
        _ => 5.56,
    }
}

#[test]
fn code_that_a_browser_paints_last_is_read_where_it_stands() {
    let mut prose = at(50, 740, "How to call it");
    let mut code = String::new();
    for step in 0..3 {
        let y = 700 - 60 * step;
        prose += &at(
            50,
            y,
            &format!("Step {step} is told in words before its code."),
        );
        code += &at(60, y - 25, &format!("call --with step={step}"));
    }
    let text = markdown(&page("", &(prose + &code), &[]));
    let places = ["Step 0", "step=0", "Step 1", "step=1", "Step 2", "step=2"];
    let places = places.map(|part| text.find(part));
    assert!(places.is_sorted() && places[0].is_some(), "{text}");
}

#[test]
fn a_stamp_that_is_drawn_last_stays_after_the_text() {
    let mut content = String::new();
    for line in 0..4 {
        content += &at(
            50,
            700 - 30 * line,
            &format!("Paragraph {line} of the opinion."),
        );
    }
    content += &at(50, 780, "Case 20-16276, page 6 of 15");
    let text = markdown(&page("", &content, &[]));
    assert!(text.starts_with("Paragraph 0"), "{text}");
}

/// A page with lines in Helvetica (F1) and Helvetica-Bold (F2).
fn lines(lines: &[(u32, u32, &str, &str)]) -> String {
    let draw = |(x, y, font, text): &(u32, u32, &str, &str)| {
        format!("BT /{font} 10 Tf {x} {y} Td ({text}) Tj ET ")
    };
    let content: String = lines.iter().map(draw).collect();
    let bold = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>";
    markdown(&page("", &content, &[object(bold)]))
}

#[test]
fn a_numbered_item_in_bold_is_no_heading() {
    let text = lines(&[
        (50, 740, "F1", "Some words of a paragraph."),
        (60, 700, "F1", "1. "),
        (72, 700, "F2", "Efficiency of it all"),
        (80, 688, "F1", "- one"),
        (60, 670, "F1", "2. "),
        (72, 670, "F2", "Simplicity"),
    ]);
    let items = "1. Efficiency of it all\n   - one\n2. Simplicity";
    assert!(text.ends_with(items), "{text}");
    let text = lines(&[
        (50, 740, "F1", "Some words of a paragraph."),
        (50, 700, "F2", "1. Introduction"),
        (50, 670, "F1", "More words."),
    ]);
    assert!(text.contains("#### 1. Introduction"), "{text}");
}

#[test]
fn the_letter_o_is_a_bullet_before_a_small_letter() {
    let text = lines(&[
        (50, 740, "F1", "Some words of a paragraph:"),
        (60, 720, "F1", "o"),
        (72, 720, "F1", "both the program and the library"),
        (60, 708, "F1", "o"),
        (72, 708, "F1", "an existing library"),
    ]);
    let items = "- both the program and the library\n- an existing library";
    assert!(text.ends_with(items), "{text}");
    let text = lines(&[
        (50, 740, "F1", "Se dice siete u ocho, y setenta"),
        (50, 728, "F1", "o ochenta, y no se dice siete"),
        (50, 716, "F1", "o ocho, lo que es otra regla."),
    ]);
    let prose = "y setenta o ochenta, y no se dice siete o ocho, lo que";
    assert!(text.contains(prose), "{text}");
}

#[test]
fn headings_below_one_another_are_two() {
    let text = lines(&[
        (50, 740, "F2", "Metric types"),
        (50, 720, "F2", "Boolean"),
        (50, 700, "F1", "A value that is either true or false."),
    ]);
    assert!(
        text.starts_with("#### Metric types\n\n#### Boolean\n\nA value"),
        "{text}"
    );
    let text = lines(&[
        (50, 740, "F2", "A heading that is too long for a line"),
        (50, 728, "F2", "of the page"),
        (50, 700, "F1", "A value that is either true or false."),
    ]);
    assert!(
        text.starts_with("#### A heading that is too long for a line of the page\n"),
        "{text}"
    );
}

#[test]
fn a_heading_may_be_in_the_first_line_of_its_paragraph() {
    let long = "The server encrypts all that it stores, and the keys of it.";
    let text = lines(&[
        (50, 740, "F1", "Some words of a paragraph."),
        (50, 700, "F2", "Secret keys"),
        (117, 700, "F1", long),
    ]);
    assert!(
        text.contains(&format!("#### Secret keys\n\n{long}")),
        "{text}"
    );
    let text = lines(&[(50, 700, "F2", "Secret keys"), (117, 700, "F1", "None")]);
    assert_eq!(text, "Secret keys None");
}

#[test]
fn a_number_that_is_raised_after_a_number_is_an_exponent() {
    let raised = |base: &str, rest: &str, text: &str| {
        format!(
            "BT /F1 10 Tf 50 700 Td ({base}) Tj /F1 7 Tf 4 Ts ({rest}) Tj /F1 10 Tf 0 Ts ({text}) Tj ET"
        )
    };
    let read = |content: String| markdown(&page("", &content, &[]));
    assert_eq!(
        read(raised("at most 2", "256", " of them")),
        "at most 2^256 of them"
    );
    assert_eq!(read(raised("about 10", "-3", " m")), "about 10^-3 m");
    // The mark of a note says nothing about its word.
    assert_eq!(
        read(raised("as we know", "12", " it is")),
        "as we know12 it is"
    );
}
