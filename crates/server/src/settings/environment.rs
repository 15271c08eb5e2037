//! What is read from the process environment: our variables, the user's directories, and the values
//! that look like secrets.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use fault::Secret;

use super::{TABLE, file::FILE_NAME, row::PREFIX};

/// The environment of the process, as far as it is needed. Tests make their own.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    pub variables: BTreeMap<String, String>,
    /// Values of variables whose names say key, token, secret, password and the like.
    pub secrets: Vec<Secret>,
    /// The current directory, where `fingerpost.toml` is looked for first.
    pub directory: PathBuf,
}

impl Environment {
    /// The environment of this process. Variables that are not Unicode are converted lossily, and
    /// their settings then refuse them.
    #[allow(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub fn of_process() -> Environment {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        let all: Vec<(String, String)> = std::env::vars_os()
            .map(|(name, value)| (text(name), text(value)))
            .collect();
        let secrets = all
            .iter()
            .filter(|(name, value)| is_secret(name, value))
            .map(|(_, value)| Secret::new(value.clone()))
            .collect();
        let is_used = |name: &str| {
            name.starts_with(PREFIX) || is_shared_variable(name) || USER_DIRECTORIES.contains(&name)
        };
        let variables = all.into_iter().filter(|(name, _)| is_used(name)).collect();
        Environment {
            variables,
            secrets,
            directory: PathBuf::from("."),
        }
    }

    /// The value of any variable of this process, for whoever names it; `None` when it is empty or
    /// not Unicode.
    #[allow(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub(crate) fn value_in_process(name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    /// The value of a variable, or `None` when it is empty or not set.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// The default of `--data-dir`.
    pub(super) fn data_dir(&self) -> Option<PathBuf> {
        let base = if cfg!(windows) {
            PathBuf::from(self.variable("LOCALAPPDATA")?)
        } else if let Some(base) = self.variable("XDG_DATA_HOME") {
            PathBuf::from(base)
        } else if cfg!(target_os = "macos") {
            Path::new(self.variable("HOME")?).join("Library/Application Support")
        } else {
            Path::new(self.variable("HOME")?).join(".local/share")
        };
        Some(base.join("fingerpost"))
    }

    /// The user's own settings file.
    pub(crate) fn config_file(&self) -> Option<PathBuf> {
        let base = if cfg!(windows) {
            PathBuf::from(self.variable("APPDATA")?)
        } else if let Some(base) = self.variable("XDG_CONFIG_HOME") {
            PathBuf::from(base)
        } else if cfg!(target_os = "macos") {
            Path::new(self.variable("HOME")?).join("Library/Application Support")
        } else {
            Path::new(self.variable("HOME")?).join(".config")
        };
        Some(base.join("fingerpost").join(FILE_NAME))
    }
}

/// Words that mark a secret when they are one part of a name (`DB_PASSWORD_PROD`).
const SECRET_WORDS: &[&str] = &[
    "KEY",
    "KEYS",
    "APIKEY",
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "AUTH",
    "CREDENTIAL",
    "CREDENTIALS",
    "DSN",
];

/// Words that mark a secret also at the end of another word (`AUTHTOKEN`). The others are not here
/// because of words like `MONKEY` and `COMPASS`.
const SECRET_ENDINGS: &[&str] = &[
    "APIKEY",
    "ACCESSKEY",
    "SECRETKEY",
    "PRIVATEKEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "CREDENTIALS",
];

/// Whether a variable or header holds a secret. Short values, switches and paths do not count, because
/// masking them would hide ordinary words.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let is_secret_word = |part: &str| {
        SECRET_WORDS.contains(&part) || SECRET_ENDINGS.iter().any(|end| part.ends_with(end))
    };
    let value = value.trim();
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .any(is_secret_word)
        && value.len() >= MIN_SECRET
        && !is_switch(value)
        && !is_path(value)
}

fn is_switch(value: &str) -> bool {
    ["disabled", "required", "optional"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}

fn is_path(value: &str) -> bool {
    let letters = value.as_bytes();
    let on_a_drive = letters.len() > 2
        && letters[0].is_ascii_alphabetic()
        && letters[1] == b':'
        && matches!(letters[2], b'\\' | b'/');
    Path::new(value).is_absolute()
        || on_a_drive
        || ["~/", "./", "../"]
            .iter()
            .any(|start| value.starts_with(start))
}

const MIN_SECRET: usize = 8;

/// Our own directories, and those of clients that [`setup`](crate::commands) writes to.
const USER_DIRECTORIES: [&str; 8] = [
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "HOME",
    "APPDATA",
    "LOCALAPPDATA",
    "USERPROFILE",
    "CODEX_HOME",
    "CLAUDE_CONFIG_DIR",
];

fn is_shared_variable(name: &str) -> bool {
    TABLE
        .iter()
        .any(|row| row.shared_variables().iter().any(|known| known == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_name_a_secret_are_secrets() {
        for name in [
            "XAI_API_KEY",
            "GITHUB_TOKEN",
            "db_password",
            "SENTRY_DSN",
            "APIKEY",
            "API_KEY_PROD",
            "TOKEN_2",
            "DB_PASS",
            "DB_PWD",
            "BASIC_AUTH",
            "AUTHTOKEN",
            "AWS_CREDENTIALS_JSON",
            "NPM-TOKEN",
        ] {
            assert!(is_secret(name, "0123456789"), "{name}");
        }
        for (name, value) in [
            ("HOME", "0123456789"),
            ("API_KEY", "short"),
            ("SSH_KEY", "/home/me/.ssh/id"),
            ("KEYBOARD", "0123456789"),
            ("PASSAGE", "0123456789"),
            ("AUTHOR", "0123456789"),
            ("MONKEY", "0123456789"),
            ("PWD", "/home/me/work"),
            ("TLS_KEY", "C:\\keys\\tls.pem"),
            ("GPG_KEY", "~/.gnupg/key"),
            ("USE_AUTH", "disabled"),
            ("TOKENIZERS", "0123456789"),
        ] {
            assert!(!is_secret(name, value), "{name}");
        }
    }
}
