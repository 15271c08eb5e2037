//! The guarantees that every store gives.

use std::time::Duration;

use engine::store::{
    Append, Change, Committed, FaultRecords, ListCursor, Precondition, RecordId, Store, Tenant,
    get, put,
};
use fault::EventId;
use serde_json::json;

use super::all;

const LONG: Duration = Duration::from_secs(3_600);

fn change(key: &str, precondition: Precondition) -> Change {
    let id = RecordId::new(&Tenant::local(), "thing", key);
    Change {
        id,
        precondition,
        head: None,
        rows: Vec::new(),
        lives: Some(LONG),
        most: 1_000,
    }
}

fn append(log: &'static str, row: &str, keep: u64) -> Append {
    Append {
        log,
        row: row.to_owned(),
        keep,
    }
}

async fn insert(store: &dyn Store, key: &str) {
    let new = Change {
        head: Some(format!("head of {key}")),
        ..change(key, Precondition::New)
    };
    assert_eq!(store.commit(&new).await.unwrap(), Committed::Done(1));
}

async fn rows(store: &dyn Store, key: &str, log: &'static str) -> Vec<(u64, String)> {
    store
        .rows(
            &RecordId::new(&Tenant::local(), "thing", key),
            log,
            1,
            1_000,
        )
        .await
        .unwrap()
}

#[tokio::test]
async fn expectations_are_checked_before_anything_changes() {
    for kept in all() {
        let (store, name) = (&*kept.store, kept.name);
        for expects in [Precondition::Present, Precondition::Version(1)] {
            let refused = Change {
                rows: vec![append("log", "x", 9)],
                ..change("a", expects)
            };
            assert_eq!(
                store.commit(&refused).await.unwrap(),
                Committed::Missing,
                "{name}"
            );
        }
        insert(store, "a").await;
        let again = Change {
            head: Some("other".to_owned()),
            rows: vec![append("log", "x", 9)],
            ..change("a", Precondition::New)
        };
        assert_eq!(
            store.commit(&again).await.unwrap(),
            Committed::Conflict,
            "{name}"
        );
        let second = Change {
            head: Some("second".to_owned()),
            ..change("a", Precondition::Version(1))
        };
        assert_eq!(
            store.commit(&second).await.unwrap(),
            Committed::Done(2),
            "{name}"
        );
        let stale = Change {
            head: Some("stale".to_owned()),
            rows: vec![append("log", "x", 9)],
            ..change("a", Precondition::Version(1))
        };
        assert_eq!(
            store.commit(&stale).await.unwrap(),
            Committed::Conflict,
            "{name}"
        );
        let row_only = Change {
            rows: vec![append("log", "y", 9)],
            ..change("a", Precondition::Present)
        };
        assert_eq!(
            store.commit(&row_only).await.unwrap(),
            Committed::Done(2),
            "{name}: the head stays"
        );
        assert_eq!(
            rows(store, "a", "log").await,
            [(1, "y".to_owned())],
            "{name}"
        );
        let found = store.record(&row_only.id).await.unwrap().unwrap();
        assert_eq!(
            (found.head.as_str(), found.version),
            ("second", 2),
            "{name}"
        );
    }
}

#[tokio::test]
async fn logs_number_their_rows_and_the_oldest_make_room() {
    for kept in all() {
        let (store, name) = (&*kept.store, kept.name);
        insert(store, "a").await;
        for number in 1..=7 {
            let texts = [
                append("short", &format!("s{number}"), 3),
                append("long", &format!("l{number} 語\u{0}\n\"'{{}}"), 99),
            ];
            store
                .commit(&Change {
                    rows: texts.to_vec(),
                    ..change("a", Precondition::Present)
                })
                .await
                .unwrap();
        }
        let short: Vec<u64> = rows(store, "a", "short")
            .await
            .into_iter()
            .map(|(number, _)| number)
            .collect();
        assert_eq!(short, [5, 6, 7], "{name}");
        assert_eq!(
            rows(store, "a", "long").await[6],
            (7, "l7 語\u{0}\n\"'{}".to_owned()),
            "{name}"
        );
        let part = store
            .rows(&change("a", Precondition::New).id, "long", 3, 2)
            .await
            .unwrap();
        assert_eq!(
            part.iter().map(|(number, _)| *number).collect::<Vec<_>>(),
            [3, 4],
            "{name}"
        );
        assert!(
            rows(store, "a", "none").await.is_empty() && rows(store, "b", "long").await.is_empty(),
            "{name}"
        );
    }
}

#[tokio::test]
async fn lists_begin_with_the_last_changed_and_go_on() {
    for kept in all() {
        let (store, name, tenant) = (&*kept.store, kept.name, Tenant::local());
        for key in ["a", "b", "c", "d", "e"] {
            insert(store, key).await;
        }
        store
            .commit(&Change {
                rows: vec![append("log", "x", 9)],
                ..change("b", Precondition::Present)
            })
            .await
            .unwrap();
        let first = store.list(&tenant, "thing", None, 2).await.unwrap();
        let last = first.last().unwrap();
        let after = ListCursor {
            changed: last.changed,
            key: last.key.clone(),
        };
        let rest = store
            .list(&tenant, "thing", Some(&after), 10)
            .await
            .unwrap();
        let keys: Vec<&str> = first
            .iter()
            .chain(&rest)
            .map(|record| record.key.as_str())
            .collect();
        assert_eq!(keys, ["b", "e", "d", "c", "a"], "{name}");
        assert!(
            store
                .list(&Tenant::subject("local"), "thing", None, 9)
                .await
                .unwrap()
                .is_empty(),
            "{name}"
        );
        assert!(
            store
                .list(&tenant, "other", None, 9)
                .await
                .unwrap()
                .is_empty(),
            "{name}"
        );
    }
}

#[tokio::test]
async fn the_longest_unchanged_make_room_and_removed_ones_are_gone() {
    for kept in all() {
        let (store, name) = (&*kept.store, kept.name);
        for key in ["a", "b", "c"] {
            insert(store, key).await;
        }
        store
            .commit(&change("a", Precondition::Present))
            .await
            .unwrap();
        let fourth = Change {
            head: Some(String::new()),
            most: 3,
            ..change("d", Precondition::New)
        };
        store.commit(&fourth).await.unwrap();
        let left = store
            .list(&Tenant::local(), "thing", None, 9)
            .await
            .unwrap();
        assert_eq!(
            left.iter()
                .map(|record| record.key.as_str())
                .collect::<Vec<_>>(),
            ["d", "a", "c"],
            "{name}"
        );
        assert_eq!(
            store
                .record(&change("b", Precondition::New).id)
                .await
                .unwrap(),
            None,
            "{name}"
        );
        let gone = change("c", Precondition::New).id;
        store.remove(&gone).await.unwrap();
        store.remove(&gone).await.unwrap();
        assert_eq!(store.record(&gone).await.unwrap(), None, "{name}");
        assert_eq!(
            store
                .list(&Tenant::local(), "thing", None, 9)
                .await
                .unwrap()
                .len(),
            2,
            "{name}"
        );
    }
}

#[tokio::test]
async fn expired_records_are_told_apart_and_cannot_be_changed() {
    for kept in all() {
        let (store, name) = (&*kept.store, kept.name);
        let short = Change {
            head: Some("x".to_owned()),
            lives: Some(Duration::from_millis(30)),
            ..change("a", Precondition::New)
        };
        store.commit(&short).await.unwrap();
        tokio::time::sleep(Duration::from_millis(60)).await;
        assert!(
            store.record(&short.id).await.unwrap().unwrap().is_expired(),
            "{name}"
        );
        assert!(
            store
                .list(&Tenant::local(), "thing", None, 9)
                .await
                .unwrap()
                .is_empty(),
            "{name}"
        );
        for expects in [Precondition::Present, Precondition::Version(1)] {
            assert_eq!(
                store.commit(&change("a", expects)).await.unwrap(),
                Committed::Missing,
                "{name}"
            );
        }
        assert_eq!(get(store, &short.id).await.unwrap(), None, "{name}");
        put(store, short.id.clone(), "again".to_owned(), LONG, 9)
            .await
            .unwrap();
        let found = get(store, &short.id).await.unwrap().unwrap();
        assert!(
            found.head == "again" && (3_590_000..=3_600_000).contains(&found.left),
            "{name}: {found:?}"
        );
    }
}

#[tokio::test]
async fn tenants_and_names_never_meet() {
    for kept in all() {
        let (store, name) = (&*kept.store, kept.name);
        let places = [
            ("a", "b"),
            ("a}", "b"),
            ("", "a/b"),
            ("a/thing/b", ""),
            ("a", "B"),
            ("ä", "b"),
            ("a", "b\u{0}"),
        ];
        let place =
            |(tenant, key): (&str, &str)| RecordId::new(&Tenant::subject(tenant), "thing", key);
        for pair in places {
            put(store, place(pair), format!("{pair:?}"), LONG, 9)
                .await
                .unwrap();
        }
        for pair in places {
            assert_eq!(
                get(store, &place(pair)).await.unwrap().unwrap().head,
                format!("{pair:?}"),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn turns_come_at_the_pace_for_all_who_share_the_queue() {
    for kept in all() {
        let (store, name) = (&*kept.store, kept.name);
        let other = kept.other.as_deref().unwrap_or(store);
        let (minute, step) = (Duration::from_secs(60), Duration::from_secs(30));
        let take = async |store: &dyn Store, longest| {
            store.turn("queue", step, minute, longest).await.unwrap()
        };
        assert_eq!(
            take(store, Duration::ZERO).await,
            Ok(Duration::ZERO),
            "{name}"
        );
        assert_eq!(
            take(other, Duration::ZERO).await,
            Ok(Duration::ZERO),
            "{name}"
        );
        for _ in 0..3 {
            let wait = take(other, Duration::from_secs(1))
                .await
                .expect_err("two in a minute");
            assert!(
                (20..=30).contains(&wait.as_secs()),
                "{name}: a turn that is not taken moves nothing: {wait:?}"
            );
        }
        assert!(
            take(store, minute)
                .await
                .is_ok_and(|wait| wait.as_secs() >= 20),
            "{name}"
        );
        assert_eq!(
            store
                .turn("another", step, minute, Duration::ZERO)
                .await
                .unwrap(),
            Ok(Duration::ZERO),
            "{name}"
        );
    }
}

#[tokio::test]
async fn changes_of_many_at_once_lose_nothing() {
    for kept in all() {
        insert(&*kept.store, "a").await;
        let doors = [
            kept.store.clone(),
            kept.other.clone().unwrap_or_else(|| kept.store.clone()),
        ];
        let work = (0..8).map(|writer| {
            let store = doors[writer % 2].clone();
            tokio::spawn(async move {
                for number in 0..25 {
                    let row = vec![append("log", &format!("{writer}-{number}"), 999)];
                    let done = store
                        .commit(&Change {
                            rows: row,
                            ..change("a", Precondition::Present)
                        })
                        .await
                        .unwrap();
                    assert_eq!(done, Committed::Done(1));
                }
            })
        });
        for writer in work.collect::<Vec<_>>() {
            writer.await.unwrap();
        }
        let written = rows(&*kept.store, "a", "log").await;
        let different: std::collections::HashSet<&String> =
            written.iter().map(|(_, row)| row).collect();
        assert_eq!(
            (written.len(), different.len()),
            (200, 200),
            "{}",
            kept.name
        );
        assert!(
            written
                .iter()
                .zip(1..)
                .all(|((number, _), expected)| *number == expected),
            "{}",
            kept.name
        );
    }
}

#[tokio::test]
async fn what_one_door_keeps_the_other_finds() {
    for kept in all() {
        let Some(other) = &kept.other else {
            assert!(!kept.store.is_shared());
            continue;
        };
        insert(&*kept.store, "a").await;
        let found = other
            .record(&change("a", Precondition::New).id)
            .await
            .unwrap();
        assert_eq!(
            found.map(|record| record.head).as_deref(),
            Some("head of a"),
            "{}",
            kept.name
        );
    }
}

#[tokio::test]
async fn records_of_faults_are_found_by_either_id() {
    for kept in all() {
        let (faults, name) = (FaultRecords::new(kept.store.clone()), kept.name);
        assert!(faults.newest(10).await.unwrap().is_empty(), "{name}");
        for number in 0..3 {
            let id = EventId::fresh();
            let record = json!({"eventId": id.as_str(), "requestId": format!("req_{number}"), "number": number});
            faults.record_event(&id, &record).await.unwrap();
            assert_eq!(
                faults.find(id.as_str()).await.unwrap(),
                Some(record.clone()),
                "{name}"
            );
            assert_eq!(
                faults.find(&format!("req_{number}")).await.unwrap(),
                Some(record),
                "{name}"
            );
        }
        let newest: Vec<_> = faults
            .newest(2)
            .await
            .unwrap()
            .iter()
            .map(|record| record["number"].clone())
            .collect();
        assert_eq!(newest, [json!(2), json!(1)], "{name}");
        assert_eq!(faults.find("unknown").await.unwrap(), None, "{name}");
    }
}
