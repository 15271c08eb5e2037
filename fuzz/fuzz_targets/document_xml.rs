//! Reads XML and feeds of any shape: never panics, and entities never expand.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reading::document::{Hint, Limits, read_document_within};

fuzz_target!(|text: &str| {
    let hint = Hint {
        media_type: Some("application/xml".to_owned()),
        ..Hint::default()
    };
    for root in ["<a>", "<rss><channel><item><description>", "<feed>"] {
        let xml = format!("{root}{text}");
        if let Ok(document) = read_document_within(xml.as_bytes(), &hint, Limits::default()) {
            // An outline adds indentation and end tags, and nothing else makes it longer.
            assert!(
                document.markdown.len() <= 1_000 + 200 * xml.len(),
                "{} bytes from {}",
                document.markdown.len(),
                xml.len()
            );
        }
    }
});
