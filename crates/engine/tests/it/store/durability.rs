//! Acknowledged steps survive, whenever the process that wrote them is killed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use engine::research::{Limits, ResearchSessions};
use engine::store::{SqliteStore, Store as _, Tenant};

/// Enough to hit every part of a step; the bench kills more often.
const KILLS: usize = 50;

/// The text of each acknowledged step, by number.
type Acknowledged = BTreeMap<u32, String>;

fn research(folder: &Path) -> ResearchSessions {
    ResearchSessions::new(
        Arc::new(SqliteStore::new(Some(folder))),
        Limits {
            steps: u32::MAX,
            ..Limits::default()
        },
    )
}

fn writer(store: &Path, session: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_session-writer"));
    command
        .arg("write")
        .arg(store)
        .arg(session)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Lets a writer take some steps, kills it, and collects the steps it acknowledged.
fn killed(mut writer: Child, acknowledgements: usize, then: Duration) -> Acknowledged {
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).split(b'\n');
    let mut said: Vec<Vec<u8>> = lines
        .by_ref()
        .take(acknowledgements)
        .map(Result::unwrap)
        .collect();
    std::thread::sleep(then);
    writer.kill().unwrap();
    writer.wait().unwrap();
    said.extend(lines.map(Result::unwrap));
    let said = said
        .into_iter()
        .map(|line| String::from_utf8(line).unwrap());
    said.map(|line| {
        line.split_once(' ')
            .map(|(number, text)| (number.parse().expect(&line), text.to_owned()))
            .unwrap()
    })
    .collect()
}

async fn compare(folder: &Path, session: &str, acknowledged: &Acknowledged) {
    let steps = research(folder)
        .steps(&Tenant::local(), session, 1, usize::MAX >> 1)
        .await
        .unwrap();
    assert!(
        steps
            .iter()
            .zip(1..)
            .all(|(step, number)| step.number == number),
        "no gap and no repetition"
    );
    for (number, text) in acknowledged {
        assert_eq!(
            steps.get(*number as usize - 1).map(|step| &step.text),
            Some(text),
            "step {number} was acknowledged"
        );
    }
    // A step may be stored without being acknowledged, at most one for each kill.
    assert!(steps.len() <= acknowledged.len() + 2 * KILLS);
}

#[tokio::test]
async fn acknowledged_steps_survive_a_writer_that_is_killed_at_any_point() {
    let folder = tempfile::tempdir().unwrap();
    let session = research(folder.path())
        .start(&Tenant::local(), "goal")
        .await
        .unwrap()
        .id;
    let mut acknowledged = Acknowledged::new();
    for _ in 0..KILLS {
        let then = Duration::from_micros(fastrand::u64(0..8_000));
        let said = killed(
            writer(folder.path(), &session),
            fastrand::usize(0..12),
            then,
        );
        for (number, text) in said {
            assert_eq!(
                acknowledged.insert(number, text),
                None,
                "step {number} was acknowledged twice"
            );
        }
    }
    compare(folder.path(), &session, &acknowledged).await;
    println!(
        "{} acknowledged steps survived {KILLS} kills",
        acknowledged.len()
    );
}

#[tokio::test]
async fn two_processes_that_write_one_session_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let session = research(folder.path())
        .start(&Tenant::local(), "goal")
        .await
        .unwrap()
        .id;
    let writers = [
        writer(folder.path(), &session),
        writer(folder.path(), &session),
    ];
    let said =
        writers.map(|writer| std::thread::spawn(move || killed(writer, 100, Duration::ZERO)));
    let [one, other] = said.map(|thread| thread.join().unwrap());
    let mut acknowledged = one.clone();
    for (number, text) in other {
        assert_eq!(
            acknowledged.insert(number, text),
            None,
            "step {number} was given to both"
        );
    }
    assert!(acknowledged.len() >= 200);
    compare(folder.path(), &session, &acknowledged).await;
}

/// There may be a queue for every address that ever called.
#[tokio::test]
async fn queues_that_nobody_uses_any_more_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::new(Some(folder.path()));
    let take = async |queue: &str| {
        let (step, minute) = (Duration::from_secs(30), Duration::from_secs(60));
        store.turn(queue, step, minute, Duration::ZERO).await
    };
    take("in use").await.unwrap().unwrap();
    let file = rusqlite::Connection::open(folder.path().join("fingerpost.sqlite")).unwrap();
    for number in 0..35 {
        let old = format!("old {number}");
        let written = "insert into queues (name, booked) values (?1, 1000)";
        file.execute(written, [old]).unwrap();
    }
    for _ in 0..2 {
        take("another").await.unwrap().unwrap();
    }
    let left = "select group_concat(name) from (select name from queues order by name)";
    let left: String = file.query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(left, "another,in use");
}
