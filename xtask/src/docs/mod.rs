//! Generates pages from tables in the code, so that they cannot contradict the program.

mod bundle;
mod dialects;
mod settings;
mod tools;

use std::{fs, path::Path};

use crate::{Outcome, only_switch, place};

pub(crate) use bundle::{environment_variables, server_json};

/// One generated file.
struct Page {
    path: &'static str,
    write: fn() -> String,
}

static PAGES: &[Page] = &[
    Page {
        path: "docs/dialects.md",
        write: dialects::page,
    },
    Page {
        path: "docs/errors.md",
        write: fault::reference::errors_page,
    },
    Page {
        path: "docs/schema/fault.json",
        write: fault_schema,
    },
    Page {
        path: "docs/settings.md",
        write: settings::page,
    },
    Page {
        path: "docs/tools.md",
        write: tools::page,
    },
    Page {
        path: "packaging/mcpb/manifest.json",
        write: bundle::manifest,
    },
    Page {
        path: "packaging/server.json",
        write: bundle::registry_entry,
    },
];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if only_switch(arguments, "--check")? {
        check()
    } else {
        write()
    }
}

fn write() -> Outcome {
    for page in PAGES.iter().filter(|page| !is_current(page)) {
        write_file(&place::root().join(page.path), &(page.write)())?;
        println!("wrote {}", page.path);
    }
    Ok(())
}

pub(crate) fn check() -> Outcome {
    let stale: Vec<&str> = PAGES
        .iter()
        .filter(|page| !is_current(page))
        .map(|page| page.path)
        .collect();
    if stale.is_empty() {
        println!("{} generated files are current", PAGES.len());
        return Ok(());
    }
    Err(format!(
        "stale: {}. Run `cargo xtask docs` and commit the result",
        stale.join(", ")
    ))
}

fn is_current(page: &Page) -> bool {
    fs::read_to_string(place::root().join(page.path)).is_ok_and(|text| text == (page.write)())
}

pub(crate) fn write_file(path: &Path, text: &str) -> Outcome {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("{} could not be written ({})", path.display(), error.kind()))
}

fn fault_schema() -> String {
    format!("{:#}\n", fault::reference::schema())
}

/// Escapes text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_said_to_be_generated_or_is_data() {
        for page in PAGES {
            let text = (page.write)();
            let data = page.path.ends_with(".json");
            assert!(
                data || text.contains("Written by `cargo xtask docs`"),
                "{}",
                page.path
            );
            assert!(
                text.ends_with('\n') && !text.ends_with("\n\n"),
                "{}",
                page.path
            );
        }
    }

    #[test]
    fn a_bar_does_not_end_a_cell() {
        assert_eq!(cell("a|b\nc"), "a\\|b c");
    }
}
