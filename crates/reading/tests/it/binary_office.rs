//! Office files that are records and not XML: XLSB, and DOC, XLS and PPT from before 2007.

use fault::Case;
use reading::document::{
    Document, DocumentError, DocumentKind, Hint, Limits, Warning, read_document,
    read_document_within,
};
use testkit::documents::{compound, zip};

fn read(bytes: &[u8]) -> Document {
    read_document(bytes, &Hint::default()).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Reads every damaged version of a file: cut anywhere, or with one byte changed. Nothing may
/// panic or go on for ever.
fn damage(bytes: &[u8], step: usize) {
    for at in (0..bytes.len()).step_by(step) {
        let _ = read_document(&bytes[..at], &Hint::default());
        for value in [0, 1, 0x7F, 0xFF] {
            let mut damaged = bytes.to_vec();
            damaged[at] = value;
            let _ = read_document(&damaged, &Hint::default());
        }
    }
}

mod xlsb {
    use super::*;

    fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        let mut bytes = if kind < 0x80 {
            vec![kind as u8]
        } else {
            vec![(kind & 0x7F) as u8 | 0x80, (kind >> 7) as u8]
        };
        bytes.extend([(data.len() & 0x7F) as u8 | 0x80, (data.len() >> 7) as u8]);
        bytes.extend(data);
        bytes
    }

    fn text(text: &str) -> Vec<u8> {
        let mut bytes = (text.encode_utf16().count() as u32).to_le_bytes().to_vec();
        bytes.extend(wide(text));
        bytes
    }

    fn cell(kind: u16, column: u32, style: u32, value: &[u8]) -> Vec<u8> {
        record(
            kind,
            &[&column.to_le_bytes()[..], &style.to_le_bytes(), value].concat(),
        )
    }

    fn sheet(state: u32, relation: &str, name: &str) -> Vec<u8> {
        let head = [state.to_le_bytes(), 1_u32.to_le_bytes()].concat();
        record(156, &[head, text(relation), text(name)].concat())
    }

    fn workbook() -> Vec<u8> {
        let book = [sheet(0, "r1", "Data"), sheet(1, "r1", "Secret")].concat();
        let strings = record(19, &[vec![0], text("shared")].concat());
        let styles = [
            record(
                44,
                &[164_u16.to_le_bytes().to_vec(), text("dd.mm.yyyy")].concat(),
            ),
            record(617, &[]),
            record(47, &[0; 16]),
            record(
                47,
                &[&[0, 0], &164_u16.to_le_bytes()[..], &[0; 12]].concat(),
            ),
            record(618, &[]),
        ]
        .concat();
        let link = [0_u32, 0, 0, 0].map(u32::to_le_bytes).concat();
        let cells = [
            record(0, &0_u32.to_le_bytes()),
            cell(7, 0, 0, &0_u32.to_le_bytes()),
            cell(6, 1, 0, &text("own")),
            record(0, &4_u32.to_le_bytes()),
            cell(5, 0, 1, &45_292_f64.to_le_bytes()),
            cell(2, 1, 0, &(((1234_u32) << 2) | 3).to_le_bytes()),
            cell(4, 2, 0, &[1]),
            cell(3, 3, 0, &[7]),
            record(
                494,
                &[link, text("h1"), text(""), text(""), text("")].concat(),
            ),
        ]
        .concat();
        let relations = r#"<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.bin"/><Relationship Id="r2" Type="x/sharedStrings" Target="sharedStrings.bin"/>
            <Relationship Id="r3" Type="x/styles" Target="styles.bin"/></Relationships>"#;
        let links = r#"<Relationships><Relationship Id="h1" Type="x/hyperlink" Target="https://a.example/" TargetMode="External"/></Relationships>"#;
        zip(&[
            ("[Content_Types].xml", b"<Types/>"),
            ("xl/workbook.bin", &book),
            ("xl/_rels/workbook.bin.rels", relations.as_bytes()),
            ("xl/sharedStrings.bin", &strings),
            ("xl/styles.bin", &styles),
            ("xl/worksheets/sheet1.bin", &cells),
            ("xl/worksheets/_rels/sheet1.bin.rels", links.as_bytes()),
        ])
    }

    #[test]
    fn a_binary_workbook_is_read_like_one_of_xml() {
        let read = read(&workbook());
        assert_eq!(
            read.markdown,
            "## Data\n\n| [shared](https://a.example/) | own |  |  |\n| --- | --- | --- | --- |\n| 2024-01-01 | 12.34 | TRUE | #DIV/0! |\n\n*Hidden sheets, left out: Secret*"
        );
        assert_eq!((read.kind, read.pages), (DocumentKind::XLSB, Some(2)));
        assert_eq!(read.warnings, [Warning::HiddenParts]);
    }

    #[test]
    fn a_damaged_one_ends() {
        damage(&workbook(), 7);
    }
}

mod xls {
    use super::*;

    pub(super) fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        [
            &kind.to_le_bytes()[..],
            &(data.len() as u16).to_le_bytes(),
            data,
        ]
        .concat()
    }

    fn begin(version: u16) -> Vec<u8> {
        record(0x0809, &[&version.to_le_bytes()[..], &[5, 0]].concat())
    }

    fn cell(row: u16, column: u16, style: u16, value: &[u8]) -> Vec<u8> {
        let head = [row, column, style].map(u16::to_le_bytes).concat();
        [head, value.to_vec()].concat()
    }

    fn sheet(start: usize, state: u8, name: &str) -> Vec<u8> {
        let head = [
            &(start as u32).to_le_bytes()[..],
            &[state, 0, name.len() as u8, 0],
        ]
        .concat();
        record(0x0085, &[head, name.as_bytes().to_vec()].concat())
    }

    /// The globals with sheets at this place, and the cells of both sheets.
    fn stream(start: usize) -> (Vec<u8>, Vec<u8>) {
        // "shared" goes on in the next record, where its letters are wide.
        let strings = [&[2, 0, 0, 0, 2, 0, 0, 0, 6, 0, 0][..], b"sha"].concat();
        let more = [
            &[1][..],
            &wide("red"),
            &[4, 0, 8, 1, 0],
            b"rich",
            &[0, 0, 0, 0],
        ]
        .concat();
        let format = [&164_u16.to_le_bytes()[..], &[10, 0, 0], b"dd.mm.yyyy"].concat();
        let globals = [
            begin(0x0600),
            record(0x041E, &format),
            record(0x00E0, &[0; 20]),
            record(
                0x00E0,
                &[&[0, 0], &164_u16.to_le_bytes()[..], &[0; 16]].concat(),
            ),
            sheet(start, 0, "Data"),
            sheet(start, 1, "Secret"),
            record(0x00FC, &strings),
            record(0x003C, &more),
            record(0x000A, &[]),
        ]
        .concat();
        let formula_text = cell(2, 0, 0, &[0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0]);
        let packed = [
            &[2, 0, 1, 0][..],
            &[0, 0],
            &((7_u32 << 2) | 2).to_le_bytes(),
            &[0, 0],
            &((1234_u32 << 2) | 3).to_le_bytes(),
            &[2, 0],
        ]
        .concat();
        let note = [&[0, 0, 1, 0, 0, 0, 9, 0, 3, 0, 0][..], b"Ada\0"].concat();
        let object = [&[0x15, 0, 0x12, 0, 0x19, 0, 9, 0][..], &[0; 14]].concat();
        let object_text = [&[0; 10][..], &[9, 0], &[0; 6]].concat();
        let moniker = [
            &[0, 0, 0, 0, 0, 0, 0, 0][..],
            &[0; 16],
            &[2, 0, 0, 0, 3, 0, 0, 0],
            &[
                0xE0, 0xC9, 0xEA, 0x79, 0xF9, 0xBA, 0xCE, 0x11, 0x8C, 0x82, 0, 0xAA, 0, 0x4B, 0xA9,
                0x0B,
            ],
            &(2 * 19_u32).to_le_bytes(),
            &wide("https://a.example/\0"),
        ]
        .concat();
        let cells = [
            begin(0x0600),
            record(0x00FD, &cell(0, 0, 0, &0_u32.to_le_bytes())),
            record(0x00FD, &cell(0, 1, 0, &1_u32.to_le_bytes())),
            record(0x0203, &cell(1, 0, 1, &45_292_f64.to_le_bytes())),
            record(0x0205, &cell(1, 1, 0, &[7, 1])),
            record(0x0006, &formula_text),
            record(0x0207, &[&[4, 0, 0][..], b"text"].concat()),
            record(0x00BD, &packed),
            // A chart in the sheet.
            begin(0x0600),
            record(0x0203, &cell(9, 9, 0, &1_f64.to_le_bytes())),
            record(0x000A, &[]),
            record(0x01B8, &moniker),
            record(0x005D, &object),
            record(0x01B6, &object_text),
            record(0x003C, &[&[0][..], b"Ada:Check"].concat()),
            record(0x001C, &note),
            record(0x000A, &[]),
        ]
        .concat();
        (globals, cells)
    }

    fn workbook() -> Vec<u8> {
        let (globals, _) = stream(0);
        let (globals, cells) = stream(globals.len());
        compound(&[("Workbook", &[globals, cells].concat())])
    }

    #[test]
    fn an_old_workbook_is_read_like_a_new_one() {
        let read = read(&workbook());
        assert_eq!(
            read.markdown,
            "## Data\n\n| [shared](https://a.example/) | rich |  |\n| --- | --- | --- |\n| 2024-01-01 | #DIV/0! |  |\n| text | 7 | 12.34 |\n\nComments:\n\n- B1 (Ada): Check\n\n*Hidden sheets, left out: Secret*"
        );
        assert_eq!((read.kind, read.pages), (DocumentKind::XLS, Some(2)));
    }

    /// The chart of a workbook, as a sheet of its own or inside another one.
    fn chart(names: &[&str]) -> Vec<u8> {
        let named = |text: &str| {
            let head = [0, 0, text.len() as u8, 0];
            record(0x100D, &[&head[..], text.as_bytes()].concat())
        };
        let series = names.iter().map(|name| {
            let values = record(0x1051, &[0; 8]);
            [record(0x1003, &[0; 12]), values, named(name)].concat()
        });
        let text = |owner: u8, words: &str| {
            // Once is enough.
            let about = record(0x1027, &[owner, 0, 0, 0, 0, 0]).repeat(3);
            [record(0x1025, &[0; 32]), named(words), about].concat()
        };
        let category = [&[3, 0, 0][..], b"Jan"].concat();
        [
            record(0x0809, &[0, 6, 0x20, 0]),
            series.collect::<Vec<_>>().concat(),
            text(1, "Sales"),
            text(3, "Month"),
            text(4, "a label"),
            record(0x1065, &[2, 0]),
            record(0x0204, &cell(0, 0, 0, &category)),
            record(0x1065, &[1, 0]),
            record(0x0203, &cell(0, 0, 0, &1.5_f64.to_le_bytes())),
            record(0x0203, &cell(0, 9, 0, &1.5_f64.to_le_bytes())),
            record(0x000A, &[]),
        ]
        .concat()
    }

    #[test]
    fn text_boxes_and_charts_follow_the_cells() {
        let globals = |start: usize, second: usize| {
            [
                begin(0x0600),
                sheet(start, 0, "Data"),
                sheet(second, 0, "Own"),
                record(0x000A, &[]),
            ]
            .concat()
        };
        let object = [&[0x15, 0, 0x12, 0, 6, 0, 9, 0][..], &[0; 14]].concat();
        let object_text = [&[0; 10][..], &[8, 0], &[0; 6]].concat();
        let data = [
            begin(0x0600),
            record(0x0203, &cell(0, 0, 0, &7_f64.to_le_bytes())),
            record(0x005D, &object),
            chart(&["North"]),
            record(0x01B6, &object_text),
            record(0x003C, &[&[0][..], b"In a box"].concat()),
            record(0x000A, &[]),
        ]
        .concat();
        let start = globals(0, 0).len();
        let globals = globals(start, start + data.len());
        let bytes = compound(&[("Workbook", &[globals, data, chart(&["South"])].concat())]);
        let shown = |name: &str| {
            format!("Chart: Sales\n\nAxes: Month\n\n|  | {name} |\n| --- | --- |\n| Jan | 1.5 |")
        };
        assert_eq!(
            read(&bytes).markdown,
            format!(
                "## Data\n\n7\n\nIn a box\n\n{}\n\n## Own\n\n{}",
                shown("North"),
                shown("South")
            )
        );
        damage(&bytes, 5);
    }

    #[test]
    fn a_password_is_told() {
        let stream = [begin(0x0600), record(0x002F, &[0; 6])].concat();
        let bytes = compound(&[("Workbook", &stream)]);
        let fault = read_document(&bytes, &Hint::default()).expect_err("is encrypted");
        let said = fault.sentence().as_str().to_owned();
        assert!(said.contains("opens with a password"), "{said}");
        assert_eq!(fault.case(), Case::BrokenDocument);
    }

    #[test]
    fn a_damaged_one_ends() {
        damage(&workbook(), 5);
    }
}

mod doc {
    use super::*;

    const TEXT: &str = "Title\rPlain \u{13} HYPERLINK \"https://a.example/\" \u{14}link\u{15}.\ra\u{7}b\u{7}\u{7}c\u{7}d\u{7}\u{7}Note\r";

    /// The paragraphs of the text: where each ends, its style, and the changes to it.
    fn paragraphs() -> Vec<(usize, u16, Vec<u8>)> {
        let in_table = vec![0x16, 0x24, 1];
        let row_end = vec![0x16, 0x24, 1, 0x17, 0x24, 1];
        let mut cells = 0;
        let mut found = Vec::new();
        for (index, letter) in TEXT.chars().enumerate() {
            match letter {
                '\u{7}' => {
                    cells += 1;
                    let changes = if cells % 3 == 0 { &row_end } else { &in_table };
                    found.push((index + 1, 0, changes.clone()));
                }
                '\r' => found.push((index + 1, u16::from(found.is_empty()), Vec::new())),
                _ => {}
            }
        }
        found
    }

    fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
        bytes[at..at + value.len()].copy_from_slice(value);
    }

    fn long(number: usize) -> [u8; 4] {
        (number as u32).to_le_bytes()
    }

    fn document() -> Vec<u8> {
        const START: usize = 0x600;
        let letters = TEXT.chars().count();
        let body = letters - 5;
        let mut main = vec![0; 0xA00];
        put(&mut main, 0, &[0xEC, 0xA5, 0xC1, 0]);
        put(&mut main, 0x0A, &[0, 2]);
        put(&mut main, 0x4C, &long(body));
        put(&mut main, 0x50, &long(5));
        let bytes: Vec<u8> = TEXT.chars().map(|letter| letter as u8).collect();
        put(&mut main, START, &bytes);
        // The page of properties is the third.
        let page = 3 * 512 - 512 * 2;
        let paragraphs = paragraphs();
        put(&mut main, page, &long(START));
        let mut free = 510;
        for (index, (end, style, changes)) in paragraphs.iter().enumerate() {
            put(&mut main, page + 4 * (index + 1), &long(START + end));
            let mut changes = [&style.to_le_bytes()[..], changes].concat();
            if changes.len() % 2 == 0 {
                changes.push(0);
            }
            free -= changes.len() + 1;
            free -= free % 2;
            let half = (changes.len() as u8).div_ceil(2);
            put(&mut main, page + free, &[&[half][..], &changes].concat());
            let entry = page + 4 * (paragraphs.len() + 1) + 13 * index;
            put(&mut main, entry, &[(free / 2) as u8]);
        }
        main[page + 511] = paragraphs.len() as u8;

        let mut table = vec![0];
        let mut listed = |at: usize, content: &[u8], main: &mut Vec<u8>| {
            put(main, at, &long(table.len()));
            put(main, at + 4, &long(content.len()));
            table.extend(content);
        };
        let piece = [&[0, 0][..], &long((2 * START) | 0x4000_0000), &[0, 0]].concat();
        let pieces = [&long(0)[..], &long(letters), &piece].concat();
        let pieces = [&[2][..], &long(pieces.len()), &pieces].concat();
        listed(0x01A2, &pieces, &mut main);
        let pages = [long(START), long(START + letters), long(page / 512)].concat();
        listed(0x0102, &pages, &mut main);
        let style = |number: u16| {
            [
                &10_u16.to_le_bytes()[..],
                &number.to_le_bytes(),
                &[0xF1, 0xFF],
                &[0; 6],
            ]
            .concat()
        };
        let styles = [vec![2, 0, 2, 0], style(0), style(1)].concat();
        listed(0x00A2, &styles, &mut main);
        compound(&[("WordDocument", &main), ("1Table", &table)])
    }

    #[test]
    fn an_old_document_keeps_headings_tables_links_and_notes() {
        let read = read(&document());
        assert_eq!(
            read.markdown,
            "# Title\n\nPlain [link](https://a.example/).\n\n| a | b |\n| --- | --- |\n| c | d |\n\n<!-- footnotes -->\n\nNote"
        );
        assert_eq!(read.kind, DocumentKind::DOC);
    }

    #[test]
    fn pieces_that_share_their_bytes_do_not_fill_the_memory() {
        const COUNT: usize = 30;
        let text = "Many words. ".repeat(2_000);
        let (mut main, mut table) = streams(&[], &[], &[]);
        main.truncate(0x600);
        main.extend(text.as_bytes());
        let places = (0..=COUNT).map(|it| long(it * text.len()));
        let piece = [&[0, 0][..], &long((2 * 0x600) | 0x4000_0000), &[0, 0]].concat();
        let pieces = [places.collect::<Vec<_>>().concat(), piece.repeat(COUNT)].concat();
        let pieces = [&[2][..], &long(pieces.len()), &pieces].concat();
        put(&mut main, 0x4C, &long(COUNT * text.len()));
        put(&mut main, 0x01A2, &long(table.len()));
        put(&mut main, 0x01A6, &long(pieces.len()));
        table.extend(pieces);
        let bytes = compound(&[("WordDocument", &main), ("1Table", &table)]);
        let read = read(&bytes).markdown;
        assert!(
            (text.len() - 1..main.len()).contains(&read.len()),
            "{}",
            read.len()
        );
    }

    /// A document whose runs of characters have these changes to their properties.
    fn marked(runs: &[(&str, &[u8])]) -> Vec<u8> {
        let (main, table) = streams(runs, &[], &[]);
        compound(&[("WordDocument", &main), ("1Table", &table)])
    }

    /// The streams of such a document, with more lists by the place in the header that points to
    /// them, and with more bytes in its main stream.
    fn streams(
        runs: &[(&str, &[u8])],
        lists: &[(usize, Vec<u8>)],
        bytes: &[(usize, Vec<u8>)],
    ) -> (Vec<u8>, Vec<u8>) {
        const START: usize = 0x600;
        const PAGE: usize = 0x400;
        let mut main = vec![0; 0xA00];
        put(&mut main, 0, &[0xEC, 0xA5, 0xC1, 0]);
        put(&mut main, 0x0A, &[0, 2]);
        put(&mut main, PAGE, &long(START));
        let (mut place, mut free) = (START, 500);
        for (index, (text, changes)) in runs.iter().enumerate() {
            put(&mut main, place, text.as_bytes());
            place += text.len();
            put(&mut main, PAGE + 4 * (index + 1), &long(place));
            free -= 2 * (changes.len() + 1).div_ceil(2);
            main[PAGE + 4 * (runs.len() + 1) + index] = (free / 2) as u8;
            let changes = [&[changes.len() as u8][..], changes].concat();
            put(&mut main, PAGE + free, &changes);
        }
        main[PAGE + 511] = runs.len() as u8;
        put(&mut main, 0x4C, &long(place - START));
        let mut table = vec![0];
        let mut listed = |at: usize, content: &[u8]| {
            put(&mut main, at, &long(table.len()));
            put(&mut main, at + 4, &long(content.len()));
            table.extend(content);
        };
        let piece = [&[0, 0][..], &long((2 * START) | 0x4000_0000), &[0, 0]].concat();
        let pieces = [&long(0)[..], &long(place - START), &piece].concat();
        listed(0x01A2, &[&[2][..], &long(pieces.len()), &pieces].concat());
        listed(
            0x00FA,
            &[long(START), long(place), long(PAGE / 512)].concat(),
        );
        let font = [&[0; 39][..], &wide("Symbol"), &[0, 0]].concat();
        let fonts = [&[1, 0, 0, 0, font.len() as u8][..], &font].concat();
        listed(0x0112, &fonts);
        for (at, content) in lists {
            listed(*at, content);
        }
        for (at, content) in bytes {
            put(&mut main, *at, content);
        }
        (main, table)
    }

    /// A page of properties of paragraphs, each with where its text ends and the changes to it.
    fn page(start: usize, paragraphs: &[(usize, &[u8])]) -> Vec<u8> {
        let mut page = vec![0; 512];
        put(&mut page, 0, &long(start));
        let mut free = 510;
        for (index, (end, changes)) in paragraphs.iter().enumerate() {
            put(&mut page, 4 * (index + 1), &long(start + end));
            // The number of the style comes first.
            let padding = if changes.len() % 2 == 0 {
                &[0][..]
            } else {
                &[]
            };
            let changes = [&[0, 0][..], changes, padding].concat();
            free -= (changes.len() + 1).next_multiple_of(2);
            let half = changes.len().div_ceil(2) as u8;
            put(&mut page, free, &[&[half][..], &changes].concat());
            page[4 * (paragraphs.len() + 1) + 13 * index] = (free / 2) as u8;
        }
        page[511] = paragraphs.len() as u8;
        page
    }

    /// As rows of many columns have them.
    #[test]
    fn rows_that_end_in_the_stream_of_data_and_tables_in_cells_are_told_apart() {
        let cell = &[0x16, 0x24, 1][..];
        let row_end = &[0x16, 0x24, 1, 0x46, 0x66, 4, 0, 0, 0][..];
        let inner_cell = &[0x16, 0x24, 1, 0x49, 0x66, 2, 0, 0, 0, 0x4B, 0x24, 1][..];
        let inner_text = &[0x16, 0x24, 1, 0x49, 0x66, 2, 0, 0, 0][..];
        let inner_row = &[0x16, 0x24, 1, 0x49, 0x66, 2, 0, 0, 0, 0x4C, 0x24, 1][..];
        let paragraphs = [
            ("a\u{7}", cell),
            ("b\u{7}", cell),
            ("\u{7}", row_end),
            ("c\u{7}", cell),
            ("x\r", inner_cell),
            ("y\r", inner_cell),
            ("\r", inner_row),
            ("p\r", inner_text),
            ("q\r", inner_cell),
            ("\r", inner_row),
            ("z\u{7}", cell),
            ("\u{7}", row_end),
            ("End\r", &[]),
        ];
        let mut end = 0;
        let ends = paragraphs.map(|(text, changes)| {
            end += text.len();
            (end, changes)
        });
        let text = paragraphs.map(|(text, _)| text).concat();
        let pages = [long(0x600), long(0x600 + end), long(1)].concat();
        let (main, table) = streams(
            &[(&text, &[])],
            &[(0x0102, pages)],
            &[(0x200, page(0x600, &ends))],
        );
        let data = b"....\x03\0\x17\x24\x01";
        let bytes = compound(&[("WordDocument", &main), ("1Table", &table), ("Data", data)]);
        let document = read(&bytes);
        assert_eq!(
            document.markdown,
            "| a | b |\n| --- | --- |\n| c | x \\| y<br>p<br>q<br>z |\n\nEnd"
        );
        assert!(document.warnings.is_empty(), "{:?}", document.warnings);
        damage(&bytes, 7);
        let cut = compound(&[
            ("WordDocument", &main[..0x603]),
            ("1Table", &table),
            ("Data", data),
        ]);
        assert_eq!(read(&cut).warnings, [Warning::Incomplete]);
    }

    /// A shape with this number and this alternative text.
    fn shape(number: u32, description: &str) -> Vec<u8> {
        let text = wide(description);
        let properties = ppt::properties(0xF00B, &[(0xC381, text.len() as u32)], &text);
        let head = [number, 0].map(u32::to_le_bytes).concat();
        ppt::container(0xF004, 0, &[ppt::atom(0xF00A, 1, &head), properties])
    }

    #[test]
    fn marks_of_notes_alternative_texts_and_drop_caps_stand_in_the_text() {
        let places = |places: &[usize]| places.iter().copied().flat_map(long).collect::<Vec<u8>>();
        let author = [&[0; 20][..], &[0; 10]].concat();
        let drawing = [
            ppt::container(0xF000, 0, &[]),
            vec![0],
            ppt::container(0xF002, 0, &[shape(7, "A dog")]),
        ];
        let lists = [
            (0x00AA, [places(&[5, 24]), vec![1, 0]].concat()),
            (0x00B2, places(&[0, 10, 11])),
            (0x00BA, [places(&[11, 24]), author].concat()),
            (0x00C2, places(&[0, 6, 7])),
            (0x01BA, [vec![3, 0], wide("Ada")].concat()),
            (
                0x01DA,
                [places(&[16, 24]), places(&[7]), vec![0; 22]].concat(),
            ),
            (0x022A, drawing.concat()),
            (0x0102, places(&[0x600, 0x628, 4])),
        ];
        let paragraphs = [&places(&[0x600, 0x602, 0x628])[..], &[0x20], &[0; 12], &[0]].concat();
        let bytes = [
            (0x4C, places(&[24, 10, 0, 0, 6])),
            (0x800, paragraphs),
            (0x840, vec![4, 0, 0, 0x2C, 0x44, 0x11, 0, 0]),
            (0x9FF, vec![2]),
        ];
        let runs: [(&str, &[u8]); 3] = [
            ("O\rnce\u{2} upon\u{5} a ", &[]),
            ("\u{1}", &[0x03, 0x6A, 0, 0, 0, 0]),
            ("\u{8} time.\r\u{2} A note.\r\u{5}Why?\r", &[]),
        ];
        let (main, table) = streams(&runs, &lists, &bytes);
        let picture = shape(1, "A cat");
        let head = [&long(0x44 + picture.len())[..], &[0x44, 0, 0x64, 0]].concat();
        let data = [head, vec![0; 0x3C], picture].concat();
        let bytes = compound(&[("WordDocument", &main), ("1Table", &table), ("Data", &data)]);
        assert_eq!(
            read(&bytes).markdown,
            "Once[^1] upon[^comment-1] a ![A cat]![A dog] time.\n\n[^1]: A note.\n\n[^comment-1]: Ada: Why?"
        );
        damage(&bytes, 7);
    }

    #[test]
    fn deleted_and_hidden_text_is_left_out_and_symbols_are_what_they_show() {
        let bytes = marked(&[
            ("Kept", &[]),
            (" deleted", &[0x00, 0x08, 1]),
            (" hidden", &[0x3C, 0x08, 1]),
            (" 5 ", &[]),
            ("m", &[0x4F, 0x4A, 0, 0]),
            ("m", &[]),
            ("2", &[0x48, 0x2A, 1]),
            (" (", &[]),
            ("(", &[0x09, 0x6A, 0, 0, 0xA3, 0xF0]),
            (" 9)\r", &[]),
        ]);
        assert_eq!(read(&bytes).markdown, "Kept 5 μm^2 (≤ 9)");
        damage(&bytes, 7);
    }

    #[test]
    fn a_document_of_word_95_is_read_in_the_charset_of_its_language() {
        let mut main = vec![0; 0x800];
        put(&mut main, 0, &[0xDC, 0xA5, 0x68, 0]);
        put(&mut main, 0x06, &[0x19, 0x04]);
        put(&mut main, 0x18, &long(0x400));
        let text = b"\xCC\xE8\xF0\ra\x07b\x07\x07c\x07d\x07\x07end\r";
        put(&mut main, 0x34, &long(text.len()));
        put(&mut main, 0x400, text);
        let bytes = compound(&[("WordDocument", &main)]);
        assert_eq!(
            read(&bytes).markdown,
            "Мир\n\n| a | b |\n| --- | --- |\n| c | d |\n\nend"
        );
        damage(&bytes, 13);
    }

    #[test]
    fn a_document_of_word_95_is_read_in_the_charsets_of_its_fonts() {
        let mut main = vec![0; 0x800];
        put(&mut main, 0, &[0xDC, 0xA5, 0x68, 0]);
        // English, which is also what stands there if nobody chose.
        put(&mut main, 0x06, &[0x09, 0x04]);
        put(&mut main, 0x18, &long(0x400));
        let text = b"caf\xE9 \xCC\xE8\xF0 p\xF8ed\r";
        put(&mut main, 0x34, &long(text.len()));
        put(&mut main, 0x400, text);
        // The runs: in the first, the second and the third font.
        let page = [
            long(0x400).to_vec(),
            long(0x405).to_vec(),
            long(0x409).to_vec(),
            long(0x400 + text.len()).to_vec(),
            vec![0, 0x80, 0x84],
        ];
        put(&mut main, 0x600, &page.concat());
        put(&mut main, 0x700, &[5, 85, 1, 93, 1, 0]);
        put(&mut main, 0x708, &[3, 93, 2, 0]);
        put(&mut main, 0x7FF, &[3]);
        let pages = [&long(0x400)[..], &long(0x500), &[3, 0]].concat();
        put(&mut main, 0x500, &pages);
        put(&mut main, 0xB8, &[long(0x500), long(pages.len())].concat());
        let font = |charset: u8| [&[7, 0, 0, 0, charset, 0][..], b"A\0"].concat();
        let fonts = [vec![26, 0], font(0), font(204), font(238)].concat();
        put(&mut main, 0x520, &fonts);
        put(&mut main, 0xD0, &[long(0x520), long(fonts.len())].concat());
        let bytes = compound(&[("WordDocument", &main)]);
        assert_eq!(read(&bytes).markdown, "café Мир před");
        damage(&bytes, 13);
    }

    #[test]
    fn a_password_and_an_older_version_are_told() {
        let mut main = vec![0; 0xA00];
        put(&mut main, 0, &[0xEC, 0xA5, 0xC1, 0]);
        put(&mut main, 0x0A, &[0, 3]);
        put(&mut main, 0x0E, &[60]);
        let unknown = compound(&[("WordDocument", &main), ("1Table", &[9; 60])]);
        let fault = read_document(&unknown, &Hint::default()).expect_err("is encrypted");
        let said = fault.sentence().as_str().to_owned();
        assert!(said.contains("with or without a password"), "{said}");
        put(&mut main, 0, &[0xDB, 0xA5, 0x2D, 0]);
        put(&mut main, 0x0A, &[0, 0]);
        let fault = read_document(&compound(&[("WordDocument", &main)]), &Hint::default());
        let fault = fault.expect_err("is too old");
        assert!(fault.sentence().as_str().contains("1993"), "{fault}");
        assert_eq!(fault.case(), Case::UnsupportedType);
    }

    #[test]
    fn a_damaged_one_ends() {
        damage(&document(), 11);
    }
}

mod ppt {
    use super::*;

    pub(super) fn atom(kind: u16, instance: u16, data: &[u8]) -> Vec<u8> {
        let head = [(instance << 4).to_le_bytes(), kind.to_le_bytes()].concat();
        [&head[..], &(data.len() as u32).to_le_bytes(), data].concat()
    }

    pub(super) fn container(kind: u16, instance: u16, inside: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = atom(kind, instance, &inside.concat());
        bytes[0] |= 0xF;
        bytes
    }

    fn text(kind: u32, text: &str) -> Vec<u8> {
        [
            atom(0x0F9F, 0, &kind.to_le_bytes()),
            atom(0x0FA0, 0, &wide(text)),
        ]
        .concat()
    }

    fn shape(top: i16, left: i16, inside: Vec<u8>) -> Vec<u8> {
        let place = [top, left, 0, 0].map(i16::to_le_bytes).concat();
        container(
            0xF004,
            0,
            &[atom(0xF010, 0, &place), container(0xF00D, 0, &[inside])],
        )
    }

    fn reference(number: u32, id: u32) -> Vec<u8> {
        atom(
            0x03F3,
            0,
            &[number, 0, 0, id].map(u32::to_le_bytes).concat(),
        )
    }

    fn deck() -> Vec<u8> {
        let outline = |index: u32| atom(0x0F9E, 0, &index.to_le_bytes());
        let document = container(
            0x03E8,
            0,
            &[
                container(
                    0x0FF0,
                    0,
                    &[reference(2, 256), text(0, "Opening"), text(1, "one\rtwo")],
                ),
                container(0x0FF0, 2, &[reference(3, 512)]),
                container(0x0FD9, 3, &[atom(0x0FBA, 2, &wide("Company"))]),
            ],
        );
        let comment = container(
            0x2EE0,
            0,
            &[
                atom(0x0FBA, 0, &wide("Ada")),
                atom(0x0FBA, 1, &wide("Short.")),
            ],
        );
        let slide = container(
            0x03EE,
            0,
            &[
                container(
                    0xF002,
                    0,
                    &[
                        shape(900, 0, atom(0x0FA8, 0, b"below")),
                        shape(500, 0, outline(1)),
                        shape(0, 0, outline(0)),
                    ],
                ),
                comment,
            ],
        );
        let notes = container(
            0x03F0,
            0,
            &[
                atom(0x03F1, 0, &256_u32.to_le_bytes()),
                container(0xF002, 0, &[shape(0, 0, text(2, "Smile."))]),
            ],
        );
        saved(&[document, slide, notes])
    }

    /// A file with these records, of which the first is the document.
    fn saved(records: &[Vec<u8>]) -> Vec<u8> {
        let (stream, user) = streams(records);
        compound(&[("PowerPoint Document", &stream), ("Current User", &user)])
    }

    fn streams(records: &[Vec<u8>]) -> (Vec<u8>, Vec<u8>) {
        let mut stream = Vec::new();
        let count = records.len() as u32;
        let mut places = vec![(count << 20 | 1).to_le_bytes().to_vec()];
        for record in records {
            places.push((stream.len() as u32).to_le_bytes().to_vec());
            stream.extend(record);
        }
        let directory = stream.len() as u32;
        stream.extend(atom(0x1772, 0, &places.concat()));
        let edit = stream.len() as u32;
        stream.extend(atom(
            0x0FF5,
            0,
            &[0, 0, 0, directory, 1, 4].map(u32::to_le_bytes).concat(),
        ));
        let user = [
            &[0; 12][..],
            &0xE391_C05F_u32.to_le_bytes(),
            &edit.to_le_bytes(),
        ]
        .concat();
        (stream, user)
    }

    /// A slide with these shapes, which is hidden if the flags say so.
    fn slide(flags: u16, shapes: &[Vec<u8>]) -> Vec<u8> {
        let show = [&[0; 10][..], &flags.to_le_bytes(), &[0; 4]].concat();
        container(
            0x03EE,
            0,
            &[atom(0x03F9, 0, &show), container(0xF002, 0, shapes)],
        )
    }

    fn slides(slides: &[Vec<u8>]) -> Vec<u8> {
        let listed = (2..)
            .zip(slides)
            .map(|(number, _)| reference(number, number));
        let object = container(
            0x0FCC,
            0,
            &[
                atom(
                    0x0FC3,
                    0,
                    &[1_u32, 0, 5, 0, 9, 0].map(u32::to_le_bytes).concat(),
                ),
                atom(0x0FBA, 2, &wide("MSGraph.Chart.8")),
            ],
        );
        let listed = container(0x0FF0, 0, &listed.collect::<Vec<_>>());
        let document = container(0x03E8, 0, &[object, listed]);
        saved(&[&[document], slides].concat())
    }

    /// The properties of a shape: their numbers and values.
    pub(super) fn properties(kind: u16, values: &[(u16, u32)], long: &[u8]) -> Vec<u8> {
        let heads = values.iter().flat_map(|(name, value)| {
            let (name, value) = (name.to_le_bytes(), value.to_le_bytes());
            [&name[..], &value].concat()
        });
        let data: Vec<u8> = heads.chain(long.iter().copied()).collect();
        atom(kind, values.len() as u16, &data)
    }

    fn cell(left: u32, top: u32, words: &str) -> Vec<u8> {
        let place = [left, top, left + 9, top + 9]
            .map(u32::to_le_bytes)
            .concat();
        let words = container(0xF00D, 0, &[text(4, words)]);
        container(0xF004, 0, &[atom(0xF00F, 0, &place), words])
    }

    #[test]
    fn an_old_presentation_keeps_titles_outlines_notes_and_comments() {
        let read = read(&deck());
        assert_eq!(
            read.markdown,
            "<!-- slide 1 -->\n\n## Opening\n\n- one\n- two\n\nbelow\n\n> Comment (Ada): Short.\n\n> Notes: Smile.\n\n<!-- headers and footers -->\n\nCompany"
        );
        assert_eq!((read.kind, read.pages), (DocumentKind::PPT, Some(1)));
    }

    #[test]
    fn what_a_file_names_again_and_again_does_not_fill_the_memory() {
        let outline = atom(0x0F9E, 0, &0_u32.to_le_bytes());
        let shape = shape(0, 0, outline.repeat(1_000));
        let listed = container(0x0FF0, 0, &[reference(2, 256), text(1, "Once")]);
        let document = container(0x03E8, 0, &[listed]);
        let read = read(&saved(&[document, slide(0, &[shape])])).markdown;
        assert_eq!(read.matches("Once").count(), 1, "{read:.99}");
    }

    #[test]
    fn a_slide_or_notes_that_are_listed_again_and_again_cost_too_much() {
        let page = container(0x03EE, 0, &[atom(0x1234, 0, &[0; 20_000])]);
        let again = vec![reference(2, 256); 10_000];
        for (slides, notes) in [(&again[..], &again[..1]), (&again[..1], &again[..])] {
            let lists = [container(0x0FF0, 0, slides), container(0x0FF0, 2, notes)];
            let bytes = saved(&[container(0x03E8, 0, &lists), page.clone()]);
            let error = read_document_within(&bytes, &Hint::default(), Limits::default());
            assert_eq!(error.err(), Some(DocumentError::TooManyOperations));
        }
    }

    #[test]
    fn tables_lists_pictures_and_objects_of_a_slide_are_told_apart() {
        let place = [600_i16, 0, 9, 9].map(i16::to_le_bytes).concat();
        let head = [
            properties(0xF122, &[(0x039F, 1), (0xC3A0, 4)], &[0; 4]),
            atom(0xF010, 0, &place),
        ];
        let line = container(
            0xF004,
            0,
            &[atom(0xF00A, 20, &[0; 8]), cell(7, 3, "")[8..].to_vec()],
        );
        let table = container(
            0xF003,
            0,
            &[
                container(0xF004, 0, &head),
                cell(9, 0, "Price"),
                cell(0, 0, "Name"),
                cell(0, 9, "Tea"),
                line,
            ],
        );
        // Two paragraphs with bullets, the second one level deeper, and one without.
        let run = |length: u32, level: u16, mask: u32, bullet: &[u8]| {
            let length = length.to_le_bytes();
            [
                &length[..],
                &level.to_le_bytes(),
                &mask.to_le_bytes(),
                bullet,
            ]
            .concat()
        };
        let styles = [
            run(4, 0, 1, &[1, 0]),
            run(6, 1, 1, &[1, 0]),
            run(6, 0, 0, &[]),
            run(16, 0, 0, &[])[..4].to_vec(),
            vec![0; 4],
        ];
        let list = [
            text(4, "one\rinner\rafter"),
            atom(0x0FA1, 0, &styles.concat()),
        ];
        let description = wide("A cat");
        let picture = container(
            0xF004,
            0,
            &[
                properties(
                    0xF00B,
                    &[(4, 1), (0xC381, description.len() as u32)],
                    &description,
                ),
                atom(
                    0xF010,
                    0,
                    &[800_i16, 0, 9, 9].map(i16::to_le_bytes).concat(),
                ),
            ],
        );
        let object = container(
            0xF004,
            0,
            &[
                container(0xF011, 0, &[atom(0x0BC1, 0, &5_u32.to_le_bytes())]),
                atom(
                    0xF010,
                    0,
                    &[900_i16, 0, 9, 9].map(i16::to_le_bytes).concat(),
                ),
            ],
        );
        let right = shape(390, 500, text(4, "right"));
        let shapes = [object, picture, table, right, shape(400, 0, list.concat())];
        let bytes = slides(&[slide(0, &shapes)]);
        assert_eq!(
            read(&bytes).markdown,
            "<!-- slide 1 -->\n\n- one\n  - inner\n\nafter\n\nright\n\n| Name | Price |\n| --- | --- |\n| Tea |  |\n\n![A cat]\n\n[embedded: MSGraph.Chart.8]"
        );
        damage(&bytes, 5);
    }

    #[test]
    fn a_chart_of_another_program_is_a_table() {
        let record = super::xls::record;
        let number = |row: u8, column: u8, value: f64| {
            let head = [row, 0, column, 0, 0, 0, 0];
            record(0x0003, &[&head[..], &value.to_le_bytes()].concat())
        };
        let label = |row: u8, text: &str| {
            let head = [row, 0, 0, 0, 0, 0, 0, text.len() as u8, 0];
            record(0x0004, &[&head[..], text.as_bytes()].concat())
        };
        // A workbook of Graph, whose first sheet is not the one that is shown.
        let globals = |start: u8| {
            [
                record(0x0809, &[0x80, 6, 5, 0]),
                record(0x003D, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]),
                record(0x0085, &[0; 8]),
                record(0x0085, &[start, 0, 0, 0, 0, 2, 0, 0]),
                record(0x000A, &[]),
            ]
            .concat()
        };
        let workbook = [
            globals(globals(0).len() as u8),
            record(0x0809, &[0x80, 6, 0, 0x80]),
            number(0, 2, 2025.0),
            label(1, "North"),
            number(1, 2, 1.5),
            record(0x000A, &[]),
        ];
        let file = compound(&[("Workbook", &workbook.concat())]);
        let packed = [
            &(file.len() as u32).to_le_bytes()[..],
            &testkit::documents::zlib(&file),
        ]
        .concat();
        let object = container(0xF011, 0, &[atom(0x0BC1, 0, &5_u32.to_le_bytes())]);
        let shape = container(0xF004, 0, &[object]);
        let listed = container(0x0FF0, 0, &[reference(2, 2)]);
        let about = [1_u32, 0, 5, 0, 3, 0].map(u32::to_le_bytes).concat();
        let about = [
            atom(0x0FC3, 0, &about),
            atom(0x0FBA, 2, &wide("MSGraph.Chart.8")),
        ];
        let document = container(0x03E8, 0, &[container(0x0FCC, 0, &about), listed]);
        let bytes = saved(&[document, slide(0, &[shape]), atom(0x1011, 1, &packed)]);
        assert_eq!(
            read(&bytes).markdown,
            "<!-- slide 1 -->\n\nChart:\n\n|  | 2025 |\n| --- | --- |\n| North | 1.5 |"
        );
        damage(&bytes, 7);
    }

    #[test]
    fn hidden_slides_are_left_out_and_told_unless_all_are() {
        let words = |flags, words| slide(flags, &[shape(0, 0, text(4, words))]);
        let some = read(&slides(&[words(0, "shown"), words(4, "secret")]));
        assert_eq!(some.markdown, "<!-- slide 1 -->\n\nshown");
        assert_eq!(some.warnings, [Warning::HiddenParts]);
        let all = read(&slides(&[words(4, "one")]));
        assert_eq!(all.markdown, "<!-- slide 1 -->\n\none");
        assert!(all.warnings.is_empty(), "{:?}", all.warnings);
    }

    #[test]
    fn files_for_powerpoint_95_are_read_as_far_as_they_can_be() {
        let (stream, user) = streams(&[container(
            0x03E8,
            0,
            &[container(0x0FF0, 0, &[reference(2, 256), text(1, "new")])],
        )]);
        let texts = b"First\rlines\r\rSecond \x93text\x94\r";
        let old = [
            ("PowerPoint Document", &[3, 0, 0, 0][..]),
            ("PersistentStorage Directory", &[0; 62]),
        ];
        let later = [
            ("PP97_DUALSTORAGE/PowerPoint Document", &stream[..]),
            ("PP97_DUALSTORAGE/Current User", &user[..]),
        ];
        let dual = read(&compound(&[old.as_slice(), &later].concat()));
        assert_eq!(dual.markdown, "<!-- slide 1 -->\n\n- new");
        let with_texts = compound(&[old.as_slice(), &[("Text_Content", texts)]].concat());
        let with_texts = read(&with_texts).markdown;
        assert!(
            with_texts.ends_with("-->\n\nFirst\nlines\n\nSecond “text”"),
            "{with_texts}"
        );
        for bytes in [compound(&old), compound(&[("PP40", &[0; 99])])] {
            let error = read_document_within(&bytes, &Hint::default(), Limits::default())
                .expect_err("is too old");
            // As a worker process reports it.
            let sent = serde_json::to_string(&error).expect("a report");
            assert_eq!(
                serde_json::from_str::<DocumentError>(&sent).ok(),
                Some(error)
            );
            let fault = error.fault(bytes.len(), &Limits::default());
            let said = fault.sentence().as_str().to_owned();
            assert!(said.contains("PowerPoint file from before 1997"), "{said}");
            assert_eq!(fault.case(), Case::UnsupportedType);
        }
    }

    #[test]
    fn an_unknown_encryption_is_told() {
        let user = [&[0; 12][..], &0xF3D1_C4DF_u32.to_le_bytes(), &[0; 4]].concat();
        let stream = [atom(0x0FF5, 0, &[0; 32]), atom(0x1772, 0, &[0; 4])].concat();
        let bytes = compound(&[("PowerPoint Document", &stream), ("Current User", &user)]);
        let fault = read_document(&bytes, &Hint::default()).expect_err("is encrypted");
        let said = fault.sentence().as_str().to_owned();
        assert!(said.contains("with or without a password"), "{said}");
    }

    #[test]
    fn a_damaged_one_ends() {
        damage(&deck(), 5);
    }
}
