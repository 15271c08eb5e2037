//! PDFs as programs really write them: odd fonts, forms, damage, text in unusual places.

use fault::Case;
use reading::document::{
    Document, DocumentError, Hint, Limits, Password, Warning, read_document, read_document_within,
};
use testkit::documents::{assembled, pdf, pdf_stream};

pub(crate) fn document(bytes: &[u8]) -> Document {
    read_document(bytes, &Hint::default()).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

pub(crate) fn markdown(bytes: &[u8]) -> String {
    let text = document(bytes).markdown;
    text.trim_start_matches("<!-- page 1 -->").trim().to_owned()
}

/// A PDF of one page with these entries in its dictionary, this content, and more objects, the first
/// of which has the number 6. F1 is Helvetica, F2 is object 6.
pub(crate) fn page(entries: &str, content: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let mut objects: Vec<Vec<u8>> = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[4 0 R]/Count 1>>".to_vec(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_vec(),
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R/F2 6 0 R>>>>/Contents 5 0 R{entries}>>").into_bytes(),
        pdf_stream("", content.as_bytes()),
    ];
    objects.extend_from_slice(more);
    assembled(&objects)
}

pub(crate) fn object(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

#[test]
fn an_asian_font_is_read_by_the_numbers_of_its_characters() {
    // Neither embedded nor with a ToUnicode map: the collection says which character is which.
    let font = object(
        "<</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/Identity-H/DescendantFonts[7 0 R]>>",
    );
    let descendant = object(
        "<</Type/Font/Subtype/CIDFontType0/BaseFont/HeiseiMin-W3/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>",
    );
    // The characters 843, 844 and 1200 of Adobe-Japan1.
    let content = "BT /F2 12 Tf 50 700 Td <034B034C04B0> Tj ET";
    let text = markdown(&page("", content, &[font, descendant]));
    assert_eq!(text.chars().count(), 3, "{text}");
    assert!(
        text.starts_with("あぃ") || text.starts_with("ぁあ"),
        "{text}"
    );

    let font = object(
        "<</Type/Font/Subtype/Type0/BaseFont/MSung/Encoding/ETen-B5-H/DescendantFonts[7 0 R]>>",
    );
    let descendant = object(
        "<</Type/Font/Subtype/CIDFontType0/BaseFont/MSung/CIDSystemInfo<</Registry(Adobe)/Ordering(CNS1)/Supplement 0>>>>",
    );
    let content = "BT /F2 12 Tf 50 700 Td <A4A4A4E5> Tj ET";
    assert_eq!(markdown(&page("", content, &[font, descendant])), "中文");
}

#[test]
fn glyphs_that_tex_has_drawn_are_read_by_their_codes() {
    let font = object(
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[0.1 0 0 0.1 0 0]/CharProcs<<>>/FirstChar 12/LastChar 122\
         /Widths[5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5]\
         /Encoding<</Type/Encoding/Differences[12/a12 101/a101 /a102 108/a108 110/a110 /a111 116/a116 119/a119]>>>>",
    );
    let content = "BT /F2 10 Tf 50 700 Td (\\014lenote) Tj ET";
    assert_eq!(markdown(&page("", content, &[font])), "filenote");
}

#[test]
fn bytes_before_the_header_do_not_hide_a_pdf() {
    let whole = pdf(&["BT /F1 10 Tf 50 700 Td (The text of the file.) Tj ET"]);
    let mut file = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n".to_vec();
    file.extend(whole);
    assert!(document(&file).markdown.ends_with("The text of the file."));
}

#[test]
fn a_wrong_table_of_objects_is_rebuilt() {
    let whole = pdf(&["BT /F1 10 Tf 50 700 Td (The text of the file.) Tj ET"]);
    let table = whole
        .windows(4)
        .position(|window| window == b"xref")
        .expect("there is a table");
    // The table names other places than those of the objects.
    let mut shifted = whole.clone();
    for byte in &mut shifted[table + 30..] {
        if byte.is_ascii_digit() {
            *byte = b'3';
        }
    }
    // The end of the file is missing.
    let cut = whole[..table].to_vec();
    for file in [shifted, cut] {
        let read = document(&file);
        assert!(
            read.markdown.ends_with("The text of the file."),
            "{}",
            read.markdown
        );
    }
}

#[test]
fn form_fields_and_free_texts_are_read_where_they_are() {
    let fields = [
        // With an appearance, which counts.
        object(
            "<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ada Lovelace)/Rect[150 695 300 710]/AP<</N 11 0 R>>>>",
        ),
        // Without one, with a value of its parent.
        object("<</Type/Annot/Subtype/Widget/Parent 12 0 R/Rect[150 675 300 690]>>"),
        object("<</Type/Annot/Subtype/Widget/FT/Btn/AS/Yes/Rect[150 655 160 665]>>"),
        object("<</Type/Annot/Subtype/FreeText/Contents(A free text.)/Rect[50 600 300 640]>>"),
        object(
            "<</Type/Annot/Subtype/Text/Contents(A remark \\(short\\).)/Rect[500 700 510 710]>>",
        ),
    ];
    let appearance = pdf_stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 150 15]/Resources<</Font<</F1 3 0 R>>>>",
        b"BT /F1 10 Tf 2 5 Td (Ada Lovelace) Tj ET",
    );
    let hidden = [
        object(
            "<</Type/Annot/Subtype/Widget/FT/Tx/Ff 8192/V(a password)/Rect[150 500 300 510]/AP<</N 15 0 R>>>>",
        ),
        object("<</Type/Annot/Subtype/FreeText/F 2/Contents(hidden)/Rect[50 400 300 440]>>"),
    ];
    let mut more = fields.to_vec();
    more.push(appearance);
    more.push(object("<</FT/Ch/T(town)/V[(London)(Oxford)]>>"));
    more.extend(hidden);
    more.push(pdf_stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 150 15]/Resources<</Font<</F1 3 0 R>>>>",
        b"BT /F1 10 Tf 2 5 Td (a password) Tj ET",
    ));
    let content = "BT /F1 10 Tf 50 700 Td (Name:) Tj 0 -20 Td (Town:) Tj 0 -20 Td (Member:) Tj ET";
    let text = markdown(&page(
        "/Annots[6 0 R 7 0 R 8 0 R 9 0 R 10 0 R 13 0 R 14 0 R]",
        content,
        &more,
    ));
    for wanted in [
        "Ada Lovelace",
        "London, Oxford",
        "☒",
        "A free text.",
        "Note: A remark (short).",
    ] {
        assert!(text.contains(wanted), "{wanted} is missing in:\n{text}");
    }
    assert_eq!(text.matches("Lovelace").count(), 1, "{text}");
    for unwanted in ["password", "hidden"] {
        assert!(!text.contains(unwanted), "{text}");
    }
}

/// Without the boxes that are not ticked, no one can tell to which words a tick belongs.
#[test]
fn boxes_that_are_not_ticked_are_shown() {
    let field = |left: u32, state: &str| {
        object(&format!(
            "<</Type/Annot/Subtype/Widget/FT/Btn/AS/{state}/Rect[{left} 645 {} 665]>>",
            left + 20
        ))
    };
    let fields = [field(50, "Yes"), field(150, "Off"), field(250, "Off")];
    let annotations = "/Annots[6 0 R 7 0 R 8 0 R]";
    // The page draws the last box itself.
    let content = "BT /F1 10 Tf 50 700 Td (What applies to you?) Tj 25 -54 Td (Agree) Tj 100 0 Td (Refuse) Tj \
                   78 0 Td (o) Tj 22 0 Td (Neither) Tj ET";
    assert_eq!(
        markdown(&page(annotations, content, &fields)),
        "What applies to you?\n\n☒ Agree ☐ Refuse o Neither"
    );
    // Fields that are laid over the picture of a form say nothing without it.
    let fault = read_document(
        &page("/Annots[6 0 R 7 0 R]", "", &fields[1..]),
        &Hint::default(),
    );
    assert_eq!(fault.expect_err("holds nothing").case(), Case::Empty);
}

#[test]
fn a_page_of_form_fields_alone_is_no_damage() {
    let field = object("<</Type/Annot/Subtype/Widget/FT/Tx/V(Only this)/Rect[50 695 300 710]>>");
    assert_eq!(markdown(&page("/Annots[6 0 R]", "", &[field])), "Only this");
    let empty = object("<</Type/Annot/Subtype/Widget/FT/Tx/Rect[50 695 300 710]>>");
    let fault = read_document(&page("/Annots[6 0 R]", "", &[empty]), &Hint::default());
    assert_eq!(fault.expect_err("holds nothing").case(), Case::Empty);
}

#[test]
fn a_glyph_without_a_meaning_has_the_text_that_is_stated_for_it() {
    let content = "BT /F1 10 Tf 50 700 Td (Discount: ) Tj /Span<</ActualText(-)>>BDC (\\001) Tj EMC \
                   (239.09) Tj ET";
    let text = markdown(&page("", content, &[]));
    assert!(text.contains("Discount: -239.09"), "{text}");
    // A span without an end states nothing.
    let text = markdown(&page("", &content.replace("EMC", ""), &[]));
    assert!(text.contains("Discount: 239.09"), "{text}");
}

#[test]
fn an_icon_before_words_has_what_is_stated_for_it_beside_them() {
    let content = "BT /F1 10 Tf 50 700 Td /Span<</ActualText(homepage:\\040www.example.com/about)>>BDC \
                   (\\001 ) Tj (www.example.com/about) Tj EMC ( | next) Tj ET";
    let text = markdown(&page("", content, &[]));
    assert_eq!(text, "homepage: www.example.com/about | next");
    // Words that are seen are never replaced by the end of themselves.
    let content = "BT /F1 10 Tf 50 700 Td /Span<</ActualText(of the contract)>>BDC \
                   (No part of the contract) Tj EMC ET";
    let text = markdown(&page("", content, &[]));
    assert_eq!(text, "No part of the contract");
}

#[test]
fn stated_text_counts_rather_than_the_glyphs() {
    let content = "BT /F1 10 Tf 50 700 Td (di) Tj /Span<</ActualText(ff)>>BDC (X) Tj EMC (er) Tj \
                   /Span<</ActualText<FEFF00AD>>>BDC [( ) 278] TJ EMC (ent) Tj ET";
    assert_eq!(markdown(&page("", content, &[])), "different");
}

#[test]
fn text_outside_the_sheet_is_left_out_and_blanks_of_one_cell_do_not_cut_the_next() {
    let content = "BT /F1 10 Tf 50 700 Td (on the page) Tj 0 200 Td (above it) Tj ET \
                   BT /F1 10 Tf 50 600 Td (12               ) Tj 20 0 Td (03/25/2016) Tj ET";
    let text = markdown(&page("", content, &[]));
    assert!(
        text.contains("on the page") && text.contains("03/25/2016"),
        "{text}"
    );
    assert!(!text.contains("above"), "{text}");
}

#[test]
fn slanted_text_stays_together() {
    let content = "BT /F1 10 Tf 0.7071 0.7071 -0.7071 0.7071 100 100 Tm (A watermark) Tj ET \
                   BT /F1 10 Tf 50 700 Td (Level text) Tj ET";
    assert_eq!(
        markdown(&page("", content, &[])),
        "Level text\n\nA watermark"
    );
}

#[test]
fn long_texts_that_are_stated_for_spans_cost_as_much_as_they_take() {
    let span = format!("/Span<</ActualText({})>>BDC EMC ", "x".repeat(10_000));
    let limits = Limits {
        operations: 5_000,
        ..Limits::default()
    };
    let read = |spans: usize| {
        let file = page("", &span.repeat(spans), &[]);
        read_document_within(&file, &Hint::default(), limits)
    };
    assert!(matches!(read(1), Err(DocumentError::Empty)));
    assert!(matches!(read(40), Err(DocumentError::TooManyOperations)));
}

#[test]
fn annotations_without_end_stop_at_the_limit() {
    // A field that is its own parent, and an appearance that draws itself.
    let field =
        object("<</Type/Annot/Subtype/Widget/Parent 6 0 R/Rect[0 0 10 10]/AP<</N 7 0 R>>>>");
    let form = pdf_stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 7 0 R>>>>",
        b"/F Do /F Do",
    );
    let list = "6 0 R ".repeat(20_000);
    let content = "BT /F1 10 Tf 50 700 Td (text) Tj ET";
    let text = markdown(&page(&format!("/Annots[{list}]"), content, &[field, form]));
    assert_eq!(text, "text");
}

#[test]
fn a_stamp_on_a_scan_is_read_and_told() {
    let image = pdf_stream(
        "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8",
        b"\x00",
    );
    let content = "q 600 0 0 800 0 0 cm /I Do Q BT /F1 10 Tf 50 20 Td (page 7) Tj ET";
    let file = page("", content, &[object("null"), image]);
    let file = String::from_utf8_lossy(&file).replace("/Font<<", "/XObject<</I 7 0 R>>/Font<<");
    let read = document(file.as_bytes());
    assert!(read.markdown.ends_with("page 7"));
    assert!(read.warnings.contains(&Warning::SomePagesAreImages));
}

/// Text at a place.
pub(crate) fn at(x: u32, y: u32, text: &str) -> String {
    format!("BT /F1 10 Tf {x} {y} Td ({text}) Tj ET ")
}

#[test]
fn lines_divide_the_cells_of_a_table() {
    let mut content = String::from("0.5 w ");
    for y in [700, 670, 650, 630] {
        content += &format!("50 {y} m 350 {y} l S ");
    }
    for x in [50, 150, 250, 350] {
        content += &format!("{x} 630 m {x} 700 l S ");
    }
    // The second cell has two lines, and the others stand beside their middle.
    content += &at(55, 682, "Name");
    content += &at(155, 688, "What it is");
    content += &at(155, 676, "good for");
    content += &at(255, 682, "Price");
    for (y, name) in [(656, "apples"), (636, "pears")] {
        content += &at(55, y, name);
        content += &at(155, y, "cakes and more");
        content += &at(255, y, "1.20");
    }
    content += &at(50, 600, "A paragraph after the table.");
    assert_eq!(
        markdown(&page("", &content, &[])),
        "| Name | What it is good for | Price |\n| --- | --- | --- |\n| apples | cakes and more | 1.20 |\n| pears | cakes and more | 1.20 |\n\nA paragraph after the table."
    );
}

#[test]
fn a_table_is_read_by_rows_and_a_page_of_columns_by_columns() {
    let rows = [
        ("one", "a"),
        ("two", "b"),
        ("three", "c"),
        ("four", "d"),
        ("five", "e"),
        ("six", "f"),
    ];
    let mut by_row = String::new();
    for (index, (left, right)) in rows.iter().enumerate() {
        let y = 700 - 12 * index as u32;
        by_row += &at(50, y, left);
        by_row += &at(300, y, right);
    }
    assert!(markdown(&page("", &by_row, &[])).contains("| three | c |"));
    let mut by_column = String::new();
    for x in [50, 300] {
        for index in 0..8 {
            by_column += &at(
                x,
                700 - 12 * index,
                &format!("Line {index} of the column at {x}"),
            );
        }
    }
    let text = markdown(&page("", &by_column, &[]));
    assert!(
        text.find("Line 7 of the column at 50") < text.find("Line 0 of the column at 300"),
        "{text}"
    );
    assert!(!text.contains('|'), "{text}");
}

#[test]
fn a_drawing_of_many_lines_is_no_table_and_takes_no_time() {
    let mut content = String::new();
    for index in 0..3_000 {
        let place = index % 500;
        content += &format!("{place} 0 m {place} 700 l S 0 {place} m 500 {place} l S ");
    }
    content += &at(50, 750, "A drawing.");
    assert_eq!(markdown(&page("", &content, &[])), "A drawing.");
}

#[test]
fn a_line_of_many_pieces_of_code_takes_no_time() {
    let code = object("<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>");
    let line = "(x) Tj 24 0 Td ".repeat(20_000);
    let content = format!("BT /F2 10 Tf 0.001 0 0 0.05 1 400 Tm {line} ET");
    let read = document(&page("", &content, &[code]));
    // What stands nearly in one place is one letter.
    assert!(read.markdown.matches('x').count() >= 10_000);
}

#[test]
fn many_letters_in_one_place_take_no_time() {
    let row = "(x) Tj -5 0 Td 0 0.01 Td ".repeat(20_000);
    let content =
        format!("BT /F1 10 Tf 300 400 Td {row} ET BT /F1 10 Tf 50 700 Td (The text.) Tj ET");
    assert!(
        document(&page("", &content, &[]))
            .markdown
            .contains("The text.")
    );
}

#[test]
fn an_empty_password_is_tried_and_another_one_taken() {
    let restricted = include_bytes!("../../../testkit/fixtures/restricted.pdf");
    assert_eq!(markdown(restricted), "Anyone may read this.");
    let locked = include_bytes!("../../../testkit/fixtures/locked.pdf");
    let with = |password: &str| {
        let hint = Hint {
            password: Some(Password::new(password)),
            ..Hint::default()
        };
        read_document(locked, &hint)
    };
    assert!(
        with("secret")
            .expect("the password fits")
            .markdown
            .contains("secret text")
    );
    assert_eq!(
        with("wrong").expect_err("does not fit").case(),
        Case::BrokenDocument
    );
}

#[test]
fn streams_of_brotli_without_end_take_no_time() {
    let words = "obj/BrotliDecode stream\n".repeat(100_000);
    let more = object(&format!("({words})"));
    let file = page("", &at(50, 700, "The text."), &[more]);
    assert_eq!(markdown(&file), "The text.");
}
