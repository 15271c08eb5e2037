//! Any page with any status: judging never panics, agrees with itself, and a long text is never
//! taken for a fault.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use reading::detect::{Answer, Verdict, judge_page};
use url::Url;

static ADDRESS: LazyLock<Url> =
    LazyLock::new(|| Url::parse("https://site.example/archive/story.html").expect("an address"));
/// Three thousand words that name no failure.
static PROSE: LazyLock<String> = LazyLock::new(|| {
    "<p>The miller's house stands where the stream leaves the wood.</p>\n".repeat(300)
});

fn verdict(status: u16, html: &str) -> Verdict {
    judge_page(&Answer {
        status,
        header: &|_| None,
        requested: &ADDRESS,
        final_url: &ADDRESS,
        html,
        main_text: "",
        title: None,
    })
}

fuzz_target!(|input: (u16, &[u8])| {
    let (status, bytes) = (100 + input.0 % 500, input.1);
    let html = String::from_utf8_lossy(bytes);
    let first = verdict(status, &html);
    assert!(first.evidence().len() < 60);
    assert_eq!(first, verdict(status, &html));
    let long = format!("<html><body>{}{html}", *PROSE);
    assert!(
        !matches!(verdict(200, &long), Verdict::Fault { .. }),
        "a long text is content"
    );
});
