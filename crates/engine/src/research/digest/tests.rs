//! What a session accepts, keeps and forgets.

use super::*;

fn look() -> NewStep {
    NewStep {
        text: "look".to_owned(),
        ..NewStep::default()
    }
}

fn step(number: i64) -> NewStep {
    NewStep {
        number: Some(number),
        ..look()
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
    let counted = digest.apply(&look(), &limits);
    assert_eq!(counted.expect("the next").number, 4);
}

#[test]
fn revisions_and_branches_name_earlier_steps() {
    let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
    let revision = |of| NewStep {
        revises: Some(of),
        ..look()
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
        ..look()
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
        ..look()
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
        ..look()
    };
    let closes = |names: &[&str]| NewStep {
        closes: names.iter().map(|&name| name.to_owned()).collect(),
        ..look()
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
            ..look()
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
        ..look()
    };
    digest.apply(&last, &limits).expect("completed");
    assert!(digest.completed.is_some());
    digest.apply(&look(), &limits).expect("taken up");
    assert_eq!(
        (digest.completed, digest.summary.as_deref()),
        (None, Some("known"))
    );
}

#[test]
fn a_step_that_says_nothing_is_refused() {
    let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
    let blank = |text: &str| NewStep {
        text: text.to_owned(),
        query: Some(" ".to_owned()),
        opens: vec![String::new()],
        ..NewStep::default()
    };
    for text in ["", " \n\t"] {
        assert!(digest.apply(&blank(text), &limits).is_err());
    }
    let summary = NewStep {
        summary: Some("known".to_owned()),
        ..NewStep::default()
    };
    digest.apply(&summary, &limits).expect("it says something");
}

#[test]
fn a_branch_without_an_origin_starts_from_the_last_step() {
    let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
    let on = |branch: &str| NewStep {
        branch: Some(branch.to_owned()),
        ..look()
    };
    assert!(digest.apply(&on("side"), &limits).is_err(), "from nowhere");
    digest.apply(&look(), &limits).expect("the first");
    digest.apply(&look(), &limits).expect("the second");
    for expected in [Some(2), None] {
        let taken = digest.apply(&on("side"), &limits).expect("on a branch");
        assert_eq!(taken.branch_from, expected);
    }
    assert_eq!((digest.branches[0].from, digest.branches[0].first), (2, 3));
}

#[test]
fn a_gap_that_is_not_open_is_answered_with_those_that_are() {
    let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
    let opens = NewStep {
        opens: vec!["who".to_owned(), "why".to_owned()],
        ..look()
    };
    digest.apply(&opens, &limits).expect("opened");
    let closes = NewStep {
        closes: vec!["when".to_owned()],
        ..look()
    };
    let Err(StepError::Invalid { problems, .. }) = digest.apply(&closes, &limits) else {
        panic!("closed a gap that is not open")
    };
    let ids = ["gap-1", "gap-2"].iter().filter_map(|id| Word::parse(id));
    assert_eq!(
        problems[0].issue,
        Issue::NotAmong {
            allowed: ids.collect(),
            nearest: None
        }
    );
}

#[test]
fn only_the_same_step_is_a_repeat() {
    let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
    let new = NewStep {
        query: Some("goats".to_owned()),
        opens: vec!["who ".to_owned()],
        confidence: Some(0.5),
        ..look()
    };
    let step = digest.apply(&new, &limits).expect("taken");
    assert!(digest.is_repeat(&step, &new));
    let numbered = |number| NewStep {
        number: Some(number),
        ..new.clone()
    };
    assert!(digest.is_repeat(&step, &numbered(1)) && !digest.is_repeat(&step, &numbered(2)));
    let others = [
        NewStep {
            query: Some("sheep".to_owned()),
            ..new.clone()
        },
        NewStep {
            summary: Some("known".to_owned()),
            ..new.clone()
        },
        NewStep {
            opens: vec!["who".to_owned(), "why".to_owned()],
            ..new.clone()
        },
        NewStep {
            completes: true,
            ..new.clone()
        },
        NewStep {
            confidence: None,
            ..new.clone()
        },
    ];
    for other in others {
        assert!(!digest.is_repeat(&step, &other), "{other:?}");
    }
}
/// A step that uses everything a step can have, after one that it revises and branches from.
fn full_step(digest: &mut Digest, limits: &Limits) -> NewStep {
    let first = NewStep {
        opens: vec!["where".to_owned(), "when".to_owned()],
        ..look()
    };
    digest.apply(&first, limits).expect("the first");
    NewStep {
        query: Some("goats".to_owned()),
        reasoning: Some("they climb".to_owned()),
        revises: Some(1),
        branch_from: Some(1),
        branch: Some("side".to_owned()),
        closes: vec!["where".to_owned()],
        rejects: vec!["sheep".to_owned()],
        summary: Some("known".to_owned()),
        ..look()
    }
}

#[test]
fn a_repeat_may_leave_out_what_is_kept_and_nothing_else() {
    let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
    let new = full_step(&mut digest, &limits);
    let step = digest.apply(&new, &limits).expect("taken");
    let changed = |change: fn(&mut NewStep)| {
        let mut other = new.clone();
        change(&mut other);
        digest.is_repeat(&step, &other)
    };
    let same: [fn(&mut NewStep); 6] = [
        |_| {},
        |step| step.branch_from = None,
        |step| step.branch = None,
        |step| step.summary = None,
        |step| step.closes = Vec::new(),
        |step| step.closes = vec!["gap-1".to_owned()],
    ];
    for (place, change) in same.into_iter().enumerate() {
        assert!(changed(change), "change {place} asks for the same step");
    }
    let different: [fn(&mut NewStep); 9] = [
        |step| step.text = "think".to_owned(),
        |step| step.reasoning = None,
        |step| step.revises = None,
        |step| step.branch_from = Some(2),
        |step| step.branch = Some("other".to_owned()),
        |step| step.rejects = Vec::new(),
        |step| step.summary = Some("unknown".to_owned()),
        |step| step.closes = vec!["when".to_owned()],
        |step| step.closes = vec!["nowhere".to_owned()],
    ];
    for (place, change) in different.into_iter().enumerate() {
        assert!(!changed(change), "change {place} asks for another step");
    }
}

#[test]
fn failures_of_a_search_are_counted_until_it_is_answered() {
    let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
    let new = NewStep {
        query: Some("goats".to_owned()),
        ..look()
    };
    digest.apply(&new, &limits).expect("taken");
    let failures = |digest: &Digest| digest.unanswered.map(|step| (step.number, step.failures));
    assert_eq!(failures(&digest), Some((1, 0)));
    digest.note_search(1, true);
    digest.note_search(1, true);
    digest.note_search(2, true);
    digest.note_search(2, false);
    assert_eq!(failures(&digest), Some((1, 2)));
    digest.note_search(1, false);
    assert_eq!(failures(&digest), None);
    digest
        .apply(&look(), &limits)
        .expect("a step without a search");
    assert_eq!(failures(&digest), None);
}

#[test]
fn a_session_ends_once_and_keeps_what_is_known() {
    let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
    let last = NewStep {
        confidence: Some(0.5),
        summary: Some("two are left".to_owned()),
        ..NewStep::default()
    };
    digest.end(&last, &limits).expect("a short summary");
    assert_eq!(digest.confidence, Some(0.5));
    assert!(digest.completed.is_some());
    digest.completed = Some(7);
    digest
        .end(&NewStep::default(), &limits)
        .expect("nothing new");
    assert_eq!((digest.confidence, digest.completed), (Some(0.5), Some(7)));
    assert_eq!(digest.summary.as_deref(), Some("two are left"));
    assert_eq!(digest.steps, 0);
    let long = NewStep {
        summary: Some("x".repeat(limits.step_characters + 1)),
        ..NewStep::default()
    };
    assert!(digest.end(&long, &limits).is_err());
}

#[test]
fn a_branch_that_is_named_twice_is_one_branch() {
    let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
    digest.apply(&look(), &limits).expect("the first");
    for name in ["side", "side", "other"] {
        let new = NewStep {
            branch: Some(name.to_owned()),
            branch_from: Some(1),
            ..look()
        };
        digest.apply(&new, &limits).expect("on a branch");
    }
    let names: Vec<&str> = digest.branches.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["side", "other"]);
}

#[test]
fn the_latest_closed_gaps_and_rejected_approaches_are_kept() {
    let (mut digest, limits) = (Digest::new("goal", 1), Limits::default());
    for number in 0..MOST_CLOSED.max(MOST_REJECTED) + 5 {
        let new = NewStep {
            opens: vec![format!("gap {number}")],
            closes: digest.open_gaps().map(|gap| gap.id.clone()).collect(),
            rejects: vec![format!("way {number}")],
            ..look()
        };
        digest.apply(&new, &limits).expect("taken");
    }
    let steps = digest.steps as usize;
    let closed = digest.gaps.iter().filter(|gap| gap.closed_at.is_some());
    assert_eq!(closed.count(), MOST_CLOSED);
    assert_eq!(
        digest.gaps[0].text,
        format!("gap {}", steps - 1 - MOST_CLOSED)
    );
    assert_eq!(digest.rejected.len(), MOST_REJECTED);
    assert_eq!(
        digest.rejected[0].text,
        format!("way {}", steps - MOST_REJECTED)
    );
    assert_eq!(digest.rejected[0].step as usize, steps - MOST_REJECTED + 1);
}

#[test]
fn every_text_of_a_step_has_the_same_limit() {
    let mut digest = Digest::new("goal", 1);
    let limits = Limits {
        step_characters: 5,
        ..Limits::default()
    };
    let of_length = |length: usize| NewStep {
        text: "é".repeat(length),
        query: Some("q".repeat(length)),
        reasoning: Some("r".repeat(length)),
        summary: Some("s".repeat(length)),
        rejects: vec!["x".repeat(length)],
        ..NewStep::default()
    };
    let Err(StepError::Invalid { problems, .. }) = digest.apply(&of_length(6), &limits) else {
        panic!("a step with long texts was taken")
    };
    let fields: Vec<StepField> = problems.iter().map(|problem| problem.field).collect();
    assert_eq!(
        fields,
        [
            StepField::Text,
            StepField::Query,
            StepField::Reasoning,
            StepField::Summary,
            StepField::Rejects
        ]
    );
    digest
        .apply(&of_length(5), &limits)
        .expect("as long as may be");
}
