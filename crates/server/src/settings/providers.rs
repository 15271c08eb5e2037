//! The settings of search providers, made from their own specs: an address, a key, a time limit,
//! and what only one of them has.

use std::{borrow::Cow, time::Duration};

use engine::search::{Extra, Key, ProviderSpec, providers};

use super::values::{endpoint, one, secret, whole};
use super::{Setting, Settings};

/// Which of a provider's settings a row is.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    Url,
    Key,
    Timeout,
    Extra(&'static Extra),
}

/// The rows of every provider, in their order.
pub(super) fn rows() -> Vec<Setting> {
    providers()
        .iter()
        .flat_map(|provider| of(provider.spec()))
        .collect()
}

fn of(spec: &'static ProviderSpec) -> Vec<Setting> {
    let name = spec.id.title();
    let row = |key, value_name, default, about: String, example, part| Setting {
        key,
        value_name,
        default,
        repeatable: false,
        about: Cow::Owned(about),
        example,
        apply: super::Apply::Provider(spec, part),
    };
    let names = &spec.settings;
    let mut rows = vec![row(
        names.url.as_str(),
        "URL",
        spec.base.unwrap_or(""),
        format!("Where {name} is ({})", spec.tier.as_str()),
        spec.base.unwrap_or("http://127.0.0.1:8888"),
        Part::Url,
    )];
    if spec.key != Key::None {
        let need = if spec.key == Key::Needed {
            "needed to use it"
        } else {
            "raises its limits"
        };
        rows.push(row(
            names.key.as_str(),
            "KEY",
            "",
            format!("{name}'s key: {need}"),
            "KEY",
            Part::Key,
        ));
    }
    rows.push(row(
        names.timeout.as_str(),
        "SECONDS",
        "",
        format!("Longest time one request to {name} may take"),
        "10",
        Part::Timeout,
    ));
    for extra in spec.extras {
        let value_name = if extra.secret { "KEY" } else { "TEXT" };
        rows.push(row(
            extra.name.as_str(),
            value_name,
            "",
            extra.about.trim_end_matches('.').to_owned(),
            extra.example,
            Part::Extra(extra),
        ));
    }
    rows
}

/// Stores a value of a provider's setting.
pub(super) fn apply(
    settings: &mut Settings,
    spec: &'static ProviderSpec,
    part: Part,
    values: &[String],
) -> Result<(), &'static str> {
    let own = settings.providers.entry(spec.id()).or_default();
    match part {
        // The default is the spec's own: writing it here would make it look like the operator's
        // choice.
        Part::Url if Some(one(values)) == spec.base => {}
        Part::Url => own.url = Some(endpoint(one(values))?),
        Part::Key => own.key = Some(secret(values)?),
        Part::Timeout => {
            own.timeout = Some(Duration::from_secs(
                whole(values, 1, 120).ok_or("a whole number of seconds from 1 to 120")?,
            ))
        }
        Part::Extra(extra) => {
            let value = secret(values)?;
            own.extras.retain(|(name, _)| name != extra.name.as_str());
            own.extras.push((extra.name.as_str().to_owned(), value));
        }
    }
    Ok(())
}
