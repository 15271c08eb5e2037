//! PDFs whose fonts say little about their letters, or nothing.

use reading::document::{Hint, read_document};
use testkit::bodies;
use testkit::documents::{assembled, pdf_stream};

use crate::pdf::{document, markdown, object, page};

#[test]
fn a_chinese_font_without_a_program_has_the_codes_of_gbk() {
    // The name is 宋体 in GBK.
    let font = |more: &str| {
        object(&format!(
            "<</Type/Font/Subtype/TrueType/BaseFont/#CB#CE#CC#E5/Encoding/WinAnsiEncoding{more}>>"
        ))
    };
    let content = "BT /F2 12 Tf 50 700 Td <D6D0CEC4> Tj ET";
    assert_eq!(markdown(&page("", content, &[font("")])), "中文");
    // A program has glyphs of its own.
    let described = object("<</Type/FontDescriptor/FontFile2 9 0 R>>");
    let embedded = page("", content, &[font("/FontDescriptor 7 0 R"), described]);
    let read = read_document(&embedded, &Hint::default());
    assert!(read.is_ok_and(|read| !read.markdown.contains("中文")));
}

#[test]
fn text_in_a_font_that_the_file_does_not_define_is_read() {
    let content = "BT /F9 12 Tf 50 700 Td (No such font.) Tj ET BT 50 680 Td (Nor one here.) Tj ET";
    assert_eq!(
        markdown(&page("", content, &[])),
        "No such font. Nor one here."
    );
}

#[test]
fn a_graphics_state_sets_the_font() {
    let objects = [
        object("<</Type/Catalog/Pages 2 0 R>>"),
        object("<</Type/Pages/Kids[4 0 R]/Count 1>>"),
        object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"),
        object(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</ExtGState<</G1<</Font[3 0 R 12]>>/G2<</Font[3 0 R]>>>>>>/Contents 5 0 R>>",
        ),
        pdf_stream(
            "",
            b"/G1 gs BT 50 700 Td (in twelve points) Tj ET /G2 gs BT 50 680 Td (as before) Tj ET",
        ),
    ];
    let text = markdown(&assembled(&objects));
    assert_eq!(text, "in twelve points as before");
}

#[test]
fn glyphs_of_a_font_of_windows_are_known_by_their_numbers() {
    let font = |name: &str| {
        [
            object(&format!(
                "<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding/Identity-H/DescendantFonts[7 0 R]>>"
            )),
            object(&format!(
                "<</Type/Font/Subtype/CIDFontType2/BaseFont/{name}/DW 500/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor<</Type/FontDescriptor/FontName/{name}/Flags 4>>>>"
            )),
        ]
    };
    // Rozkład: the glyphs of these letters, of which the last but two is beyond ASCII.
    let content = "BT /F2 12 Tf 50 700 Td <00350052005D004E00E100440047> Tj ET";
    assert_eq!(markdown(&page("", content, &font("ArialMT"))), "Rozkład");
    assert_eq!(
        markdown(&page("", content, &font("ABCDEF+TimesNewRomanPSMT"))),
        "Rozkład"
    );
    // No one knows the order of another font.
    assert!(read_document(&page("", content, &font("Unheard-Of")), &Hint::default()).is_err());
}

#[test]
fn a_font_of_windows_whose_codes_are_the_numbers_of_its_glyphs_is_read() {
    // As drivers of Windows NT embed them: the glyphs have numbers for names, and no encoding.
    let program: &[u8] = include_bytes!("../../../testkit/fixtures/glyph-numbers.cff");
    let described =
        object("<</Type/FontDescriptor/FontName/ABCDEF+Arial/Flags 4/FontFile3 8 0 R>>");
    let widths = "500 ".repeat(180);
    let font = object(&format!(
        "<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Arial/FirstChar 3/LastChar 182/Widths[{widths}]/FontDescriptor 7 0 R>>"
    ));
    let content = "BT /F2 12 Tf 50 700 Td <B3374B480324B4> Tj ET";
    let file = page(
        "",
        content,
        &[font, described, pdf_stream("/Subtype/Type1C", program)],
    );
    assert_eq!(markdown(&file), "“The A”");
}

#[test]
fn the_numbers_of_glyphs_that_a_browser_has_drawn_are_no_letters() {
    let widths = "5 ".repeat(100);
    let font = object(&format!(
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[0.1 0 0 0.1 0 0]/CharProcs<<>>/FirstChar 0/LastChar 99/Widths[{widths}]/Encoding<</Type/Encoding/Differences[12/g3FF 65/g0/g18]>>>>"
    ));
    let content = "BT /F1 12 Tf 50 700 Td (before) Tj ET BT /F2 12 Tf 50 680 Td (A\\014B) Tj ET";
    assert_eq!(markdown(&page("", content, &[font])), "before");
}

#[test]
fn letters_that_stand_apart_in_a_column_are_read_downwards() {
    // In vertical writing, a negative space moves the letters apart.
    let font = object(
        "<</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/Identity-V/DescendantFonts[7 0 R]>>",
    );
    let descendant = object(
        "<</Type/Font/Subtype/CIDFontType0/BaseFont/HeiseiMin-W3/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>",
    );
    let shown = |space: i32| {
        let content = format!("BT /F2 12 Tf {space} Tc 300 700 Td <034B034D034F> Tj ET");
        let text = markdown(&page("", &content, &[font.clone(), descendant.clone()]));
        text.chars()
            .filter(|it| it.is_alphabetic())
            .collect::<String>()
    };
    assert_eq!(shown(-30), shown(0));
}

#[test]
fn wide_latin_letters_have_blanks_between_lines() {
    let font = object(
        "<</Type/Font/Subtype/Type0/BaseFont/STSong/Encoding/UniGB-UCS2-H/DescendantFonts[7 0 R]>>",
    );
    let descendant = object(
        "<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>>>",
    );
    // ｏｆ, then ａｎ on the next line; 中, then 文.
    let content = "BT /F2 12 Tf 50 700 Td <FF4FFF46> Tj 0 -14 Td <FF41FF4E> Tj 0 -60 Td <4E2D> Tj 0 -14 Td <6587> Tj ET";
    let text = markdown(&page("", content, &[font, descendant]));
    assert_eq!(text, "ｏｆ ａｎ\n\n中文");
}

#[test]
fn a_blank_after_the_keyword_of_a_stream_and_a_missing_end_are_repaired() {
    let text = "BT /F1 10 Tf 50 700 Td (The text of the file.) Tj ET";
    let length = text.len();
    for stream in [
        format!("<</Length {length}>>stream \r\n{text}\nendstream"),
        format!("<</Length {length}>>stream\n{text}"),
    ] {
        let objects = [
            object("<</Type/Catalog/Pages 2 0 R>>"),
            object("<</Type/Pages/Kids[4 0 R]/Count 1>>"),
            object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"),
            object(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>",
            ),
            object(&stream),
        ];
        let read = document(&assembled(&objects));
        assert!(read.markdown.ends_with("The text of the file."), "{stream}");
    }
}

#[test]
fn streams_that_are_packed_with_brotli_are_read() {
    let content = b"BT /F1 10 Tf 50 700 Td (The text of the file.) Tj ET";
    let packed = bodies::brotli_stored(content);
    let stream = |dictionary: &str, data: &[u8]| {
        let head = format!("<<{dictionary}>>stream\n");
        [head.as_bytes(), data, b"\nendstream"].concat()
    };
    let file = |stream: Vec<u8>| {
        assembled(&[
            object("<</Type/Catalog/Pages 2 0 R>>"),
            object("<</Type/Pages/Kids[4 0 R]/Count 1>>"),
            object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"),
            object(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>",
            ),
            stream,
        ])
    };
    let length = packed.len();
    let dictionary = format!("/Filter/BrotliDecode/Length {length}");
    assert_eq!(
        markdown(&file(stream(&dictionary, &packed))),
        "The text of the file."
    );
    let dictionary = format!("/Length {length} /Filter[/BrotliDecode]");
    assert_eq!(
        markdown(&file(stream(&dictionary, &packed))),
        "The text of the file."
    );
    let digits: String = packed.iter().map(|byte| format!("{byte:02X}")).collect();
    let dictionary = "/Length 9 0 R/Filter [ /ASCIIHexDecode/BrotliDecode]/DecodeParms[null null]";
    assert_eq!(
        markdown(&file(stream(dictionary, format!("{digits}>").as_bytes()))),
        "The text of the file."
    );
    // What is not Brotli is no text, and no crash.
    let noise = stream("/Length 4/Filter/BrotliDecode", b"\xFF\xFE\xFD\xFC");
    assert!(read_document(&file(noise), &Hint::default()).is_err());
}

/// A font of dots, as TeX has it: its glyphs are drawn in the units of a printer.
fn dotted_font(differences: &str) -> Vec<u8> {
    let widths = "30 ".repeat(128);
    object(&format!(
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 99 99]/FontMatrix[1 0 0 -1 0 0]/CharProcs<<>>/FirstChar 0/LastChar 127/Widths[{widths}]/Encoding<</Type/Encoding/Differences[{differences}]>>>>"
    ))
}

#[test]
fn a_kern_in_a_font_of_dots_is_no_blank() {
    let content = "BT /F2 1 Tf 0.24 0 0 0.24 50 700 Tm [(rep)-3000(ort)-20000(w)-2000(as)]TJ ET";
    let font = dotted_font("97/a 111/o/p 114/r/s/t 119/w");
    assert_eq!(markdown(&page("", content, &[font])), "report was");
}

#[test]
fn the_ligatures_of_an_old_font_of_tex_are_known_although_it_has_accents() {
    let content = "BT /F2 1 Tf 0.24 0 0 0.24 50 700 Tm (e\\013ort) Tj ET";
    let font = dotted_font("11/a11 21/a21 101/a101 111/a111 114/a114 116/a116");
    assert_eq!(markdown(&page("", content, &[font])), "effort");
}

#[test]
fn a_bold_font_of_dots_makes_a_heading_although_it_has_no_name() {
    // The widths of letters of a font of TeX, in thousandths of its size, which is 40 dots here.
    let widths = [("a", 500), ("n", 556), ("o", 500), ("s", 394), ("u", 556)];
    let shown = |percent: u32| {
        let (mut glyphs, mut differences) = (String::new(), String::new());
        let mut more = Vec::new();
        for (index, (letter, width)) in widths.iter().enumerate() {
            let code = letter.as_bytes()[0];
            let advance = f64::from(width * percent) * 40.0 / 100_000.0;
            glyphs.push_str(&format!("/a{code} {} 0 R", 7 + index));
            differences.push_str(&format!(" {code}/a{code}"));
            let glyph = format!("{advance} 0 1 0 18 17.6 d1 q BI /W 1 /H 1 ID \0 EI Q");
            more.push(pdf_stream("", glyph.as_bytes()));
        }
        let font = object(&format!(
            "<</Type/Font/Subtype/Type3/FontBBox[0 0 99 99]/FontMatrix[1 0 0 1 0 0]/CharProcs<<{glyphs}>>/FirstChar 0/LastChar 127/Widths[{}]/Encoding<</Type/Encoding/Differences[{differences}]>>>>",
            "20 ".repeat(128)
        ));
        let content = "BT /F2 1 Tf 0.25 0 0 0.25 50 700 Tm (anosua) Tj ET \
            BT /F1 10 Tf 50 660 Td (The text of the section is in another font,) Tj 0 -12 Td (and it has two lines.) Tj ET";
        more.insert(0, font);
        markdown(&page("", content, &more))
    };
    assert!(shown(115).starts_with("#### anosua\n"), "{}", shown(115));
    assert!(shown(100).starts_with("anosua\n"), "{}", shown(100));
}

#[test]
fn the_names_of_glyphs_that_matplotlib_has_drawn_are_numbers_and_no_characters() {
    let widths = "5 ".repeat(128);
    let font = |more: &str| {
        object(&format!(
            "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[0.1 0 0 0.1 0 0]/CharProcs<<>>/FirstChar 0/LastChar 127/Widths[{widths}]/Encoding<</Type/Encoding/Differences[76/uni00000030 101/uni00000049 105/uni0000004d 110/uni00000052]>>{more}>>"
        ))
    };
    let content = "BT /F2 12 Tf 50 700 Td (Line) Tj ET";
    assert_eq!(markdown(&page("", content, &[font("")])), "Line");
}

#[test]
fn a_map_with_one_empty_text_says_what_the_others_are() {
    let widths = "5 ".repeat(8);
    let font = object(&format!(
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[0.1 0 0 0.1 0 0]/CharProcs<<>>/FirstChar 0/LastChar 7/Widths[{widths}]/Encoding<</Type/Encoding/Differences[0/C0/C1/C2/C3]>>/ToUnicode 7 0 R>>"
    ));
    let map = pdf_stream(
        "",
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange \
          1 beginbfchar <00> <> endbfchar 3 beginbfchar <01> <0077> <02> <006F> <03> <00660069> endbfchar \
          endcmap end",
    );
    let content = "BT /F2 12 Tf 50 700 Td <010203> Tj ET";
    assert_eq!(markdown(&page("", content, &[font, map])), "wofi");
}

#[test]
fn the_space_that_a_file_asks_for_between_ideographs_divides_no_numbers() {
    let font = object(
        "<</Type/Font/Subtype/Type0/BaseFont/STSong/Encoding/UniGB-UCS2-H/DescendantFonts[7 0 R]>>",
    );
    let descendant = object(
        "<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>>>",
    );
    // An ideograph and ten in wide digits.
    let content = "BT /F2 10 Tf 1.7 Tc 50 700 Td <8868FF11FF10> Tj ET";
    assert_eq!(markdown(&page("", content, &[font, descendant])), "表１０");
}

#[test]
fn letters_with_a_stroke_around_them_are_bold() {
    let line = |y: u32, text: &str| format!("BT /F1 10 Tf 50 {y} Td ({text}) Tj ET ");
    let content = "q 2 Tr 0.333 w ".to_owned()
        + &line(700, "A heading")
        + "0.01 w "
        + &line(670, "No heading")
        + "Q "
        + &line(640, "Some words of a text.");
    let text = crate::pdf::markdown(&crate::pdf::page("", &content, &[]));
    assert_eq!(
        text,
        "#### A heading\n\nNo heading\n\nSome words of a text."
    );
}
