//! What a setting is: a row that is a flag, a variable, a file key and a line of documentation.

use std::borrow::Cow;

use engine::search::ProviderSpec;

use super::{Settings, providers::ProviderField, providers::apply_provider_setting};

/// The prefix of every environment variable of ours.
pub(super) const PREFIX: &str = "FINGERPOST_";

/// The value name of settings that are true or false.
pub(super) const SWITCH: &str = "true|false";

#[derive(Debug)]
pub struct Setting {
    /// The name of the flag, and the key in `fingerpost.toml`.
    pub key: &'static str,
    pub value_name: &'static str,
    /// Empty when there is none.
    pub default: &'static str,
    /// Whether it takes several values.
    pub repeatable: bool,
    pub about: Cow<'static, str>,
    /// Its line in the help of every command; empty for settings that few people need.
    pub short: &'static str,
    /// A valid value, shown in the docs and in the message about an invalid one.
    pub example: &'static str,
    /// Whether messages must not show its value.
    pub secret: bool,
    /// Whether a `fingerpost.toml` that was found in the current directory, and not named by the
    /// user, may set it. Only for settings that extend no trust and name no place to write to.
    pub allowed_in_found_file: bool,
    /// A variable that other programs use for the same thing. Read when our own is not set.
    pub shared_variable: Option<&'static str>,
    /// Whether a wrong value of the shared variable stops the start. It does not where the form of
    /// other programs may differ from ours.
    pub shared_must_parse: bool,
    pub apply: Apply,
}

/// Where the value of a setting was written, and what stood there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The flag, the variable or the file.
    pub place: String,
    /// `None` for secrets.
    pub values: Option<Vec<String>>,
}

/// How values are parsed and stored. The error says what was expected, for example "a whole number
/// of seconds from 1 to 600".
#[derive(Debug, Clone, Copy)]
pub enum Apply {
    /// Into a field of [`Settings`].
    Field(fn(&mut Settings, &[String]) -> Result<(), &'static str>),
    /// Into the settings of one search provider.
    Provider(&'static ProviderSpec, ProviderField),
}

impl Setting {
    /// The fields that most rows leave out.
    pub(super) const DEFAULTS: Setting = Setting {
        key: "",
        value_name: "",
        default: "",
        repeatable: false,
        about: Cow::Borrowed(""),
        short: "",
        example: "",
        secret: false,
        allowed_in_found_file: false,
        shared_variable: None,
        shared_must_parse: false,
        apply: Apply::Field(|_, _| Ok(())),
    };

    /// Stores the values, of which there is at least one, or returns what was expected instead.
    pub fn apply(&self, settings: &mut Settings, values: &[String]) -> Result<(), &'static str> {
        match self.apply {
            Apply::Field(apply) => apply(settings, values),
            Apply::Provider(spec, field) => apply_provider_setting(settings, spec, field, values),
        }
    }

    pub fn is_of_provider(&self) -> bool {
        matches!(self.apply, Apply::Provider(..))
    }

    /// The environment variable of this setting.
    pub fn variable(&self) -> String {
        variable(self.key)
    }

    /// Variables without our prefix that are read, in this order, when [`Setting::variable`] is not
    /// set. The keys of providers have one that follows from their name: `BRAVE_API_KEY`.
    pub fn shared_variables(&self) -> Vec<String> {
        let own = self.shared_variable.map(str::to_owned);
        let Apply::Provider(spec, _) = self.apply else {
            return own.into_iter().collect();
        };
        let short = self.secret.then(|| self.variable().replacen(PREFIX, "", 1));
        let others = spec.other_variables.iter();
        let others = others.filter(|(_, setting)| *setting == self.key);
        let others = others.map(|(variable, _)| (*variable).to_owned());
        own.into_iter().chain(short).chain(others).collect()
    }

    /// Whether it is true or false, so that the flag may be given without a value.
    pub fn is_switch(&self) -> bool {
        self.value_name == SWITCH
    }
}

/// `max-concurrent` → `FINGERPOST_MAX_CONCURRENT`.
pub fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.to_uppercase().replace('-', "_"))
}
