//! Words that are written as one: `apikey`, `accesstoken`, `dbpassword`.

use super::Sense;
use super::word::{CODE_WORD, HARMLESS_KEY, SECRET_KEY, is_any, token_sense};

/// Words before `pass` in a compound that leave no doubt.
const GLUED_PASS: &[&str] = &[
    "db", "user", "my", "root", "admin", "smtp", "ftp", "mail", "mysql", "pg", "ssh", "imap",
    "ldap", "redis", "wifi", "sql", "key", "store",
];

/// The sense of a compound: `apikey`, `accesstoken`, `dbpassword`, `clientsecret`.
pub(super) fn glued_sense(word: &str) -> Option<Sense> {
    let head = |tail: &str| without_tail(word, tail).filter(|head| head.len() > 1);
    // Only words with these endings can be compounds; the last letter rules out nearly all others.
    match word.as_bytes().last()?.to_ascii_lowercase() {
        // `password` itself leaves no doubt, so one letter may be glued to it: `ANYpassword`.
        b'd' if without_tail(word, "password").is_some()
            || head("passwd").is_some()
            || head("pwd").is_some()
            || head("wachtwoord").is_some() =>
        {
            Some(Sense::Password)
        }
        b'w' if head("pw").is_some() => Some(Sense::Password),
        b's' => head("pass").and_then(pass_sense),
        b'n' => head("token").and_then(|head| token_sense(head, true)),
        b't' if head("passwort").is_some() || head("kennwort").is_some() => Some(Sense::Password),
        b't' if without_tail(word, "salt").is_some_and(|head| is_any(head, &["password"])) => {
            Some(Sense::Credential)
        }
        b't' => head("secret").map(|_| Sense::Credential),
        b'e' if head("code").is_some_and(is_code_head) => Some(Sense::Code),
        b'e' => head("signature").map(|_| Sense::Key),
        b'y' => {
            let head = head("key")?;
            let glued_twice = || without_tail(head, "api").or_else(|| without_tail(head, "access"));
            if SECRET_KEY.contains(head) || glued_twice().is_some() {
                return Some(Sense::Credential);
            }
            // `samplekey`, but not `monkey`.
            (head.len() >= 5 && !HARMLESS_KEY.contains(head)).then_some(Sense::Key)
        }
        _ => None,
    }
}

/// Beginnings of words that end with `pass` and of passes that are none of a person.
const OTHER_PASS: &[&str] = &[
    "com", "by", "tres", "sur", "over", "under", "encom", "low", "high", "band", "all", "multi",
    "single", "two", "one", "last", "kee", "re", "im", "un", "out", "tres", "render", "sub", "pre",
    "post", "multi", "first", "second", "final",
];

/// The sense of what ends with `pass`: `dbpass`, `srcstorepass`, but not `compass`.
fn pass_sense(head: &str) -> Option<Sense> {
    if is_any(head, GLUED_PASS) {
        return Some(Sense::Password);
    }
    (!is_any(head, OTHER_PASS)).then_some(Sense::Pass)
}

/// The first part of `accesscode`, `Sicherheitscode` or `verificatiecode`.
fn is_code_head(head: &str) -> bool {
    let lower = head.to_ascii_lowercase();
    CODE_WORD.contains(head)
        || ["ungs", "heits", "gangs", "catie", "gang", "mal"]
            .iter()
            .any(|tail| lower.ends_with(tail))
}

fn without_tail<'w>(word: &'w str, tail: &str) -> Option<&'w str> {
    let split = word.len().checked_sub(tail.len())?;
    let head = word.get(..split)?;
    word[split..].eq_ignore_ascii_case(tail).then_some(head)
}
