//! Any source: no panic, unique ids, and edits that stay inside the text.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use patterns::analysis::{Config, Finding, Language, analyse, apply_edits};

fuzz_target!(|input: (u8, String)| {
    let (choice, text) = input;
    let language = Language::ALL[usize::from(choice) % Language::ALL.len()];
    let name = format!("a.{}", language.extensions()[0]);
    let Ok(analysis) = analyse(&name, &text, &Config::default()) else {
        return;
    };
    let ids: BTreeSet<String> = analysis.findings.iter().map(Finding::id).collect();
    assert_eq!(ids.len(), analysis.findings.len(), "ids are unique");
    let edits: Vec<_> = analysis.findings.into_iter().flat_map(|it| it.edits).collect();
    assert!(edits.iter().all(|edit| text.get(edit.bytes.clone()).is_some()));
    let _ = apply_edits(&text, &edits);
});
