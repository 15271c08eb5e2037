//! Reads any bytes with any file name: never panics, and stays within the limits.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use reading::document::{Hint, Limits, read_document_within};

fuzz_target!(|input: (Option<&str>, &[u8])| {
    let (name, bytes) = input;
    let limits = Limits {
        time: Duration::from_secs(2),
        text: 1_000_000,
        unpacked: 10_000_000,
        part: 5_000_000,
        ..Limits::default()
    };
    let hint = Hint {
        file_name: name.map(str::to_owned),
        ..Hint::default()
    };
    if let Ok(document) = read_document_within(bytes, &hint, limits) {
        assert!(
            document.markdown.len() <= limits.text,
            "{} bytes of Markdown",
            document.markdown.len()
        );
    }
});
