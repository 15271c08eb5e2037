//! A quoted text that follows a quoted name or a lookup: a pair, a default, the answer to a prompt.

use super::{Joined, Joint, skip_blanks};
use crate::extent;
use crate::neighbour;
use crate::text::{Text, is_space, is_word};

/// The default in `process.env.API_KEY || '…'`.
pub(super) fn fallback(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = skip_blanks(text, index);
    extent::is_mark(text, at).then_some(Joined {
        joint: Joint::Pair,
        at,
    })
}

/// The same after a lookup with a quoted name: `os.environ.get("PASSWORD") or "…"`,
/// `process.env["TOKEN"] ?? "…"`.
pub(super) fn fallback_of_lookup(text: Text<'_>, index: usize) -> Option<Joined> {
    ["or ", "|| ", "?? ", "?: ", "// "]
        .iter()
        .find(|word| text.starts_with(index, word))
        .and_then(|word| fallback(text, index + word.len()))
}

/// The answer to a quoted prompt, as in `expect "Password:" send "…"`. `None` if this is no prompt,
/// `Some(None)` if no answer follows, in which case there is no value.
pub(super) fn prompt(text: Text<'_>, stem: usize, colon: usize) -> Option<Option<Joined>> {
    let past = text.run(colon + 1, 2, |byte| matches!(byte, b' ' | b'*'));
    let quote = text.at(past);
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let open = text.run_back(stem, 64, |byte| {
        byte != quote && byte != b'\n' && byte != b','
    });
    let asked = text.before(open) == quote
        && (text.at(open).is_ascii_alphabetic() || matches!(text.at(open), b'*' | b'(' | b'['));
    let closed_before = open >= 2 && (is_word(text.at(open - 2)) || text.at(open - 2) == b':');
    if !asked || closed_before {
        return None;
    }
    Some(answer(text, past + 1))
}

pub(crate) fn answer(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 32, |byte| {
        is_space(byte) || matches!(byte, b';' | b'{' | b')' | b',')
    });
    let said = [
        "send -- ",
        "send ",
        "sendline(",
        "exp_send ",
        "child.sendline(",
        "-> ",
        "=> ",
        "-i ",
    ]
    .iter()
    .find(|word| text.starts_with(at, word));
    let at = at + said.map_or(0, |word| word.len());
    (extent::is_mark(text, at)).then_some(Joined {
        joint: Joint::Pair,
        at,
    })
}

/// The second of two quoted texts: `"password", "…"`.
pub(super) fn pair(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 16, is_space);
    let at = if text.at(at) == b'b' { at + 1 } else { at };
    // Erlang's binaries.
    let at = if text.starts_with(at, "<<") {
        at + 2
    } else {
        at
    };
    let joined = Joined {
        joint: Joint::Pair,
        at,
    };
    (extent::is_mark(text, at) && neighbour::next(text, index).is_none()).then_some(joined)
}

/// Whether a bare name is an argument or an element: `strcmp(password, "…")`, `{password, "…"}`.
pub(super) fn is_argument(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 64, |byte| {
        is_word(byte) || matches!(byte, b'.' | b'$' | b'@' | b'>' | b'-')
    });
    let start = text.run_back(start, 4, is_space);
    matches!(text.before(start), b'(' | b'{' | b'[' | b',')
}

/// Methods whose argument is what the object is, or would be.
const METHODS: &[&str] = &[
    "equals(",
    "equalsIgnoreCase(",
    "contentEquals(",
    "compareTo(",
    "compare(",
    "eql?(",
    "eq(",
    "is(",
    "isEqualTo(",
    "toBe(",
    "toEqual(",
    "toStrictEqual(",
    "unwrap_or(",
    "unwrap_or_else(|| ",
    "unwrap_or_else(|_| ",
    "orElse(",
    "getOrElse(",
    "or(",
    "default(",
    "withDefault(",
    "set(",
    "setValue(",
    "assign(",
];

/// The argument of `password.equals("…")` and `var("API_KEY").unwrap_or("…")`.
pub(super) fn method(text: Text<'_>, dot: usize) -> Option<Joined> {
    let name = METHODS.iter().find(|it| text.starts_with(dot + 1, it))?;
    let at = text.run(dot + 1 + name.len(), 8, is_space);
    extent::is_mark(text, at).then_some(Joined {
        joint: Joint::Pair,
        at,
    })
}

/// The next argument of an audited command: `a1="--token" a2="…"`.
pub(super) fn audited(text: Text<'_>, next: usize) -> Option<Joined> {
    let equals = text.run(next + 1, 3, |byte| byte.is_ascii_digit());
    let numbered = text.at(next) == b'a' && equals > next + 1 && text.at(equals) == b'=';
    (numbered && extent::is_mark(text, equals + 1)).then_some(Joined {
        joint: Joint::Pair,
        at: equals + 1,
    })
}

/// The default among the arguments after a quoted name: `option("--token", default="…")`.
pub(super) fn default_argument(text: Text<'_>, index: usize) -> Option<Joined> {
    let end = text.run(index, 160, |byte| !matches!(byte, b'\n' | b')'));
    let arguments = text.slice(index..end);
    let word = ["default", "Default"]
        .iter()
        .find_map(|word| arguments.find(word))?;
    let joint = skip_blanks(text, index + word + "default".len());
    let at = skip_blanks(text, joint + 1);
    (matches!(text.at(joint), b'=' | b':') && extent::is_mark(text, at)).then_some(Joined {
        joint: Joint::Pair,
        at,
    })
}

/// The value after a name that PHP serialized: `s:8:"password";s:6:"…"`.
pub(super) fn serialized(text: Text<'_>, semicolon: usize) -> Option<Joined> {
    let length = semicolon + 3;
    let colon = text.run(length, 6, |byte| byte.is_ascii_digit());
    (text.starts_with(semicolon, ";s:") && text.starts_with(colon, ":\"")).then_some(Joined {
        joint: Joint::Pair,
        at: colon + 1,
    })
}
