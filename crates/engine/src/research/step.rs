//! One step of a session, as it is asked for and as it is kept.

use fault::FieldName;
use serde::{Deserialize, Serialize};

/// The parameter that numbers a step.
pub const STEP_NUMBER: FieldName = FieldName::new("stepNumber");
/// The parameter that names the step which is revised.
pub const REVISES: FieldName = FieldName::new("revisesStep");
/// The parameter that names the step from which a branch goes off.
pub const BRANCH_FROM: FieldName = FieldName::new("branchFromStep");
/// The parameter with knowledge gaps that were found.
pub const OPENS: FieldName = FieldName::new("knowledgeGaps");
/// The parameter with knowledge gaps that were closed.
pub const CLOSES: FieldName = FieldName::new("closedGaps");

/// A step that somebody wants to take.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewStep {
    /// Its number, where the caller counts.
    pub number: Option<i64>,
    /// What it is.
    pub text: String,
    /// What is searched for in it.
    pub query: Option<String>,
    /// Why it is taken.
    pub reasoning: Option<String>,
    /// How sure the caller is of what is known so far, from 0 to 1.
    pub confidence: Option<f64>,
    /// The step that it revises.
    pub revises: Option<i64>,
    /// The step from which its branch goes off.
    pub branch_from: Option<i64>,
    /// The branch's name.
    pub branch: Option<String>,
    /// What was found to be unknown.
    pub opens: Vec<String>,
    /// What is known now: the ids or the words of open gaps.
    pub closes: Vec<String>,
    /// Ways that were tried or considered and given up.
    pub rejects: Vec<String>,
    /// What is known so far, in place of the summary that was there.
    pub summary: Option<String>,
    /// Whether the session is done with it.
    pub completes: bool,
}

/// A step that was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Its number.
    pub number: u32,
    /// When it was taken, in milliseconds since 1970.
    pub at: u64,
    /// What it is.
    pub text: String,
    /// What was searched for in it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub query: Option<String>,
    /// Why it was taken.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reasoning: Option<String>,
    /// How sure the caller was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<f64>,
    /// The step that it revises.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revises: Option<u32>,
    /// The step from which its branch goes off.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch_from: Option<u32>,
    /// The branch's name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<String>,
    /// The ids of gaps that it opened.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub opened: Vec<String>,
    /// The ids of gaps that it closed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub closed: Vec<String>,
    /// Ways that it gave up.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub rejected: Vec<String>,
}
