//! An obedient client: it does what a failed call says, and nothing else.
//!
//! It reads `retryable`, `retryAfterSeconds`, `suggestedAction`, `alternatives` and `nextCalls`,
//! from the structured reply or from the JSON in its text. It makes the first of the calls that are
//! listed, after its own wait, uses the first alternative when it is sent elsewhere, waits exactly as
//! long as advised, and stops when the reply says so. What it reaches shows how good the advice is.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::rules;
use crate::client::Client;

/// After this many calls the advice counts as leading in circles.
const MOST_CALLS: usize = 8;

/// The wait when the advice is to retry without saying when.
const UNTOLD: Duration = Duration::from_secs(1);

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The client got what it wanted.
    Reached,
    /// The last reply says that no call will help.
    Stopped,
    /// The last reply advises something impossible, or nothing.
    Stranded,
    /// A reply claims success without the wanted content.
    Deceived,
    /// The limit of calls or of time was reached.
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

/// One call of a run.
#[derive(Debug)]
pub struct Made {
    pub tool: String,
    pub arguments: Value,
    /// The error object, if it failed.
    pub error: Option<Value>,
    /// The rules that its failed reply breaks.
    pub broken_rules: Vec<&'static str>,
    /// Requests that the call caused upstream.
    pub asked: u64,
    /// The estimated tokens that a model reads of a failed reply: a quarter of the characters of its
    /// text.
    pub tokens: usize,
}

/// All calls of a run, and how it ended.
#[derive(Debug)]
pub struct Course {
    pub end: End,
    pub calls: Vec<Made>,
}

impl Course {
    /// Whether a reply breaks a rule, or this server answered an advised repetition itself.
    pub fn is_faulty(&self) -> bool {
        let breaks_rule = |call: &Made| !call.broken_rules.is_empty();
        self.replayed() > 0 || self.calls.iter().any(breaks_rule)
    }

    /// The tokens of each failed reply.
    pub fn failed_tokens(&self) -> Vec<usize> {
        let failed = self.calls.iter().filter(|call| call.error.is_some());
        failed.map(|call| call.tokens).collect()
    }

    pub fn tokens(&self) -> usize {
        self.calls.iter().map(|call| call.tokens).sum()
    }

    /// Advised repetitions that caused no upstream request, because this server answered them
    /// itself.
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

/// What the client wants, and how to recognise it.
#[derive(Debug, Clone)]
pub struct Wish {
    pub tool: &'static str,
    pub arguments: Value,
    /// A reply with any of these words has the wanted content.
    pub wanted: &'static [&'static str],
    /// The time limit of the run.
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

/// Follows the advice until the run ends. `asked` counts the upstream requests.
pub async fn obey(client: &mut Client, wish: &Wish, asked: impl Fn() -> u64) -> Course {
    let (mut tool, mut arguments, mut calls) =
        (wish.tool.to_owned(), wish.arguments.clone(), Vec::new());
    let began = Instant::now();
    loop {
        let before = asked();
        let result = client.call(&tool, arguments.clone()).await;
        let error = (result["isError"] == true).then(|| error_object(&result));
        let tokens = if error.is_some() {
            texts_of(&result)
                .map(|text| text.chars().count())
                .sum::<usize>()
                / 4
        } else {
            0
        };
        let broken_rules = error.as_ref().map_or_else(Vec::new, |error| {
            let text = texts_of(&result).next().unwrap_or_default();
            rules::broken(text, error, &tool, &arguments)
        });
        calls.push(Made {
            tool: tool.clone(),
            arguments: arguments.clone(),
            error: error.clone(),
            broken_rules,
            asked: asked() - before,
            tokens,
        });
        let step = match &error {
            None => Step::End(if has_content(&result, wish.wanted) {
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

fn has_content(result: &Value, wanted: &[&str]) -> bool {
    let text = result["content"].to_string();
    wanted.iter().any(|word| text.contains(word))
}

fn texts_of(result: &Value) -> impl Iterator<Item = &str> {
    let blocks = result["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str())
}

/// The error object of a reply: structured, or the last line of its text that is JSON.
fn error_object(result: &Value) -> Value {
    let structured = &result["structuredContent"]["error"];
    if structured.is_object() {
        return structured.clone();
    }
    let lines = texts_of(result)
        .flat_map(str::lines)
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .map(|line| line["error"].clone())
        .filter(Value::is_object)
        .last()
        .unwrap_or_default()
}

/// What the error advises.
fn next(error: &Value, tool: &str, arguments: &Value) -> Step {
    let wait = error["retryAfterSeconds"].as_u64().map(Duration::from_secs);
    let again = |wait: Option<Duration>| Step::Call {
        wait: wait.unwrap_or(UNTOLD),
        tool: tool.to_owned(),
        arguments: arguments.clone(),
    };
    if let Some(call) = error["nextCalls"].get(0) {
        let wait = call["afterSeconds"].as_u64().unwrap_or(0);
        return Step::Call {
            wait: Duration::from_secs(wait),
            tool: call["tool"].as_str().unwrap_or_default().to_owned(),
            arguments: call["arguments"].clone(),
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
