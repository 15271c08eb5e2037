//! `fingerpost serve`: starts a server on stdio or HTTP.
//!
//! Starting has no side effects beyond what serving needs: no directory is made, no address is
//! resolved, and on stdio no socket is opened. Clients probe a server by starting a second copy of
//! it, so starting must also be cheap.

use std::{
    io::{ErrorKind, IsTerminal},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use clap::{Arg, ArgMatches};
use url::Host;

use super::{
    Subcommand, arguments, doctor,
    error::CommandError,
    lab, offered,
    terminal::{self, print_message},
};
use crate::{
    dispatch::Dispatcher,
    process_limits,
    settings::Settings,
    telemetry, token_file,
    tools::TOOLS,
    transport::{
        http::{self, StartError},
        stdio, stop_signal,
    },
    wire::McpHandler,
};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "serve",
    about: "Serve MCP on stdin and stdout, or over HTTP",
    arguments: || {
        let http = Arg::new("http").long("http").value_name("ADDRESS");
        let mut all = vec![
            http.help("Listen here instead of stdio, for example 127.0.0.1:8080; port 0 picks a free one"),
            arguments::switch("lab").help("Search a lab on this machine instead of the web: every provider, a small fixed corpus, offline"),
        ];
        all.extend(arguments::documented_settings());
        all
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    let mut settings = arguments::load_settings(matches)?;
    offered::choose(&mut settings)?;
    let with_lab = matches.get_flag("lab");
    match arguments::text(matches, "http") {
        Some(address) => serve_http(settings, address, with_lab),
        None => {
            print_hint_on_terminal();
            warn_of_http_settings(&settings);
            serve_stdio(settings, with_lab)
        }
    }
}

/// On a terminal, `fingerpost serve` would seem to do nothing, so say what it waits for.
fn print_hint_on_terminal() {
    if std::io::stdin().is_terminal() {
        print_message(
            "speaking MCP on stdin and stdout; an MCP client starts this itself. For HTTP: fingerpost serve --http 127.0.0.1:8080",
        );
    }
}

/// Says which settings only a server on HTTP has a use for. Whoever gave them may believe that they
/// protect this one.
fn warn_of_http_settings(settings: &Settings) {
    let unused = [
        ("--tokens", settings.tokens.is_some()),
        ("--oauth-issuer", settings.oauth_issuer.is_some()),
        ("--subject-header", settings.subject_header.is_some()),
        ("--tls-cert", settings.tls_cert.is_some()),
        ("--public-url", settings.public_url.is_some()),
        ("--allowed-origin", !settings.allowed_origins.is_empty()),
        ("--metrics", settings.metrics),
        ("--insecure", settings.insecure),
    ];
    let unused: Vec<&str> = unused
        .into_iter()
        .filter_map(|(flag, is_set)| is_set.then_some(flag))
        .collect();
    if !unused.is_empty() {
        print_message(&format!(
            "{}: not used on stdin and stdout, only with --http ADDRESS",
            unused.join(", ")
        ));
    }
}

/// Says that the store does not answer, takes no changes or loses records, as soon as it is known. Serving does not
/// wait for it.
fn warn_of_store(settings: &Settings) {
    let Some(url) = settings.store_url.clone() else {
        if let Some(trouble) = doctor::data_directory_trouble(settings) {
            print_message(&format!("--data-dir: {trouble}"));
        }
        return;
    };
    let settings = settings.clone();
    tokio::spawn(async move {
        if let Some(problem) = doctor::store_problem(&url, &settings).await {
            print_message(&format!("--store: {problem}"));
        }
    });
}

/// Says what others must call this server, and what they can see on the way to it.
fn print_reach(settings: &Settings, endpoint: &http::Endpoint) {
    let address = endpoint.address();
    if address.ip().is_loopback() {
        return;
    }
    let public = settings.public_url.as_ref();
    if address.ip().is_unspecified() && public.is_none() {
        print_message(
            "clients reach it by any address of this machine; for a name, give it with --public-url",
        );
    }
    let is_safe = endpoint.scheme() == "https" || public.is_some_and(|url| url.scheme() == "https");
    if settings.needs_token() && !is_safe {
        print_message(
            "tokens and replies travel in plain HTTP, which others on the network can read: give --tls-cert and --tls-key, or let a proxy in front speak TLS",
        );
    }
}

/// The address to show: the one it listens on, or loopback for a server that listens on all.
fn shown_address(endpoint: &http::Endpoint) -> SocketAddr {
    let mut address = endpoint.address();
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// Serves the client that started this process.
fn serve_stdio(settings: Settings, with_lab: bool) -> Result<(), CommandError> {
    let _logs = telemetry::start(&settings);
    process_limits::prepare();
    let runtime = terminal::runtime()?;
    let served = runtime.block_on(async {
        let (settings, _lab) = lab::start_if(with_lab, settings).await?;
        warn_of_store(&settings);
        let masker = settings.masker();
        let dispatcher = Arc::new(Dispatcher::new(settings, TOOLS));
        dispatcher.start();
        let wire = McpHandler::new(Arc::clone(&dispatcher));
        let (input, output) = rmcp::transport::io::stdio_pipes();
        let served = stdio::serve(wire, masker, input, output, stop_signal()).await;
        tokio::join!(net::browser::close_all(), dispatcher.finish_reports());
        served.map_err(|error| CommandError::Failed(error.to_string()))
    });
    // A blocking read of stdin or a stuck worker must not keep the process alive after the client
    // has left.
    runtime.shutdown_background();
    served
}

/// Serves every client that connects to `address`.
fn serve_http(settings: Settings, address: &str, with_lab: bool) -> Result<(), CommandError> {
    let address = http::parse_address(address).map_err(|expected| {
        CommandError::Usage(format!(
            "--http: expected {expected}. Example: --http 127.0.0.1:8080"
        ))
    })?;
    let _logs = telemetry::start(&settings);
    process_limits::prepare();
    let threads = std::thread::available_parallelism()
        .map_or(terminal::THREADS, usize::from)
        .max(terminal::THREADS);
    let runtime = terminal::runtime_with(threads)?;
    let served = runtime.block_on(async {
        let (settings, _lab) = lab::start_if(with_lab, settings).await?;
        warn_of_store(&settings);
        let served = listen(settings, address).await;
        net::browser::close_all().await;
        served
    });
    runtime.shutdown_background();
    served
}

async fn listen(settings: Settings, address: SocketAddr) -> Result<(), CommandError> {
    let failed = |error: std::io::Error| cannot_listen(address, &error);
    check_reach(&settings, address)?;
    let dispatcher = Arc::new(Dispatcher::new(settings, TOOLS));
    let endpoint = http::Endpoint::bind(address, dispatcher.settings()).await;
    let mut endpoint = endpoint.map_err(|error| match error {
        StartError::Setting(text) => CommandError::Usage(text),
        StartError::Listen(error) => failed(error),
    })?;
    endpoint = endpoint.with_dispatcher(Arc::clone(&dispatcher));
    if dispatcher.settings().metrics {
        endpoint = endpoint.with_metrics(Arc::clone(&dispatcher));
    }
    if dispatcher.settings().page {
        endpoint = endpoint.with_page(Arc::clone(&dispatcher));
    }
    let stop = stop_signal();
    if dispatcher.settings().insecure && !dispatcher.settings().needs_token() {
        print_message("anyone who can reach this address can use it: there is no authentication");
    }
    let place = format!("{}://{}", endpoint.scheme(), shown_address(&endpoint));
    print_message(&format!("serving MCP at {place}/mcp"));
    print_reach(dispatcher.settings(), &endpoint);
    if dispatcher.settings().page {
        print_message(&format!("a page for people is at {place}/"));
    }
    if dispatcher.settings().shows_tokens() {
        print_message(token_file::SHOWN_TOKENS);
    }
    if dispatcher.settings().shows_tls_key() {
        print_message(http::SHOWN_TLS_KEY);
    }
    dispatcher.start();
    let served = endpoint
        .serve(McpHandler::new(Arc::clone(&dispatcher)), stop)
        .await;
    dispatcher.finish_reports().await;
    served.map_err(failed)
}

/// Refuses to serve everyone by mistake.
fn check_reach(settings: &Settings, address: SocketAddr) -> Result<(), CommandError> {
    if settings.needs_token() || settings.insecure {
        return Ok(());
    }
    if address.ip().is_loopback() {
        return check_public_reach(settings);
    }
    Err(CommandError::Usage(format!(
        "--http {address}: other machines can reach this address, and there is no authentication. Either let callers \
         send tokens (--tokens FILE, or --oauth-issuer URL with --public-url URL), or listen on 127.0.0.1 behind a proxy that authenticates, or say --insecure if everyone who can reach it may use it. \
         --subject-header alone is no authentication: whoever reaches this address could name any user"
    )))
}

/// A public address says that something in front leads others here. So either callers have tokens, or
/// the proxy authenticates them and names the user.
fn check_public_reach(settings: &Settings) -> Result<(), CommandError> {
    let public = settings.public_url.as_ref();
    let is_reached = public.is_some_and(|url| match url.host() {
        Some(Host::Domain(name)) => name != "localhost" && !name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => !address.is_loopback(),
        Some(Host::Ipv6(address)) => !address.is_loopback(),
        None => false,
    });
    if !is_reached || settings.subject_header.is_some() {
        return Ok(());
    }
    Err(CommandError::Usage(
        "--public-url: others reach this server at that address, and there is no authentication. Either let callers send tokens \
         (--tokens FILE, or --oauth-issuer URL), or let the proxy authenticate them and name the user (--subject-header NAME), \
         or say --insecure if everyone who can reach it may use it"
            .to_owned(),
    ))
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> CommandError {
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
    CommandError::Failed(format!(
        "could not serve on {address} ({}){advice}",
        error.kind()
    ))
}
