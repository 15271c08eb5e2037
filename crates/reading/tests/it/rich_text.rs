//! Rich text (RTF): lists, styles, what stands beside the text, and what is hidden.

use reading::document::{Document, Hint, read_document};

fn bytes_read(rtf: &[u8]) -> Document {
    let read = read_document(rtf, &Hint::default());
    read.unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

fn document(rtf: &str) -> Document {
    bytes_read(rtf.as_bytes())
}

fn read(rtf: &str) -> String {
    document(rtf).markdown
}

#[test]
fn every_item_of_a_list_is_one_with_its_mark() {
    // The text of the mark has properties of its own, which end with its group.
    let list = r"{\rtf1\pard{\listtext\pard\plain 1.\tab}\ls1 one\par{\listtext\pard\plain 2.\tab}two\par
        \pard{\listtext\pard\plain a)\tab}\ls1\ilvl1 inner\par{\listtext\pard\plain\'b7\tab}dot\par\pard end\par}";
    assert_eq!(read(list), "1. one\n2. two\n   - a) inner\n   - dot\n\nend");
}

#[test]
fn items_without_a_written_mark_are_counted_by_their_list() {
    let list = r"{\rtf1{\*\listtable{\list{\listlevel\levelnfc0{\leveltext x;}}{\listlevel\levelnfc4}\listid7}{\list{\listlevel\levelnfc23}\listid8}}
        {\*\listoverridetable{\listoverride\listid7\ls1}{\listoverride\listid8\ls2}}
        \pard\ls1 one\par\pard\ls1\ilvl1 inner\par\pard\ls1 two\par\pard\ls2 dot\par}";
    assert_eq!(read(list), "1. one\n   - a. inner\n2. two\n- dot");
}

#[test]
fn lists_stay_in_cells() {
    let table = r"{\rtf1\trowd\cellx1\cellx2\pard\intbl{\listtext 1.\tab}one\par{\listtext 2.\tab}two\cell x\cell\row\pard end\par}";
    assert_eq!(
        read(table),
        "| 1. one<br>2. two | x |\n| --- | --- |\n\nend"
    );
}

#[test]
fn styles_make_headings() {
    let text = r"{\rtf1{\stylesheet{\s0 Normal;}{\s1\b heading 1;}{\s2\outlinelevel1 Eigene;}{\s3 Title;}}
        \pard\s3 Report\par\pard\s1 First\par\pard\s2 Second\par\pard\s0 Words\par}";
    assert_eq!(read(text), "# Report\n\n# First\n\n## Second\n\nWords");
}

#[test]
fn headers_and_footers_come_once_and_only_where_they_are_shown() {
    let text = r"{\rtf1{\header Company\par}{\footer Page \chpgn\par}{\headerf First\par}{\headerl Even\par}Words\par\sect{\header Company\par}More\par}";
    assert_eq!(
        read(text),
        "Words\n\nMore\n\n<!-- headers and footers -->\n\nCompany\n\nPage"
    );
    let first = r"{\rtf1\titlepg\facingp{\headerf First\par}{\headerl Even\par}Words\par}";
    assert!(read(first).ends_with("First\n\nEven"), "{}", read(first));
}

#[test]
fn notes_and_comments_are_marked_and_written_at_the_end() {
    let text = r"{\rtf1 Word{\super\chftn}{\footnote\pard\plain A {\b bold} note.\par} and{\*\atnauthor Ada}{\*\annotation{\*\atnref 1}Why?} more\par}";
    assert_eq!(
        read(text),
        "Word[^1] and[^comment-1] more\n\n[^1]: A **bold** note.\n\n[^comment-1]: Ada: Why?"
    );
}

#[test]
fn notes_that_word_and_libreoffice_mark_as_optional_are_kept() {
    let word = r"{\rtf1 Words{\*\atnid A}{\*\atnauthor Ada}\chatn{\*\annotation{\*\atnref 1}{\*\atndate 7}\pard\plain\ltrpar\itap0{\rtlch\fcs1\chatn}{\rtlch\insrsid1 Why?}}\par}";
    assert_eq!(read(word), "Words[^comment-1]\n\n[^comment-1]: Ada: Why?");
    let libreoffice = r"{\rtf1 Word{\super\chftn{\*\footnote\chftn\pard\loch A note.}}\par}";
    assert_eq!(read(libreoffice), "Word[^1]\n\n[^1]: A note.");
    let unknown = r"{\rtf1 Word{\*\mystery{\*\other no}\b no}\par}";
    assert_eq!(read(unknown), "Word");
}

#[test]
fn text_of_shapes_comes_once_and_after_its_paragraph() {
    let text = r"{\rtf1 Before {\shp{\*\shpinst{\sp{\sn wzDescription}{\sv A cat}}{\shptxt\pard In a box\par}}{\shprslt{\*\do{\dptxbxtext In a box\par}}}}after\par}";
    assert_eq!(read(text), "Before ![A cat]after\n\nIn a box");
    let picture = r"{\rtf1 See {\*\shppict{\pict{\*\picprop{\sp{\sn wzDescription}{\sv Two dogs}}}\pngblip 89504e47}}{\nonshppict{\pict 00}}\par}";
    assert_eq!(read(picture), "See ![Two dogs]");
}

#[test]
fn white_and_tiny_text_is_left_out_unless_it_may_be_seen() {
    let colours = r"{\colortbl;\red255\green255\blue255;\red0\green0\blue0;}";
    let text = |body: &str| read(&format!(r"{{\rtf1{colours}Shown {body} end\par}}"));
    assert_eq!(text(r"{\cf1 white}"), "Shown  end");
    assert_eq!(text(r"{\fs2 tiny}"), "Shown  end");
    for seen in [
        r"{\cf2 seen}",
        r"{\cf1\highlight2 seen}",
        r"{\cf1\chcbpat2 seen}",
        r"{\fs20 seen}",
    ] {
        assert!(text(seen).contains("seen"), "{seen}");
    }
    let cell = format!(
        r"{{\rtf1{colours}\trowd\clcbpat2\cellx1\pard\intbl{{\cf1 head}}\cell b\cell\row\pard\cbpat2\cf1 band\par\pard\plain end\par}}"
    );
    assert_eq!(read(&cell), "| head | b |\n| --- | --- |\n\nband\n\nend");
    let all_white = format!(r"{{\rtf1{colours}\cf1 Written in a dark window\par}}");
    assert_eq!(read(&all_white), "Written in a dark window");
}

#[test]
fn fields_to_fill_in_show_what_is_chosen() {
    let field = |form: &str, result: &str| {
        read(&format!(
            r"{{\rtf1 [{{\field{{\*\fldinst FORM{{\*\formfield{{{form}}}}}}}{{\fldrslt {result}}}}}]\par}}"
        ))
    };
    assert_eq!(field(r"\fftype1\ffres1", ""), "[☒]");
    assert_eq!(field(r"\fftype1\ffres25\ffdefres0", ""), "[☐]");
    let list = r"\fftype2\ffres25\ffdefres1{\*\ffl red}{\*\ffl green}";
    assert_eq!(field(list, ""), "[green]");
    assert_eq!(field(list, "blue"), "[blue]");
    let symbol = r#"{\rtf1 5 {\field{\*\fldinst SYMBOL 109 \\f "Symbol"}{\fldrslt}}g\par}"#;
    assert_eq!(read(symbol), "5 μg");
}

#[test]
fn links_lead_to_addresses_without_a_scheme_and_to_files() {
    let link = |code: &str| {
        read(&format!(
            "{{\\rtf1 {{\\field{{\\*\\fldinst HYPERLINK {code}}}{{\\fldrslt there}}}}}}"
        ))
    };
    assert_eq!(link("\"a.example/\""), "[there](a.example/)");
    assert_eq!(link("\"b.doc\" \\\\t \"_blank\""), "[there](b.doc)");
    assert_eq!(link("\\\\l \"place\""), "there");
}

#[test]
fn fields_that_never_have_a_result_show_their_text() {
    let field = |code: &str, result: &str| {
        read(&format!(
            "{{\\rtf1 a {{\\field{{\\*\\fldinst {code}}}{result}}} b}}"
        ))
    };
    let button = "MACROBUTTON NoMacro [Type a name]";
    assert_eq!(field(button, ""), "a [Type a name] b");
    assert_eq!(field(button, "{\\fldrslt }"), "a [Type a name] b");
    assert_eq!(field("EQ \\\\f(1,2)", ""), "a 1/2 b");
    assert_eq!(field("PAGE", "{\\fldrslt 3}"), "a 3 b");
}

#[test]
fn equations_are_tex() {
    let text = r"{\rtf1 Half is {\mmath{\*\moMath{\mf{\mfPr{\mctrlPr\i}}{\mnum{\mr\mscr0 1}}{\mden{\mr 2}}}{\msSup{\me{\mr{\i x}}}{\msup{\mr n}}}}}.\par}";
    assert_eq!(read(text), "Half is $\\frac{1}{2}x^{n}$.");
}

#[test]
fn hostile_rich_text_ends() {
    let deep = "{".repeat(100_000) + "text" + &"}".repeat(100_000);
    assert!(read(&format!(r"{{\rtf1 {deep}\par}}")).contains("text"));
    let notes = r"{\rtf1 ".to_owned() + &r"{\footnote ".repeat(20_000) + "x";
    assert!(document(&notes).markdown.contains('x'));
    let math = r"{\rtf1{\*\moMath".to_owned() + &r"{\mf ".repeat(20_000) + "y";
    assert!(
        read_document(math.as_bytes(), &Hint::default()).is_err() || read(&math).len() < 100_000
    );
    let shapes = r"{\rtf1 a".to_owned() + &r"{\shptxt b".repeat(20_000);
    assert!(read(&shapes).starts_with('a'));
}

#[test]
fn rtf_keeps_special_characters_charsets_numbers_and_objects() {
    let read = |rtf: &[u8]| bytes_read(rtf).markdown;
    assert_eq!(
        read(br"{\rtf1 no\~break, co\_op, {\i0\*\cs7 shown}\par}"),
        "no\u{A0}break, co\u{2011}op, shown"
    );
    let fonts = br"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}\f1 \'cf\'f0{\f2 \'93\'fa}\f0 \'fc\par}";
    assert_eq!(read(fonts), "Пр日ü");
    let list = br"{\rtf1{\listtext 10.\tab}\ls1\ilvl0 Trade\par\pard{\listtext\'b7\tab}\ls1\ilvl1 inner\par}";
    assert_eq!(read(list), "10. Trade\n    - inner");
    let object = br"{\rtf1{\object\objemb{\*\objclass Word.Document.8}{\*\objdata 0105}{\result {\pict 00}}}\par}";
    assert_eq!(read(object), "[embedded: Word.Document.8]");
    let header = br"{\rtf1{\header Letterhead\par}{\footnote x}}";
    assert!(read(header).contains("[^1]: x"), "{}", read(header));
    assert_eq!(read(br"{\rtf1{\header Letterhead\par}}"), "Letterhead");
    let dated = br"{\rtf1{\info{\creatim\yr2004\mo9\dy20}}Words\par}";
    assert_eq!(bytes_read(dated).date.as_deref(), Some("2004-09-20"));
}

#[test]
fn rtf_shows_what_is_no_longer_hidden_and_what_stands_beside_the_text() {
    let read = |rtf: &[u8]| bytes_read(rtf).markdown;
    let hidden = br"{\rtf1{\v never }\v hidden {\v0 shown}\plain  again\par}";
    assert_eq!(read(hidden), "shown again");
    let comment = br"{\rtf1 Text{\*\atnauthor Ada}{\*\annotation{\*\atnref 1}\pard\plain Why?\par Because.} goes on\par}";
    assert_eq!(
        read(comment),
        "Text[^comment-1] goes on\n\n[^comment-1]: Ada: Why? Because."
    );
    let table = br"{\rtf1\intbl one{\footnote\pard\plain note\par}\par two\cell three\cell\row\pard end\par}";
    let read_table = read(table);
    assert!(
        read_table.contains("| one[^1]<br>two | three |"),
        "{read_table}"
    );
    let drawing = br"{\rtf1{\*\do\dptxbx{\dptxbxtext In a box\par}\dpx0}Text\par}";
    assert_eq!(read(drawing), "Text\n\nIn a box");
}
