//! Sentences with words between a name and its value: "password for bob: …", "the password of the
//! test server is …", "das Passwort für den Testserver ist …".

use std::sync::LazyLock;

use super::extent;
use super::join::{Joined, Joint, answer, lone_line_below, skip_blanks};
use super::text::{Text, is_alphanumeric, is_space, is_upper_or_digit, is_word};
use super::value;
use super::words::{Beginnings, WordSet};

/// Words that say what something is.
static COPULA: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(
        "is was ist war lautet es est é è era är er var je jest это є будет là = — – → -> adalah
        olarak to c'est este está será foi luidt lyder heisst heißt wäre będzie",
    )
});

/// Words after a name that make another thing of it: a password's length, the file of a key.
static OTHER_THING: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(
        "policy policies length hash field fields manager reset file prompt type format age expiry rule
        strength column parameter argument option variable input box size count limit version id name",
    )
});

/// How far a sentence is read for its verb, in bytes.
const LONGEST_SENTENCE: usize = 56;

/// Skips the words up to a verb: "the password of the test server is …". They say little of what
/// follows, so it must look like a password.
pub(super) fn told(text: Text<'_>, next: usize) -> Option<Joined> {
    // Markup and code have marks everywhere, and no words after the first.
    if !text.at(next).is_ascii_alphabetic() && text.at(next) < 0x80 || !has_mark_near(text, next) {
        return None;
    }
    let stop = text.len().min(next + LONGEST_SENTENCE);
    let mut at = next;
    while at < stop {
        let end = text.run(at, stop - at, is_word_of_sentence);
        let word = text.slice(at..end).trim_end_matches(['.', ':']);
        if OTHER_THING.contains(word) {
            return None;
        }
        if COPULA.contains(word) {
            return said(text, at + word.len(), word == "to");
        }
        let ended = word.is_empty() || word.len() < end - at || text.at(end) != b' ';
        if ended {
            return None;
        }
        at = end + 1;
    }
    None
}

/// A cheap check for what every password has and little prose: a digit or a mark.
fn has_mark_near(text: Text<'_>, next: usize) -> bool {
    let near = text.bytes.get(next..).unwrap_or_default();
    let near = &near[..near.len().min(LONGEST_SENTENCE + 24)];
    // Without an early end, the compiler compares many bytes at once.
    near.iter().fold(false, |found, byte| {
        found
            | byte.is_ascii_digit()
            | (*byte == b'!')
            | (*byte == b'@')
            | (*byte == b'#')
            | (*byte == b'$')
            | (*byte == b'%')
            | (*byte == b'*')
            | (*byte == b'?')
    })
}

fn is_word_of_sentence(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b'.' | b':' | b'\'' | b'=' | b'>')
}

/// What follows the verb that ends at `end`, if it looks like a password.
/// Much may follow "to", so there it must leave no doubt.
fn said(text: Text<'_>, end: usize, doubtful: bool) -> Option<Joined> {
    let colon = skip_blanks(text, end);
    let at = skip_blanks(text, colon + usize::from(text.at(colon) == b':'));
    let shown = text.slice(at..text.run(at, 64, |byte| !is_space(byte)));
    let shown = shown.trim_matches(['"', '\'', '`', '*', ',', '.', ';']);
    let chosen = match doubtful {
        true => value::is_strong(shown),
        false => value::is_password_like(shown) || value::is_numbered_words(shown),
    };
    (at > end && shown.len() >= 6 && chosen).then_some(Joined {
        joint: Joint::Prose,
        at,
    })
}

/// Words between a name and a colon after which something else than its value stands.
static OTHER_SUBJECT: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(
        "user username usuario utilisateur benutzer account host by at line error code reason status
        attempts failed failure algorithm section page step see note example",
    )
});

/// Skips a few words up to a colon: "the token you asked for: …", "API_KEY from environment: …",
/// "Clave de acceso: …". After words that say nothing of the value, it must look generated, or like
/// a password where one is named.
pub(super) fn clause(text: Text<'_>, next: usize) -> Option<Joined> {
    let near = text.from(next);
    if !near[..near.len().min(42)].contains(&b':') {
        return None;
    }
    let end = text.run(next, 40, |byte| {
        byte.is_ascii_alphabetic() || byte >= 0x80 || matches!(byte, b' ' | b'\'' | b'!' | b'-')
    });
    if text.at(end) != b':' || text.at(end + 1) != b' ' {
        return None;
    }
    let words = text.slice(next..end);
    let other = |word: &str| OTHER_THING.contains(word) || OTHER_SUBJECT.contains(word);
    if words.split(' ').any(other) {
        return None;
    }
    let at = skip_blanks(text, end + 1);
    let value_end = text.run(at, value::EXAMINED, |byte| !is_space(byte));
    let shown = text.slice(at..value_end);
    let read = words.contains("environment") || words.contains("config");
    let id = value::is_digest(shown) || value::is_uuid(shown);
    let capitals = shown.bytes().all(is_upper_or_digit);
    let named = text
        .slice(next.saturating_sub(12)..next)
        .to_ascii_lowercase();
    let sure = ["api key", "token", "secret"]
        .iter()
        .any(|it| named.contains(it));
    let made = value::is_key_like(shown, if capitals { 16 } else { 20 }) && (read || sure || !id)
        || read && value::is_password_like(shown) && shown.len() >= 8;
    let grouped = extent::grouped(text, at).is_some();
    if made || grouped || tells(text, next) && words.contains(' ') || is_pair(text, value_end) {
        return Some(Joined {
            joint: Joint::Prose,
            at,
        });
    }
    let chosen = value::is_password_like(shown.trim_matches(['"', '\'', '`'])) && shown.len() >= 6;
    (chosen && words.split(' ').count() <= 4).then_some(Joined {
        joint: Joint::Blank,
        at,
    })
}

/// Whether the words say whose the value is or where it is from.
fn tells(text: Text<'_>, next: usize) -> bool {
    [
        "you", "we ", "that", "I ", "below", "which", "he ", "she ", "they",
    ]
    .iter()
    .any(|word| text.starts_with(next, word))
}

/// Whether a user ends here, and a password follows a slash: `bob / hunter2`.
fn is_pair(text: Text<'_>, user_end: usize) -> bool {
    let at = user_end + 3;
    let end = text.run(at, 64, |byte| !is_space(byte));
    text.starts_with(user_end, " / ") && value::is_password_like(text.slice(at..end))
}

/// Words that start a remark about the owner or the purpose of the secret.
const OWNERS: &[&str] = &[
    "for ",
    "is generated for ",
    "has been generated for ",
    "was generated for ",
    "generated for ",
    "to proceed ",
    "für ",
    "pour ",
    "para ",
    "per ",
    "voor ",
    "för ",
    "для ",
    "до ",
    "от ",
    "к ",
];

/// Skips the owner between name and joint: "password for bob is …",
/// `SET PASSWORD FOR 'bob'@'%' = '…'`.
pub(super) fn owned(text: Text<'_>, next: usize) -> Option<Joined> {
    static OWNER: LazyLock<Beginnings> = LazyLock::new(|| Beginnings::new(OWNERS.iter().copied()));
    OWNER.of(text.from(next))?;
    let end = owner_end(text, next);
    let words = text.slice(next..end);
    if let Some(asked) = words.find(":\"") {
        return answer(text, next + asked + 2);
    }
    if let Some(is) = words.find(" is ") {
        return Some(Joined {
            joint: Joint::Prose,
            at: skip_blanks(text, next + is + 4),
        });
    }
    if text.at(end) == b'=' {
        return Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, end + 1),
        });
    }
    if text.before(end) == b':' && end > next + 4 {
        return lone_line_below(text, end).map(|at| Joined {
            joint: Joint::Prose,
            at,
        });
    }
    words.find(": ").map(|colon| Joined {
        joint: Joint::Prose,
        at: skip_blanks(text, next + colon + 2),
    })
}

/// The end of the sentence about an owner, whose name may have dots: `for db.example.com: …`.
fn owner_end(text: Text<'_>, next: usize) -> usize {
    let stop = text.len().min(next + 104);
    let mut at = next;
    while at < stop {
        let ends = match text.bytes[at] {
            b'=' | b',' | b';' => true,
            b'.' => !is_alphanumeric(text.at(at + 1)),
            byte => !byte.is_ascii_graphic() && byte < 0x80 && byte != b' ',
        };
        if ends {
            break;
        }
        at += 1;
    }
    at
}
