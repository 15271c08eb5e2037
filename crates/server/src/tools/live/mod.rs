//! The code that the tools of the toolset `live` share.
//!
//! - `params`: their parameters, and the query that the arguments make.
//! - `render`: the answer as JSON, with the fields that clients of the toolset know.
//! - `instead`: what to do when a search fails.
//! - `hints`: what to change when nothing is found.
//! - `same_search`: a search as a call that makes it again.

mod hints;
mod instead;
mod params;
mod render;
mod same_search;

use std::time::Duration;

use engine::live::LiveKind;
use fault::{Fault, Surface};
use tokio::time::Instant;

use super::{Annotations, Answer, Call, Output, Run, Tool, Toolset};
use crate::params::Args;

pub(super) use params::{
    ANALYSIS_MODE, DOMAINS, EXCLUDED_DOMAINS, EXCLUDED_HANDLES, FROM_DATE, HANDLES, MAX_RESULTS,
    QUERY, SEARCH_TYPE, TO_DATE, check,
};

/// A tool of this toolset without its name, its words and its parameters.
pub(super) const fn tool(search_type: &'static str, run: Run) -> Tool {
    Tool {
        name: "",
        title: "",
        about: "",
        toolsets: &[Toolset::Live],
        surface: Surface::Search,
        search_type,
        params: &[],
        param_names: &[],
        any_of: None,
        check: None,
        output: Output::Unstructured,
        deadline: Some(|settings, _| settings.grok_timeout),
        annotations: Annotations {
            read_only: true,
            idempotent: true,
            open_world: true,
        },
        run,
    }
}

/// How often a call says that it is still waiting.
const REPORT_EVERY: Duration = Duration::from_secs(2);

/// Searches and renders the answer. Without a kind, the arguments name it.
pub(super) async fn run(
    call: &Call<'_>,
    args: &Args,
    tool: &'static str,
    kind: Option<LiveKind>,
) -> Result<Answer, Fault> {
    let query = params::query(args, kind)?;
    let (live, limits) = (call.services.engine.live(), call.limits());
    let found = while_reporting(call, live.search(&limits, &query)).await;
    match found {
        Ok(found) => Ok(Answer::Json(render::answer(&query, &found, call))),
        Err(fault) => {
            let fault = instead::add_to(fault, call, &query);
            Err(instead::with_time_limit(fault, call, tool, args))
        }
    }
}

/// Reports the seconds that have passed while there is nothing else to report.
async fn while_reporting<T>(call: &Call<'_>, work: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let whole = (call.deadline - started).as_secs_f64();
    tokio::pin!(work);
    loop {
        let passed = started.elapsed().as_secs_f64();
        let message = "waiting for xAI to search";
        call.progress.step(passed, Some(whole), message);
        tokio::select! {
            answer = &mut work => return answer,
            () = tokio::time::sleep(REPORT_EVERY) => {}
        }
    }
}
