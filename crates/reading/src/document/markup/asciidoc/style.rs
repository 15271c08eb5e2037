//! The line of attributes before a block: `[quote, Who, Where]`, `[%header,format=csv]`.

/// The attributes of the next block.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockStyle<'s> {
    parts: Vec<&'s str>,
}

impl<'s> BlockStyle<'s> {
    /// Reads a line in square brackets.
    pub(super) fn of(line: &'s str) -> BlockStyle<'s> {
        let mut quote = None;
        let mut before = ',';
        let inside = line.trim_matches(['[', ']']);
        let parts = inside.split(|letter: char| {
            match quote {
                Some(mark) if mark == letter => quote = None,
                // Within a word it is an apostrophe.
                None if matches!(letter, '"' | '\'') && ",=".contains(before) => {
                    quote = Some(letter);
                }
                _ => {}
            }
            if letter != ' ' {
                before = letter;
            }
            letter == ',' && quote.is_none()
        });
        BlockStyle {
            parts: parts.map(unquoted).collect(),
        }
    }

    /// What kind of block it is, without its options and its id.
    pub(super) fn kind(&self) -> &'s str {
        let first = self.part(0);
        first.split(['%', '#', '.']).next().unwrap_or(first)
    }

    /// The attribute without a name at this place.
    pub(super) fn part(&self, index: usize) -> &'s str {
        let part = self.parts.get(index).copied().unwrap_or("");
        if part.contains('=') { "" } else { part }
    }

    /// The attribute of this name.
    pub(super) fn named(&self, name: &str) -> Option<&'s str> {
        self.parts.iter().find_map(|part| {
            let value = part.strip_prefix(name)?.trim_start().strip_prefix('=')?;
            Some(unquoted(value))
        })
    }

    /// The language of a listing: `[source,rust]`, and `[,rust]`.
    pub(super) fn language(&self) -> &'s str {
        match self.kind() {
            "source" | "" => self.part(1),
            _ => "",
        }
    }

    /// Whether the block is a formula.
    pub(super) fn is_formula(&self) -> bool {
        matches!(self.kind(), "stem" | "latexmath" | "asciimath")
    }

    /// What the block warns of.
    pub(super) fn admonition(&self) -> Option<&'s str> {
        Some(self.kind()).filter(|kind| BlockStyle::warns(kind))
    }

    pub(super) fn warns(kind: &str) -> bool {
        matches!(kind, "NOTE" | "TIP" | "IMPORTANT" | "WARNING" | "CAUTION")
    }

    /// Who is quoted, and where it stands.
    pub(super) fn attribution(&self) -> Option<String> {
        let is_quote = matches!(self.kind(), "quote" | "verse");
        let parts = self.parts.iter().skip(1).filter(|it| !it.is_empty());
        let said = parts.take(2).copied().collect::<Vec<_>>().join(", ");
        (is_quote && !said.is_empty()).then_some(said)
    }

    /// How many columns a table has, if the attributes say so: `cols="1,2"`, `cols=3*`.
    pub(super) fn columns(&self) -> Option<usize> {
        let columns = self.named("cols")?.split([',', ';']).map(|column| {
            let repeats = column.trim().split_once('*').map(|(count, _)| count);
            repeats.map_or(Some(1), |count| count.trim().parse::<usize>().ok())
        });
        let count: Option<usize> = columns.sum();
        count.filter(|count| (1..=MAX_COLUMNS).contains(count))
    }
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inside = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

/// More columns are a mistake.
const MAX_COLUMNS: usize = 300;
