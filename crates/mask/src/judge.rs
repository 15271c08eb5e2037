//! Decides whether a value is a secret: how much evidence a name requires of its value, given their
//! joint.

use super::join::Joint;
use super::name::Sense;
use super::value;

/// Whether the value is a secret, given the sense of its name and their joint.
pub(super) fn is_secret(
    sense: Sense,
    joint: Joint,
    shown: &str,
    quoted: bool,
    rest: &[u8],
) -> bool {
    let shown = past_algorithm(if quoted { shown.trim() } else { shown });
    // The dash of an empty cell.
    if shown.chars().count() < 4 && !shown.chars().any(char::is_alphanumeric) {
        return false;
    }
    if matches!(sense, Sense::Password | Sense::Pass | Sense::Credential)
        && (is_long_number(shown) || quoted && joint != Joint::Pair && is_many_words(shown))
        && !value::is_placeholder(shown)
    {
        return true;
    }
    if matches!(sense, Sense::Password | Sense::Pass | Sense::Credential)
        && joint != Joint::Prose
        && value::is_scrambled(shown, true)
        && !value::is_placeholder(shown)
        && !value::is_interpolated(shown)
        && !value::is_pattern(shown)
    {
        return true;
    }
    counts(sense, joint, shown, quoted, rest)
        && !stands_for_another(joint, shown, quoted)
        && !(is_issued_sense(sense) && names_another(sense, shown, quoted))
}

/// The key of a router or of a disk, which is digits only: `51027061827117989455`.
fn is_long_number(shown: &str) -> bool {
    (16..=64).contains(&shown.len())
        && shown
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-')
        && !shown.starts_with("0000")
        && !shown.contains("--")
}

/// Words that a generator joined with underscores or dashes: `window_cargo_citrus_bobcat`.
fn is_many_words(shown: &str) -> bool {
    shown.matches(['_', '-']).count() >= 3 && value::is_joined_words(&shown.replace('_', "-"))
}

/// The value after the name of what it is hashed with: `[md5]61f5…`.
fn past_algorithm(shown: &str) -> &str {
    shown
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .filter(|(name, rest)| {
            name.len() >= 3
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && value::is_key_like(rest, 16)
        })
        .map_or(shown, |(_, rest)| rest)
}

/// Whether values with this sense are generated and not chosen by people.
fn is_issued_sense(sense: Sense) -> bool {
    matches!(
        sense,
        Sense::Key | Sense::Token | Sense::Credential | Sense::Session
    )
}

/// Whether the text in the place of a generated value names something: a header or a variable that
/// holds the value, a file, a word of another script.
fn names_another(sense: Sense, shown: &str, quoted: bool) -> bool {
    let unsure = matches!(sense, Sense::Key | Sense::Token);
    let titled = shown.starts_with(|c: char| c.is_ascii_uppercase()) && shown.contains('-');
    (unsure || !quoted || titled) && value::is_secret_name(shown)
        || (unsure || !quoted) && value::is_variable(shown)
        || unsure && (value::is_file_name(shown) || value::is_pattern(shown))
        || value::is_interpolated(shown)
        || sense == Sense::Key && value::is_scoped(shown)
        // Words of other languages: `"apiKey": "API-Schlüssel"`.
        || shown.chars().any(|c| !c.is_ascii() && c.is_alphabetic())
        || shown.starts_with(|c: char| !c.is_ascii())
}

/// Whether the text is a placeholder, documentation or code in the place of a value.
fn stands_for_another(joint: Joint, shown: &str, quoted: bool) -> bool {
    // The body of a private key block is masked elsewhere, and its first line stays.
    shown.starts_with("-----BEGIN")
        || value::is_placeholder(shown)
        || value::is_plain_word(shown)
        || value::is_version(shown)
        || value::is_constant_name(shown)
        || value::is_field_tag(shown)
        || is_choice(shown)
        || shown.contains(['-', '_']) && value::is_secret_name(shown)
        || match (quoted, joint) {
            (false, _) => value::is_code(shown) || value::is_small_constant(shown),
            (true, Joint::Assign | Joint::Colon | Joint::Flag | Joint::Markup | Joint::Call) => {
                value::is_label(shown)
            }
            (true, _) => value::is_sentence(shown),
        }
}

/// Whether the value is one of a few that a setting may have: `on_create`.
fn is_choice(shown: &str) -> bool {
    let starts = [
        "on_", "if_", "use_", "no_", "is_", "from_", "only_", "set_", "auto_",
    ];
    starts.iter().any(|it| shown.starts_with(it)) && value::is_variable(shown)
}

/// Whether the value gives the evidence that its name and joint require.
fn counts(sense: Sense, joint: Joint, shown: &str, quoted: bool, rest: &[u8]) -> bool {
    if shown.len() < 2 {
        return false;
    }
    // "パスワードは8文字以上です": a number and its unit.
    let counted = shown.starts_with(|c: char| c.is_ascii_digit()) && !shown.is_ascii();
    let worded = matches!(joint, Joint::Blank | Joint::Prose);
    let assigned = value::is_assignment(shown)
        && !(sense == Sense::Password && ends_line(rest) && is_mixed(shown));
    if !quoted
        && (worded && assigned
            || (worded || joint == Joint::Colon) && (counted || is_sentence_without_spaces(shown)))
    {
        return false;
    }
    let password = sense != Sense::Key && value::is_password_like(shown);
    match (sense, joint) {
        (Sense::Code, _) => value::is_one_time(shown),
        (Sense::Login, _) => value::is_key_like(shown, 32) && !value::is_uuid(shown),
        (Sense::Password | Sense::Phrase | Sense::Pass, Joint::Blank | Joint::Prose)
            if quoted && value::is_passphrase(shown, joint == Joint::Prose) =>
        {
            true
        }
        (Sense::Password | Sense::Phrase | Sense::Pass, Joint::Blank | Joint::Prose)
            if value::is_numbered_words(shown) =>
        {
            true
        }
        // "pass `--verbose`", "pass `strict=True`"
        (Sense::Pass, Joint::Blank | Joint::Prose) => {
            password && shown.len() >= 6 && !shown.starts_with('-') && !shown.contains('=')
        }
        (Sense::Pass, Joint::Pair | Joint::Call) => {
            password && shown.len() >= 6 || value::is_key_like(shown, 8)
        }
        (Sense::Pass, _) if quoted => is_chosen(joint, shown, quoted, rest) && shown.len() >= 4,
        (Sense::Pass, _) => {
            password || value::is_key_like(shown, 8) || value::is_numbered_words(shown)
        }
        (Sense::Credential | Sense::Token, Joint::Call) => {
            value::is_key_like(shown, 12) || password && shown.len() >= 8
        }
        (Sense::Key | Sense::Session, Joint::Call) => {
            value::is_key_like(shown, 24) && !value::is_uuid(shown) && !value::is_digest(shown)
        }
        (
            Sense::Credential | Sense::Token | Sense::Password,
            Joint::Assign | Joint::Colon | Joint::Prose | Joint::Markup | Joint::Pair,
        ) if value::is_serial(shown) => true,
        // `password 'raven_83'`, "the password is falcon-1987"
        (Sense::Password, Joint::Blank | Joint::Prose | Joint::Pair | Joint::Call)
            if (quoted || joint == Joint::Prose && ends_line(rest))
                && value::is_word_with_number(shown) =>
        {
            true
        }
        (Sense::Password | Sense::Phrase, Joint::Pair) => {
            password
                || value::is_key_like(shown, 8)
                || quoted && has_mark(shown)
                || value::is_numbered_words(shown)
                || value::is_joined_words(shown)
                || quoted && is_pin(shown)
        }
        (Sense::Password | Sense::Phrase, Joint::Prose) => {
            password
                || value::is_key_like(shown, 10)
                || quoted && !shown.contains(' ') && shown.len() >= 4
                || is_pin(shown)
        }
        (Sense::Password | Sense::Phrase, Joint::Blank) => {
            password && (quoted || shown.len() >= 6)
                || value::is_key_like(shown, 10)
                || value::is_joined_words(shown)
                || ends_line(rest) && is_word_and_number(shown)
        }
        (Sense::Password, Joint::Call)
            if shown.contains(['.', '/']) && value::is_ordinary(shown) =>
        {
            false
        }
        (Sense::Password | Sense::Phrase, _) => is_chosen(joint, shown, quoted, rest),
        (Sense::Credential, Joint::Prose | Joint::Blank) => {
            value::is_key_like(shown, 10)
                || password && shown.len() >= 7
                || quoted && joint == Joint::Blank && value::is_joined_words(shown)
        }
        (Sense::Credential, Joint::Pair) => {
            value::is_key_like(shown, 8) || password && shown.len() >= 8
        }
        (Sense::Credential, _) => {
            is_issued(joint, shown, quoted) || is_numbered(joint, shown, quoted)
        }
        (Sense::Token, Joint::Prose | Joint::Blank) => {
            value::is_key_like(shown, if quoted { 12 } else { 16 })
                || password && shown.len() >= 10 && joint == Joint::Prose
        }
        (Sense::Token | Sense::Key, Joint::Parameter) => is_parameter(shown),
        (Sense::Token, _) if is_numbered(joint, shown, false) => true,
        (Sense::Token, _) => value::is_key_like(shown, 12) || password && shown.len() >= 8,
        (Sense::Session, Joint::Parameter) => is_parameter(shown) && !value::is_uuid(shown),
        (Sense::Session, Joint::Assign | Joint::Colon | Joint::Pair) => {
            value::is_key_like(shown, 24)
                && !value::is_uuid(shown)
                && !value::is_research_session(shown)
        }
        (Sense::Session, _) => false,
        (Sense::Key, _) if value::is_product_key(shown) => true,
        (Sense::Key, Joint::Assign | Joint::Colon) if value::is_id_and_secret(shown) => true,
        (Sense::Key, Joint::Assign | Joint::Flag) => {
            value::is_key_like(shown, 16) || quoted && is_marked_password(shown)
        }
        (Sense::Key, _) => {
            value::is_key_like(shown, 20) && !value::is_uuid(shown) && !value::is_digest(shown)
        }
        (Sense::Authorization | Sense::Cookie, _) => password || value::is_key_like(shown, 8),
    }
}

/// Letters of both cases with digits on one side of an equals sign: no name and no word has them.
fn is_mixed(shown: &str) -> bool {
    shown.split('=').any(|part| {
        let has = |class: fn(&u8) -> bool| part.as_bytes().iter().any(class);
        has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && part.len() >= 5
    })
}

/// Text of a script that writes no spaces, as nobody's password is: "至少12个字符".
fn is_sentence_without_spaces(shown: &str) -> bool {
    let ideographs = |c: &char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}');
    let marked = shown.bytes().any(|byte| byte.is_ascii_digit())
        && shown.contains(['!', '#', '@', '$', '*']);
    shown.chars().next().is_some_and(|first| ideographs(&first))
        && shown.chars().filter(ideographs).count() >= 4
        && !marked
}

/// A password that nobody takes for the name of a key: `Kuchen!jacket00`.
fn is_marked_password(shown: &str) -> bool {
    shown.len() >= 10 && shown.contains(['!', '^', '~']) && value::is_strong(shown)
}

fn has_mark(shown: &str) -> bool {
    shown.bytes().any(|byte| {
        byte.is_ascii_punctuation() && !matches!(byte, b'-' | b'_' | b'.' | b',' | b'/')
    }) && !shown.contains(' ')
}

fn is_pin(shown: &str) -> bool {
    (4..=12).contains(&shown.len()) && shown.bytes().all(|byte| byte.is_ascii_digit())
}

/// Any value of a `password`, unless the line continues like a sentence or the value is a path.
fn is_chosen(joint: Joint, shown: &str, quoted: bool, rest: &[u8]) -> bool {
    if shown.starts_with(['/', '~', '.']) && value::is_ordinary(shown)
        || shown.contains("://")
        || shown.len() < 2
    {
        return false;
    }
    let plain = shown
        .chars()
        .all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | '_'))
        || value::is_number_like(shown);
    let word = plain && !value::is_key_like(shown, 10) && !value::is_joined_words(shown);
    !(word && !quoted && matches!(joint, Joint::Colon | Joint::Assign) && reads_on(rest))
}

/// Whether another ordinary word follows on the line: "password: choose something long".
fn reads_on(rest: &[u8]) -> bool {
    let rest = match rest {
        [b' ', rest @ ..] => rest,
        _ => return false,
    };
    let word = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'\'' || **byte >= 0x80)
        .count();
    // `http.status=302` is the next field.
    let name = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
        .count();
    word > 0
        && !matches!(rest.get(word), Some(b'=' | b':' | b'_'))
        && !matches!(rest.get(name), Some(b'='))
}

/// Whether nothing follows on the line.
fn ends_line(rest: &[u8]) -> bool {
    matches!(rest.first(), None | Some(b'\n' | b'\r'))
}

/// Words and a number that marks join, as people choose them: `Ginny-7498`, `Bella.Badger-16`.
fn is_word_and_number(shown: &str) -> bool {
    let digits = shown.bytes().filter(u8::is_ascii_digit).count();
    let letters = shown.bytes().filter(u8::is_ascii_alphabetic).count();
    shown.len() >= 8
        && digits >= 2
        && letters >= 3
        && !shown.contains(['/', ':', '='])
        && !value::is_version(shown)
        && !value::is_number_like(shown)
}

/// Any value of an `api_key`, unless it is a short or plain word, a path or a small number.
fn is_issued(joint: Joint, shown: &str, quoted: bool) -> bool {
    if shown.contains("://")
        || shown.contains(' ') && !shown.bytes().any(|byte| byte.is_ascii_digit())
    {
        return false;
    }
    if value::is_key_like(shown, 8) || value::is_password_like(shown) && shown.len() >= 6 {
        return true;
    }
    let words = shown
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b'.'));
    match words {
        true => {
            (quoted || matches!(joint, Joint::Assign | Joint::Flag | Joint::Parameter))
                && shown.len() >= 8
                && !(shown.contains('.') && value::is_dotted_name(shown))
                && !(joint == Joint::Colon && is_title(shown))
        }
        false => {
            !value::is_ordinary(shown) && shown.len() >= 6
                || shown.len() >= if quoted { 10 } else { 18 }
                    && shown.bytes().all(|byte| byte.is_ascii_digit())
        }
    }
}

/// Two words and a number, as people choose them where a secret is set: `copper-window-47`.
fn is_numbered(joint: Joint, shown: &str, quoted: bool) -> bool {
    (matches!(joint, Joint::Assign | Joint::Flag | Joint::Parameter)
        || quoted && joint == Joint::Colon)
        && value::is_numbered_words(shown)
}

/// One word with a capital, as labels of forms and translations have it: `Sicherheitstoken`.
fn is_title(shown: &str) -> bool {
    let mut letters = shown.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase)
}

/// Whether the value of `?key=…` is a secret; plain words and small numbers are not.
fn is_parameter(shown: &str) -> bool {
    let word = shown.len() <= 14
        && shown
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.' | b'+'));
    let number = shown.len() <= 8
        && shown
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    let slug = value::is_dotted_name(shown) && shown.len() < 40;
    let example = shown
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .eq_ignore_ascii_case("value");
    shown.len() >= 6 && !example && !word && !number && !slug
}
