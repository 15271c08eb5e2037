//! One source file as the rules see it: its functions, calls, error handlers, loops and raised
//! errors, whatever the language calls them.
//!
//! Rules are written once on these facts where the languages agree, and on the kinds of nodes where
//! they do not. The facts are collected in one walk over the tree (`syntax/`), so a rule never
//! climbs from a node to its parents: the scope of each fact says what it stands in.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use super::language::Language;

/// What a fact stands in, as indices into the lists of [`Unit`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) function: Option<usize>,
    pub(super) handler: Option<usize>,
    pub(super) in_loop: Option<usize>,
    /// Whether it is test code inside a file of other code.
    pub(super) in_test: bool,
}

/// How a function serves calls of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolKind {
    /// The SDK turns an error that it returns or throws into a result with `isError`.
    Wrapped,
    /// An error that it returns or throws becomes an error of the protocol.
    Bare,
}

#[derive(Debug)]
pub(super) struct Function<'t> {
    pub(super) node: Node<'t>,
    pub(super) name: &'t str,
    pub(super) params: Vec<&'t str>,
    /// The declared type of its result; empty when there is none.
    pub(super) returns: &'t str,
    pub(super) is_async: bool,
    pub(super) tool: Option<ToolKind>,
    pub(super) parent: Option<usize>,
}

/// A call, a constructor or a macro.
#[derive(Debug)]
pub(super) struct Call<'t> {
    pub(super) node: Node<'t>,
    /// What is called, as written: `axios.get`, `self.client.post`.
    pub(super) callee: &'t str,
    /// The last part of it: `get`, `post`. Of a constructor the class, of a macro its name and `!`.
    pub(super) name: &'t str,
    /// What comes before the last part; empty when there is nothing.
    pub(super) receiver: &'t str,
    pub(super) arguments: Option<Node<'t>>,
    pub(super) scope: Scope,
}

/// Code that runs because something failed.
#[derive(Debug)]
pub(super) struct Handler<'t> {
    pub(super) node: Node<'t>,
    pub(super) body: Node<'t>,
    /// The name of the error; `None` when the code does not name it.
    pub(super) binding: Option<&'t str>,
    /// Whether it runs for every kind of failure.
    pub(super) is_broad: bool,
    pub(super) scope: Scope,
}

#[derive(Debug)]
pub(super) struct Loop<'t> {
    pub(super) node: Node<'t>,
    /// Whether its own condition never ends it.
    pub(super) is_endless: bool,
    pub(super) scope: Scope,
}

/// An error that is made and handed up.
#[derive(Debug)]
pub(super) struct Raise<'t> {
    pub(super) node: Node<'t>,
    pub(super) scope: Scope,
}

#[derive(Debug)]
pub(super) struct Unit<'t> {
    pub(super) language: Language,
    pub(super) text: &'t str,
    /// The text with comments blanked, byte for byte as long.
    pub(super) code: String,
    /// The text with comments and the contents of strings blanked.
    pub(super) bare: String,
    pub(super) functions: Vec<Function<'t>>,
    pub(super) calls: Vec<Call<'t>>,
    pub(super) handlers: Vec<Handler<'t>>,
    pub(super) loops: Vec<Loop<'t>>,
    pub(super) raises: Vec<Raise<'t>>,
    pub(super) comments: Vec<Node<'t>>,
    pub(super) by_kind: HashMap<&'t str, Vec<(Node<'t>, Scope)>>,
}

impl<'t> Unit<'t> {
    pub(super) fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a node without comments.
    pub(super) fn code(&self, node: Node<'_>) -> &str {
        self.code.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a node without comments and the contents of strings.
    pub(super) fn bare(&self, node: Node<'_>) -> &str {
        self.bare.get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn bare_between(&self, range: Range<usize>) -> &str {
        self.bare.get(range).unwrap_or_default()
    }

    /// All nodes of a kind of the grammar, in the order of the text.
    pub(super) fn of_kind(&self, kind: &str) -> &[(Node<'t>, Scope)] {
        self.by_kind.get(kind).map_or(&[], Vec::as_slice)
    }

    pub(super) fn function(&self, scope: Scope) -> Option<&Function<'t>> {
        self.functions.get(scope.function?)
    }

    pub(super) fn handler(&self, scope: Scope) -> Option<&Handler<'t>> {
        self.handlers.get(scope.handler?)
    }

    /// The function that a reader would call the context: short unnamed closures belong to the
    /// function around them.
    pub(super) fn frame(&self, scope: Scope) -> Option<&Function<'t>> {
        let mut function = self.function(scope)?;
        while function.name.is_empty()
            && function.tool.is_none()
            && let Some(parent) = function.parent.and_then(|index| self.functions.get(index))
        {
            function = parent;
        }
        Some(function)
    }

    /// The code of [`Unit::frame`], or of the whole file at the top level.
    pub(super) fn frame_code(&self, scope: Scope) -> &str {
        match self.frame(scope) {
            Some(function) => self.code(function.node),
            None => &self.code,
        }
    }

    /// The function that serves calls of a tool around this place.
    pub(super) fn tool(&self, scope: Scope) -> Option<(&Function<'t>, ToolKind)> {
        let mut next = scope.function;
        while let Some(function) = next.and_then(|index| self.functions.get(index)) {
            if let Some(kind) = function.tool {
                return Some((function, kind));
            }
            next = function.parent;
        }
        None
    }

    /// The calls below a node.
    pub(super) fn calls_in<'u>(&'u self, outer: Node<'t>) -> impl Iterator<Item = &'u Call<'t>> {
        let first = self
            .calls
            .partition_point(|call| call.node.start_byte() < outer.start_byte());
        self.calls[first..]
            .iter()
            .take_while(move |call| call.node.start_byte() < outer.end_byte())
            .filter(move |call| is_inside(call.node, outer))
    }

    pub(super) fn handlers_in<'u>(
        &'u self,
        outer: Node<'t>,
    ) -> impl Iterator<Item = &'u Handler<'t>> {
        self.handlers
            .iter()
            .filter(move |handler| is_inside(handler.node, outer))
    }
}

pub(super) fn is_inside(node: Node<'_>, outer: Node<'_>) -> bool {
    outer.start_byte() <= node.start_byte() && node.end_byte() <= outer.end_byte()
}

/// The named children of a node.
pub(super) fn named<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// All nodes below a node and itself, outer ones first.
pub(super) fn below<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = node.walk();
    let mut is_done = false;
    std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        let current = cursor.node();
        if !cursor.goto_first_child() {
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    is_done = true;
                    break;
                }
            }
        }
        Some(current)
    })
}

/// The nodes of one kind below a node.
pub(super) fn below_of<'t>(node: Node<'t>, kind: &'static str) -> impl Iterator<Item = Node<'t>> {
    below(node).filter(move |node| node.kind() == kind)
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a text has a whole word.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    word_at(text, word).is_some()
}

/// Where a whole word begins.
pub(super) fn word_at(text: &str, word: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(at + word.len());
        !before.is_some_and(|byte| is_word_byte(*byte))
            && !after.is_some_and(|byte| is_word_byte(*byte))
    })
}

pub(super) fn has_any_word(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| has_word(text, word))
}

/// Whether a text has any of these parts, whatever their case. The parts are in lower case.
pub(super) fn mentions(text: &str, parts: &[&str]) -> bool {
    let lower = text.to_ascii_lowercase();
    parts.iter().any(|part| lower.contains(part))
}

/// The words of a text that are names, in order.
pub(super) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| word.starts_with(|first: char| first.is_alphabetic() || first == '_'))
}

/// The parts of a name in lower case: `maxRetryCount` and `MAX_RETRY_COUNT` both have three.
pub(super) fn parts_of_name(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            was_lower = false;
            parts.push(String::new());
            continue;
        }
        if parts.is_empty() || (letter.is_uppercase() && was_lower) {
            parts.push(String::new());
        }
        was_lower = letter.is_lowercase() || letter.is_ascii_digit();
        if let Some(part) = parts.last_mut() {
            part.extend(letter.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_case_and_underscores() {
        assert_eq!(parts_of_name("maxRetryCount"), ["max", "retry", "count"]);
        assert_eq!(parts_of_name("OPENAI_API_KEY"), ["openai", "api", "key"]);
        assert_eq!(parts_of_name("_x"), ["x"]);
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("if (err) {", "err"));
        assert!(!has_word("stderr", "err"));
        assert!(!has_word("err_count", "err"));
        assert!(has_word("err_count + err", "err"));
    }
}
