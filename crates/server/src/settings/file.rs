//! Settings from `fingerpost.toml`.
//!
//! A file that the user named, or the user's own, is applied whole. A file that was merely found in
//! the current directory is different: clients start this server in whatever directory is open, so
//! somebody else's file must neither extend trust nor prevent the start. Only settings marked
//! `allowed_in_found_file` are taken from it, and one warning lists the rest.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use fault::Quoted;

use super::{
    Environment, Setting, Settings, TABLE,
    mistake::{Location, Mistake, apply},
};

pub(super) const FILE_NAME: &str = "fingerpost.toml";

/// The variable that names a settings file, as `--config` does.
pub(super) const CONFIG_VARIABLE: &str = "FINGERPOST_CONFIG";

/// A longer file is refused.
const MAX_FILE: u64 = 256 * 1024;

/// At most this many ignored keys are listed in the warning.
const MAX_IGNORED: usize = 10;

/// The settings file to use.
pub(super) enum SettingsFile {
    /// Named by the user, or the user's own.
    Trusted(PathBuf),
    /// Found in the current directory.
    Found(PathBuf),
}

/// Chooses the settings file. One that was named must exist; one that is only looked for need not.
pub(super) fn choose(
    config: Option<&str>,
    environment: &Environment,
) -> Result<Option<SettingsFile>, Mistake> {
    let named = config.or_else(|| environment.variable(CONFIG_VARIABLE));
    if let Some(path) = named.map(PathBuf::from) {
        check_named(&path)?;
        return Ok(Some(SettingsFile::Trusted(path)));
    }
    let found = environment.directory.join(FILE_NAME);
    if found.is_file() {
        return Ok(Some(SettingsFile::Found(found)));
    }
    let own = environment.config_file().filter(|path| path.is_file());
    Ok(own.map(SettingsFile::Trusted))
}

/// The path may also be a pipe or a device.
fn check_named(path: &Path) -> Result<(), Mistake> {
    if path.is_dir() {
        let inside = path.join(FILE_NAME);
        return Err(Mistake::in_file(
            path,
            format!(
                "this is a directory; name the file in it: {}",
                inside.display()
            ),
        ));
    }
    if !path.exists() {
        return Err(Mistake::in_file(
            path,
            "there is no such file; --config and FINGERPOST_CONFIG must name an existing one",
        ));
    }
    Ok(())
}

/// Applies a file whole, and returns every mistake in it.
pub(super) fn apply_trusted(path: &Path, settings: &mut Settings) -> Vec<Mistake> {
    let table = match read_table(path) {
        Ok(table) => table,
        Err(mistake) => return vec![mistake],
    };
    let mut mistakes = Vec::new();
    for (key, value) in &table {
        let applied = match find_row(key) {
            Some(row) => apply_entry(row, value, path, settings),
            None => Err(unknown_key(path, key)),
        };
        mistakes.extend(applied.err());
    }
    mistakes
}

/// Applies only settings that any file may set, and returns a warning about the others.
pub(super) fn apply_found(path: &Path, settings: &mut Settings) -> Option<String> {
    let table = match read_table(path) {
        Ok(table) => table,
        Err(mistake) => return Some(format!("ignored {mistake}")),
    };
    let mut ignored = Vec::new();
    for (key, value) in &table {
        let row = find_row(key).filter(|row| row.allowed_in_found_file);
        if row.is_none_or(|row| apply_entry(row, value, path, settings).is_err()) {
            ignored.push(quoted(key));
        }
    }
    ignored.truncate(MAX_IGNORED);
    let (path, keys) = (path.display(), ignored.join(", "));
    (!ignored.is_empty()).then(|| {
        format!("{path} was merely found in the current directory, so these settings in it were ignored: {keys}. To use the whole file: --config {FILE_NAME}")
    })
}

/// Keys may also be written with underscores.
fn find_row(key: &str) -> Option<&'static Setting> {
    TABLE
        .iter()
        .find(|row| row.key == key || row.key.replace('-', "_") == key)
}

fn read_table(path: &Path) -> Result<toml::Table, Mistake> {
    let unreadable = |error: std::io::Error| {
        Mistake::in_file(path, format!("could not be read ({})", error.kind()))
    };
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE + 1)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    if text.len() as u64 > MAX_FILE {
        return Err(Mistake::in_file(
            path,
            "the file is too long for a settings file",
        ));
    }
    text.parse::<toml::Table>().map_err(|error| {
        let line = error
            .span()
            .map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        Mistake::in_file(
            path,
            format!("line {line} is not TOML; a line looks like deadline = 30"),
        )
    })
}

fn apply_entry(
    row: &'static Setting,
    value: &toml::Value,
    path: &Path,
    settings: &mut Settings,
) -> Result<(), Mistake> {
    let values: Option<Vec<String>> = match value {
        toml::Value::Array(items) if row.repeatable => items.iter().map(scalar).collect(),
        other => scalar(other).map(|value| vec![value]),
    };
    match values {
        // An empty list means none.
        Some(values) if values.is_empty() => Ok(()),
        Some(values) => apply(row, &values, Location::File(path.to_path_buf()), settings),
        None => Err(Mistake::wrong_type(row, path)),
    }
}

fn scalar(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn unknown_key(path: &Path, key: &str) -> Mistake {
    let problem = match fault::nearest(key, TABLE.iter().map(|row| row.key)) {
        Some(near) => format!("is not a setting; the nearest one is {near}"),
        None => "is not a setting; `fingerpost help settings` lists them".to_owned(),
    };
    Mistake::in_file(path, format!("{} {problem}", quoted(key)))
}

/// Text from outside, escaped for a terminal.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(&Quoted::from_input(text)).unwrap_or_default()
}
