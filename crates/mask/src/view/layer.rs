//! A part of the text with some layers of escaping undone, and where each of its bytes comes from.

use memchr::memchr_iter;

use super::windows::EscapedParts;
use crate::escape::{Style, escape, may_escape};
use crate::text::{Span, spend};

/// A run of bytes of a layer and its place in the original: as it is written there, or all of it
/// for one character that an escape stands for.
#[derive(Clone, Debug)]
struct Piece {
    /// Where it starts in the layer.
    at: usize,
    source: Span,
    escaped: bool,
}

pub(super) struct Layer {
    pub(super) text: String,
    /// In order, without gaps.
    pieces: Vec<Piece>,
}

impl Layer {
    /// The text as it is, which starts at `start` in the original.
    pub(super) fn plain(text: &str, start: usize) -> Self {
        Self {
            text: text.to_owned(),
            pieces: vec![Piece {
                at: 0,
                source: start..start + text.len(),
                escaped: false,
            }],
        }
    }

    /// The part of the original text that a part of this layer stands for.
    pub(super) fn original(&self, span: Span) -> Option<Span> {
        let last = span.end.checked_sub(1)?;
        Some(self.source(span.start)?.start..self.source(last)?.end)
    }

    /// Where the byte at `at` comes from.
    fn source(&self, at: usize) -> Option<Span> {
        let next = self.pieces.partition_point(|piece| piece.at <= at);
        let piece = self.pieces.get(next.checked_sub(1)?)?;
        if piece.escaped {
            return Some(piece.source.clone());
        }
        let start = piece.source.start + (at - piece.at);
        Some(start..start + 1)
    }

    /// Where escapes were undone.
    pub(super) fn undone_parts(&self) -> EscapedParts {
        let mut parts = EscapedParts::none();
        let mut read = None;
        for piece in &self.pieces {
            // A colour left nothing but a gap.
            let after_gap = read.is_some_and(|read| read != piece.source.start);
            if piece.escaped || after_gap {
                parts.mark(self.text.len(), piece.at.min(self.text.len() - 1));
            }
            read = Some(piece.source.end);
        }
        parts
    }

    /// The text with a line end in the place of each unescaped quotation mark around a text with
    /// lines of its own: `{"log":"# token\n…"}`. `None` if there is no such text.
    pub(super) fn with_quoted_lines(&self) -> Option<String> {
        let mut bytes = self.text.clone().into_bytes();
        let (mut open, mut lines, mut changed) = (None, false, false);
        for (index, piece) in self.pieces.iter().enumerate() {
            if piece.escaped {
                lines |= bytes.get(piece.at) == Some(&b'\n');
                continue;
            }
            let end = self.pieces.get(index + 1).map_or(bytes.len(), |it| it.at);
            let marks = memchr_iter(b'"', &self.text.as_bytes()[piece.at..end]);
            for at in marks.map(|at| piece.at + at) {
                if lines {
                    open.into_iter().for_each(|open: usize| bytes[open] = b'\n');
                    bytes[at] = b'\n';
                    changed = true;
                }
                (open, lines) = (Some(at), false);
            }
        }
        if lines && let Some(open) = open {
            bytes[open] = b'\n';
            changed = true;
        }
        changed.then(|| String::from_utf8(bytes).ok())?
    }

    /// With one more layer undone; `None` if there is none.
    pub(super) fn undone(&self, plus_is_space: bool, style: Style) -> Option<Self> {
        let bytes = self.text.as_bytes();
        spend(bytes.len());
        let mut undone = Undone::new(self);
        let mut at = 0;
        while let Some(found) = bytes[at..].iter().position(|byte| may_escape(*byte)) {
            at += found;
            at += match escape(&bytes[at..], plus_is_space, style) {
                Some((length, meaning)) => {
                    undone.replace(at..at + length, meaning);
                    length
                }
                None => 1,
            };
        }
        undone.finished()
    }
}

/// A layer in the making.
struct Undone<'l> {
    layer: &'l Layer,
    text: String,
    pieces: Vec<Piece>,
    /// How much of the layer below was taken over.
    copied: usize,
    /// The piece of the layer below that comes next.
    piece: usize,
}

impl<'l> Undone<'l> {
    fn new(layer: &'l Layer) -> Self {
        Self {
            layer,
            text: String::with_capacity(layer.text.len()),
            pieces: Vec::new(),
            copied: 0,
            piece: 0,
        }
    }

    /// Puts the meaning of an escape in its place; a colour has none.
    fn replace(&mut self, escape: Span, meaning: Option<char>) {
        self.copy_until(escape.start);
        let source = self.layer.original(escape.clone());
        if let (Some(meaning), Some(source)) = (meaning, source) {
            self.pieces.push(Piece {
                at: self.text.len(),
                source,
                escaped: true,
            });
            self.text.push(meaning);
        }
        self.copied = escape.end;
    }

    /// Takes over the text up to `end` with the pieces it consists of.
    fn copy_until(&mut self, end: usize) {
        let below = &self.layer.pieces;
        while self.copied < end {
            while below
                .get(self.piece + 1)
                .is_some_and(|it| it.at <= self.copied)
            {
                self.piece += 1;
            }
            let Some(piece) = below.get(self.piece) else {
                return;
            };
            let stop = below.get(self.piece + 1).map_or(end, |it| it.at.min(end));
            let source = match piece.escaped {
                true => piece.source.clone(),
                false => {
                    let start = piece.source.start + (self.copied - piece.at);
                    start..start + (stop - self.copied)
                }
            };
            self.pieces.push(Piece {
                at: self.text.len(),
                source,
                escaped: piece.escaped,
            });
            self.text.push_str(&self.layer.text[self.copied..stop]);
            self.copied = stop;
        }
    }

    fn finished(mut self) -> Option<Layer> {
        if self.copied == 0 {
            return None;
        }
        self.copy_until(self.layer.text.len());
        Some(Layer {
            text: self.text,
            pieces: self.pieces,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undone(text: &str) -> String {
        let style = Style::of(text.as_bytes());
        let plus_is_space = style.form.readings().last() == Some(true);
        let layer = Layer::plain(text, 0).undone(plus_is_space, style);
        layer.map_or_else(|| "nothing".to_owned(), |layer| layer.text)
    }

    #[test]
    fn each_kind_of_escape_is_undone() {
        for (escaped, plain) in [
            ("\u{1b}[1;36mkey\u{1b}[0m=x", "key=x"),
            ("^[[32mkey^[[m=x", "key=x"),
            ("\u{1b}]0;title\u{7}key", "key"),
            ("\\\"key\\\":\\u0022x\\x22", "\"key\":\"x\""),
            ("a\\nb\\/c", "a\nb/c"),
            ("&quot;key&#34;&#x3D;&#39;x", "\"key\"='x"),
            ("key%3Da+b%26", "key=a b&"),
            ("key=3Dx=\ny", "key=xy"),
            ("\\033[1mkey", "\u{1b}[1mkey"),
            ("C:\\dir & 50% + é", "nothing"),
            ("\\u+041 &#+65; \\x+1", "nothing"),
        ] {
            assert_eq!(undone(escaped), plain, "{escaped:?}");
        }
    }

    #[test]
    fn positions_lead_back_to_the_original_through_every_layer() {
        let text = "é \\u006bey=&quot;x&amp;quot;y&quot;";
        let first = Layer::plain(text, 0)
            .undone(false, Style::of(text.as_bytes()))
            .expect("there are escapes");
        let at = first.text.find("\"x").expect("it is undone");
        let span = first.original(at..at + 2).expect("it has a source");
        assert_eq!(&text[span], "&quot;x");
        let second = first
            .undone(false, Style::of(first.text.as_bytes()))
            .expect("one was escaped twice");
        assert_eq!(second.text, "é key=\"x\"y\"");
        let at = second.text.find("\"y").expect("it is undone");
        let span = second.original(at..at + 3).expect("it has a source");
        assert_eq!(&text[span], "&amp;quot;y&quot;");
    }
}
