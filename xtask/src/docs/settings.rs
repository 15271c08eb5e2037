//! `docs/settings.md`, from the server's table of settings.

use std::fmt::Write;

use server::settings::{Setting, TABLE};

use super::cell;

const HEAD: &str = "\
# Settings

<!-- Written by `cargo xtask docs` from crates/server/src/settings/table.rs. Do not edit. -->

Every setting is a flag of `fingerpost`, an environment variable and a key of `fingerpost.toml`. A flag wins over a variable,
a variable over the file, the file over the default. The file is the one named by `--config FILE` or `FINGERPOST_CONFIG`, else
`fingerpost.toml` in the working directory, else the user's own. One that is merely found in the working directory may set `toolset`, `tools`,
`dialect`, `ephemeral`, `deadline`, `max-concurrent` and `log-format`; anything else in it is ignored with a warning unless the file
is named, because clients start the server in whatever folder is open. A wrong value stops the start with a message that names it.
A variable in brackets is one that other programs use too; it is read when ours is not set, and `fingerpost doctor` says which
one a key came from. `JINA_API_KEY` is used only for a reader at jina.ai.

| flag | variable | default | meaning |
|---|---|---|---|
";

pub(super) fn page() -> String {
    let mut page = HEAD.to_owned();
    for row in TABLE.iter() {
        let _ = writeln!(
            page,
            "| `--{} {}` | `{}`{} | {} | {} |",
            row.key,
            cell(row.value_name),
            row.variable(),
            shared(row),
            default(row),
            meaning(row)
        );
    }
    page.push_str(EXAMPLE);
    for row in TABLE.iter().filter(|row| !row.is_of_provider()) {
        let _ = writeln!(page, "{} = {}", row.key, value(row));
    }
    page.push_str("```\n");
    page
}

const EXAMPLE: &str = "
A `fingerpost.toml` with an example of each that is not a provider's:

```toml
";

fn default(row: &Setting) -> String {
    if row.default.is_empty() {
        "none".to_owned()
    } else {
        format!("`{}`", cell(row.default))
    }
}

fn shared(row: &Setting) -> String {
    let names = row.shared_variables();
    if names.is_empty() {
        String::new()
    } else {
        format!(" (`{}`)", names.join("`, `"))
    }
}

fn meaning(row: &Setting) -> String {
    let repeat = if row.repeatable {
        ". In a variable, several are separated by commas"
    } else {
        ""
    };
    format!("{}{repeat}.", cell(&row.about))
}

fn value(row: &Setting) -> String {
    let number_or_switch = row.example.parse::<i64>().is_ok() || row.is_switch();
    match (row.repeatable, number_or_switch) {
        (true, _) => format!("[{:?}]", row.example),
        (false, true) => row.example.to_owned(),
        (false, false) => format!("{:?}", row.example),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_setting_its_variable_and_an_example() {
        let page = page();
        for row in TABLE.iter() {
            assert!(page.contains(&format!("`--{} ", row.key)), "{}", row.key);
            assert!(page.contains(&row.variable()), "{}", row.key);
            let is_listed = HEAD.contains(&format!("`{}`", row.key));
            assert_eq!(is_listed, row.allowed_in_found_file, "{}", row.key);
            assert!(
                row.is_of_provider() || page.contains(&format!("\n{} = ", row.key)),
                "{}",
                row.key
            );
        }
    }
}
