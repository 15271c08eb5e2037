//! One source file as the rules see it: its functions, calls, error handlers, loops and raised
//! errors, whatever the language calls them.
//!
//! Rules are written once on these facts where the languages agree, and on the kinds of nodes where
//! they do not. The facts are collected in one walk over the tree (`syntax/`), so a rule never
//! climbs from a node to its parents: the scope of each fact says what it stands in. Whatever a rule
//! looks at is counted (`work.rs`).

use std::ops::Range;

use tree_sitter::Node;

pub(super) use super::facts::{Call, Facts, Function, Handler, Loop, Raise, Scope, ToolKind};
use super::language::Language;
use super::work::{FACT, Work};

#[derive(Debug)]
pub(super) struct Unit<'t> {
    pub(super) language: Language,
    text: &'t str,
    /// The text with comments blanked, byte for byte as long.
    code: String,
    /// The text with comments and the contents of strings blanked.
    bare: String,
    facts: Facts<'t>,
    /// The handlers by where they begin.
    handlers_in_order: Vec<usize>,
    /// What one pass over all calls costs.
    pass: usize,
    work: Work,
}

impl<'t> Unit<'t> {
    pub(super) fn new(
        language: Language,
        text: &'t str,
        [code, bare]: [String; 2],
        facts: Facts<'t>,
        work: Work,
    ) -> Unit<'t> {
        let mut handlers_in_order: Vec<usize> = (0..facts.handlers.len()).collect();
        handlers_in_order.sort_by_key(|index| facts.handlers[*index].node.start_byte());
        let callees = facts.calls.iter().map(|call| call.callee.len() + FACT);
        let pass = text.len() + callees.sum::<usize>();
        Unit {
            language,
            text,
            code,
            bare,
            facts,
            handlers_in_order,
            pass,
            work,
        }
    }

    pub(super) fn work(&self) -> &Work {
        &self.work
    }

    /// Counts what each rule costs that looks at every call.
    pub(super) fn begin_rule(&self) {
        self.work.spend(self.pass);
    }

    fn part<'p>(&self, text: &'p str, range: Range<usize>) -> &'p str {
        match self.work.spend(range.len()) {
            true => text.get(range).unwrap_or_default(),
            false => "",
        }
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'t str {
        self.part(self.text, node.byte_range())
    }

    /// The text of a node without comments.
    pub(super) fn code(&self, node: Node<'_>) -> &str {
        self.part(&self.code, node.byte_range())
    }

    /// The text of a node without comments and the contents of strings.
    pub(super) fn bare(&self, node: Node<'_>) -> &str {
        self.bare_between(node.byte_range())
    }

    pub(super) fn bare_between(&self, range: Range<usize>) -> &str {
        self.part(&self.bare, range)
    }

    pub(super) fn text_between(&self, range: Range<usize>) -> &'t str {
        self.part(self.text, range)
    }

    pub(super) fn whole_text(&self) -> &'t str {
        self.part(self.text, 0..self.text.len())
    }

    /// The whole file without comments.
    pub(super) fn whole_code(&self) -> &str {
        self.part(&self.code, 0..self.code.len())
    }

    /// The whole file without comments and the contents of strings.
    pub(super) fn whole_bare(&self) -> &str {
        self.bare_between(0..self.bare.len())
    }

    /// The code shortly before a place.
    pub(super) fn code_before(&self, end: usize) -> &str {
        let begin = self.code.floor_char_boundary(end.saturating_sub(NEAR));
        self.part(&self.code, begin..end)
    }

    /// The code shortly after a place.
    pub(super) fn code_after(&self, begin: usize) -> &str {
        let end = self.code.floor_char_boundary(begin.saturating_add(NEAR));
        self.part(&self.code, begin..end)
    }

    /// The same without the contents of strings.
    pub(super) fn bare_after(&self, begin: usize) -> &str {
        let end = self.bare.floor_char_boundary(begin.saturating_add(NEAR));
        self.bare_between(begin..end)
    }

    /// The line on which a node begins, as far as it is near.
    pub(super) fn line_of(&self, node: Node<'_>) -> &str {
        let (before, after) = (
            self.code_before(node.start_byte()),
            self.code_after(node.start_byte()),
        );
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let begin = node.start_byte() - (before.len() - begin);
        let end = node.start_byte() + after.find('\n').unwrap_or(after.len());
        self.part(&self.code, begin..end)
    }

    /// Ends a list when the work is used up.
    fn counted<T>(&self, list: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        list.take_while(|_| self.work.spend(FACT))
    }

    pub(super) fn calls<'u>(&'u self) -> impl Iterator<Item = &'u Call<'t>> {
        self.counted(self.facts.calls.iter())
    }

    pub(super) fn handlers<'u>(&'u self) -> impl Iterator<Item = &'u Handler<'t>> {
        self.counted(self.facts.handlers.iter())
    }

    pub(super) fn loops<'u>(&'u self) -> impl Iterator<Item = &'u Loop<'t>> {
        self.counted(self.facts.loops.iter())
    }

    pub(super) fn loop_at(&self, index: usize) -> Option<&Loop<'t>> {
        self.facts.loops.get(index)
    }

    pub(super) fn raises<'u>(&'u self) -> impl Iterator<Item = &'u Raise<'t>> {
        self.counted(self.facts.raises.iter())
    }

    pub(super) fn comments<'u>(&'u self) -> impl Iterator<Item = &'u Node<'t>> {
        self.counted(self.facts.comments.iter())
    }

    /// Whether a comment begins on one of these rows.
    pub(super) fn has_comment(&self, rows: std::ops::RangeInclusive<usize>) -> bool {
        let row = |comment: &Node<'_>| comment.start_position().row;
        let comments = &self.facts.comments;
        let first = comments.partition_point(|comment| row(comment) < *rows.start());
        comments
            .get(first)
            .is_some_and(|comment| rows.contains(&row(comment)))
    }

    /// All nodes of a kind of the grammar, in the order of the text.
    pub(super) fn of_kind<'u>(&'u self, kind: &str) -> impl Iterator<Item = &'u (Node<'t>, Scope)> {
        self.counted(self.list_of_kind(kind).iter())
    }

    fn list_of_kind(&self, kind: &str) -> &[(Node<'t>, Scope)] {
        self.facts.by_kind.get(kind).map_or(&[], Vec::as_slice)
    }

    /// The nodes of a kind below a node.
    pub(super) fn of_kind_in<'u>(
        &'u self,
        kind: &str,
        outer: Node<'t>,
    ) -> impl Iterator<Item = Node<'t>> + 'u {
        let list = self.list_of_kind(kind);
        let first = list.partition_point(|(node, _)| node.start_byte() < outer.start_byte());
        self.counted(list[first..].iter().map(|(node, _)| *node))
            .take_while(move |node| node.start_byte() < outer.end_byte())
            .filter(move |node| is_inside(*node, outer))
    }

    /// The innermost node of a kind around a node.
    pub(super) fn around(&self, kind: &str, inner: Node<'_>) -> Option<Node<'t>> {
        let list = self.list_of_kind(kind);
        let end = list.partition_point(|(node, _)| node.start_byte() <= inner.start_byte());
        self.counted(list[..end].iter().rev().map(|(node, _)| *node))
            .find(|node| is_inside(inner, *node))
    }

    pub(super) fn function(&self, scope: Scope) -> Option<&Function<'t>> {
        self.facts.functions.get(scope.function?)
    }

    /// The functions around a place, innermost first.
    pub(super) fn functions(&self, scope: Scope) -> impl Iterator<Item = (usize, &Function<'t>)> {
        let functions = &self.facts.functions;
        let at = |index: usize| Some((index, functions.get(index)?));
        std::iter::successors(scope.function.and_then(at), move |(_, function)| {
            function.parent.and_then(at)
        })
    }

    pub(super) fn handler(&self, scope: Scope) -> Option<&Handler<'t>> {
        self.facts.handlers.get(scope.handler?)
    }

    /// The function that a reader would call the context: short unnamed closures belong to the
    /// function around them.
    pub(super) fn frame(&self, scope: Scope) -> Option<&Function<'t>> {
        self.facts.functions.get(self.frame_index(scope)?)
    }

    /// The key of [`Unit::frame`], for facts that are found once for each frame.
    pub(super) fn frame_index(&self, scope: Scope) -> Option<usize> {
        let mut last = None;
        for (index, function) in self.functions(scope) {
            last = Some(index);
            if !function.name.is_empty() || function.tool.is_some() {
                break;
            }
        }
        last
    }

    /// The code of [`Unit::frame`], or of the whole file at the top level.
    pub(super) fn frame_code(&self, scope: Scope) -> &str {
        match self.frame(scope) {
            Some(function) => self.code(function.node),
            None => self.whole_code(),
        }
    }

    /// The function that serves calls of a tool around this place.
    pub(super) fn tool(&self, scope: Scope) -> Option<(&Function<'t>, ToolKind)> {
        let mut functions = self.functions(scope);
        functions.find_map(|(_, function)| Some((function, function.tool?)))
    }

    /// The calls below a node.
    pub(super) fn calls_in<'u>(&'u self, outer: Node<'t>) -> impl Iterator<Item = &'u Call<'t>> {
        let calls = &self.facts.calls;
        let first = calls.partition_point(|call| call.node.start_byte() < outer.start_byte());
        self.counted(calls[first..].iter())
            .take_while(move |call| call.node.start_byte() < outer.end_byte())
            .filter(move |call| is_inside(call.node, outer))
    }

    pub(super) fn handlers_in<'u>(
        &'u self,
        outer: Node<'t>,
    ) -> impl Iterator<Item = &'u Handler<'t>> {
        let all = &self.facts.handlers;
        let begin = |index: &usize| all[*index].node.start_byte();
        let order = &self.handlers_in_order;
        let first = order.partition_point(|index| begin(index) < outer.start_byte());
        self.counted(order[first..].iter().map(|index| &all[*index]))
            .take_while(move |handler| handler.node.start_byte() < outer.end_byte())
            .filter(move |handler| is_inside(handler.node, outer))
    }
}

/// How far rules look for what stands near a place, in bytes.
const NEAR: usize = 600;

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
