//! Finds secrets by their context: a name that suggests a secret, a joint, and a value.
//!
//! `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `?sig=…`, `("X-API-Key", "…")`,
//! `<password>…</password>`, "the password is …". The joint decides how much evidence the value
//! must give: an equals sign is stronger evidence than a space.

mod claim;
mod one_time;
mod part;
mod phrase;
mod wrapper;

pub(super) use self::wrapper::value_at;

use self::claim::mask_value;
use super::before;
use super::extent;
use super::join::{Joined, Joint, join};
use super::name::{self, Hint, Sense};
use super::nest;
use super::opening;
use super::text::{Span, Text, is_alphanumeric, is_blank, is_hex, is_space, is_word};

/// Where the name with the stem (`key`, `pass`, …) ends; `None` if it is an ordinary word, as most
/// matches are: `keyboard`, `passing`, `author`.
pub(super) fn name_end(text: Text<'_>, stem: &Span) -> Option<usize> {
    let end = text.run(stem.end, 48, |byte| {
        is_alphanumeric(byte) || matches!(byte, b'_' | b'-')
    });
    let dashes = text.bytes[stem.end..end]
        .iter()
        .rev()
        .take_while(|byte| **byte == b'-')
        .count();
    let end = end - dashes;
    (!is_ordinary_tail(&text.bytes[stem.end..end])).then_some(end)
}

/// Looks for a secret around the stem of the name that ends at `end`. Returns the position before
/// which names need not be examined again.
pub(super) fn at(text: Text<'_>, stem: Span, end: usize, spans: &mut Vec<Span>) -> usize {
    let before = spans.len();
    let looked = after(text, &stem, end, spans);
    if spans.len() == before && may_stand_before(text, end) {
        let start = name_start(text, stem.start);
        let sense = || name::sense(text.slice(start..end), lead(text, start));
        spans.extend(before::value(text, &(start..end), sense));
    }
    let plural = text.before(end) == b's' && text.before(end - 1) == b'e';
    if plural && spans.len() == before && text.bytes[..end].ends_with(b"codes") {
        let start = name_start(text, stem.start);
        if name::sense(text.slice(start..end), lead(text, start)) == Some(Sense::Code) {
            one_time::codes_below(text, end, spans);
        }
    }
    looked
}

/// What the name around a stem says of what stands near it.
pub(super) fn hint(text: Text<'_>, stem: &Span, end: usize) -> Option<Hint> {
    let start = name_start(text, stem.start);
    name::hint(text.slice(start..end), lead(text, start))
}

/// A cheap check of what follows a name that has its value before it: the name of a field, which
/// most names are, has not.
fn may_stand_before(text: Text<'_>, end: usize) -> bool {
    match text.at(end) {
        b'"' | b'\'' => matches!(
            text.at(end + 1),
            b',' | b'}' | b']' | b'\n' | b'\r' | b')' | 0
        ),
        byte => matches!(
            byte,
            b')' | b'.' | b'?' | b'!' | b',' | b'\n' | b'\r' | b';' | 0
        ),
    }
}

/// Looks for a secret after the name.
fn after(text: Text<'_>, stem: &Span, end: usize, spans: &mut Vec<Span>) -> usize {
    if let Some(joined) = join(text, stem.start, end).map(|joined| opened(text, joined))
        && may_follow(text, &joined)
    {
        let start = name_start(text, stem.start);
        let name = text.slice(start..end);
        if let Some(sense) = name::sense(name, lead(text, start)) {
            if matches!(text.at(joined.at), b'{' | b'\n' | b'\r') && nest::is_collection(name) {
                nest::values(text, start, joined.at, spans);
                return end;
            }
            if is_resource_name(text, start, &joined)
                || is_test_result(text, name, start, &joined)
                || is_macro(text, name, end)
                || is_directory(text, name, &joined)
                || is_digest_of(text, start)
                || is_signer(text, name, &joined)
                || is_module(text, start, &joined)
                || joined.joint == Joint::Call && name.ends_with("UserPassword")
            {
                return end;
            }
            let (sense, joined) = if joined.joint == Joint::Call && asks(name) {
                (
                    Sense::Pass,
                    Joined {
                        joint: Joint::Pair,
                        ..joined
                    },
                )
            } else {
                (sense, joined)
            };
            let looked = mask_value(text, start, sense, &joined, spans);
            return end.max(looked);
        }
    }
    end
}

/// The same, with what dumps print before a value skipped.
fn opened(text: Text<'_>, joined: Joined) -> Joined {
    // Nothing precedes a quoted value, as most are.
    if text.at(joined.at) == b'"' {
        return joined;
    }
    match joined.joint {
        Joint::Assign | Joint::Colon | Joint::Pair | Joint::Markup => {
            let at = opening::past(text, joined.at);
            match opening::past_constructor(text, at) {
                Some((at, false)) => Joined {
                    joint: Joint::Pair,
                    at,
                },
                Some((at, true)) => Joined { at, ..joined },
                None => Joined {
                    at: past_tag(text, at),
                    ..joined
                },
            }
        }
        Joint::Prose => Joined {
            at: past_tag(text, joined.at),
            ..joined
        },
        _ => joined,
    }
}

/// Skips the tag before a word that a page stresses: "the password is <strong>…</strong>".
fn past_tag(text: Text<'_>, at: usize) -> usize {
    if text.at(at) != b'<' {
        return at;
    }
    let name = text.run(at + 1, 8, |byte| byte.is_ascii_lowercase());
    let inline = matches!(
        text.slice(at + 1..name),
        "b" | "strong" | "code" | "em" | "i" | "kbd" | "tt" | "mark" | "span" | "pre" | "u"
    );
    let close = text.run(name, 80, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
    if inline && text.at(close) == b'>' {
        close + 1
    } else {
        at
    }
}

/// Whether a name is a lookup, as in `get_password("db")`: its argument is then not a secret.
fn asks(name: &str) -> bool {
    let own = name.rsplit(['.', '$']).next().unwrap_or_default();
    let verbs = [
        "get", "fetch", "read", "load", "find", "check", "verify", "valid", "is", "has", "reset",
        "forgot", "ask", "prompt", "show", "print", "log", "input", "expect", "test", "assert",
        "lookup", "remove", "delete", "render", "require",
    ];
    verbs.iter().any(|verb| {
        own.len() > verb.len() && own.as_bytes()[..verb.len()].eq_ignore_ascii_case(verb.as_bytes())
    })
}

/// Whether this is a resource name, as in `arn:aws:secretsmanager:…:secret:prod/db`.
fn is_resource_name(text: Text<'_>, start: usize, joined: &Joined) -> bool {
    joined.joint == Joint::Colon
        && text.before(start) == b':'
        && text.slice(start.saturating_sub(80)..start).contains("arn:")
}

/// Whether this is AsciiDoc's macro that passes text through: `pass:[<u>text</u>]`, `pass:q[*text*]`.
fn is_macro(text: Text<'_>, name: &str, end: usize) -> bool {
    if name != "pass" || text.at(end) != b':' {
        return false;
    }
    let options = text.run(end + 1, 24, |byte| {
        byte.is_ascii_lowercase() || matches!(byte, b',' | b':')
    });
    text.at(options) == b'['
}

/// Whether the name is that of the working directory, and a path follows: `PWD=/srv/app`.
fn is_directory(text: Text<'_>, name: &str, joined: &Joined) -> bool {
    matches!(name, "PWD" | "OLDPWD")
        && (text.at(joined.at) == b'/' || text.at(joined.at + 1) == b':')
}

/// Whether the name is that of a digest: `checksum/secret: …`.
fn is_digest_of(text: Text<'_>, start: usize) -> bool {
    if text.before(start) != b'/' {
        return false;
    }
    let slash = start - 1;
    let from = text.run_back(slash, 16, is_alphanumeric);
    matches!(
        text.slice(from..slash),
        "checksum" | "hash" | "digest" | "sha256"
    )
}

/// Whether this is the id of the key that signs: `signingkey = 87F3F87F48E8DB52`.
fn is_signer(text: Text<'_>, name: &str, joined: &Joined) -> bool {
    if !name.eq_ignore_ascii_case("signingkey") {
        return false;
    }
    let end = text.run(joined.at, 41, is_hex);
    end - joined.at <= 40 && !is_word(text.at(end))
}

/// Whether this is a module and what it does, as PAM logs it: `pam_unix(passwd:chauthtok)`.
fn is_module(text: Text<'_>, start: usize, joined: &Joined) -> bool {
    if text.before(start) != b'(' || text.before(joined.at) != b':' {
        return false;
    }
    let end = text.run(joined.at, 24, |byte| byte.is_ascii_lowercase());
    text.at(end) == b')'
}

/// Whether a test passed: `--- PASS: TestToken2 (0.09s)`, `PASS: tests/b2.sh`.
fn is_test_result(text: Text<'_>, name: &str, start: usize, joined: &Joined) -> bool {
    if name != "PASS" || joined.joint != Joint::Colon {
        return false;
    }
    let lead = text
        .line_start(start, 40)
        .map(|line| text.slice(line..start).trim_start());
    let end = text.run(joined.at, 80, |byte| !is_space(byte));
    let tested = text.slice(joined.at..end);
    match lead {
        Some("--- ") => true,
        Some("") => {
            tested.contains(['/', '.', '_', ':'])
                || tested.starts_with("Test")
                || tested.starts_with("test")
        }
        _ => false,
    }
}

/// A cheap check of the value before the name is examined: after a space or "is", most text is
/// prose.
fn may_follow(text: Text<'_>, joined: &Joined) -> bool {
    if extent::is_mark(text, joined.at) {
        return true;
    }
    if !matches!(joined.joint, Joint::Blank | Joint::Prose | Joint::Pair) {
        return !is_constant(text, joined.at);
    }
    let end = text.run(joined.at, 64, |byte| !is_space(byte));
    let word = &text.bytes[joined.at..end];
    if joined.joint == Joint::Blank && word.starts_with(b"-") {
        return false;
    }
    let marked = |byte: &u8| {
        byte.is_ascii_digit()
            || matches!(
                byte,
                b'=' | b'!'
                    | b'@'
                    | b'#'
                    | b'$'
                    | b'%'
                    | b'^'
                    | b'&'
                    | b'*'
                    | b'+'
                    | b'?'
                    | b'~'
                    | b'"'
                    | b'\''
            )
    };
    word.iter().any(marked)
        || word.len() >= 16
        || text.starts_with(end, " / ")
        || word.len() == 4 && extent::grouped(text, joined.at).is_some()
        || joined.joint == Joint::Prose
            && word.iter().all(u8::is_ascii_lowercase)
            && text.bytes[joined.at.saturating_sub(24)..joined.at]
                .windows(6)
                .any(|window| window == b"phrase" || window == b"monic ")
}

/// `null`, `true` or a small number, the values of most JSON members.
fn is_constant(text: Text<'_>, at: usize) -> bool {
    let end = text.run(at, 6, is_alphanumeric);
    // `"password": 2050` in a list of words and their numbers.
    let member = || {
        let colon = text.run_back(at, 1, is_blank);
        text.before(colon) == b':' && text.before(colon - 1) == b'"'
    };
    let small = text.bytes[at..end].iter().all(u8::is_ascii_digit)
        && (end - at <= 3 || end - at <= 5 && member());
    let word = matches!(&text.bytes[at..end], b"null" | b"true" | b"false");
    end > at && (small || word) && matches!(text.at(end), b',' | b'}' | b'\n')
}

/// Where the name starts. In scripts that do not separate words by spaces, the stem is the name.
pub(super) fn name_start(text: Text<'_>, stem: usize) -> usize {
    if text.at(stem) >= 0xe0 {
        return stem;
    }
    let start = text.run_back(stem, 64, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.' | b'$')
    });
    // `-Dpassword=…`: a definition on a command line.
    let defined = matches!(&text.bytes[start..stem], [b'-', b'D' | b'P', ..]) && start + 2 <= stem;
    if defined && text.at(start + 2).is_ascii_lowercase() {
        return start + 2;
    }
    // `%3Ftoken%3D…`: the digits belong to an encoded question mark.
    let encoded = text.before(start) == b'%'
        && start + 2 <= stem
        && is_hex(text.at(start))
        && is_hex(text.at(start + 1));
    if encoded { start + 2 } else { start }
}

/// Lowercase letters that make the stem part of another word.
fn is_ordinary_tail(tail: &[u8]) -> bool {
    let letters = tail
        .iter()
        .take_while(|byte| byte.is_ascii_lowercase())
        .count();
    letters > 0
        && !matches!(
            &tail[..letters],
            b"s" | b"word"
                | b"words"
                | b"wd"
                | b"phrase"
                | b"code"
                | b"orization"
                | b"nature"
                | b"ential"
                | b"entials"
                | b"wort"
                | b"w"
                | b"value"
                | b"id"
                | b"token"
                | b"key"
                | b"base"
                | b"hash"
                | b"string"
                | b"file"
                | b"header"
                | b"ion"
                | b"ionid"
                | b"toke"
                | b"secret"
                | b"password"
                | b"wrd"
                | b"ord"
                | b"ordet"
                | b"n"
                | b"tok"
        )
}

/// Up to two words of prose before a name, such as "your API" in "your API key".
fn lead(text: Text<'_>, start: usize) -> &str {
    if !is_blank(text.before(start)) {
        return "";
    }
    let from = text.run_back(start, 24, |byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'-' | b'_')
    });
    let words = text.slice(from..start);
    // `url=https://example.com/sync token=…`: the end of an address is no word before the name.
    match text.before(from) {
        b'/' => words.split_once(' ').map_or("", |(_, rest)| rest),
        _ => words,
    }
}
