//! `fingerpost lab` and `serve --lab`: every search API served on this machine, so that everything
//! can be tried offline.

use std::net::SocketAddr;

use clap::Arg;
use lab::{Lab, Links, RunningLab};

use super::{
    Subcommand, arguments,
    error::CommandError,
    terminal::{self, print_message},
};
use crate::settings::{Settings, TABLE};
use crate::transport::{http, stop_signal};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "lab",
    about: "Serve every search API on this machine, with faults on demand",
    arguments: || {
        vec![
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS")
                .default_value(DEFAULT_ADDRESS)
                .help("A loopback address; port 0 picks a free one"),
        ]
    },
    run: |matches| serve(arguments::text(matches, "listen").unwrap_or(DEFAULT_ADDRESS)),
};

const DEFAULT_ADDRESS: &str = "127.0.0.1:8899";

/// Serves the lab until it is stopped, and says how to use it.
fn serve(address: &str) -> Result<(), CommandError> {
    let address: SocketAddr = http::parse_address(address).map_err(|expected| {
        CommandError::Usage(format!(
            "--listen: expected {expected}. Example: --listen 127.0.0.1:8899"
        ))
    })?;
    if !address.ip().is_loopback() {
        return Err(CommandError::Usage(
            "--listen: the lab serves this machine only; give a loopback address such as 127.0.0.1:8899".to_owned(),
        ));
    }
    let runtime = terminal::runtime()?;
    runtime.block_on(async {
        let handle = start(address).await?;
        let base = handle.base_url();
        print_message(&format!("the lab serves at {base}; GET {base}/lab lists its APIs, their settings and the faults that can be ordered"));
        print_message("to try the server with a lab: fingerpost serve --lab, which starts its own");
        stop_signal().await;
        Ok(())
    })
}

async fn start(address: SocketAddr) -> Result<RunningLab, CommandError> {
    Lab::start_with(address, Links::Local)
        .await
        .map_err(|error| {
            CommandError::Failed(format!(
                "could not serve the lab on {address} ({})",
                error.kind()
            ))
        })
}

/// Starts a lab for `serve --lab` when `wanted`. The returned settings direct every provider to it;
/// it stops when the handle is dropped.
pub(super) async fn start_if(
    wanted: bool,
    mut settings: Settings,
) -> Result<(Settings, Option<RunningLab>), CommandError> {
    if !wanted {
        return Ok((settings, None));
    }
    let handle = start(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    let has_model = settings.agent_url.is_some();
    for (key, value) in handle.settings() {
        let row = TABLE.iter().find(|row| row.key == key);
        // The operator's own model can research in the lab too.
        let is_kept = has_model && key.starts_with("agent-");
        // A lab may know a provider that this program does not.
        if let Some(row) = row.filter(|_| !is_kept) {
            row.apply(&mut settings, &[value]).map_err(|expected| {
                CommandError::Failed(format!("the lab's {key} is wrong: expected {expected}"))
            })?;
        }
    }
    let pages = handle.address().to_string();
    let opened = pages.parse().map_err(|_| {
        CommandError::Failed(format!("the lab's pages at {pages} cannot be opened"))
    })?;
    settings.allow_private.push(opened);
    Ok((settings, Some(handle)))
}
