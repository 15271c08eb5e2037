//! Wrong settings: whatever is wrong stops the start, and the message says where it is.

use std::collections::BTreeSet;

use super::commands::run;

/// Values that are wrong for a setting. Each setting has at least one.
const WRONG: &[(&str, &str)] = &[
    ("toolset", "reserch"),
    ("toolset", ","),
    ("tools", "web search"),
    ("tools", ","),
    ("dialect", "klingon"),
    ("ephemeral", "maybe"),
    ("traces-exporter", "jaeger"),
    ("otel-disabled", "maybe"),
    ("allow-domain", "https://example.com/"),
    ("deny-domain", "example.com:80"),
    ("allow-private", "http://x/"),
    ("allow-private", "http://localhost"),
    ("allow-private", "10.0.0.0/33"),
    ("allow-private", "localhost:99999"),
    ("dns", "dns.example"),
    ("proxy", "proxy.example:3128"),
    ("no-proxy", "http://x/"),
    ("ca", "no-such-file.pem"),
    ("ca", "no/such/file.pem"),
    ("deadline", "soon"),
    ("deadline", "0"),
    ("deadline", "601"),
    ("max-concurrent", "0"),
    ("max-concurrent", "-1"),
    ("drain-delay", "-1"),
    ("max-memory", "15"),
    ("allowed-origin", "example.com"),
    ("allowed-origin", "https://example.com/path"),
    ("subject-header", "not a header"),
    ("tokens", "no/such/file.toml"),
    ("public-url", "https://mcp.example.com/mcp"),
    ("insecure", "perhaps"),
    ("tls-cert", "no/such/file.pem"),
    ("tls-key", "no/such/file.key"),
    ("calls-per-minute", "0"),
    ("calls-per-day", "many"),
    ("oauth-issuer", "http://auth.example.com"),
    ("oauth-issuer", "https://auth.example.com/?a=b"),
    ("oauth-audience", "two words"),
    ("oauth-scope-prefix", "two words"),
    ("oauth-default-scopes", "admin"),
    ("store", "http://x"),
    ("store", "mysql://x"),
    ("max-sessions", "0"),
    ("session-days", "soon"),
    ("session-days", "forever"),
    ("max-stored", "0"),
    ("max-stored", "-1"),
    ("stored-days", "0"),
    ("issue-url", "ftp://x"),
    ("issue-url", "mailto:me@example.com"),
    ("contact", "nobody"),
    ("contact", "somebody"),
    ("contact", "me@example.org (home)"),
    ("contact", "https://me:pw@example.org/"),
    ("user-agent", "caf\u{e9}"),
    ("robots", "maybe"),
    ("browser", "sometimes"),
    ("chrome-path", " "),
    ("browser-pages", "0"),
    ("browser-idle", "soon"),
    ("ocr", "always"),
    ("ocr-languages", "English language"),
    ("index", "perhaps"),
    ("allow-path", "no/such/directory"),
    ("reader-url", "r.jina.ai"),
    ("reader-key", "two words"),
    ("disable-provider", "altavista"),
    ("lens-dir", "no/such/directory"),
    ("patterns-dir", "no/such/directory"),
    ("log", "a=b=c"),
    ("log", "loud=maybe"),
    ("log", "nonsense"),
    ("log", "warn,"),
    ("sentry-dsn", "https://sentry.example/1"),
    ("sentry-environment", "a/b"),
    ("metrics", "maybe"),
    ("page", "perhaps"),
    ("otlp-endpoint", "localhost:4317"),
    ("otlp-headers", "no-value"),
    ("service-name", " "),
    ("log-format", "xml"),
    ("xai-api-key", "two words"),
    ("xai-url", "ftp://x"),
    ("xai-url", "api.x.ai"),
    ("xai-model", "two words"),
    ("xai-model", "grok 4"),
    ("grok-timeout", "abc"),
    ("grok-timeout", "999"),
    ("grok-max-retries", "abc"),
    ("grok-max-retries", "-1"),
    ("grok-max-retries", "11"),
    ("agent-url", "ftp://x"),
    ("agent-url", "file:///etc/passwd"),
    ("agent-api-key", "two words"),
    ("agent-model", "two words"),
    ("agent-model", "two\nlines"),
    ("agent-timeout", "soon"),
    ("agent-timeout", "0"),
    ("agent-deadline", "0"),
    ("agent-deadline", "3601"),
    ("agent-context", "10"),
    ("data-dir", " "),
];

#[tokio::test]
async fn every_wrong_setting_stops_the_start_and_names_flag_or_variable() {
    // Every provider's settings are made by the same code, so one provider of each kind stands for
    // all.
    let of_providers = [
        ("brave-url", "ftp://x"),
        ("brave-api-key", "two words"),
        ("brave-timeout", "soon"),
        ("google-cx", "two words"),
    ];
    let mut tried = BTreeSet::new();
    for (key, value) in WRONG.iter().chain(&of_providers) {
        let flag = format!("--{key}={value}");
        let ended = run(&["serve", &flag], &[], None, b"").await;
        assert_eq!(ended.code, Some(2), "{flag}: {}", ended.stderr);
        assert!(
            ended.stderr.contains(&format!("fingerpost: --{key}: ")),
            "{}",
            ended.stderr
        );
        assert!(
            ended.stderr.contains("expected")
                && ended.stderr.contains(&format!("Example: --{key}")),
            "{}",
            ended.stderr
        );
        assert_eq!(ended.stdout, "");
        // Variables are parsed as flags are, so one value of each setting is enough.
        if !tried.insert(*key) {
            continue;
        }
        let variable = server::settings::variable(key);
        let ended = run(&["serve"], &[(&variable, value)], None, b"").await;
        assert_eq!(ended.code, Some(2), "{variable}");
        assert!(
            ended.stderr.contains(&format!("{variable}: "))
                && ended.stderr.contains(&format!("{variable}='")),
            "{}",
            ended.stderr
        );
    }
    let untried: Vec<&str> = {
        let general = server::settings::TABLE
            .iter()
            .filter(|row| !row.is_of_provider());
        general
            .map(|row| row.key)
            .filter(|key| !tried.contains(key))
            .collect()
    };
    assert_eq!(untried, [""; 0]);
}

#[tokio::test]
async fn mistakes_in_the_file_name_the_file_and_a_stronger_source_does_not_hide_them() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(
        here.path().join("fingerpost.toml"),
        "deadline = \"never\"\ntimeout = 5\n",
    )
    .unwrap();
    let ended = run(
        &["serve", "--deadline", "5", "--config", "fingerpost.toml"],
        &[],
        Some(here.path()),
        b"",
    )
    .await;
    assert_eq!(ended.code, Some(2));
    assert!(
        ended
            .stderr
            .contains("deadline in fingerpost.toml: \"never\""),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stderr.contains("\"timeout\" is not a setting"),
        "{}",
        ended.stderr
    );

    let ended = run(&["serve", "--config", "nowhere.toml"], &[], None, b"").await;
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("nowhere.toml: there is no such file"),
        "{}",
        ended.stderr
    );
}
