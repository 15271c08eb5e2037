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

mod samples;

use samples::{SAMPLES, filled};

/// Only the texts whose name contains the argument, if there is one.
fn is_wanted(name: &str) -> bool {
    let mut wanted = std::env::args().skip(1).filter(|it| !it.starts_with('-'));
    wanted.next().is_none_or(|wanted| name.contains(&wanted))
}

fn rate(masker: &Masker, name: &str, text: &str) {
    if !is_wanted(name) {
        return;
    }
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
    for (name, template) in SAMPLES {
        let text = filled(template, 250_000);
        assert_eq!(plain.mask(&text), text, "{name} must be clean");
        rate(&plain, name, &text);
        if *name == "json" {
            rate(&configured, &format!("{name}, 3 secrets"), &text);
        }
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
