//! A Redis server that stops and starts again, and one that is reached through TLS.

use std::time::{Duration, Instant};

use engine::research::{Limits, NewStep, ResearchSessions};
use engine::store::{RedisStore, Tenant};
use fault::{Case, Secret};

use super::fault_of;
use super::redis_server::{RedisServer, command, free_port};

fn step() -> NewStep {
    NewStep {
        text: "look".to_owned(),
        ..NewStep::default()
    }
}

#[tokio::test]
async fn a_server_that_is_gone_is_a_fault_and_one_that_is_back_needs_no_restart() {
    let mut server = RedisServer::start();
    let store = RedisStore::new(&Secret::new(server.url())).unwrap();
    let (research, tenant) = (
        ResearchSessions::new(std::sync::Arc::new(store), Limits::default()),
        Tenant::local(),
    );
    let id = research.start(&tenant, "goal").await.unwrap().id;
    for _ in 0..2 {
        server.kill();
        let asked = Instant::now();
        let failed = research.step(&tenant, &id, &step()).await;
        let fault = fault_of(failed.unwrap_err());
        assert_eq!(fault.case(), Case::Store);
        assert!(fault.advice().is_possible(), "it may come back");
        assert!(asked.elapsed() < Duration::from_secs(10));
        assert_eq!(
            research.list(&tenant, None, 9).await.unwrap_err().case(),
            Case::Store
        );
        server.start_again();
        let fresh = research
            .start(&tenant, "goal")
            .await
            .expect("the first call after the return works");
        research.step(&tenant, &fresh.id, &step()).await.unwrap();
    }
}

#[tokio::test]
async fn a_connection_that_was_lost_meanwhile_costs_nobody_a_fault() {
    let mut server = RedisServer::start();
    let store = RedisStore::new(&Secret::new(server.url())).unwrap();
    let (research, tenant) = (
        ResearchSessions::new(std::sync::Arc::new(store), Limits::default()),
        Tenant::local(),
    );
    research.start(&tenant, "goal").await.unwrap();
    server.start_again();
    research
        .start(&tenant, "goal")
        .await
        .expect("the lost connection is replaced");
}

/// The server accepts connections and never answers.
#[tokio::test]
async fn a_silent_server_does_not_keep_every_call_waiting() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}/0", silent.local_addr().unwrap());
    let store = RedisStore::new(&Secret::new(url)).unwrap();
    let (research, tenant, asked) = (
        ResearchSessions::new(std::sync::Arc::new(store), Limits::default()),
        Tenant::local(),
        Instant::now(),
    );
    for _ in 0..50 {
        assert_eq!(
            research
                .session(&tenant, "ses_unknown")
                .await
                .unwrap_err()
                .case(),
            Case::Store
        );
    }
    assert!(
        asked.elapsed() < Duration::from_secs(30),
        "50 waits of 2 seconds are 100"
    );
}

#[tokio::test]
async fn a_server_behind_tls_is_trusted_only_with_a_certificate_that_the_system_trusts() {
    let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
    let [authority, certificate, key] =
        ["authority.pem", "certificate.pem", "key.pem"].map(|name| folder.path().join(name));
    let trusted = testkit::Authority::new();
    trusted.write_pem(&authority);
    trusted.valid(&["127.0.0.1"]).write_pem(&certificate, &key);
    let mut server = command(folder.path())
        .args([
            "--port",
            "0",
            "--tls-port",
            &port.to_string(),
            "--tls-auth-clients",
            "no",
            "--tls-cert-file",
        ])
        .arg(&certificate)
        .arg("--tls-key-file")
        .arg(&key)
        .arg("--tls-ca-cert-file")
        .arg(&authority)
        .spawn()
        .unwrap();
    let read = |trusts: &std::path::Path| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_session-writer"));
        let url = format!("rediss://127.0.0.1:{port}/0");
        let output = command
            .args(["try", &url, "ses_unknown", "1"])
            .env("SSL_CERT_FILE", trusts)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let is_unknown_session = |told: &str| told.contains("session_not_found");
    let mut told = read(&authority);
    for _ in 0..100 {
        if is_unknown_session(&told) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        told = read(&authority);
    }
    let stranger = folder.path().join("stranger.pem");
    testkit::Authority::new().write_pem(&stranger);
    let refused = read(&stranger);
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(is_unknown_session(&told), "the server answered: {told}");
    assert!(
        refused.contains("\"reason\":\"store\"") && !is_unknown_session(&refused),
        "{refused}"
    );
}

#[tokio::test]
async fn a_record_that_somebody_overwrote_is_damaged_and_not_worth_a_wait() {
    let server = RedisServer::start();
    let store = RedisStore::new(&Secret::new(server.url())).unwrap();
    let (research, tenant) = (
        ResearchSessions::new(std::sync::Arc::new(store), Limits::default()),
        Tenant::local(),
    );
    let id = research.start(&tenant, "goal").await.unwrap().id;
    let pattern = format!("fingerpost:{{*{id}}}");
    let keys: Vec<String> = server.ask(redis::cmd("KEYS").arg(pattern)).unwrap();
    let [key] = keys.as_slice() else {
        panic!("{keys:?}")
    };
    for overwrite in [
        redis::cmd("HSET").arg(key).arg("head").arg("{").take(),
        redis::cmd("SET").arg(key).arg("mine").take(),
    ] {
        server.ask::<redis::Value>(&overwrite).unwrap();
        let fault = research.session(&tenant, &id).await.unwrap_err();
        assert_eq!(fault.case(), Case::Store);
        assert!(!fault.advice().is_possible(), "{}", fault.sentence());
        assert!(fault.sentence().as_str().contains("damaged"));
    }
}
