//! What every test here needs: clients that may reach the fake web, and short ways to ask.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use fault::{Case, Context, Dialect, Fault, Surface};
use mask::Masker;
use net::guard::Policy;
use net::{Client, ClientSettings, Request, Response};
use testkit::{Dns, Web};

/// Beyond a limit the contract allows this much. Doubled here: the machine that runs the tests is
/// shared.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

pub(crate) fn policy(rules: &[&str]) -> Policy {
    Policy::new(rules.iter().map(|rule| rule.parse().unwrap()).collect())
}

/// A client that may reach exactly these.
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

/// A client that asks the fake DNS.
pub(crate) fn client_with_dns(dns: &Dns, rules: &[&str]) -> Client {
    Client::new(ClientSettings {
        policy: policy(rules),
        dns: Some(dns.address()),
        ..ClientSettings::default()
    })
}

/// The rule that opens one fake web and nothing else.
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

/// Runs a request that must fail by its deadline, and checks the contract's time.
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

/// An address on loopback where nothing listens.
pub(crate) async fn closed_port() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap()
}

/// Everything an agent could be told about a fault, in every dialect.
pub(crate) fn told(fault: &Fault) -> String {
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

/// The facts of a fault and the upstream's own words, as the operator sees them.
pub(crate) fn recorded(fault: &Fault) -> String {
    fault::record(fault, &Masker::default()).to_string()
}
