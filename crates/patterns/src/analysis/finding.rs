//! What an analysis finds.

use std::ops::Range;

use serde::Serialize;
use serde_json::{Value, json};

use super::config::Level;
use super::rules::{FixLabel, Rule};

/// How much a finding matters. Errors come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Error,
    Warning,
}

impl Severity {
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// How certain a rule is. High comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    High,
    Medium,
    Low,
}

impl Confidence {
    pub const fn as_str(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        }
    }
}

/// A place in a text: both numbers begin at 1, columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// Where the lines of a text begin.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    text: &'t str,
    begins: Vec<usize>,
    /// How many characters begin before each [`BLOCK`] of bytes, so that a column in a long line
    /// costs no more than one in a short line.
    characters: Vec<usize>,
}

const BLOCK: usize = 256;

fn begins_character(byte: &u8) -> bool {
    *byte & 0b1100_0000 != 0b1000_0000
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Lines<'t> {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let mut characters = vec![0];
        for block in text.as_bytes().chunks(BLOCK) {
            let before = characters.last().copied().unwrap_or_default();
            characters.push(before + block.iter().filter(|byte| begins_character(byte)).count());
        }
        Lines {
            text,
            begins: std::iter::once(0).chain(breaks).collect(),
            characters,
        }
    }

    /// How many characters begin before a byte.
    fn characters_before(&self, byte: usize) -> usize {
        let block = byte / BLOCK;
        let rest = self.text.as_bytes().get(block * BLOCK..byte);
        let rest = rest.unwrap_or_default().iter();
        self.characters.get(block).copied().unwrap_or_default()
            + rest.filter(|byte| begins_character(byte)).count()
    }

    pub(super) fn position(&self, byte: usize) -> Position {
        let line = self.begins.partition_point(|begin| *begin <= byte);
        let begin = self
            .begins
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(0);
        Position {
            line,
            column: self.characters_before(byte) - self.characters_before(begin) + 1,
        }
    }
}

/// A replacement of part of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub bytes: Range<usize>,
    pub text: String,
}

/// One violation of a rule.
#[derive(Debug, Clone)]
pub struct Finding {
    pub rule: &'static Rule,
    pub file: String,
    pub severity: Severity,
    pub start: Position,
    pub end: Position,
    /// Changes that remove the violation and nothing else; empty when there are none.
    pub edits: Vec<Edit>,
}

impl Finding {
    /// Unique among the findings of all files.
    pub fn id(&self) -> String {
        let (rule, file) = (self.rule.id, &self.file);
        format!("{rule}:{file}:{}:{}", self.start.line, self.start.column)
    }

    /// What a fix of this finding takes. A rule with a codemod has places that it cannot change.
    pub fn fix_label(&self) -> FixLabel {
        match (self.rule.fix, self.edits.is_empty()) {
            (FixLabel::SafeCodemod, true) => FixLabel::Assisted,
            (label, _) => label,
        }
    }

    pub fn to_json(&self) -> Value {
        let mut fix = json!({
            "label": self.fix_label().as_str(),
            "description": self.rule.advice,
        });
        if !self.edits.is_empty() {
            let edits = self.edits.iter().map(|edit| {
                json!({ "startByte": edit.bytes.start, "endByte": edit.bytes.end, "newText": edit.text })
            });
            fix["edits"] = edits.collect();
        }
        json!({
            "id": self.id(),
            "ruleId": self.rule.id,
            "title": self.rule.title,
            "severity": self.severity.as_str(),
            "confidence": self.rule.confidence.as_str(),
            "range": { "start": self.start, "end": self.end },
            "patternId": self.rule.pattern,
            "fix": fix,
        })
    }

    /// The order of a review: what matters most and is most certain comes first.
    pub fn rank(&self) -> (Severity, Confidence, Position, &'static str) {
        (
            self.severity,
            self.rule.confidence,
            self.start,
            self.rule.id,
        )
    }
}

/// Something about the source or its comments that is not a violation of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Diagnostic {
    pub kind: DiagnosticKind,
    pub at: Position,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiagnosticKind {
    SyntaxError,
    TestFile,
    SuppressionWithoutReason,
    SuppressionOfUnknownRule,
    UnusedSuppression,
}

impl DiagnosticKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            DiagnosticKind::SyntaxError => "syntax-error",
            DiagnosticKind::TestFile => "test-file",
            DiagnosticKind::SuppressionWithoutReason => "suppression-without-reason",
            DiagnosticKind::SuppressionOfUnknownRule => "suppression-of-unknown-rule",
            DiagnosticKind::UnusedSuppression => "unused-suppression",
        }
    }

    pub const fn message(self) -> &'static str {
        match self {
            DiagnosticKind::SyntaxError => {
                "The source does not parse here; rules may miss what is near it."
            }
            DiagnosticKind::TestFile => {
                "The file name says that this is test code, to which the rules do not apply."
            }
            DiagnosticKind::SuppressionWithoutReason => {
                "A suppression needs a reason after a colon: fingerpost-ignore rule-id: reason."
            }
            DiagnosticKind::SuppressionOfUnknownRule => {
                "This suppression names a rule that does not exist."
            }
            DiagnosticKind::UnusedSuppression => "This suppression suppresses no finding.",
        }
    }
}

impl Diagnostic {
    pub fn to_json(&self) -> Value {
        json!({ "kind": self.kind.as_str(), "message": self.kind.message(), "at": self.at })
    }
}

/// The text with all edits made. Edits that overlap an earlier one are left out.
pub fn apply_edits(text: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.bytes.start, edit.bytes.end));
    let (mut result, mut done) = (String::with_capacity(text.len()), 0);
    for edit in sorted {
        if edit.bytes.start < done {
            continue;
        }
        result.push_str(text.get(done..edit.bytes.start).unwrap_or_default());
        result.push_str(&edit.text);
        done = edit.bytes.end;
    }
    result.push_str(text.get(done..).unwrap_or_default());
    result
}

impl Level {
    pub(super) fn severity(self) -> Option<Severity> {
        match self {
            Level::Off => None,
            Level::Warn => Some(Severity::Warning),
            Level::Error => Some(Severity::Error),
        }
    }
}
