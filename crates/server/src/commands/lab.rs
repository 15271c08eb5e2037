//! `fingerpost lab` and `serve --lab`: every search API served on this machine, so that everything
//! can be tried offline.

use std::net::SocketAddr;

use lab::{Handle, Lab, Links};

use crate::commands::{Stop, tell};
use crate::settings::{Settings, TABLE};
use crate::{commands::terminal, transport::http};

/// Serves the lab until it is stopped, and says how to use it.
pub(crate) fn run(address: &str) -> Result<(), Stop> {
    let address: SocketAddr = http::parse_address(address).map_err(|expected| {
        Stop::WrongUse(format!(
            "--listen: expected {expected}. Example: --listen 127.0.0.1:8899"
        ))
    })?;
    if !address.ip().is_loopback() {
        return Err(Stop::WrongUse(
            "--listen: the lab serves this machine only; give a loopback address such as 127.0.0.1:8899".to_owned(),
        ));
    }
    let runtime = terminal::runtime()?;
    runtime.block_on(async {
        let handle = start(address).await?;
        let base = handle.base_url();
        tell(&format!("the lab serves at {base}; GET {base}/lab lists its APIs, their settings and the faults that can be ordered"));
        tell("to use it: fingerpost serve --lab starts one of its own");
        http::asked_to_stop().await;
        Ok(())
    })
}

async fn start(address: SocketAddr) -> Result<Handle, Stop> {
    Lab::start_with(address, Links::Local)
        .await
        .map_err(|error| {
            Stop::Failed(format!(
                "could not serve the lab on {address} ({})",
                error.kind()
            ))
        })
}

/// A lab of this server's own, and the settings that lead every provider to it. It ends with the
/// handle.
pub(crate) async fn beside(mut settings: Settings) -> Result<(Settings, Handle), Stop> {
    let handle = start(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    for (key, value) in handle.settings() {
        let row = TABLE.iter().find(|row| row.key == key);
        // A lab may know a provider that this program does not.
        if let Some(row) = row {
            row.apply(&mut settings, &[value]).map_err(|expected| {
                Stop::Failed(format!("the lab's {key} is wrong: expected {expected}"))
            })?;
        }
    }
    let pages = handle.address().to_string();
    let opened = pages
        .parse()
        .map_err(|_| Stop::Failed(format!("the lab's pages at {pages} cannot be opened")))?;
    settings.allow_private.push(opened);
    Ok((settings, handle))
}
