//! What is known about a session without reading its logs, and what a step does to it.
//!
//! Its size is bounded, because it is written anew with every step.

use fault::{Fault, FieldName, Issue, Problem, RecoveryHint, Result, Say};
use serde::{Deserialize, Serialize};

use super::step::{BRANCH_FROM, CLOSES, NewStep, OPENS, REVISES, STEP_NUMBER, Step};
use super::{Limits, unix_millis};

/// Rejected approaches that the digest remembers; the steps have them all.
const MOST_REJECTED: usize = 50;
/// Closed gaps that the digest remembers.
const MOST_CLOSED: usize = 50;
/// Characters of a gap, a rejected way or a branch's name.
const LONGEST_NOTE: usize = 500;

/// Something that is not known yet, or was not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// Its name within the session.
    pub id: String,
    /// What is not known.
    pub text: String,
    /// The step that found it.
    pub opened_at: u32,
    /// The step that closed it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub closed_at: Option<u32>,
}

/// A way that goes off from a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    /// Its name.
    pub name: String,
    /// The step from which it goes off.
    pub from: u32,
    /// Its first step.
    pub first: u32,
}

/// A way that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RejectedApproach {
    /// Which.
    pub text: String,
    /// The step that gave it up.
    pub step: u32,
}

/// What is known about a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Digest {
    /// What the session is for.
    pub goal: String,
    /// When it began, in milliseconds since 1970.
    pub created: u64,
    /// How many steps were taken; the last one has this number.
    pub steps: u32,
    /// How sure the caller was last.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<f64>,
    /// What is known so far.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub summary: Option<String>,
    /// When it was completed. A later step takes it up again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub completed: Option<u64>,
    /// The gaps, closed ones too.
    #[serde(default)]
    pub gaps: Vec<Gap>,
    /// How many gaps were ever opened.
    #[serde(default)]
    gap_count: u32,
    /// The branches.
    #[serde(default)]
    pub branches: Vec<Branch>,
    /// The ways given up last.
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

    /// The gaps that are still open.
    pub fn open_gaps(&self) -> impl Iterator<Item = &Gap> {
        self.gaps.iter().filter(|gap| gap.closed_at.is_none())
    }

    /// Takes a step, or says everything that is wrong with it and leaves the digest as it was.
    pub(super) fn apply(&mut self, new: &NewStep, limits: &Limits) -> Result<Step> {
        let problems = self.problems(new, limits);
        if !problems.is_empty() {
            let hint = RecoveryHint {
                last_known_step: self.steps,
                can_resume: true,
            };
            return Err(Fault::arguments(problems).recovery_hint(hint));
        }
        let number = self.steps + 1;
        let step = Step {
            number,
            at: unix_millis(),
            text: new.text.clone(),
            query: new.query.clone(),
            reasoning: new.reasoning.clone(),
            confidence: new.confidence,
            revises: earlier(new.revises),
            branch_from: earlier(new.branch_from),
            branch: self.branch(new, number),
            closed: self.close(&new.closes, number),
            opened: self.open(&new.opens, number),
            rejected: new.rejects.clone(),
        };
        self.rejected
            .extend(new.rejects.iter().map(|text| RejectedApproach {
                text: shortened(text),
                step: number,
            }));
        let surplus = self.rejected.len().saturating_sub(MOST_REJECTED);
        self.rejected.drain(..surplus);
        self.confidence = new.confidence.or(self.confidence);
        self.summary = new.summary.clone().or_else(|| self.summary.take());
        self.completed = new.completes.then_some(step.at);
        self.steps = number;
        Ok(step)
    }

    fn problems(&self, new: &NewStep, limits: &Limits) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut problem =
            |field: FieldName, issue: Issue| problems.push(Problem::new(field, issue));
        let next = i64::from(self.steps) + 1;
        if new.number.is_some_and(|number| number != next) {
            problem(
                STEP_NUMBER,
                Issue::NotNext {
                    expected: u64::from(self.steps) + 1,
                },
            );
        } else if self.steps >= limits.steps {
            problem(
                STEP_NUMBER,
                Issue::OutOfRange {
                    min: 1,
                    max: i64::from(limits.steps),
                },
            );
        }
        for (field, number) in [(REVISES, new.revises), (BRANCH_FROM, new.branch_from)] {
            if number.is_some_and(|number| !(1..next).contains(&number)) {
                problem(field, not_earlier(self.steps));
            }
        }
        if self.open_gaps().count() + new.opens.len() > limits.gaps {
            problem(
                OPENS,
                Issue::TooMany {
                    max: limits.gaps as u64,
                },
            );
        }
        if new
            .closes
            .iter()
            .any(|gap| !self.open_gaps().any(|open| is_called(open, gap)))
        {
            problem(
                CLOSES,
                Issue::Says(Say::new("must name open gaps, by their id or their words")),
            );
        }
        if new.branch_from.is_some() && self.branches.len() >= limits.gaps {
            problem(
                BRANCH_FROM,
                Issue::TooMany {
                    max: limits.gaps as u64,
                },
            );
        }
        for (field, text) in new.texts() {
            if text.chars().count() > limits.step_characters {
                problem(
                    field,
                    Issue::TooLong {
                        max: limits.step_characters as u64,
                    },
                );
            }
        }
        problems
    }

    /// The name of the branch that a step is on; a branch without a name gets one.
    fn branch(&mut self, new: &NewStep, number: u32) -> Option<String> {
        let named = new.branch.as_deref().map(shortened);
        let Some(from) = earlier(new.branch_from) else {
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

    fn close(&mut self, closes: &[String], number: u32) -> Vec<String> {
        let mut closed = Vec::new();
        for gap in self.gaps.iter_mut().filter(|gap| gap.closed_at.is_none()) {
            if closes.iter().any(|name| is_called(gap, name)) {
                gap.closed_at = Some(number);
                closed.push(gap.id.clone());
            }
        }
        closed
    }

    fn open(&mut self, opens: &[String], number: u32) -> Vec<String> {
        let mut opened = Vec::new();
        for text in opens {
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
        let mut surplus = self
            .gaps
            .iter()
            .filter(|gap| gap.closed_at.is_some())
            .count()
            .saturating_sub(MOST_CLOSED);
        self.gaps.retain(|gap| {
            let goes = surplus > 0 && gap.closed_at.is_some();
            surplus -= usize::from(goes);
            !goes
        });
        opened
    }
}

impl NewStep {
    fn texts(&self) -> impl Iterator<Item = (FieldName, &str)> {
        let named = [
            ("searchStep", Some(&self.text)),
            ("query", self.query.as_ref()),
            ("reasoning", self.reasoning.as_ref()),
        ];
        let named = named
            .into_iter()
            .chain([("summary", self.summary.as_ref())]);
        let named = named.chain(
            self.rejects
                .iter()
                .map(|text| ("rejectedApproaches", Some(text))),
        );
        named.filter_map(|(name, text)| Some((FieldName::new(name), text?.as_str())))
    }
}

fn earlier(number: Option<i64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok())
}

fn not_earlier(steps: u32) -> Issue {
    match steps {
        0 => Issue::Says(Say::new(
            "must name an earlier step, and this is the first; leave it out",
        )),
        steps => Issue::OutOfRange {
            min: 1,
            max: i64::from(steps),
        },
    }
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

    fn told(fault: &Fault) -> String {
        fault.sentence().to_string()
    }

    #[test]
    fn the_expected_number_is_told() {
        let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
        for number in 1..=3 {
            assert_eq!(
                digest
                    .apply(&step(number), &limits)
                    .map(|step| step.number)
                    .ok(),
                u32::try_from(number).ok()
            );
        }
        for wrong in [-1, 0, 1, 3, 5, i64::MAX, i64::MIN] {
            let fault = digest
                .apply(&step(wrong), &limits)
                .expect_err("not the next");
            assert!(
                told(&fault).contains("stepNumber must be 4"),
                "{wrong}: {}",
                told(&fault)
            );
            assert_eq!(
                fault.hint(),
                Some(RecoveryHint {
                    last_known_step: 3,
                    can_resume: true
                })
            );
        }
        assert_eq!(digest.steps, 3);
        assert_eq!(
            digest
                .apply(&NewStep::default(), &limits)
                .map(|step| step.number)
                .ok(),
            Some(4)
        );
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
    fn its_size_stays_bounded() {
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
    fn a_completed_session_can_be_taken_up_again() {
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
