//! Values of headers that carry credentials: `Authorization` with its schemes, `Cookie` and
//! `Set-Cookie`. Schemes, cookie names and attributes stay; credentials are masked.

use super::base64;
use super::text::{Span, Text, is_alphanumeric, is_base64_any, is_blank, is_space};
use super::value;

/// Schemes whose credentials are one token. After them, everything but a plain word is a secret.
const SCHEMES: &[&str] = &[
    "bearer",
    "basic",
    "token",
    "apikey",
    "api-key",
    "api_key",
    "key",
    "negotiate",
    "ntlm",
    "jwt",
    "bot",
    "ssws",
    "geniekey",
    "oauth",
    "googlelogin",
    "sharedkey",
    "sharedkeylite",
    "sharedaccesssignature",
    "dpop",
    "mac",
    "hawk",
    "digest",
    "aws4-hmac-sha256",
    "aws",
    "splunk",
    "snowflake",
    "pat",
    "secret",
    "private-token",
    "hmac",
    "zoho-oauthtoken",
    "klaviyo-api-key",
    "discogs",
    "vapid",
    "nostr",
    "credential",
    "signature",
    "user",
    "client-id",
    "tok",
    "deepl-auth-key",
    "notion",
    "wsse",
];

/// Parameters of `Digest`, `OAuth`, `AWS4-HMAC-SHA256`, `Hawk` and similar schemes that prove
/// possession of a secret.
const PROOFS: &[&str] = &[
    "response",
    "signature",
    "credential",
    "oauth_token",
    "oauth_signature",
    "oauth_consumer_key",
    "mac",
    "token",
    "auth",
    "key",
    "passworddigest",
    "cnonce",
    "password",
    "sig",
    "access_token",
    "k",
    "t",
    "id",
];

/// Masks the value of `Authorization:` up to `end`.
pub(super) fn authorization(text: Text<'_>, start: usize, end: usize, spans: &mut Vec<Span>) {
    let start = start
        + text.bytes[start..end]
            .iter()
            .take_while(|byte| is_blank(**byte))
            .count();
    let scheme_end = text.run(start, (end - start).min(64), |byte| {
        is_alphanumeric(byte) || matches!(byte, b'-' | b'_')
    });
    let scheme = text.slice(start..scheme_end).to_ascii_lowercase();
    let gap = gap_after(text, scheme_end, end);
    let known = SCHEMES.contains(&scheme.as_str());
    if gap == 0 {
        if !known {
            push_lone(text, start, end, spans);
        }
        return;
    }
    let credentials = scheme_end + gap;
    let end = if credentials < end {
        end
    } else {
        text.run(credentials, 16 * value::EXAMINED, |byte| {
            !matches!(byte, b'\n' | b'\r')
        })
    };
    if has_parameters(text, credentials, end) {
        return parameters(text, credentials, end, spans);
    }
    let token = token_end(text, credentials, end);
    let found = text.slice(credentials..token);
    if is_cut(text, found, token) {
        return;
    }
    let counts = if known {
        is_credential(found)
    } else {
        value::is_password_like(found) && found.len() >= 8 || value::is_key_like(found, 12)
    };
    // `Bearer automation …`: a word says who sends the token.
    let user = found.bytes().all(|byte| byte.is_ascii_lowercase());
    if user && text.starts_with(token, " ***") {
        return;
    }
    if known
        && user
        && let Some(second) = second_word(text, token, end)
    {
        spans.push(second);
    } else if counts {
        spans.push(credentials..token);
        spans.extend(second_word(text, token, end).filter(|_| scheme == "basic"));
    } else if !known {
        push_lone(text, start, end, spans);
    }
}

/// Whether only the beginning of a token is shown: `Bearer eyJhbGciOi...`.
fn is_cut(text: Text<'_>, found: &str, end: usize) -> bool {
    found.len() <= 16 && (text.starts_with(end, "...") || text.starts_with(end, "…"))
}

/// The last word of `Basic bob hunter2`, as clients let people write it.
fn second_word(text: Text<'_>, first: usize, end: usize) -> Option<Span> {
    let start = text.run(first, end - first, is_blank);
    let word = start..token_end(text, start, end);
    let last = matches!(text.at(word.end), b'\n' | b'\r' | b'"' | b'\'' | 0);
    let shown = text.slice(word.clone());
    (start > first
        && last
        && (value::is_password_like(shown) || value::is_key_like(shown, 8))
        && !value::is_placeholder(shown))
    .then_some(word)
}

pub(super) fn is_scheme(word: &str) -> bool {
    SCHEMES.contains(&word.to_ascii_lowercase().as_str())
}

/// Skips the white space after the scheme, which is `+` or `%20` in a query.
fn gap_after(text: Text<'_>, index: usize, end: usize) -> usize {
    let blanks = text.run(index, end - index, is_blank) - index;
    let folded = text.run(index + blanks, 4, is_space) - index;
    match () {
        // A folded header goes on in the next line, after a space.
        () if folded > blanks && is_blank(text.before(index + folded)) => folded,
        () if blanks > 0 => blanks,
        () if text.starts_with(index, "%20") && index + 3 <= end => 3,
        () if text.at(index) == b'+' && index < end => 1,
        () => 0,
    }
}

fn token_end(text: Text<'_>, start: usize, end: usize) -> usize {
    let token = text.run(start, end - start, |byte| {
        !is_space(byte)
            && !matches!(
                byte,
                b'"' | b'\'' | b'`' | b'<' | b'>' | b')' | b'}' | b']' | b'\\' | b';' | 0
            )
    });
    let token = token.min(
        text.bytes[start..token]
            .iter()
            .position(|byte| *byte == b',')
            .map_or(token, |at| start + at),
    );
    start
        + text.bytes[start..token]
            .iter()
            .rposition(|byte| !matches!(byte, b'.' | b':' | b'!' | b'?'))
            .map_or(0, |at| at + 1)
}

pub(super) fn is_credential(found: &str) -> bool {
    found.len() >= 3
        && !value::is_placeholder(found)
        && !value::is_plain_word(found)
        && !value::is_code(found)
        && !is_common_word(found)
}

/// Whether a word follows a scheme's name in prose and documentation.
fn is_common_word(found: &str) -> bool {
    matches!(
        found.to_ascii_lowercase().as_str(),
        "authentication"
            | "authorization"
            | "scheme"
            | "credentials"
            | "credential"
            | "realm"
            | "tokens"
            | "prefix"
            | "based"
            | "realm="
    ) || found.to_ascii_lowercase().starts_with("realm=")
        || found.to_ascii_lowercase().starts_with("error=")
}

/// A value without a scheme.
fn push_lone(text: Text<'_>, start: usize, end: usize, spans: &mut Vec<Span>) {
    let token = token_end(text, start, end);
    let found = text.slice(start..token);
    let made = value::is_key_like(found, 8) || value::is_password_like(found) && found.len() >= 6;
    if made && !value::is_placeholder(found) && !value::is_code(found) {
        spans.push(start..token);
    }
}

fn has_parameters(text: Text<'_>, start: usize, end: usize) -> bool {
    let name = text.run(start, (end - start).min(40), |byte| {
        is_alphanumeric(byte) || matches!(byte, b'_' | b'-')
    });
    let next = text.at(name + 1);
    name > start
        && text.at(name) == b'='
        && (matches!(next, b'"' | b'\\')
            || text.bytes[name..end].contains(&b',')
            || is_proof(text.slice(start..name)) && !matches!(next, b'=' | b' ' | 0))
}

fn is_proof(name: &str) -> bool {
    PROOFS.contains(&name.to_ascii_lowercase().as_str())
}

/// Masks only the proofs in `username="bob", response="…"`.
fn parameters(text: Text<'_>, start: usize, end: usize, spans: &mut Vec<Span>) {
    let mut at = start;
    while at < end {
        let name_start = text.run(at, end - at, |byte| is_blank(byte) || byte == b',');
        let name_end = text.run(name_start, end - name_start, |byte| {
            is_alphanumeric(byte) || matches!(byte, b'_' | b'-')
        });
        if text.at(name_end) != b'=' || name_end >= end || name_end == name_start {
            break;
        }
        let open = text.run(name_end + 1, 4, |byte| matches!(byte, b'"' | b'\\'));
        let is_end = |byte: u8| {
            if open > name_end + 1 {
                matches!(byte, b'"' | b'\\')
            } else {
                byte == b',' || is_space(byte) || matches!(byte, b'"' | b'\'' | b'\\')
            }
        };
        let value_end = text.run(open, end.saturating_sub(open), |byte| !is_end(byte));
        let found = text.slice(open..value_end);
        if is_proof(text.slice(name_start..name_end))
            && found.len() >= 4
            && !value::is_placeholder(found)
        {
            spans.push(open..value_end);
        }
        at = text
            .run(value_end, 4, |byte| matches!(byte, b'"' | b'\\'))
            .max(name_end + 1);
    }
}

/// The secret of `Bearer …` anywhere in text; `start` is after the word and its space.
pub(super) fn bearer(text: Text<'_>, start: usize) -> Option<Span> {
    let start = text.run(start, 4, is_blank);
    // Its beginning says whether a token was generated.
    let head = token_end(text, start, text.len().min(start + value::EXAMINED));
    let head = text.slice(start..head);
    let made = value::is_key_like(head, 10) || value::is_password_like(head) && head.len() >= 8;
    let goes_on = head.len() >= value::EXAMINED && head.contains('=');
    if !made || goes_on {
        return None;
    }
    let end = token_end(text, start, text.len().min(start + 16 * value::EXAMINED));
    let found = text.slice(start..end);
    if is_cut(text, found, end) {
        return None;
    }
    // `WWW-Authenticate: Bearer resource_metadata="…"`
    if found.ends_with('=') && matches!(text.at(end), b'"' | b'\\') {
        return None;
    }
    (!value::is_placeholder(found)
        && !value::is_code(found)
        && !found.contains('=') | found.ends_with('='))
    .then_some(start..end)
}

/// Masks the token in `Sec-WebSocket-Protocol: bearer, …`: browsers can send a token only as a
/// protocol.
pub(super) fn web_socket_protocols(text: Text<'_>, start: usize, spans: &mut Vec<Span>) {
    let end = text.run(start, 16 * value::EXAMINED, |byte| {
        !matches!(byte, b'\n' | b'\r' | b'"' | b'\'')
    });
    let mut at = start;
    while at < end {
        let from = text.run(at, end - at, |byte| {
            is_space(byte) || matches!(byte, b',' | b':')
        });
        let to = text.run(from, end - from, |byte| !is_space(byte) && byte != b',');
        let shown = text.slice(from..to);
        // Kubernetes puts a prefix before the token.
        let from = shown.rfind("k8s.io.").map_or(from, |name| from + name + 7);
        if value::is_key_like(text.slice(from..to), 16) {
            spans.push(from..to);
        }
        at = to.max(at + 1);
    }
}

/// The secret of `Basic …` anywhere in text: base64 that decodes to `user:password`.
pub(super) fn basic(text: Text<'_>, start: usize) -> Option<Span> {
    let end = text.run(start, 4 * value::EXAMINED, is_base64_any);
    let found = text.slice(start..end);
    let decoded = (found.len() >= 6)
        .then(|| base64::decode(found))
        .flatten()?;
    let decoded = String::from_utf8(decoded).ok()?;
    (decoded.contains(':') && !decoded.chars().any(char::is_control)).then_some(start..end)
}

const ATTRIBUTES: &[&str] = &[
    "path",
    "domain",
    "expires",
    "max-age",
    "samesite",
    "secure",
    "httponly",
    "version",
    "priority",
    "partitioned",
    "comment",
];

/// Masks the values of `name=value; name=value` from `start` to the end of the line or the closing
/// quote.
pub(super) fn cookies(text: Text<'_>, start: usize, end: usize, spans: &mut Vec<Span>) {
    let mut at = start;
    while at < end {
        let name_start = text.run(at, end - at, |byte| is_blank(byte) || byte == b';');
        let name_end = text.run(name_start, (end - name_start).min(80), |byte| {
            byte.is_ascii_graphic()
                && !matches!(byte, b'=' | b';' | b'"' | b'\'' | b',' | b':' | b'\\')
        });
        if name_end == name_start {
            break;
        }
        if text.at(name_end) != b'=' || name_end >= end {
            // `Secure` and `HttpOnly` have no value; anything else is not a cookie.
            if !ATTRIBUTES.contains(
                &text
                    .slice(name_start..name_end)
                    .to_ascii_lowercase()
                    .as_str(),
            ) {
                break;
            }
            at = name_end;
            continue;
        }
        let attribute = ATTRIBUTES.contains(
            &text
                .slice(name_start..name_end)
                .to_ascii_lowercase()
                .as_str(),
        );
        // A date contains spaces; a secret does not.
        let value_end = text.run(name_end + 1, end - name_end - 1, |byte| {
            byte != b';'
                && !matches!(byte, b'"' | b'\'' | b'\n' | b'\r' | b'\\')
                && (attribute || !is_space(byte))
        });
        let found = text.slice(name_end + 1..value_end);
        if !attribute && is_cookie_secret(found) {
            spans.push(name_end + 1..value_end);
        }
        if text.at(value_end) != b';' {
            break;
        }
        at = value_end + 1;
    }
}

/// The value in a line of a cookie jar: seven fields, of which the second and the fourth are
/// `TRUE` or `FALSE`, found at one of these.
pub(super) fn cookie_jar_line(text: Text<'_>, at: usize) -> Option<Span> {
    let start = text.line_start(at, 400)?;
    let end = text.run(at, 16 * value::EXAMINED, |byte| {
        !matches!(byte, b'\n' | b'\r')
    });
    let mut fields = text.slice(start..end).split('\t');
    let flags = [fields.nth(1)?, fields.nth(1)?];
    let value = fields.nth(2)?;
    let flagged = flags.iter().all(|flag| matches!(*flag, "TRUE" | "FALSE"));
    let span = end - value.len()..end;
    (flagged && fields.next().is_none() && is_cookie_secret(value)).then_some(span)
}

/// Whether a cookie's value is a credential: `theme=dark` and `lang=en` are not.
pub(super) fn is_cookie_secret(found: &str) -> bool {
    let short_word = found.len() < 8
        && found
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'));
    let small_number = found.len() < 6 && found.bytes().all(|byte| byte.is_ascii_digit());
    // The visitor's number in a count of visitors.
    let counted = found.starts_with("GA1.") || found.starts_with("fb.1.");
    !found.is_empty()
        && !counted
        && !short_word
        && !small_number
        && !value::is_placeholder(found)
        && !value::is_plain_word(found)
}
