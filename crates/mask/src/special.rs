//! Secrets with a structure that a prefix and a length do not describe: JSON Web Tokens, private
//! key blocks, bot tokens, password hashes.

use super::shape::follows_escape;
use super::text::{
    Span, Text, is_alphanumeric, is_ascii_word, is_base64, is_blank, is_hex, is_url_safe,
};
use super::value;

/// `eyJ….eyJ….…`: header, payload and a signature that may be empty; five parts if encrypted.
pub(super) fn json_web_token(text: Text<'_>, start: usize) -> Option<Span> {
    if is_ascii_word(text.before(start)) && !follows_escape(text, start) {
        return None;
    }
    let header = text.run(start, usize::MAX, is_url_safe);
    if header - start < 12 {
        return None;
    }
    let mut end = header;
    for _ in 0..4 {
        if text.at(end) != b'.' {
            break;
        }
        let next = text.run(end + 1, usize::MAX, is_url_safe);
        if next == end + 1 && text.at(next) != b'.' {
            break;
        }
        end = next;
    }
    // A single segment is base64 of any JSON; it counts if it is long enough to hold claims.
    (end > header || header - start >= 60).then_some(start..end)
}

/// The body of a private key between its BEGIN and END lines. The lines stay, so that a reader
/// knows what was there.
pub(super) fn private_key(text: Text<'_>, start: usize) -> Option<Span> {
    let line = text.run(start + 5, 80, |byte| byte != b'\n');
    let label = start + 5 + text.slice(start + 5..line).find("-----")?;
    let line = text.slice(start..label);
    let secret = [
        "PRIVATE KEY",
        "SECRET KEY",
        "Static key",
        "v2 client key",
        "v2 server key",
    ];
    if !secret.iter().any(|label| line.contains(label)) || !text.starts_with(label, "-----") {
        return None;
    }
    let body = label + 5;
    let dashes = text.bytes[body..]
        .windows(5)
        .position(|window| window == b"-----")
        .map(|at| body + at);
    let end = match dashes {
        Some(end) if text.starts_with(end, "-----END") => end,
        // Without an END line, everything that can belong to a key is masked.
        other => text.run(body, other.unwrap_or(text.len()) - body, |byte| {
            is_base64(byte)
                || byte.is_ascii_whitespace()
                || matches!(byte, b'\\' | b':' | b',' | b'-')
        }),
    };
    let (from, to) = trim_line_ends(text, body, end);
    (from < to && !text.slice(from..to).contains("***")).then_some(from..to)
}

/// Excludes line ends around the body, also escaped ones (`\n`, `\r\n`) and the quotes of
/// concatenated strings.
fn trim_line_ends(text: Text<'_>, mut from: usize, mut to: usize) -> (usize, usize) {
    loop {
        if from < to && text.at(from).is_ascii_whitespace() {
            from += 1;
        } else if from + 1 < to
            && text.at(from) == b'\\'
            && matches!(text.at(from + 1), b'n' | b'r' | b'\\')
        {
            from += 2;
        } else if from < to && text.at(from) == b'n' && text.before(from) == b'\\' {
            from += 1;
        } else {
            break;
        }
    }
    loop {
        if from < to && text.at(to - 1).is_ascii_whitespace() {
            to -= 1;
        } else if from + 1 < to
            && text.at(to - 2) == b'\\'
            && matches!(text.at(to - 1), b'n' | b'r')
        {
            to -= 2;
            while from < to && text.at(to - 1) == b'\\' {
                to -= 1;
            }
        } else {
            break;
        }
    }
    (from, to)
}

/// The body of a PuTTY key: `Private-Lines: 14` and that many lines of base64.
pub(super) fn putty_key(text: Text<'_>, after: usize) -> Option<Span> {
    let count = text.run(after, 6, |byte| byte.is_ascii_digit() || is_blank(byte));
    let body = text.run(count, 2, |byte| matches!(byte, b'\r' | b'\n'));
    let end = text.run(body, usize::MAX, |byte| {
        is_base64(byte) || matches!(byte, b'\r' | b'\n')
    });
    // The run ends inside the next header line (`Private-MAC`), which is not part of the key.
    let end = if text.at(end) == b'-' {
        text.run_back(end, 40, |byte| byte != b'\n')
    } else {
        end
    };
    (end > body + 16).then(|| body..text.run_back(end, 2, |byte| matches!(byte, b'\r' | b'\n')))
}

/// The start of a key, without the letter of `\n` that was read backwards into it.
fn past_escape(text: Text<'_>, start: usize) -> usize {
    if follows_escape(text, start + 1) {
        start + 1
    } else {
        start
    }
}

/// Telegram: `123456789:AA…`, found at the colon.
pub(super) fn telegram_token(text: Text<'_>, colon: usize) -> Option<Span> {
    let start = text.run_back(colon, 12, |byte| byte.is_ascii_digit());
    let end = text.run(colon + 1, 64, is_url_safe);
    let bot = text.bytes[..start].ends_with(b"bot")
        || !is_ascii_word(text.before(start))
        || follows_escape(text, start);
    ((6..=11).contains(&(colon - start)) && (30..=50).contains(&(end - colon - 1)) && bot)
        .then_some(start..end)
}

/// Firebase server keys: `AAAA…:APA91b…`, found at the colon.
pub(super) fn firebase_key(text: Text<'_>, colon: usize) -> Option<Span> {
    let start = past_escape(text, text.run_back(colon, 24, is_url_safe));
    let end = text.run(colon + 1, 400, is_url_safe);
    (end - colon > 60).then_some(start..end)
}

/// Discord: the base64 of a numeric id, six characters for the time, and a signature.
pub(super) fn discord_token(text: Text<'_>, start: usize) -> Option<Span> {
    if is_ascii_word(text.before(start)) && !follows_escape(text, start) {
        return None;
    }
    let id = text.run(start, 32, is_alphanumeric);
    let time = text.run(id + 1, 8, is_url_safe);
    let end = text.run(time + 1, 64, is_url_safe);
    let fits = (22..=30).contains(&(id - start))
        && text.at(id) == b'.'
        && (5..=7).contains(&(time - id - 1))
        && text.at(time) == b'.';
    (fits && end - time > 25).then_some(start..end)
}

/// Mailchimp: 32 hexadecimal digits before `-us12`.
pub(super) fn mailchimp_key(text: Text<'_>, dash: usize) -> Option<Span> {
    let start = text.run_back(dash, 33, is_hex);
    let end = text.run(dash + 3, 3, |byte| byte.is_ascii_digit());
    (dash - start == 32 && end > dash + 3 && !is_ascii_word(text.at(end))).then_some(start..end)
}

/// Azure application secrets: three characters, a digit, `Q~`, and more than thirty characters.
pub(super) fn azure_secret(text: Text<'_>, mark: usize) -> Option<Span> {
    let class = |byte: u8| is_url_safe(byte) || matches!(byte, b'~' | b'.');
    let start = past_escape(text, text.run_back(mark, 6, class));
    let end = text.run(mark + 2, 64, class);
    let end = if text.before(end) == b'.' {
        end - 1
    } else {
        end
    };
    (mark - start == 4 && end - mark > 26).then_some(start..end)
}

/// Terraform Cloud: fourteen characters, `.atlasv1.`, and sixty more.
pub(super) fn terraform_token(text: Text<'_>, mark: usize) -> Option<Span> {
    let start = past_escape(text, text.run_back(mark, 20, is_alphanumeric));
    let end = text.run(mark + 9, 200, is_url_safe);
    (mark > start && end - mark > 40).then_some(start..end)
}

/// Airtable: `pat` and fourteen characters, a dot, 64 hexadecimal digits.
pub(super) fn airtable_token(text: Text<'_>, start: usize) -> Option<Span> {
    let id = text.run(start, 20, is_alphanumeric);
    let end = text.run(id + 1, 70, is_hex);
    ((!is_ascii_word(text.before(start)) || follows_escape(text, start))
        && id - start == 17
        && text.at(id) == b'.'
        && end - id > 40)
        .then_some(start..end)
}

/// Password hashes in the format of `crypt` and its successors: `$2b$12$…`, `$6$salt$…`, `$apr1$…`,
/// `$argon2id$…`.
pub(super) fn password_hash(text: Text<'_>, start: usize) -> Option<Span> {
    // Tickets of Kerberos name their user: `$krb5asrep$23$bob@example.com:…`.
    let named = text.starts_with(start, "$krb5");
    let end = text.run(start, 400, |byte| {
        is_alphanumeric(byte)
            || matches!(
                byte,
                b'$' | b'.' | b'/' | b'+' | b'=' | b',' | b'-' | b'_' | b'*'
            )
            || named && matches!(byte, b'@' | b':')
    });
    // Commas occur only between parameters, never in the hash at the end.
    let last = start
        + text.bytes[start..end]
            .iter()
            .rposition(|byte| *byte == b'$')
            .unwrap_or(0)
        + 1;
    let end = text.run(last, end - last, |byte| !matches!(byte, b',' | b'$'));
    let end = end
        - text.bytes[start..end]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'.')
            .count();
    let found = text.slice(start..end);
    (found.matches('$').count() >= 3 && found.len() >= 20 && !found.contains("***"))
        .then_some(start..end)
}

/// A password in a list of users that says so: `bob:{PLAIN}hunter2:1000:…`.
pub(super) fn braced_password(text: Text<'_>, after: usize) -> Option<Span> {
    let end = text.run(after, 200, |byte| byte.is_ascii_graphic() && byte != b':');
    let shown = text.slice(after..end);
    (shown.len() >= 4 && !value::is_placeholder(shown)).then_some(after..end)
}

/// The two hashes of a Windows user, `bob:500:…:…:::`, found at the last colons.
pub(super) fn windows_hashes(text: Text<'_>, colons: usize) -> Option<Span> {
    let second = text.run_back(colons, 33, is_hex);
    let first = text.run_back(second.saturating_sub(1), 33, is_hex);
    (colons - second == 32 && text.before(second) == b':' && second - first == 33)
        .then_some(first..colons)
}

/// Hashes in LDAP and htpasswd files: `{SHA}…`, `{SSHA}…`.
pub(super) fn braced_hash(text: Text<'_>, after: usize) -> Option<Span> {
    let end = text.run(after, 200, is_base64);
    (end - after >= 20).then_some(after..end)
}

/// The password in a line of `.pgpass`, `host:5432:database:user:password`, found at its port.
pub(super) fn pgpass_line(text: Text<'_>, port: usize) -> Option<Span> {
    let start = text.line_start(port, 200)?;
    let end = text.run(port, 400, |byte| byte != b'\n' && byte != b'\r');
    let line = &text.bytes[start..end];
    let host_is_one = !text.bytes[start..port]
        .iter()
        .any(|byte| matches!(byte, b':' | b' ' | b'/' | b'@'));
    let fields: Vec<usize> = line
        .iter()
        .enumerate()
        .filter(|(at, byte)| **byte == b':' && line[..*at].last() != Some(&b'\\'))
        .map(|(at, _)| at)
        .take(6)
        .collect();
    // A file of users has more fields, and a colon in a password is escaped.
    if fields.len() > 5 {
        return None;
    }
    let last = start + fields.get(3)? + 1;
    let word_end = text.run(last, 300, |byte| !byte.is_ascii_whitespace());
    let password = text.slice(last..word_end);
    (host_is_one
        && !password.is_empty()
        && !value::is_placeholder(password)
        && !line[..fields[3]].contains(&b' '))
    .then_some(last..word_end)
}

/// Members of a JSON Web Key that hold its private parts.
const PRIVATE_MEMBERS: &[&str] = &["d", "p", "q", "dp", "dq", "qi", "k"];

/// Masks the private parts of the JSON Web Key around `"kty"`. Returns the end of what was read.
pub(super) fn json_web_key(text: Text<'_>, kty: usize, spans: &mut Vec<Span>) -> usize {
    if !matches!(text.before(kty), b'"' | b'\'') {
        return kty;
    }
    let start = text.run_back(kty, 4096, |byte| byte != b'{' && byte != b'}');
    let end = text.run(kty, 4096, |byte| byte != b'{' && byte != b'}');
    for quote in start..end {
        let mark = text.at(quote);
        if !matches!(mark, b'"' | b'\'') {
            continue;
        }
        let close = text.run(quote + 1, 3, |byte| byte.is_ascii_lowercase());
        let colon = text.run(close + 1, 4, is_blank);
        if text.at(close) != mark
            || text.at(colon) != b':'
            || !PRIVATE_MEMBERS.contains(&text.slice(quote + 1..close))
        {
            continue;
        }
        let open = text.run(colon + 1, 4, is_blank);
        let last = text.run(open + 1, 4096, is_url_safe);
        if text.at(open) == mark && last > open + 16 {
            spans.push(open + 1..last);
        }
    }
    end
}

/// The digits before "is your", as in "482913 is your verification code".
pub(super) fn code_before(text: Text<'_>, is: usize) -> Option<Span> {
    if !text.before(is).is_ascii_digit() {
        return None;
    }
    let start = text.run_back(is, 9, |byte| byte.is_ascii_digit() || byte == b'-');
    let start = if text.bytes[..start].ends_with(b"G") {
        start - 1
    } else {
        start
    };
    let end = text.run(is, 64, |byte| !matches!(byte, b'\n' | b'.' | b'!'));
    let after = text.slice(is..end).to_ascii_lowercase();
    let names = ["code", "otp", "pin", "passcode", "código", "one-time"]
        .iter()
        .any(|word| after.contains(word))
        || is_told_to_use(text, start);
    (names && !is_ascii_word(text.before(start)) && value::is_one_time(text.slice(start..is)))
        .then_some(start..is)
}

/// "Use 482913 to sign in", "Enter 482913 to verify": the verb stands right before the digits.
fn is_told_to_use(text: Text<'_>, start: usize) -> bool {
    let before = text.slice(start.saturating_sub(12)..start);
    ["use ", "Use ", "enter ", "Enter ", "type ", "Type "]
        .iter()
        .any(|verb| before.ends_with(verb))
        && text.run(start, 9, |byte| byte.is_ascii_digit()) >= start + 5
}

/// The digits in "Use code 482913 to sign in", found after "code".
pub(super) fn code_to_use(text: Text<'_>, start: usize) -> Option<Span> {
    let end = text.run(start, 9, |byte| byte.is_ascii_digit());
    let after = text.slice(end..text.run(end, 48, |byte| !matches!(byte, b'\n' | b'.')));
    let opens = ["sign", "log", "verif", "confirm", "access", "continue"]
        .iter()
        .any(|word| after.contains(word));
    ((4..=8).contains(&(end - start)) && after.starts_with(" to ") && opens).then_some(start..end)
}

/// What Windows answers to a challenge, from which a password is guessed: `bob::CORP:…:…:0101…`,
/// found at the last part.
pub(super) fn windows_response(text: Text<'_>, last: usize) -> Option<Span> {
    let proof = text.run_back(last, 33, is_hex);
    let end = text.run(last + 1, 4 * value::EXAMINED, is_hex);
    (last - proof == 32 && text.before(proof) == b':').then_some(proof..end)
}

/// MySQL's hash in a dump, `'*` and 40 capital digits, found after the star.
pub(super) fn starred_hash(text: Text<'_>, start: usize) -> Option<Span> {
    let end = text.run(start, 41, |byte| is_hex(byte) && !byte.is_ascii_lowercase());
    let closes = matches!(text.at(end), b'\'' | b'"');
    (end - start == 40 && closes).then_some(start..end)
}
