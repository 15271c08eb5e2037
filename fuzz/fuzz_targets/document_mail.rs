//! Reads messages of any content, and any compound file: never panics, and stays within the limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reading::document::{Hint, Limits, read_document_within};

fuzz_target!(|input: (bool, Option<&str>, &[u8])| {
    let (is_outlook, part, bytes) = input;
    let start: &[u8] = if is_outlook {
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"
    } else {
        b"From: a@a.example\nMIME-Version: 1.0\nContent-Type: "
    };
    let hint = Hint {
        part: part.map(str::to_owned),
        ..Hint::default()
    };
    let limits = Limits {
        text: 1_000_000,
        unpacked: 10_000_000,
        ..Limits::default()
    };
    if let Ok(document) = read_document_within(&[start, bytes].concat(), &hint, limits) {
        assert!(document.markdown.len() <= limits.text);
    }
});
