//! Invalid and hostile input over the pipes of the real program.

use serde_json::json;

use crate::client::Client;

#[tokio::test]
async fn garbage_between_frames_is_skipped() {
    let mut client = Client::spawn(&[]);
    client
        .bytes(b"not json\n\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
        .await;
    client
        .bytes(b"\xff\xfe\x00\xc3\x28\n{\"jsonrpc\":\n[]\n")
        .await;
    client.initialize("2025-11-25").await;
    client.others.clear();
    for junk in [
        &b"\xff\xff\xff\xff\n"[..],
        b"{\"jsonrpc\":\"2.0\",\"id\":\n",
        b"{}\n[]\n5\n\"text\"\nnull\n",
        b"{\"jsonrpc\":\"1.0\",\"id\":77,\"method\":\"ping\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nobody-knows\",\"params\":[1]}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":12345}}\n",
        b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n",
    ] {
        client.bytes(junk).await;
        let pong = client.request("ping", json!({})).await;
        assert_eq!(pong["result"], json!({}));
    }
    assert!(
        client
            .others
            .iter()
            .all(|frame| frame.get("error").is_some()),
        "{:?}",
        client.others
    );
}

#[tokio::test]
async fn deep_nesting_and_an_oversized_line_are_refused() {
    let mut client = Client::spawn(&[]);
    client.initialize("2025-11-25").await;
    let deep = format!("{}{}\n", "[".repeat(200_000), "]".repeat(200_000));
    client.bytes(deep.as_bytes()).await;
    let nested = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":50,\"method\":\"tools/call\",\"params\":{{\"name\":\"health_check\",\"arguments\":{{\"a\":{}{}}}}}}}\n",
        "[".repeat(100),
        "]".repeat(100)
    );
    client.bytes(nested.as_bytes()).await;
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..17 {
        client.bytes(&chunk).await;
    }
    client.bytes(b"\n").await;
    let health = client.call("health_check", json!({})).await;
    assert_eq!(health["isError"], false);
}

#[tokio::test]
async fn closing_the_input_ends_the_program_after_pending_calls_are_answered() {
    let mut client = Client::spawn(&[]);
    client.initialize("2025-11-25").await;
    let mut asked = Vec::new();
    for _ in 0..20 {
        asked.push(
            client
                .begin(
                    "tools/call",
                    json!({"name": "health_check", "arguments": {}}),
                )
                .await,
        );
    }
    client.close_input();
    let (frames, code) = client.rest().await;
    assert_eq!(code, Some(0));
    for id in asked {
        assert!(frames.iter().any(|frame| frame["id"] == id), "{id}");
    }
}

#[tokio::test]
async fn a_client_that_leaves_at_once_is_not_an_error() {
    let mut client = Client::spawn(&[]);
    client.close_input();
    assert_eq!(client.rest().await.1, Some(0));

    let mut half = Client::spawn(&[]);
    half.bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth").await;
    half.close_input();
    let (frames, code) = half.rest().await;
    assert_eq!((frames.len(), code), (0, Some(0)));
}

#[tokio::test]
async fn the_program_ends_even_if_the_client_stopped_reading() {
    let mut client = Client::spawn(&[]);
    client.initialize("2025-11-25").await;
    client.stop_reading();
    for _ in 0..50 {
        client
            .begin(
                "tools/call",
                json!({"name": "health_check", "arguments": {}}),
            )
            .await;
    }
    client.close_input();
    assert_eq!(client.exit_code().await, Some(0));
}

#[tokio::test]
async fn a_thousand_mixed_calls_write_only_frames_to_stdout() {
    let mut client = Client::spawn(&["--log", "trace"]);
    client.initialize("2025-11-25").await;
    let mut asked = Vec::new();
    for number in 0..1_000u32 {
        let (method, params) = match number % 8 {
            0 => (
                "tools/call",
                json!({"name": "health_check", "arguments": {}}),
            ),
            1 => (
                "tools/call",
                json!({"name": "health_check", "arguments": {"x": number}}),
            ),
            2 => ("tools/call", json!({"name": "nobody", "arguments": {}})),
            3 => (
                "tools/call",
                json!({"name": "health_check", "arguments": "[]"}),
            ),
            4 => ("tools/list", json!({})),
            5 => ("ping", json!({})),
            6 => ("no/such", json!({"number": number})),
            _ => ("resources/read", json!({"uri": format!("x://{number}")})),
        };
        asked.push(client.begin(method, params).await);
        if asked.len() == 50 {
            for id in asked.drain(..) {
                client.reply(id).await;
            }
        }
    }
    assert!(client.others.is_empty(), "{:?}", client.others);
    client.close_input();
    let (frames, code) = client.rest().await;
    assert_eq!((frames.len(), code), (0, Some(0)));
}

#[tokio::test]
async fn a_message_that_is_almost_json_is_answered_under_its_id() {
    let mut client = Client::spawn(&["--ephemeral"]);
    client.initialize("2025-11-25").await;
    let call = |id: u64, value: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"health_check\",\"arguments\":{{\"a\":{value}}}}}}}\n"
        )
    };
    let deep = "[".repeat(300) + &"]".repeat(300);
    client.bytes(call(101, "\"\\ud800\"").as_bytes()).await;
    client
        .bytes(
            &call(102, "\"?\"")
                .into_bytes()
                .into_iter()
                .map(|byte| if byte == b'?' { 0xFF } else { byte })
                .collect::<Vec<_>>(),
        )
        .await;
    for id in [101, 102] {
        let reply = client.reply(id).await;
        assert_eq!(
            reply["result"]["isError"], true,
            "it went on as an argument: {reply}"
        );
    }
    for (id, value) in [(103, deep.as_str()), (104, "1e999"), (105, "NaN")] {
        client.bytes(call(id, value).as_bytes()).await;
        assert_eq!(client.reply(id).await["error"]["code"], -32700, "{id}");
    }
    client.bytes(b"{\"jsonrpc\":\"2.0\",\"id\":106,\"method\":\"ping\"} {\"jsonrpc\":\"2.0\",\"id\":107,\"method\":\"ping\"}\n").await;
    assert_eq!(client.reply(106).await["error"]["code"], -32600);
    assert_eq!(client.reply(107).await["error"]["code"], -32600);
}

#[tokio::test]
async fn a_client_that_sends_without_reading_is_paused_and_later_answered_in_full() {
    let mut client = Client::spawn(&["--ephemeral"]);
    client.initialize("2025-11-25").await;
    let many = 3_000u64;
    let asking: String = (1..=many)
        .map(|id| {
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}}\n",
                1_000 + id
            )
        })
        .collect();
    let pipe = client.take_input();
    let writing = tokio::spawn(async move {
        let mut pipe = pipe;
        tokio::io::AsyncWriteExt::write_all(&mut pipe, asking.as_bytes())
            .await
            .unwrap();
    });
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert!(
        !writing.is_finished(),
        "the server reads no further than it can answer"
    );
    for id in 1..=many {
        client.reply(1_000 + id).await;
    }
    writing.await.unwrap();
}

#[tokio::test]
async fn cancelled_calls_free_their_slots() {
    let mut client = Client::spawn(&["--ephemeral"]);
    client.initialize("2025-11-25").await;
    for id in 0..2_500u64 {
        let call = json!({"jsonrpc": "2.0", "id": 10_000 + id, "method": "tools/call", "params": {"name": "scrape_page", "arguments": {"url": "http://10.0.0.1/"}}});
        client.send(&call).await;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 10_000 + id}})).await;
        if id % 100 == 0 {
            assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
            client.others.clear();
        }
    }
}

#[tokio::test]
async fn a_request_before_a_session_is_refused_with_what_is_missing() {
    let mut client = Client::spawn(&["--ephemeral"]);
    let early = client.request("tools/list", json!({})).await;
    assert_eq!(early["error"]["code"], -32602);
    assert!(
        early["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("Send initialize first"),
        "{early}"
    );
    let unknown = client.request("no/such", json!({})).await;
    assert_eq!(
        unknown["error"],
        json!({"code": -32601, "message": "This server has no such method."})
    );
    let bare = client.request("initialize", json!({})).await;
    assert_eq!(bare["error"]["code"], -32602, "{bare}");
    client.initialize("2025-11-25").await;
    for (method, params, code) in [
        ("tools/list", json!({"cursor": 5}), -32602),
        ("tools/list", json!({"_meta": 5}), -32602),
        ("logging/setLevel", json!({"level": "info"}), -32601),
        ("no/such", json!({}), -32601),
    ] {
        let refused = client.request(method, params).await;
        assert_eq!(refused["error"]["code"], code, "{refused}");
        assert!(
            refused["error"]["message"].as_str().unwrap().ends_with('.'),
            "{refused}"
        );
    }
    assert!(
        client.request("ping", json!({"_meta": 5})).await["error"]["message"]
            .as_str()
            .unwrap()
            .contains("_meta must be an object")
    );
}

#[tokio::test]
async fn protocol_errors_repeat_no_keys_and_no_long_or_invisible_text() {
    let mut client = Client::spawn(&["--ephemeral"]);
    client.initialize("2025-11-25").await;
    let key = "sk-ant-api03-Zk3q9Vt7Lm2Xc5Rb8Nw1Yp4";
    let long = format!("x://\u{1b}{}?{key}", "y".repeat(3_000));
    let version = json!({"io.modelcontextprotocol/protocolVersion": format!("{key}{long}")});
    for (method, params) in [
        ("resources/read", json!({"uri": long})),
        ("tools/list", json!({"_meta": version})),
    ] {
        let refused = client.request(method, params).await.to_string();
        assert!(
            !refused.contains(key) && !refused.contains("\\u001b") && refused.len() < 800,
            "{refused}"
        );
    }
}
