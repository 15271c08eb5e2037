//! Values that are made up where input was wrong, and ids that can be guessed.

use std::collections::HashSet;

use tree_sitter::Node;

use super::common::{PerFrame, reads_files};
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::unit::{Handler, Scope, Unit, named};
use crate::analysis::words::{has_any_word, has_word, last_name, mentions, parts_of_name};

rules! {
    "invented-default": "A value that does not parse is replaced by a default", Warning, Medium, Assisted,
        see "never-invent-a-default",
        "Refuse the value and say what is allowed; a default belongs to an absent value only.",
        { Python: default_python, Go: default_go, Rust: default_rust }
    "predictable-session-id": "The id of a session can be guessed", Error, Medium, Assisted,
        see "unguessable-session-ids",
        "Make ids with the system's secure random numbers.",
        { TypeScript: session, Python: session, Go: session }
}

/// `except ValueError: limit = 10`
fn default_python(unit: &Unit<'_>, report: &mut Report) {
    for (tried, scope) in unit.of_kind("try_statement") {
        let Some(body) = tried.child_by_field_name("body") else {
            continue;
        };
        let parses = unit
            .calls_in(body)
            .any(|call| matches!(call.callee, "int" | "float" | "json.loads"));
        if !parses {
            continue;
        }
        let assigned = targets(unit, body);
        let own = unit.handlers_in(*tried);
        for handler in own.filter(|it| it.node.parent().map(|it| it.id()) == Some(tried.id())) {
            let is_default = named(handler.body).first().is_some_and(|first| {
                let Some(assignment) = named(*first)
                    .into_iter()
                    .find(|it| it.kind() == "assignment")
                else {
                    return false;
                };
                let left = assignment
                    .child_by_field_name("left")
                    .map_or("", |it| unit.text(it));
                let right = assignment.child_by_field_name("right");
                let is_literal = right.is_some_and(|it| {
                    matches!(it.kind(), "integer" | "float" | "list" | "dictionary")
                        && named(it).is_empty()
                });
                is_literal && assigned.contains(left) && !is_asked_for_next(unit, *tried, left)
            });
            if is_default
                && is_for_values(unit, handler)
                && handler.body.named_child_count() == 1
                && !is_meant(unit, *tried, handler, *scope)
            {
                report.at(handler.node);
            }
        }
    }
}

/// Whether the default is right: a comment gives the reason, a file may be absent, another call has
/// the value, or the value only decides on an order or a wait.
fn is_meant<'t>(unit: &Unit<'t>, tried: Node<'t>, handler: &Handler<'t>, scope: Scope) -> bool {
    let row = tried.start_position().row;
    let is_explained = unit.has_comment(row.saturating_sub(1)..=row)
        || unit.has_comment(handler.node.start_position().row..=handler.node.end_position().row);
    let code = unit.bare_between(tried.start_byte()..handler.node.start_byte());
    let asks_another = handler.is_broad
        && ["int", "float"].iter().any(|call| {
            let inner = code.split_once(&format!("{call}(")).map_or("", |it| it.1);
            let argument = inner.split(['(', ')']).next().unwrap_or_default();
            let is_call = inner[argument.len()..].starts_with('(');
            is_call
                && argument.contains('.')
                && !matches!(last_name(argument), "get" | "group" | "strip")
        });
    let frame = unit.frame(scope).map_or("", |it| it.name);
    let order = [
        "sort", "key", "order", "rank", "wait", "delay", "backoff", "retry",
    ];
    let is_order = parts_of_name(frame)
        .iter()
        .any(|part| order.contains(&part.as_str()))
        || mentions(code, &["retry_after", "delay"]);
    is_explained || reads_files(unit, handler) || asks_another || is_order
}

/// Whether the next statement asks for the value that stands for a wrong one.
fn is_asked_for_next(unit: &Unit<'_>, tried: Node<'_>, name: &str) -> bool {
    let after = unit.code_after(tried.end_byte()).trim_start();
    let next = after.lines().next().unwrap_or_default();
    next.starts_with("if ") && has_word(next, name)
}

/// Whether a handler is for values that do not parse, and not for what is absent.
fn is_for_values(unit: &Unit<'_>, handler: &Handler<'_>) -> bool {
    let head = unit.text_between(handler.node.start_byte()..handler.body.start_byte());
    !has_any_word(
        head,
        &[
            "FileNotFoundError",
            "OSError",
            "IOError",
            "KeyError",
            "ImportError",
        ],
    )
}

fn targets<'t>(unit: &Unit<'t>, body: Node<'t>) -> HashSet<&'t str> {
    unit.of_kind_in("assignment", body)
        .filter_map(|node| node.child_by_field_name("left"))
        .map(|left| unit.text(left))
        .collect()
}

/// `count, _ := strconv.Atoi(text)`
fn default_go(unit: &Unit<'_>, report: &mut Report) {
    let mut is_matched = PerFrame::default();
    for (node, scope) in unit
        .of_kind("short_var_declaration")
        .chain(unit.of_kind("assignment_statement"))
    {
        let text = |field: &str| {
            node.child_by_field_name(field)
                .map_or("", |it| unit.text(it))
        };
        let parses =
            text("right").starts_with("strconv.") || text("right").starts_with("time.Parse");
        let drops = text("left")
            .rsplit(',')
            .next()
            .is_some_and(|last| last.trim() == "_");
        // What a pattern has matched is a number already.
        let is_matched = is_matched.of(unit, *scope, |frame| {
            frame.contains("Submatch(") || frame.contains(".FindString(")
        });
        if parses && drops && text("left").contains(',') && !is_matched {
            report.at(*node);
        }
    }
}

/// `text.parse().unwrap_or(10)`
fn default_rust(unit: &Unit<'_>, report: &mut Report) {
    for call in unit
        .calls()
        .filter(|call| matches!(call.name, "unwrap_or" | "unwrap_or_default"))
    {
        let receiver = call.receiver.trim_end();
        let parses = receiver.ends_with(".parse()")
            || (receiver.ends_with(">()") && receiver.contains(".parse::<"));
        let value = call.arguments.and_then(|it| named(it).into_iter().next());
        let is_invented = value.is_none_or(|it| it.kind().ends_with("_literal"));
        if parses && is_invented && !call.scope.in_test {
            report.at(call.node);
        }
    }
}

/// `sessionId = Math.random()`, in a file that finds sessions by their ids.
fn session(unit: &Unit<'_>, report: &mut Report) {
    let finds = [
        "sessions.set(",
        "sessions.get(",
        "sessions.has(",
        "sessions[",
        "session_id in ",
    ];
    if !mentions(unit.whole_bare(), &finds) {
        return;
    }
    let kinds: &[(&str, &str, &str)] = match unit.language {
        Language::TypeScript => &[
            ("variable_declarator", "name", "value"),
            ("assignment_expression", "left", "right"),
            ("pair", "key", "value"),
        ],
        Language::Python => &[("assignment", "left", "right")],
        _ => &[
            ("short_var_declaration", "left", "right"),
            ("assignment_statement", "left", "right"),
        ],
    };
    for (kind, left, right) in kinds {
        for (node, scope) in unit.of_kind(kind) {
            let text = |field: &str| {
                node.child_by_field_name(field)
                    .map_or("", |it| unit.code(it))
            };
            // What is stored under the id of a session is not the id.
            let target = text(left);
            let is_session = !target.ends_with(']') && {
                let parts = parts_of_name(last_name(target));
                let has = |word: &str| parts.iter().any(|part| part == word);
                has("session") && (has("id") || has("token") || has("key"))
            };
            let value = text(right);
            let value = if value.starts_with('{') { "" } else { value };
            let guessable = [
                "Math.random()",
                "Date.now()",
                "random.randint(",
                "random.choice",
                "random.random()",
                "time.time()",
                "rand.Int",
                "time.Now()",
            ]
            .iter()
            .any(|source| value.contains(source));
            let is_secure = [
                "randomUUID",
                "uniqueId",
                "nanoid",
                "randomBytes",
                "secrets.",
                "uuid",
                "crypto/rand",
                "=>",
                "lambda",
            ]
            .iter()
            .any(|word| value.contains(word));
            if is_session && guessable && !is_secure && !scope.in_test {
                report.at(*node);
            }
        }
    }
}
