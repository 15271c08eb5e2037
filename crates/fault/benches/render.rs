//! How many failures a second can be told: `cargo bench -p fault --bench render`.
//!
//! Every case of the catalogue with every fact set, which is more than a real fault ever has.
//! Masked means as it leaves the server: each text and the structured form go through the masker
//! too.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/it/sample.rs"]
mod sample;

use std::{hint::black_box, time::Instant};

use fault::{Case, Dialect, Fault, IssueLink, Reply, render};
use mask::Masker;

const ROUNDS: usize = 200;

fn rate(name: &str, faults: &[Fault], telling: impl Fn(&Fault) -> Reply) {
    let mut best = 0.0_f64;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..ROUNDS {
            for fault in faults {
                black_box(telling(black_box(fault)));
            }
        }
        best = best.max((ROUNDS * faults.len()) as f64 / start.elapsed().as_secs_f64());
    }
    println!("{name:<28} {best:>8.0} faults/s");
}

fn masked(mut reply: Reply, masker: &Masker) -> Reply {
    for block in &mut reply.blocks {
        block.text = masker.mask(&block.text).into_owned();
    }
    reply
        .structured
        .iter_mut()
        .for_each(|value| masker.mask_json(value));
    reply
}

fn main() {
    let link = IssueLink::parse("https://example.com/issues").unwrap();
    let context = sample::context(&link);
    let faults: Vec<Fault> = Case::ALL.iter().map(|case| sample::full(*case)).collect();
    let masker = Masker::new(["correct-horse-battery-staple"]);
    for dialect in Dialect::ALL {
        rate(&format!("every case in {dialect}"), &faults, |fault| {
            render(fault, *dialect, &context)
        });
    }
    rate("every case in dual, masked", &faults, |fault| {
        masked(render(fault, Dialect::Dual, &context), &masker)
    });
}
