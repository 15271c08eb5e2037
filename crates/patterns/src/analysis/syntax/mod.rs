//! Collects the facts of a [`Unit`] in one walk over the tree.
//!
//! Each language has a file that says which of its nodes are functions, calls, error handlers, loops
//! and raised errors.

mod go;
mod python;
mod requests;
mod rust;
mod typescript;

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::language::Language;
use super::unit::{
    Call, Facts, Function, Handler, Loop, Raise, Scope, ToolKind, Unit, below, named,
};
use super::work::{FACT, Work};

/// Functions inside functions are facts of their own up to this depth, so that hostile nesting does
/// not make rules read the same text again and again.
const MAX_FUNCTION_DEPTH: usize = 30;

pub(super) fn collect<'t>(text: &'t str, language: Language, tree: &'t Tree) -> Unit<'t> {
    let mut collector = Collector::new(text, language);
    collector.walk(tree);
    collector.finish()
}

struct Collector<'t> {
    source: &'t str,
    language: Language,
    facts: Facts<'t>,
    work: Work,
    /// Scopes that begin at a node, by the id of the node.
    handler_bodies: HashMap<usize, usize>,
    loop_bodies: HashMap<usize, usize>,
    /// Functions that serve tools, and names of functions that have none themselves, by the id of
    /// the node.
    tools: HashMap<usize, ToolKind>,
    names: HashMap<usize, &'t str>,
    /// Attributes directly before the next item.
    attributes: Vec<&'t str>,
    attributes_end: usize,
    comment_ranges: Vec<Range<usize>>,
    string_ranges: Vec<Range<usize>>,
}

impl<'t> Collector<'t> {
    fn new(source: &'t str, language: Language) -> Collector<'t> {
        Collector {
            source,
            language,
            facts: Facts::default(),
            work: Work::for_source(source),
            handler_bodies: HashMap::new(),
            loop_bodies: HashMap::new(),
            tools: HashMap::new(),
            names: HashMap::new(),
            attributes: Vec::new(),
            attributes_end: 0,
            comment_ranges: Vec::new(),
            string_ranges: Vec::new(),
        }
    }

    fn walk(&mut self, tree: &'t Tree) {
        let mut cursor = tree.walk();
        let mut scopes: Vec<(u32, Scope)> = Vec::new();
        loop {
            let (node, depth) = (cursor.node(), cursor.depth());
            while scopes.last().is_some_and(|(opened, _)| *opened >= depth) {
                scopes.pop();
            }
            let scope = scopes.last().map_or(Scope::default(), |(_, scope)| *scope);
            if node.is_named() {
                let inner = self.visit(node, scope);
                if inner != scope {
                    scopes.push((depth, inner));
                }
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Records what a node is, and returns the scope of what is below it.
    fn visit(&mut self, node: Node<'t>, outer: Scope) -> Scope {
        let mut scope = outer;
        if let Some(index) = self.handler_bodies.get(&node.id()) {
            scope.handler = Some(*index);
        }
        if let Some(index) = self.loop_bodies.get(&node.id()) {
            scope.in_loop = Some(*index);
        }
        let kind = node.kind();
        if asks(kind) {
            scope.question = Some(node.start_byte());
        }
        if asks(kind) || branches(kind) {
            scope.branch = Some(node.start_byte());
        }
        self.work.spend(FACT);
        self.facts
            .by_kind
            .entry(kind)
            .or_default()
            .push((node, scope));
        if kind.ends_with("comment") {
            self.facts.comments.push(node);
            self.comment_ranges.push(node.byte_range());
            return scope;
        }
        match self.language {
            Language::TypeScript => self.visit_typescript(node, scope),
            Language::Python => self.visit_python(node, scope),
            Language::Go => self.visit_go(node, scope),
            Language::Rust => self.visit_rust(node, scope),
        }
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        match self.work.spend(node.byte_range().len()) {
            true => self.source.get(node.byte_range()).unwrap_or_default(),
            false => "",
        }
    }

    /// Whether the text of a node begins with a word, however long the node is.
    fn begins_with(&self, node: Node<'_>, word: &str) -> bool {
        let rest = self.source.get(node.start_byte()..);
        rest.is_some_and(|rest| rest.starts_with(word))
    }

    fn field_text(&self, node: Node<'_>, field: &str) -> &'t str {
        node.child_by_field_name(field)
            .map_or("", |child| self.text(child))
    }

    fn add_string(&mut self, node: Node<'t>) {
        self.string_ranges.push(node.byte_range());
    }

    /// Adds a function and returns the scope inside it.
    fn add_function(&mut self, function: NewFunction<'t>, scope: Scope) -> Scope {
        let depth = self.function_depth(scope);
        if depth >= MAX_FUNCTION_DEPTH {
            return scope;
        }
        let id = function.node.id();
        let name = match function.name {
            "" => self.names.get(&id).copied().unwrap_or_default(),
            name => name,
        };
        self.facts.functions.push(Function {
            node: function.node,
            name,
            params: function.params.into_iter().collect(),
            returns: function.returns,
            is_async: function.is_async,
            tool: function.tool.or_else(|| self.tools.get(&id).copied()),
            parent: scope.function,
        });
        Scope {
            function: Some(self.facts.functions.len() - 1),
            ..scope
        }
    }

    fn function_depth(&self, scope: Scope) -> usize {
        let parent = |index: &usize| self.facts.functions.get(*index)?.parent;
        std::iter::successors(scope.function, parent)
            .take(MAX_FUNCTION_DEPTH)
            .count()
    }

    fn add_call(&mut self, node: Node<'t>, callee: &'t str, name: &'t str, scope: Scope) {
        let receiver = callee.strip_suffix(name).unwrap_or_default();
        let arguments = node.child_by_field_name("arguments");
        self.facts.calls.push(Call {
            node,
            callee,
            name,
            receiver: receiver.trim_end_matches(['.', ':', '?', '!', ' ', '\n', '\t']),
            arguments,
            scope,
            is_request: false,
        });
    }

    fn add_handler(
        &mut self,
        node: Node<'t>,
        body: Node<'t>,
        binding: Option<&'t str>,
        is_broad: bool,
        scope: Scope,
    ) {
        self.handler_bodies
            .insert(body.id(), self.facts.handlers.len());
        self.facts.handlers.push(Handler {
            node,
            body,
            binding,
            is_broad,
            scope,
        });
    }

    fn add_loop(&mut self, node: Node<'t>, is_endless: bool, scope: Scope) {
        if let Some(body) = node.child_by_field_name("body") {
            self.loop_bodies.insert(body.id(), self.facts.loops.len());
        }
        self.facts.loops.push(Loop {
            node,
            is_endless,
            scope,
        });
    }

    fn add_raise(&mut self, node: Node<'t>, scope: Scope) {
        self.facts.raises.push(Raise { node, scope });
    }

    fn finish(mut self) -> Unit<'t> {
        let mut code = self.source.as_bytes().to_vec();
        blank(&mut code, &self.comment_ranges);
        let mut bare = code.clone();
        blank(&mut bare, &self.string_ranges);
        let bare = into_text(bare);
        requests::mark(self.language, &bare, &mut self.facts.calls);
        let texts = [into_text(code), bare];
        Unit::new(self.language, self.source, texts, self.facts, self.work)
    }
}

/// Whether a node is a statement that asks something.
fn asks(kind: &str) -> bool {
    matches!(
        kind,
        "if_statement" | "switch_statement" | "match_statement"
    )
}

/// Whether what is below such a node need not run, or runs several times.
fn branches(kind: &str) -> bool {
    matches!(
        kind,
        "if_expression"
            | "elif_clause"
            | "else_clause"
            | "for_statement"
            | "while_statement"
            | "match_arm"
            | "match_expression"
            | "switch_case"
            | "except_clause"
            | "catch_clause"
            | "case_clause"
            | "for_in_statement"
            | "expression_case"
            | "for_expression"
    )
}

/// What the languages tell about a function.
struct NewFunction<'t> {
    node: Node<'t>,
    name: &'t str,
    params: Vec<&'t str>,
    returns: &'t str,
    is_async: bool,
    tool: Option<ToolKind>,
}

/// Replaces all but line breaks by spaces. Ranges are of whole nodes, so no letter is cut.
fn blank(text: &mut [u8], ranges: &[Range<usize>]) {
    for range in ranges {
        for byte in text.get_mut(range.clone()).unwrap_or_default() {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The names that parameters bind: identifiers below a node that are not types or defaults.
fn bound_names<'t>(
    text: &'t str,
    node: Node<'t>,
    kinds: &[&str],
    skipped: &[&str],
) -> Vec<&'t str> {
    let mut names = Vec::new();
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        if kinds.contains(&node.kind()) {
            names.extend(text.get(node.byte_range()));
            continue;
        }
        let mut cursor = node.walk();
        let mut has_child = cursor.goto_first_child();
        while has_child {
            let (child, field) = (cursor.node(), cursor.field_name());
            let is_skipped = skipped.contains(&child.kind())
                || field.is_some_and(|field| matches!(field, "type" | "value" | "key"));
            if child.is_named() && !is_skipped {
                todo.push(child);
            }
            has_child = cursor.goto_next_sibling();
        }
    }
    names.reverse();
    names
}

/// The functions among the arguments of a call, and among the values of an object in them.
fn functions_in_arguments<'t>(
    arguments: Node<'t>,
    kinds: &'static [&'static str],
) -> Vec<Node<'t>> {
    let direct = named(arguments);
    let inside = direct
        .iter()
        .filter(|node| node.kind() == "object")
        .flat_map(|object| named(*object))
        .flat_map(|member| match member.kind() {
            "pair" => member.child_by_field_name("value"),
            "method_definition" => Some(member),
            _ => None,
        });
    let found: Vec<Node<'t>> = direct.iter().copied().chain(inside).collect();
    found
        .into_iter()
        .filter(|node| kinds.contains(&node.kind()))
        .collect()
}
