//! Links, references and emphasis inside a line of AsciiDoc.

use super::{MAX_LINK, beginning};

/// `https://a.example/[text]`, `link:target[text]`, `xref:target[text]`, `mailto:a@b[text]`.
pub(super) fn link(rest: &str) -> Option<(String, usize)> {
    let is_address = rest.starts_with("https://") || rest.starts_with("http://");
    let named = ["link:", "xref:", "mailto:"];
    let prefix = named.iter().find(|prefix| rest.starts_with(**prefix));
    if !is_address && prefix.is_none() {
        return None;
    }
    let address = beginning(rest, MAX_LINK);
    let end = address.find(|it: char| it.is_whitespace() || "[]<>\"".contains(it));
    let end = end.or_else(|| (address.len() == rest.len()).then_some(rest.len()))?;
    let target = &rest[prefix.map_or(0, |it| it.len()).min(end)..end];
    let Some(label) = rest[end..].strip_prefix('[') else {
        return is_address.then(|| (rest[..end].to_owned(), end));
    };
    let close = beginning(label, MAX_LINK).find(']')?;
    let text = label[..close].trim_end_matches('^');
    let text = text
        .split(",window")
        .next()
        .unwrap_or(text)
        .trim_matches('"');
    let length = end + 1 + close + 1;
    let shown = match (text.trim(), is_address || prefix == Some(&"link:")) {
        ("", true) => format!("<{target}>"),
        ("", false) => target.to_owned(),
        (text, true) => format!("[{text}]({target})"),
        (text, false) => text.to_owned(),
    };
    Some((shown, length))
}

pub(super) fn cross_reference(rest: &str) -> Option<(String, usize)> {
    let end = beginning(rest, 200).find(">>")?;
    let inside = &rest[2..end];
    let shown = inside
        .split_once(',')
        .map_or(inside, |(_, text)| text.trim());
    Some((shown.to_owned(), end + 2))
}

/// `*strong*`, `_emphasis_`, `` `code` ``, each also with doubled marks.
pub(super) fn emphasis(rest: &str, mark: char) -> Option<(String, usize)> {
    let doubled: String = [mark, mark].iter().collect();
    let marks = if rest.starts_with(&doubled) {
        doubled
    } else {
        mark.to_string()
    };
    let inner = &rest[marks.len()..];
    let end = inner.find(&marks)?;
    let text = &inner[..end];
    let after = inner[end + marks.len()..].chars().next();
    let ends_word = marks.len() == 2 || after.is_none_or(|it| !it.is_alphanumeric());
    if text.is_empty() || text.starts_with(' ') || text.contains('\n') || !ends_word {
        return None;
    }
    let length = marks.len() * 2 + end;
    Some(match mark {
        '*' => (format!("**{text}**"), length),
        '_' => (format!("*{text}*"), length),
        _ => (format!("`{}`", text.trim_matches('+')), length),
    })
}
