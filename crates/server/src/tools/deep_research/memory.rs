//! What the model called before in this research.
//!
//! A model that makes the same call again gets the same answer again, with a notice and without a
//! request to anyone. When it does so a third time, it is going in circles and the loop ends.
//!
//! A failure that may pass is no such answer: the model was told that the same call can help, so it
//! is made again, once its wait is over.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

/// How often the same call may be made before the loop ends.
const CIRCLING: usize = 3;

/// A model cannot wait, so the research waits for it, but not longer than this.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The calls that were made, each with its answer.
#[derive(Debug, Default)]
pub(super) struct Memory(Vec<Remembered>);

#[derive(Debug)]
struct Remembered {
    tool: String,
    arguments: Value,
    times: usize,
    answer: Option<String>,
    /// When the same call may succeed, if it failed and may.
    retry_at: Option<Instant>,
}

impl Remembered {
    /// When it can be made again, if that is soon enough.
    fn take_retry(&mut self, until: Instant) -> Option<Instant> {
        let latest = until.min(Instant::now() + LONGEST_WAIT);
        let at = self.retry_at.filter(|at| *at < latest)?;
        self.retry_at = None;
        Some(at)
    }
}

/// What is known about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is new, and will be remembered under this number.
    New(usize),
    /// It failed before, under this number, and may succeed from this moment on.
    Retry(usize, Instant),
    /// It was made before, under this number.
    Again(usize),
    /// It was made so often that the loop must end.
    Circling(usize),
}

impl Memory {
    /// Counts a call. Two calls are the same when tool and arguments are, whatever their order.
    /// Nothing is waited for beyond `until`.
    pub(super) fn count(&mut self, tool: &str, arguments: &Value, until: Instant) -> Seen {
        let is_same = |it: &Remembered| it.tool == tool && it.arguments == *arguments;
        let Some(number) = self.0.iter().position(is_same) else {
            self.0.push(Remembered {
                tool: tool.to_owned(),
                arguments: arguments.clone(),
                times: 1,
                answer: None,
                retry_at: None,
            });
            return Seen::New(self.0.len() - 1);
        };
        let known = &mut self.0[number];
        if let Some(at) = known.take_retry(until) {
            known.times = 1;
            return Seen::Retry(number, at);
        }
        known.times += 1;
        if known.times >= CIRCLING {
            Seen::Circling(number)
        } else {
            Seen::Again(number)
        }
    }

    /// Keeps an answer, and in how many seconds the call may succeed if it failed and may.
    pub(super) fn remember(&mut self, number: usize, answer: &str, wait: Option<u64>) {
        let at = |seconds| Instant::now().checked_add(Duration::from_secs(seconds));
        if let Some(known) = self.0.get_mut(number) {
            known.answer = Some(answer.to_owned());
            known.retry_at = wait.and_then(at);
        }
    }

    /// The answer of an earlier call; `None` while it is being made.
    pub(super) fn answer(&self, number: usize) -> Option<&str> {
        self.0.get(number)?.answer.as_deref()
    }
}

/// The answer of an earlier call, with a notice.
pub(super) fn again(before: &str) -> String {
    const NOTICE: &str = "This is the answer of the same call before; it was not made again.";
    let mut value: Value = serde_json::from_str(before).unwrap_or_default();
    if let Some(error) = value["error"].as_str() {
        return json!({"error": format!("{error} {NOTICE}")}).to_string();
    }
    match value.get_mut("result") {
        Some(Value::Object(result)) => result.insert("notice".to_owned(), json!(NOTICE)),
        _ => return json!({"result": {"notice": NOTICE}}).to_string(),
    };
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn an_earlier_answer_is_marked_and_stays_a_result_or_an_error() {
        let result = again("{\"result\":{\"text\":\"a\",\"sources\":[]}}");
        let result: Value = serde_json::from_str(&result).expect("JSON");
        assert!(result["result"]["notice"].is_string() && result["result"]["text"] == "a");
        let error = again("{\"error\":\"Input Error: No.\"}");
        assert!(
            error.starts_with("{\"error\":\"Input Error: No. This is"),
            "{error}"
        );
    }

    #[test]
    fn the_third_identical_call_is_going_in_circles() {
        let mut memory = Memory::default();
        let first = json!({"query": "a", "max_results": 3});
        assert_eq!(memory.count("web_search", &first, until()), Seen::New(0));
        memory.remember(0, "{\"result\":1}", None);
        assert_eq!(memory.count("news_search", &first, until()), Seen::New(1));
        let reordered = json!({"max_results": 3, "query": "a"});
        assert_eq!(
            memory.count("web_search", &reordered, until()),
            Seen::Again(0)
        );
        assert_eq!(memory.answer(0), Some("{\"result\":1}"));
        assert_eq!(
            memory.count("web_search", &first, until()),
            Seen::Circling(0)
        );
        assert_eq!(
            memory.count("web_search", &json!({"query": "b"}), until()),
            Seen::New(2)
        );
    }

    #[test]
    fn a_failure_that_may_pass_is_tried_again_unless_its_wait_is_long() {
        let mut memory = Memory::default();
        let same = json!({"query": "a"});
        assert_eq!(memory.count("web_search", &same, until()), Seen::New(0));
        // Of two in one message, the second has no answer yet.
        assert_eq!(memory.count("web_search", &same, until()), Seen::Again(0));
        for _ in 0..4 {
            memory.remember(0, "{\"error\":\"busy\"}", Some(1));
            let seen = memory.count("web_search", &same, until());
            assert!(
                matches!(seen, Seen::Retry(0, at) if at > Instant::now() - Duration::from_secs(9)),
                "{seen:?}"
            );
        }
        memory.remember(0, "{\"error\":\"busy\"}", Some(30));
        assert_eq!(memory.count("web_search", &same, until()), Seen::Again(0));
        memory.remember(0, "{\"error\":\"busy\"}", Some(5));
        let soon = Instant::now() + Duration::from_secs(2);
        assert_eq!(memory.count("web_search", &same, soon), Seen::Circling(0));
    }
}
