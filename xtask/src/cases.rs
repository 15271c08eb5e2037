//! Checks that no code outside the catalogue decides what to do about an individual case.
//!
//! What a failure means for the retry layer, the breaker, the ladder, a tool or a dialect is a
//! field of its catalogue row. A `match` on cases elsewhere is a list that every new reason might
//! have to be added to, and the compiler does not notice when it is missing. So this check parses
//! the sources and fails where a pattern, a comparison, `matches!` or `contains` names a case.
//! Creating a fault is not a decision and is allowed. The bodies of other macros are not read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

use crate::{Outcome, no_arguments, place};

/// Where code may distinguish cases, and why.
static MAY_TELL_APART: &[(&str, &str)] = &[
    ("crates/fault/src/catalogue.rs", "the table itself"),
    (
        "crates/reading/src/detect/",
        "weighs which case the evidence in a page speaks for",
    ),
    (
        "crates/engine/src/search/registry/",
        "translates what one provider's answer means",
    ),
];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments)?;
    check()
}

pub(crate) fn check() -> Outcome {
    let root = place::root();
    let mut complaints = Vec::new();
    for file in source_files(&root)? {
        let name = relative(&root, &file);
        if MAY_TELL_APART
            .iter()
            .any(|(place, _)| name.starts_with(place))
        {
            continue;
        }
        let text = fs::read_to_string(&file).map_err(|error| format!("{name}: {error}"))?;
        let cases = told_apart(&text).map_err(|error| format!("{name}: {error}"))?;
        if !cases.is_empty() {
            let cases: Vec<String> = cases.into_iter().collect();
            complaints.push(format!("{name}: {}", cases.join(", ")));
        }
    }
    if complaints.is_empty() {
        return Ok(());
    }
    Err(format!(
        "these files tell single cases apart:\n  {}\nput the decision on the row in crates/fault/src/catalogue.rs",
        complaints.join("\n  ")
    ))
}

fn relative(root: &Path, file: &Path) -> String {
    let name = file.strip_prefix(root).unwrap_or(file);
    name.to_string_lossy().replace('\\', "/")
}

/// Every `.rs` file that is compiled into a program, except tests.
fn source_files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut directories = vec![root.join("xtask/src")];
    for entry in entries(&root.join("crates"))? {
        directories.push(entry.join("src"));
    }
    while let Some(directory) = directories.pop() {
        for entry in entries(&directory)? {
            if is_tests(&entry) {
                continue;
            }
            if entry.is_dir() {
                directories.push(entry);
            } else if is_source(&entry) {
                files.push(entry);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a path is a `tests.rs` or a directory `tests`.
fn is_tests(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "tests")
}

fn is_source(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "rs")
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let read = fs::read_dir(directory)
        .map_err(|error| format!("{} cannot be listed: {error}", directory.display()))?;
    read.map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(|error| format!("{} cannot be listed: {error}", directory.display()))
}

/// The cases that a source file distinguishes.
fn told_apart(source: &str) -> syn::Result<BTreeSet<String>> {
    let mut decisions = Decisions::default();
    decisions.visit_file(&syn::parse_file(source)?);
    Ok(decisions.cases)
}

/// Collects the cases that are named in a decision.
#[derive(Default)]
struct Decisions {
    cases: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Decisions {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        Names(&mut self.cases).visit_pat(pattern);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if matches!(binary.op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_)) {
            Names(&mut self.cases).visit_expr_binary(binary);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if call.method == "contains" {
            Names(&mut self.cases).visit_expr_method_call(call);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let parsed = call
            .path
            .is_ident("matches")
            .then(|| call.parse_body::<Matches>());
        if let Some(Ok(matches)) = parsed {
            self.visit_expr(&matches.value);
            self.visit_pat(&matches.pattern);
        }
    }
}

/// `#[test]`, `#[tokio::test]` or `#[cfg(test)]`.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let is_cfg_test = path.is_ident("cfg")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|condition| condition == "test");
        is_cfg_test
            || path
                .segments
                .last()
                .is_some_and(|last| last.ident == "test")
    })
}

/// The body of `matches!(value, pattern)`; a guard at its end is not checked.
struct Matches {
    value: syn::Expr,
    pattern: syn::Pat,
}

impl syn::parse::Parse for Matches {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Matches> {
        let value = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
        input.step(|rest| {
            let mut rest = *rest;
            while let Some((_, next)) = rest.token_tree() {
                rest = next;
            }
            Ok(((), rest))
        })?;
        Ok(Matches { value, pattern })
    }
}

/// Collects every `Case::X` below a node.
struct Names<'a>(&'a mut BTreeSet<String>);

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut names = path
            .segments
            .iter()
            .rev()
            .map(|segment| segment.ident.to_string());
        if let (Some(name), Some(owner)) = (names.next(), names.next())
            && owner == "Case"
            && name.starts_with(char::is_uppercase)
            && name != "ALL"
        {
            self.0.insert(format!("Case::{name}"));
        }
        visit::visit_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases_in(body: &str) -> Vec<String> {
        let source = format!("fn decide(fault: &Fault) {{ {body} }}");
        told_apart(&source).expect("is Rust").into_iter().collect()
    }

    #[test]
    fn decisions_about_single_cases_are_found() {
        for decision in [
            "match fault.case() { Case::Timeout => 1, _ => 2 };",
            "match verdict { Verdict::Fault { case: Case::Timeout, .. } => 1, _ => 2 };",
            "if fault.case() == Case::Timeout {}",
            "if let Some(fault::Case::Timeout) = fault.case() {}",
            "let late = matches!(fault.case(), Case::Timeout if true);",
            "let late = [Case::Timeout].contains(&fault.case());",
        ] {
            assert_eq!(cases_in(decision), ["Case::Timeout"], "{decision}");
        }
    }

    #[test]
    fn creating_a_fault_and_testing_one_are_free() {
        for free in [
            "match status { 408 => Fault::new(Case::Timeout, Origin::Page), _ => other() };",
            "for case in Case::ALL { assert!(Case::ALL.contains(case)); }",
        ] {
            assert!(cases_in(free).is_empty(), "{free}");
        }
        let test = "#[cfg(test)] mod tests { fn f() { assert!(case() == Case::Timeout); } }";
        assert!(told_apart(test).expect("is Rust").is_empty());
    }

    #[test]
    fn this_tree_decides_on_the_rows() {
        check().expect("the tree keeps the rule");
    }
}
