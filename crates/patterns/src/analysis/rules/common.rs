//! Questions that several families ask about calls and names.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use crate::analysis::Language;
use crate::analysis::unit::{Call, Handler, Scope, Unit, named};
use crate::analysis::words::{has_word, last_name, mentions, names_in, parts_of_name};

/// The arguments of a call, without comments.
pub(super) fn arguments<'t>(call: &Call<'t>) -> Vec<Node<'t>> {
    let all = call.arguments.map(named).unwrap_or_default();
    all.into_iter()
        .filter(|node| !node.kind().ends_with("comment"))
        .collect()
}

pub(super) fn arguments_code<'u>(unit: &'u Unit<'_>, call: &Call<'_>) -> &'u str {
    match call.arguments {
        Some(arguments) => unit.code(arguments),
        None => unit.code(call.node),
    }
}

/// Whether a Go file imports this package.
pub(super) fn go_imports(unit: &Unit<'_>, package: &str) -> bool {
    let path = |node: &Node<'_>| node.child_by_field_name("path").map(|it| unit.text(it));
    let mut specs = unit.of_kind("import_spec");
    specs.any(|(node, _)| path(node).is_some_and(|path| path.trim_matches('"') == package))
}

/// Whether a Go name is that of an error. The error output of a program is none.
pub(super) fn is_go_error(name: &str) -> bool {
    name == "err" || (name.ends_with("Err") && !name.eq_ignore_ascii_case("stderr"))
}

/// Whether a Python file has this import for all of its functions.
pub(super) fn python_imports(unit: &Unit<'_>, line: &str) -> bool {
    let mut lines = unit.whole_code().lines();
    lines.any(|code| code.trim_end() == line)
}

/// The places of all nodes of some kinds.
#[derive(Debug)]
pub(super) struct Places {
    /// The outermost ones, in order.
    outermost: Vec<Range<usize>>,
}

impl Places {
    pub(super) fn of(unit: &Unit<'_>, kinds: &[&str]) -> Places {
        let nodes = kinds.iter().flat_map(|kind| unit.of_kind(kind));
        let mut all: Vec<Range<usize>> = nodes.map(|(node, _)| node.byte_range()).collect();
        all.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        all.dedup_by(|inner, outer| inner.end <= outer.end);
        Places { outermost: all }
    }

    /// Whether a node is inside one of them.
    pub(super) fn have(&self, node: Node<'_>) -> bool {
        let after = self
            .outermost
            .partition_point(|range| range.start <= node.start_byte());
        let last = after.checked_sub(1).and_then(|at| self.outermost.get(at));
        last.is_some_and(|range| node.end_byte() <= range.end)
    }
}

/// What is known of frames by their code, found once for each however many calls ask.
#[derive(Debug, Default)]
pub(super) struct PerFrame<T> {
    known: HashMap<Option<usize>, T>,
}

impl<T: Copy> PerFrame<T> {
    pub(super) fn of(&mut self, unit: &Unit<'_>, scope: Scope, find: impl FnOnce(&str) -> T) -> T {
        let known = self.known.entry(unit.frame_index(scope));
        *known.or_insert_with(|| find(unit.frame_code(scope)))
    }
}

pub(super) fn arguments_bare<'u>(unit: &'u Unit<'_>, call: &Call<'_>) -> &'u str {
    match call.arguments {
        Some(arguments) => unit.bare(arguments),
        None => unit.bare(call.node),
    }
}

pub(super) fn is_sleep(unit: &Unit<'_>, call: &Call<'_>) -> bool {
    match unit.language {
        Language::TypeScript => {
            matches!(
                call.name,
                "setTimeout" | "sleep" | "delay" | "wait" | "backoff" | "setTimeoutPromise"
            )
        }
        Language::Python | Language::Rust => call.name == "sleep",
        Language::Go => matches!(
            call.callee,
            "time.Sleep" | "time.After" | "time.NewTimer" | "time.NewTicker"
        ),
    }
}

pub(super) fn is_log(unit: &Unit<'_>, call: &Call<'_>) -> bool {
    let last = last_name(call.receiver);
    let is_logger = mentions(last, &["logger", "log"]);
    match unit.language {
        Language::TypeScript => last == "console" || (is_logger && is_level(call.name)),
        Language::Python => {
            call.callee == "print" || ((is_logger || last == "logging") && is_level(call.name))
        }
        Language::Go => {
            matches!(call.receiver, "log" | "slog")
                || (call.receiver == "fmt" && call.name.starts_with("Print"))
                || (is_logger && is_level(&call.name.to_lowercase()))
        }
        Language::Rust => {
            call.node.kind() == "macro_invocation"
                && (matches!(call.name, "println" | "eprintln" | "print" | "eprint")
                    || (is_level(call.name) && call.name != "exception"))
        }
    }
}

fn is_level(name: &str) -> bool {
    let name = name.trim_end_matches(['f', 'w']);
    matches!(
        name,
        "log"
            | "trace"
            | "debug"
            | "ino"
            | "info"
            | "warn"
            | "warning"
            | "error"
            | "critical"
            | "exception"
            | "fatal"
            | "notice"
            | "verbose"
    )
}

/// Whether an expression is named like an error.
pub(super) fn is_errorish(text: &str) -> bool {
    names_in(text).any(|name| {
        matches!(name, "e" | "ex" | "exc" | "er")
            || parts_of_name(name)
                .iter()
                .any(|part| matches!(part.as_str(), "err" | "error" | "exception"))
    })
}

/// Whether a loop repeats an attempt, by its names.
pub(super) fn counts_attempts(text: &str) -> bool {
    names_in(text).any(|name| {
        let parts = parts_of_name(name);
        parts.iter().any(|part| {
            matches!(
                part.as_str(),
                "attempt" | "attempts" | "retry" | "retries" | "tries" | "tried" | "retrying"
            )
        })
    })
}

/// Whether text is computed from one of these names.
pub(super) fn mentions_name(text: &str, names: &HashSet<&str>) -> bool {
    names_in(text).any(|name| names.contains(name))
}

/// Names in a body that are assigned from an expression with one of the names, and the names
/// themselves.
pub(super) fn derived_names<'t>(
    unit: &Unit<'t>,
    body: Node<'t>,
    from: &'t str,
) -> HashSet<&'t str> {
    // A dollar sign is no letter of a name here, as in `names_in`.
    let from = from.trim_start_matches('$');
    let mut names = HashSet::from([from]);
    for line in unit.text(body).lines() {
        let Some((left, right)) = line.split_once('=') else {
            continue;
        };
        if right.starts_with(['=', '>']) || !has_word(right, from) {
            continue;
        }
        let left = left.trim_end_matches([':', ' ']);
        let left = left.split(':').next().unwrap_or(left);
        let name = last_name(left);
        if !name.is_empty() && !left.contains('.') && !left.contains('(') {
            names.insert(name);
        }
    }
    names
}

/// What was tried before a handler.
pub(super) fn tried<'t>(unit: &Unit<'t>, handler: &Handler<'t>) -> Option<Node<'t>> {
    let statement = unit.around("try_statement", handler.node)?;
    statement.child_by_field_name("body")
}

/// Whether what was tried reads local files: one that is not there is empty in truth.
pub(super) fn reads_files(unit: &Unit<'_>, handler: &Handler<'_>) -> bool {
    const READS: &[&str] = &[
        "readFile",
        "readFileSync",
        "access",
        "accessSync",
        "stat",
        "readdir",
        "readdirSync",
        "open",
        "listdir",
        "read_text",
        "iterdir",
        "scandir",
    ];
    tried(unit, handler)
        .is_some_and(|body| unit.calls_in(body).any(|call| READS.contains(&call.name)))
}

/// Whether a function says by its name that it has no failures: `safeReadText`, `try_parse`.
pub(super) fn is_lenient(unit: &Unit<'_>, scope: Scope) -> bool {
    let name = unit.frame(scope).map_or("", |it| it.name);
    let first = parts_of_name(name).into_iter().next();
    matches!(first.as_deref(), Some("safe" | "safely" | "try" | "maybe"))
}

/// Whether a handler has a comment, which says why it does what it does. Python has comments after
/// `pass` outside the block, but on its line.
pub(super) fn has_comment(unit: &Unit<'_>, handler: &Handler<'_>) -> bool {
    let begin = handler.node.start_position().row;
    unit.has_comment(begin..=handler.node.end_position().row)
}

/// Whether what was tried only reads a text: one that cannot be read has nothing in it.
pub(super) fn only_parses(unit: &Unit<'_>, handler: &Handler<'_>) -> bool {
    const PARSES: &[&str] = &[
        "URL",
        "parse",
        "parseInt",
        "toLowerCase",
        "trim",
        "decode",
        "loads",
        "int",
        "float",
        "urlparse",
        "decodeURIComponent",
        "split",
        "replace",
        "strip",
        "match",
        "RegExp",
    ];
    tried(unit, handler)
        .is_some_and(|body| unit.calls_in(body).all(|call| PARSES.contains(&call.name)))
}
