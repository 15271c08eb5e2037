//! URLs and connection strings, masked by their parts: `scheme://user:***@host/path?token=***`.
//!
//! Parameters are found by their names like any other assignment (see `context`). Only URLs have a
//! part before the host, and their scheme may be any word: `postgres`, `redis`, `mongodb+srv`.

use super::extent::{self, Style};
use super::join::Joint;
use super::judge::is_secret;
use super::name;
use super::text::{Span, Text, is_alphanumeric, is_blank, is_space, is_word};
use super::value;

/// The longest examined part before a host, in bytes.
const LONGEST_USER_PART: usize = 1024;

/// Masks the secret in `user:secret@host`, found at `://`. A user alone counts if it looks like a
/// key.
pub(super) fn user_part(text: Text<'_>, colon: usize, spans: &mut Vec<Span>) {
    if !text.before(colon).is_ascii_alphanumeric() {
        return;
    }
    let start = colon + 3;
    let Some(at) = user_part_end(text, start) else {
        spans.extend(account_behind(text, colon));
        return;
    };
    let split = text.bytes[start..at]
        .iter()
        .position(|byte| *byte == b':')
        .map(|at| start + at);
    let user_end = split.unwrap_or(at);
    let user = text.slice(start..user_end);
    if let Some(split) = split
        && split + 1 < at
        && !is_template(text.slice(split + 1..at))
        && !value::are_stand_ins(user, text.slice(split + 1..at))
    {
        spans.push(split + 1..at);
    }
    // The whole user part is the password.
    let alone = split.is_none()
        && ["trojan", "hysteria2"]
            .iter()
            .any(|scheme| text.bytes[..colon].ends_with(scheme.as_bytes()));
    if (alone || value::is_key_like(user, 16)) && !value::is_placeholder(user) {
        spans.push(start..user_end);
    }
}

/// The password in a line of a list of stolen accounts: `https://portal.example.com/:bob:…`.
fn account_behind(text: Text<'_>, colon: usize) -> Option<Span> {
    let scheme = text.line_start(colon, 8)?;
    if !text.bytes[scheme..colon].iter().all(u8::is_ascii_lowercase) {
        return None;
    }
    let start = colon + 3;
    let host = |byte: u8| is_alphanumeric(byte) || matches!(byte, b'.' | b'-' | b'/' | b'_');
    let first = text.run(start, 120, host);
    let second = text.run(first + 1, 64, |byte| {
        host(byte) || matches!(byte, b'@' | b'+')
    });
    let end = text.run(second + 1, 64, |byte| byte.is_ascii_graphic());
    let user = text.bytes.get(first + 1..second)?;
    let secret = text.bytes.get(second + 1..end).map(|_| second + 1..end)?;
    (text.at(first) == b':'
        && text.at(second) == b':'
        && matches!(text.at(end), b'\n' | b'\r' | 0)
        && user.iter().any(u8::is_ascii_alphabetic)
        && secret.len() >= 6
        && value::is_password_like(text.slice(secret.clone()))
        && !text.slice(secret.clone()).contains('/'))
    .then_some(secret)
}

/// The position of the `@` before the host. A password may contain unencoded `@`, `/`, `?` or `#`.
fn user_part_end(text: Text<'_>, start: usize) -> Option<usize> {
    let authority = text.run(start, LONGEST_USER_PART, |byte| {
        !ends_address(byte) && !matches!(byte, b'/' | b'?' | b'#')
    });
    let last_at = |end: usize| {
        text.bytes[start..end]
            .iter()
            .rposition(|byte| *byte == b'@')
            .map(|at| start + at)
    };
    let web =
        text.bytes[..start].ends_with(b"http://") || text.bytes[..start].ends_with(b"https://");
    if let Some(at) = last_at(authority)
        && (web || !text.slice(start..at).contains(':'))
    {
        return Some(at);
    }
    let colon = start
        + text.bytes[start..authority]
            .iter()
            .position(|byte| *byte == b':')?;
    let is_port = text.bytes[colon + 1..authority]
        .iter()
        .all(u8::is_ascii_digit);
    let plain_user = text.bytes[start..colon].iter().all(|byte| {
        is_alphanumeric(*byte)
            || matches!(
                byte,
                b'_' | b'-' | b'.' | b'%' | b'+' | b'~' | b'=' | b',' | b'$' | b'@'
            )
    });
    if is_port || !plain_user {
        return None;
    }
    let whole = text.run(start, LONGEST_USER_PART, |byte| !ends_address(byte));
    // The scheme of a nested URL ends the search; its user part is found separately.
    let nested = text.bytes[start..whole]
        .windows(3)
        .position(|window| window == b"://")
        .map_or(whole, |at| start + at);
    last_at(nested)
}

fn ends_address(byte: u8) -> bool {
    is_space(byte)
        || matches!(
            byte,
            b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b'{' | b'}' | b'|' | 0
        )
}

/// Whether a password is a placeholder: `${PASSWORD}`, `<password>`, `%s`, `***`. The word
/// `password` is not, because people use it.
fn is_template(password: &str) -> bool {
    password.contains("***")
        || matches!(
            password.as_bytes(),
            [b'<' | b'{' | b'[', ..]
                | [b'$', b'{' | b'(', ..]
                | [b'%', b's' | b'v' | b'd']
                | [b'%', b'(' | b'{', ..]
        )
        || password.strip_prefix('$').is_some_and(|name| {
            name.bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        })
        || matches!(
            password,
            "PASSWORD" | "PASS" | "PASSWD" | "SECRET" | "TOKEN"
        )
        || !password.is_empty()
            && password
                .bytes()
                .all(|byte| matches!(byte, b'*' | b'x' | b'X' | b'.'))
}

/// The password in the address of Go's driver, `user:secret@tcp(host:3306)/db`, found at `@tcp(`.
pub(super) fn driver_address(text: Text<'_>, at: usize) -> Option<Span> {
    let start = text.run_back(at, 200, |byte| {
        !is_space(byte) && !matches!(byte, b'"' | b'\'' | b'`' | b'=')
    });
    let colon = start
        + text.bytes[start..at]
            .iter()
            .position(|byte| *byte == b':')?;
    (colon + 1 < at && !is_template(text.slice(colon + 1..at))).then_some(colon + 1..at)
}

/// What stands before an address that only looks like a user and a password: schemes without
/// slashes, and the names of identifiers in mail and calendars.
const NOT_USERS: &[&str] = &[
    "mailto",
    "sip",
    "sips",
    "xmpp",
    "acct",
    "cid",
    "mid",
    "uid",
    "related-to",
    "message-id",
    "from",
    "to",
    "cc",
    "email",
];

/// The password beside an `@` without a scheme.
pub(super) fn bare_address(text: Text<'_>, at: usize) -> Option<Span> {
    listed_account(text, at).or_else(|| user_before_host(text, at))
}

/// The password in a line of a list of accounts: `bob@example.com:hunter2`, possibly after the host
/// that takes it.
fn listed_account(text: Text<'_>, at: usize) -> Option<Span> {
    let host = |byte: u8| is_alphanumeric(byte) || matches!(byte, b'.' | b'-');
    let colon = text.run(at + 1, 64, host);
    if !matches!(text.at(colon), b':' | b'|' | b';') {
        return None;
    }
    let user = text.run_back(at, 64, |byte| host(byte) || matches!(byte, b'_' | b'+'));
    let line = text.line_start(user, 96)?;
    let lead = text.slice(line..user).trim_start();
    let end = text.run(colon + 1, 80, |byte| byte.is_ascii_graphic());
    let shown = text.slice(colon + 1..end);
    let taken = lead.starts_with('[') && lead.contains("]:") && lead.ends_with(' ');
    let file = shown.contains('/') || value::is_dotted_name(shown) || has_extension(shown);
    ((lead.is_empty() || taken)
        && user < at
        && text.slice(at + 1..colon).contains('.')
        && matches!(text.at(end), b'\n' | b'\r' | 0)
        && shown.len() >= 6
        && value::is_password_like(shown)
        && !file
        && !value::is_placeholder(shown))
    .then_some(colon + 1..end)
}

fn has_extension(shown: &str) -> bool {
    shown.rsplit_once('.').is_some_and(|(_, extension)| {
        (2..=4).contains(&extension.len()) && extension.bytes().all(|it| it.is_ascii_lowercase())
    })
}

/// The password in `user:s3cr3t@host` without a scheme, found at `@`. It must look like one, so
/// that `mailto:` is not masked.
fn user_before_host(text: Text<'_>, at: usize) -> Option<Span> {
    let graphic = |byte: u8| {
        byte.is_ascii_graphic()
            && !matches!(
                byte,
                b'"' | b'\'' | b'`' | b'=' | b'<' | b'(' | b',' | b'/' | b':'
            )
    };
    // `.//w:num[@id="7"]`: a step of an XPath expression.
    if text.before(at) == b'[' {
        return None;
    }
    let colon = text
        .run_back(at, 64, graphic)
        .checked_sub(1)
        .filter(|colon| text.at(*colon) == b':')?;
    let start = text.run_back(colon, 64, graphic);
    if text.bytes[..start].ends_with(b"//")
        && start >= 2
        && !matches!(text.before(start - 2), b':' | b'/')
    {
        return schemeless(text, start, colon, at);
    }
    if at - colon <= 6 {
        return None;
    }
    let (user, password) = (text.slice(start..colon), text.slice(colon + 1..at));
    let host = text.run(at + 1, 80, |byte| {
        is_alphanumeric(byte) || matches!(byte, b'.' | b'-')
    });
    let has_host = host > at + 3
        && (text.slice(at + 1..host).contains('.')
            || text.at(host) == b':'
            || text.slice(at + 1..host) == "localhost");
    let is_word_user = !user.is_empty()
        && user
            .bytes()
            .all(|byte| is_alphanumeric(byte) || matches!(byte, b'_' | b'-' | b'.'));
    let chosen = password.len() >= 6 && value::is_password_like(password);
    (is_word_user
        && has_host
        && chosen
        && !value::is_placeholder(password)
        && !NOT_USERS.iter().any(|name| user.eq_ignore_ascii_case(name)))
    .then_some(colon + 1..at)
}

/// `//bob:secret@host/path`
fn schemeless(text: Text<'_>, start: usize, colon: usize, at: usize) -> Option<Span> {
    let password = text.slice(colon + 1..at);
    let number = password.bytes().all(|byte| byte.is_ascii_digit());
    (colon > start
        && !password.is_empty()
        && !number
        && is_alphanumeric(text.at(at + 1))
        && !is_template(password))
    .then_some(colon + 1..at)
}

/// The value of a name with encoded letters, `p%61ssword=…`, found at the first of them.
pub(super) fn encoded_name(text: Text<'_>, percent: usize) -> Option<Span> {
    let class = |byte: u8| is_alphanumeric(byte) || matches!(byte, b'_' | b'-' | b'%');
    let start = text.run_back(percent, 32, class);
    let equals = text.run(percent, 48, class);
    if text.at(equals) != b'=' {
        return None;
    }
    let name = decoded(&text.bytes[start..equals])?;
    let sense = name::sense(&name, "")?;
    let value = extent::bare(text, equals + 1, Style::Parameter, false);
    is_secret(
        sense,
        Joint::Parameter,
        text.slice(value.span.clone()),
        false,
        &[],
    )
    .then_some(value.span)
}

fn decoded(name: &[u8]) -> Option<String> {
    let mut out = Vec::with_capacity(name.len());
    let mut at = 0;
    while let Some(byte) = name.get(at) {
        let code = (*byte == b'%')
            .then(|| name.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(letter) => {
                out.push(letter);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

/// The value of `p` in `?u=bob&p=…`: one letter means a password only beside a user.
pub(super) fn short_password(text: Text<'_>, hit: Span) -> Option<Span> {
    let start = text.run_back(hit.start, 120, |byte| !ends_address(byte));
    let stop = text.run(hit.end, 120, |byte| !ends_address(byte));
    let before = text.slice(start..stop);
    let user = ["u=", "user=", "usr=", "username=", "login", "email="]
        .iter()
        .any(|word| before.contains(word));
    let end = text.run(hit.end, 80, |byte| {
        !ends_address(byte) && !matches!(byte, b'&' | b'#')
    });
    let shown = text.slice(hit.end..end);
    let chosen = value::is_password_like(shown) || value::is_numbered_words(shown);
    (user && shown.len() >= 6 && chosen && !value::is_placeholder(shown)).then_some(hit.end..end)
}

/// The value of `?code=…` on an OAuth callback; everywhere else it is harmless.
pub(super) fn authorization_code(text: Text<'_>, hit: Span) -> Option<Span> {
    let start = text.run_back(hit.start, 400, |byte| !ends_address(byte));
    let end = text.run(hit.end, 600, |byte| !ends_address(byte));
    let code = hit.end..text.run(hit.end, end - hit.end, |byte| !matches!(byte, b'&' | b'#'));
    let (before, after) = (
        text.slice(start..hit.start).to_ascii_lowercase(),
        text.slice(code.end..end),
    );
    let callback = [
        "callback", "oauth", "redirect", "auth", "login", "signin", "invit", "accept",
    ]
    .iter()
    .any(|word| before.contains(word));
    let state = after.contains("&state=") || before.contains("state=");
    let shown = text.slice(code.clone());
    // The key of a function in a cloud.
    let long = shown.len() >= 40 && !value::is_digest(shown);
    (shown.len() >= 10
        && (callback || state || long)
        && value::is_key_like(shown, 10)
        && !value::is_placeholder(shown))
    .then_some(code)
}

/// The code beside `grant_type=authorization_code`, in a form or in JSON.
pub(super) fn granted_code(text: Text<'_>, grant: Span) -> Option<Span> {
    let start = grant.start.saturating_sub(400);
    let end = text.len().min(grant.end + 400);
    let near = &text.bytes[start..end];
    let mut names = (0..near.len()).filter(|at| near[*at..].starts_with(b"code"));
    names.find_map(|at| {
        let name = start + at;
        let after = extent::past_mark(text, name + 4).unwrap_or(name + 4);
        let joint = text.run(after, 4, is_blank);
        if is_word(text.before(name)) || !matches!(text.at(joint), b':' | b'=') {
            return None;
        }
        let from = text.run(joint + 1, 4, is_blank);
        let value = extent::quoted(text, from)
            .unwrap_or_else(|| extent::bare(text, from, Style::Parameter, false));
        let shown = text.slice(value.span.clone());
        (value::is_key_like(shown, 10) && !value::is_placeholder(shown)).then_some(value.span)
    })
}

/// The value of a parameter whose name says nothing: long and random, and neither an id nor a
/// digest of a page.
pub(super) fn short_name(text: Text<'_>, start: usize) -> Option<Span> {
    let value = extent::bare(text, start, Style::Parameter, false);
    let shown = text.slice(value.span.clone());
    (value::is_key_like(shown, 28) && !value::is_uuid(shown) && !value::is_placeholder(shown))
        .then(|| extent::bare(text, start, Style::Parameter, true).span)
}
