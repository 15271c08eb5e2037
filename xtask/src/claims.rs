//! Checks that every test that `SECURITY.md` names exists.
//!
//! The last column of its table says what proves a promise: modules of a crate's tests (server
//! `attacks::logs`), unit tests of a module (unit tests of `net::memory`), fuzz targets (fuzz `model`)
//! and tasks (`cargo xtask soak`). A test that was renamed or removed would leave a promise that
//! nothing proves.

use std::{fs, path::Path};

use crate::{Outcome, no_arguments, place};

const PAGE: &str = "SECURITY.md";

pub(crate) fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments)?;
    check()
}

pub(crate) fn check() -> Outcome {
    let root = place::root();
    let page = fs::read_to_string(root.join(PAGE))
        .map_err(|error| format!("{PAGE} could not be read ({})", error.kind()))?;
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in rows(&page) {
        let proofs = proofs(row.proved_by);
        if proofs.is_empty() {
            wrong.push(format!("no test proves: {}", row.promise));
        }
        count += proofs.len();
        let missing = proofs.iter().filter(|proof| !proof.exists(&root));
        wrong.extend(missing.map(|proof| format!("there is no {proof:?}")));
    }
    match (count, wrong.is_empty()) {
        (0, _) => Err(format!("{PAGE} has no table of promises")),
        (_, true) => {
            println!("{PAGE}: {count} tests, all there");
            Ok(())
        }
        (_, false) => Err(format!("{PAGE}: {}", wrong.join("; "))),
    }
}

struct Row<'p> {
    promise: &'p str,
    proved_by: &'p str,
}

/// The rows of the table of promises: who, what they control, what is promised, proved by.
fn rows(page: &str) -> Vec<Row<'_>> {
    let cells = page.lines().filter_map(|line| {
        let row = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let cells: Vec<&str> = row.split(" | ").collect();
        match cells.as_slice() {
            [_, _, promise, proved_by] => Some(Row { promise, proved_by }),
            _ => None,
        }
    });
    cells.filter(|row| row.proved_by != "proved by").collect()
}

/// Something that proves a promise.
#[derive(Debug, PartialEq, Eq)]
enum Proof {
    /// A module of tests in a crate's `tests/it`.
    Tests {
        package: String,
        module: String,
    },
    /// A module with unit tests.
    UnitTests {
        package: String,
        module: String,
    },
    FuzzTarget(String),
    Task(String),
}

impl Proof {
    fn exists(&self, root: &Path) -> bool {
        let in_crate = |package: &str, folder: &str| root.join("crates").join(package).join(folder);
        match self {
            Proof::Tests { package, module } => has_tests(&in_crate(package, "tests/it"), module),
            Proof::UnitTests { package, module } => has_tests(&in_crate(package, "src"), module),
            Proof::FuzzTarget(name) => {
                let targets = root.join("fuzz/fuzz_targets");
                targets.join(name).with_extension("rs").is_file()
            }
            Proof::Task(name) => crate::TASKS.iter().any(|task| task.name == name),
        }
    }
}

/// What the words before a name say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Tests,
    UnitTests,
    Fuzz,
}

const CRATES: &[&str] = &[
    "engine", "fault", "lab", "mask", "net", "patterns", "reading", "server",
];

/// The proofs in a cell: names in backquotes, and the words before them.
fn proofs(cell: &str) -> Vec<Proof> {
    let (mut sort, mut package) = (Sort::Tests, "server");
    let mut proofs = Vec::new();
    for (index, part) in cell.split('`').enumerate() {
        if index % 2 == 0 {
            (sort, package) = read_words(part, sort, package);
        } else {
            proofs.push(named(part, sort, package));
        }
    }
    proofs
}

fn read_words<'w>(words: &'w str, mut sort: Sort, mut package: &'w str) -> (Sort, &'w str) {
    let words: Vec<&str> = words
        .split(|letter: char| !letter.is_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    for word in &words {
        match *word {
            "fuzz" => sort = Sort::Fuzz,
            "unit" => sort = Sort::UnitTests,
            name if CRATES.contains(&name) => (sort, package) = (Sort::Tests, name),
            _ => {}
        }
    }
    (sort, package)
}

fn named(name: &str, sort: Sort, package: &str) -> Proof {
    if let Some(task) = name.strip_prefix("cargo xtask ") {
        return Proof::Task(task.to_owned());
    }
    let (package, module) = match name.split_once("::") {
        Some((first, rest)) if CRATES.contains(&first) => (first, rest),
        _ => (package, name),
    };
    let (package, module) = (package.to_owned(), module.to_owned());
    match sort {
        Sort::Tests => Proof::Tests { package, module },
        Sort::UnitTests => Proof::UnitTests { package, module },
        Sort::Fuzz => Proof::FuzzTarget(name.to_owned()),
    }
}

/// Whether a module below this folder has tests. Its last parts may be modules inside a file.
fn has_tests(folder: &Path, module: &str) -> bool {
    let mut place = folder.to_path_buf();
    let mut parts = module.split("::").peekable();
    while let Some(part) = parts.next() {
        let file = place.join(part).with_extension("rs");
        place.push(part);
        if parts.peek().is_none() {
            return tests_in_file(&file) || tests_below(&place);
        }
        if !place.is_dir() {
            let rest: Vec<&str> = parts.collect();
            return rest
                .iter()
                .all(|inner| file_has(&file, &format!("mod {inner} {{")))
                && tests_in_file(&file);
        }
    }
    false
}

fn tests_below(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let path = entry.path();
        tests_in_file(&path) || tests_below(&path)
    })
}

fn tests_in_file(file: &Path) -> bool {
    ["#[test]", "#[tokio::test", "proptest!"]
        .iter()
        .any(|mark| file_has(file, mark))
}

fn file_has(file: &Path, words: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests(package: &str, module: &str) -> Proof {
        Proof::Tests {
            package: package.to_owned(),
            module: module.to_owned(),
        }
    }

    #[test]
    fn words_say_what_a_name_is() {
        let units = |package: &str, module: &str| Proof::UnitTests {
            package: package.to_owned(),
            module: module.to_owned(),
        };
        assert_eq!(
            proofs("server `a::b`, `c`, net `d`, unit tests of `engine::e::f`"),
            [
                tests("server", "a::b"),
                tests("server", "c"),
                tests("net", "d"),
                units("engine", "e::f")
            ]
        );
        assert_eq!(
            proofs("unit tests of `tools::x`; fuzz target `model`; `cargo xtask soak`"),
            [
                units("server", "tools::x"),
                Proof::FuzzTarget("model".to_owned()),
                Proof::Task("soak".to_owned())
            ]
        );
    }

    #[test]
    fn a_test_that_does_not_exist_is_noticed() {
        let root = place::root();
        assert!(tests("server", "attacks::logs").exists(&root));
        assert!(tests("net", "with_chromium::guard").exists(&root));
        for missing in ["attacks::nobody", "attacks::logs::nobody", "nobody"] {
            assert!(!tests("server", missing).exists(&root), "{missing}");
        }
        assert!(!Proof::FuzzTarget("nobody".to_owned()).exists(&root));
        assert!(!Proof::Task("nobody".to_owned()).exists(&root));
    }

    #[test]
    fn a_row_is_four_cells() {
        let page = "| who | what they control | what is promised | proved by |\n|---|---|---|---|\n| a | b | c | net `d` |\n";
        let rows = rows(page);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].promise, rows[0].proved_by), ("c", "net `d`"));
    }
}
