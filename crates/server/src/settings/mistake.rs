//! A setting that cannot work, described to the person who can change it.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use fault::Quoted;

use super::{Origin, Setting, Settings};

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Location {
    Flag,
    /// The variable of this name.
    Variable(String),
    File(PathBuf),
}

impl Location {
    /// The flag, the variable or the file.
    fn name(&self, row: &Setting) -> String {
        match self {
            Location::Flag => format!("--{}", row.key),
            Location::Variable(name) => name.clone(),
            Location::File(path) => path.display().to_string(),
        }
    }
}

/// One wrong setting or settings file.
#[derive(Debug, Clone)]
pub struct Mistake {
    location: Location,
    /// `None` when the file as a whole is wrong.
    row: Option<&'static Setting>,
    given: Option<Quoted>,
    problem: String,
}

impl Mistake {
    /// A settings file that cannot be used, or a key in it that does not exist.
    pub(super) fn in_file(path: &Path, problem: impl Into<String>) -> Mistake {
        Mistake {
            location: Location::File(path.to_path_buf()),
            row: None,
            given: None,
            problem: problem.into(),
        }
    }

    /// A value of the wrong type in a settings file.
    pub(super) fn wrong_type(row: &'static Setting, path: &Path) -> Mistake {
        let problem = if row.repeatable {
            "expected a string or a list of strings"
        } else {
            "expected one value"
        };
        Mistake {
            row: Some(row),
            ..Mistake::in_file(path, problem)
        }
    }

    fn subject(&self) -> String {
        match (&self.location, self.row) {
            (Location::File(path), Some(row)) => format!("{} in {}", row.key, path.display()),
            (Location::File(path), None) => path.display().to_string(),
            (location, Some(row)) => location.name(row),
            (Location::Flag | Location::Variable(_), None) => String::new(),
        }
    }

    /// A line that would work in the same place.
    fn example(&self) -> Option<String> {
        let row = self.row?;
        let (key, value) = (row.key, row.example);
        Some(match &self.location {
            Location::Flag if row.is_switch() => format!("--{key}={value}"),
            Location::Flag => format!("--{key} '{value}'"),
            Location::Variable(name) => format!("{name}='{value}'"),
            Location::File(_) if row.is_switch() => format!("{key} = {value}"),
            Location::File(_) => format!("{key} = \"{value}\""),
        })
    }
}

/// One line: where, what was given, what was expected, and an example.
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
                self.problem
            )?,
            None => write!(out, "{}.", self.problem)?,
        }
        match self.example() {
            Some(example) => write!(out, " Example: {example}"),
            None => Ok(()),
        }
    }
}

/// Stores the values of a setting, and where they come from.
pub(super) fn apply(
    row: &'static Setting,
    values: &[String],
    location: Location,
    settings: &mut Settings,
) -> Result<(), Mistake> {
    let origin = Origin {
        place: location.name(row),
        values: (!row.secret).then(|| values.to_vec()),
    };
    let applied = row.apply(settings, values).map_err(|expected| Mistake {
        location,
        row: Some(row),
        // The value of a secret is not shown, even when it is wrong.
        given: (!row.secret).then(|| Quoted::from_input(&values.join(","))),
        problem: if row.secret {
            format!("expected {expected}")
        } else {
            expected.to_owned()
        },
    });
    applied.map(|()| {
        settings.origins.insert(row.key, origin);
    })
}
