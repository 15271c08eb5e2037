//! Source code in the place of a value: the next statement, a type, a pattern, a binding of a
//! template. What these rules tell by the form of the value alone, a password hardly ever has.

use std::sync::LazyLock;

use super::place::Place;
use crate::text::is_word;
use crate::value;
use crate::words::WordSet;

/// Words that end the names of types.
static TYPE: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(
        "control token config configuration string type options params props input field model dto \
         handler service provider manager factory builder client request response result buffer \
         array element component exception callback schema credential credentials observable \
         promise iterator reader writer enum",
    )
});

pub(super) fn any(place: &Place<'_>) -> bool {
    is_technical(place)
        || is_assigned_name(place)
        || is_type(place)
        || is_regular_expression(place.shown)
        || is_alphabet(place.shown)
        || is_binding(place)
        || is_list_of_words(place)
        || is_imported(place)
        || is_pointer_in_document(place.shown)
        || is_field_of_message(place.shown)
        || is_package(place)
        || is_call(place.shown)
        || ["]::", "}return", "return{"]
            .iter()
            .any(|mark| place.shown.contains(mark))
        || place.shown.starts_with('>') && place.shown.contains("</")
}

/// A name of an algorithm, an encoding or a type: `PBKDF2Opts`. In the place of a password only
/// code around it tells: `urlBase64ToUint8Array(key)`, `*oauth2.Token`.
fn is_technical(place: &Place<'_>) -> bool {
    value::is_technical(place.shown)
        && (!place.is_named_password()
            || place.shown.contains(['(', '*', '&'])
            || place.after.starts_with(['(', '.']))
}

/// `cur_token = IDENT;`, `this.sessionKey = sessionKey;`, `FORGOT_PASSWORD = 5;`: a statement, where
/// a text would have quotes. Files of settings end lines in the same way, so that the name itself
/// must be one of code.
fn is_assigned_name(place: &Place<'_>) -> bool {
    let target = place
        .before
        .trim_end()
        .strip_suffix('=')
        .unwrap_or_default();
    let name = place.shown.trim_end_matches(';');
    let ends = name.len() < place.shown.len() && place.after.trim().is_empty()
        || place.after.trim() == ";";
    let number = name.len() <= 3 && name.bytes().all(|byte| byte.is_ascii_digit());
    ends && target.ends_with(' ')
        && !target.contains(['=', ';', '"', '\''])
        && (number || is_name_of_code(place, target.trim(), name))
}

/// Whether a name is a constant, is set to a field of its object, or repeats a word of its target.
fn is_name_of_code(place: &Place<'_>, target: &str, name: &str) -> bool {
    let constant = name
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let object = ["this.", "self.", "let ", "const ", "var "]
        .iter()
        .any(|it| target.starts_with(it))
        || target.contains("->");
    let own = value::words_of_name(target).last().unwrap_or_default();
    let repeats = name.starts_with(|c: char| c.is_ascii_lowercase())
        && value::words_of_name(name).count() >= 2
        && value::words_of_name(name).any(|word| word.eq_ignore_ascii_case(own));
    name.bytes()
        .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && !value::is_key_like(name, 10)
        && (constant && !place.is_named_password() || object || repeats)
}

/// `password: FormControl;`, `token?: AccessToken | null`, `Vec<Vec<u8>>`. The last word must be one
/// of types: `BlueMonkey` is written in the same way.
fn is_type(place: &Place<'_>) -> bool {
    let name = place.shown.trim_end_matches([';', ',', ')', '[', ']']);
    let generic = name.ends_with('>')
        && name.contains('<')
        && name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .all(|part| {
                part.bytes().all(|byte| byte.is_ascii_alphabetic()) || value::is_technical(part)
            });
    let camel = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (2..=5).contains(&value::words_of_name(name).count())
        && (place.before.ends_with("?: ")
            || value::words_of_name(name)
                .last()
                .is_some_and(|last| TYPE.contains(last)));
    let ends = name.len() < place.shown.len() && place.after.trim_end().is_empty()
        || [";", "<", " |", " =", ")", "["]
            .iter()
            .any(|mark| place.after.starts_with(mark));
    place.before.ends_with(": ")
        && (camel && ends
            || generic
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"<>, _[]".contains(&byte)))
}

/// A regular expression, which at least two of its signs tell: `^SIG_([RK]1|WA)_[1-9A-HJ]+$`.
fn is_regular_expression(shown: &str) -> bool {
    let signs = [
        "(?", "[^", "\\d", "\\w", "\\s", "\\b", "\\.", "]+", "]*", "]{", ")+", ")*", ")?", ".*",
        ".+", "a-z", "A-Z", "0-9", "$)",
    ];
    let framed = shown.starts_with('^') && shown.ends_with('$') && shown.contains(['[', '(']);
    let grouped = shown.contains(['[', '(']);
    framed || grouped && signs.iter().filter(|sign| shown.contains(*sign)).count() >= 2
}

/// The characters that something may be made of: `abcdefghijklmnopqrstuvwxyz0123456789`.
fn is_alphabet(shown: &str) -> bool {
    let pairs = shown.as_bytes().windows(2);
    let ascending = pairs
        .filter(|pair| pair[0].checked_add(1) == Some(pair[1]))
        .count();
    shown.len() >= 32 && ascending * 10 >= shown.len() * 9
}

/// An attribute whose text is code: `[password]="filePassword"`, `(change)="save('password')"`,
/// `:token="session.token"`, `v-model="password"`.
fn is_binding(place: &Place<'_>) -> bool {
    let Some(open) = place.before.rfind("=\"") else {
        return false;
    };
    let name = place.before[..open]
        .rsplit([' ', '\t'])
        .next()
        .unwrap_or_default();
    let bound = name.starts_with(['[', '(']) && name.ends_with([']', ')'])
        || name.len() > 1 && name.starts_with(':')
        || name.starts_with("v-")
        || name.starts_with("bind:");
    // A text inside of the code has quotes of its own, and a name has no marks.
    let quote = ['\'', '`'];
    let literal = place.before.ends_with(quote) || place.shown.starts_with(quote);
    let text = place.shown.trim_matches(quote);
    let made = value::is_key_like(text, 12)
        || value::is_password_like(text)
        || !text.is_ascii()
        || text.contains(['-', '#', '@'])
        || literal && !value::is_plain_word(text);
    bound && place.before[..open].contains('<') && !place.before[open + 2..].contains('"') && !made
}

/// Words in brackets: `%w(read write)`, `%i[key]`.
fn is_list_of_words(place: &Place<'_>) -> bool {
    ["%w", "%i", "%W", "%I"].iter().any(|it| {
        place.shown.strip_prefix(it).is_some_and(|rest| {
            rest.starts_with(['(', '[', '{']) && !rest.bytes().any(|byte| byte.is_ascii_digit())
        })
    })
}

/// `import { Password } from "…"`, `require "argon2"`
fn is_imported(place: &Place<'_>) -> bool {
    let statement = place.before.trim_end_matches(['"', '\'']);
    place.is_quoted()
        && (statement.ends_with(" from ") && statement.trim_start().starts_with("import")
            || statement.ends_with(" from ") && statement.trim_start().starts_with("export")
            || statement.trim_start() == "import "
            || statement.trim_end_matches([' ', '(']).ends_with("require"))
}

/// A function with a variable or a type as its argument: `md5($password)`, `make([]byte,`.
fn is_call(shown: &str) -> bool {
    shown.split_once('(').is_some_and(|(name, arguments)| {
        let named = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.bytes().all(is_word);
        let variable = arguments.strip_prefix('$').is_some_and(|it| {
            it.starts_with(|c: char| c.is_ascii_lowercase()) && it.ends_with(')')
        });
        named && (variable || arguments.starts_with("[]"))
    })
}

/// A package by its path: `"git.example.com/acme/vault/credential/userpass"`.
fn is_package(place: &Place<'_>) -> bool {
    let (host, path) = place.shown.split_once('/').unwrap_or_default();
    let lower =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"./_-".contains(&byte);
    let named = place
        .before
        .trim_end_matches(['"', '\'', ' '])
        .ends_with([':', '=']);
    let domain = [".com", ".org", ".io", ".net", ".dev", ".in"]
        .iter()
        .any(|it| host.ends_with(it));
    place.is_quoted() && !named && domain && path.contains('/') && place.all(lower)
}

/// Another place of the same document: `#/components/schemas/ApiKey`.
fn is_pointer_in_document(shown: &str) -> bool {
    shown.starts_with("#/")
        && shown.matches('/').count() >= 2
        && shown
            .split('/')
            .all(|name| !value::is_key_like(name, 6) || value::is_technical(name))
        && shown[2..]
            .bytes()
            .all(|byte| is_word(byte) || matches!(byte, b'/' | b'-' | b'.' | b'~' | b'%'))
}

/// How a field of a message is written: `bytes,1,opt,name=key,proto3`.
fn is_field_of_message(shown: &str) -> bool {
    let mut parts = shown.split(',');
    matches!(
        parts.next(),
        Some("bytes" | "varint" | "fixed32" | "fixed64" | "zigzag32" | "zigzag64")
    ) && parts
        .next()
        .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        && matches!(parts.next(), Some("opt" | "rep" | "req"))
}
