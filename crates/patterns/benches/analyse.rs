//! How fast sources are analysed with all rules: `cargo bench -p patterns --bench analyse`.
//!
//! The sources are the fixtures of a language, one after the other: code in which nearly every line
//! is of interest to some rule, which is slower than code that people write.
#![allow(clippy::print_stdout)]

use std::{fs, hint::black_box, path::Path, time::Instant};

use patterns::analysis::{Config, Language, MAX_PAYLOAD, analyse};

fn main() {
    for language in Language::ALL {
        let extension = language.extensions()[0];
        let mut text = String::new();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let mut rules: Vec<_> = fs::read_dir(fixtures)
            .expect("the fixtures")
            .flatten()
            .collect();
        rules.sort_by_key(|rule| rule.path());
        for rule in rules {
            for which in ["bad", "good"] {
                let path = rule.path().join(format!("{which}.{extension}"));
                text.push_str(&fs::read_to_string(path).unwrap_or_default());
            }
        }
        let text = text.repeat(MAX_PAYLOAD / text.len());
        let mut best = 0.0_f64;
        for _ in 0..5 {
            let start = Instant::now();
            let analysis = analyse(
                &format!("a.{extension}"),
                black_box(&text),
                &Config::default(),
            );
            let _ = black_box(analysis);
            best = best.max(text.len() as f64 / 1e6 / start.elapsed().as_secs_f64());
        }
        println!("{:<28} {best:>8.1} MB/s", language.as_str());
    }
}
