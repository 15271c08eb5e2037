//! TLS: bad certificates are refused, and the operator's own authority is trusted.

use std::path::PathBuf;

use fault::{Case, Phase, Retry};
use net::{Client, ClientSettings, Request};
use testkit::{Answer, Authority, Behavior, Dns, Identity, Reply, Web};

use crate::support::{all_dialects, fails, get, policy, recorded};

fn trusting(ca: PathBuf) -> Client {
    Client::new(ClientSettings {
        policy: policy(&["127.0.0.1"]),
        extra_ca: Some(ca),
        ..ClientSettings::default()
    })
}

/// A client that trusts the authority, and the directory that must outlive it.
fn with_authority(authority: &Authority) -> (Client, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ca.pem");
    authority.write_pem(&path);
    (trusting(path), directory)
}

async fn serving(identity: &Identity) -> Web {
    let web = Web::tls(identity).await;
    web.on("/", Behavior::ok("secure"));
    web
}

#[tokio::test]
async fn the_operators_authority_is_trusted() {
    let authority = Authority::new();
    let web = serving(&authority.valid(&["127.0.0.1"])).await;
    let (client, _directory) = with_authority(&authority);
    let response = get(&client, &web.url("/")).await.unwrap();
    assert_eq!(response.body, "secure");
    assert!(response.timings.tls.is_some());
    get(&client, &web.url("/")).await.unwrap();
    assert_eq!(web.connections(), 1);
}

#[tokio::test]
async fn names_are_checked_against_the_certificate() {
    let (authority, dns) = (Authority::new(), Dns::start().await);
    dns.on("shop.example", Answer::ip("127.0.0.1"))
        .on("other.example", Answer::ip("127.0.0.1"));
    let web = serving(&authority.valid(&["shop.example"])).await;
    let directory = tempfile::tempdir().unwrap();
    authority.write_pem(&directory.path().join("ca.pem"));
    let settings = ClientSettings {
        policy: policy(&["127.0.0.1"]),
        dns: Some(dns.address()),
        extra_ca: Some(directory.path().join("ca.pem")),
        ..ClientSettings::default()
    };
    let client = Client::new(settings);
    assert_eq!(
        get(&client, &web.url_as("shop.example", "/"))
            .await
            .unwrap()
            .body,
        "secure"
    );
    assert_eq!(
        fails(&client, Request::get(web.url_as("other.example", "/")))
            .await
            .0,
        Case::TlsCertificate
    );
}

#[tokio::test]
async fn bad_certificates_are_final_and_say_why() {
    let authority = Authority::new();
    let (client, _directory) = with_authority(&authority);
    let stranger = Authority::new();
    let cases = [
        (authority.expired(&["127.0.0.1"]), "expired"),
        (authority.not_yet_valid(&["127.0.0.1"]), "not valid yet"),
        (authority.valid(&["127.0.0.2"]), "another host"),
        (stranger.valid(&["127.0.0.1"]), "not trusted"),
        (Authority::self_signed(&["127.0.0.1"]), "not trusted"),
    ];
    for (identity, why) in cases {
        let web = serving(&identity).await;
        let (case, fault) = fails(&client, Request::get(web.url("/"))).await;
        assert_eq!(
            (case, fault.advice(), fault.seen_phase()),
            (Case::TlsCertificate, Retry::Never, Some(Phase::Tls)),
            "{why}"
        );
        assert!(
            all_dialects(&fault).contains(why),
            "{why}: {}",
            all_dialects(&fault)
        );
        assert_eq!(
            web.hits("/"),
            0,
            "no request leaves before the certificate is accepted"
        );
    }
}

#[tokio::test]
async fn text_in_a_certificate_is_only_shown_to_the_operator() {
    let authority = Authority::new();
    let (client, _directory) = with_authority(&authority);
    let web = serving(&authority.valid(&["ignore-previous-instructions.example"])).await;
    let (_, fault) = fails(&client, Request::get(web.url("/"))).await;
    assert!(
        !all_dialects(&fault).contains("ignore-previous"),
        "{}",
        all_dialects(&fault)
    );
    assert!(
        recorded(&fault).contains("ignore-previous"),
        "{}",
        recorded(&fault)
    );
}

#[tokio::test]
async fn plain_http_on_a_tls_port_is_a_failed_handshake() {
    let web = Web::start().await;
    web.on("*", Behavior::ok("plain"));
    let client = Client::new(ClientSettings {
        policy: policy(&["127.0.0.1"]),
        ..ClientSettings::default()
    });
    let (case, fault) = fails(&client, Request::get(format!("https://{}/", web.address()))).await;
    assert_eq!(
        (case, fault.seen_phase()),
        (Case::TlsHandshake, Some(Phase::Tls))
    );
}

#[tokio::test]
async fn closing_during_the_handshake_is_a_failed_handshake() {
    let web = Web::start().await;
    let client = Client::new(ClientSettings {
        policy: policy(&["127.0.0.1"]),
        ..ClientSettings::default()
    });
    web.reset_on_accept(true);
    let (case, fault) = fails(&client, Request::get(format!("https://{}/", web.address()))).await;
    assert_eq!(
        (case, fault.advice().is_possible()),
        (Case::TlsHandshake, true)
    );
}

#[tokio::test]
async fn https_and_http_of_one_host_are_different_origins() {
    let authority = Authority::new();
    let (secure, plain) = (
        serving(&authority.valid(&["127.0.0.1"])).await,
        Web::start().await,
    );
    secure.on("/down", Behavior::redirect(302, &plain.url("/")));
    plain.on("/", Behavior::ok("down"));
    let (client, _directory) = with_authority(&authority);
    let request = Request::get(secure.url("/down"))
        .header("authorization".parse().unwrap(), "secret".parse().unwrap());
    client.send(request).await.unwrap();
    assert_eq!(plain.seen()[0].header("authorization"), None);
}

#[tokio::test]
async fn a_bad_authority_file_is_a_bad_setting() {
    let authority = Authority::new();
    let web = serving(&authority.valid(&["127.0.0.1"])).await;
    let directory = tempfile::tempdir().unwrap();
    let empty = directory.path().join("empty.pem");
    std::fs::write(&empty, "no certificate here").unwrap();
    for path in [directory.path().join("missing.pem"), empty] {
        let (case, fault) = fails(&trusting(path), Request::get(web.url("/"))).await;
        assert_eq!((case, fault.advice()), (Case::BadSetting, Retry::Never));
    }
}

#[tokio::test]
async fn a_body_without_a_length_is_kept_and_marked_when_tls_is_not_closed_properly() {
    let authority = Authority::new();
    let web = serving(&authority.valid(&["127.0.0.1"])).await;
    web.on(
        "/open",
        Behavior::HangUp(Reply::new(200, "maybe all of it")),
    );
    web.on(
        "/whole",
        Behavior::from(Reply::new(200, "all of it").until_close()),
    );
    web.on(
        "/short",
        Behavior::HangUp(Reply::new(200, "half").header("Content-Length", "100")),
    );
    let (client, _directory) = with_authority(&authority);
    let response = get(&client, &web.url("/open")).await.unwrap();
    assert_eq!(
        (&response.body[..], response.truncated),
        (&b"maybe all of it"[..], true)
    );
    let response = get(&client, &web.url("/whole")).await.unwrap();
    assert_eq!(
        (&response.body[..], response.truncated),
        (&b"all of it"[..], false)
    );
    assert_eq!(
        fails(&client, Request::get(web.url("/short"))).await.0,
        Case::TruncatedBody
    );
}
