//! A quoted text that follows a quoted name or a lookup: a pair, a default, the answer to a prompt.

use super::{Joined, Joint, skip_blanks};
use crate::extent;
use crate::neighbour;
use crate::text::{Text, is_space, is_word};

/// The default in `process.env.API_KEY || '…'`.
pub(super) fn fallback(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = skip_blanks(text, index);
    extent::is_mark(text, at).then_some(Joined {
        joint: Joint::Pair,
        at,
    })
}

/// The answer to a quoted prompt, as in `expect "Password:" send "…"`. `None` if this is no prompt,
/// `Some(None)` if no answer follows, in which case there is no value.
pub(super) fn prompt(text: Text<'_>, stem: usize, colon: usize) -> Option<Option<Joined>> {
    let past = text.run(colon + 1, 2, |byte| matches!(byte, b' ' | b'*'));
    let quote = text.at(past);
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let open = text.run_back(stem, 64, |byte| {
        byte != quote && byte != b'\n' && byte != b','
    });
    let asked = text.before(open) == quote
        && (text.at(open).is_ascii_alphabetic() || matches!(text.at(open), b'*' | b'(' | b'['));
    let closed_before = open >= 2 && (is_word(text.at(open - 2)) || text.at(open - 2) == b':');
    if !asked || closed_before {
        return None;
    }
    Some(answer(text, past + 1))
}

pub(crate) fn answer(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 32, |byte| {
        is_space(byte) || matches!(byte, b';' | b'{' | b')' | b',')
    });
    let said = [
        "send -- ",
        "send ",
        "sendline(",
        "exp_send ",
        "child.sendline(",
        "-> ",
        "=> ",
    ]
    .iter()
    .find(|word| text.starts_with(at, word));
    let at = at + said.map_or(0, |word| word.len());
    (extent::is_mark(text, at)).then_some(Joined {
        joint: Joint::Pair,
        at,
    })
}

/// The second of two quoted texts: `"password", "…"`.
pub(super) fn pair(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 16, is_space);
    let at = if text.at(at) == b'b' { at + 1 } else { at };
    let joined = Joined {
        joint: Joint::Pair,
        at,
    };
    (extent::is_mark(text, at) && neighbour::next(text, index).is_none()).then_some(joined)
}
