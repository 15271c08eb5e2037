//! Links, references and emphasis inside a line of AsciiDoc.

use super::{AsciidocWriter, MAX_LINK, MAX_NAME, MAX_VALUE, beginning};
use crate::script::Script;

impl<'s> AsciidocWriter<'s> {
    /// Attributes, emphasis and links inside a paragraph. What is beyond the limit of the text is
    /// left out, because it would be cut anyway.
    pub(super) fn inline(&mut self, text: &str) -> String {
        let text = self.resolved(text);
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let mut before = ' ';
        while let Some(letter) = rest.chars().next() {
            let starts_word = !before.is_alphanumeric();
            let taken = match letter {
                '\\' => escaped(rest),
                'a'..='z' if starts_word || before == '_' => {
                    link(rest).or_else(|| self.named_macro(rest))
                }
                '<' if rest.starts_with("<<") => cross_reference(rest),
                '(' if rest.starts_with("((") => index_term(rest),
                '[' => anchor(rest),
                '^' | '~' => script(rest, &out),
                '"' | '\'' => curved_quote(rest),
                '*' | '_' | '`' | '#' | '+' if starts_word => emphasis(rest, letter),
                _ => None,
            };
            let (piece, length) = taken.unwrap_or_else(|| (letter.to_string(), letter.len_utf8()));
            before = letter;
            out.push_str(&piece);
            rest = &rest[length..];
            if out.len() > self.limit {
                break;
            }
        }
        out
    }

    /// The text with the values of its attributes.
    pub(super) fn resolved(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{').filter(|_| out.len() <= self.limit) {
            let (before, name) = rest.split_at(at);
            let (piece, length) = match before.strip_suffix('\\') {
                Some(before) => (format!("{before}{{"), 1),
                None => {
                    let (value, length) = self.value(name).unwrap_or(("{", 1));
                    (format!("{before}{value}"), length)
                }
            };
            out.push_str(&piece);
            rest = &name[length..];
        }
        out.push_str(rest);
        out
    }

    /// The value of the attribute that the text begins with, and how long its name is.
    fn value(&self, rest: &str) -> Option<(&str, usize)> {
        let end = beginning(rest, MAX_NAME).find('}')?;
        let value = match &rest[1..end] {
            "blank" | "empty" => "",
            "sp" => " ",
            "nbsp" => "\u{A0}",
            "plus" => "+",
            "cpp" => "C++",
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "vbar" => "|",
            "asterisk" => "*",
            "startsb" => "[",
            "endsb" => "]",
            "two-colons" => "::",
            name => self
                .attributes
                .get(name)
                .filter(|it| it.len() <= MAX_VALUE)?,
        };
        Some((value, end + 1))
    }
}

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

/// The most bytes between two marks.
const MAX_MARKED: usize = 20_000;

/// A mark that stands for itself: `\*`.
fn escaped(rest: &str) -> Option<(String, usize)> {
    let letter = rest.chars().nth(1)?;
    "*_`#+^~<[("
        .contains(letter)
        .then(|| (letter.to_string(), 2))
}

/// A place with a name, `[[name]]`, which is not shown, and the style of the text that follows.
fn anchor(rest: &str) -> Option<(String, usize)> {
    let inside = beginning(rest, MAX_LINK);
    if let Some(name) = inside.strip_prefix("[[[") {
        let end = name.find("]]]")?;
        return Some((format!("[{}]", &name[..end]), end + 6));
    }
    if rest.starts_with("[[") {
        return Some((String::new(), inside.find("]]")? + 2));
    }
    let end = inside.find("]#")?;
    let is_style = !inside[1..end].contains(|it: char| it.is_whitespace() || "[]".contains(it));
    let (text, length) = emphasis(&rest[end + 1..], '#').filter(|_| is_style)?;
    Some((text, end + 1 + length))
}

/// A term of the index: `((shown))`, and `(((not, shown)))`.
fn index_term(rest: &str) -> Option<(String, usize)> {
    let inside = beginning(rest, MAX_LINK);
    if rest.starts_with("(((") {
        return Some((String::new(), inside.find(")))")? + 3));
    }
    let end = inside.find("))")?;
    Some((inside[2..end].to_owned(), end + 2))
}

/// `^raised^` and `~lowered~`.
fn script(rest: &str, before: &str) -> Option<(String, usize)> {
    let mark = &rest[..1];
    let inside = beginning(&rest[1..], MAX_NAME);
    let end = inside.find(mark).filter(|end| *end > 0)?;
    let text = &inside[..end];
    let script = if mark == "^" {
        Script::Superscript
    } else {
        Script::Subscript
    };
    (!text.contains(char::is_whitespace)).then(|| (script.written(before, text), end + 2))
}

/// Quotation marks that are drawn as curves: `"\`text\`"`.
fn curved_quote(rest: &str) -> Option<(String, usize)> {
    let mark = &rest[..1];
    let inner = rest[1..].strip_prefix('`')?;
    let end = beginning(inner, MAX_LINK).find(&format!("`{mark}"))?;
    Some((format!("{mark}{}{mark}", &inner[..end]), end + 4))
}

/// `*strong*`, `_emphasis_`, `` `code` ``, `#marked#`, each also with doubled marks.
pub(super) fn emphasis(rest: &str, mark: char) -> Option<(String, usize)> {
    let end_of = |inner: &str, marks: &str| beginning(inner, MAX_MARKED).find(marks);
    // Three marks of this kind take nothing inside for a mark.
    let most = if mark == '+' { 3 } else { 2 };
    let marks: String = rest
        .chars()
        .take(most)
        .take_while(|it| *it == mark)
        .collect();
    let inner = &rest[marks.len()..];
    let end = end_of(inner, &marks)?;
    let text = &inner[..end];
    let after = inner[end + marks.len()..].chars().next();
    let ends_word = marks.len() >= 2 || after.is_none_or(|it| !it.is_alphanumeric());
    if text.is_empty() || text.starts_with(' ') || text.contains('\n') || !ends_word {
        return None;
    }
    let length = marks.len() * 2 + end;
    Some(match mark {
        '*' => (format!("**{text}**"), length),
        '_' => (format!("*{text}*"), length),
        '#' => (text.to_owned(), length),
        '+' => (text.to_owned(), length),
        _ => (format!("`{}`", text.trim_matches('+')), length),
    })
}
