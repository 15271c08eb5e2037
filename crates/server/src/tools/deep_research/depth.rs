//! How much one call may do: its tool calls and its time.

use std::time::Duration;

use tokio::time::Instant;

use crate::params::{Args, TIMEOUT};
use crate::settings::Settings;

/// The depths, the default first.
pub(super) const NAMES: &[&str] = &["standard", "quick", "deep"];

pub(super) const MOST_CALLS: i64 = 100;
pub(super) const SHORTEST_SECONDS: i64 = 2;
pub(super) const LONGEST_SECONDS: i64 = 3_600;

/// Time that is kept free before the deadline to write the reply.
const MARGIN: Duration = Duration::from_millis(300);

/// The most time that is kept for the model's last message.
const LONGEST_CLOSING: Duration = Duration::from_secs(40);

/// What a depth stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Depth {
    calls: usize,
    seconds: u64,
    /// Pages to read when there is no model to choose them.
    pages: usize,
}

fn depth(args: &Args) -> Depth {
    let (calls, seconds, pages) = match args.text("depth") {
        Some("quick") => (6, 50, 3),
        Some("deep") => (40, 300, 8),
        _ => (16, 120, 5),
    };
    Depth {
        calls,
        seconds,
        pages,
    }
}

fn wanted(args: &Args) -> Duration {
    let given = args
        .integer("deadline")
        .and_then(|it| u64::try_from(it).ok());
    Duration::from_secs(given.unwrap_or(depth(args).seconds))
}

/// The time that the caller itself chose.
fn chosen(args: &Args) -> Option<Duration> {
    let chosen = ["deadline", TIMEOUT.name].map(|name| args.integer(name));
    let least = chosen.into_iter().flatten().min()?;
    u64::try_from(least).ok().map(Duration::from_secs)
}

/// How long a call may take: what it asks for, up to the operator's limit.
pub(super) fn time_limit(settings: &Settings, args: &Args) -> Duration {
    wanted(args).min(settings.agent_deadline)
}

/// What is left for one call.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    pub(super) max_calls: usize,
    /// Pages to read when there is no model to choose them.
    pub(super) pages: usize,
    /// The tokens of conversation that the model is sent.
    pub(super) context: usize,
    /// Whether the caller asked for more time than the operator allows.
    pub(super) is_shortened: bool,
    /// The most seconds that the operator allows, if the caller chose to have fewer.
    pub(super) more_seconds: Option<u64>,
    started: Instant,
    deadline: Instant,
}

impl Budget {
    pub(super) fn new(settings: &Settings, args: &Args, deadline: Instant) -> Budget {
        let (depth, started) = (depth(args), Instant::now());
        let most = Duration::from_secs(LONGEST_SECONDS.unsigned_abs());
        let most = settings.agent_deadline.min(most);
        let given = args
            .integer("max_calls")
            .and_then(|it| usize::try_from(it).ok());
        Budget {
            max_calls: given.unwrap_or(depth.calls),
            pages: depth.pages,
            context: settings.agent_context,
            is_shortened: args.integer("deadline").is_some()
                && wanted(args) > settings.agent_deadline,
            more_seconds: chosen(args)
                .filter(|chosen| *chosen < most)
                .map(|_| most.as_secs()),
            started,
            deadline,
        }
    }

    /// When the reply must be begun.
    pub(super) fn end(&self) -> Instant {
        self.deadline - MARGIN.min(self.whole() / 10)
    }

    /// When tools are no longer called, so that the model has time to answer.
    pub(super) fn gather_until(&self) -> Instant {
        self.deadline - (self.whole() / 4).min(LONGEST_CLOSING)
    }

    /// When a model that has not answered at all is given up, so that there is time to do without.
    pub(super) fn first_answer_by(&self) -> Instant {
        self.started + self.whole() * 6 / 10
    }

    fn whole(&self) -> Duration {
        self.deadline.saturating_duration_since(self.started)
    }

    pub(super) fn is_gathering(&self) -> bool {
        Instant::now() < self.gather_until()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::tools::deep_research::TOOL;

    fn args(arguments: Value) -> Args {
        TOOL.decode_arguments(Some(arguments))
            .expect("valid arguments")
    }

    #[test]
    fn arguments_replace_the_depths_values_up_to_the_operators_limit() {
        let settings = Settings::default();
        let seconds = |arguments: Value| time_limit(&settings, &args(arguments)).as_secs();
        assert_eq!(seconds(json!({"question": "q"})), 120);
        assert_eq!(seconds(json!({"question": "q", "depth": "quick"})), 50);
        assert_eq!(seconds(json!({"question": "q", "deadline": 7})), 7);
        assert_eq!(seconds(json!({"question": "q", "deadline": 3600})), 300);
        let budget = |arguments: Value| Budget::new(&settings, &args(arguments), Instant::now());
        let own = budget(json!({"question": "q", "max_calls": 3, "deadline": 3600}));
        assert_eq!((own.max_calls, own.is_shortened), (3, true));
        let deep = budget(json!({"question": "q", "depth": "deep"}));
        assert_eq!((deep.max_calls, deep.is_shortened), (40, false));
    }

    #[tokio::test(start_paused = true)]
    async fn the_stages_of_a_call_end_one_after_the_other() {
        let deadline = Instant::now() + Duration::from_secs(2);
        let budget = Budget::new(
            &Settings::default(),
            &args(json!({"question": "q"})),
            deadline,
        );
        assert!(budget.first_answer_by() < budget.gather_until());
        assert!(budget.gather_until() < budget.end() && budget.end() < deadline);
    }
}
