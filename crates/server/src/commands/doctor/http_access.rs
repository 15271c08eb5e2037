//! The lines about HTTP mode: who may call this server, and TLS.

use super::Row;
use crate::{auth::Authenticator, settings::Settings, token_file, transport::http};

/// One line for each part that is set up, and one for what is missing.
pub(super) async fn rows(settings: &Settings, offline: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    if !settings.needs_token() && Authenticator::new(settings).is_ok() {
        rows.push(without_tokens(settings));
    } else {
        rows.extend(access(settings, offline).await);
    }
    rows.push(match http::load_tls(settings) {
        Ok(None) => row(
            "tls",
            "off",
            "--http is plain HTTP; give --tls-cert and --tls-key, or let a proxy in front speak TLS".to_owned(),
        ),
        Ok(Some(_)) if settings.shows_tls_key() => {
            row("tls", "exposed", http::SHOWN_TLS_KEY.to_owned())
        }
        Ok(Some(_)) => row("tls", "ok", "the certificate and its key fit".to_owned()),
        Err(error) => row("tls", "fails", error),
    });
    rows
}

/// What protects a server whose callers need no token.
fn without_tokens(settings: &Settings) -> Row {
    let (state, advice) = if settings.insecure {
        (
            "exposed",
            "--insecure: with --http, everyone who can reach the address can use it; give --tokens FILE, or --oauth-issuer and --public-url",
        )
    } else if settings.subject_header.is_some() {
        (
            "ok",
            "with --http, the proxy in front names each user (--subject-header): it must authenticate them, remove that header from their requests, and alone reach this server",
        )
    } else {
        (
            "off",
            "callers of --http need no token, so it serves this machine only; give --tokens FILE, or --oauth-issuer and --public-url, before others may reach it",
        )
    };
    row("http access", state, advice.to_owned())
}

async fn access(settings: &Settings, offline: bool) -> Vec<Row> {
    let authenticator = match Authenticator::new(settings) {
        Ok(authenticator) => authenticator,
        Err(error) => return vec![row("http access", "fails", error)],
    };
    let mut rows = Vec::new();
    if let Some(count) = authenticator.token_count() {
        let advice = format!("tokens in the file of --tokens: {count}");
        rows.push(match settings.shows_tokens() {
            true => row(
                "http tokens",
                "exposed",
                token_file::SHOWN_TOKENS.to_owned(),
            ),
            false => row("http tokens", "ok", advice),
        });
    }
    if let Some(oauth) = authenticator.oauth() {
        rows.push(match (offline, oauth) {
            (true, _) => row(
                "http oauth",
                "set up",
                "the keys of --oauth-issuer were not asked for".to_owned(),
            ),
            (false, oauth) => match oauth.check_keys().await {
                Ok(count) => row(
                    "http oauth",
                    "ok",
                    format!("keys of --oauth-issuer: {count}"),
                ),
                Err(problem) => row(
                    "http oauth",
                    "fails",
                    format!("--oauth-issuer: {}", problem.as_str()),
                ),
            },
        });
    }
    rows
}

fn row(name: &str, state: &'static str, advice: String) -> Row {
    Row {
        name: name.to_owned(),
        state,
        advice,
    }
}
