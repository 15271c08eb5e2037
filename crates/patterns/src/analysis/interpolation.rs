//! Text that is put into strings while the program runs.

use tree_sitter::Node;

use super::language::Language;
use super::unit::{Unit, below, named};
use super::work::FACT;

/// The expressions that are put into strings below a node, as written.
pub(super) fn interpolated<'t>(unit: &Unit<'t>, node: Node<'t>) -> Vec<&'t str> {
    let mut found = Vec::new();
    for node in below(node).take_while(|_| unit.work().spend(FACT)) {
        match (unit.language, node.kind()) {
            (Language::TypeScript, "template_substitution") => {
                found.extend(named(node).first().map(|inner| unit.text(*inner)));
            }
            (Language::TypeScript, "binary_expression") => concatenated(unit, node, &mut found),
            (Language::Python, "interpolation") => {
                found.extend(
                    node.child_by_field_name("expression")
                        .map(|inner| unit.text(inner)),
                );
            }
            (Language::Python, "binary_operator") => {
                concatenated(unit, node, &mut found);
                percent(unit, node, &mut found);
            }
            (Language::Python, "call") => formatted(unit, node, &mut found),
            (Language::Go, "binary_expression") => concatenated(unit, node, &mut found),
            (Language::Go, "call_expression") => printed(unit, node, &mut found),
            (Language::Rust, "macro_invocation") => macro_arguments(unit, node, &mut found),
            _ => {}
        }
    }
    found
}

fn is_string(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "string" | "template_string" | "interpreted_string_literal" | "raw_string_literal"
    )
}

/// `"text" + value`
fn concatenated<'t>(unit: &Unit<'t>, node: Node<'t>, found: &mut Vec<&'t str>) {
    let operator = node
        .child_by_field_name("operator")
        .map(|operator| unit.text(operator));
    let (Some("+"), Some(left), Some(right)) = (
        operator,
        node.child_by_field_name("left"),
        node.child_by_field_name("right"),
    ) else {
        return;
    };
    let ends_in_string = |node: Node<'t>| {
        is_string(node) || node.child_by_field_name("right").is_some_and(is_string)
    };
    if ends_in_string(left) && !is_string(right) {
        found.push(unit.text(right));
    } else if is_string(right) && !ends_in_string(left) {
        let last = left.child_by_field_name("right").unwrap_or(left);
        found.push(unit.text(last));
    }
}

/// `"text %s" % value`
fn percent<'t>(unit: &Unit<'t>, node: Node<'t>, found: &mut Vec<&'t str>) {
    let operator = node
        .child_by_field_name("operator")
        .map(|operator| unit.text(operator));
    let left = node.child_by_field_name("left");
    if operator == Some("%") && left.is_some_and(is_string) {
        match node.child_by_field_name("right") {
            Some(right) if right.kind() == "tuple" => {
                found.extend(named(right).iter().map(|item| unit.text(*item)));
            }
            Some(right) => found.push(unit.text(right)),
            None => {}
        }
    }
}

/// `"text {}".format(value)`
fn formatted<'t>(unit: &Unit<'t>, node: Node<'t>, found: &mut Vec<&'t str>) {
    let function = node.child_by_field_name("function");
    let is_format = function
        .and_then(|function| function.child_by_field_name("attribute"))
        .is_some_and(|name| unit.text(name) == "format");
    let of_string = function
        .and_then(|function| function.child_by_field_name("object"))
        .is_some_and(is_string);
    if is_format && of_string {
        let arguments = node.child_by_field_name("arguments").map(named);
        found.extend(
            arguments
                .unwrap_or_default()
                .iter()
                .map(|item| unit.text(*item)),
        );
    }
}

/// `fmt.Sprintf("text %v", value)`
fn printed<'t>(unit: &Unit<'t>, node: Node<'t>, found: &mut Vec<&'t str>) {
    let name = node
        .child_by_field_name("function")
        .map_or("", |function| unit.text(function));
    let name = name.rsplit('.').next().unwrap_or_default();
    let is_format = matches!(
        name,
        "Sprintf" | "Errorf" | "Printf" | "Fprintf" | "Fatalf" | "Panicf"
    );
    if is_format {
        let arguments = node.child_by_field_name("arguments").map(named);
        let skipped = if name == "Fprintf" { 2 } else { 1 };
        let values = arguments.unwrap_or_default();
        found.extend(values.iter().skip(skipped).map(|item| unit.text(*item)));
    }
}

const FORMATTING: &[&str] = &[
    "format", "println", "eprintln", "print", "eprint", "panic", "bail", "anyhow", "error", "warn",
    "info", "debug", "trace", "write", "writeln",
];

/// `format!("text {name} {}", value)`. Macros have no expressions in the tree, so their tokens are
/// read as text.
fn macro_arguments<'t>(unit: &Unit<'t>, node: Node<'t>, found: &mut Vec<&'t str>) {
    let name = node
        .child_by_field_name("macro")
        .map_or("", |name| unit.text(name));
    let name = name.rsplit("::").next().unwrap_or_default();
    if !FORMATTING.contains(&name) {
        return;
    }
    let Some(tokens) = named(node).into_iter().find(|it| it.kind() == "token_tree") else {
        return;
    };
    let literal = named(tokens)
        .into_iter()
        .find(|it| matches!(it.kind(), "string_literal" | "raw_string_literal"));
    let Some(literal) = literal else {
        return;
    };
    found.extend(inline_names(unit.text(literal)));
    let end = tokens.end_byte().saturating_sub(1);
    let rest = unit.text_between(literal.end_byte()..end.max(literal.end_byte()));
    found.extend(
        split_at_commas(rest)
            .into_iter()
            .map(str::trim)
            .filter(|value| !value.is_empty()),
    );
}

/// The names in braces of a format string.
fn inline_names(literal: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = literal;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(doubled) = rest.strip_prefix('{') {
            rest = doubled;
            continue;
        }
        let end = rest.find(['}', ':', '{']).unwrap_or(rest.len());
        let name = &rest[..end];
        if name.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            names.push(name);
        }
        rest = &rest[end..];
    }
    names
}

/// Splits at commas that are not inside brackets or strings.
fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut begin, mut in_string) = (Vec::new(), 0i32, 0, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => in_string = !in_string,
            _ if in_string => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_of_format_strings_are_found() {
        assert_eq!(inline_names("\"a {b} {{c}} {} {d:?} {0}\""), ["b", "d"]);
        assert_eq!(
            split_at_commas(", a(b, c), \"x,y\""),
            ["", " a(b, c)", " \"x,y\""]
        );
    }
}
