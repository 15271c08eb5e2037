//! Reads a pattern from a Markdown file with front matter.
//!
//! The front matter is a fixed list of fields, each on one line, so that it needs no YAML: `key:
//! value`, or `key: [a, b]` for lists.

use std::fmt;

use super::{CATEGORIES, DIFFICULTIES, Kind, Pattern};

/// The largest file, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Why a file is no pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mistake {
    TooLarge,
    NoFrontMatter,
    /// A line that is not `key: value`.
    NotAField {
        line: usize,
    },
    UnknownField {
        line: usize,
    },
    RepeatedField(&'static str),
    MissingField(&'static str),
    NotOneOf {
        field: &'static str,
        allowed: &'static [&'static str],
    },
    NotAList(&'static str),
    /// Ids are lower-case words joined by hyphens.
    BadId,
    EmptyBody,
    DuplicateId,
    UnknownRelated(String),
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::TooLarge => write!(f, "larger than {MAX_BYTES} bytes"),
            Mistake::NoFrontMatter => {
                f.write_str("does not begin with front matter between --- lines")
            }
            Mistake::NotAField { line } => write!(f, "line {line} is not \"key: value\""),
            Mistake::UnknownField { line } => {
                write!(
                    f,
                    "line {line} has an unknown field; the fields are {}",
                    FIELDS.join(", ")
                )
            }
            Mistake::RepeatedField(field) => write!(f, "{field} is there twice"),
            Mistake::MissingField(field) => write!(f, "{field} is missing or empty"),
            Mistake::NotOneOf { field, allowed } => {
                write!(f, "{field} must be one of {}", allowed.join(", "))
            }
            Mistake::NotAList(field) => write!(f, "{field} must be a list like [a, b]"),
            Mistake::BadId => f.write_str("id must be lower-case words joined by hyphens"),
            Mistake::EmptyBody => f.write_str("there is no text after the front matter"),
            Mistake::DuplicateId => f.write_str("another file has the same id"),
            Mistake::UnknownRelated(id) => write!(f, "related: there is no pattern {id}"),
        }
    }
}

const FIELDS: [&str; 10] = [
    "id",
    "title",
    "category",
    "kind",
    "difficulty",
    "tags",
    "summary",
    "use_when",
    "avoid_when",
    "related",
];

/// Reads one file.
pub fn parse(text: &str) -> Result<Pattern, Mistake> {
    if text.len() > MAX_BYTES {
        return Err(Mistake::TooLarge);
    }
    let (head, body) = split(text).ok_or(Mistake::NoFrontMatter)?;
    let fields = Fields::read(head)?;
    let body = body.trim();
    if body.is_empty() {
        return Err(Mistake::EmptyBody);
    }
    let id = fields.text("id")?;
    if !is_id(id) {
        return Err(Mistake::BadId);
    }
    let kinds = &["pattern", "anti-pattern"];
    Ok(Pattern {
        id: id.to_owned(),
        title: fields.text("title")?.to_owned(),
        category: fields.one_of("category", CATEGORIES)?,
        kind: match fields.one_of("kind", kinds)? {
            "pattern" => Kind::Pattern,
            _ => Kind::AntiPattern,
        },
        difficulty: fields.one_of("difficulty", DIFFICULTIES)?,
        tags: fields.list("tags")?,
        summary: fields.text("summary")?.to_owned(),
        use_when: fields.text("use_when")?.to_owned(),
        avoid_when: fields.text("avoid_when")?.to_owned(),
        related: fields.list("related")?,
        body: body.to_owned(),
    })
}

/// The front matter and the rest.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rest = text
        .strip_prefix("---")?
        .trim_start_matches('\r')
        .strip_prefix('\n')?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

fn is_id(id: &str) -> bool {
    let words = id.split('-');
    id.len() <= 80
        && words.clone().all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

struct Fields<'t> {
    values: Vec<(&'static str, &'t str)>,
}

impl<'t> Fields<'t> {
    fn read(head: &'t str) -> Result<Fields<'t>, Mistake> {
        let mut values: Vec<(&'static str, &str)> = Vec::new();
        for (index, line) in head.lines().enumerate() {
            // The first line of the file is the opening mark.
            let number = index + 2;
            if line.trim().is_empty() {
                continue;
            }
            let (key, value) = line
                .split_once(':')
                .ok_or(Mistake::NotAField { line: number })?;
            let known = FIELDS.iter().find(|field| **field == key.trim());
            let field = known.ok_or(Mistake::UnknownField { line: number })?;
            if values.iter().any(|(seen, _)| seen == field) {
                return Err(Mistake::RepeatedField(field));
            }
            values.push((field, unquoted(value.trim())));
        }
        Ok(Fields { values })
    }

    fn text(&self, field: &'static str) -> Result<&'t str, Mistake> {
        self.values
            .iter()
            .find(|(name, value)| *name == field && !value.is_empty())
            .map(|(_, value)| *value)
            .ok_or(Mistake::MissingField(field))
    }

    fn one_of(
        &self,
        field: &'static str,
        allowed: &'static [&'static str],
    ) -> Result<&'static str, Mistake> {
        let value = self.text(field)?;
        allowed
            .iter()
            .find(|word| **word == value)
            .copied()
            .ok_or(Mistake::NotOneOf { field, allowed })
    }

    fn list(&self, field: &'static str) -> Result<Vec<String>, Mistake> {
        let value = self.text(field)?;
        let inner = value
            .strip_prefix('[')
            .and_then(|value| value.strip_suffix(']'))
            .ok_or(Mistake::NotAList(field))?;
        let items = inner.split(',').map(str::trim).map(unquoted);
        Ok(items
            .filter(|item| !item.is_empty())
            .map(str::to_owned)
            .collect())
    }
}

fn unquoted(value: &str) -> &str {
    let inner = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    inner.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "---\nid: a-b\ntitle: A: b\ncategory: secrets\nkind: pattern\ndifficulty: beginner\ntags: [x, \"y\"]\nsummary: S.\nuse_when: U.\navoid_when: A.\nrelated: []\n---\n\n## Text\n";

    #[test]
    fn a_file_becomes_a_pattern() {
        let pattern = parse(GOOD).expect("a pattern");
        assert_eq!(
            (pattern.id.as_str(), pattern.title.as_str()),
            ("a-b", "A: b")
        );
        assert_eq!(pattern.tags, ["x", "y"]);
        assert_eq!(pattern.related, Vec::<String>::new());
        assert_eq!(pattern.body, "## Text");
        assert_eq!(
            parse(&GOOD.replace('\n', "\r\n")).map(|it| it.id),
            Ok("a-b".to_owned())
        );
    }

    #[test]
    fn every_mistake_has_its_name() {
        for (from, to, mistake) in [
            ("---\nid", "id", Mistake::NoFrontMatter),
            ("id: a-b", "id: A b", Mistake::BadId),
            ("id: a-b", "id:", Mistake::MissingField("id")),
            ("summary: S.\n", "", Mistake::MissingField("summary")),
            (
                "summary: S.",
                "summery: S.",
                Mistake::UnknownField { line: 8 },
            ),
            ("summary: S.", "title: S.", Mistake::RepeatedField("title")),
            ("summary: S.", "summary", Mistake::NotAField { line: 8 }),
            ("[x, \"y\"]", "x, y", Mistake::NotAList("tags")),
            (
                "secrets",
                "secret",
                Mistake::NotOneOf {
                    field: "category",
                    allowed: CATEGORIES,
                },
            ),
            ("## Text", " ", Mistake::EmptyBody),
        ] {
            assert_eq!(
                parse(&GOOD.replace(from, to)),
                Err(mistake),
                "{from} -> {to}"
            );
        }
        assert_eq!(parse(&"x".repeat(MAX_BYTES + 1)), Err(Mistake::TooLarge));
    }
}
