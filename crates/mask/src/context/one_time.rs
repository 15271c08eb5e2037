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
