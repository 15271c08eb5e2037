//! What the demo prints. Colours are used only on a terminal, and not when NO_COLOR is set.

use std::io::Write;
use std::time::Duration;

use anstream::{AutoStream, stdout};
use anstyle::{AnsiColor, Style};
use serde_json::{Map, Value};

use crate::commands::{error::CommandError, terminal::wrapped};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default();
const GREEN: Style = AnsiColor::Green.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();

pub(super) struct Screen {
    out: AutoStream<std::io::Stdout>,
}

macro_rules! say {
    ($screen:expr, $($words:tt)*) => {
        writeln!($screen.out, $($words)*).map_err(|error| CommandError::output(&error))
    };
}

impl Screen {
    pub(super) fn new() -> Screen {
        Screen { out: stdout() }
    }

    pub(super) fn opening(&mut self, tools: usize) -> Result<(), CommandError> {
        say!(
            self,
            "{BOLD}Fingerpost: every failure points the way on.{BOLD:#}"
        )?;
        say!(
            self,
            "{DIM}{}{DIM:#}",
            wrapped(
                &format!(
                    "A local web and search providers that fail, a real MCP server over stdio with {tools} tools, and a client that only obeys."
                ),
                0
            )
        )
    }

    pub(super) fn scene(&mut self, number: usize, title: &str) -> Result<(), CommandError> {
        say!(self, "\n{BOLD}{number}. {title}{BOLD:#}")
    }

    pub(super) fn call(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<(), CommandError> {
        say!(
            self,
            "   {DIM}→{DIM:#} {tool} {}",
            Value::Object(arguments.clone())
        )
    }

    pub(super) fn fault(
        &mut self,
        sentence: &str,
        machine: &Value,
        took: Duration,
    ) -> Result<(), CommandError> {
        let field = |name: &str| machine[name].as_str().unwrap_or("-").to_owned();
        say!(
            self,
            "   {RED}✗ {}/{}{RED:#} {DIM}({}){DIM:#}",
            field("kind"),
            field("reason"),
            millis(took)
        )?;
        say!(self, "     {}", wrapped(sentence, 5))?;
        let wait = machine["retryAfterSeconds"]
            .as_u64()
            .map(|it| format!(" · retryAfterSeconds {it}"))
            .unwrap_or_default();
        let calls = machine["nextCalls"]
            .as_array()
            .map(|it| format!(" · nextCalls {}", it.len()))
            .unwrap_or_default();
        let facts = format!(
            "retryable {}{wait} · suggestedAction {}{calls} · {}",
            machine["retryable"],
            field("suggestedAction"),
            field("requestId")
        );
        say!(self, "     {DIM}{}{DIM:#}", wrapped(&facts, 5))
    }

    pub(super) fn waiting(&mut self, seconds: u64) -> Result<(), CommandError> {
        say!(self, "     {DIM}waiting {seconds} s, as told …{DIM:#}")
    }

    pub(super) fn recovered(&mut self, text: &str, took: Duration) -> Result<(), CommandError> {
        say!(
            self,
            "   {GREEN}✓ recovered{GREEN:#}: {} characters {DIM}({}){DIM:#}",
            text.chars().count(),
            millis(took)
        )
    }

    pub(super) fn stopped(&mut self, machine: &Value) -> Result<(), CommandError> {
        let action = machine["suggestedAction"].as_str().unwrap_or("-");
        say!(
            self,
            "   {YELLOW}■ stopped{YELLOW:#}: the reply says that no call helps ({action})"
        )
    }

    pub(super) fn did_not_fail(&mut self) -> Result<(), CommandError> {
        say!(
            self,
            "   {RED}✗ the call did not fail, so there was no advice to obey{RED:#}"
        )
    }

    pub(super) fn circles(&mut self) -> Result<(), CommandError> {
        say!(self, "   {RED}✗ the advice led in circles{RED:#}")
    }

    pub(super) fn closing(
        &mut self,
        kept: usize,
        all: usize,
        took: Duration,
    ) -> Result<(), CommandError> {
        say!(
            self,
            "\n{BOLD}{kept} of {all} pieces of advice kept their promise{BOLD:#} {DIM}in {:.1} s.{DIM:#}",
            took.as_secs_f64()
        )?;
        say!(
            self,
            "{DIM}`fingerpost explain REASON` explains each of them.{DIM:#}"
        )
    }
}

fn millis(took: Duration) -> String {
    format!("{:.1} ms", took.as_secs_f64() * 1_000.0)
}
