//! The bounded summary of a session, which is known without reading its logs, and how a step
//! changes it.
//!
//! Its size is bounded because it is rewritten with every step.

use fault::{Issue, Say, Word};
use serde::{Deserialize, Serialize};

use super::step::{NewStep, Step, StepError, StepField, StepProblem, StepStatus};
use super::{Limits, iso_time, unix_millis};

/// How many rejected approaches the digest keeps; the steps keep them all.
const MOST_REJECTED: usize = 50;
/// How many closed gaps the digest keeps.
const MOST_CLOSED: usize = 50;
/// The longest text of a gap, a rejected approach or a branch name, in characters.
const LONGEST_NOTE: usize = 500;

/// An open or closed question of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// Unique within the session.
    pub id: String,
    pub text: String,
    /// The number of the step that found it.
    pub opened_at: u32,
    /// The number of the step that closed it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub closed_at: Option<u32>,
}

/// A line of research that starts from an earlier step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    pub name: String,
    /// The number of the step that it starts from.
    pub from: u32,
    /// The number of its first step.
    pub first: u32,
}

/// An approach that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RejectedApproach {
    pub text: String,
    /// The number of the step that rejected it.
    pub step: u32,
}

/// The last step, while its search has not succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UnansweredStep {
    pub(super) number: u32,
    /// How often its search failed.
    pub(super) failures: u32,
}

/// The state of a session without its logs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Digest {
    /// What the session is for.
    pub goal: String,
    /// When it started, in milliseconds since 1970.
    #[serde(with = "iso_time")]
    pub created: u64,
    /// The number of steps, which is the number of the last one.
    pub steps: u32,
    /// The characters of all steps.
    #[serde(default)]
    step_characters: u64,
    /// The caller's last confidence, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<f64>,
    /// What is known so far.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub summary: Option<String>,
    /// When it was completed. A later step opens it again.
    #[serde(
        with = "iso_time::option",
        skip_serializing_if = "Option::is_none",
        default
    )]
    pub completed: Option<u64>,
    #[serde(default)]
    pub gaps: Vec<Gap>,
    /// How many gaps were ever opened, closed and dropped ones included.
    #[serde(default)]
    gap_count: u32,
    #[serde(default)]
    pub branches: Vec<Branch>,
    /// The most recently rejected approaches.
    #[serde(default)]
    pub rejected: Vec<RejectedApproach>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) unanswered: Option<UnansweredStep>,
}

impl Digest {
    pub(super) fn new(goal: &str, now: u64) -> Digest {
        Digest {
            goal: goal.to_owned(),
            created: now,
            steps: 0,
            step_characters: 0,
            confidence: None,
            summary: None,
            completed: None,
            gaps: Vec::new(),
            gap_count: 0,
            branches: Vec::new(),
            rejected: Vec::new(),
            unanswered: None,
        }
    }

    pub fn open_gaps(&self) -> impl Iterator<Item = &Gap> {
        self.gaps.iter().filter(|gap| gap.closed_at.is_none())
    }

    /// Applies a step, or returns all its problems and leaves the digest unchanged.
    pub(super) fn apply(&mut self, new: &NewStep, limits: &Limits) -> Result<Step, StepError> {
        let problems = self.problems(new, limits);
        if !problems.is_empty() {
            return Err(StepError::Invalid {
                problems,
                last_step: self.steps,
            });
        }
        let number = self.steps + 1;
        let branch_from = self.origin(new);
        let step = Step {
            number,
            status: match new.query {
                Some(_) => StepStatus::Unanswered,
                None => StepStatus::Done,
            },
            at: unix_millis(),
            text: new.text.clone(),
            query: new.query.clone(),
            reasoning: new.reasoning.clone(),
            confidence: new.confidence,
            revises: step_number(new.revises),
            branch_from,
            branch: self.branch(new, branch_from, number),
            closed: self.close(&new.closes, number),
            opened: self.open(&new.opens, number),
            rejected: new.rejects.clone(),
            response_id: None,
            error: None,
        };
        self.unanswered = new.query.is_some().then_some(UnansweredStep {
            number,
            failures: 0,
        });
        self.reject(&new.rejects, number);
        self.confidence = new.confidence.or(self.confidence);
        self.summary = new.summary.clone().or_else(|| self.summary.take());
        self.completed = new.completes.then_some(step.at);
        self.steps = number;
        self.step_characters += characters_of(new);
        Ok(step)
    }

    /// Ends the session without a step, with the confidence and the summary of `last`.
    pub(super) fn end(&mut self, last: &NewStep, limits: &Limits) -> Result<(), StepError> {
        let problems: Vec<StepProblem> = text_problems(last, limits).collect();
        if !problems.is_empty() {
            return Err(StepError::Invalid {
                problems,
                last_step: self.steps,
            });
        }
        self.confidence = last.confidence.or(self.confidence);
        self.summary = last.summary.clone().or_else(|| self.summary.take());
        self.completed = self.completed.or_else(|| Some(unix_millis()));
        Ok(())
    }

    /// Whether `new` asks for `step` again, which must be the last one. Its search can then be
    /// repeated without a second step; nothing that the caller says is lost.
    pub(super) fn is_repeat(&self, step: &Step, new: &NewStep) -> bool {
        let opened = self.gaps.iter().filter(|gap| gap.opened_at == step.number);
        let is_closed_here = |name: &String| {
            let mut closed = self.gaps.iter();
            closed.any(|gap| gap.closed_at == Some(step.number) && is_called(gap, name))
        };
        new.number
            .is_none_or(|number| number == i64::from(step.number))
            && (&new.text, &new.query, &new.reasoning) == (&step.text, &step.query, &step.reasoning)
            && new.confidence == step.confidence
            && step_number(new.revises) == step.revises
            && (new.branch_from.is_none() || step_number(new.branch_from) == step.branch_from)
            && (new.branch.is_none() || new.branch.as_deref().map(shortened) == step.branch)
            && new.rejects == step.rejected
            && (new.summary.is_none() || new.summary == self.summary)
            && new.completes == self.completed.is_some()
            && opened
                .map(|gap| gap.text.clone())
                .eq(new.opens.iter().map(|text| shortened(text)))
            && new.closes.iter().all(is_closed_here)
    }

    /// Notes how the search of a step ended. A later step has its own search.
    pub(super) fn note_search(&mut self, number: u32, failed: bool) {
        let Some(unanswered) = self.unanswered.filter(|step| step.number == number) else {
            return;
        };
        self.unanswered = failed.then_some(UnansweredStep {
            failures: unanswered.failures.saturating_add(1),
            ..unanswered
        });
    }

    fn problems(&self, new: &NewStep, limits: &Limits) -> Vec<StepProblem> {
        let mut problems = Vec::new();
        problems.extend(blank_problem(new));
        problems.extend(self.number_problem(new, limits));
        problems.extend(self.room_problem(new, limits));
        problems.extend(self.reference_problems(new));
        problems.extend(self.gap_problems(new, limits));
        problems.extend(self.branch_problem(new, limits));
        problems.extend(text_problems(new, limits));
        problems
    }

    /// Checks that the number is the next one and within the limit of steps.
    fn number_problem(&self, new: &NewStep, limits: &Limits) -> Option<StepProblem> {
        let next = u64::from(self.steps) + 1;
        let issue = if new
            .number
            .is_some_and(|number| u64::try_from(number) != Ok(next))
        {
            Issue::NotNext { expected: next }
        } else if self.steps >= limits.steps {
            Issue::OutOfRange {
                min: 1,
                max: i64::from(limits.steps),
            }
        } else {
            return None;
        };
        Some(StepProblem {
            field: StepField::Number,
            issue,
        })
    }

    /// Checks that the session has room for the texts of the step.
    fn room_problem(&self, new: &NewStep, limits: &Limits) -> Option<StepProblem> {
        let is_full = self.step_characters + characters_of(new) > limits.session_characters;
        is_full.then(|| StepProblem {
            field: StepField::Text,
            issue: Issue::Says(Say::new(
                "does not fit into this session, whose steps have as much text as one session keeps; go on in a new session, with a goal that says what is known",
            )),
        })
    }

    /// Checks that revisions and branches name an earlier step.
    fn reference_problems(&self, new: &NewStep) -> impl Iterator<Item = StepProblem> {
        let last = i64::from(self.steps);
        let references = [
            (StepField::Revises, new.revises),
            (StepField::BranchFrom, new.branch_from),
        ];
        references
            .into_iter()
            .filter(move |(_, number)| number.is_some_and(|number| !(1..=last).contains(&number)))
            .map(move |(field, _)| StepProblem {
                field,
                issue: not_an_earlier_step(last),
            })
    }

    fn gap_problems(&self, new: &NewStep, limits: &Limits) -> Vec<StepProblem> {
        let mut problems = Vec::new();
        if self.open_gaps().count() + new.opens.len() > limits.gaps {
            problems.push(too_many(StepField::Opens, limits.gaps));
        }
        let is_open = |name: &String| self.open_gaps().any(|gap| is_called(gap, name));
        if !new.closes.iter().all(is_open) {
            problems.push(StepProblem {
                field: StepField::Closes,
                issue: self.not_an_open_gap(),
            });
        }
        problems
    }

    /// Lists the ids of the open gaps.
    fn not_an_open_gap(&self) -> Issue {
        let allowed: Vec<Word> = self
            .open_gaps()
            .filter_map(|gap| Word::parse(&gap.id))
            .collect();
        if allowed.is_empty() {
            return Issue::Says(Say::new(
                "must name open gaps, and none is open; leave it out",
            ));
        }
        Issue::NotAmong {
            allowed,
            nearest: None,
        }
    }

    /// Checks that a new branch has a step to start from, and that there are not too many.
    fn branch_problem(&self, new: &NewStep, limits: &Limits) -> Option<StepProblem> {
        if !self.is_new_branch(new) {
            return None;
        }
        if self.steps == 0 && new.branch_from.is_none() {
            return Some(StepProblem {
                field: StepField::Branch,
                issue: Issue::Says(Say::new(
                    "must start from an earlier step, and this is the first; leave it out",
                )),
            });
        }
        (self.branches.len() >= limits.gaps).then(|| too_many(StepField::Branch, limits.gaps))
    }

    /// Whether the step starts a branch: it names one that does not exist, or only its origin.
    fn is_new_branch(&self, new: &NewStep) -> bool {
        match new.branch.as_deref().map(shortened) {
            Some(name) => !self.branches.iter().any(|branch| branch.name == name),
            None => new.branch_from.is_some(),
        }
    }

    /// The step that the branch of a step starts from. A new branch that does not say starts from
    /// the last step.
    fn origin(&self, new: &NewStep) -> Option<u32> {
        step_number(new.branch_from).or_else(|| self.is_new_branch(new).then_some(self.steps))
    }

    /// The name of the branch that the step is on. A new branch without a name gets one.
    fn branch(&mut self, new: &NewStep, from: Option<u32>, number: u32) -> Option<String> {
        let named = new.branch.as_deref().map(shortened);
        let Some(from) = from else {
            return named;
        };
        let name = named.unwrap_or_else(|| format!("branch-{}", self.branches.len() + 1));
        if !self.branches.iter().any(|branch| branch.name == name) {
            self.branches.push(Branch {
                name: name.clone(),
                from,
                first: number,
            });
        }
        Some(name)
    }

    /// Closes gaps and returns their ids.
    fn close(&mut self, names: &[String], number: u32) -> Vec<String> {
        let mut closed = Vec::new();
        for gap in self.gaps.iter_mut().filter(|gap| gap.closed_at.is_none()) {
            if names.iter().any(|name| is_called(gap, name)) {
                gap.closed_at = Some(number);
                closed.push(gap.id.clone());
            }
        }
        closed
    }

    /// Opens gaps and returns their ids. Drops the oldest closed ones to bound the size.
    fn open(&mut self, texts: &[String], number: u32) -> Vec<String> {
        let mut opened = Vec::new();
        for text in texts {
            self.gap_count += 1;
            let gap = Gap {
                id: format!("gap-{}", self.gap_count),
                text: shortened(text),
                opened_at: number,
                closed_at: None,
            };
            opened.push(gap.id.clone());
            self.gaps.push(gap);
        }
        let closed = self.gaps.iter().filter(|gap| gap.closed_at.is_some());
        let mut surplus = closed.count().saturating_sub(MOST_CLOSED);
        self.gaps.retain(|gap| {
            let is_dropped = surplus > 0 && gap.closed_at.is_some();
            surplus -= usize::from(is_dropped);
            !is_dropped
        });
        opened
    }

    fn reject(&mut self, texts: &[String], number: u32) {
        let rejected = texts.iter().map(|text| RejectedApproach {
            text: shortened(text),
            step: number,
        });
        self.rejected.extend(rejected);
        let surplus = self.rejected.len().saturating_sub(MOST_REJECTED);
        self.rejected.drain(..surplus);
    }
}

/// A step that says nothing is refused: nobody could tell later what it was.
fn characters_of(new: &NewStep) -> u64 {
    let texts = [Some(&new.text), new.query.as_ref(), new.reasoning.as_ref()];
    let texts = texts.into_iter().flatten().chain(&new.rejects);
    texts.map(|text| text.chars().count() as u64).sum()
}

fn blank_problem(new: &NewStep) -> Option<StepProblem> {
    let texts = [Some(&new.text), new.query.as_ref(), new.summary.as_ref()];
    let lists = [&new.opens, &new.closes, &new.rejects];
    let is_blank = texts
        .into_iter()
        .flatten()
        .chain(lists.into_iter().flatten())
        .all(|text| text.trim().is_empty());
    is_blank.then(|| StepProblem {
        field: StepField::Text,
        issue: Issue::Says(Say::new(
            "is required: say in words what this step does, or give a query",
        )),
    })
}

fn text_problems(new: &NewStep, limits: &Limits) -> impl Iterator<Item = StepProblem> {
    let max = limits.step_characters;
    let texts = [
        (StepField::Text, Some(&new.text)),
        (StepField::Query, new.query.as_ref()),
        (StepField::Reasoning, new.reasoning.as_ref()),
        (StepField::Summary, new.summary.as_ref()),
    ];
    let rejects = new
        .rejects
        .iter()
        .map(|text| (StepField::Rejects, Some(text)));
    texts
        .into_iter()
        .chain(rejects)
        .filter(move |(_, text)| text.is_some_and(|text| text.chars().count() > max))
        .map(move |(field, _)| StepProblem {
            field,
            issue: Issue::TooLong { max: max as u64 },
        })
}

fn too_many(field: StepField, max: usize) -> StepProblem {
    StepProblem {
        field,
        issue: Issue::TooMany { max: max as u64 },
    }
}

fn not_an_earlier_step(last: i64) -> Issue {
    match last {
        0 => Issue::Says(Say::new(
            "must name an earlier step, and this is the first; leave it out",
        )),
        1 => Issue::Says(Say::new("must be 1, the only earlier step")),
        max => Issue::OutOfRange { min: 1, max },
    }
}

/// The number was checked to be an earlier step, so it fits.
fn step_number(number: Option<i64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok())
}

fn is_called(gap: &Gap, name: &str) -> bool {
    gap.id == name.trim() || gap.text == shortened(name)
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(LONGEST_NOTE).collect()
}

#[cfg(test)]
mod tests;
