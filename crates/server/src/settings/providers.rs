//! The settings of search providers, made from their specs: an address, a key, a time limit, and
//! what only one of them has.

use std::borrow::Cow;

use engine::search::{ExtraSetting, KeyRequirement, ProviderSpec, providers};

use super::Settings;
use super::parse::{endpoint, one, seconds, secret};
use super::row::{Apply, Setting};

/// Which of a provider's settings a row sets.
#[derive(Debug, Clone, Copy)]
pub enum ProviderField {
    Url,
    Key,
    Timeout,
    Extra(&'static ExtraSetting),
}

/// The rows of every provider, in the order of the providers.
pub(super) fn rows() -> Vec<Setting> {
    providers()
        .iter()
        .flat_map(|provider| provider_rows(provider.spec()))
        .collect()
}

/// Whether the extra setting of this name is a secret. An address or the id of a search engine is
/// none, and may be a word that our own sentences contain.
pub(super) fn is_secret_extra(name: &str) -> bool {
    providers().iter().any(|provider| {
        let mut extras = provider.spec().extras.iter();
        extras.any(|extra| extra.secret && extra.name.as_str() == name)
    })
}

fn provider_rows(spec: &'static ProviderSpec) -> Vec<Setting> {
    let mut rows = vec![url_row(spec)];
    if spec.key != KeyRequirement::None {
        rows.push(key_row(spec));
    }
    rows.push(timeout_row(spec));
    rows.extend(spec.extras.iter().map(|extra| extra_row(spec, extra)));
    rows
}

fn url_row(spec: &'static ProviderSpec) -> Setting {
    let about = format!("Base URL of {} ({})", spec.id.title(), spec.tier.as_str());
    Setting {
        key: spec.settings.url.as_str(),
        value_name: "URL",
        default: spec.base.unwrap_or(""),
        about: Cow::Owned(about),
        example: spec.base.unwrap_or("http://127.0.0.1:8888"),
        apply: Apply::Provider(spec, ProviderField::Url),
        ..Setting::DEFAULTS
    }
}

fn key_row(spec: &'static ProviderSpec) -> Setting {
    let need = if spec.key == KeyRequirement::Needed {
        "needed to use it"
    } else {
        "raises its limits"
    };
    Setting {
        key: spec.settings.key.as_str(),
        value_name: "KEY",
        about: Cow::Owned(format!("{}'s key: {need}", spec.id.title())),
        example: "KEY",
        secret: true,
        apply: Apply::Provider(spec, ProviderField::Key),
        ..Setting::DEFAULTS
    }
}

fn timeout_row(spec: &'static ProviderSpec) -> Setting {
    let name = spec.id.title();
    Setting {
        key: spec.settings.timeout.as_str(),
        value_name: "SECONDS",
        about: Cow::Owned(format!("Longest time one request to {name} may take")),
        example: "10",
        apply: Apply::Provider(spec, ProviderField::Timeout),
        ..Setting::DEFAULTS
    }
}

fn extra_row(spec: &'static ProviderSpec, extra: &'static ExtraSetting) -> Setting {
    Setting {
        key: extra.name.as_str(),
        value_name: if extra.secret { "KEY" } else { "TEXT" },
        about: Cow::Borrowed(extra.about.trim_end_matches('.')),
        example: extra.example,
        secret: extra.secret,
        apply: Apply::Provider(spec, ProviderField::Extra(extra)),
        ..Setting::DEFAULTS
    }
}

/// Stores the value of a provider's setting.
pub(super) fn apply_provider_setting(
    settings: &mut Settings,
    spec: &'static ProviderSpec,
    field: ProviderField,
    values: &[String],
) -> Result<(), &'static str> {
    let own = settings.providers.entry(spec.id()).or_default();
    match field {
        // The spec has the default; storing it would make it look like the operator's choice.
        ProviderField::Url if Some(one(values)) == spec.base => {}
        ProviderField::Url => own.url = Some(endpoint(values)?),
        ProviderField::Key => own.key = Some(secret(values)?),
        ProviderField::Timeout => {
            let timeout = seconds(values, 120).ok_or("a whole number of seconds from 1 to 120")?;
            own.timeout = Some(timeout);
        }
        ProviderField::Extra(extra) => {
            let value = secret(values)?;
            own.extras.retain(|(name, _)| name != extra.name.as_str());
            own.extras.push((extra.name.as_str().to_owned(), value));
        }
    }
    Ok(())
}
