//! The calls that a failure suggests, checked before an agent sees them.

use engine::store::Tenant;
use fault::characters::is_unprintable;
use fault::{Fault, Issue, NextCall, Problem, Say, ToolName};
use serde_json::Value;

use super::{AvailableTool, Dispatcher};
use crate::{
    params::{Rejected, Shape, TIMEOUT, joined},
    scope::Scopes,
    tools::{Checking, Tool},
};

/// Longer arguments are not repeated: they would cost more tokens than they save.
const MAX_REPEATED: usize = 1_000;

/// The argument that no reply repeats. The caller has it and adds it.
const SECRET: &str = "password";

const WITHHELD: &str = "Add the password to the next call: no reply repeats it.";

const HIDDEN: &str = "A call that helps is not listed, because its arguments hold a secret or invisible characters: make it with your own.";

impl Dispatcher {
    /// Suggests the same call too, last and with its wait, for a failure that may pass. Every call is
    /// checked: the caller must be allowed its tool, which must accept it, and masking must not change
    /// it, because then it could not be made as it is shown; the caller has the arguments.
    pub(super) async fn add_next_calls(
        &self,
        fault: Fault,
        (same_call, has_secret): (Option<NextCall>, bool),
        (scopes, tenant): (&Scopes, &Tenant),
    ) -> Fault {
        let same_tool = same_call.as_ref().map(|same| same.tool);
        let is_same = |call: &NextCall| {
            same_call
                .as_ref()
                .is_some_and(|same| (same.tool, &same.arguments) == (call.tool, &call.arguments))
        };
        let mut calls = fault.calls().to_vec();
        calls.retain(|call| !is_same(call));
        // A tool that says itself when to repeat which part of the call knows better.
        let has_own_repetition = calls.iter().any(|call| {
            let is_same_tool = |same: &NextCall| same.tool == call.tool;
            call.after_seconds.is_some() && same_call.as_ref().is_some_and(is_same_tool)
        });
        if let Some(seconds) = fault.advice().seconds().filter(|_| !has_own_repetition) {
            let after_seconds = Some(seconds).filter(|seconds| *seconds > 0);
            calls.extend(same_call.clone().map(|same| NextCall {
                after_seconds,
                ..same
            }));
        }
        for call in &mut calls {
            call.arguments.remove(SECRET);
            self.remove_hidden_timeout(call);
            self.normalize_urls(call);
        }
        calls.retain(|call| !call.arguments.is_empty() && self.is_allowed(call, scopes));
        let calls = self.accepted(calls, tenant).await;
        let (shown, hidden): (Vec<NextCall>, Vec<NextCall>) = calls
            .into_iter()
            .partition(|call| self.is_shown_unchanged(call));
        let needs_secret = |call: &NextCall| same_tool.is_some_and(|tool| call.tool == tool);
        let fault = match (
            hidden.is_empty(),
            has_secret && shown.iter().any(needs_secret),
        ) {
            (false, _) => fault.and_note(Say::new(HIDDEN)),
            (true, true) => fault.and_note(Say::new(WITHHELD)),
            (true, false) => fault,
        };
        fault.next_calls(shown)
    }

    /// The calls that their tools accept.
    pub(super) async fn accepted(&self, calls: Vec<NextCall>, tenant: &Tenant) -> Vec<NextCall> {
        let mut accepted = Vec::new();
        for call in calls {
            if self.is_accepted(&call, tenant).await {
                accepted.push(call);
            }
        }
        accepted
    }

    /// The refusal of arguments that do not decode, with the mistakes that the tool's own check finds
    /// in what can be used of them. A corrected call is suggested only if it corrects them all.
    pub(super) async fn refusal(&self, tool: &Tool, rejected: Rejected, tenant: &Tenant) -> Fault {
        let Some(check) = tool.check else {
            return rejected.fault;
        };
        let checking = Checking {
            services: &self.services,
            tenant,
        };
        match check(checking, &rejected.usable).await {
            Ok(()) => rejected.fault,
            Err(second) => {
                let second = without_refused(tool, &rejected.fault, second);
                joined(rejected.fault, &second)
            }
        }
    }

    /// Whether a caller with these scopes may use the call's tool.
    pub(super) fn is_allowed(&self, call: &NextCall, scopes: &Scopes) -> bool {
        let settings = &self.services.settings;
        self.find(call.tool.as_str())
            .is_ok_and(|available| available.tool.is_granted(settings, scopes))
    }

    /// Whether the call's tool is available and takes these arguments, their meaning included.
    async fn is_accepted(&self, call: &NextCall, tenant: &Tenant) -> bool {
        let arguments = Some(Value::Object(call.arguments.clone()));
        let Ok(AvailableTool { tool, .. }) = self.find(call.tool.as_str()) else {
            return false;
        };
        let Ok(args) = tool.decode_arguments(arguments) else {
            return false;
        };
        let checking = Checking {
            services: &self.services,
            tenant,
        };
        match tool.check {
            Some(check) => check(checking, &args).await.is_ok(),
            None => true,
        }
    }

    fn is_shown_unchanged(&self, call: &NextCall) -> bool {
        let mut arguments = Value::Object(call.arguments.clone());
        let visible = is_visible(&arguments);
        self.masker.mask_json(&mut arguments);
        visible && arguments.as_object() == Some(&call.arguments)
    }

    /// Every tool takes `timeout`, but a client that validates calls refuses one that the tool's
    /// schema does not show.
    fn remove_hidden_timeout(&self, call: &mut NextCall) {
        let tool = self.find(call.tool.as_str());
        if tool.is_ok_and(|available| !available.tool.shows_timeout()) {
            call.arguments.remove(TIMEOUT.name);
        }
    }

    /// Writes URLs as the parser reads them, with unusual characters percent-encoded, so that the
    /// URL an agent sees is the one that will be requested.
    fn normalize_urls(&self, call: &mut NextCall) {
        let Ok(available) = self.find(call.tool.as_str()) else {
            return;
        };
        let params = available.tool.params.iter();
        for param in params.filter(|param| matches!(param.shape, Shape::Url)) {
            if let Some(value) = call.arguments.get_mut(param.name)
                && let Some(text) = value.as_str()
                && let Ok(url) = url::Url::parse(text.trim())
            {
                *value = Value::from(url.as_str());
            }
        }
    }
}

/// The refusal without the complaint that none of several parameters is given, when one was given
/// and refused.
fn without_refused(tool: &Tool, first: &Fault, second: Fault) -> Fault {
    let names = tool.any_of.map_or(&[][..], |any_of| any_of.names);
    let is_one = |problem: &Problem| names.contains(&problem.field.as_str());
    if !first.seen_problems().iter().any(is_one) {
        return second;
    }
    let mut problems = second.seen_problems().to_vec();
    problems.retain(|problem| problem.issue != Issue::Required || !is_one(problem));
    second.problems(problems)
}

/// Whether a call was made with the argument that no reply repeats.
pub(super) fn has_secret(raw: Option<&Value>) -> bool {
    raw.is_some_and(|raw| !raw[SECRET].is_null())
}

/// The call as it was made, or `None` when its arguments are not an object, or too long. A call
/// without arguments is not listed either: that it may be repeated, the fault says itself.
pub(super) fn same_call(tool: &Tool, raw: Option<&Value>) -> Option<NextCall> {
    let arguments = raw?.as_object()?;
    let is_short = serde_json::to_string(arguments).is_ok_and(|text| text.len() <= MAX_REPEATED);
    let mut arguments = arguments.clone();
    arguments.remove(SECRET);
    (is_short && !arguments.is_empty()).then(|| NextCall::new(ToolName::new(tool.name), arguments))
}

/// Whether a reader sees all of the text: it has no control characters and none that reorder or
/// hide text.
fn is_visible(value: &Value) -> bool {
    let plain = |text: &str| !text.contains(is_unprintable);
    match value {
        Value::String(text) => plain(text),
        Value::Array(items) => items.iter().all(is_visible),
        Value::Object(fields) => fields
            .iter()
            .all(|(name, value)| plain(name) && is_visible(value)),
        _ => true,
    }
}
