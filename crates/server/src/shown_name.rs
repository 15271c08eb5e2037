//! Names as a terminal, a report, a log and an agent may see them.

use fault::characters::is_unprintable;

/// A name with what cannot be shown written as `%` and two digits for each byte. A file name can hold
/// anything but a slash. Different names stay different, so a percent sign that could be taken for
/// such a byte is written as `%25`.
pub(crate) fn shown_name(name: &[u8]) -> String {
    let mut shown = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for (at, letter) in chunk.valid().char_indices() {
            let after = &chunk.valid().as_bytes()[at + letter.len_utf8()..];
            let is_escape = letter == '%' && starts_with_digits(after);
            match is_unprintable(letter) || is_escape {
                true => escape(letter.encode_utf8(&mut [0; 4]).as_bytes(), &mut shown),
                false => shown.push(letter),
            }
        }
        escape(chunk.invalid(), &mut shown);
    }
    shown
}

/// A name that somebody else chose, for a log line or a record.
pub(crate) fn in_log(name: &str) -> String {
    const LONGEST: usize = 200;
    let first: String = name.chars().take(LONGEST).collect();
    shown_name(first.as_bytes())
}

/// Whether two hexadecimal digits come next.
pub(crate) fn starts_with_digits(bytes: &[u8]) -> bool {
    bytes
        .get(..2)
        .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

fn escape(bytes: &[u8], shown: &mut String) {
    for byte in bytes {
        shown.push_str(&format!("%{byte:02X}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_names_are_shown_differently_and_without_control_characters() {
        let names: [&[u8]; 7] = [
            b"a.py",
            b"a\xff.py",
            b"a\xfe.py",
            b"a\x1b.py",
            b"a%FF.py",
            b"a%.py",
            "a\u{202e}.py".as_bytes(),
        ];
        let shown: Vec<String> = names.iter().map(|name| shown_name(name)).collect();
        assert_eq!(
            shown,
            [
                "a.py",
                "a%FF.py",
                "a%FE.py",
                "a%1B.py",
                "a%25FF.py",
                "a%.py",
                "a%E2%80%AE.py"
            ]
        );
    }
}
