//! Reads Office, OpenDocument and EPUB files whose parts are any XML, in a valid archive: never
//! panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reading::document::{Hint, Limits, read_document_within};

/// The archives that are made: the name of each part, and the text before the fuzzed text.
const SHAPES: &[&[(&str, &str)]] = &[
    &[
        ("word/document.xml", "<d><body>"),
        ("word/styles.xml", "<s>"),
        ("word/numbering.xml", "<n>"),
        ("word/footnotes.xml", "<f>"),
    ],
    &[
        (
            "xl/workbook.xml",
            "<w><sheets><sheet name='s' r:id='r'/></sheets>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            "<r><Relationship Id='r' Target='s.xml'/>",
        ),
        ("xl/s.xml", "<w><sheetData>"),
        ("xl/styles.xml", "<s>"),
    ],
    &[
        (
            "ppt/presentation.xml",
            "<p><sldIdLst><sldId r:id='r'/></sldIdLst>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            "<r><Relationship Id='r' Target='s.xml'/>",
        ),
        ("ppt/s.xml", "<s><spTree>"),
    ],
    &[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", "<d><body><text>"),
    ],
    &[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", "<d><body><s><table>"),
    ],
    &[
        ("META-INF/container.xml", "<c><rootfile full-path='b.opf'/>"),
        (
            "b.opf",
            "<p><manifest><item id='a' href='a.x'/></manifest><spine><itemref idref='a'/></spine>",
        ),
        ("a.x", "<html><body>"),
    ],
];

fuzz_target!(|input: (u8, Vec<String>)| {
    let (shape, texts) = input;
    let parts = SHAPES[usize::from(shape) % SHAPES.len()];
    let entries = parts.iter().enumerate().map(|(index, (name, start))| {
        let text = if *name == "mimetype" {
            ""
        } else {
            texts.get(index).map_or("", String::as_str)
        };
        (*name, format!("{start}{text}"))
    });
    let _ = read_document_within(
        &stored(&entries.collect::<Vec<_>>()),
        &Hint::default(),
        Limits::default(),
    );
});

/// A ZIP archive whose entries are not compressed.
fn stored(entries: &[(&str, String)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in entries {
        let offset = archive.len() as u32;
        let mut shared = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        shared.extend((content.len() as u32).to_le_bytes());
        shared.extend((content.len() as u32).to_le_bytes());
        shared.extend((name.len() as u16).to_le_bytes());
        shared.extend([0, 0]);
        archive.extend(
            [
                b"PK\x03\x04",
                shared.as_slice(),
                name.as_bytes(),
                content.as_bytes(),
            ]
            .concat(),
        );
        directory.extend(
            [
                b"PK\x01\x02\x14\x00",
                shared.as_slice(),
                &[0; 10],
                &offset.to_le_bytes(),
                name.as_bytes(),
            ]
            .concat(),
        );
    }
    let (count, size, start) = (
        entries.len() as u16,
        directory.len() as u32,
        archive.len() as u32,
    );
    archive.extend(&directory);
    archive.extend(
        [
            b"PK\x05\x06\0\0\0\0",
            &count.to_le_bytes()[..],
            &count.to_le_bytes(),
            &size.to_le_bytes(),
            &start.to_le_bytes(),
            &[0, 0],
        ]
        .concat(),
    );
    archive
}
