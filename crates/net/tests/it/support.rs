//! Helpers: clients that may reach the fake web, and short ways to send requests.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use fault::{Case, Context, Dialect, Fault, Surface};
use mask::Masker;
use net::guard::Policy;
use net::{Client, ClientSettings, Request, Response};
use testkit::{Dns, Web};

/// How much later than its limit a request may end: long enough for any busy machine, and far from
/// the time that a request without the limit takes.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

pub(crate) fn policy(rules: &[&str]) -> Policy {
    Policy::new(rules.iter().map(|rule| rule.parse().unwrap()).collect())
}

/// A client that may reach exactly these sites.
pub(crate) fn client(rules: &[&str]) -> Client {
    Client::new(ClientSettings {
        policy: policy(rules),
        ..ClientSettings::default()
    })
}

/// A client that may reach one fake web by its address.
pub(crate) fn client_of(web: &Web) -> Client {
    client(&[&allow(web)])
}

/// A client that uses the fake DNS.
pub(crate) fn client_with_dns(dns: &Dns, rules: &[&str]) -> Client {
    Client::new(ClientSettings {
        policy: policy(rules),
        dns: Some(dns.address()),
        ..ClientSettings::default()
    })
}

/// The rule that allows one fake web and nothing else.
pub(crate) fn allow(web: &Web) -> String {
    web.address().to_string()
}

pub(crate) async fn get(client: &Client, url: &str) -> Result<Response, Fault> {
    client
        .send(Request::get(url).within(Duration::from_secs(10)))
        .await
}

/// The case and the fault of a request that must fail.
pub(crate) async fn fails(client: &Client, request: Request) -> (Case, Fault) {
    match client.send(request).await {
        Ok(response) => panic!(
            "expected a fault, got {} with {} bytes",
            response.status,
            response.body.len()
        ),
        Err(fault) => (fault.case(), fault),
    }
}

/// Runs a request that must fail by its deadline, and checks the time it took.
pub(crate) async fn fails_within(client: &Client, url: &str, limit: Duration) -> (Case, Fault) {
    let started = Instant::now();
    let outcome = fails(client, Request::get(url).within(limit)).await;
    let took = started.elapsed();
    assert!(
        took < limit + GRACE,
        "took {took:?} with a limit of {limit:?}"
    );
    outcome
}

/// A loopback address where nothing listens.
pub(crate) async fn closed_port() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap()
}

/// A fault in every dialect: everything that an agent could read about it.
pub(crate) fn all_dialects(fault: &Fault) -> String {
    Dialect::ALL
        .iter()
        .map(|dialect| {
            format!(
                "{:?}\n",
                fault::render(fault, *dialect, &Context::new(Surface::Fetch))
            )
        })
        .collect()
}

/// The facts of a fault and the upstream's message, as the operator sees them.
pub(crate) fn recorded(fault: &Fault) -> String {
    fault::record(fault, &Masker::default()).to_string()
}
