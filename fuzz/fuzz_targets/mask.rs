//! Masking any text: never panics, settles after one call, and no configured secret survives.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mask::Masker;

fuzz_target!(|input: (String, String)| {
    let (text, secret) = input;
    let once = Masker::default().mask(&text).into_owned();
    assert_eq!(
        Masker::default().mask(&once),
        once,
        "masking twice differs from masking once"
    );

    let secret = secret.trim();
    if secret.is_empty() || secret.contains('*') {
        return;
    }
    let masked = Masker::new([secret])
        .mask(&format!("{text}{secret}{text}"))
        .into_owned();
    assert!(!masked.contains(secret), "the configured secret survived");
});
