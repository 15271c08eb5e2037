//! No text makes the recognisers read far again and again.

use super::*;
use crate::text::work_of;

/// How many bytes the recognisers read of a piece repeated to a size.
fn work(piece: &str, size: usize) -> usize {
    let text = piece.repeat(size / piece.len() + 1);
    work_of(|| find(Text::new(&text), &mut Vec::new()))
}

/// Longer than what any recogniser reads ahead or back, so that a bound shows.
const SMALL: usize = 12_000;

/// What follows a literal in hostile text; each literal meets one of them.
const SEPARATORS: &[&str] = &[
    "", "-", "\"", " ", "=", "\\\"", ": ", ",", "\n", "%22", "\\u0022", "(", "=\"", "<", "[",
];

fn check(piece: &str) {
    let (small, large) = (work(piece, SMALL), work(piece, 2 * SMALL));
    assert!(
        large <= small * 5 / 2 + 20_000,
        "{piece:?}: {small} bytes read, then {large}"
    );
}

/// Repeats every literal of the table: twice the text must be twice the work. The work is
/// counted and not timed, so a busy machine changes nothing.
#[test]
fn no_trigger_reads_far_again_and_again() {
    for (index, (literal, _)) in trigger_table().iter().enumerate() {
        check(&format!(
            "{literal}{}",
            SEPARATORS[index % SEPARATORS.len()]
        ));
    }
}

#[test]
fn no_separator_makes_a_name_read_far() {
    for name in [
        "key",
        "password",
        "\"token\"",
        "--secret",
        "Cookie",
        "api_key",
    ] {
        for separator in SEPARATORS {
            check(&format!("{name}{separator}"));
            check(&format!("{separator}{name}"));
        }
    }
}

/// Pieces in which names, escapes, brackets and lines that never close meet.
#[test]
fn no_mixture_is_read_far() {
    for piece in [
        "key=\"",
        "key: {\"a\":",
        "(token, ",
        "<key ",
        "| key |\n",
        "key\n---\n",
        "%22key%22%3A",
        "\\\"key\\\":",
        "\u{1b}[1mkey",
        "password for a.b",
        "x1 as the key, ",
        "\"x\" == key ",
        "kind: Secret data:\n",
        "{\"kty\":\"",
        "Cookie: a=b; ",
        "-----BEGIN PRIVATE KEY-----",
        "INSERT INTO t (key, ",
        "echo a > key ",
        "key <<EOF\n",
        "1) \"key\"\n",
    ] {
        check(piece);
    }
}
