//! Masking any address: never panics, loses the password, and what is shown still parses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mask::Masker;
use url::Url;

fuzz_target!(|text: &str| {
    let Ok(url) = Url::parse(text) else { return };
    let shown = Masker::default().mask_url(&url);
    if url.host_str().is_some() {
        assert!(Url::parse(&shown).is_ok(), "{shown} is no address any more");
    }
    if let Some(password) = url
        .password()
        .filter(|password| password.len() > 3 && !password.contains('*'))
    {
        assert!(
            !shown.contains(&format!(":{password}@")),
            "the password survived in {shown}"
        );
    }
});
