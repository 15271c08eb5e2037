//! A lenient scanner of tags and text.
//!
//! The detector sees every page, hostile ones included, and needs no tree. This scanner looks at
//! each byte a fixed number of times, stores nothing, and ignores nesting: it hands out tags, text
//! and the raw content of scripts as slices. (html5ever's tokenizer compares each
//! attribute with all earlier ones of its tag, which is quadratic on purpose-made pages.)

/// One piece of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HtmlPiece<'p> {
    /// Text between tags, entities not decoded.
    Text(&'p str),
    /// `<name attributes>`; the attributes as written.
    Start { name: &'p str, attributes: &'p str },
    /// `</name>`.
    End { name: &'p str },
    /// What stands inside `script`, `style`, `title`, `textarea`, `noframes`, `xmp`, `iframe`; its
    /// end tag is consumed.
    Raw {
        name: &'p str,
        attributes: &'p str,
        content: &'p str,
    },
}

/// Elements whose content is not markup. (`noscript` is: its text matters here.)
const RAW: &[&str] = &[
    "script", "style", "title", "textarea", "iframe", "noframes", "xmp",
];

/// Hands out the pieces of a page in order.
pub(super) struct TagScanner<'p> {
    rest: &'p str,
    /// A quote that never closed swallowed the page once. From then on a tag ends at its first `>`,
    /// so that a page made of such quotes is not read to its end again and again.
    quotes_broken: bool,
}

impl<'p> TagScanner<'p> {
    pub(super) fn new(html: &'p str) -> TagScanner<'p> {
        TagScanner {
            rest: html,
            quotes_broken: false,
        }
    }

    fn advance(&mut self, length: usize) -> &'p str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// Consumes up to and including `end`, or everything.
    fn skip_past(&mut self, end: &str) {
        let length = self
            .rest
            .find(end)
            .map_or(self.rest.len(), |at| at + end.len());
        self.advance(length);
    }

    fn tag(&mut self) -> Option<HtmlPiece<'p>> {
        let closing = self.rest.starts_with("</");
        self.advance(if closing { 2 } else { 1 });
        let inside_length = self.tag_length();
        let inside = self.advance(inside_length);
        if self.rest.starts_with('>') {
            self.advance(1);
        }
        let name_length = inside
            .find(|c: char| c.is_ascii_whitespace() || c == '/')
            .unwrap_or(inside.len());
        let (name, attributes) = inside.split_at(name_length);
        if closing {
            return Some(HtmlPiece::End { name });
        }
        if RAW.iter().any(|raw| name.eq_ignore_ascii_case(raw))
            && !attributes.trim_end().ends_with('/')
        {
            let content = self.raw(name);
            return Some(HtmlPiece::Raw {
                name,
                attributes,
                content,
            });
        }
        Some(HtmlPiece::Start { name, attributes })
    }

    fn tag_length(&mut self) -> usize {
        let bytes = self.rest.as_bytes();
        if !self.quotes_broken {
            if let Some(length) = quoted_tag_length(bytes) {
                return length;
            }
            self.quotes_broken = true;
        }
        bytes
            .iter()
            .position(|byte| *byte == b'>')
            .unwrap_or(bytes.len())
    }

    /// The content up to the end tag of the same name, which is consumed.
    fn raw(&mut self, name: &str) -> &'p str {
        let bytes = self.rest.as_bytes();
        let mut from = 0;
        while let Some(at) = self
            .rest
            .get(from..)
            .and_then(|rest| rest.find("</"))
            .map(|at| at + from)
        {
            let after = &bytes[at + 2..];
            if after.len() >= name.len()
                && after[..name.len()].eq_ignore_ascii_case(name.as_bytes())
            {
                let content = self.advance(at);
                self.skip_past(">");
                return content;
            }
            from = at + 2;
        }
        self.advance(self.rest.len())
    }
}

/// The length of a tag without its `>`, which may stand inside quoted values.
fn quoted_tag_length(bytes: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'')
                if at > 0 && matches!(bytes[at - 1], b'=' | b' ' | b'\n' | b'\t' | b'\r') =>
            {
                quote = Some(*byte)
            }
            (Some(open), byte) if *byte == open => quote = None,
            _ => {}
        }
    }
    None
}

impl<'p> Iterator for TagScanner<'p> {
    type Item = HtmlPiece<'p>;

    fn next(&mut self) -> Option<HtmlPiece<'p>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let bytes = self.rest.as_bytes();
            if bytes[0] != b'<' {
                let length = self.rest.find('<').unwrap_or(self.rest.len());
                return Some(HtmlPiece::Text(self.advance(length)));
            }
            match bytes.get(1) {
                Some(b'!') if self.rest.starts_with("<!--") => self.skip_past("-->"),
                Some(b'!' | b'?') => self.skip_past(">"),
                Some(next)
                    if next.is_ascii_alphabetic()
                        || (*next == b'/' && bytes.get(2).is_some_and(u8::is_ascii_alphabetic)) =>
                {
                    return self.tag();
                }
                _ => return Some(HtmlPiece::Text(self.advance(1))),
            }
        }
    }
}

/// The attributes of a tag in order, names as written. At most 64: nobody writes more by hand, and
/// each costs a comparison.
pub(super) fn attributes(written: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = written;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        let name_length = rest
            .find(|c: char| c.is_ascii_whitespace() || c == '=')
            .unwrap_or(rest.len());
        let name = &rest[..name_length];
        if name.is_empty() && !rest.starts_with('=') {
            return None;
        }
        let after = rest[name_length..].trim_start();
        let Some(value) = after.strip_prefix('=') else {
            rest = after;
            return Some((name, ""));
        };
        let value = value.trim_start();
        let (value, remaining) = match value.as_bytes().first() {
            Some(quote @ (b'"' | b'\'')) => {
                let inside = &value[1..];
                let end = inside.find(char::from(*quote)).unwrap_or(inside.len());
                (&inside[..end], inside.get(end + 1..).unwrap_or(""))
            }
            _ => value.split_at(
                value
                    .find(|c: char| c.is_ascii_whitespace())
                    .unwrap_or(value.len()),
            ),
        };
        rest = remaining;
        Some((name, value))
    })
    .take(64)
}

/// Decodes the entities that occur in phrases; the others stay as they are.
pub(super) fn decoded(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        output.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| entity(&rest[1..end]).map(|character| (end, character))) {
            Some((end, character)) => {
                output.push(character);
                rest = &rest[end + 1..];
            }
            None => {
                output.push('&');
                rest = &rest[1..];
            }
        }
    }
    output.push_str(rest);
    output.into()
}

/// The character of an entity. Folding removes accents later, so an accented letter becomes its
/// plain one here.
fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    const ACCENTS: &[&str] = &[
        "acute", "grave", "circ", "uml", "tilde", "cedil", "ring", "slash", "caron",
    ];
    if let Some(letter) = ACCENTS
        .iter()
        .find_map(|accent| name.strip_suffix(accent))
        .filter(|letter| letter.len() == 1)
    {
        return letter.chars().next();
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" | "lsquo" | "rsquo" => '\'',
        "ldquo" | "rdquo" | "bdquo" => '"',
        "laquo" | "lsaquo" => '«',
        "raquo" | "rsaquo" => '»',
        "nbsp" | "ensp" | "emsp" | "thinsp" => ' ',
        "ndash" | "mdash" => '-',
        "hellip" => '…',
        "szlig" => 'ß',
        "aelig" => 'æ',
        "oelig" => 'œ',
        "iexcl" => '¡',
        "iquest" => '¿',
        "copy" => '©',
        "middot" | "bull" => '·',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_text_and_raw_content_are_handed_out_in_order() {
        let pieces: Vec<_> =
            TagScanner::new("<!doctype html><p class=\"a > b\">x &lt; y</p><!-- <b> --><script src=a>if(a</b>1)</script>z").collect();
        assert_eq!(
            pieces,
            [
                HtmlPiece::Start {
                    name: "p",
                    attributes: " class=\"a > b\""
                },
                HtmlPiece::Text("x &lt; y"),
                HtmlPiece::End { name: "p" },
                HtmlPiece::Raw {
                    name: "script",
                    attributes: " src=a",
                    content: "if(a</b>1)"
                },
                HtmlPiece::Text("z"),
            ]
        );
    }

    #[test]
    fn broken_markup_does_not_loop() {
        for html in [
            "<",
            "<a",
            "<a href=\"x",
            "</",
            "<!--",
            "<script>",
            "a < b <",
            "<p \"'><b>",
            "<é>",
            "</é",
        ] {
            assert!(TagScanner::new(html).count() < 10, "{html}");
        }
    }

    #[test]
    fn attributes_are_read_in_all_notations() {
        let found: Vec<_> = attributes(" id=root data-a='b c' hidden class = \"x\" /").collect();
        assert_eq!(
            found,
            [
                ("id", "root"),
                ("data-a", "b c"),
                ("hidden", ""),
                ("class", "x")
            ]
        );
        assert!(attributes("= = \" ' =").count() <= 64);
    }

    #[test]
    fn entities_decode_to_what_folding_expects() {
        assert_eq!(
            decoded("Acc&egrave;s refus&eacute; &#8211; don&#x27;t &unknown; &"),
            "Acces refuse – don't &unknown; &"
        );
    }
}
