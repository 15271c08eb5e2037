//! The dispatcher: panics, deadlines, cancellation, too many calls, repeated failures.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::{Value, json};
use server::settings::Settings;

use crate::tools::{COUNTING, DROPPED, session};

fn machine(result: &Value) -> Value {
    let text = result["content"][0]["text"].as_str().unwrap();
    serde_json::from_str::<Value>(text.split_once("\n\n").unwrap().1).unwrap()["error"].clone()
}

#[tokio::test]
async fn ping_is_answered_while_a_call_is_slow() {
    let mut client = session(Settings::default()).await;
    let slow = client
        .begin(
            "tools/call",
            json!({"name": "slow", "arguments": {"milliseconds": 700}}),
        )
        .await;
    let pong = client.request("ping", json!({})).await;
    assert_eq!(pong["result"], json!({}));
    assert!(client.others.is_empty(), "the ping came first");
    assert_eq!(
        client.reply(slow).await["result"]["content"][0]["text"],
        "slept"
    );
}

#[tokio::test]
async fn a_panic_becomes_an_internal_fault_without_its_message() {
    let mut client = session(Settings::default()).await;
    for inside in [0, 1] {
        let result = client.call("panics", json!({"milliseconds": inside})).await;
        assert_eq!(machine(&result)["reason"], "internal");
        assert_eq!(machine(&result)["retryable"], false);
        assert!(!result.to_string().contains("hunter2"), "{result}");
    }
    let fine = client.call("slow", json!({})).await;
    assert_eq!(fine["isError"], false);
}

/// Waits for a record that is stored in the background.
async fn found(faults: &engine::store::FaultRecords, id: &str) -> Value {
    for _ in 0..200 {
        if let Some(record) = faults.find(id).await.unwrap() {
            return record;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no record of {id}");
}

#[tokio::test]
async fn an_event_id_leads_to_a_record_that_exists() {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path().join("made-when-needed");
    let mut client = session(Settings {
        data_dir: Some(folder.clone()),
        ..Settings::default()
    })
    .await;
    assert!(
        !folder.exists(),
        "nothing is made before there is something to keep"
    );
    let expected = machine(&client.call("fails", json!({})).await);
    assert!(
        expected.get("eventId").is_none(),
        "an expected fault makes no event: {expected}"
    );
    let error = machine(&client.call("panics", json!({})).await);
    let faults =
        engine::store::FaultRecords::new(engine::store::open(None, Some(&folder)).unwrap());
    let noted = found(&faults, expected["requestId"].as_str().unwrap()).await;
    assert_eq!(
        (&noted["kind"], &noted["tool"]),
        (&expected["kind"], &json!("fails")),
        "any request id leads to a record"
    );
    let record = faults
        .find(error["eventId"].as_str().unwrap())
        .await
        .unwrap()
        .expect("the record exists");
    assert_eq!(record["requestId"], error["requestId"]);
    assert_eq!(record["tool"], "panics");
    assert!(
        record["upstream"].to_string().contains("hunter2-inside"),
        "the operator may read it: {record}"
    );

    let file = kept.path().join("a-file");
    std::fs::write(&file, "").unwrap();
    let mut client = session(Settings {
        data_dir: Some(file),
        ..Settings::default()
    })
    .await;
    let error = machine(&client.call("panics", json!({})).await);
    assert!(error.get("eventId").is_none(), "no record, no id: {error}");
}

#[tokio::test]
async fn a_call_that_exceeds_its_deadline_is_dropped() {
    let _turn = COUNTING.lock().await;
    let mut client = session(Settings {
        deadline: Duration::from_millis(100),
        ..Settings::default()
    })
    .await;
    let before = DROPPED.load(Ordering::SeqCst);
    let result = client.call("slow", json!({"milliseconds": 60_000})).await;
    assert_eq!(machine(&result)["reason"], "timeout");
    assert_eq!(machine(&result)["retryable"], true);
    assert_eq!(DROPPED.load(Ordering::SeqCst), before + 1);
}

#[tokio::test]
async fn a_tool_may_have_a_deadline_of_its_own() {
    let _turn = COUNTING.lock().await;
    let mut client = session(Settings {
        deadline: Duration::from_millis(100),
        ..Settings::default()
    })
    .await;
    let result = client.call("patient", json!({"milliseconds": 500})).await;
    assert!(result["isError"] != true, "{result}");
    let result = client
        .call("patient", json!({"milliseconds": 60_000}))
        .await;
    assert_eq!(machine(&result)["reason"], "timeout");
    let said = result["content"][0]["text"].as_str().unwrap_or_default();
    assert!(said.contains("0.8") || said.contains("800"), "{said}");
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_nothing_more_is_sent_for_it() {
    let _turn = COUNTING.lock().await;
    let mut client = session(Settings::default()).await;
    let before = DROPPED.load(Ordering::SeqCst);
    let id = client
        .begin(
            "tools/call",
            json!({"name": "slow", "arguments": {"milliseconds": 60_000}}),
        )
        .await;
    client.request("ping", json!({})).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    for _ in 0..100 {
        if DROPPED.load(Ordering::SeqCst) > before {
            break;
        }
        client.request("ping", json!({})).await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(DROPPED.load(Ordering::SeqCst), before + 1);
    client.request("ping", json!({})).await;
    assert!(
        client.others.iter().all(|frame| frame["id"] != id),
        "{:?}",
        client.others
    );
}

#[tokio::test]
async fn calls_above_the_limit_are_refused_with_a_wait_after_which_they_succeed() {
    let mut client = session(Settings {
        max_concurrent: 2,
        deadline: Duration::from_secs(1),
        ..Settings::default()
    })
    .await;
    let slow = json!({"name": "slow", "arguments": {"milliseconds": 500}});
    let first = client.begin("tools/call", slow.clone()).await;
    let second = client.begin("tools/call", slow.clone()).await;
    client.request("ping", json!({})).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let busy = client.call("slow", json!({"milliseconds": 500})).await;
    let error = machine(&busy);
    assert_eq!(error["kind"], "rate_limited");
    assert_eq!(error["reason"], "local_limit");
    assert_eq!(error["retryable"], true);
    let wait = error["retryAfterSeconds"].as_u64().unwrap();
    client.reply(first).await;
    client.reply(second).await;
    tokio::time::sleep(Duration::from_secs(wait)).await;
    assert_eq!(
        client.call("slow", json!({"milliseconds": 1})).await["isError"],
        false
    );
}

#[tokio::test]
async fn a_short_burst_waits_for_slots() {
    let mut client = session(Settings {
        max_concurrent: 2,
        ..Settings::default()
    })
    .await;
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(
            client
                .begin(
                    "tools/call",
                    json!({"name": "slow", "arguments": {"milliseconds": 20}}),
                )
                .await,
        );
    }
    for id in ids {
        assert_eq!(client.reply(id).await["result"]["isError"], false);
    }
}

#[tokio::test]
async fn the_third_identical_failure_says_stop() {
    let mut client = session(Settings::default()).await;
    let mut sentences = Vec::new();
    for _ in 0..3 {
        let result = client.call("fails", json!({"milliseconds": 7})).await;
        assert!(
            result.get("structuredContent").is_none(),
            "the schema admits only success: {result}"
        );
        sentences.push(result["content"][0]["text"].as_str().unwrap().to_owned());
    }
    assert!(!sentences[1].contains("stop"), "{}", sentences[1]);
    assert!(
        sentences[2].contains("failed 3 times: stop repeating it"),
        "{}",
        sentences[2]
    );
    let other = client.call("fails", json!({"milliseconds": 8})).await;
    assert!(
        !other["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("stop"),
        "another call is another matter"
    );
}

#[tokio::test]
async fn progress_increases_and_ends_before_the_result() {
    let mut client = session(Settings::default()).await;
    let params = json!({"name": "steps", "arguments": {}, "_meta": {"progressToken": "t1"}});
    let result = client.request("tools/call", params).await;
    assert_eq!(result["result"]["content"][0]["text"], "done");
    let steps: Vec<f64> = client
        .others
        .iter()
        .map(|frame| frame["params"]["progress"].as_f64().unwrap())
        .collect();
    assert_eq!(steps, [0.0, 50.0, 100.0]);
    assert!(
        client
            .others
            .iter()
            .all(|frame| frame["params"]["progressToken"] == "t1")
    );

    client.others.clear();
    client.call("steps", json!({})).await;
    assert!(
        client.others.is_empty(),
        "nobody asked: {:?}",
        client.others
    );
}

#[tokio::test]
async fn a_full_server_advises_to_wait_until_its_first_call_must_end() {
    let mut client = session(Settings {
        max_concurrent: 1,
        deadline: Duration::from_secs(4),
        ..Settings::default()
    })
    .await;
    let slow = client
        .begin(
            "tools/call",
            json!({"name": "slow", "arguments": {"milliseconds": 60_000}}),
        )
        .await;
    client.request("ping", json!({})).await;
    let error = machine(&client.call("slow", json!({})).await);
    let wait = error["retryAfterSeconds"].as_u64().unwrap();
    assert!(
        (3..=4).contains(&wait),
        "one second was spent waiting: {error}"
    );
    tokio::time::sleep(Duration::from_secs(wait)).await;
    assert_eq!(
        client.call("slow", json!({"milliseconds": 1})).await["isError"],
        false,
        "a client that waits as advised gets a slot"
    );
    client.reply(slow).await;
}

#[tokio::test]
async fn the_third_identical_failure_advises_no_wait_in_any_dialect() {
    for dialect in fault::Dialect::ALL {
        let settings = Settings {
            dialect: Some(*dialect),
            max_concurrent: 1,
            deadline: Duration::from_millis(80),
            ..Settings::default()
        };
        let mut client = session(settings).await;
        let mut last = Value::Null;
        for _ in 0..3 {
            last = client.call("slow", json!({"milliseconds": 60_000})).await;
        }
        let reply = last.to_string();
        assert!(reply.contains("stop repeating it"), "{dialect}: {reply}");
        for contradiction in [
            "retryAfterSeconds",
            "nextCalls",
            "and retry",
            "may succeed",
            "retry_after_delay",
            ", wait",
        ] {
            assert!(
                !reply.contains(contradiction),
                "{dialect} still says {contradiction}: {reply}"
            );
        }
    }
}

#[tokio::test]
async fn a_failure_without_a_stored_record_has_no_event_id() {
    let mut client = session(Settings {
        ephemeral: true,
        ..Settings::default()
    })
    .await;
    let error = machine(&client.call("panics", json!({})).await);
    assert!(error.get("eventId").is_none(), "{error}");
}
