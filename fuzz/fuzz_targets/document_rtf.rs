//! Reads rich text of any control words: never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reading::document::{Hint, Limits, read_document_within};

fuzz_target!(|bytes: &[u8]| {
    let rtf = [b"{\\rtf1 ", bytes].concat();
    let _ = read_document_within(&rtf, &Hint::default(), Limits::default());
});
