//! How long a call may take: what the operator allows, or less if the caller's `timeout` says so.

use std::time::Duration;

use fault::{Fault, NextCall};
use serde_json::Value;

use crate::{
    params::{Args, TIMEOUT},
    settings::Settings,
    tools::{
        Tool,
        call_time::{advise_more, may_help, seconds_are},
    },
};

#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLimit {
    /// What the operator allows a call of this tool.
    allowed: Duration,
    /// What the caller asked for.
    asked: Option<Duration>,
}

impl TimeLimit {
    pub(super) fn new(tool: &Tool, settings: &Settings, args: &Args) -> TimeLimit {
        let seconds = args.integer(TIMEOUT.name);
        let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
        TimeLimit {
            allowed: tool.time_limit(settings, args),
            asked: seconds.map(Duration::from_secs),
        }
    }

    /// How long the call may take.
    pub(super) fn duration(self) -> Duration {
        self.asked
            .map_or(self.allowed, |asked| asked.min(self.allowed))
    }

    /// What the operator allows.
    pub(super) fn allowed(self) -> Duration {
        self.allowed
    }

    /// Whether the caller asked for less time than the operator allows.
    pub(super) fn is_shortened(self) -> bool {
        self.asked.is_some_and(|asked| asked < self.allowed)
    }

    /// Adds to the fault of a call whose time was up what a caller who chose the time can change:
    /// a larger `timeout` where the operator allows one, otherwise a smaller call. Other faults have
    /// advice of their own, which more time does not change.
    pub(super) fn advise(
        self,
        fault: Fault,
        tool: &Tool,
        same_call: &mut Option<NextCall>,
    ) -> Fault {
        if self.asked.is_none() || !may_help(&fault) {
            return fault;
        }
        let seconds = usize::try_from(self.allowed.as_secs()).unwrap_or(usize::MAX);
        if !self.is_shortened() {
            // No call gets more time than is allowed, so the next one need not ask for it.
            if let Some(call) = same_call {
                call.arguments.remove(TIMEOUT.name);
            }
            return fault.advising(seconds_are(seconds).with(AT_MOST));
        }
        let mut calls = fault.calls().to_vec();
        let own = calls
            .iter_mut()
            .filter(|call| call.tool.as_str() == tool.name);
        own.for_each(|call| with_more_time(call, tool, seconds));
        let fault = advise_more(fault, self.allowed).next_calls(calls);
        // The same call again would have as little time.
        let Some(mut call) = same_call.take() else {
            return fault;
        };
        // A tool that says itself which part of the call to repeat knows better.
        if fault.calls().iter().any(|own| own.tool == call.tool) {
            return fault;
        }
        with_more_time(&mut call, tool, seconds);
        fault.next_call(call)
    }
}

/// Gives a call all the time that is allowed. It has that without the argument, too.
fn with_more_time(call: &mut NextCall, tool: &Tool, seconds: usize) {
    call.arguments.remove(TIMEOUT.name);
    call.after_seconds = None;
    if tool.shows_timeout() {
        let timeout = (TIMEOUT.name.to_owned(), Value::from(seconds));
        call.arguments.extend([timeout]);
    }
}

const AT_MOST: &str = " the most that one call may take here, whatever its timeout: ask for less in one call, or wait and retry once.";
