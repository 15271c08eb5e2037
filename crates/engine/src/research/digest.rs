//! The bounded summary of a session, which is known without reading its logs, and how a step
//! changes it.
//!
//! Its size is bounded because it is rewritten with every step.

use fault::{Issue, Say};
use serde::{Deserialize, Serialize};

use super::step::{NewStep, Step, StepError, StepField, StepProblem};
use super::{Limits, unix_millis};

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

/// The state of a session without its logs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Digest {
    /// What the session is for.
    pub goal: String,
    /// When it started, in milliseconds since 1970.
    pub created: u64,
    /// The number of steps, which is the number of the last one.
    pub steps: u32,
    /// The caller's last confidence, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<f64>,
    /// What is known so far.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub summary: Option<String>,
    /// When it was completed. A later step opens it again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
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
}

impl Digest {
    pub(super) fn new(goal: &str, now: u64) -> Digest {
        Digest {
            goal: goal.to_owned(),
            created: now,
            steps: 0,
            confidence: None,
            summary: None,
            completed: None,
            gaps: Vec::new(),
            gap_count: 0,
            branches: Vec::new(),
            rejected: Vec::new(),
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
        let step = Step {
            number,
            at: unix_millis(),
            text: new.text.clone(),
            query: new.query.clone(),
            reasoning: new.reasoning.clone(),
            confidence: new.confidence,
            revises: step_number(new.revises),
            branch_from: step_number(new.branch_from),
            branch: self.branch(new, number),
            closed: self.close(&new.closes, number),
            opened: self.open(&new.opens, number),
            rejected: new.rejects.clone(),
        };
        self.reject(&new.rejects, number);
        self.confidence = new.confidence.or(self.confidence);
        self.summary = new.summary.clone().or_else(|| self.summary.take());
        self.completed = new.completes.then_some(step.at);
        self.steps = number;
        Ok(step)
    }

    fn problems(&self, new: &NewStep, limits: &Limits) -> Vec<StepProblem> {
        let mut problems = Vec::new();
        problems.extend(self.number_problem(new, limits));
        problems.extend(self.reference_problems(new));
        problems.extend(self.gap_problems(new, limits));
        if new.branch_from.is_some() && self.branches.len() >= limits.gaps {
            problems.push(too_many(StepField::BranchFrom, limits.gaps));
        }
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
                issue: Issue::Says(Say::new("must name open gaps, by their id or their words")),
            });
        }
        problems
    }

    /// The name of the branch that the step is on. A new branch without a name gets one.
    fn branch(&mut self, new: &NewStep, number: u32) -> Option<String> {
        let named = new.branch.as_deref().map(shortened);
        let Some(from) = step_number(new.branch_from) else {
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
mod tests {
    use super::*;

    fn step(number: i64) -> NewStep {
        NewStep {
            number: Some(number),
            text: "look".to_owned(),
            ..NewStep::default()
        }
    }

    #[test]
    fn a_wrong_number_is_refused_with_the_expected_one() {
        let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
        for number in 1..=3 {
            let taken = digest.apply(&step(number), &limits).expect("the next");
            assert_eq!(i64::from(taken.number), number);
        }
        for wrong in [-1, 0, 1, 3, 5, i64::MAX, i64::MIN] {
            let refused = digest.apply(&step(wrong), &limits);
            let Err(StepError::Invalid {
                problems,
                last_step,
            }) = refused
            else {
                panic!("{wrong} was taken")
            };
            let expected = StepProblem {
                field: StepField::Number,
                issue: Issue::NotNext { expected: 4 },
            };
            assert_eq!((problems, last_step), (vec![expected], 3), "{wrong}");
        }
        assert_eq!(digest.steps, 3);
        let counted = digest.apply(&NewStep::default(), &limits);
        assert_eq!(counted.expect("the next").number, 4);
    }

    #[test]
    fn revisions_and_branches_name_earlier_steps() {
        let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
        let revision = |of| NewStep {
            revises: Some(of),
            ..NewStep::default()
        };
        assert!(
            digest.apply(&revision(1), &limits).is_err(),
            "there is nothing to revise yet"
        );
        digest.apply(&step(1), &limits).expect("the first");
        assert_eq!(
            digest
                .apply(&revision(1), &limits)
                .expect("a revision")
                .revises,
            Some(1)
        );
        for wrong in [-3, 0, 3, 99] {
            assert!(digest.apply(&revision(wrong), &limits).is_err(), "{wrong}");
        }
        let branch = NewStep {
            branch_from: Some(1),
            ..NewStep::default()
        };
        assert_eq!(
            digest
                .apply(&branch, &limits)
                .expect("a branch")
                .branch
                .as_deref(),
            Some("branch-1")
        );
        let on = NewStep {
            branch: Some("branch-1".to_owned()),
            ..NewStep::default()
        };
        digest.apply(&on, &limits).expect("on it");
        assert_eq!(
            digest.branches,
            [Branch {
                name: "branch-1".to_owned(),
                from: 1,
                first: 3
            }]
        );
    }

    #[test]
    fn gaps_are_closed_by_id_or_words_and_only_when_open() {
        let (mut digest, limits) = (
            Digest::new("goal", 1),
            Limits {
                gaps: 3,
                ..Limits::default()
            },
        );
        let opens = |texts: &[&str]| NewStep {
            opens: texts.iter().map(|&text| text.to_owned()).collect(),
            ..NewStep::default()
        };
        let closes = |names: &[&str]| NewStep {
            closes: names.iter().map(|&name| name.to_owned()).collect(),
            ..NewStep::default()
        };
        digest
            .apply(&opens(&["who", "when", "why"]), &limits)
            .expect("opened");
        assert!(
            digest.apply(&opens(&["how"]), &limits).is_err(),
            "no more than three at once"
        );
        assert_eq!(
            digest
                .apply(&closes(&["gap-2", "who"]), &limits)
                .expect("closed")
                .closed,
            ["gap-1", "gap-2"]
        );
        assert!(
            digest.apply(&closes(&["gap-2"]), &limits).is_err(),
            "it is closed"
        );
        assert_eq!(
            digest
                .open_gaps()
                .map(|gap| gap.id.as_str())
                .collect::<Vec<_>>(),
            ["gap-3"]
        );
    }

    #[test]
    fn the_digest_stays_small_however_many_steps_there_are() {
        let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
        for number in 0..2_000 {
            let new = NewStep {
                opens: vec![format!("gap {number} {}", "x".repeat(600))],
                closes: digest.open_gaps().map(|gap| gap.id.clone()).collect(),
                rejects: vec!["y".repeat(600)],
                ..NewStep::default()
            };
            digest.apply(&new, &limits).expect("taken");
        }
        assert!(serde_json::to_string(&digest).expect("written").len() < 100_000);
    }

    #[test]
    fn a_step_reopens_a_completed_session() {
        let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
        let last = NewStep {
            completes: true,
            summary: Some("known".to_owned()),
            ..NewStep::default()
        };
        digest.apply(&last, &limits).expect("completed");
        assert!(digest.completed.is_some());
        digest
            .apply(&NewStep::default(), &limits)
            .expect("taken up");
        assert_eq!(
            (digest.completed, digest.summary.as_deref()),
            (None, Some("known"))
        );
    }
}
