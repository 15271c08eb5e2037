//! Gathers settings from flags, environment and file; the only place that reads the environment.
//!
//! Flag beats variable beats file beats default, per setting and as a whole: a list in the
//! environment replaces the file's list, it does not add to it. A wrong value stops start-up even
//! when a stronger source would hide it, because the day the stronger one goes away is a bad day to
//! learn of it. A file that merely lies in the current directory is different: clients start this
//! server in whatever folder is open, so somebody else's file may neither widen trust nor stop the
//! start. It gets a short list of harmless keys, and one warning for the rest.

use std::{
    collections::BTreeMap,
    fmt,
    io::Read,
    path::{Path, PathBuf},
};

use fault::{Case, Fault, Origin, Quoted, Secret, SettingName};

use crate::settings::{Setting, Settings, TABLE, is_common, variable};

const FILE_NAME: &str = "fingerpost.toml";

/// Values by setting key, as typed on the command line.
pub type Flags = BTreeMap<&'static str, Vec<String>>;

/// What surrounds the process. Tests pass their own.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    pub variables: BTreeMap<String, String>,
    /// Values that must never be shown: whatever the environment calls a key, a token, a secret or
    /// a password.
    pub secrets: Vec<Secret>,
    /// Where `fingerpost.toml` is looked for first.
    pub directory: PathBuf,
}

impl Environment {
    /// Of this process. A variable that is not Unicode is read lossily: the row then refuses it by
    /// name.
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
        let wanted = |name: &str| {
            name.starts_with(PREFIX)
                || name == XAI_KEY
                || is_common(name)
                || USER_DIRECTORIES.contains(&name)
        };
        let variables = all.into_iter().filter(|(name, _)| wanted(name)).collect();
        Environment {
            variables,
            secrets,
            directory: PathBuf::from("."),
        }
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Where data is kept unless a setting says otherwise.
    fn user_data(&self) -> Option<PathBuf> {
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

    fn user_config(&self) -> Option<PathBuf> {
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

/// Words that stand for something to hide, as one part of a name (`DB_PASSWORD_PROD`).
const TELLING: &[&str] = &[
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

/// Endings that are telling even in a word of several (`AUTHTOKEN`); `MONKEY` and `COMPASS` are why
/// the others are not here.
const TELLING_ENDS: &[&str] = &[
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

/// Whether a variable holds something to hide. Short values, switches and paths would mask ordinary
/// words.
fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let telling =
        |part: &str| TELLING.contains(&part) || TELLING_ENDS.iter().any(|end| part.ends_with(end));
    let value = value.trim();
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .any(telling)
        && value.len() >= SHORTEST_SECRET
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

const SHORTEST_SECRET: usize = 8;

/// The key of the live search API, under the name its own documents use.
const XAI_KEY: &str = "XAI_API_KEY";

const USER_DIRECTORIES: [&str; 5] = [
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "HOME",
    "APPDATA",
    "LOCALAPPDATA",
];

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Flag,
    Variable,
    File(PathBuf),
}

/// A setting that cannot work, told to the person who can change it.
#[derive(Debug, Clone)]
pub struct Mistake {
    place: Place,
    key: String,
    given: Option<Quoted>,
    expected: String,
    example: Option<&'static str>,
}

impl Mistake {
    /// The same mistake for those who handle faults.
    pub fn fault(&self) -> Fault {
        let row = TABLE.iter().find(|row| row.key == self.key);
        Fault::new(Case::BadSetting, Origin::Local)
            .setting(row.map(|row| SettingName::new(row.key)))
    }

    fn file(path: &Path, expected: impl Into<String>) -> Mistake {
        let place = Place::File(path.to_path_buf());
        Mistake {
            place,
            key: String::new(),
            given: None,
            expected: expected.into(),
            example: None,
        }
    }

    fn subject(&self) -> String {
        match &self.place {
            Place::Flag => format!("--{}", self.key),
            Place::Variable => variable(&self.key),
            Place::File(path) if self.key.is_empty() => path.display().to_string(),
            Place::File(path) => format!("{} in {}", self.key, path.display()),
        }
    }

    fn example_line(&self) -> Option<String> {
        let value = self.example?;
        let is_switch = TABLE
            .iter()
            .any(|row| row.key == self.key && row.is_switch());
        Some(match &self.place {
            Place::Flag if is_switch => format!("--{}={value}", self.key),
            Place::Flag => format!("--{} '{value}'", self.key),
            Place::Variable => format!("{}='{value}'", variable(&self.key)),
            Place::File(_) if is_switch => format!("{} = {value}", self.key),
            Place::File(_) => format!("{} = \"{value}\"", self.key),
        })
    }
}

/// One line that says where, what was given, what is right, and a line that works.
impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.subject())?;
        let given = self
            .given
            .as_ref()
            .and_then(|given| serde_json::to_string(given).ok());
        match given {
            Some(given) => write!(
                out,
                "{given} does not work here; expected {}.",
                self.expected
            )?,
            None => write!(out, "{}.", self.expected)?,
        }
        match self.example_line() {
            Some(example) => write!(out, " Example: {example}"),
            None => Ok(()),
        }
    }
}

/// Settings from all sources, and what was passed over on the way.
#[derive(Debug)]
pub struct Loaded {
    pub settings: Settings,
    /// Lines for the operator. They may quote what was passed over, so they are masked before they
    /// are shown.
    pub warnings: Vec<String>,
}

/// Settings from all sources, or every mistake found in them.
pub fn load(
    flags: &Flags,
    config: Option<&str>,
    around: &Environment,
) -> Result<Loaded, Vec<Mistake>> {
    let mut settings = Settings {
        data_dir: around.user_data(),
        secrets: around.secrets.clone(),
        ..Settings::default()
    };
    settings.has_xai_key = around.variable(XAI_KEY).is_some();
    let (mut mistakes, mut warnings) = (Vec::new(), unknown_variables(around));
    match chosen_file(config, around, &mut mistakes) {
        Some(file) if file.found_here => {
            warnings.extend(apply_stray_file(&file.path, &mut settings))
        }
        Some(file) => apply_file(&file.path, &mut settings, &mut mistakes),
        None => {}
    }
    for row in TABLE.iter() {
        let common = || around.variable(&row.common_variable()?);
        if let Some(value) = around.variable(&row.variable()).or_else(common) {
            apply(
                row,
                &[value.to_owned()],
                Place::Variable,
                &mut settings,
                &mut mistakes,
            );
        }
        if let Some(values) = flags.get(row.key) {
            apply(row, values, Place::Flag, &mut settings, &mut mistakes);
        }
    }
    if mistakes.is_empty() {
        Ok(Loaded { settings, warnings })
    } else {
        Err(mistakes)
    }
}

/// Variables that begin like ours and mean nothing: most likely a slip, and perhaps of a newer
/// version.
fn unknown_variables(around: &Environment) -> Vec<String> {
    let known: Vec<String> = TABLE
        .iter()
        .map(Setting::variable)
        .chain([CONFIG.to_owned()])
        .collect();
    let unknown = around
        .variables
        .keys()
        .filter(|name| name.starts_with(PREFIX) && !known.contains(name));
    unknown
        .map(|name| {
            let meant = fault::nearest(
                &name[PREFIX.len()..],
                known.iter().map(|known| &known[PREFIX.len()..]),
            );
            let meant = meant
                .map(|meant| format!("; did you mean {PREFIX}{meant}?"))
                .unwrap_or_default();
            format!("{} is not a setting{meant}", quoted(name))
        })
        .collect()
}

/// Outside words for a terminal.
fn quoted(text: &str) -> String {
    serde_json::to_string(&Quoted::from_input(text)).unwrap_or_default()
}

fn apply(
    row: &Setting,
    values: &[String],
    place: Place,
    settings: &mut Settings,
    mistakes: &mut Vec<Mistake>,
) {
    if let Err(expected) = row.apply(settings, values) {
        mistakes.push(Mistake {
            place,
            key: row.key.to_owned(),
            // A key that does not work is a key all the same.
            given: (!row.is_secret()).then(|| Quoted::from_input(&values.join(","))),
            expected: if row.is_secret() {
                format!("expected {expected}")
            } else {
                expected.to_owned()
            },
            example: Some(row.example),
        });
    }
}

/// What a file that merely lies in the current directory may set: how much and in which form, never
/// whom to trust, where to write, or how to name oneself. A key that is not listed here is passed
/// over, so a new setting is safe until somebody thinks.
const FROM_HERE: [&str; 6] = [
    "toolset",
    "dialect",
    "ephemeral",
    "deadline",
    "max-concurrent",
    "log-format",
];

/// No settings file is longer.
const LONGEST_FILE: u64 = 256 * 1024;

const PREFIX: &str = "FINGERPOST_";
const CONFIG: &str = "FINGERPOST_CONFIG";

/// A settings file, and whether it only happened to be in the current directory.
struct File {
    path: PathBuf,
    found_here: bool,
}

/// A file that was named must exist; one that is merely looked for need not.
fn chosen_file(
    config: Option<&str>,
    around: &Environment,
    mistakes: &mut Vec<Mistake>,
) -> Option<File> {
    let named = config
        .or_else(|| around.variable(CONFIG))
        .map(PathBuf::from);
    if let Some(path) = named {
        if path.is_dir() {
            mistakes.push(Mistake::file(
                &path,
                format!(
                    "this is a directory; name the file in it: {}",
                    path.join(FILE_NAME).display()
                ),
            ));
            return None;
        }
        // A pipe or a device may be named on purpose.
        if !path.exists() {
            mistakes.push(Mistake::file(
                &path,
                "there is no such file; --config and FINGERPOST_CONFIG name one that exists",
            ));
            return None;
        }
        return Some(File {
            path,
            found_here: false,
        });
    }
    let here = File {
        path: around.directory.join(FILE_NAME),
        found_here: true,
    };
    let users = around.user_config().map(|path| File {
        path,
        found_here: false,
    });
    [Some(here), users]
        .into_iter()
        .flatten()
        .find(|file| file.path.is_file())
}

fn apply_file(path: &Path, settings: &mut Settings, mistakes: &mut Vec<Mistake>) {
    let table = match read_table(path) {
        Ok(table) => table,
        Err(mistake) => return mistakes.push(mistake),
    };
    for (key, value) in &table {
        match row_of(key) {
            Some(row) => apply_entry(row, value, path, settings, mistakes),
            None => mistakes.push(unknown_key(path, key)),
        }
    }
}

/// Takes what is harmless from a file that nobody named, and says in one line what was passed over.
fn apply_stray_file(path: &Path, settings: &mut Settings) -> Option<String> {
    let table = match read_table(path) {
        Ok(table) => table,
        Err(mistake) => return Some(format!("passed over {mistake}")),
    };
    let mut passed_over = Vec::new();
    for (key, value) in &table {
        let mut mistakes = Vec::new();
        match row_of(key).filter(|row| FROM_HERE.contains(&row.key)) {
            Some(row) => apply_entry(row, value, path, settings, &mut mistakes),
            None => passed_over.push(quoted(key)),
        }
        if !mistakes.is_empty() {
            passed_over.push(quoted(key));
        }
    }
    passed_over.truncate(10);
    let path = path.display();
    let keys = passed_over.join(", ");
    (!passed_over.is_empty()).then(|| {
        format!("{path} only lies in the current directory, so {keys} in it was passed over; to use all of it: --config {FILE_NAME}")
    })
}

fn row_of(key: &str) -> Option<&'static Setting> {
    TABLE
        .iter()
        .find(|row| row.key == key || row.key.replace('-', "_") == key)
}

fn read_table(path: &Path) -> Result<toml::Table, Mistake> {
    let unreadable = |error: std::io::Error| {
        Mistake::file(path, format!("could not be read ({})", error.kind()))
    };
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(LONGEST_FILE + 1)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    if text.len() as u64 > LONGEST_FILE {
        return Err(Mistake::file(path, "is too long for a settings file"));
    }
    text.parse::<toml::Table>().map_err(|error| {
        let line = error
            .span()
            .map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        Mistake::file(
            path,
            format!("line {line} is not TOML; a line looks like deadline = 30"),
        )
    })
}

fn apply_entry(
    row: &Setting,
    value: &toml::Value,
    path: &Path,
    settings: &mut Settings,
    mistakes: &mut Vec<Mistake>,
) {
    let values: Option<Vec<String>> = match value {
        toml::Value::Array(items) if row.repeatable => items.iter().map(scalar).collect(),
        other => scalar(other).map(|value| vec![value]),
    };
    // An empty list is a way to say "none", which a row's check for at least one value would
    // refuse.
    match values {
        Some(values) if values.is_empty() => {}
        Some(values) => apply(
            row,
            &values,
            Place::File(path.to_path_buf()),
            settings,
            mistakes,
        ),
        None => mistakes.push(Mistake {
            place: Place::File(path.to_path_buf()),
            key: row.key.to_owned(),
            given: None,
            expected: if row.repeatable {
                "expected a text or a list of texts"
            } else {
                "expected one value"
            }
            .to_owned(),
            example: Some(row.example),
        }),
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
    let expected = match fault::nearest(key, TABLE.iter().map(|row| row.key)) {
        Some(near) => format!("is not a setting; did you mean {near}?"),
        None => "is not a setting; `fingerpost --help` lists them".to_owned(),
    };
    Mistake::file(
        path,
        format!("{} {}", quoted(key), expected.trim_end_matches('?')),
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn around(pairs: &[(&str, &str)], directory: &Path) -> Environment {
        let variables = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Environment {
            variables,
            directory: directory.to_path_buf(),
            ..Environment::default()
        }
    }

    fn flags(pairs: &[(&'static str, &str)]) -> Flags {
        pairs
            .iter()
            .map(|(key, value)| (*key, vec![(*value).to_owned()]))
            .collect()
    }

    #[test]
    fn flag_beats_variable_beats_file_beats_default() {
        let here = tempfile::tempdir().unwrap();
        let nowhere = tempfile::tempdir().unwrap();
        std::fs::write(
            here.path().join(FILE_NAME),
            "deadline = 7\nmax_concurrent = 3\nlog = \"info\"\n",
        )
        .unwrap();
        let deadline = |flags: &Flags, variables: &[(&str, &str)], directory: &Path| {
            load(flags, None, &around(variables, directory))
                .unwrap()
                .settings
                .deadline
        };
        let none = Flags::new();
        let variable = [("FINGERPOST_DEADLINE", "9")];
        assert_eq!(
            deadline(&none, &[], nowhere.path()),
            Duration::from_secs(30)
        );
        assert_eq!(deadline(&none, &[], here.path()), Duration::from_secs(7));
        assert_eq!(
            deadline(&none, &variable, here.path()),
            Duration::from_secs(9)
        );
        assert_eq!(
            deadline(&flags(&[("deadline", "11")]), &variable, here.path()),
            Duration::from_secs(11)
        );
        assert_eq!(
            load(&none, None, &around(&[], here.path()))
                .unwrap()
                .settings
                .max_concurrent,
            3
        );
    }

    #[test]
    fn all_mistakes_are_told_at_once_each_with_its_place() {
        let here = tempfile::tempdir().unwrap();
        let file = here.path().join("mine.toml");
        std::fs::write(&file, "deadlin = 7\ndeadline = [1]\nlog-format = \"xml\"\n").unwrap();
        let variables = [("FINGERPOST_DEADLINE", "soon")];
        let mistakes = load(
            &flags(&[("dialect", "x")]),
            file.to_str(),
            &around(&variables, here.path()),
        )
        .unwrap_err();
        let told: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 5, "{told:#?}");
        let all = told.join("\n");
        for part in [
            "FINGERPOST_DEADLINE: \"soon\" does not work here; expected a whole number of seconds from 1 to 600. \
             Example: FINGERPOST_DEADLINE='30'",
            "--dialect: \"x\" does not work here",
            "\"deadlin\" is not a setting; did you mean deadline",
            "Example: log-format = \"json\"",
            "expected one value",
        ] {
            assert!(all.contains(part), "{part} in {all}");
        }
    }

    #[test]
    fn a_named_file_must_exist_and_be_toml() {
        let here = tempfile::tempdir().unwrap();
        let missing = here.path().join("none.toml").display().to_string();
        let told = load(&Flags::new(), Some(&missing), &around(&[], here.path())).unwrap_err();
        assert!(
            told[0].to_string().contains("there is no such file"),
            "{}",
            told[0]
        );
        let broken = here.path().join("broken.toml");
        std::fs::write(&broken, "deadline = 3\n= 4\n").unwrap();
        let told = load(&Flags::new(), broken.to_str(), &around(&[], here.path())).unwrap_err();
        assert!(
            told[0].to_string().contains("line 2 is not TOML"),
            "{}",
            told[0]
        );
    }

    #[test]
    fn a_file_that_only_lies_here_gets_harmless_keys_and_one_warning() {
        let here = tempfile::tempdir().unwrap();
        let file = here.path().join(FILE_NAME);
        let hostile = "deadline = 7\nallow-private = [\"10.0.0.0/8\"]\nissue-url = \"https://evil.example/\"\ndata-dir = \"/x\"\n\
                       user-agent = \"x\"\nlog = \"off\"\nmax-concurrent = \"lots\"\n\"\u{1b}[31m\" = 1\n";
        std::fs::write(&file, hostile.replace('\u{1b}', "\\u001b")).unwrap();
        let loaded = load(&Flags::new(), None, &around(&[], here.path())).unwrap();
        assert_eq!(loaded.settings.deadline, Duration::from_secs(7));
        assert_eq!(
            loaded.settings,
            Settings {
                deadline: Duration::from_secs(7),
                ..Settings::default()
            },
            "nothing else has changed"
        );
        let [warning] = loaded.warnings.as_slice() else {
            panic!("one warning, not {:?}", loaded.warnings)
        };
        for part in [
            "allow-private",
            "issue-url",
            "data-dir",
            "max-concurrent",
            "--config fingerpost.toml",
        ] {
            assert!(warning.contains(part), "{part} in {warning}");
        }
        assert!(!warning.contains('\u{1b}'), "{warning}");
        assert!(
            load(&Flags::new(), file.to_str(), &around(&[], here.path())).is_err(),
            "named, its mistakes are mistakes"
        );
        std::fs::write(&file, "allow-private = [\"10.0.0.0/8\"]\n").unwrap();
        assert_eq!(
            load(&Flags::new(), file.to_str(), &around(&[], here.path()))
                .unwrap()
                .settings
                .allow_private
                .len(),
            1
        );
        std::fs::write(&file, "not toml at all").unwrap();
        assert_eq!(
            load(&Flags::new(), None, &around(&[], here.path()))
                .unwrap()
                .warnings
                .len(),
            1,
            "it cannot stop the start"
        );
    }

    #[test]
    fn a_variable_that_is_almost_ours_is_told_of() {
        let here = tempfile::tempdir().unwrap();
        let loaded = load(
            &Flags::new(),
            None,
            &around(
                &[("FINGERPOST_DEADLIN", "5"), ("FINGERPOST_ZZZZZZ", "1")],
                here.path(),
            ),
        )
        .unwrap();
        assert_eq!(loaded.warnings.len(), 2);
        assert!(
            loaded.warnings[0].contains("did you mean FINGERPOST_DEADLINE?"),
            "{}",
            loaded.warnings[0]
        );
    }

    #[test]
    fn a_directory_is_not_a_settings_file() {
        let here = tempfile::tempdir().unwrap();
        let told = load(
            &Flags::new(),
            here.path().to_str(),
            &around(&[], here.path()),
        )
        .unwrap_err();
        assert!(
            told[0].to_string().contains("this is a directory"),
            "{}",
            told[0]
        );
    }

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

    #[test]
    fn the_users_own_file_is_found_last() {
        let here = tempfile::tempdir().unwrap();
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("fingerpost");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(
            folder.join(FILE_NAME),
            "deadline = 5\nallow-private = [\"localhost\"]\n",
        )
        .unwrap();
        let home_text = home.path().display().to_string();
        let around = around(
            &[("XDG_CONFIG_HOME", &home_text), ("APPDATA", &home_text)],
            here.path(),
        );
        let settings = load(&Flags::new(), None, &around).unwrap().settings;
        assert_eq!(settings.deadline, Duration::from_secs(5));
        assert_eq!(settings.allow_private, ["localhost".parse().unwrap()]);
    }
}
