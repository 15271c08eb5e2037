//! One step of a session, as it is asked for and as it is stored, and what can be wrong with it.

use fault::{Fault, Issue};
use serde::{Deserialize, Serialize};

/// A step that a caller wants to take.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewStep {
    /// Its number, where the caller counts; `None` means the next one.
    pub number: Option<i64>,
    pub text: String,
    /// What is searched for in it.
    pub query: Option<String>,
    /// Why it is taken.
    pub reasoning: Option<String>,
    /// How sure the caller is of what is known so far, from 0 to 1.
    pub confidence: Option<f64>,
    /// The number of the step that it revises.
    pub revises: Option<i64>,
    /// The number of the step that its branch starts from.
    pub branch_from: Option<i64>,
    /// The name of its branch.
    pub branch: Option<String>,
    /// Gaps that it opens: what was found to be unknown.
    pub opens: Vec<String>,
    /// Gaps that it closes: the ids or the texts of open ones.
    pub closes: Vec<String>,
    /// Approaches that were tried or considered and rejected.
    pub rejects: Vec<String>,
    /// What is known so far. Replaces the earlier summary.
    pub summary: Option<String>,
    /// Whether it completes the session.
    pub completes: bool,
}

/// A step that was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    pub number: u32,
    /// When it was taken, in milliseconds since 1970.
    pub at: u64,
    pub text: String,
    /// What was searched for in it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub query: Option<String>,
    /// Why it was taken.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reasoning: Option<String>,
    /// How sure the caller was, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<f64>,
    /// The number of the step that it revises.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revises: Option<u32>,
    /// The number of the step that its branch starts from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch_from: Option<u32>,
    /// The name of its branch.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<String>,
    /// The ids of the gaps that it opened.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub opened: Vec<String>,
    /// The ids of the gaps that it closed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub closed: Vec<String>,
    /// Approaches that it rejected.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub rejected: Vec<String>,
}

/// A field of [`NewStep`] that a session can refuse. What a caller knows it by is the caller's
/// business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepField {
    Number,
    Text,
    Query,
    Reasoning,
    Revises,
    BranchFrom,
    Opens,
    Closes,
    Rejects,
    Summary,
}

/// One mistake in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepProblem {
    pub field: StepField,
    pub issue: Issue,
}

/// Why a step was not taken.
#[derive(Debug)]
pub enum StepError {
    /// It does not fit the session, which stays as it was.
    Invalid {
        /// Every mistake.
        problems: Vec<StepProblem>,
        /// The number of the session's last step; 0 when it has none.
        last_step: u32,
    },
    /// The session is not there, or its store failed.
    Fault(Fault),
}

impl From<Fault> for StepError {
    fn from(fault: Fault) -> StepError {
        StepError::Fault(fault)
    }
}
