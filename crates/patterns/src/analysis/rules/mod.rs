//! The rules, as one table in families.
//!
//! A rule is a row: what it finds, how much that matters, how certain it is, the pattern that
//! explains it, what a fix takes, and a detector for each language that it claims. Its languages
//! follow from its detectors, and there is always at least one: a rule that detects nothing cannot
//! be written down. To add one, add a row to its family's file and fixtures in `fixtures/<rule>/`.

mod addresses;
mod answers;
mod batches;
mod causes;
mod certificates;
mod classification;
mod common;
mod measured;
mod observability;
mod panics;
mod protocol;
mod retries;
mod secret_names;
mod secrets;
mod swallowed;
mod timeouts;
mod trust;
mod validation;

use std::ops::Range;

use serde_json::{Value, json};
use tree_sitter::Node;

use super::finding::{Confidence, Edit, Severity};
use super::language::Language;
use super::unit::Unit;
pub use measured::Measured;

/// Every family, in the order lists show them.
static FAMILIES: &[&[Rule]] = &[
    swallowed::RULES,
    answers::RULES,
    classification::RULES,
    causes::RULES,
    protocol::RULES,
    trust::RULES,
    panics::RULES,
    timeouts::RULES,
    retries::RULES,
    batches::RULES,
    secrets::RULES,
    certificates::RULES,
    addresses::RULES,
    validation::RULES,
    observability::RULES,
];

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

#[derive(Debug)]
pub struct Rule {
    pub id: &'static str,
    /// What the code does, as a short statement.
    pub title: &'static str,
    pub severity: Severity,
    pub confidence: Confidence,
    /// The pattern of the library that explains it.
    pub pattern: &'static str,
    pub fix: FixLabel,
    /// What to do instead.
    pub advice: &'static str,
    pub detectors: Detectors,
}

/// What a fix takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixLabel {
    /// The finding has edits that can be made without reading the code.
    SafeCodemod,
    /// The advice says what to write; somebody has to choose a value or a place.
    Assisted,
    /// It takes a decision about the design.
    Manual,
}

impl FixLabel {
    pub const fn as_str(self) -> &'static str {
        match self {
            FixLabel::SafeCodemod => "safe codemod",
            FixLabel::Assisted => "assisted",
            FixLabel::Manual => "manual",
        }
    }
}

/// Looks at a source and reports what violates a rule.
type Detect = for<'u, 't> fn(&'u Unit<'t>, &mut Report);

/// The detectors of a rule: one for several languages, or one for each. There is always one.
#[derive(Debug)]
pub struct Detectors {
    first: (Language, Detector),
    others: &'static [(Language, Detector)],
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Detector(Detect);

impl Detector {
    pub(super) fn run(self, unit: &Unit<'_>, report: &mut Report) {
        (self.0)(unit, report);
    }
}

impl Detectors {
    const fn new(
        first: (Language, Detector),
        others: &'static [(Language, Detector)],
    ) -> Detectors {
        Detectors { first, others }
    }

    pub(super) fn of(&self, language: Language) -> Option<Detector> {
        self.each()
            .find(|(its, _)| *its == language)
            .map(|(_, detector)| detector)
    }

    fn each(&self) -> impl Iterator<Item = (Language, Detector)> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}

impl Rule {
    /// The languages that it detects something in.
    pub fn languages(&self) -> impl Iterator<Item = Language> {
        self.detectors.each().map(|(language, _)| language)
    }

    /// How often it was right on code that nobody had looked at before.
    pub fn measured(&self) -> Measured {
        measured::of(self.id)
    }

    /// Whether it looks at code that no level is set for.
    pub fn is_on(&self) -> bool {
        !self.measured().is_too_often_wrong()
    }

    pub fn to_json(&self) -> Value {
        let languages: Vec<&str> = self.languages().map(Language::as_str).collect();
        json!({
            "id": self.id,
            "title": self.title,
            "severity": self.severity.as_str(),
            "confidence": self.confidence.as_str(),
            "languages": languages,
            "patternId": self.pattern,
            "fix": self.fix.as_str(),
            "advice": self.advice,
            "on": self.is_on(),
            "measured": { "read": self.measured().read, "right": self.measured().right },
        })
    }
}

/// What a detector found.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) hits: Vec<Hit>,
}

#[derive(Debug)]
pub(super) struct Hit {
    pub(super) bytes: Range<usize>,
    pub(super) edits: Vec<Edit>,
}

impl Report {
    fn at(&mut self, node: Node<'_>) {
        self.with_edits(node, Vec::new());
    }

    fn with_edits(&mut self, node: Node<'_>, edits: Vec<Edit>) {
        self.hits.push(Hit {
            bytes: node.byte_range(),
            edits,
        });
    }
}

/// An edit that inserts text.
fn insert(at: usize, text: impl Into<String>) -> Edit {
    Edit {
        bytes: at..at,
        text: text.into(),
    }
}

/// The detectors of a rule: languages and the function for each.
macro_rules! detectors {
    ($first:ident: $detect:expr $(, $other:ident: $other_detect:expr)* $(,)?) => {
        $crate::analysis::rules::Detectors::new(
            ($crate::analysis::Language::$first, $crate::analysis::rules::Detector($detect)),
            &[$(($crate::analysis::Language::$other, $crate::analysis::rules::Detector($other_detect))),*],
        )
    };
}
use detectors;

/// Rows of a family. Each names its fields once.
macro_rules! rules {
    ($($id:literal: $title:literal, $severity:ident, $confidence:ident, $fix:ident,
       see $pattern:literal, $advice:literal, { $($detectors:tt)* })*) => {
        pub(super) const RULES: &[$crate::analysis::rules::Rule] = &[$(
            $crate::analysis::rules::Rule {
                id: $id,
                title: $title,
                severity: $crate::analysis::Severity::$severity,
                confidence: $crate::analysis::Confidence::$confidence,
                pattern: $pattern,
                fix: $crate::analysis::rules::FixLabel::$fix,
                advice: $advice,
                detectors: $crate::analysis::rules::detectors!($($detectors)*),
            }
        ),*];
    };
}
use rules;
