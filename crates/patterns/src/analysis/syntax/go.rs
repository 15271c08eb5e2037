//! The facts of Go.

use tree_sitter::Node;

use super::{Collector, FACT, NewFunction, Scope, ToolKind, below, bound_names};

impl<'t> Collector<'t> {
    pub(super) fn visit_go(&mut self, node: Node<'t>, scope: Scope) -> Scope {
        match node.kind() {
            "function_declaration" | "method_declaration" | "func_literal" => {
                return self.go_function(node, scope);
            }
            "call_expression" => {
                let callee = self.field_text(node, "function");
                let name = callee.rsplit('.').next().unwrap_or(callee);
                self.add_call(node, callee, name, scope);
                if matches!(callee, "fmt.Errorf" | "errors.New") {
                    self.add_raise(node, scope);
                }
            }
            "if_statement" => self.go_handler(node, scope),
            "for_statement" => {
                let has_end = has_own(node, "for_clause") || has_own(node, "range_clause");
                let is_endless = !has_end && node.named_child_count() == 1;
                self.add_loop(node, is_endless, scope);
            }
            "interpreted_string_literal_content" | "raw_string_literal_content" => {
                self.add_string(node);
            }
            _ => {}
        }
        scope
    }

    fn go_function(&mut self, node: Node<'t>, scope: Scope) -> Scope {
        let params = node.child_by_field_name("parameters");
        let params = params.map(|list| bound_names(self.source, list, &["identifier"], &[]));
        let returns = self.field_text(node, "result");
        // A handler of two results leaves its error to the protocol; one of three is wrapped by the
        // official SDK.
        let tool = returns
            .contains("CallToolResult")
            .then(|| match returns.matches(',').count() {
                1 => ToolKind::Bare,
                _ => ToolKind::Wrapped,
            });
        let takes_request = self
            .field_text(node, "parameters")
            .contains("CallToolRequest");
        let function = NewFunction {
            node,
            name: self.field_text(node, "name"),
            params: params.unwrap_or_default(),
            returns,
            is_async: false,
            tool: tool.filter(|_| takes_request),
        };
        self.add_function(function, scope)
    }

    /// `if err != nil { … }`
    fn go_handler(&mut self, node: Node<'t>, scope: Scope) {
        let (Some(condition), Some(body)) = (
            node.child_by_field_name("condition"),
            node.child_by_field_name("consequence"),
        ) else {
            return;
        };
        let text = self.text(condition);
        let Some((left, right)) = text.split_once("!=") else {
            return;
        };
        let left = left.trim();
        let is_error = left.ends_with("err") || left.ends_with("Err");
        if is_error && right.trim() == "nil" && !self.calls_below(condition) {
            self.add_handler(node, body, Some(left), true, scope);
        }
    }
}

impl<'t> Collector<'t> {
    fn calls_below(&self, condition: Node<'t>) -> bool {
        below(condition)
            .take_while(|_| self.work.spend(FACT))
            .any(|node| node.kind() == "call_expression")
    }
}

fn has_own(node: Node<'_>, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .any(|child| child.kind() == kind)
}
