//! Formulas of workbooks that are records: XLS of Excel 97 and Excel 5, and XLSB.

use proptest::collection::vec;
use proptest::prelude::{any, proptest};
use reading::document::{Document, Hint, Warning, read_document};
use testkit::documents::{compound, zip};

fn read_with_formulas(bytes: &[u8]) -> Document {
    let hint = Hint {
        formulas: true,
        ..Hint::default()
    };
    read_document(bytes, &hint).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

fn shorts(values: &[u16]) -> Vec<u8> {
    values.iter().copied().flat_map(u16::to_le_bytes).collect()
}

fn longs(values: &[u32]) -> Vec<u8> {
    values.iter().copied().flat_map(u32::to_le_bytes).collect()
}

/// Bits of a column that say that it, and the row, move with the cell.
const MOVES: u16 = 0xC000;

mod xls {
    use super::*;

    fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        [&shorts(&[kind, data.len() as u16])[..], data].concat()
    }

    fn begin(version: u16) -> Vec<u8> {
        record(0x0809, &shorts(&[version, 5]))
    }

    /// A formula whose result is the number.
    fn formula(row: u16, column: u16, result: f64, tokens: &[u8]) -> Vec<u8> {
        formula_with(row, column, result, tokens, &[])
    }

    fn formula_with(
        row: u16,
        column: u16,
        result: f64,
        tokens: &[u8],
        constants: &[u8],
    ) -> Vec<u8> {
        let head = [shorts(&[row, column, 0]), result.to_le_bytes().to_vec()].concat();
        let tokens = [&shorts(&[0, 0, 0, tokens.len() as u16])[..], tokens].concat();
        record(0x0006, &[&head, &tokens, constants].concat())
    }

    fn defined_name(name: &str) -> Vec<u8> {
        let head = [0, 0, 0, name.len() as u8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        record(0x0018, &[&head[..], name.as_bytes()].concat())
    }

    fn workbook(version: u16, cells: &[Vec<u8>]) -> Vec<u8> {
        let sheet = |start: usize, name: &str| {
            let length = match version {
                0x0600 => vec![name.len() as u8, 0],
                _ => vec![name.len() as u8],
            };
            let start = [&longs(&[start as u32])[..], &[0, 0], &length].concat();
            record(0x0085, &[&start, name.as_bytes()].concat())
        };
        let globals = |start: usize| {
            let own = record(0x01AE, &[2, 0, 1, 4]);
            let program = record(0x01AE, &[1, 0, 1, 0x3A]);
            let other = [
                &[1, 0, 11, 0, 0][..],
                b"\x01b\x03rest.xls",
                &[3, 0, 0],
                b"Far",
            ];
            let name = [&[0; 6][..], &[6, 0], b"EDATUM"].concat();
            [
                begin(version),
                sheet(start, "Data"),
                sheet(start, "It's"),
                own,
                program,
                record(0x0023, &name),
                record(0x01AE, &other.concat()),
                record(0x0017, &shorts(&[4, 0, 1, 1, 0, 0, 1, 1, 0, 0, 2, 0, 0])),
                defined_name("Rate"),
                record(0x000A, &[]),
            ]
            .concat()
        };
        let globals = globals(globals(0).len());
        let cells = [begin(version), cells.concat(), record(0x000A, &[])].concat();
        compound(&[("Workbook", &[globals, cells].concat())])
    }

    fn shown(version: u16, tokens: &[u8]) -> String {
        let bytes = workbook(version, &[formula(0, 0, 7.0, tokens)]);
        let text = read_with_formulas(&bytes).markdown;
        let line = text.lines().nth(2).unwrap_or_default();
        let formula = line
            .strip_prefix("7 (=")
            .and_then(|it| it.strip_suffix(')'));
        formula.unwrap_or(&text).to_owned()
    }

    /// A reference of Excel 97 to a cell.
    fn cell(token: u8, row: u16, column: u16) -> Vec<u8> {
        [&[token][..], &shorts(&[row, column])].concat()
    }

    #[test]
    fn tokens_become_a_formula() {
        let a1 = cell(0x44, 0, MOVES);
        let fixed = cell(0x24, 4, 2);
        let range = [&[0x25][..], &shorts(&[0, 8, 0x4000, 0x8001])].concat();
        let column = [&[0x25][..], &shorts(&[0, 0xFFFF, MOVES, MOVES])].concat();
        let row = [&[0x25][..], &shorts(&[1, 1, 0, 255])].concat();
        let text = [&[0x17, 4, 0][..], b"a\"b\xE9"].concat();
        let wide = [0x17, 1, 1, 0xAC, 0x20];
        let half = [&[0x1F][..], &0.5_f64.to_le_bytes()].concat();
        for (tokens, expected) in [
            ([&a1[..], &fixed, &[0x03]].concat(), "A1+$C$5"),
            ([&a1[..], &[0x13, 0x14, 0x15]].concat(), "(-A1%)"),
            ([&range[..], &[0x19, 0x10, 0, 0]].concat(), "SUM(A$1:$B9)"),
            ([&column[..], &[0x41, 76, 0]].concat(), "ROWS(A:A)"),
            ([&row[..], &[0x41, 77, 0]].concat(), "COLUMNS($2:$2)"),
            ([&text[..], &wide, &[0x08]].concat(), "\"a\"\"bé\"&\"€\""),
            (
                [&[0x1D, 1][..], &half, &[0x16, 0x42, 3, 1, 0]].concat(),
                "IF(TRUE,0.5,)",
            ),
            (
                [
                    &a1[..],
                    &[0x19, 4, 1, 0, 9, 9, 9, 9, 0x1C, 7, 0x42, 2, 100, 0],
                ]
                .concat(),
                "CHOOSE(A1,#DIV/0!)",
            ),
            (
                [&[0x23, 1, 0, 0, 0][..], &[0x1E, 9, 0, 5]].concat(),
                "Rate*9",
            ),
            (vec![0x3A, 0, 0, 4, 0, 2, 0xC0], "'It''s'!C5"),
            (vec![0x3A, 1, 0, 4, 0, 2, 0xC0], "'Data:It''s'!C5"),
            (vec![0x3A, 3, 0, 4, 0, 2, 0xC0], "'[rest.xls]Far'!C5"),
            (vec![0x2A, 0, 0, 0, 0], "#REF!"),
            (
                vec![0x39, 2, 0, 1, 0, 0, 0, 0x1E, 3, 0, 0x42, 2, 255, 0],
                "EDATUM(3)",
            ),
        ] {
            assert_eq!(shown(0x0600, &tokens), expected);
        }
    }

    #[test]
    fn a_table_of_constants_is_shown() {
        let constants = [
            &[1, 1, 0, 1][..],
            &2.5_f64.to_le_bytes(),
            &[2, 1, 0, 0, b'x', 4, 1, 0, 0, 0, 0, 0, 0, 0],
            &[16, 42, 0, 0, 0, 0, 0, 0, 0],
        ]
        .concat();
        let tokens = [0x60, 0, 0, 0, 0, 0, 0, 0];
        let cells = [formula_with(0, 0, 7.0, &tokens, &constants)];
        let read = read_with_formulas(&workbook(0x0600, &cells));
        let expected = "7 (={2.5,\"x\";TRUE,#N/A})";
        assert!(read.markdown.contains(expected), "{}", read.markdown);
    }

    #[test]
    fn a_formula_that_cells_share_moves_with_them() {
        let same = [&[1][..], &shorts(&[0, 1])].concat();
        // One row up and one column to the left, and a cell that stays.
        let tokens = [
            &[0x4C][..],
            &shorts(&[1, 0xC0FF]),
            &[0x2C],
            &shorts(&[4, 2]),
            &[0x05],
        ]
        .concat();
        let head = [0, 0, 1, 0, 1, 1, 0, 2];
        let count = (tokens.len() as u16).to_le_bytes();
        let cells = [
            formula(0, 1, 3.0, &same),
            record(0x04BC, &[&head[..], &count, &tokens].concat()),
            formula(1, 1, 4.0, &same),
        ];
        let read = read_with_formulas(&workbook(0x0600, &cells));
        let expected = "| 3 (=A2*$C$5) |\n| --- |\n| 4 (=A3*$C$5) |";
        assert!(read.markdown.contains(expected), "{}", read.markdown);
        assert!(!read.warnings.contains(&Warning::FormulasNotRead));
    }

    proptest! {
        #[test]
        fn any_tokens_are_shown_or_told(
            tokens in vec(any::<u8>(), 0..80),
            constants in vec(any::<u8>(), 0..40),
        ) {
            for version in [0x0500, 0x0600] {
                let cells = [formula_with(0, 0, 7.0, &tokens, &constants)];
                let read = read_with_formulas(&workbook(version, &cells));
                assert!(read.markdown.contains('7'));
            }
        }
    }

    #[test]
    fn formulas_of_excel_5_are_narrower() {
        let a1 = [0x44, 0, 0xC0, 0];
        let other = [&[0x3A, 0xFF, 0xFF][..], &[0; 8], &[1, 0, 1, 0], &[4, 0, 2]].concat();
        let text = [0x17, 1, b'x'];
        let tokens = [&a1[..], &other, &[0x03], &text, &[0x08]].concat();
        assert_eq!(shown(0x0500, &tokens), "A1+'It''s'!$C$5&\"x\"");
    }

    #[test]
    fn a_link_is_kept_though_no_formula_is_wanted() {
        let address = b"https://a.example/";
        let tokens = [
            &[0x17, address.len() as u8, 0][..],
            address,
            &[0x1E, 5, 0, 0x42, 2, 0x67, 1],
        ]
        .concat();
        let bytes = workbook(0x0600, &[formula(0, 0, 5.0, &tokens)]);
        let read = read_document(&bytes, &Hint::default()).expect("is read");
        assert!(read.markdown.contains("[5](https://a.example/)"));
        assert!(!read.markdown.contains("HYPERLINK"));
    }

    #[test]
    fn a_formula_that_cannot_be_read_is_told_and_costs_only_itself() {
        for tokens in [
            &[0x18, 1][..],
            &[0x03],
            &[0x41, 53, 0],
            &[0x23, 9, 0, 0, 0],
            &[],
        ] {
            let cells = [
                formula(0, 0, 7.0, tokens),
                formula(1, 0, 8.0, &[0x1E, 8, 0]),
            ];
            let read = read_with_formulas(&workbook(0x0600, &cells));
            assert!(read.markdown.contains("| 7 |\n| --- |\n| 8 (=8) |"));
            assert_eq!(read.warnings, [Warning::FormulasNotRead]);
        }
    }
}

mod xlsb {
    use super::*;

    fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        let kind = if kind < 0x80 {
            vec![kind as u8]
        } else {
            vec![(kind & 0x7F) as u8 | 0x80, (kind >> 7) as u8]
        };
        [&kind[..], &[data.len() as u8], data].concat()
    }

    fn text(text: &str) -> Vec<u8> {
        let units: Vec<u16> = text.encode_utf16().collect();
        [longs(&[units.len() as u32]), shorts(&units)].concat()
    }

    /// A formula whose result is the number.
    fn formula(column: u32, result: f64, tokens: &[u8], more: &[u8]) -> Vec<u8> {
        let head = [longs(&[column, 0]), result.to_le_bytes().to_vec()].concat();
        let tokens = [&longs(&[tokens.len() as u32])[..], tokens].concat();
        let more = [&longs(&[more.len() as u32])[..], more].concat();
        record(9, &[head, vec![0, 0], tokens, more].concat())
    }

    fn workbook(cells: &[Vec<u8>]) -> Vec<u8> {
        let sheet = |name: &str| record(156, &[longs(&[0, 1]), text("r1"), text(name)].concat());
        let book = [
            sheet("Data"),
            sheet("Two words"),
            record(357, &[]),
            record(362, &longs(&[1, 0, 1, 1])),
            record(
                39,
                &[longs(&[0]), vec![0], longs(&[0]), text("Rate")].concat(),
            ),
        ]
        .concat();
        let relations = r#"<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.bin"/></Relationships>"#;
        zip(&[
            ("[Content_Types].xml", b"<Types/>"),
            ("xl/workbook.bin", &book),
            ("xl/_rels/workbook.bin.rels", relations.as_bytes()),
            ("xl/worksheets/sheet1.bin", &cells.concat()),
        ])
    }

    #[test]
    fn formulas_are_shown_on_request() {
        let reference = [&[0x44][..], &longs(&[0]), &shorts(&[MOVES])].concat();
        let other = [&[0x3A][..], &shorts(&[0]), &longs(&[4]), &shorts(&[2])].concat();
        let words = [&[0x17][..], &shorts(&[1, u16::from(b'x')])].concat();
        let table = [
            longs(&[1, 2]),
            vec![0],
            0.5_f64.to_le_bytes().to_vec(),
            vec![1, 1, 0, b'y', 0],
        ]
        .concat();
        let cells = [
            record(0, &longs(&[0])),
            formula(0, 1.0, &[&reference[..], &other, &[0x03]].concat(), &[]),
            formula(
                1,
                2.0,
                &[&words[..], &[0x23, 1, 0, 0, 0, 0x08]].concat(),
                &[],
            ),
            formula(2, 3.0, &[&[0x60][..], &[0; 14]].concat(), &table),
        ];
        let bytes = workbook(&cells);
        let read = read_with_formulas(&bytes);
        let expected = "| 1 (=A1+'Two words'!$C$5) | 2 (=\"x\"&Rate) | 3 (={0.5,\"y\"}) |";
        assert!(read.markdown.contains(expected), "{}", read.markdown);
        let read = read_document(&bytes, &Hint::default()).expect("is read");
        assert!(read.markdown.contains("| 1 | 2 | 3 |"), "{}", read.markdown);
    }

    proptest! {
        #[test]
        fn any_tokens_are_shown_or_told(
            tokens in vec(any::<u8>(), 0..60),
            constants in vec(any::<u8>(), 0..30),
        ) {
            let cells = [record(0, &longs(&[0])), formula(0, 7.0, &tokens, &constants)];
            let read = read_with_formulas(&workbook(&cells));
            assert!(read.markdown.contains('7'));
        }
    }

    #[test]
    fn a_formula_that_cells_share_moves_with_them() {
        let same = [&[1][..], &longs(&[0])].concat();
        // One row up.
        let tokens = [&[0x4C][..], &longs(&[u32::MAX]), &shorts(&[MOVES])].concat();
        let range = longs(&[0, 1, 0, 0]);
        let shared = [&range[..], &longs(&[tokens.len() as u32]), &tokens].concat();
        let cells = [
            record(0, &longs(&[0])),
            formula(0, 1.0, &same, &longs(&[0])),
            record(427, &shared),
            record(0, &longs(&[1])),
            formula(0, 2.0, &same, &longs(&[0])),
        ];
        let read = read_with_formulas(&workbook(&cells));
        let expected = "| 1 (=A1048576) |\n| --- |\n| 2 (=A1) |";
        assert!(read.markdown.contains(expected), "{}", read.markdown);
    }
}
