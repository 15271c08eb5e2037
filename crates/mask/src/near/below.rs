//! What stands alone on a line below a name: the answer to a question, what a command printed.

use super::line::{LINES_BELOW, next};
use super::word::{LONG, NEUTRAL_NAME, says_another};
use crate::name::Hint;
use crate::text::{Span, Text, is_blank, is_word};
use crate::value;

/// The value on one of the lines after the one that ends at `end`.
pub(super) fn value(text: Text<'_>, end: usize, hint: Hint, command: bool) -> Option<Span> {
    let asked = is_question(text, end);
    let mut end = end;
    for _ in 0..LINES_BELOW {
        let line = next(text, end)?;
        // What a frame begins is read by its own rules.
        if text.starts_with(line.start, "-----") || text.slice(line.clone()).contains("ENC[") {
            return None;
        }
        let counts = |shown: &str, sure: bool| is_below(shown, hint, command || sure || asked);
        if let Some(found) = alone(text, &line, counts) {
            return Some(found);
        }
        end = line.end;
    }
    None
}

/// Whether the line that ends here asks for something, or announces it.
fn is_question(text: Text<'_>, end: usize) -> bool {
    let last = text.run_back(end, 8, |byte| is_blank(byte) || byte == b'\r');
    matches!(text.before(last), b'?' | b':')
}

/// Whether a line is a command at a prompt, or shows a file: what it prints stands below it.
pub(super) fn is_command(line: &str) -> bool {
    let line = line.trim_start();
    let prompt = ["$ ", "# ", "% ", "> ", "PS "];
    prompt.iter().any(|it| line.starts_with(it))
        || line.starts_with("cat ")
        || line.contains("$ cat ")
}

/// Whether a value that stands alone below a name is a secret. What a command about a secret printed
/// and what is called a value may be hexadecimal.
fn is_below(shown: &str, hint: Hint, sure: bool) -> bool {
    let chosen = hint == Hint::Password
        && shown.len() >= 8
        && (value::is_password_like(shown) || value::is_numbered_words(shown));
    if sure && (value::is_key_like(shown, 16) || value::is_strong(shown) || chosen) {
        return !value::is_code(shown) && !value::is_variable(shown);
    }
    value::is_drawn(shown) && (hint != Hint::Key || shown.len() >= LONG)
}

/// The value that a line consists of, in a frame, in a chat after who says it, or after a name that
/// says nothing. A name and quotation marks make `counts` surer of it.
fn alone(text: Text<'_>, line: &Span, counts: impl Fn(&str, bool) -> bool) -> Option<Span> {
    let line = past_speaker(text, line);
    let shown = text.slice(line.clone());
    let only = shown.trim();
    if !only.contains(['"', '\'', '`'])
        && value::is_scrambled(only, true)
        && !value::is_placeholder(only)
    {
        let start = line.start + shown.find(only)?;
        return Some(start..start + only.len());
    }
    // `5VFA FRQM IGYE DYSY`: the key that an authenticator asks for.
    if only.len() >= 19 && value::is_grouped(only) && counts(&only.replace(' ', ""), false) {
        let start = line.start + shown.find(only)?;
        return Some(start..start + only.len());
    }
    let around =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '|' | '│' | '>' | ',');
    let mut words = shown
        .split(around)
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_alphanumeric()));
    let mut word = words.next()?;
    // "ben: sure, it's …": the last word answers.
    if let Some((_, answer)) = shown
        .rsplit_once("it's ")
        .or_else(|| shown.rsplit_once("It's "))
        && !answer.trim_end().contains(' ')
    {
        let answer = answer.trim_end().trim_end_matches('.');
        let start = line.start + shown.rfind(answer)?;
        let answers = answer.len() >= 6 && counts(answer, true);
        return answers.then(|| start..start + answer.len());
    }
    // `value=…`; an equals sign may be a part of the value, too.
    if let Some((name, own)) = word.split_once('=')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    {
        word = own;
    }
    let mut named = NEUTRAL_NAME.contains(word.trim_end_matches(':'));
    // `New value: …`
    if matches!(word, "New" | "new" | "Generated" | "Temporary" | "Initial") {
        word = words.next()?;
        named = NEUTRAL_NAME.contains(word.trim_end_matches(':'));
    }
    if named {
        word = words
            .next()
            .filter(|word| *word != "=")
            .or_else(|| words.next())?;
    }
    // `bob:…`
    let word = word.rsplit_once(':').map_or(word, |(_, own)| own);
    let start = line.start + shown.rfind(word)?;
    let quoted = text.before(start) == b'`' && text.at(start + word.len()) == b'`';
    (words.next().is_none() && counts(word, named || quoted)).then(|| start..start + word.len())
}

/// Skips the time and the name before a line of a chat: `[09:15] Jens: …`.
fn past_speaker(text: Text<'_>, line: &Span) -> Span {
    let start = text.run(line.start, 8, is_blank);
    let time = text.run(start, 24, |byte| {
        byte.is_ascii_digit()
            || matches!(byte, b'[' | b']' | b':' | b' ' | b'-' | b'T' | b'.' | b'/')
    });
    let name = text.run(time, 32, |byte| {
        is_word(byte) || byte == b' ' || byte == b'.'
    });
    let speaks =
        time > start || text.at(time).is_ascii_uppercase() && !says_another(text.slice(time..name));
    if name > time && text.starts_with(name, ": ") && speaks {
        name + 2..line.end
    } else {
        line.clone()
    }
}
