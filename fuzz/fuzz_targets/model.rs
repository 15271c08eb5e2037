//! What a language model sends: reading it never panics, calls have ids of ours and bounded number,
//! and a text is either calls or an answer.
#![no_main]

use engine::model::{MAX_CALLS_IN_A_MESSAGE, TextAnswer, ToolCall, read_completion, read_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    if let Some(reply) = read_completion(body) {
        check(&reply.calls);
        read(&reply.text);
    }
    // The same bytes as the content of a message, and as its text.
    let text = String::from_utf8_lossy(body);
    let message = serde_json::json!({"choices": [{"message": {"content": text, "tool_calls": text}}]});
    let reply = read_completion(message.to_string().as_bytes()).expect("a message");
    assert!(reply.calls.is_empty());
    read(&text);
});

fn read(text: &str) {
    match read_text(text) {
        TextAnswer::Calls(calls) => {
            assert!(!calls.is_empty());
            check(&calls);
        }
        TextAnswer::Answer { text: answer, .. } => assert!(answer.len() <= text.len()),
    }
}

fn check(calls: &[ToolCall]) {
    assert!(calls.len() <= MAX_CALLS_IN_A_MESSAGE);
    for (index, call) in calls.iter().enumerate() {
        assert_eq!(call.id, format!("call{:05}", index + 1));
    }
}
