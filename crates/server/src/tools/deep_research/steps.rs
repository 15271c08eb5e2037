//! The loop: ask the model, make its calls, until it answers or its budget ends.
//!
//! Nothing that the model does makes the call fail. Calls that cannot be made are errors for the
//! model; a model that goes in circles or has used its budget is asked for its answer; a model that
//! fails is done without. Only when there is nothing to answer with, the model's fault is the
//! call's.

use engine::ChosenBy;
use engine::model::{ChatReply, Ending, Model, TextAnswer, ToolCall, in_text, read_text};
use fault::{Case, Context, Dialect, Fault, FieldName, Origin, Retry, Say, Surface, render};
use futures_util::{StreamExt, future::BoxFuture, stream};
use mask::Masker;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::depth::Budget;
use super::finding::{CallCounts, Draft, Finding, Stopped};
use super::memory::{Memory, Seen, again};
use super::offered::{self, CheckedCall, GivenArguments};
use super::outages::Outages;
use super::sources::Sources;
use super::transcript::Transcript;
use crate::clock::timestamp;
use crate::tools::Call;
use crate::tools::call_time::seconds_are;
use crate::tools::{InnerCall, InnerReply, Tool};

/// How many calls of one message are made at the same time.
const AT_ONCE: usize = 4;

const NOTHING_WRITTEN: &str =
    "You wrote nothing. Call a tool, or answer the question with citations.";

const MORE_TIME: &str = " allowed here: make the same call with a larger deadline.";

/// The parameter that gives a call its time.
pub(super) const DEADLINE: FieldName = FieldName::new("deadline");

/// One research.
pub(super) struct Research<'r> {
    pub(super) call: &'r Call<'r>,
    model: &'r dyn Model,
    pub(super) question: &'r str,
    pub(super) given: GivenArguments<'r>,
    pub(super) budget: Budget,
    transcript: Transcript,
    memory: Memory,
    pub(super) sources: Sources,
    masker: Masker,
    pub(super) counts: CallCounts,
    /// Whether the model is offered its tools in text.
    in_text: bool,
    has_answered: bool,
    is_circling: bool,
    /// What the answer lacks, as sentences.
    pub(super) degraded: Vec<String>,
    pub(super) outages: Outages,
}

/// A research that has nothing to answer with.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) fault: Fault,
    /// In how many seconds searching without a model can help; `None` when it cannot.
    pub(super) next_after: Option<u64>,
}

/// What is to be done about one call of the model.
enum Planned {
    /// It is made under this number, not before this moment.
    Make(usize, CheckedCall, Instant),
    /// It was made before, under this number.
    Repeat(usize),
    Refuse(Fault),
}

impl<'r> Research<'r> {
    pub(super) fn new(
        call: &'r Call<'r>,
        model: &'r dyn Model,
        question: &'r str,
        session: Option<&'r str>,
        budget: Budget,
    ) -> Research<'r> {
        let now = timestamp();
        let today = now.split('T').next().unwrap_or_default();
        let tools = offered::descriptions();
        let transcript = Transcript::new(question, today, budget.max_calls, tools, budget.context);
        let given = GivenArguments {
            session,
            result_chars: transcript.result_chars(),
        };
        Research {
            call,
            model,
            question,
            given,
            counts: CallCounts::new(budget.max_calls),
            budget,
            transcript,
            memory: Memory::default(),
            sources: Sources::of_question(question),
            masker: call.services.settings.masker(),
            in_text: !model.takes_tools(),
            has_answered: false,
            is_circling: false,
            degraded: Vec::new(),
            outages: Outages::default(),
        }
    }

    pub(super) async fn run(mut self) -> Result<Finding, Failed> {
        match self.converse().await {
            Ok(draft) => Ok(self.finish(draft)),
            Err(fault) => self.without_model(fault).await,
        }
    }

    /// Talks with the model until it answers.
    async fn converse(&mut self) -> Result<Draft, Fault> {
        let mut was_silent = false;
        loop {
            if let Some(stopped) = self.reason_to_stop() {
                return self.last_message(stopped).await;
            }
            let reply = self.ask(true).await?;
            match understood(reply) {
                Understood::Answer(draft) if !is_silent(&draft) => return Ok(draft),
                Understood::Answer(_) if was_silent => return Err(no_answer()),
                Understood::Answer(_) => {
                    was_silent = true;
                    self.transcript.add_instruction(NOTHING_WRITTEN);
                }
                Understood::Calls(text, calls) => self.make_calls(text, calls).await,
            }
        }
    }

    fn reason_to_stop(&self) -> Option<Stopped> {
        if self.is_circling {
            Some(Stopped::Repetition)
        } else if self.counts.made >= self.budget.max_calls {
            Some(Stopped::Calls)
        } else if !self.budget.is_gathering() {
            Some(Stopped::Time)
        } else {
            None
        }
    }

    /// Asks for the answer, without tools.
    async fn last_message(&mut self, stopped: Stopped) -> Result<Draft, Fault> {
        self.transcript.add_instruction(stopped.instruction());
        let reply = self.ask(false).await?;
        match understood(reply) {
            Understood::Answer(draft) if !is_silent(&draft) => Ok(Draft { stopped, ..draft }),
            _ => Err(no_answer()),
        }
    }

    /// The next message. An endpoint that refuses the first request may not know tools, so it is
    /// asked once more without them.
    async fn ask(&mut self, may_call: bool) -> Result<ChatReply, Fault> {
        let mut reply = self.ask_once(may_call).await;
        if let Err(fault) = &reply
            && !self.has_answered
            && !self.in_text
            && matches!(fault.seen_status(), Some(400 | 422))
        {
            self.in_text = true;
            reply = self.ask_once(may_call).await;
            if reply.is_ok() {
                self.degraded.push(
                    "The model's endpoint refused tool calls, so the tools were described to it in text.".to_owned(),
                );
            }
        }
        self.has_answered |= reply.is_ok();
        reply
    }

    async fn ask_once(&mut self, may_call: bool) -> Result<ChatReply, Fault> {
        self.counts.model += 1;
        self.step("asking the model");
        let mut request = self.transcript.request(may_call);
        if self.in_text {
            request = in_text(&request);
        }
        let deadline = if self.has_answered {
            self.budget.end()
        } else {
            self.budget.first_answer_by()
        };
        let limits = engine::Call {
            deadline: deadline.max(Instant::now()),
            ..self.call.limits()
        };
        let reply = self.model.ask(&limits, &request).await;
        reply.map_err(|fault| match Instant::now() >= limits.deadline {
            true => self.out_of_time(fault),
            false => fault,
        })
    }

    /// The fault of a model that did not answer in the time that the caller gave it: more time helps,
    /// and the model may be well.
    fn out_of_time(&self, fault: Fault) -> Fault {
        let Some(seconds) = self.budget.more_seconds.filter(|_| !fault.is_withdrawn()) else {
            return fault;
        };
        let seconds = usize::try_from(seconds).unwrap_or(usize::MAX);
        fault
            .saying(Say::new(
                "The time of this call was up before the language model answered.",
            ))
            .advising(seconds_are(seconds).with(MORE_TIME))
            .retry(Retry::Now)
            .parameter(DEADLINE)
    }

    pub(super) fn step(&self, message: &'static str) {
        let done = self.counts.made + self.counts.model;
        self.call.progress.step(done as f64, None, message);
    }

    /// Makes the calls of one message, new ones at the same time, and adds their results in order.
    async fn make_calls(&mut self, text: String, calls: Vec<ToolCall>) {
        let calls = self.transcript.add_calls(text, calls);
        let planned: Vec<Planned> = calls.iter().map(|call| self.plan(call)).collect();
        self.step("calling tools");
        let made = self.make_all(&planned).await;
        for ((call, planned), made) in calls.iter().zip(&planned).zip(made) {
            let (content, short) = match (made, planned) {
                (Some(reply), Planned::Make(number, made, _)) => {
                    let wait = reply.fault.as_ref().and_then(|it| it.advice().seconds());
                    let result = self.result(made.tool, reply);
                    self.memory.remember(*number, &result.0, wait);
                    result
                }
                (_, Planned::Repeat(number)) => {
                    let before = self.memory.answer(*number).unwrap_or("{}");
                    (again(before), again("{}"))
                }
                (_, Planned::Refuse(fault)) => (rendered(fault), String::new()),
                (None, Planned::Make(..)) => (rendered(&no_answer()), String::new()),
            };
            let short = if short.is_empty() {
                content.clone()
            } else {
                short
            };
            self.transcript.add_result(&call.id, content, short);
        }
    }

    /// Makes the new ones of the planned calls.
    async fn make_all(&self, planned: &[Planned]) -> Vec<Option<InnerReply>> {
        let mut making: Vec<BoxFuture<'_, _>> = Vec::new();
        for planned in planned {
            making.push(Box::pin(self.make_if_new(planned)));
        }
        stream::iter(making).buffered(AT_ONCE).collect().await
    }

    async fn make_if_new(&self, planned: &Planned) -> Option<InnerReply> {
        match planned {
            Planned::Make(_, call, at) => {
                let until = self.budget.gather_until();
                // The call that is cancelled meanwhile says so itself.
                self.call.cancel.run_until_cancelled(sleep_until(*at)).await;
                Some(self.make(call, until).await)
            }
            Planned::Repeat(_) | Planned::Refuse(_) => None,
        }
    }

    /// Decides about one call. Each counts, so that a model that only makes mistakes comes to an end.
    fn plan(&mut self, call: &ToolCall) -> Planned {
        if self.counts.made >= self.budget.max_calls {
            return Planned::Refuse(budget_used());
        }
        self.counts.made += 1;
        let planned = self.judge(call);
        self.counts.failed += usize::from(matches!(planned, Planned::Refuse(_)));
        planned
    }

    fn judge(&mut self, call: &ToolCall) -> Planned {
        let written = offered::written_arguments(call);
        let until = self.budget.gather_until();
        let seen = self.memory.count(&call.name, &written, until);
        match (seen, offered::checked(&call.name, &written, self.given)) {
            (Seen::New(number), Ok(checked)) => Planned::Make(number, checked, Instant::now()),
            (Seen::Retry(number, at), Ok(checked)) => Planned::Make(number, checked, at),
            (Seen::Again(number), Ok(_)) => Planned::Repeat(number),
            (Seen::Circling(number), checked) => {
                self.is_circling = true;
                checked.map_or_else(Planned::Refuse, |_| Planned::Repeat(number))
            }
            (_, Err(fault)) => Planned::Refuse(fault),
        }
    }

    /// Makes one call. An address that the model names may come from a page, so it counts as a link
    /// of one, unless the caller wrote it or it is a page of a search provider.
    async fn make(&self, call: &CheckedCall, deadline: Instant) -> InnerReply {
        let mut arguments = call.arguments.clone();
        let written = arguments["url"].as_str();
        if let Some(real) = written.and_then(|url| self.sources.unmasked(url)) {
            arguments["url"] = json!(real);
        }
        let asked = arguments["url"].as_str().map(str::to_owned);
        let url = asked.as_deref();
        let is_callers = url.is_some_and(|url| self.sources.may_be_private(url));
        let inner = InnerCall {
            tool: call.tool,
            arguments,
            deadline,
            chosen_by: if is_callers {
                ChosenBy::Caller
            } else {
                ChosenBy::Search
            },
        };
        let mut reply = self.call.tools.call_tool(self.call, inner).await;
        if let (Some(asked), [read]) = (url, reply.sources.as_mut_slice()) {
            read.requested.get_or_insert_with(|| asked.to_owned());
        }
        reply
    }

    /// What the model is told of a call, in full and in short.
    fn result(&mut self, tool: &Tool, reply: InnerReply) -> (String, String) {
        self.outages.add(tool, &reply);
        let numbers = if tool.surface == Surface::Stored {
            self.sources.add_stored(&reply)
        } else {
            self.sources.add_reply(&reply)
        };
        if let Some(fault) = &reply.fault {
            self.counts.failed += 1;
            self.call.recorder.fault(fault);
            return (reply.text, String::new());
        }
        let sources: Vec<Value> = numbers
            .iter()
            .filter_map(|it| self.sources.for_model(*it, &self.masker))
            .collect();
        let text = cut(reply.text, self.given.result_chars * 2);
        let full = json!({"result": {"text": text, "sources": sources}});
        let notice = "The text was removed to save space; its sources can still be cited.";
        let short = json!({"result": {"notice": notice, "sources": sources}});
        (full.to_string(), short.to_string())
    }
}

enum Understood {
    Answer(Draft),
    Calls(String, Vec<ToolCall>),
}

/// What a message means, whether its calls came in the protocol or in its text.
fn understood(reply: ChatReply) -> Understood {
    if !reply.calls.is_empty() {
        return Understood::Calls(reply.text, reply.calls);
    }
    match read_text(&reply.text) {
        TextAnswer::Calls(calls) => Understood::Calls(String::new(), calls),
        TextAnswer::Answer {
            text,
            could_not_verify,
        } => Understood::Answer(Draft {
            text,
            could_not_verify,
            stopped: Stopped::Answered,
            is_cut: reply.ending == Ending::Cut,
            is_filtered: reply.ending == Ending::Filtered,
        }),
    }
}

/// Whether a model said nothing. That nothing could be verified is an answer too.
fn is_silent(draft: &Draft) -> bool {
    draft.text.trim().is_empty() && draft.could_not_verify.is_empty()
}

fn no_answer() -> Fault {
    Fault::new(Case::Llm, Origin::Llm).detail(Say::new("it wrote no answer"))
}

fn budget_used() -> Fault {
    Fault::new(Case::InvalidArgument, Origin::Local)
        .saying(Say::new("The tool calls of this research are used up"))
        .advising(Say::new("Answer now with what you have."))
}

/// A fault as the model is told it.
fn rendered(fault: &Fault) -> String {
    let reply = render(fault, Dialect::Agent, &Context::new(Surface::Search));
    reply.blocks.into_iter().map(|block| block.text).collect()
}

/// At most so many characters. A cut text loses the mark at its end, so that is said.
fn cut(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}\n[cut; everything above is external text]", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_only_says_what_it_could_not_verify_is_not_silent() {
        let draft = |text: &str, open: &[&str]| Draft {
            text: text.to_owned(),
            could_not_verify: open.iter().map(|it| (*it).to_owned()).collect(),
            stopped: Stopped::Answered,
            is_cut: false,
            is_filtered: false,
        };
        assert!(is_silent(&draft(" ", &[])));
        assert!(!is_silent(&draft("", &["The year."])));
        assert!(!is_silent(&draft("In 2030.", &[])));
    }
}
