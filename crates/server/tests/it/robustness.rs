//! Bytes no decent client would send, over the pipes of the real program.

use serde_json::json;

use crate::client::Client;

#[tokio::test]
async fn garbage_between_frames_is_survived() {
    let mut client = Client::spawn(&[]);
    client.bytes(b"not json\n\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await;
    client.bytes(b"\xff\xfe\x00\xc3\x28\n{\"jsonrpc\":\n[]\n").await;
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
    assert!(client.others.iter().all(|frame| frame.get("error").is_some()), "{:?}", client.others);
}

#[tokio::test]
async fn a_nested_bomb_and_an_oversized_line_are_survived() {
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
async fn a_closed_input_ends_the_program_after_what_was_asked_is_answered() {
    let mut client = Client::spawn(&[]);
    client.initialize("2025-11-25").await;
    let mut asked = Vec::new();
    for _ in 0..20 {
        asked.push(client.begin("tools/call", json!({"name": "health_check", "arguments": {}})).await);
    }
    client.close_input();
    let (frames, code) = client.rest().await;
    assert_eq!(code, Some(0));
    for id in asked {
        assert!(frames.iter().any(|frame| frame["id"] == id), "{id}");
    }
}

#[tokio::test]
async fn a_client_that_leaves_at_once_is_no_error() {
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
async fn a_client_that_stops_reading_does_not_stop_the_program_from_ending() {
    let mut client = Client::spawn(&[]);
    client.initialize("2025-11-25").await;
    client.stop_reading();
    for _ in 0..50 {
        client.begin("tools/call", json!({"name": "health_check", "arguments": {}})).await;
    }
    client.close_input();
    assert_eq!(client.exit_code().await, Some(0));
}

#[tokio::test]
async fn a_thousand_mixed_calls_put_nothing_but_frames_on_stdout() {
    let mut client = Client::spawn(&["--log", "trace"]);
    client.initialize("2025-11-25").await;
    let mut asked = Vec::new();
    for number in 0..1_000u32 {
        let (method, params) = match number % 8 {
            0 => ("tools/call", json!({"name": "health_check", "arguments": {}})),
            1 => ("tools/call", json!({"name": "health_check", "arguments": {"x": number}})),
            2 => ("tools/call", json!({"name": "nobody", "arguments": {}})),
            3 => ("tools/call", json!({"name": "health_check", "arguments": "[]"})),
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
