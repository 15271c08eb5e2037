//! Secrets whose place in a fixed format says what they are: the code that a telephone scans to join
//! a network, the blocks of a VPN's profile, what a mail server is told.

use super::extent;
use super::text::{Span, Text, is_base64, is_blank};
use super::value;

/// The password in `WIFI:T:WPA;S:guest;P:…;;`, found at its beginning.
pub(super) fn wireless_code(text: Text<'_>, start: usize) -> Option<Span> {
    let end = text.run(start, 200, |byte| !matches!(byte, b'\n' | b'\r' | b'"'));
    let mut at = start + "WIFI:".len();
    while at < end {
        let close = field_end(text, at, end);
        if text.starts_with(at, "P:") && close > at + 2 {
            let span = at + 2..close;
            return (!value::is_placeholder(text.slice(span.clone()))).then_some(span);
        }
        at = close + 1;
    }
    None
}

/// Where a field ends: at a semicolon that no backslash escapes.
fn field_end(text: Text<'_>, start: usize, end: usize) -> usize {
    let mut at = start;
    while at < end && text.bytes[at] != b';' {
        at += 1 + usize::from(text.bytes[at] == b'\\');
    }
    at.min(end)
}

/// The second line of `<auth-user-pass>`, after the user's.
pub(super) fn user_and_password(text: Text<'_>, after: usize) -> Option<Span> {
    let line = |from: usize| {
        let start = text.run(from, 8, |byte| byte.is_ascii_whitespace());
        start..text.run(start, 200, |byte| !matches!(byte, b'\n' | b'\r' | b'<'))
    };
    let user = line(after);
    let password = line(user.end);
    let shown = text.slice(password.clone());
    (user.end > user.start && shown.len() >= 3 && !value::is_placeholder(shown)).then_some(password)
}

/// The password in what Windows shows of a wireless network: `Key Content            : …`.
pub(super) fn key_content(text: Text<'_>, after: usize) -> Option<Span> {
    // The same network, exported as XML.
    if text.before(after) == b'>' {
        let end = text.run(after, 80, |byte| !matches!(byte, b'\n' | b'<'));
        return (end >= after + 8 && text.at(end) == b'<').then_some(after..end);
    }
    let colon = text.run(after, 24, is_blank);
    let start = text.run(colon + 1, 4, is_blank);
    let end = text.run(start, 80, |byte| !matches!(byte, b'\n' | b'\r'));
    let shown = text.slice(start..end).trim_end();
    (text.at(colon) == b':' && shown.len() >= 8 && !value::is_placeholder(shown))
        .then(|| start..start + shown.len())
}

/// More options and codes than the file of an authenticator has.
const MOST_OPTIONS: usize = 6;
const MOST_CODES: usize = 12;

/// The secret and the codes for emergencies in the file of an authenticator, found at an option of
/// it: the secret is the line above the options, and the codes are the lines below them.
pub(super) fn authenticator_file(text: Text<'_>, option: usize, spans: &mut Vec<Span>) {
    let on_line = |byte: u8| byte != b'\n';
    let mut end = option;
    for _ in 0..MOST_OPTIONS {
        let start = text.run_back(end, 80, on_line);
        if text.at(start) != b'"' {
            let made = value::is_key_like(text.slice(start..end), 16);
            spans.extend(made.then_some(start..end));
            break;
        }
        end = start.saturating_sub(1);
    }
    let mut start = option + 1;
    for _ in 0..MOST_CODES {
        let end = text.run(start, 80, on_line);
        let line = text.slice(start..end);
        let code = line.len() == 8 && line.bytes().all(|byte| byte.is_ascii_digit());
        spans.extend(code.then_some(start..end));
        if !code && !line.starts_with('"') {
            break;
        }
        start = end + 1;
    }
}

/// The reply to a mail server's `334 UGFzc3dvcmQ6`, its question for the password.
pub(super) fn mail_dialogue(text: Text<'_>, after: usize) -> Option<Span> {
    let line = text.run(after, 16, |byte| byte != b'\n');
    let end = text.run(line + 1, 200, |byte| !matches!(byte, b'\n' | b'\r'));
    let start = text.run_back(end, 200, is_base64);
    (text.at(line) == b'\n' && start > line && end - start >= 4).then_some(start..end)
}

/// The password that Terraform made, in its state: `"type": "random_password" … "result": "…"`.
pub(super) fn generated_password(text: Text<'_>, after: usize) -> Option<Span> {
    member(text, after, 600, &["\"result\""])
}

/// The value of a parameter that is stored encrypted: `type = "SecureString"` and `value = "…"`.
pub(super) fn secure_string(text: Text<'_>, after: usize) -> Option<Span> {
    member(
        text,
        after,
        160,
        &["value ", "\"value\"", "\"Value\"", "Value:"],
    )
}

/// The quoted value of a member with one of these names, not far after `after`.
fn member(text: Text<'_>, after: usize, furthest: usize, names: &[&str]) -> Option<Span> {
    let near = text.slice(after..text.len().min(after + furthest));
    let end = names
        .iter()
        .find_map(|name| near.find(name).map(|at| at + name.len()))?;
    let at = text.run(after + end, 12, |byte| {
        is_blank(byte) || matches!(byte, b':' | b'=')
    });
    let found = extent::quoted(text, at)?.span;
    let shown = text.slice(found.clone());
    (shown.len() >= 4 && !value::is_placeholder(shown)).then_some(found)
}
