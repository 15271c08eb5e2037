//! `fingerpost health`: asks a running server whether it serves. For containers, whose images have no
//! other program that could ask.

use std::{net::IpAddr, time::Duration};

use clap::{Arg, ArgMatches};
use fault::Phase;
use url::Url;

use super::{Subcommand, arguments, error::CommandError, terminal};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "health",
    about: "Ask a server over HTTP whether it serves; exit code 0 if so",
    arguments: || {
        let url = Arg::new("url")
            .long("url")
            .value_name("URL")
            .default_value("http://127.0.0.1:8420")
            .help("The server's address; its path does not matter");
        let at = Arg::new("at")
            .long("at")
            .value_name("IP")
            .value_parser(clap::value_parser!(IpAddr))
            .help("Ask this address, whichever the name in --url has: for a certificate without a name of this machine");
        vec![url, at]
    },
    run,
};

/// Shorter than the usual time limit of a container's health check.
const PATIENCE: Duration = Duration::from_secs(4);

fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    let settings = arguments::load_settings(matches)?;
    let url = health_page(arguments::text(matches, "url").unwrap_or_default())?;
    // The operator's proxy is for other machines.
    let client = net::Client::trusted(net::ClientSettings {
        outbound: net::Outbound::default(),
        every_name_at: matches.get_one::<IpAddr>("at").copied(),
        ..settings.network()
    });
    let request = net::Request::get(url.clone()).within(PATIENCE);
    let answer = terminal::runtime()?.block_on(client.send(request));
    match answer {
        Ok(response) if response.status == 200 && is_ours(&response.body) => {
            terminal::print_message(&format!("{url} serves"));
            Ok(())
        }
        Ok(response) if response.status == 400 && url.scheme() == "http" => {
            Err(CommandError::Failed(format!(
                "{url} answered HTTP 400; a server with a certificate (--tls-cert) is asked with https and a name that the certificate has, and --at 127.0.0.1 if that name leads elsewhere"
            )))
        }
        Ok(response) if response.status == 200 => Err(CommandError::Failed(format!(
            "{url} is a page of another program; give the address of `fingerpost serve --http` with --url"
        ))),
        Ok(response) => Err(CommandError::Failed(format!(
            "{url} answered HTTP {}; a server of this program answers 200",
            response.status
        ))),
        Err(fault) => {
            let advice = match fault.seen_phase() {
                Some(Phase::Connect) => "; is `fingerpost serve --http` running there?",
                Some(Phase::Tls) => {
                    "; give --url with https and a name that the server's certificate has, --at 127.0.0.1 if that name leads elsewhere, and --ca with the certificate of the authority that signed it (not the server's own) where that authority is yours"
                }
                _ if settings.tls_cert.is_some() && url.scheme() == "http" => {
                    "; this server speaks TLS: give --url with https and a name that its certificate has, and --at 127.0.0.1 if that name leads elsewhere"
                }
                _ => "",
            };
            Err(CommandError::Failed(format!(
                "{url} does not answer ({}){advice}",
                fault.reason().unwrap_or(fault.kind().as_str())
            )))
        }
    }
}

/// Whether the answer is that of a server of this program.
fn is_ours(body: &[u8]) -> bool {
    let answer = serde_json::from_slice::<serde_json::Value>(body);
    answer.is_ok_and(|answer| answer["status"] == "ok" && answer["version"].is_string())
}

/// The health page of the server at an address.
fn health_page(address: &str) -> Result<Url, CommandError> {
    let url = Url::parse(address).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let mut url = url.ok_or_else(|| {
        CommandError::Usage(
            "--url: expected an http or https address. Example: --url http://127.0.0.1:8420"
                .to_owned(),
        )
    })?;
    url.set_path("/healthz");
    url.set_query(None);
    Ok(url)
}
