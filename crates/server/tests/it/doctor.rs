//! `fingerpost doctor`: each line about this machine and about HTTP mode, in every state.

use std::path::Path;

use serde_json::Value;
use testkit::Authority;

use crate::{
    auth::{ADA, token_file},
    client::{Exit, program},
};

/// What the doctor says about a set-up.
struct Report {
    code: Option<i32>,
    rows: Vec<Value>,
}

impl Report {
    async fn of(arguments: &[&str], variables: &[(&str, &str)]) -> Report {
        let mut command = program();
        command
            .args(["doctor", "--json"])
            .args(arguments)
            .envs(variables.iter().copied());
        let ended = Exit::from_output(&command.output().await.unwrap());
        let rows = ended.stdout.lines();
        Report {
            code: ended.code,
            rows: rows.map(|row| serde_json::from_str(row).unwrap()).collect(),
        }
    }

    async fn offline(arguments: &[&str], variables: &[(&str, &str)]) -> Report {
        Report::of(&[&["--offline"], arguments].concat(), variables).await
    }

    /// Checks the state of a line and what its advice says.
    fn assert(&self, name: &str, state: &str, says: &str) {
        let row = self.rows.iter().find(|row| row["name"] == name);
        let row = row.unwrap_or_else(|| panic!("no {name} in {:?}", self.rows));
        assert_eq!(row["state"], state, "{row}");
        let advice = row["advice"].as_str().unwrap();
        assert!(advice.contains(says), "{says:?} in {row}");
    }

    /// A line that fails is a failure of the command.
    fn assert_failed(&self, name: &str, says: &str) {
        self.assert(name, "fails", says);
        assert_eq!(self.code, Some(1));
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test]
async fn a_machine_with_nothing_set_up_is_told_what_each_part_needs() {
    let home = tempfile::tempdir().unwrap();
    let variables = [("HOME", text(home.path())), ("CHROME_PATH", "/no/such")];
    let report = Report::offline(&["--data-dir", text(&home.path().join("new"))], &variables).await;
    assert_eq!(report.code, Some(0), "nothing is broken: {:?}", report.rows);
    report.assert("settings file", "none", "`fingerpost config init` writes");
    report.assert("clients", "none", "`fingerpost setup` lists the clients");
    report.assert("data directory", "ok", "made when first needed");
    report.assert("documents", "ok", "nothing else is needed");
    report.assert("browser", "missing", "install chromium, or set CHROME_PATH");
    report.assert("reader", "off", "--reader-url");
    report.assert("research agent", "not set up", "FINGERPOST_AGENT_MODEL");
    report.assert("live search", "not set up", "XAI_API_KEY");
    report.assert("http access", "off", "--tokens FILE");
    report.assert("tls", "off", "--tls-cert and --tls-key");
}

#[tokio::test]
async fn what_is_set_up_is_found() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("fingerpost.toml");
    std::fs::write(&file, "reader-url = \"https://reader.example/\"\n").unwrap();
    let cursor = home.path().join(".cursor");
    std::fs::create_dir(&cursor).unwrap();
    let entry = r#"{"mcpServers": {"fingerpost": {"command": "fingerpost", "args": ["serve"]}}}"#;
    std::fs::write(cursor.join("mcp.json"), entry).unwrap();
    let arguments = [
        "--config",
        text(&file),
        "--data-dir",
        text(home.path()),
        "--browser",
        "never",
        "--agent-url",
        "http://models.example/v1",
        "--agent-model",
        "small-1",
    ];
    let report = Report::offline(&arguments, &[("HOME", text(home.path()))]).await;
    assert_eq!(report.code, Some(0), "{:?}", report.rows);
    report.assert("settings file", "ok", "fingerpost.toml");
    report.assert("clients", "ok", "ursor");
    report.assert("data directory", "ok", text(home.path()));
    report.assert("browser", "off", "--browser never");
    report.assert("reader", "set up", "go to reader.example");
    report.assert("research agent", "set up", "small-1 at models.example");
    for (half, missing) in [
        (["--agent-url", "http://models.example/v1"], "AGENT_MODEL"),
        (["--agent-model", "small-1"], "AGENT_URL"),
    ] {
        let report = Report::offline(&half, &[]).await;
        report.assert("research agent", "not set up", missing);
    }
}

#[tokio::test]
async fn a_data_directory_that_cannot_be_used_fails() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let report = Report::offline(&["--data-dir", text(file.path())], &[]).await;
    report.assert_failed("data directory", "is not a directory");
    // Nobody can make a file there, not even root.
    let report = Report::offline(&["--data-dir", "/proc"], &[]).await;
    report.assert_failed("data directory", "cannot be written to");
    let report = Report::offline(&["--ephemeral"], &[]).await;
    report.assert("data directory", "off", "--data-dir");
    let report = Report::offline(&["--store", "redis://127.0.0.1:1"], &[]).await;
    let store = report.rows.iter().find(|row| row["name"] == "store");
    assert_eq!(store.unwrap()["state"], "fails", "{store:?}");
    assert_eq!(report.code, Some(1));
}

#[tokio::test]
async fn tokens_are_counted_and_a_file_that_everyone_can_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let path = text(file.path());
    let report = Report::offline(&["--tokens", path], &[]).await;
    report.assert("http tokens", "ok", "--tokens: 1");
    report.assert("--tokens", "ok", path);
    let shown = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(file.path(), shown).unwrap();
    let report = Report::offline(&["--tokens", path], &[]).await;
    report.assert("http tokens", "exposed", "chmod 600");
    std::fs::write(file.path(), "[[token]]\nname = \"ada\"\n").unwrap();
    let report = Report::offline(&["--tokens", path], &[]).await;
    report.assert_failed("http access", "--tokens: [[token]] number 1");
}

#[tokio::test]
async fn the_keys_of_an_authorization_server_are_asked_for() {
    let arguments = [
        "--ephemeral",
        "--oauth-issuer",
        "http://127.0.0.1:1",
        "--public-url",
        "https://mcp.example.com",
    ];
    let report = Report::offline(&arguments, &[]).await;
    report.assert("http oauth", "set up", "were not asked for");
    let report = Report::of(&arguments, &[]).await;
    report.assert_failed("http oauth", "--oauth-issuer: ");
    let report = Report::offline(&arguments[..3], &[]).await;
    report.assert_failed("http access", "--public-url");
}

#[tokio::test]
async fn a_certificate_is_read_with_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let authority = Authority::new();
    let (certificate, key) = (place("server.pem"), place("server.key"));
    let identity = authority.valid(&["127.0.0.1"]);
    identity.write_pem(&certificate, &key);
    let other = authority.valid(&["127.0.0.1"]);
    let (_, other_key) = (place("other.pem"), place("other.key"));
    other.write_pem(&place("other.pem"), &other_key);
    let report = |key: &Path| {
        let arguments =
            ["--tls-cert", text(&certificate), "--tls-key", text(key)].map(str::to_owned);
        async move {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            Report::offline(&arguments, &[]).await
        }
    };
    let fits = report(&key).await;
    fits.assert("tls", "ok", "fit");
    fits.assert("--tls-key", "ok", "server.key");
    report(&other_key).await.assert_failed("tls", "--tls-key");
    let alone = Report::offline(&["--tls-cert", text(&certificate)], &[]).await;
    alone.assert_failed("tls", "--tls-cert needs --tls-key");
}
