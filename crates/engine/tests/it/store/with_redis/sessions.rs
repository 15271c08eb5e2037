//! Sessions on every store.

use std::time::Duration;

use engine::layer::{SharedLimits, StoredLimits, Trip};
use engine::research::{
    Limits, NewStep, ResearchSessions, SessionOutcome, Source, StepError, StepField, StepProblem,
    tally,
};
use engine::store::Tenant;
use fault::{Case, Issue, Kind, RecoveryHint};
use tokio::time::Instant;

use super::{all, fault_of};

fn step(number: i64) -> NewStep {
    NewStep {
        number: Some(number),
        text: format!("step {number}"),
        ..NewStep::default()
    }
}

#[tokio::test]
async fn a_session_is_started_continued_and_read() {
    for kept in all() {
        let (research, tenant, name) = (
            ResearchSessions::new(kept.store.clone(), Limits::default()),
            Tenant::local(),
            kept.name,
        );
        let session = research
            .start_with_step(&tenant, "why goats climb", &step(1))
            .await
            .unwrap()
            .session;
        let taken = research.step(&tenant, &session.id, &step(2)).await.unwrap();
        assert_eq!(
            (taken.step.number, taken.session.digest.steps),
            (2, 2),
            "{name}"
        );
        let revision = NewStep {
            revises: Some(1),
            text: "better".to_owned(),
            ..NewStep::default()
        };
        research
            .step(&tenant, &session.id, &revision)
            .await
            .unwrap();
        let steps = research.steps(&tenant, &session.id, 2, 10).await.unwrap();
        assert_eq!(
            steps
                .iter()
                .map(|step| (step.number, step.revises))
                .collect::<Vec<_>>(),
            [(2, None), (3, Some(1))],
            "{name}"
        );
        assert_eq!(
            research
                .session(&tenant, &session.id)
                .await
                .unwrap()
                .digest
                .goal,
            "why goats climb",
            "{name}"
        );
        for wrong in [-1, 0, 1, 3, 5] {
            let refused = research.step(&tenant, &session.id, &step(wrong)).await;
            let Err(StepError::Invalid { problems, .. }) = refused else {
                panic!("{name} {wrong}")
            };
            let expected = StepProblem {
                field: StepField::Number,
                issue: Issue::NotNext { expected: 4 },
            };
            assert_eq!(problems, [expected], "{name} {wrong}");
        }
    }
}

#[tokio::test]
async fn sessions_of_others_and_expired_ones_are_not_found() {
    for kept in all() {
        let (tenant, name) = (Tenant::subject("one"), kept.name);
        let short = Limits {
            session_lives: Duration::from_millis(40),
            ..Limits::default()
        };
        let research = ResearchSessions::new(kept.store.clone(), short);
        let id = research
            .start_with_step(&tenant, "goal", &step(1))
            .await
            .unwrap()
            .session
            .id;
        let nothing = RecoveryHint {
            last_known_step: 0,
            can_resume: false,
        };
        for (tenant, id) in [
            (Tenant::subject("two"), id.as_str()),
            (tenant.clone(), "ses_unknown"),
        ] {
            let fault = fault_of(research.step(&tenant, id, &step(2)).await.unwrap_err());
            assert_eq!(
                (fault.case(), fault.hint()),
                (Case::SessionUnknown, Some(nothing)),
                "{name}"
            );
            assert_eq!(
                research.session(&tenant, id).await.unwrap_err().case(),
                Case::SessionUnknown,
                "{name}"
            );
        }
        tokio::time::sleep(Duration::from_millis(80)).await;
        let fault = fault_of(research.step(&tenant, &id, &step(2)).await.unwrap_err());
        let known = RecoveryHint {
            last_known_step: 1,
            can_resume: false,
        };
        assert_eq!(
            (fault.case(), fault.hint()),
            (Case::SessionExpired, Some(known)),
            "{name}"
        );
        let outcome = SessionOutcome::now("scrape_page", None, None, None);
        assert_eq!(
            research
                .record(&tenant, &id, std::slice::from_ref(&outcome), &[])
                .await
                .unwrap_err()
                .case(),
            Case::SessionExpired,
            "{name}"
        );
        assert!(
            research
                .list(&tenant, None, 10)
                .await
                .unwrap()
                .sessions
                .is_empty(),
            "{name}"
        );
    }
}

#[tokio::test]
async fn sessions_are_listed_from_the_last_used_with_a_cursor() {
    for kept in all() {
        let (research, tenant, name) = (
            ResearchSessions::new(kept.store.clone(), Limits::default()),
            Tenant::local(),
            kept.name,
        );
        let mut ids = Vec::new();
        for number in 0..5 {
            ids.push(
                research
                    .start(&tenant, &format!("goal {number}"))
                    .await
                    .unwrap()
                    .id,
            );
        }
        research.step(&tenant, &ids[0], &step(1)).await.unwrap();
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let page = research.list(&tenant, cursor.as_ref(), 2).await.unwrap();
            seen.extend(page.sessions.into_iter().map(|session| session.id));
            cursor = page.cursor;
            if cursor.is_none() {
                break;
            }
        }
        let expected: Vec<&String> = [0, 4, 3, 2, 1].iter().map(|number| &ids[*number]).collect();
        assert_eq!(seen.iter().collect::<Vec<_>>(), expected, "{name}");
    }
}

#[tokio::test]
async fn outcomes_and_sources_are_kept_bounded_and_counted() {
    for kept in all() {
        let (research, tenant, name) = (
            ResearchSessions::new(kept.store.clone(), Limits::default()),
            Tenant::local(),
            kept.name,
        );
        let id = research.start(&tenant, "goal").await.unwrap().id;
        for number in 0..205 {
            let failed = (number % 50 == 7).then_some(Kind::Blocked);
            let outcome = SessionOutcome::now(
                "scrape_page",
                Some("html"),
                failed,
                Some("https://a.example/"),
            );
            let source = Source {
                url: format!("https://a.example/{}", number % 3),
                via: "html".to_owned(),
                tool: "scrape_page".to_owned(),
                at: number,
                ..Source::default()
            };
            research
                .record(&tenant, &id, std::slice::from_ref(&outcome), &[source])
                .await
                .unwrap();
        }
        let outcomes = research.outcomes(&tenant, &id).await.unwrap();
        assert_eq!(outcomes.len(), 200, "{name}");
        let counted = tally(&outcomes, &|repeated| repeated.kind.to_string());
        assert_eq!(
            (
                counted.error_patterns[0].kind,
                counted.error_patterns[0].count
            ),
            (Kind::Blocked, 4),
            "{name}"
        );
        assert_eq!(
            (
                counted.provider_stats[0].attempts,
                counted.provider_stats[0].successes
            ),
            (200, 196),
            "{name}"
        );
        let sources = research.sources(&tenant, &id).await.unwrap();
        assert_eq!(
            sources.iter().map(|source| source.at).collect::<Vec<_>>(),
            [202, 203, 204],
            "{name}"
        );
    }
}

#[tokio::test]
async fn two_who_take_steps_of_one_session_lose_none() {
    for kept in all() {
        let (name, tenant) = (kept.name, Tenant::local());
        let doors = [
            kept.store.clone(),
            kept.other.clone().unwrap_or_else(|| kept.store.clone()),
        ];
        let [one, other] = doors.map(|store| ResearchSessions::new(store, Limits::default()));
        let id = one.start(&tenant, "goal").await.unwrap().id;
        let take = |research: ResearchSessions, id: String| {
            tokio::spawn(async move {
                let mut numbers = Vec::new();
                for _ in 0..30 {
                    let new = NewStep {
                        text: "look".to_owned(),
                        ..NewStep::default()
                    };
                    numbers.push(
                        research
                            .step(&Tenant::local(), &id, &new)
                            .await
                            .unwrap()
                            .step
                            .number,
                    );
                }
                numbers
            })
        };
        let (first, second) = (take(one.clone(), id.clone()), take(other, id.clone()));
        let mut numbers = [first.await.unwrap(), second.await.unwrap()].concat();
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=60).collect::<Vec<u32>>(), "{name}");
        let steps = one.steps(&tenant, &id, 1, 100).await.unwrap();
        assert_eq!(
            steps.iter().map(|step| step.number).collect::<Vec<_>>(),
            numbers,
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_breaker_that_one_opens_is_open_for_the_other() {
    for kept in all() {
        let Some(other) = kept.other.clone() else {
            continue;
        };
        let (one, other) = (
            StoredLimits::new(kept.store.clone()),
            StoredLimits::new(other),
        );
        one.set_trip(
            "brave",
            Some(Trip {
                case: Case::Http429,
                status: Some(429),
                until: Instant::now() + Duration::from_secs(60),
            }),
        );
        let heard = async {
            loop {
                other.refresh().await;
                if let Some(trip) = other.trip("brave") {
                    return trip;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let heard = tokio::time::timeout(Duration::from_secs(10), heard)
            .await
            .expect(kept.name);
        assert_eq!(
            (heard.case, heard.status),
            (Case::Http429, Some(429)),
            "{}",
            kept.name
        );
    }
}
