//! Code in the place of a value: expressions, names of variables, the next assignment.

use super::letters;
use super::placeholder::is_identifier;
use crate::text::is_alphanumeric;

/// An unquoted expression: a call, an index, a dotted path of names, a type.
pub(crate) fn is_code(value: &str) -> bool {
    let bytes = value.as_bytes();
    if matches!(value, "!0" | "!1")
        || is_expression(value)
        || is_function(value)
        || is_negated(value)
        || is_pointer(value)
        || is_variable_path(value)
    {
        return true;
    }
    if let Some(open) = value.find(['(', '[', '{'])
        && !goes_on_behind_brackets(value)
    {
        let head = &value[..open];
        if is_member(head) {
            return true;
        }
        return !head.is_empty()
            && head.bytes().all(|b| {
                is_alphanumeric(b)
                    || matches!(b, b'_' | b'.' | b':' | b'!' | b'$' | b'?' | b'@' | b'&')
            })
            && !digits_inside(head);
    }
    let path = value.contains("::") && value.bytes().filter(u8::is_ascii_digit).count() <= 6;
    if path
        || value.starts_with('&')
            && (value.len() < 12 || is_identifier(&value[1..]) && !digits_inside(value))
        || value.starts_with("->")
        || value.starts_with("=>")
    {
        return true;
    }
    let dotted = value.contains('.')
        && value
            .split('.')
            .all(|part| is_name_part(part.trim_end_matches(['!', '?', ';', ','])));
    let generic = value.ends_with('>') && value.contains('<') && bytes[0].is_ascii_alphabetic();
    dotted || generic || repeats_a_sensitive_word(value)
}

/// Whether letters or digits follow a closing bracket, `E0()E_l.b6Vs`, or a bracket with more behind
/// it is never closed, `uQXL[iV*9`: no expression goes on like that.
fn goes_on_behind_brackets(value: &str) -> bool {
    let closed = value
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair[0], b')' | b']' | b'}') && pair[1].is_ascii_alphanumeric());
    let open = value.contains('[') && !value.contains(']') && value.contains(['*', '!', '#', '^']);
    closed || open
}

/// What is called in `Digest::SHA256.digest(…)` and `sha256.Sum256(…)`.
fn is_member(head: &str) -> bool {
    let mut parts = head.split(['.', ':']).filter(|part| !part.is_empty());
    let named = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.trim_end_matches(|c: char| c.is_ascii_digit()).len() + 4 > part.len()
            && part
                .trim_end_matches(|c: char| c.is_ascii_digit())
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    };
    head.contains(['.', ':']) && parts.clone().count() >= 2 && parts.all(named)
}

/// `$page->getTitle()`, `($line.Value`
fn is_variable_path(value: &str) -> bool {
    let Some(name) = value.trim_start_matches('(').strip_prefix('$') else {
        return false;
    };
    let end = name
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(name.len());
    let next = &name[end..];
    end >= 2
        && is_name_part(&name[..end])
        // The mark after the dash may have ended the value.
        && (next == "-" || next.starts_with("->") || next.starts_with("::") || next.starts_with(['.', '[']))
}

/// `!!config.token`, `!hasToken`
fn is_negated(value: &str) -> bool {
    let name = value.trim_start_matches('!').trim_end_matches([';', ',']);
    name.len() < value.len() && value.starts_with("!!") && is_path_of_names(name)
}

/// A type of Go or C: `*rsa.PrivateKey`, `[]byte`, `*Pass`.
fn is_pointer(value: &str) -> bool {
    let name = value
        .trim_start_matches("[]")
        .trim_start_matches(['*', '&'])
        .trim_end_matches([',', ';', ')']);
    name.len() < value.len() && value.starts_with(['*', '[']) && is_path_of_names(name)
}

fn is_path_of_names(value: &str) -> bool {
    value.split('.').all(is_name_part)
}

/// Tags of a field in Go: `` Password string `json:"password"` ``.
pub(crate) fn is_field_tag(value: &str) -> bool {
    value.split_once(":\"").is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

/// The name of a constant or a variable of the environment: `LITESTREAM_R2_BUCKET`.
pub(crate) fn is_constant_name(value: &str) -> bool {
    let words = value.split('_').filter(|part| {
        part.len() >= 2
            && part.starts_with(|c: char| c.is_ascii_uppercase())
            && part.bytes().filter(u8::is_ascii_digit).count() <= 1
    });
    value.len() >= 8
        && words.count() >= 2
        && value.starts_with(|c: char| c.is_ascii_uppercase())
        && value
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && !digits_inside(value)
        && !letters::are_random(value)
}

/// A text that is filled in later: `recent_files_%d`, `tokens-#{digest}`.
pub(crate) fn is_interpolated(value: &str) -> bool {
    ["%d", "%s", "#{", "${", "{{"].iter().any(|mark| {
        value.find(mark).is_some_and(|at| {
            // In `%dAB`, the digits of an escape follow.
            let next = value.as_bytes().get(at + 2);
            !mark.starts_with('%') || !next.is_some_and(u8::is_ascii_alphanumeric)
        })
    })
}

/// A regular expression: `/\A(a|b)+/`.
pub(crate) fn is_pattern(value: &str) -> bool {
    value.starts_with('/') && value.contains(['(', '[', '\\'])
}

/// The beginning of a function without a name: `()=>token`, `(a,b)=>{`.
fn is_function(value: &str) -> bool {
    let Some((parameters, body)) = value.strip_prefix('(').and_then(|it| it.split_once(')')) else {
        return false;
    };
    body.trim_start().starts_with('=')
        && parameters
            .bytes()
            .all(|byte| is_alphanumeric(byte) || matches!(byte, b'_' | b'$' | b',' | b' ' | b'.'))
}

/// The beginning of a regular expression with marks that no password has: `/(?:a|b)`, `/[^/]`.
fn is_expression(value: &str) -> bool {
    value.starts_with('/')
        && ["(?:", "(?", "[^", "\\s", "\\d", "\\w", "\\b"]
            .iter()
            .any(|mark| value.contains(mark))
}

/// A variable in code: `image_base64`, `defaultToConfig2`. Passwords look like this too, generated
/// keys do not.
pub(crate) fn is_variable(value: &str) -> bool {
    let name = value.trim_end_matches([',', ';']);
    let word = |part: &str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        letters.len() >= 2
            && part.len() - letters.len() <= 2
            && letters.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let snake = name.contains('_') && name.split('_').all(word);
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let humps = letters
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    let camel = name.len() - letters.len() <= 1
        && (2..=4).contains(&humps)
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && is_one_case_or_camel(letters);
    (snake || camel) && name.len() <= 40 && !letters::are_random(letters)
}

pub(super) fn digits_inside(value: &str) -> bool {
    value.bytes().filter(u8::is_ascii_digit).count() > 2
}

fn is_name_part(part: &str) -> bool {
    !part.is_empty()
        && part
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && is_one_case_or_camel(part)
}

/// Whether a name is `snake_case`, `CONSTANT`, `camelCase` or `Title`, which random letters rarely
/// are.
pub(super) fn is_one_case_or_camel(part: &str) -> bool {
    let humps = part
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    part.bytes().all(|byte| !byte.is_ascii_lowercase()) || humps * 4 <= part.len()
}

/// Whether a value is a variable named after its content, without digits: `passwordHash`,
/// `api_key_from_file`.
fn repeats_a_sensitive_word(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let named = [
        "password",
        "passwd",
        "secret",
        "token",
        "apikey",
        "api_key",
        "api-key",
        "credential",
        "passphrase",
        "_key",
        "pwd",
    ];
    let value = value.trim_end_matches([';', ',']);
    is_name_part(value) && value.len() <= 40 && named.iter().any(|word| lower.contains(word))
}

/// Whether a value is the name of a secret, possibly with a digit or two: `Auth0ClientSecret`.
pub(crate) fn is_secret_name(value: &str) -> bool {
    let letters: String = value.chars().filter(|c| !c.is_ascii_digit()).collect();
    value.len() - letters.len() <= 2
        && repeats_a_sensitive_word(&letters.replace(['-', '.', '$'], "_"))
}

/// A name of several words with a version in it: `wpa2-pre-shared-key`.
fn is_numbered_name(name: &str) -> bool {
    let word = |part: &str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        letters.len() >= 2
            && part.len() - letters.len() <= 1
            && letters.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    name.split('-').count() >= 3 && name.split('-').all(word)
}

/// Whether this is the next attribute or field and not a value: `class=`, `username=bob`.
pub(crate) fn is_assignment(value: &str) -> bool {
    value.split_once('=').is_some_and(|(name, rest)| {
        let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_' | b':' | b'.'))
            || is_numbered_name(name);
        named
            && !rest.starts_with('=')
            && (!rest.is_empty()
                || name.len() <= 24 && !name.bytes().any(|b| b.is_ascii_uppercase()))
    })
}
