//! Any bytes as a page: decoding and extraction never panic, and what comes out is bounded by what
//! went in.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reading::extract::{charset, markdown};

const CHARSETS: [Option<&str>; 6] = [
    None,
    None,
    Some("utf-8"),
    Some("iso-8859-1"),
    Some("utf-16le"),
    Some("shift_jis"),
];

/// As much as the product gives the thread that does this.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Markdown repeats a list's indentation on each line, so text may grow with depth; this is far
/// beyond any page.
const MOST: usize = 16 * 1024 * 1024;

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, body) = input;
    let declared = CHARSETS[usize::from(choice) % CHARSETS.len()];
    let decoded = charset::decode(body, declared);
    // Now and then the same markup many times over: that is how pages get deep.
    let times = if choice >= 224 {
        (64 * 1024 / decoded.text.len().max(1)).clamp(1, 2_000)
    } else {
        1
    };
    let html = decoded.text.repeat(times);

    let extraction = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || markdown(&html, "https://a.example/dir/page"));
    let page = extraction
        .expect("a thread")
        .join()
        .expect("extraction must not panic");
    assert!(
        page.markdown.len() <= MOST,
        "{} bytes of Markdown",
        page.markdown.len()
    );
});
