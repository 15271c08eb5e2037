//! Workbooks of Excel 2 to 4, which are records without a compound file around them.

use reading::document::{DocumentKind, Hint, read_document};

fn record(kind: u16, data: &[&[u8]]) -> Vec<u8> {
    let data = data.concat();
    let head = [kind, data.len() as u16].map(u16::to_le_bytes).concat();
    [head, data].concat()
}

fn shorts(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|it| it.to_le_bytes()).collect()
}

/// A sheet of Excel 4 with a text, a date, a formula that results in a text, and a note.
fn excel_4() -> Vec<u8> {
    [
        record(0x0409, &[&shorts(&[0x0400, 0x0010, 0])]),
        record(0x0042, &[&shorts(&[1252])]),
        record(0x041E, &[&shorts(&[0]), &[7], b"General"]),
        record(0x041E, &[&shorts(&[0]), &[10], b"yyyy-mm-dd"]),
        record(0x0443, &[&[0; 12]]),
        record(0x0443, &[&[0, 1], &[0; 10]]),
        record(0x0204, &[&shorts(&[0, 0, 0, 4]), b"D\xFCne"]),
        record(0x0203, &[&shorts(&[0, 1, 1]), &45_292_f64.to_le_bytes()]),
        record(
            0x0406,
            &[
                &shorts(&[1, 0, 0]),
                &[0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
                &[0; 4],
            ],
        ),
        record(0x0207, &[&shorts(&[5]), b"joint"]),
        record(0x001C, &[&shorts(&[1, 0, 5]), b"Check"]),
        record(0x000A, &[]),
    ]
    .concat()
}

/// A sheet of Excel 2, whose cells state their own format.
fn excel_2() -> Vec<u8> {
    [
        record(0x0009, &[&shorts(&[2, 0x0010])]),
        record(0x0004, &[&shorts(&[0, 0]), &[0, 0, 0], &[4], b"tide"]),
        record(0x0002, &[&shorts(&[0, 1]), &[0, 0, 0], &shorts(&[7])]),
        record(0x000A, &[]),
    ]
    .concat()
}

#[test]
fn workbooks_of_the_first_versions_are_read() {
    for (bytes, expected) in [
        (
            excel_4(),
            "## Sheet1\n\n| Düne | 2024-01-01 |\n| --- | --- |\n| joint |  |\n\nComments:\n\n- A2: Check",
        ),
        (excel_2(), "## Sheet1\n\n| tide | 7 |\n| --- | --- |"),
    ] {
        let hint = Hint {
            file_name: Some("tides.xls".to_owned()),
            ..Hint::default()
        };
        let read = read_document(&bytes, &hint).expect("is read");
        assert_eq!(read.markdown, expected);
        assert_eq!(
            (read.kind, read.pages, read.warnings),
            (DocumentKind::XLS, Some(1), vec![])
        );
    }
}

#[test]
fn a_damaged_one_ends() {
    for bytes in [excel_4(), excel_2()] {
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            let _ = read_document(&damaged, &Hint::default());
            let _ = read_document(&bytes[..at], &Hint::default());
        }
    }
}
