//! TLS of our own: the handshake, what a client without TLS is told, a certificate that is renewed,
//! and an end that finishes what is under way.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::json;
use testkit::{Authority, Behavior, Reply, TlsClient, Web};

use super::{ADA, token_file};
use crate::client::{Answer, Exit, HttpServer, modern_meta, parse, program};

struct Files {
    _folder: tempfile::TempDir,
    certificate: PathBuf,
    key: PathBuf,
}

impl Files {
    fn new(authority: &Authority) -> Files {
        let folder = tempfile::tempdir().unwrap();
        let files = Files {
            certificate: folder.path().join("server.pem"),
            key: folder.path().join("server.key"),
            _folder: folder,
        };
        files.renew(authority);
        files
    }

    fn renew(&self, authority: &Authority) {
        self.renew_for(authority, "127.0.0.1");
    }

    fn renew_for(&self, authority: &Authority, name: &str) {
        let identity = authority.valid(&[name]);
        identity.write_pem(&self.certificate, &self.key);
    }

    async fn serve(&self, more: &[&str]) -> HttpServer {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let (certificate, key) = (text(&self.certificate), text(&self.key));
        let mut arguments = vec!["--ephemeral", "--tls-cert", &certificate, "--tls-key", &key];
        arguments.extend(more);
        HttpServer::spawn(&arguments).await
    }
}

fn request(server: &HttpServer, tool: &str, arguments: serde_json::Value) -> Vec<u8> {
    let params = json!({"name": tool, "arguments": arguments, "_meta": modern_meta()});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    )
    .into_bytes()
}

async fn health(server: &HttpServer, authority: &Authority) -> std::io::Result<Answer> {
    let mut client = TlsClient::connect(&server.address, authority).await?;
    client
        .send(&request(server, "health_check", json!({})))
        .await?;
    Ok(parse(&client.rest().await?))
}

#[tokio::test]
async fn a_call_over_tls_is_answered_and_a_silent_client_keeps_nobody_waiting() {
    let authority = Authority::new();
    let server = Files::new(&authority).serve(&[]).await;
    let _silent = tokio::net::TcpStream::connect(&server.address)
        .await
        .unwrap();
    let answer = health(&server, &authority).await.unwrap();
    assert_eq!(
        (answer.status, &answer.json()["result"]["isError"]),
        (200, &json!(false))
    );
    assert!(
        health(&server, &Authority::new()).await.is_err(),
        "another authority"
    );
}

#[tokio::test]
async fn a_client_without_tls_is_told_to_use_it() {
    let server = Files::new(&Authority::new()).serve(&[]).await;
    let answer = server.send("GET", "/healthz", &[], b"").await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(answer.json()["kind"], "validation");
    assert!(answer.body.contains("https://"));
}

#[tokio::test]
async fn the_cookie_of_a_sign_in_is_for_tls_only() {
    let authority = Authority::new();
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let server = Files::new(&authority)
        .serve(&["--tokens", file.path().to_str().unwrap()])
        .await;
    let form = format!("token={ADA}");
    let request = format!(
        "POST /sign-in HTTP/1.1\r\nHost: {0}\r\nOrigin: https://{0}\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {1}\r\n\r\n{form}",
        server.address,
        form.len()
    );
    let mut client = TlsClient::connect(&server.address, &authority)
        .await
        .unwrap();
    client.send(request.as_bytes()).await.unwrap();
    let answer = parse(&client.rest().await.unwrap());
    assert_eq!(answer.status, 303, "{answer:?}");
    assert!(answer.header("set-cookie").unwrap().ends_with("; Secure"));
}

#[tokio::test]
async fn a_renewed_certificate_is_used_and_a_broken_one_is_not() {
    let (old, new) = (Authority::new(), Authority::new());
    let files = Files::new(&old);
    let server = files.serve(&[]).await;
    assert!(health(&server, &old).await.is_ok());
    files.renew(&new);
    while health(&server, &new).await.is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(health(&server, &old).await.is_err());
    std::fs::write(&files.key, "-----BEGIN NOTHING-----\n").unwrap();
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert!(health(&server, &new).await.is_ok());
}

#[tokio::test]
async fn a_call_in_flight_is_answered_after_the_signal_to_stop() {
    let authority = Authority::new();
    let web = Web::start().await;
    let reply = Reply::html(
        200,
        "<article><h1>Slow</h1><p>The page came after all.</p></article>",
    );
    let wait = Duration::from_secs(2);
    web.on("/slow", Behavior::Slow { reply, wait });
    let opened = web.address().to_string();
    let mut server = Files::new(&authority)
        .serve(&[
            "--allow-private",
            &opened,
            "--robots=false",
            "--browser",
            "never",
        ])
        .await;
    let mut client = TlsClient::connect(&server.address, &authority)
        .await
        .unwrap();
    let call = request(&server, "scrape_page", json!({"url": web.url("/slow")}));
    client.send(&call).await.unwrap();
    while web.hits("/slow") == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let pid = server.child.id().unwrap().to_string();
    let killed = std::process::Command::new("kill").arg(&pid).status();
    assert!(killed.unwrap().success());
    let answer = parse(&client.rest().await.unwrap());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(
        answer.body.contains("The page came after all."),
        "{answer:?}"
    );
    let ended = tokio::time::timeout(Duration::from_secs(20), server.child.wait()).await;
    assert!(ended.expect("the server ends").unwrap().success());
}

#[tokio::test]
async fn health_is_asked_on_this_machine_by_the_name_of_the_certificate() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    files.renew_for(&authority, "mcp.example.com");
    let server = files.serve(&[]).await;
    let authorities = tempfile::NamedTempFile::new().unwrap();
    authority.write_pem(authorities.path());
    let port = server.address.rsplit(':').next().unwrap();
    let health = async |host: &str, more: &[&str]| {
        let mut command = program();
        command
            .args(["health", "--url", &format!("https://{host}:{port}")])
            .args(["--ca", authorities.path().to_str().unwrap()])
            .args(more);
        Exit::from_output(&command.output().await.unwrap())
    };
    let served = health("mcp.example.com", &["--at", "127.0.0.1"]).await;
    assert_eq!(served.code, Some(0), "{}", served.stderr);
    let by_address = health("127.0.0.1", &[]).await;
    assert_eq!(by_address.code, Some(1));
    assert!(
        by_address.stderr.contains("tls_certificate")
            && by_address.stderr.contains("--at 127.0.0.1"),
        "{}",
        by_address.stderr
    );
    let other = health("other.example.com", &["--at", "127.0.0.1"]).await;
    assert_eq!(other.code, Some(1), "the name is still checked");
    let wrong = health("mcp.example.com", &["--at", "here"]).await;
    assert_eq!(wrong.code, Some(2));
}

#[tokio::test]
async fn a_certificate_that_cannot_be_used_stops_the_start() {
    let authority = Authority::new();
    let (files, others) = (Files::new(&authority), Files::new(&authority));
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    for (arguments, expected) in [
        (
            vec!["--tls-cert".to_owned(), text(&files.certificate)],
            "--tls-cert needs --tls-key",
        ),
        (
            vec!["--tls-key".to_owned(), text(&files.key)],
            "--tls-key needs --tls-cert",
        ),
        (
            vec![
                "--tls-cert".to_owned(),
                text(&files.certificate),
                "--tls-key".to_owned(),
                text(&others.key),
            ],
            "--tls-key: the private key does not belong to the certificate",
        ),
        (
            vec![
                "--tls-cert".to_owned(),
                text(&files.key),
                "--tls-key".to_owned(),
                text(&files.key),
            ],
            "--tls-cert: no certificate",
        ),
        (
            vec![
                "--tls-cert".to_owned(),
                text(&files.certificate),
                "--tls-key".to_owned(),
                text(&files.certificate),
            ],
            "--tls-key: no private key",
        ),
    ] {
        let mut command = program();
        command
            .args(["serve", "--ephemeral", "--http", "127.0.0.1:0"])
            .args(arguments);
        let output = tokio::time::timeout(Duration::from_secs(20), command.output());
        let exit = Exit::from_output(&output.await.expect("it ends").unwrap());
        assert_eq!(exit.code, Some(2), "{}", exit.stderr);
        assert!(exit.stderr.contains(expected), "{}", exit.stderr);
    }
}
