//! Keys that are recognised by a mark in their middle or at their end, with as many characters around
//! it as the provider puts there.

use super::text::{Span, Text, is_alphanumeric, is_ascii_word, is_base64};

/// One row per mark.
#[derive(Clone, Copy, Debug)]
pub(super) struct Middle {
    pub(super) mark: &'static str,
    /// How the key begins; empty if anything may stand there.
    head: &'static str,
    /// How many characters stand before the mark, at least and at most.
    before: (usize, usize),
    /// How many stand after it, at least and at most.
    after: (usize, usize),
}

const fn middle(
    mark: &'static str,
    head: &'static str,
    before: (usize, usize),
    after: (usize, usize),
) -> Middle {
    Middle {
        mark,
        head,
        before,
        after,
    }
}

pub(super) const MIDDLES: &[Middle] = &[
    // Azure DevOps and other services of Azure.
    middle("JQQJ9", "", (40, 60), (16, 60)),
    // Licence keys of New Relic.
    middle("NRAL", "", (36, 36), (0, 0)),
    // Tokens with which nodes join a cluster of k3s.
    middle("::server:", "K10", (60, 72), (16, 40)),
    // Sessions of Salesforce: the id of an organisation before a token.
    middle("!A", "00D", (12, 18), (60, 160)),
];

/// The key around the mark at `at`.
pub(super) fn around(text: Text<'_>, middle: &Middle, at: usize) -> Option<Span> {
    let (fewest, most) = middle.before;
    let start = text.run_back(at, most + 1, is_alphanumeric);
    let end = at + middle.mark.len();
    let last = text.run(end, middle.after.1 + 1, |byte| {
        is_base64(byte) || matches!(byte, b'.' | b'_' | b'-')
    });
    let fits = (fewest..=most).contains(&(at - start))
        && (middle.after.0..=middle.after.1).contains(&(last - end))
        && !is_ascii_word(text.before(start));
    let made = text.bytes[start..last].iter().any(u8::is_ascii_digit);
    let begins = text.bytes[start..].starts_with(middle.head.as_bytes());
    (fits && made && begins).then_some(start..last)
}
