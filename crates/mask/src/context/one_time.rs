//! One-time codes and PINs.

use crate::join::Joined;
use crate::text::{Span, Text, is_alphanumeric};
use crate::value;

/// A one-time code or a PIN: digits, possibly in two groups.
pub(super) fn one_time(text: Text<'_>, joined: &Joined) -> Option<Span> {
    let start = text.run(joined.at, 4, |byte| {
        matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'*' | b'<')
    });
    let group = |from: usize| text.run(from, 12, is_alphanumeric);
    let digits = |span: Span| !span.is_empty() && text.bytes[span].iter().all(u8::is_ascii_digit);
    let mut end = group(start);
    let length = end - start;
    // `118 204`, `118-204`, `G-482913`, `q79kd-q7xy6`
    for _ in 0..4 {
        let next = group(end + 1);
        let joins = match text.at(end) {
            b' ' => {
                digits(start..end)
                    && (3..=4).contains(&length)
                    && digits(end + 1..next)
                    && next - end - 1 == length
            }
            b'-' => {
                next - end - 1 == length
                    || length == 1 && text.at(start) == b'G' && digits(end + 1..next)
            }
            _ => false,
        };
        if !joins {
            break;
        }
        end = next;
    }
    let shown = text.slice(start..end);
    let letter = text
        .slice(end..end + 1)
        .chars()
        .next()
        .is_some_and(char::is_alphanumeric);
    let cut = letter
        || matches!(text.at(end), b'.' | b',') && text.at(end + 1).is_ascii_digit()
        || matches!(text.at(end), b'%' | b'/' | b'(' | b'@');
    (!cut && value::is_one_time(shown) && !value::is_placeholder(shown)).then_some(start..end)
}

/// Masks the codes below "Recovery codes:", one a line.
pub(super) fn listed_codes(text: Text<'_>, line_end: usize, spans: &mut Vec<Span>) {
    let mut at = line_end;
    for _ in 0..MOST_CODES {
        let lead = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'-' | b'*' | b'`');
        let start = text.run(at, 16, lead);
        let end = text.run(start, 32, |byte| is_alphanumeric(byte) || byte == b'-');
        let shown = text.slice(start..end);
        let alone = matches!(text.at(end), b'\n' | b'\r' | b' ' | b'`' | 0);
        if !alone || !value::is_one_time(shown) && !value::is_key_like(shown, 8) {
            break;
        }
        spans.push(start..end);
        at = text.run(end, 4, |byte| matches!(byte, b'`' | b' '));
    }
}

/// More codes than any service lists.
const MOST_CODES: usize = 20;
