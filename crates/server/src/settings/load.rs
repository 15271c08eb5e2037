//! Collects settings from flags, environment and file.
//!
//! A flag wins over a variable, a variable over the file, the file over the default. A list
//! replaces the list of a weaker source. A wrong value is a mistake even when a stronger source
//! overrides it: otherwise it would surface on the day the stronger one is removed.

use std::collections::BTreeMap;

use super::{
    Environment, Mistake, Setting, Settings, TABLE,
    file::{self, CONFIG_VARIABLE, SettingsFile, quoted},
    mistake::{Location, apply},
    row::PREFIX,
};

/// Values by setting key, as given on the command line.
pub type Flags = BTreeMap<&'static str, Vec<String>>;

/// Settings from all sources, and warnings about what was ignored.
#[derive(Debug)]
pub struct Loaded {
    pub settings: Settings,
    /// Lines for the operator. They may quote what was ignored, so mask them before printing.
    pub warnings: Vec<String>,
}

/// Settings from all sources, or every mistake in them. `config` is the value of `--config`.
pub fn load(
    flags: &Flags,
    config: Option<&str>,
    environment: &Environment,
) -> Result<Loaded, Vec<Mistake>> {
    let mut settings = Settings {
        data_dir: environment.data_dir(),
        secrets: environment.secrets.clone(),
        ..Settings::default()
    };
    let mut warnings = unknown_variables(environment);
    let mut mistakes = match file::choose(config, environment) {
        Ok(Some(SettingsFile::Trusted(path))) => {
            let mistakes = file::apply_trusted(&path, &mut settings);
            settings.file = Some(path);
            mistakes
        }
        Ok(Some(SettingsFile::Found(path))) => {
            warnings.extend(file::apply_found(&path, &mut settings));
            settings.file = Some(path);
            Vec::new()
        }
        Ok(None) => Vec::new(),
        Err(mistake) => vec![mistake],
    };
    for row in TABLE.iter() {
        if let Some((name, value)) = first_variable(row, environment) {
            let location = Location::Variable(name.clone());
            match apply(row, &[value.to_owned()], location, &mut settings) {
                Ok(()) => {}
                Err(mistake) if name == row.variable() || row.shared_must_parse => {
                    mistakes.push(mistake);
                }
                // It was set for another program, whose form may differ.
                Err(mistake) => warnings.push(format!("ignored {mistake}")),
            }
        }
        if let Some(values) = flags.get(row.key) {
            mistakes.extend(apply(row, values, Location::Flag, &mut settings).err());
        }
    }
    keep_jina_key_for_jina(&mut settings);
    name_keys_of_providers(&mut settings);
    if mistakes.is_empty() {
        Ok(Loaded { settings, warnings })
    } else {
        Err(mistakes)
    }
}

/// Settings from flags alone, or every mistake in them.
pub fn of_flags(flags: &Flags) -> Result<Settings, Vec<Mistake>> {
    let mut settings = Settings::default();
    let mut mistakes = Vec::new();
    for row in TABLE.iter() {
        if let Some(values) = flags.get(row.key) {
            mistakes.extend(apply(row, values, Location::Flag, &mut settings).err());
        }
    }
    if mistakes.is_empty() {
        Ok(settings)
    } else {
        Err(mistakes)
    }
}

/// Forgets a key that was found under Jina's name when the reader is not Jina's: the operator did
/// not give it to that reader.
fn keep_jina_key_for_jina(settings: &mut Settings) {
    let is_shared = settings.origins.get(READER_KEY).map(|it| it.place.as_str()) == Some(JINA_KEY);
    let host = settings.reader_url.as_ref().and_then(|url| url.host_str());
    let is_jina = host.is_some_and(|host| host == "jina.ai" || host.ends_with(".jina.ai"));
    if is_shared && !is_jina {
        settings.reader_key = None;
        settings.origins.remove(READER_KEY);
    }
}

/// Notes under which name each provider's key was given, so that a fault about it names that.
fn name_keys_of_providers(settings: &mut Settings) {
    for provider in engine::search::providers() {
        let spec = provider.spec();
        let origin = settings.origins.get(spec.settings.key.as_str());
        if let (Some(origin), Some(own)) = (origin, settings.providers.get_mut(spec.id())) {
            own.key_name = Some(spec.key_name(&origin.place));
        }
    }
}

const READER_KEY: &str = "reader-key";

/// The variable that Jina's own documentation names.
pub(super) const JINA_KEY: &str = "JINA_API_KEY";

/// The variable that has a value for this setting, and the value. Our own name counts before the
/// names that other programs use too.
fn first_variable<'e>(row: &Setting, environment: &'e Environment) -> Option<(String, &'e str)> {
    let names = std::iter::once(row.variable()).chain(row.shared_variables());
    names
        .filter_map(|name| {
            environment
                .variable(&name)
                .map(|value| (name.clone(), value))
        })
        .next()
}

/// Warnings about variables with our prefix that are not settings: a typing error, or a setting of
/// another version.
fn unknown_variables(environment: &Environment) -> Vec<String> {
    let known: Vec<String> = TABLE
        .iter()
        .map(Setting::variable)
        .chain([CONFIG_VARIABLE.to_owned()])
        .collect();
    let variables = environment.variables.keys();
    let unknown = variables.filter(|name| name.starts_with(PREFIX) && !known.contains(name));
    unknown
        .map(|name| {
            let nearest = fault::nearest(
                &name[PREFIX.len()..],
                known.iter().map(|known| &known[PREFIX.len()..]),
            );
            let suggestion = nearest
                .map(|nearest| format!("; did you mean {PREFIX}{nearest}?"))
                .unwrap_or_default();
            format!("{} is not a setting{suggestion}", quoted(name))
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    fn environment(pairs: &[(&str, &str)], directory: &Path) -> Environment {
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
            here.path().join(file::FILE_NAME),
            "deadline = 7\nmax_concurrent = 3\nlog = \"info\"\n",
        )
        .unwrap();
        let deadline = |flags: &Flags, variables: &[(&str, &str)], directory: &Path| {
            load(flags, None, &environment(variables, directory))
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
            load(&none, None, &environment(&[], here.path()))
                .unwrap()
                .settings
                .max_concurrent,
            3
        );
    }

    #[test]
    fn all_mistakes_are_reported_at_once_each_with_its_location() {
        let here = tempfile::tempdir().unwrap();
        let file = here.path().join("mine.toml");
        std::fs::write(&file, "deadlin = 7\ndeadline = [1]\nlog-format = \"xml\"\n").unwrap();
        let variables = [("FINGERPOST_DEADLINE", "soon")];
        let mistakes = load(
            &flags(&[("dialect", "x")]),
            file.to_str(),
            &environment(&variables, here.path()),
        )
        .unwrap_err();
        let shown: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        assert_eq!(shown.len(), 5, "{shown:#?}");
        let all = shown.join("\n");
        for part in [
            "FINGERPOST_DEADLINE: \"soon\" does not work here; expected a whole number of seconds from 1 to 600. \
             Example: FINGERPOST_DEADLINE='30'",
            "--dialect: \"x\" does not work here",
            "\"deadlin\" is not a setting; the nearest one is deadline",
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
        let shown = load(
            &Flags::new(),
            Some(&missing),
            &environment(&[], here.path()),
        )
        .unwrap_err();
        assert!(
            shown[0].to_string().contains("there is no such file"),
            "{}",
            shown[0]
        );
        let broken = here.path().join("broken.toml");
        std::fs::write(&broken, "deadline = 3\n= 4\n").unwrap();
        let shown = load(
            &Flags::new(),
            broken.to_str(),
            &environment(&[], here.path()),
        )
        .unwrap_err();
        assert!(
            shown[0].to_string().contains("line 2 is not TOML"),
            "{}",
            shown[0]
        );
    }

    #[test]
    fn a_found_file_sets_only_harmless_keys_and_causes_one_warning() {
        let here = tempfile::tempdir().unwrap();
        let file = here.path().join(file::FILE_NAME);
        let hostile = "deadline = 7\nallow-private = [\"10.0.0.0/8\"]\nissue-url = \"https://evil.example/\"\ndata-dir = \"/x\"\n\
                       user-agent = \"x\"\nlog = \"off\"\nmax-concurrent = \"lots\"\n\"\u{1b}[31m\" = 1\n";
        std::fs::write(&file, hostile.replace('\u{1b}', "\\u001b")).unwrap();
        let loaded = load(&Flags::new(), None, &environment(&[], here.path())).unwrap();
        assert_eq!(loaded.settings.deadline, Duration::from_secs(7));
        assert_eq!(
            loaded.settings,
            Settings {
                deadline: Duration::from_secs(7),
                origins: loaded.settings.origins.clone(),
                file: Some(file.clone()),
                ..Settings::default()
            },
            "nothing else has changed"
        );
        let set: Vec<_> = loaded.settings.origins.keys().copied().collect();
        assert_eq!(set, ["deadline"]);
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
            load(&Flags::new(), file.to_str(), &environment(&[], here.path())).is_err(),
            "named, its mistakes are mistakes"
        );
        std::fs::write(&file, "allow-private = [\"10.0.0.0/8\"]\n").unwrap();
        assert_eq!(
            load(&Flags::new(), file.to_str(), &environment(&[], here.path()))
                .unwrap()
                .settings
                .allow_private
                .len(),
            1
        );
        std::fs::write(&file, "not toml at all").unwrap();
        assert_eq!(
            load(&Flags::new(), None, &environment(&[], here.path()))
                .unwrap()
                .warnings
                .len(),
            1,
            "it cannot stop the start"
        );
    }

    #[test]
    fn an_unknown_variable_of_ours_causes_a_warning() {
        let here = tempfile::tempdir().unwrap();
        let loaded = load(
            &Flags::new(),
            None,
            &environment(
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
    fn a_directory_is_refused_as_a_settings_file() {
        let here = tempfile::tempdir().unwrap();
        let shown = load(
            &Flags::new(),
            here.path().to_str(),
            &environment(&[], here.path()),
        )
        .unwrap_err();
        assert!(
            shown[0].to_string().contains("this is a directory"),
            "{}",
            shown[0]
        );
    }

    #[test]
    fn the_users_own_file_is_looked_for_last() {
        let here = tempfile::tempdir().unwrap();
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("fingerpost");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(
            folder.join(file::FILE_NAME),
            "deadline = 5\nallow-private = [\"localhost\"]\n",
        )
        .unwrap();
        let home_text = home.path().display().to_string();
        let environment = environment(
            &[("XDG_CONFIG_HOME", &home_text), ("APPDATA", &home_text)],
            here.path(),
        );
        let settings = load(&Flags::new(), None, &environment).unwrap().settings;
        assert_eq!(settings.deadline, Duration::from_secs(5));
        assert_eq!(settings.allow_private, ["localhost".parse().unwrap()]);
    }
}
