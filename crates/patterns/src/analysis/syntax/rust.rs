//! The facts of Rust.

use tree_sitter::Node;

use super::{Collector, NewFunction, Scope, ToolKind, bound_names, named};

impl<'t> Collector<'t> {
    pub(super) fn visit_rust(&mut self, node: Node<'t>, scope: Scope) -> Scope {
        if node.kind() == "attribute_item" {
            self.attributes.push(self.text(node));
            self.attributes_end = node.end_byte();
            return scope;
        }
        let is_after = node.start_byte() >= self.attributes_end;
        let attributes = match is_after {
            true => std::mem::take(&mut self.attributes),
            false => Vec::new(),
        };
        match node.kind() {
            "mod_item" if attributes.iter().any(|it| it.contains("cfg(test)")) => {
                return Scope {
                    in_test: true,
                    ..scope
                };
            }
            "function_item" => return self.rust_function(node, &attributes, scope),
            "closure_expression" => {
                let params = node.child_by_field_name("parameters");
                let names = |list| bound_names(self.source, list, &["identifier"], &[]);
                let function = NewFunction {
                    node,
                    name: "",
                    params: params.map(names).unwrap_or_default(),
                    returns: "",
                    is_async: self.begins_with(node, "async"),
                    tool: None,
                };
                return self.add_function(function, scope);
            }
            "call_expression" => self.rust_call(node, scope),
            "macro_invocation" => {
                let callee = self.field_text(node, "macro");
                let name = callee.rsplit("::").next().unwrap_or(callee);
                self.add_call(node, callee, name, scope);
                if matches!(name, "bail" | "anyhow") {
                    self.add_raise(node, scope);
                }
            }
            "match_arm" => self.rust_arm(node, scope),
            "if_expression" => self.rust_if_let(node, scope),
            "loop_expression" => self.add_loop(node, true, scope),
            "while_expression" => {
                let is_endless = self.field_text(node, "condition") == "true";
                self.add_loop(node, is_endless, scope);
            }
            "for_expression" => self.add_loop(node, false, scope),
            "string_content" => self.add_string(node),
            _ => {}
        }
        scope
    }

    fn rust_function(&mut self, node: Node<'t>, attributes: &[&str], scope: Scope) -> Scope {
        let returns = self.field_text(node, "return_type");
        let has = |name: &str| {
            let marks = [format!("#[{name}]"), format!("#[{name}(")];
            attributes
                .iter()
                .any(|it| marks.iter().any(|mark| it.starts_with(mark.as_str())))
        };
        let is_tool = has("tool") || returns.contains("CallToolResult");
        let params = node.child_by_field_name("parameters");
        let params = params.map(|list| bound_names(self.source, list, &["identifier"], &[]));
        let mut cursor = node.walk();
        let is_async = node.children(&mut cursor).any(|child| {
            child.kind() == "function_modifiers" && self.text(child).contains("async")
        });
        let function = NewFunction {
            node,
            name: self.field_text(node, "name"),
            params: params.unwrap_or_default(),
            returns,
            is_async,
            tool: is_tool.then_some(ToolKind::Bare),
        };
        let in_test = attributes
            .iter()
            .any(|it| it.contains("test]") || it.contains("test("));
        let inner = self.add_function(function, scope);
        Scope {
            in_test: inner.in_test || in_test,
            ..inner
        }
    }

    fn rust_call(&mut self, node: Node<'t>, scope: Scope) {
        let Some(mut function) = node.child_by_field_name("function") else {
            return;
        };
        if function.kind() == "generic_function" {
            function = function.child_by_field_name("function").unwrap_or(function);
        }
        let callee = self.text(function);
        let name = function
            .child_by_field_name("field")
            .or_else(|| function.child_by_field_name("name"))
            .map_or(callee, |name| self.text(name));
        self.add_call(node, callee, name, scope);
        if name == "Err" {
            self.add_raise(node, scope);
        }
        if matches!(name, "map_err" | "unwrap_or_else" | "or_else") {
            let arguments = node.child_by_field_name("arguments").map(named);
            let closure = arguments.unwrap_or_default().into_iter().next();
            let closure = closure.filter(|it| it.kind() == "closure_expression");
            let body = closure.and_then(|closure| closure.child_by_field_name("body"));
            if let (Some(closure), Some(body)) = (closure, body) {
                let binding = closure.child_by_field_name("parameters").and_then(|list| {
                    bound_names(self.source, list, &["identifier"], &[])
                        .first()
                        .copied()
                });
                let has_parameter = !self.begins_with(closure, "||");
                if has_parameter {
                    self.add_handler(node, body, binding, true, scope);
                }
            }
        }
    }

    /// `Err(error) => …`
    fn rust_arm(&mut self, node: Node<'t>, scope: Scope) {
        let (Some(pattern), Some(body)) = (
            node.child_by_field_name("pattern"),
            node.child_by_field_name("value"),
        ) else {
            return;
        };
        if let Some(binding) = self.rust_error_pattern(pattern) {
            let is_broad = binding.is_broad && !self.text(pattern).contains(" if ");
            self.add_handler(node, body, binding.name, is_broad, scope);
        }
    }

    /// `if let Err(error) = … { … }`
    fn rust_if_let(&mut self, node: Node<'t>, scope: Scope) {
        let condition = node.child_by_field_name("condition");
        let pattern = condition
            .filter(|condition| condition.kind() == "let_condition")
            .and_then(|condition| condition.child_by_field_name("pattern"));
        let body = node.child_by_field_name("consequence");
        if let (Some(pattern), Some(body)) = (pattern, body)
            && let Some(binding) = self.rust_error_pattern(pattern)
        {
            self.add_handler(node, body, binding.name, binding.is_broad, scope);
        }
    }

    fn rust_error_pattern(&self, pattern: Node<'t>) -> Option<ErrorPattern<'t>> {
        let inner = self.text(pattern).strip_prefix("Err(")?;
        let inner = inner.split(')').next().unwrap_or(inner).trim();
        let is_name = inner
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_')
            && inner.starts_with(|first: char| first.is_lowercase() || first == '_');
        let is_broad = is_name || inner == "..";
        let name = (is_name && !inner.starts_with('_')).then_some(inner);
        Some(ErrorPattern { name, is_broad })
    }
}

struct ErrorPattern<'t> {
    name: Option<&'t str>,
    is_broad: bool,
}
