//! Opens archives, signed files, saved pages, books and pictures of any content: never panics, and
//! stays within the limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reading::document::{Hint, Limits, read_document_within};

/// What these formats begin with.
const STARTS: &[&[u8]] = &[
    b"PK\x03\x04",
    b"\x1F\x8B\x08",
    b"bplist00",
    b"\x30\x80\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02",
    b"\x89PNG\r\n\x1A\n",
    b"\xFF\xD8\xFF\xE1",
    b"II*\0",
];

fuzz_target!(|input: (usize, Option<&str>, &[u8])| {
    let (start, part, bytes) = input;
    let mut file = [STARTS[start % STARTS.len()], bytes].concat();
    // Books and TAR archives have their marks further on.
    if let Some(mark) = file.get_mut(60..68).filter(|_| start % 11 == 0) {
        mark.copy_from_slice(b"BOOKMOBI");
    }
    if let Some(mark) = file.get_mut(257..262).filter(|_| start % 13 == 0) {
        mark.copy_from_slice(b"ustar");
    }
    let hint = Hint {
        part: part.map(str::to_owned),
        ..Hint::default()
    };
    let limits = Limits {
        text: 1_000_000,
        unpacked: 10_000_000,
        part: 5_000_000,
        ..Limits::default()
    };
    if let Ok(document) = read_document_within(&file, &hint, limits) {
        assert!(document.markdown.len() <= limits.text);
        let parts = document.parts.iter().filter_map(|part| part.start);
        assert!(parts.max().is_none_or(|start| start <= document.markdown.len()));
    }
});
