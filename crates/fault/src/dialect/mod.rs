//! Renders one fault in several wire formats.
//!
//! A dialect only arranges the content of a fault: it adds no fact, changes no advice, and reads no
//! upstream text. Each dialect is a file with a function from fault to [`Reply`], and a line in the
//! list below.

mod agent;
mod code;
mod dual;
mod flat;
mod gated;
mod problem_details;
mod section;

use serde_json::Value;

pub use gated::needs_input;

use crate::catalogue::Wording;
use crate::codes::Surface;
use crate::fault::Fault;
use crate::kind::{Kind, Origin, words};
use crate::problem::Problem;
use crate::sentence::Sentence;
use crate::slot::IssueLink;
use crate::text::{Quoted, Say};

/// Registers the dialects: the name on the command line and the module with `render` and
/// `COMPATIBLE_WITH`.
macro_rules! dialects {
    ($($(#[$doc:meta])* $name:ident = $word:literal in $module:ident),+ $(,)?) => {
        words! {
            /// The wire formats.
            Dialect { $($(#[$doc])* $name = $word),+ }
        }

        impl Dialect {
            /// The clients that parse this format, as prose for the reference page.
            pub const fn compatible_with(self) -> &'static str {
                match self { $(Dialect::$name => $module::COMPATIBLE_WITH),+ }
            }
        }

        /// Renders a fault in a dialect.
        pub fn render(fault: &Fault, dialect: Dialect, context: &Context<'_>) -> Reply {
            match dialect { $(Dialect::$name => $module::render(fault, context)),+ }
        }
    };
}

dialects! {
    /// A sentence, a blank line, a JSON object.
    Dual = "dual" in dual,
    /// `{"error":{"code","message"}}`.
    Code = "code" in code,
    /// One flat object.
    Flat = "flat" in flat,
    /// `toolError:v1`, gated by the caller's format.
    Gated = "gated" in gated,
    /// Markdown sections.
    Section = "section" in section,
    /// `{"error": "…"}` for an embedded agent.
    Agent = "agent" in agent,
    /// RFC 9457 problem details.
    Problem = "problem" in problem_details,
}

words! {
    /// Which blocks the `gated` dialect sends.
    Format {
        /// The sentence only.
        Markdown = "markdown",
        /// The JSON block only.
        Json = "json",
        /// Both.
        Both = "both",
    }
}

/// The facts about the call that a dialect needs.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    pub surface: Surface,
    /// The format that the caller chose for the `gated` dialect.
    pub format: Format,
    /// Where to send a report; `None` if there is no address for reports.
    pub issue_link: Option<&'a IssueLink>,
    /// The caller's input, for dialects that echo it.
    pub echo: Echo,
    /// Milliseconds since 1970, for dialects that have a timestamp.
    pub unix_millis: u64,
}

impl Context<'_> {
    /// The context of a first failure, without an echo.
    pub fn new(surface: Surface) -> Context<'static> {
        Context {
            surface,
            format: Format::Markdown,
            issue_link: None,
            echo: Echo::default(),
            unix_millis: 0,
        }
    }
}

/// The caller's input, as data.
#[derive(Debug, Clone, Default)]
pub struct Echo {
    pub query: Option<Quoted>,
    pub search_type: Option<Quoted>,
    pub analysis_mode: Option<Quoted>,
    /// The first day of the requested period.
    pub from_date: Option<Quoted>,
    /// The last day of the requested period.
    pub to_date: Option<Quoted>,
}

/// One block of text in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub text: String,
    /// Its media type, for dialects that send one.
    pub mime: Option<&'static str>,
}

/// A fault in wire form.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The text blocks. The first is complete on its own.
    pub blocks: Vec<Block>,
    /// The same facts as structured content.
    pub structured: Option<Value>,
    /// Whether this is a failure. A question back to the user is not.
    pub is_error: bool,
}

impl Reply {
    fn of_text(text: String, structured: Value) -> Reply {
        Reply {
            blocks: vec![Block { text, mime: None }],
            structured: Some(structured),
            is_error: true,
        }
    }
}

/// The sentence with what every dialect appends: the outcome of each tier, the request to stop, and
/// the link for a report.
pub fn message(fault: &Fault, context: &Context<'_>) -> Say {
    with_notes(fault.in_parts(fault.common_wording()), fault, context)
}

fn with_notes(sentence: Sentence, fault: &Fault, context: &Context<'_>) -> Say {
    let message = until_stopped(sentence, fault);
    let message = match (fault.each_page(), fault.tiers()) {
        (Some(pages), _) => message.then(pages),
        (None, Some(tiers)) => message.then(Say::assembled(format!("Tried {tiers}."))),
        (None, None) => message,
    };
    with_closing_notes(message, fault, context)
}

/// The sentence about the call, without its advice if the call is to be stopped.
fn until_stopped(sentence: Sentence, fault: &Fault) -> Say {
    if fault.is_stopped() && fault.first_advice().is_possible() {
        sentence.without_advice()
    } else {
        sentence.whole()
    }
}

fn with_closing_notes(mut message: Say, fault: &Fault, context: &Context<'_>) -> Say {
    if let Some(stop) = fault.stop_note() {
        message = message.then(stop);
    }
    if let Some(note) = &fault.facts().note {
        message = message.then(note.clone());
    }
    match context.issue_link {
        Some(link) if may_be_ours(fault) => message.then(Say::assembled(format!(
            "If this looks like a bug in Fingerpost, report it: {link}"
        ))),
        _ => message,
    }
}

/// The sentence; a provider's refusal is introduced with its status, and a 404 adds what to check.
fn with_api_status(fault: &Fault) -> Sentence {
    let sentence = fault.in_parts(fault.common_wording());
    match (fault.origin(), fault.seen_status()) {
        _ if fault.failed_page_count() > 1 => sentence,
        (Origin::Provider, Some(404)) => sentence
            .introduced("API error (404): ")
            .advised(Say::new("Please verify the parameters are correct.")),
        (Origin::Provider, Some(status @ 400..=499)) => {
            sentence.introduced(&format!("API error ({status}): "))
        }
        _ => sentence,
    }
}

/// Whether the failure may be a bug of ours. A site's own error page is not, whatever its row says
/// about reports.
fn may_be_ours(fault: &Fault) -> bool {
    let is_the_sites = fault.kind() == Kind::UpstreamUnavailable
        && fault.origin() == Origin::Page
        && fault.seen_status().is_some_and(|status| status >= 500);
    fault.row().issue_link && !is_the_sites && !fault.is_known_to_be_empty()
}

/// Appends the corrected call to a message about wrong arguments, or else valid values for them, whose
/// names and values come from the tool's own table. Together with what is missing they are a call;
/// otherwise they are told one by one, because alone they would be refused.
fn with_example(message: Say, fault: &Fault) -> Say {
    if fault.seen_problems().is_empty() {
        return message;
    }
    if let Some(call) = fault.calls().first() {
        return message.then(Say::assembled(format!("Next call: {call}")));
    }
    let is_shown = |problem: &&Problem| !fault.has_own_sentence() && problem.shows_example();
    let pairs: Vec<String> = fault
        .seen_problems()
        .iter()
        .filter(|problem| !is_shown(problem))
        .filter_map(Problem::example_pair)
        .collect();
    let has_missing = fault.seen_problems().iter().any(Problem::is_about_absence);
    match (pairs.is_empty(), has_missing) {
        (true, _) => message,
        (false, true) => message.then(Say::assembled(format!("Example: {{{}}}", pairs.join(", ")))),
        (false, false) => message.then(Say::assembled(format!("For example {}", pairs.join(", ")))),
    }
}

/// Names the unknown arguments, for dialects that have no field for them. Only a name that could be
/// one of ours is repeated: a sentence is not.
fn with_unknown_arguments(message: Say, fault: &Fault) -> Say {
    let is_name = |name: &&str| {
        (1..=40).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    if fault.seen_problems().is_empty() {
        return message;
    }
    let unknown = fault.seen_unknown_arguments().iter().map(Quoted::as_data);
    let names: Vec<String> = unknown
        .filter(is_name)
        .map(|name| format!("\"{name}\""))
        .collect();
    if names.is_empty() {
        message
    } else {
        message.then(Say::assembled(format!("Unknown: {}.", names.join(", "))))
    }
}

/// The row's wording for a dialect, or its common one if the dialect has none.
fn own_words(fault: &Fault, wording: Option<Wording>) -> Sentence {
    fault.in_parts(wording.unwrap_or(fault.common_wording()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Case, Origin};

    #[test]
    fn a_sentence_of_its_own_is_said_in_every_dialect() {
        let words = "The page redirects to an address that cannot be read.";
        let fault = Fault::new(Case::InvalidUrl, Origin::Local).saying(Say::new(words));
        for dialect in Dialect::ALL {
            let said = format!(
                "{:?}",
                render(&fault, *dialect, &Context::new(Surface::Fetch))
            );
            assert!(
                said.contains(words) && !said.contains("absolute address"),
                "{dialect:?}: {said}"
            );
        }
    }
}
