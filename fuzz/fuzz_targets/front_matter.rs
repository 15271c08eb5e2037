//! Any file: no panic, and what is read has a legal id.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patterns::library::parse;

fuzz_target!(|text: String| {
    if let Ok(pattern) = parse(&text) {
        let is_legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(!pattern.id.is_empty() && pattern.id.bytes().all(is_legal));
        assert!(!pattern.body.is_empty());
    }
});
