//! A client without a thought of its own: it does what a failed call tells it to do, and nothing
//! else.
//!
//! It reads `retryable`, `retryAfterSeconds`, `suggestedAction`, `alternatives` and `nextCalls`,
//! from the structured reply or from the JSON in its text. It makes the first of the calls that are
//! listed, goes to the first alternative when it is sent elsewhere, waits exactly as long as it is
//! told, and stops when it is told to. What it reaches shows what the advice is worth.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;

/// Whoever is still going on after so many calls is going in circles.
const MOST_CALLS: usize = 8;

/// For advice to come back that does not say when.
const UNTOLD: Duration = Duration::from_secs(1);

/// Where obeying led.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// What was wanted is here.
    Reached,
    /// The last reply says that no call will help.
    Stopped,
    /// The last reply advises what cannot be done, or nothing.
    Stranded,
    /// A reply says success and does not hold what was wanted.
    Deceived,
    /// Neither within so many calls and so much time.
    Circling,
}

impl End {
    pub fn as_str(self) -> &'static str {
        match self {
            End::Reached => "reached",
            End::Stopped => "stopped",
            End::Stranded => "stranded",
            End::Deceived => "deceived",
            End::Circling => "circling",
        }
    }
}

/// One call that was made.
#[derive(Debug)]
pub struct Made {
    pub tool: String,
    pub arguments: Value,
    /// The machine-readable error, if it failed.
    pub error: Option<Value>,
    /// Requests that reached the other side because of it.
    pub asked: u64,
    /// A quarter of the characters of a failed reply.
    pub tokens: usize,
}

/// The way from the first call to the end.
#[derive(Debug)]
pub struct Course {
    pub end: End,
    pub calls: Vec<Made>,
}

impl Course {
    pub fn tokens(&self) -> usize {
        self.calls.iter().map(|call| call.tokens).sum()
    }

    /// Calls that were made because the same call had failed and was to be repeated, and that
    /// nobody but ourselves answered.
    pub fn replayed(&self) -> usize {
        let repeats = self
            .calls
            .windows(2)
            .filter(|pair| pair[0].arguments == pair[1].arguments && pair[0].tool == pair[1].tool);
        repeats
            .filter(|pair| pair[1].asked == 0 && pair[1].error.is_some())
            .count()
    }
}

/// What is asked for, and how to know that it came.
#[derive(Debug, Clone)]
pub struct Wish {
    pub tool: &'static str,
    pub arguments: Value,
    /// Any of these words is proof.
    pub wanted: &'static [&'static str],
    /// The time after which nobody would still be waiting.
    pub patience: Duration,
}

enum Step {
    Call {
        wait: Duration,
        tool: String,
        arguments: Value,
    },
    End(End),
}

/// Obeys until there is nothing left to obey. `asked` counts the requests that reached the other
/// side.
pub async fn obey(client: &mut Client, wish: &Wish, asked: impl Fn() -> u64) -> Course {
    let (mut tool, mut arguments, mut calls) =
        (wish.tool.to_owned(), wish.arguments.clone(), Vec::new());
    let began = Instant::now();
    loop {
        let before = asked();
        let result = client.call(&tool, arguments.clone()).await;
        let error = (result["isError"] == true).then(|| told(&result));
        let tokens = if error.is_some() {
            result.to_string().chars().count() / 4
        } else {
            0
        };
        calls.push(Made {
            tool: tool.clone(),
            arguments: arguments.clone(),
            error: error.clone(),
            asked: asked() - before,
            tokens,
        });
        let step = match &error {
            None => Step::End(if holds(&result, wish.wanted) {
                End::Reached
            } else {
                End::Deceived
            }),
            Some(error) => next(error, &tool, &arguments),
        };
        match step {
            Step::End(end) => return Course { end, calls },
            Step::Call { wait, .. }
                if calls.len() >= MOST_CALLS || began.elapsed() + wait > wish.patience =>
            {
                return Course {
                    end: End::Circling,
                    calls,
                };
            }
            Step::Call {
                wait,
                tool: other,
                arguments: changed,
            } => {
                tokio::time::sleep(wait).await;
                (tool, arguments) = (other, changed);
            }
        }
    }
}

fn holds(result: &Value, wanted: &[&str]) -> bool {
    let text = result["content"].to_string();
    wanted.iter().any(|word| text.contains(word))
}

/// The error in a reply: structured, or the last line of a text that is JSON.
fn told(result: &Value) -> Value {
    let structured = &result["structuredContent"]["error"];
    if structured.is_object() {
        return structured.clone();
    }
    let texts = result["content"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|block| block["text"].as_str());
    let lines = texts
        .flat_map(str::lines)
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .map(|line| line["error"].clone())
        .rfind(Value::is_object)
        .unwrap_or_default()
}

/// What the error tells to do.
fn next(error: &Value, tool: &str, arguments: &Value) -> Step {
    let wait = error["retryAfterSeconds"].as_u64().map(Duration::from_secs);
    let again = |wait: Option<Duration>| Step::Call {
        wait: wait.unwrap_or(UNTOLD),
        tool: tool.to_owned(),
        arguments: arguments.clone(),
    };
    if let Some(call) = error["nextCalls"].get(0) {
        let (next_tool, next_arguments) = (
            call["tool"].as_str().unwrap_or_default().to_owned(),
            call["arguments"].clone(),
        );
        let is_same = next_tool == tool && next_arguments == *arguments;
        let wait = if is_same {
            wait.unwrap_or_default()
        } else {
            Duration::ZERO
        };
        return Step::Call {
            wait,
            tool: next_tool,
            arguments: next_arguments,
        };
    }
    let may_pass = error["retryable"] == true;
    match error["suggestedAction"].as_str() {
        Some("try_different_provider") => match error["alternatives"].get(0) {
            Some(other) => {
                let mut changed = arguments.clone();
                changed["provider"] = json!(other);
                Step::Call {
                    wait: Duration::ZERO,
                    tool: tool.to_owned(),
                    arguments: changed,
                }
            }
            None if may_pass => again(wait),
            None => Step::End(End::Stranded),
        },
        Some("retry_after_delay") if may_pass => again(wait),
        Some("inform_user" | "check_api_key" | "report_bug" | "broaden_query") => {
            Step::End(End::Stopped)
        }
        _ => Step::End(End::Stranded),
    }
}
