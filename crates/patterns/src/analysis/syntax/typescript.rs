//! The facts of TypeScript and JavaScript.

use tree_sitter::Node;

use super::{Collector, NewFunction, Scope, ToolKind, bound_names, functions_in_arguments, named};

const FUNCTIONS: &[&str] = &[
    "function_declaration",
    "function_expression",
    "arrow_function",
    "method_definition",
    "generator_function",
    "generator_function_declaration",
];

impl<'t> Collector<'t> {
    pub(super) fn visit_typescript(&mut self, node: Node<'t>, scope: Scope) -> Scope {
        match node.kind() {
            kind if FUNCTIONS.contains(&kind) => return self.typescript_function(node, scope),
            "variable_declarator" | "public_field_definition" => self.typescript_name(node, "name"),
            "pair" => self.typescript_name(node, "key"),
            "call_expression" => self.typescript_call(node, scope),
            "new_expression" => {
                let class = self.field_text(node, "constructor");
                let name = class.rsplit('.').next().unwrap_or(class);
                self.add_call(node, class, name, scope);
            }
            "catch_clause" => {
                if let Some(body) = node.child_by_field_name("body") {
                    let binding = node.child_by_field_name("parameter");
                    let binding = binding
                        .filter(|name| name.kind() == "identifier")
                        .map(|name| self.text(name));
                    self.add_handler(node, body, binding, true, scope);
                }
            }
            "while_statement" => {
                let condition = self.field_text(node, "condition");
                let is_endless = matches!(condition, "(true)" | "(1)");
                self.add_loop(node, is_endless, scope);
            }
            "for_statement" => {
                let condition = node.child_by_field_name("condition");
                let is_endless = condition.is_none_or(|it| it.kind() == "empty_statement");
                self.add_loop(node, is_endless, scope);
            }
            "do_statement" | "for_in_statement" => self.add_loop(node, false, scope),
            "throw_statement" => self.add_raise(node, scope),
            "string_fragment" | "regex_pattern" => self.add_string(node),
            _ => {}
        }
        scope
    }

    fn typescript_name(&mut self, node: Node<'t>, field: &str) {
        if let Some(value) = node.child_by_field_name("value") {
            let name = self.field_text(node, field);
            self.names
                .insert(value.id(), name.trim_matches(['"', '\'']));
        }
    }

    fn typescript_function(&mut self, node: Node<'t>, scope: Scope) -> Scope {
        let list = node
            .child_by_field_name("parameters")
            .or_else(|| node.child_by_field_name("parameter"));
        let kinds = ["identifier", "shorthand_property_identifier_pattern"];
        let skipped = ["type_annotation", "decorator"];
        let params = list.map(|list| bound_names(self.source, list, &kinds, &skipped));
        let returns = self.field_text(node, "return_type");
        let mut cursor = node.walk();
        let is_async = node
            .children(&mut cursor)
            .any(|child| child.kind() == "async");
        let tool = returns
            .contains("CallToolResult")
            .then_some(ToolKind::Wrapped);
        let function = NewFunction {
            node,
            name: self.field_text(node, "name"),
            params: params.unwrap_or_default(),
            returns,
            is_async,
            tool,
        };
        self.add_function(function, scope)
    }

    fn typescript_call(&mut self, node: Node<'t>, scope: Scope) {
        let callee = self.field_text(node, "function");
        let name = node
            .child_by_field_name("function")
            .and_then(|function| function.child_by_field_name("property"))
            .map_or(callee, |property| self.text(property));
        self.add_call(node, callee, name, scope);
        let Some(arguments) = node.child_by_field_name("arguments") else {
            return;
        };
        let kind = match name {
            "tool" | "registerTool" | "addTool" => Some(ToolKind::Wrapped),
            "setRequestHandler" if self.text(arguments).contains("CallTool") => {
                Some(ToolKind::Bare)
            }
            _ => None,
        };
        if let Some(kind) = kind {
            for function in functions_in_arguments(arguments, FUNCTIONS) {
                self.tools.insert(function.id(), kind);
            }
        }
        if name == "catch" {
            for function in functions_in_arguments(arguments, FUNCTIONS) {
                self.typescript_rejection(function, scope);
            }
        }
    }

    /// `.catch(error => …)`
    fn typescript_rejection(&mut self, function: Node<'t>, scope: Scope) {
        let Some(body) = function.child_by_field_name("body") else {
            return;
        };
        let list = function
            .child_by_field_name("parameters")
            .or_else(|| function.child_by_field_name("parameter"));
        let binding = list.and_then(|list| match list.kind() {
            "identifier" => Some(self.text(list)),
            _ => named(list)
                .first()
                .and_then(|first| first.child_by_field_name("pattern"))
                .map(|pattern| self.text(pattern)),
        });
        self.add_handler(function, body, binding, true, scope);
    }
}
