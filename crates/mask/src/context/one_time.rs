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

/// Masks the codes after the first one on its line, which have the same form: "Backup codes: 1234 5678".
pub(super) fn further_codes(text: Text<'_>, first: &Span, spans: &mut Vec<Span>) {
    let own = form(text.slice(first.clone()));
    let mut at = first.end;
    for _ in 0..MOST_CODES {
        let start = text.run(at, 3, |byte| matches!(byte, b' ' | b',' | b'`' | b'|'));
        let end = text.run(start, 32, |byte| is_alphanumeric(byte) || byte == b'-');
        let shown = text.slice(start..end);
        if start == at || form(shown) != own || !value::is_one_time(shown) {
            break;
        }
        spans.push(start..end);
        at = end;
    }
}

/// Masks the codes below "Recovery codes:", one a line. If one looks like a code, so do those of the
/// same form.
pub(super) fn listed_codes(text: Text<'_>, line_end: usize, spans: &mut Vec<Span>) {
    let mut listed = Vec::new();
    let mut at = line_end;
    while listed.len() < MOST_CODES
        && let Some(code) = code_in_list(text, at)
    {
        at = text.run(code.end, 4, |byte| matches!(byte, b'`' | b' '));
        listed.push(code);
    }
    let shown = |code: &Span| text.slice(code.clone());
    let sure = |code: &&Span| value::is_one_time(shown(code)) || value::is_key_like(shown(code), 8);
    let Some(form) = listed.iter().find(sure).map(|code| form(shown(code))) else {
        return;
    };
    spans.extend(
        listed
            .into_iter()
            .take_while(|code| sure(&code) || self::form(shown(code)) == form),
    );
}

/// The lengths of the groups of a code.
fn form(code: &str) -> Vec<usize> {
    code.split('-').map(str::len).collect()
}

/// The code of the next line of a list, after its number or bullet.
fn code_in_list(text: Text<'_>, at: usize) -> Option<Span> {
    let lead =
        |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'-' | b'*' | b'`' | b'[' | b']');
    let start = text.run(at, 16, lead);
    let number = text.run(start, 2, |byte| byte.is_ascii_digit());
    let numbered =
        number > start && matches!(text.at(number), b'.' | b')') && text.at(number + 1) == b' ';
    let start = if numbered {
        text.run(number + 1, 8, lead)
    } else {
        start
    };
    let end = text.run(start, 32, |byte| is_alphanumeric(byte) || byte == b'-');
    let shown = text.slice(start..end);
    let alone = matches!(text.at(end), b'\n' | b'\r' | b' ' | b'`' | 0);
    (alone && shown.len() >= 4).then_some(start..end)
}

/// Masks the codes below a sentence about them: "Your recovery codes. Keep them safe." Below a few
/// lines of explanation, two codes or more must follow each other.
pub(super) fn codes_below(text: Text<'_>, name_end: usize, spans: &mut Vec<Span>) {
    let mut at = name_end;
    for _ in 0..MOST_LINES {
        at = text.run(at, 160, |byte| byte != b'\n');
        if text.at(at) != b'\n' {
            return;
        }
        let mut found = Vec::new();
        listed_codes(text, at, &mut found);
        if found.len() >= 2 {
            return spans.append(&mut found);
        }
        at += 1;
    }
}

/// More codes than any service lists.
const MOST_CODES: usize = 20;

/// How many lines of explanation may stand above the codes.
const MOST_LINES: usize = 4;

#[cfg(test)]
mod tests {
    use crate::Masker;

    #[test]
    fn all_codes_of_a_list_go() {
        let numbered = "Your recovery codes. Keep them in a safe place.\n\n1. 0bh7z-wee5p\n2. fmcaf-xtyga\n3. mqnwi-d63id\n";
        assert_eq!(
            Masker::default().mask(numbered),
            "Your recovery codes. Keep them in a safe place.\n\n1. ***\n2. ***\n3. ***\n"
        );
        assert_eq!(
            Masker::default().mask("Backup codes: 48210937 18093754 98881266"),
            "Backup codes: *** *** ***"
        );
    }

    #[test]
    fn other_lists_stay() {
        let text = "Status codes. See below.\n1. 4001\n2. 4002\n";
        assert_eq!(Masker::default().mask(text), text);
    }
}
