//! What a walk over a tree finds in a source, whatever the language calls it.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

/// What a fact stands in, as indices into the lists of [`Unit`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) function: Option<usize>,
    pub(super) handler: Option<usize>,
    pub(super) in_loop: Option<usize>,
    /// Whether it is test code inside a file of other code.
    pub(super) in_test: bool,
    /// Where the nearest statement around it begins that asks something: `if`, `switch`, `match`.
    pub(super) question: Option<usize>,
    /// Where the nearest code around it begins that need not run, or runs several times.
    pub(super) branch: Option<usize>,
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
    pub(super) params: HashSet<&'t str>,
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
    /// Whether it sends a request to another machine.
    pub(super) is_request: bool,
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

/// What a walk over the tree collects, each list in the order of the walk.
#[derive(Debug, Default)]
pub(super) struct Facts<'t> {
    pub(super) functions: Vec<Function<'t>>,
    pub(super) calls: Vec<Call<'t>>,
    pub(super) handlers: Vec<Handler<'t>>,
    pub(super) loops: Vec<Loop<'t>>,
    pub(super) raises: Vec<Raise<'t>>,
    pub(super) comments: Vec<Node<'t>>,
    pub(super) by_kind: HashMap<&'t str, Vec<(Node<'t>, Scope)>>,
}
