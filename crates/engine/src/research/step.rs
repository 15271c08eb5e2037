//! A step of a session, as it is requested and as it is stored, and what can be wrong with it.

use fault::{Fault, Issue};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Session, iso_time};

/// A step that a caller wants to take.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewStep {
    /// Its number, if the caller counts; `None` means the next one.
    pub number: Option<i64>,
    pub text: String,
    /// The search query of the step.
    pub query: Option<String>,
    /// Why the step is taken.
    pub reasoning: Option<String>,
    /// The caller's confidence in what is known so far, from 0 to 1.
    pub confidence: Option<f64>,
    /// The number of the step that this one revises.
    pub revises: Option<i64>,
    /// The number of the step that its branch starts from.
    pub branch_from: Option<i64>,
    pub branch: Option<String>,
    /// The texts of the gaps that it opens.
    pub opens: Vec<String>,
    /// The gaps that it closes, by the id or the text of open ones.
    pub closes: Vec<String>,
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
    #[serde(default)]
    pub status: StepStatus,
    /// When it was taken, in milliseconds since 1970.
    #[serde(with = "iso_time")]
    pub at: u64,
    pub text: String,
    /// The search query of the step.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub query: Option<String>,
    /// Why the step was taken.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reasoning: Option<String>,
    /// The caller's confidence, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<f64>,
    /// The number of the step that this one revises.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revises: Option<u32>,
    /// The number of the step that its branch starts from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch_from: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<String>,
    /// The ids of the gaps that it opened.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub opened: Vec<String>,
    /// The ids of the gaps that it closed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub closed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub rejected: Vec<String>,
    /// The id under which the results of its search are stored.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub response_id: Option<String>,
    /// The fault of its search, in the caller's form.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<Value>,
}

/// How the search of a step ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// It succeeded, or there was nothing to search for.
    #[default]
    Done,
    /// It failed. The same step repeats it.
    Failed,
    /// It has not ended, or it was cut off. The same step repeats it.
    Unanswered,
}

impl StepStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            StepStatus::Done => "done",
            StepStatus::Failed => "failed",
            StepStatus::Unanswered => "unanswered",
        }
    }
}

/// The outcome of a step's search. It is recorded after the step, which is stored before its search
/// begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepSearch {
    /// The number of the step.
    pub step: u32,
    /// The id under which the results are stored.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub response_id: Option<String>,
    /// The fault, in the caller's form; `None` when the search succeeded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<Value>,
}

impl Step {
    /// The step with the outcome of its search.
    #[must_use]
    pub fn with_search(self, search: &StepSearch) -> Step {
        Step {
            status: match search.error {
                Some(_) => StepStatus::Failed,
                None => StepStatus::Done,
            },
            response_id: search.response_id.clone(),
            error: search.error.clone(),
            ..self
        }
    }
}

/// A step that was taken, and what that did to its session.
#[derive(Debug, Clone, PartialEq)]
pub struct TakenStep {
    pub step: Step,
    pub session: Session,
    /// How often the search of this step failed before.
    pub failures: u32,
    /// Whether the step existed already and its search is to be repeated.
    pub is_repeat: bool,
    /// Whether the session was complete before this step.
    pub reopened: bool,
}

/// A field of [`NewStep`] that a session can refuse. The caller maps it to its own parameter name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepField {
    Number,
    Text,
    Query,
    Reasoning,
    Revises,
    BranchFrom,
    Branch,
    Opens,
    Closes,
    Rejects,
    Summary,
}

/// One invalid field of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepProblem {
    pub field: StepField,
    pub issue: Issue,
}

/// Why a step was not taken.
#[derive(Debug)]
pub enum StepError {
    /// The step does not fit the session, which is unchanged.
    Invalid {
        problems: Vec<StepProblem>,
        /// The number of the session's last step; 0 when it has none.
        last_step: u32,
    },
    /// The session does not exist, or its store failed.
    Fault(Fault),
}

impl From<Fault> for StepError {
    fn from(fault: Fault) -> StepError {
        StepError::Fault(fault)
    }
}
