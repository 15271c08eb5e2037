//! Secrets that one command writes and another reads: `echo secret | sudo -S`, `kinit <<< secret`,
//! the users and passwords that `chpasswd` takes.

use super::command::next_word;
use super::text::{Span, Text, is_word};
use super::value;

/// The secret in `echo secret | sudo -S` and `echo bob:secret | chpasswd`, found at the reading
/// command: the writing one is earlier on the line.
pub(super) fn secret(text: Text<'_>, reader: usize) -> Option<Span> {
    if let Some(secret) = here_word(text, reader) {
        return Some(secret);
    }
    let start = text.run_back(reader, 300, |byte| byte != b'\n');
    let line = text.slice(start..reader);
    let pipe = line.rfind('|').or_else(|| line.rfind("<<<"))?;
    let writer = ["echo ", "printf ", "<<< "]
        .iter()
        .filter_map(|word| line[..pipe].rfind(word).map(|at| at + word.len()))
        .max()?;
    // `echo two | git hash-object --stdin` reads any text.
    if text.starts_with(reader, "--stdin") && !asks_for_password(&line[pipe..]) {
        return None;
    }
    let mut index = start + writer;
    let end = start + pipe;
    while let Some(word) = next_word(text, index, end) {
        index = word.next;
        let shown = text.slice(word.span.clone());
        if shown.starts_with('-') || shown.starts_with('%') {
            continue;
        }
        let secret = if text.starts_with(reader, "chpasswd") {
            word.span.start + shown.find(':')? + 1..word.span.end
        } else {
            word.span.clone()
        };
        let shown = text.slice(secret.clone()).trim_end_matches("\\n");
        return (!value::is_placeholder(shown) && !value::is_plain_word(shown) && shown.len() >= 3)
            .then(|| secret.start..secret.start + shown.len());
    }
    None
}

/// Whether a command reads a password: `passwd --stdin bob`, `helm registry login --stdin`.
fn asks_for_password(command: &str) -> bool {
    ["pass", "login", "secret", "auth", "token", "key"]
        .iter()
        .any(|word| command.contains(word))
}

/// The secret in `sudo -S <<< "…"`, found at the command.
fn here_word(text: Text<'_>, reader: usize) -> Option<Span> {
    let end = text.run(reader, 80, |byte| !matches!(byte, b'\n' | b'<' | b'|'));
    if !text.starts_with(end, "<<<") {
        return None;
    }
    let word = next_word(text, end + 3, text.len().min(end + 100))?.span;
    let shown = text.slice(word.clone());
    let chosen = value::is_password_like(shown) || value::is_key_like(shown, 12);
    (chosen && !value::is_placeholder(shown)).then_some(word)
}

/// Masks the lines of `user:secret` below `chpasswd:` in a cloud-init file.
pub(super) fn listed_users(text: Text<'_>, after: usize, spans: &mut Vec<Span>) {
    if text.at(after) != b':' {
        return;
    }
    let end = text.run(after, 400, |byte| byte != 0);
    let mut at = after;
    while at < end {
        let line_end = text.run(at, end - at, |byte| byte != b'\n');
        let line = text.slice(at..line_end);
        if let Some((user, secret)) = line.trim().trim_start_matches("- ").split_once(':')
            && !user.is_empty()
            && user.bytes().all(|byte| is_word(byte) || byte == b'-')
            && value::is_password_like(secret)
            && !value::is_placeholder(secret)
        {
            let shown = line.trim_end().len();
            spans.push(at + shown - secret.len()..at + shown);
        }
        at = line_end + 1;
    }
}
