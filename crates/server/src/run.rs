//! Starts a server from settings: the runtime, logging, the dispatcher, a transport.
//!
//! Starting touches nothing but what it must: no directory is made, no address resolved, no socket
//! opened on stdio. Clients probe a server by starting a second copy of it, so this has to be cheap
//! and free of side effects.

use std::{io::ErrorKind, net::SocketAddr, sync::Arc};

use crate::{
    commands::lab,
    commands::{Stop, tell},
    dispatch::Dispatcher,
    settings::Settings,
    telemetry,
    tools::TOOLS,
    transport::http,
    transport::stdio,
    wire::Wire,
};

/// One client on stdin and stdout needs no more threads than this.
const STDIO_THREADS: usize = 2;

/// Serves the client that started us.
pub fn stdio(settings: Settings, lab: bool) -> Result<(), Stop> {
    telemetry::start(&settings);
    let runtime = runtime(STDIO_THREADS)?;
    let served = runtime.block_on(async {
        let (settings, _lab) = beside(settings, lab).await?;
        let masker = settings.masker();
        let wire = Wire::new(Arc::new(Dispatcher::new(settings, TOOLS)));
        let (input, output) = rmcp::transport::io::stdio_pipes();
        stdio::serve(wire, masker, input, output)
            .await
            .map_err(|never| Stop::Failed(never.to_string()))
    });
    // A blocking read of stdin or a stuck worker must not keep the process after the client has
    // left.
    runtime.shutdown_background();
    served
}

/// With a lab beside the server, if one is wanted.
async fn beside(settings: Settings, lab: bool) -> Result<(Settings, Option<::lab::Handle>), Stop> {
    if !lab {
        return Ok((settings, None));
    }
    lab::beside(settings)
        .await
        .map(|(settings, handle)| (settings, Some(handle)))
}

/// Serves whoever comes to `address`.
pub fn http(settings: Settings, address: &str, lab: bool) -> Result<(), Stop> {
    let address = http::parse_address(address).map_err(|expected| {
        Stop::WrongUse(format!(
            "--http: expected {expected}. Example: --http 127.0.0.1:8080"
        ))
    })?;
    telemetry::start(&settings);
    let threads = std::thread::available_parallelism()
        .map_or(STDIO_THREADS, usize::from)
        .max(STDIO_THREADS);
    let runtime = runtime(threads)?;
    let served = runtime.block_on(async {
        let (settings, _lab) = beside(settings, lab).await?;
        let dispatcher = Arc::new(Dispatcher::new(settings, TOOLS));
        let endpoint = http::Endpoint::bind(address, dispatcher.settings()).await.map_err(|error| could_not_serve(address, &error))?;
        let stop = http::asked_to_stop();
        if !endpoint.address().ip().is_loopback() {
            tell("anyone who can reach this address can use it: there is no authentication, so put a proxy that has it in front");
        }
        tell(&format!("serving MCP at http://{}/mcp", endpoint.address()));
        endpoint.serve(Wire::new(dispatcher), stop).await.map_err(|error| could_not_serve(address, &error))
    });
    runtime.shutdown_background();
    served
}

fn could_not_serve(address: SocketAddr, error: &std::io::Error) -> Stop {
    let advice = match error.kind() {
        ErrorKind::AddrInUse => {
            "; another program listens there, so choose another port, or 0 for any free one"
        }
        ErrorKind::AddrNotAvailable => {
            "; this machine has no such address: 127.0.0.1 serves this machine only, 0.0.0.0 everyone"
        }
        ErrorKind::PermissionDenied => {
            "; ports below 1024 need special rights, so choose a higher one"
        }
        _ => "",
    };
    Stop::Failed(format!(
        "could not serve on {address} ({}){advice}",
        error.kind()
    ))
}

fn runtime(threads: usize) -> Result<tokio::runtime::Runtime, Stop> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .map_err(|error| Stop::Failed(format!("could not start threads ({})", error.kind())))
}
