//! `section`: Markdown sections for the reader of a chat, as in sentry-mcp.

use super::{
    Context, Reply, dual, with_api_status, with_example, with_notes, with_unknown_arguments,
};
use crate::fault::Fault;
use crate::kind::{Action, Kind, Origin};
use crate::remedy::in_words;
use crate::sentence::Sentence;
use crate::text::Say;

pub(super) const COMPATIBLE_WITH: &str =
    "The format of sentry-mcp's tools: Markdown sections for the reader of a chat.";

pub(super) fn render(fault: &Fault, context: &Context<'_>) -> Reply {
    let (sentence, advice) = in_sections(fault);
    let mut sections = vec![
        header(fault).to_owned(),
        status_line(fault),
        message(sentence, fault, context).to_string(),
    ];
    sections.extend(fault.event().map(|id| format!("**Event ID**: {id}")));
    sections.push(advice.to_string());
    let next = fault.calls().first();
    sections.extend(next.map(|call| format!("**Next call**: {call}")));
    Reply::of_text(sections.join("\n\n"), dual::machine(fault))
}

/// What happened. The next call, where there is one, has a section of its own.
fn message(sentence: Sentence, fault: &Fault, context: &Context<'_>) -> Say {
    let message = with_notes(sentence, fault, context);
    let message = with_unknown_arguments(message, fault);
    match fault.calls() {
        [] => with_example(message, fault),
        _ => message,
    }
}

/// Says who can correct the failure: the caller, the operator, or neither. Whatever a provider
/// refused with a 4xx is the caller's, as the format has it.
fn header(fault: &Fault) -> &'static str {
    let refused = matches!(fault.seen_status(), Some(400..=499));
    match fault.kind() {
        Kind::Validation | Kind::NotFound | Kind::SessionNotFound => "**Input Error**",
        Kind::Config => "**Configuration Error**",
        _ if refused && fault.origin() == Origin::Provider => "**Input Error**",
        _ => "**Error**",
    }
}

fn status_line(fault: &Fault) -> String {
    match (fault.seen_status(), fault.reason()) {
        (Some(status), _) => {
            fault
                .fill("HTTP {status}[ {phrase}] from {source}.")
                .to_string()
                + status_note(status)
        }
        (None, Some(reason)) => format!("{}: {}.", titled(fault.kind().as_str()), readable(reason)),
        (None, None) => format!("{}.", titled(fault.kind().as_str())),
    }
}

/// A wire name as prose: `policy_private_address` → `policy private address`, `invalid_url` →
/// `invalid URL`.
fn readable(name: &str) -> String {
    let word = |part: &str| match part {
        "url" | "dns" | "tls" | "pdf" | "http" => part.to_uppercase(),
        "js" => "JavaScript".to_owned(),
        "nxdomain" => "no such name".to_owned(),
        "llm" => "language model".to_owned(),
        part => part.to_owned(),
    };
    name.split('_').map(word).collect::<Vec<_>>().join(" ")
}

fn titled(kind: &str) -> Say {
    Say::assembled(readable(kind)).capitalised()
}

fn status_note(status: u16) -> &'static str {
    if status >= 500 {
        " The error is on the remote server."
    } else {
        ""
    }
}

/// The message and the advice. The sentence's own advice is the section where it says whether to
/// retry; elsewhere a line about that follows it.
fn in_sections(fault: &Fault) -> (Sentence, Say) {
    let sentence = with_api_status(fault);
    if !fault.says_whether_to_retry() {
        return (sentence, advice(fault));
    }
    match sentence.split() {
        (message, Some(own)) => (message, own),
        (message, None) => (message, advice(fault)),
    }
}

/// What a retry can do.
fn advice(fault: &Fault) -> Say {
    match (fault.advice().seconds(), fault.action()) {
        (None, _) if fault.is_stopped() => Say::new("Do not make this call again."),
        (Some(0), _) => Say::new("The same call may succeed now."),
        (Some(seconds), _) => Say::assembled(format!(
            "The same call may succeed after {}.",
            in_words(seconds)
        )),
        (None, Action::CheckApiKey) => Say::new("Check the configuration before calling again."),
        (None, Action::TryDifferentProvider) => Say::new("Use a different provider."),
        (None, _) if fault.row().correctable => Say::new(
            "You may be able to resolve the issue by addressing the concern and trying again.",
        ),
        (None, _) => Say::new("Trying the same call again does not help."),
    }
}
