//! Takes steps of a session and prints which were acknowledged, so that tests and measurements can
//! kill it at any point and compare.
//!
//! `session-writer write STORE SESSION` takes steps until it is killed, and prints the number and
//! the text of each acknowledged one. `session-writer try STORE SESSION STEPS` reads the session,
//! takes up to STEPS steps until one fails, and reads it again; it prints what happened. STORE is a
//! directory or the URL of a Redis server.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use engine::research::{Limits, NewStep, ResearchSessions, StepError};
use engine::store::Tenant;
use fault::{Fault, Secret};
use mask::Masker;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    else {
        return ExitCode::FAILURE;
    };
    let done = match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["write", store, session] => {
            open(store).map(|research| runtime.block_on(write(&research, session)))
        }
        ["try", store, session, steps] => open(store).map(|research| {
            // fingerpost-ignore invented-default: a program of our tests, which pass a number
            runtime.block_on(attempt(&research, session, steps.parse().unwrap_or(1)))
        }),
        _ => Err("write STORE SESSION, or try STORE SESSION STEPS"),
    };
    match done {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(_)) => ExitCode::FAILURE,
        Err(usage) => {
            eprintln!("{usage}");
            ExitCode::from(2)
        }
    }
}

fn open(place: &str) -> Result<ResearchSessions, &'static str> {
    let url = place
        .starts_with("redis")
        .then(|| Secret::new(place.to_owned()));
    let store = engine::store::open(url.as_ref(), Some(Path::new(place)))?;
    Ok(ResearchSessions::new(
        store,
        Limits {
            steps: u32::MAX,
            ..Limits::default()
        },
    ))
}

async fn write(research: &ResearchSessions, session: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    for count in 0u64.. {
        let text = format!("{}-{count}", std::process::id());
        match research
            .step(
                &Tenant::local(),
                session,
                &NewStep {
                    text,
                    ..NewStep::default()
                },
            )
            .await
        {
            Ok(taken) => writeln!(output, "{} {}", taken.step.number, taken.step.text)?,
            Err(error) => writeln!(output, "fault {}", describe_step(&error))?,
        }
        output.flush()?;
    }
    Ok(())
}

async fn attempt(research: &ResearchSessions, session: &str, steps: u32) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "read {}", read_session(research, session).await)?;
    let mut wrote = 0;
    let text = "x".repeat(2_000);
    while wrote < steps {
        match research
            .step(
                &Tenant::local(),
                session,
                &NewStep {
                    text: text.clone(),
                    ..NewStep::default()
                },
            )
            .await
        {
            Ok(_) => wrote += 1,
            Err(error) => {
                writeln!(output, "fault {}", describe_step(&error))?;
                break;
            }
        }
    }
    writeln!(output, "wrote {wrote}")?;
    writeln!(output, "read {}", read_session(research, session).await)
}

async fn read_session(research: &ResearchSessions, session: &str) -> String {
    match research
        .steps(&Tenant::local(), session, 1, usize::MAX >> 1)
        .await
    {
        Ok(steps) => steps.len().to_string(),
        Err(fault) => format!("fault {}", describe(&fault)),
    }
}

fn describe_step(error: &StepError) -> String {
    match error {
        StepError::Fault(fault) => describe(fault),
        StepError::Invalid { problems, .. } => format!("{problems:?}"),
    }
}

/// As an operator sees it.
fn describe(fault: &Fault) -> String {
    fault::record(fault, &Masker::new(std::iter::empty::<&str>())).to_string()
}
