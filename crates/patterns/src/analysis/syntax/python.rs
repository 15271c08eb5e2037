//! The facts of Python.

use tree_sitter::Node;

use super::{Collector, NewFunction, Scope, ToolKind, bound_names, named};

impl<'t> Collector<'t> {
    pub(super) fn visit_python(&mut self, node: Node<'t>, scope: Scope) -> Scope {
        match node.kind() {
            "decorated_definition" => self.python_decorators(node),
            "function_definition" => return self.python_function(node, scope),
            "lambda" => {
                let function = NewFunction {
                    node,
                    name: "",
                    params: Vec::new(),
                    returns: "",
                    is_async: false,
                    tool: None,
                };
                return self.add_function(function, scope);
            }
            "call" => {
                let callee = self.field_text(node, "function");
                let name = node
                    .child_by_field_name("function")
                    .and_then(|function| function.child_by_field_name("attribute"))
                    .map_or(callee, |attribute| self.text(attribute));
                self.add_call(node, callee, name, scope);
            }
            "except_clause" => self.python_handler(node, scope),
            "while_statement" => {
                let condition = self.field_text(node, "condition");
                self.add_loop(node, matches!(condition, "True" | "1"), scope);
            }
            "for_statement" => {
                let over = self.field_text(node, "right");
                let is_endless = over.starts_with("itertools.count") || over.starts_with("count(");
                self.add_loop(node, is_endless, scope);
            }
            "raise_statement" => self.add_raise(node, scope),
            "string_content" => self.add_string(node),
            _ => {}
        }
        scope
    }

    fn python_decorators(&mut self, node: Node<'t>) {
        let Some(definition) = node.child_by_field_name("definition") else {
            return;
        };
        for decorator in named(node).iter().filter(|it| it.kind() == "decorator") {
            let text = self.text(*decorator).trim_start_matches('@');
            let name = text.split('(').next().unwrap_or(text).trim();
            let kind = match name.rsplit('.').next() {
                Some("tool") => Some(ToolKind::Wrapped),
                // What a handler of the low-level server raises becomes a result with isError.
                Some("call_tool") => Some(ToolKind::Wrapped),
                _ => None,
            };
            if let Some(kind) = kind {
                self.tools.insert(definition.id(), kind);
            }
        }
    }

    fn python_function(&mut self, node: Node<'t>, scope: Scope) -> Scope {
        let params = node.child_by_field_name("parameters");
        let params = params.map(|list| bound_names(self.source, list, &["identifier"], &["type"]));
        let returns = self.field_text(node, "return_type");
        let function = NewFunction {
            node,
            name: self.field_text(node, "name"),
            params: params.unwrap_or_default(),
            returns,
            is_async: self.begins_with(node, "async"),
            tool: returns
                .contains("CallToolResult")
                .then_some(ToolKind::Wrapped),
        };
        self.add_function(function, scope)
    }

    fn python_handler(&mut self, node: Node<'t>, scope: Scope) {
        let children = named(node);
        let Some(body) = children.iter().find(|child| child.kind() == "block") else {
            return;
        };
        let value = children
            .iter()
            .find(|child| !matches!(child.kind(), "block" | "comment"));
        let alias = value.and_then(|value| value.child_by_field_name("alias"));
        let caught = match value {
            None => "",
            Some(value) => self.text(*value),
        };
        let caught = caught.split(" as ").next().unwrap_or_default();
        let is_broad = caught.is_empty()
            || caught
                .split(|letter: char| !letter.is_alphanumeric() && letter != '.' && letter != '_')
                .any(|name| matches!(name, "Exception" | "BaseException"));
        let binding = alias.map(|alias| self.text(alias));
        self.add_handler(node, *body, binding, is_broad, scope);
    }
}
