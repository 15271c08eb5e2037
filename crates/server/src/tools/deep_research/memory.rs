//! What the model called before in this research.
//!
//! A model that makes the same call again gets the same answer again, with a notice and without a
//! request to anyone. When it does so a third time, it is going in circles and the loop ends.

use serde_json::Value;

/// How often the same call may be made before the loop ends.
const CIRCLING: usize = 3;

/// The calls that were made, each with its answer.
#[derive(Debug, Default)]
pub(super) struct Memory(Vec<Remembered>);

#[derive(Debug)]
struct Remembered {
    tool: String,
    arguments: Value,
    times: usize,
    answer: Option<String>,
}

/// What is known about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is new, and will be remembered under this number.
    New(usize),
    /// It was made before, under this number.
    Again(usize),
    /// It was made so often that the loop must end.
    Circling(usize),
}

impl Memory {
    /// Counts a call. Two calls are the same when tool and arguments are, whatever their order.
    pub(super) fn count(&mut self, tool: &str, arguments: &Value) -> Seen {
        let is_same = |it: &Remembered| it.tool == tool && it.arguments == *arguments;
        let Some(number) = self.0.iter().position(is_same) else {
            self.0.push(Remembered {
                tool: tool.to_owned(),
                arguments: arguments.clone(),
                times: 1,
                answer: None,
            });
            return Seen::New(self.0.len() - 1);
        };
        let known = &mut self.0[number];
        known.times += 1;
        if known.times >= CIRCLING {
            Seen::Circling(number)
        } else {
            Seen::Again(number)
        }
    }

    pub(super) fn remember(&mut self, number: usize, answer: &str) {
        if let Some(known) = self.0.get_mut(number) {
            known.answer = Some(answer.to_owned());
        }
    }

    /// The answer of an earlier call; `None` while it is being made.
    pub(super) fn answer(&self, number: usize) -> Option<&str> {
        self.0.get(number)?.answer.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_third_identical_call_is_going_in_circles() {
        let mut memory = Memory::default();
        let first = json!({"query": "a", "max_results": 3});
        assert_eq!(memory.count("web_search", &first), Seen::New(0));
        memory.remember(0, "{\"result\":1}");
        assert_eq!(memory.count("news_search", &first), Seen::New(1));
        let reordered = json!({"max_results": 3, "query": "a"});
        assert_eq!(memory.count("web_search", &reordered), Seen::Again(0));
        assert_eq!(memory.answer(0), Some("{\"result\":1}"));
        assert_eq!(memory.count("web_search", &first), Seen::Circling(0));
        assert_eq!(
            memory.count("web_search", &json!({"query": "b"})),
            Seen::New(2)
        );
    }
}
