//! How fast clean text passes the masker: `cargo bench -p mask --bench mask` prints megabytes per
//! second.
//!
//! The texts are full of the words that make a masker look twice ("key", "token", "password"),
//! because documentation is what this server reads. Hostile texts follow: their rate must not fall
//! with their size.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use mask::Masker;

const PROSE: &str = "The access token is sent in the Authorization header. A key witness passed the security check, and the author of the report signed \
it with great care; the design of the study was sound. Each session lasted 45 minutes, the password policy was reviewed in 2023, and the \
cookies on the table were gone. In the meantime the committee, whose members had come from 12 countries, discussed the budget, the weather, and the trains.\n";

const HTML: &str = "<li class=\"nav-item\" data-key=\"row-12\"><a href=\"https://example.com/docs/tokens?page=2&amp;sort=key\" rel=\"author\">API keys</a></li>\n\
<p>Set <code>max_tokens</code> to 4096; the <em>primary key</em> is <code>id</code>. <span class=\"token punctuation\">;</span></p>\n\
<script src=\"/static/main.8f3a2b1c.chunk.js\" integrity=\"sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K\"></script>\n";

const JSON: &str = "{\"id\":\"123e4567-e89b-12d3-a456-426614174000\",\"key\":\"user.profile\",\"title\":\"How tokens work\",\"token_type\":\"Bearer\",\"usage\":{\"prompt_tokens\":812,\
\"total_tokens\":1024},\"author\":\"Jane Smith\",\"url\":\"https://example.com/a/b?page=3\",\"passed\":true,\"password\":null},\n";

fn rate(masker: &Masker, name: &str, text: &str) {
    // The best of many short runs: other work on the machine cannot make a run faster than it is.
    let mut best = 0.0_f64;
    for _ in 0..(40_000_000 / text.len()).clamp(3, 200) {
        let start = Instant::now();
        black_box(masker.mask(black_box(text)));
        best = best.max(text.len() as f64 / start.elapsed().as_secs_f64() / 1e6);
    }
    println!("{name:<28} {:>8.1} MB/s", best);
}

fn main() {
    let plain = Masker::default();
    let configured = Masker::new([
        "correct-horse-battery-staple",
        "another-configured-secret-1",
        "third-secret-value-2",
    ]);
    for (name, sample) in [("prose", PROSE), ("html", HTML), ("json", JSON)] {
        let text = sample.repeat(250_000 / sample.len());
        assert_eq!(plain.mask(&text), text, "{name} must be clean");
        rate(&plain, name, &text);
        rate(&configured, &format!("{name}, 3 secrets"), &text);
    }
    for hostile in [
        "key=",
        "eyJ",
        "://",
        "-----BEGIN",
        "Bearer ",
        "password: ",
        "a:b@",
        "curl -u ",
        "token=\"",
    ] {
        for size in [500_000, 5_000_000] {
            rate(
                &plain,
                &format!("{hostile:?} x {size}"),
                &hostile.repeat(size / hostile.len()),
            );
        }
    }
}
