//! Code, roles, links and substitutions inside a paragraph.

use super::references::References;

/// Code, roles and links inside a paragraph.
pub(super) fn inline(text: &str, references: &References) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('`') {
        let before = &rest[..at];
        if let Some(code) = rest[at..].strip_prefix("``") {
            let end = code.find("``").unwrap_or(code.len());
            plain(before, references, &mut out);
            out.push_str(&format!("`{}`", &code[..end]));
            rest = code.get(end + 2..).unwrap_or("");
            continue;
        }
        let after = &rest[at + 1..];
        let Some(end) = after.find('`') else {
            break;
        };
        let (inside, tail) = (&after[..end], &after[end + 1..]);
        let (before, role) = split_role(before);
        plain(before, references, &mut out);
        let target = references.address(inside).filter(|_| tail.starts_with('_'));
        match target {
            Some(target) => out.push_str(&format!("[{inside}]({target})")),
            None => out.push_str(&interpreted(inside, role)),
        }
        rest = tail.trim_start_matches('_');
    }
    plain(rest, references, &mut out);
    out
}

/// Text without code and roles, in which names between bars stand for other text and a word before
/// an underscore may be a link.
fn plain(text: &str, references: &References, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['|', '_']) {
        let (before, mark) = rest.split_at(at);
        let after = &mark[1..];
        let found = if mark.starts_with('|') {
            named_between_bars(after, references).map(|(text, after)| (before, text, after))
        } else {
            note_mark(before, after, references)
                .or_else(|| linked_word(before, after, references))
                .map(|(before, text)| (before, text, after))
        };
        match found {
            Some((before, text, after)) => {
                out.push_str(before);
                out.push_str(&text);
                rest = after;
            }
            None => {
                out.push_str(before);
                out.push_str(&mark[..1]);
                rest = after;
            }
        }
    }
    out.push_str(rest);
}

/// The longest name between bars that is looked for.
const MAX_NAME: usize = 200;

fn named_between_bars<'t>(after: &'t str, references: &References) -> Option<(String, &'t str)> {
    let end = after.bytes().take(MAX_NAME).position(|it| it == b'|')?;
    let text = references.substitute(&after[..end])?;
    // The bars of a substitution that is a link as well are followed by an underscore.
    let rest = after[end + 1..].trim_start_matches('_');
    Some((text.to_owned(), rest))
}

/// The mark of a note or a citation before an underscore: `[1]_`, `[#name]_`.
fn note_mark<'t>(
    before: &'t str,
    after: &str,
    references: &References,
) -> Option<(&'t str, String)> {
    let (start, label) = before.strip_suffix(']')?.rsplit_once('[')?;
    let is_label = |it: char| it.is_alphanumeric() || "-_.:+#*".contains(it);
    let goes_on = after.starts_with(|it: char| it.is_alphanumeric() || it == '_');
    if goes_on || label.is_empty() || !label.chars().all(is_label) {
        return None;
    }
    let mark = match references.noted(label) {
        Some(note) => format!("[^{note}]"),
        None => match label.trim_start_matches('#') {
            "" => format!("[{label}]"),
            name => format!("[{name}]"),
        },
    };
    Some((start, mark))
}

/// The word before an underscore as a link, if it is the name of a target.
fn linked_word<'t>(
    before: &'t str,
    after: &str,
    references: &References,
) -> Option<(&'t str, String)> {
    if after.starts_with(|it: char| it.is_alphanumeric() || it == '_') {
        return None;
    }
    let is_part = |it: char| it.is_alphanumeric() || "-.:+".contains(it);
    let word = &before[before.trim_end_matches(is_part).len()..];
    let word = word.trim_start_matches(|it: char| !it.is_alphanumeric());
    let target = references.address(word).filter(|_| !word.is_empty())?;
    let start = &before[..before.len() - word.len()];
    Some((start, format!("[{word}]({target})")))
}

/// Splits `text :role:` before a backtick.
fn split_role(before: &str) -> (&str, &str) {
    let Some(inner) = before.strip_suffix(':') else {
        return (before, "");
    };
    let start = inner.rfind(|it: char| !(it.is_alphanumeric() || "-_:+.".contains(it)));
    let start = start.map_or(0, |at| {
        at + inner[at..].chars().next().map_or(1, char::len_utf8)
    });
    match inner[start..].strip_prefix(':') {
        Some(role) if !role.is_empty() => (&before[..start], role),
        _ => (before, ""),
    }
}

fn interpreted(inside: &str, role: &str) -> String {
    let link = inside
        .strip_suffix('>')
        .and_then(|inside| inside.rsplit_once('<'));
    match (link, role) {
        (Some((text, target)), "") => match text.trim() {
            "" => format!("<{target}>"),
            text => format!("[{text}]({target})"),
        },
        (Some((text, _)), _) => text.trim().to_owned(),
        (None, "math") => format!("${inside}$"),
        (None, "" | "doc" | "ref" | "term" | "title" | "sup" | "sub") => inside.to_owned(),
        (None, _) => format!("`{}`", inside.trim_start_matches(['~', '!'])),
    }
}
