//! Mnemonics: the words of a wallet or a recovery phrase.

use crate::extent::Value;
use crate::join::{Joined, Joint};
use crate::name::Sense;
use crate::text::{Span, Text, is_blank, is_space, is_word};
use crate::value;

/// The longest passphrase of words, in bytes.
const LONGEST_PHRASE: usize = 100;

/// A mnemonic: several plain words in a row. The words of wallets have three to eight letters;
/// sentences contain shorter ones.
pub(super) fn phrase(text: Text<'_>, joined: &Joined, found: &Value) -> Option<Span> {
    let limit = if found.quoted { found.span.len() } else { 400 };
    let start = found.span.start;
    let mut words = 0;
    let mut known = 0;
    let mut end = start;
    let mut at = start;
    while at < start + limit && words < 24 {
        // Skips numbers before the words (`1. ripple 2. scissors`) and separators.
        let word = text.run(at, 12, |byte| {
            byte.is_ascii_digit()
                || is_space(byte)
                || matches!(byte, b'.' | b')' | b',' | b'-' | b':')
        });
        if words >= 12 && text.bytes[at..word].contains(&b'\n') {
            break;
        }
        let next = text.run(word, 12, |byte| byte.is_ascii_lowercase());
        if !(3..=8).contains(&(next - word))
            || is_word(text.at(next))
            || text.at(next) == b'\''
            || next > start + limit
        {
            break;
        }
        known += usize::from(value::is_sentence_word(text.slice(word..next)));
        words += 1;
        (at, end) = (next, next);
    }
    let whole = if found.quoted {
        end == found.span.end
    } else {
        !is_blank(text.at(end)) || !text.at(end + 1).is_ascii_alphabetic()
    };
    let enough = if found.quoted { 3 } else { 4 };
    let joins = !matches!(joined.joint, Joint::Blank) || found.quoted;
    (joins && (words >= 12 || words >= enough && whole && known == 0)).then_some(start..end)
}

/// Four words or more in the place of a password, `sae_password=biscuit liverpool sunshine otter`:
/// in quotation marks or to the end of the line, and none of them tells anything.
pub(super) fn words_alone(
    text: Text<'_>,
    sense: Sense,
    joint: Joint,
    found: &Value,
) -> Option<Span> {
    let named = match joint {
        Joint::Assign | Joint::Colon | Joint::Flag | Joint::Markup => {
            matches!(sense, Sense::Password | Sense::Pass | Sense::Credential)
        }
        Joint::Blank | Joint::Pair => sense == Sense::Password,
        _ => false,
    };
    let start = found.span.start;
    if !named
        || !text.at(start).is_ascii_lowercase()
        || !found.quoted && text.at(found.span.end) != b' '
    {
        return None;
    }
    let end = match found.quoted {
        true => found.span.end,
        false => text.run(start, LONGEST_PHRASE, |byte| !matches!(byte, b'\n' | b'\r')),
    };
    let shown = text.slice(start..end);
    (shown.len() < LONGEST_PHRASE && shown.split(' ').count() >= 4 && value::are_unrelated(shown))
        .then_some(start..end)
}
