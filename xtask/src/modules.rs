//! Checks that the top-level modules of each crate form no cycles.
//!
//! Cargo rules out cycles between crates, but not between the modules of a crate. The layers at the
//! top of `crates/server/src/lib.rs` are true only as long as no module uses one above it, and a
//! module of any crate can be understood alone only when it is not part of a cycle. This check
//! reads the `crate::` paths in the code outside of tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::{Outcome, no_arguments, place};

const CRATES: &str = "crates";

/// The top-level modules that each top-level module uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments)?;
    check()
}

pub(crate) fn check() -> Outcome {
    let unreadable = |error: std::io::Error| format!("{CRATES} could not be read: {error}");
    for entry in std::fs::read_dir(place::root().join(CRATES)).map_err(unreadable)? {
        let crate_directory = entry.map_err(unreadable)?;
        let name = crate_directory.file_name().to_string_lossy().into_owned();
        let mut graph = Graph::new();
        add_directory(&crate_directory.path().join("src"), None, &mut graph).map_err(unreadable)?;
        if let Some(cycle) = find_cycle(&graph) {
            let cycle = cycle.join(" -> ");
            return Err(format!("modules of {name} that use each other: {cycle}"));
        }
        println!("{name}: {} modules, no cycle", graph.len());
    }
    Ok(())
}

/// Adds the modules in a directory. Each file and directory at the top is a module; files further
/// down belong to `module`.
fn add_directory(directory: &Path, module: Option<&str>, graph: &mut Graph) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = module.unwrap_or(&stem);
        if path.is_dir() {
            add_directory(&path, Some(name), graph)?;
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !matches!(name, "lib" | "main")
        {
            let used = used_modules(&std::fs::read_to_string(&path)?);
            let others = used.into_iter().filter(|other| other != name);
            graph.entry(name.to_owned()).or_default().extend(others);
        }
    }
    Ok(())
}

/// The modules that a file names in `crate::module` and `use crate::{module, …}`. Comments, and
/// everything from the first `#[cfg(test)]` on, do not count.
fn used_modules(source: &str) -> BTreeSet<String> {
    let code: String = source
        .lines()
        .take_while(|line| line.trim() != "#[cfg(test)]")
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut used = BTreeSet::new();
    for (_, path) in code
        .match_indices("crate::")
        .map(|(at, start)| code.split_at(at + start.len()))
    {
        match path.strip_prefix('{') {
            Some(list) => used.extend(heads(list)),
            None => used.extend([identifier(path)]),
        }
    }
    used
}

/// The first identifier of each path in a list that ends with its closing brace.
fn heads(list: &str) -> Vec<String> {
    let (mut heads, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                heads.push(identifier(list[start..at].trim_start()));
                start = at + 1;
                if letter == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    heads.retain(|head| !head.is_empty());
    heads
}

fn identifier(path: &str) -> String {
    path.chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect()
}

/// The modules of a cycle, with the first one repeated at the end.
fn find_cycle(graph: &Graph) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    graph
        .keys()
        .find_map(|module| walk(graph, module, &mut Vec::new(), &mut done))
}

fn walk<'g>(
    graph: &'g Graph,
    module: &'g str,
    path: &mut Vec<&'g str>,
    done: &mut BTreeSet<&'g str>,
) -> Option<Vec<String>> {
    if let Some(start) = path.iter().position(|on_path| *on_path == module) {
        let cycle = path[start..].iter().chain([&module]);
        return Some(cycle.map(|module| (*module).to_owned()).collect());
    }
    if !done.insert(module) {
        return None;
    }
    path.push(module);
    let used = graph.get(module).into_iter().flatten();
    let cycle = used
        .into_iter()
        .find_map(|next| walk(graph, next, path, done));
    path.pop();
    cycle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_lists_are_found_and_tests_and_comments_are_not() {
        let source = "//! crate::comment\nuse crate::{\n    one::{a, b},\n    two,\n};\n\
                      fn f() { crate::three::g() }\n#[cfg(test)]\nmod tests { use crate::four; }\n";
        let used: Vec<String> = used_modules(source).into_iter().collect();
        assert_eq!(used, ["one", "three", "two"]);
    }

    #[test]
    fn a_cycle_is_found_and_a_diamond_is_not_one() {
        let graph = |edges: &[(&str, &[&str])]| -> Graph {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            edges
                .iter()
                .map(|(from, to)| ((*from).to_owned(), owned(to)))
                .collect()
        };
        let diamond = graph(&[("a", &["b", "c"]), ("b", &["d"]), ("c", &["d"])]);
        assert_eq!(find_cycle(&diamond), None);
        let cycle = graph(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]);
        assert_eq!(
            find_cycle(&cycle).map(|it| it.join(" ")),
            Some("b c b".to_owned())
        );
    }

    #[test]
    fn no_crate_has_a_cycle() {
        assert_eq!(check(), Ok(()));
    }
}
