//! Any sentence with gaps: parsing loses no character, and a value is never read as a template.
#![no_main]

use fault::template::{Part, Piece, fill_any, parse};
use libfuzzer_sys::fuzz_target;

fn written(parts: &[Part<'_>]) -> String {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Words(words) => (*words).to_owned(),
        Piece::Gap(name) => format!("{{{name}}}"),
    };
    let part = |part: &Part<'_>| {
        let inside: String = part.pieces.iter().map(piece).collect();
        if part.optional {
            format!("[{inside}]")
        } else {
            inside
        }
    };
    parts.iter().map(part).collect()
}

fuzz_target!(|input: (String, String)| {
    let (template, value) = input;
    assert_eq!(
        written(&parse(&template)),
        template,
        "a template must be the sum of its parts"
    );

    let gaps = parse(&template)
        .iter()
        .flat_map(|part| &part.pieces)
        .filter(|piece| matches!(piece, Piece::Gap(_)))
        .count();
    let empty = fill_any(&template, |_| Some(String::new()));
    let filled = fill_any(&template, |_| Some(value.clone()));
    assert_eq!(
        filled.len(),
        empty.len() + gaps * value.len(),
        "each gap takes the value once, as it stands"
    );

    let bare = fill_any(&template, |_| None);
    assert!(bare.len() <= empty.len(), "a missing value adds nothing");
});
