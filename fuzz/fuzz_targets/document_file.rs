//! Reads a whole file of any format, with the formulas of workbooks: never panics, and
//! stays within the limits. Its corpus is best begun with real files, because nothing is added to the
//! input: `cp FILES fuzz/corpus/document_file/`.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use reading::document::{Hint, Limits, read_document_within};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits {
        time: Duration::from_secs(2),
        text: 1_000_000,
        unpacked: 10_000_000,
        part: 5_000_000,
        ..Limits::default()
    };
    let hint = Hint {
        formulas: true,
        ..Hint::default()
    };
    if let Ok(document) = read_document_within(bytes, &hint, limits) {
        assert!(document.markdown.len() <= limits.text);
    }
});
