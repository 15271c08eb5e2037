//! `fingerpost config`, `completions`, `man` and `health`.

use std::path::Path;

use serde_json::Value;
use server::settings::TABLE;

use crate::client::{Exit, HttpServer, program};

async fn run(arguments: &[&str], variables: &[(&str, &str)], directory: &Path) -> Exit {
    let mut command = program();
    command
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(directory)
        .stdin(std::process::Stdio::null());
    Exit::from_output(&command.output().await.unwrap())
}

#[tokio::test]
async fn a_new_settings_file_changes_nothing_and_every_line_of_it_works() {
    let here = tempfile::tempdir().unwrap();
    let made = run(&["config", "init", "mine.toml"], &[], here.path()).await;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let file = here.path().join("mine.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let used = run(
        &["config", "show", "--config", "mine.toml", "--json"],
        &[],
        here.path(),
    )
    .await;
    assert_eq!(used.code, Some(0), "{}", used.stderr);
    let lines = used
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    for line in lines {
        assert_eq!(line["from"], "default", "{line}");
    }
    for row in TABLE.iter() {
        let setting = format!("\n#{} = ", row.key);
        assert_eq!(text.matches(&setting).count(), 1, "{}", row.key);
    }
    // Each setting on its own, except those whose example is a file that is not here.
    let (mut all, mut left_out) = (String::new(), Vec::new());
    for line in text
        .lines()
        .filter(|line| line.starts_with('#') && !line.starts_with("# "))
    {
        match line[1..].split_once(" = ") {
            Some((key, value)) if !value.contains("/etc/") => {
                all.push_str(&format!("{key} = {value}\n"))
            }
            Some((key, _)) => left_out.push(key),
            None => {}
        }
    }
    assert!(left_out.len() < 8, "{left_out:?}");
    std::fs::write(&file, all).unwrap();
    let used = run(
        &["config", "show", "--config", "mine.toml"],
        &[],
        here.path(),
    )
    .await;
    assert_eq!(used.code, Some(0), "{}", used.stderr);
}

#[tokio::test]
async fn a_file_is_the_same_as_an_argument_and_with_the_flag() {
    let here = tempfile::tempdir().unwrap();
    let home = [("HOME", here.path().to_str().unwrap())];
    let made = run(
        &["config", "init", "--config", "a.toml"],
        &home,
        here.path(),
    )
    .await;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    assert!(here.path().join("a.toml").is_file(), "{}", made.stderr);
    assert!(!here.path().join(".config").exists(), "no other file");
    std::fs::write(here.path().join("a.toml"), "deadline = 17\n").unwrap();
    for arguments in [&["a.toml"][..], &["--config", "a.toml"]] {
        let shown = [&["config", "show"][..], arguments].concat();
        let shown = run(&shown, &home, here.path()).await;
        let line = shown
            .stdout
            .lines()
            .find(|line| line.starts_with("deadline"));
        assert!(line.is_some_and(|line| line.contains("17")), "{line:?}");
    }
    let missing = run(&["config", "show", "no.toml"], &home, here.path()).await;
    assert_eq!(missing.code, Some(2), "{}", missing.stdout);
    assert!(missing.stderr.contains("no.toml"), "{}", missing.stderr);
    for action in ["init", "show"] {
        let both = ["config", action, "a.toml", "--config", "b.toml"];
        let both = run(&both, &home, here.path()).await;
        assert_eq!(both.code, Some(2), "{}", both.stderr);
        assert!(both.stderr.contains("two files"), "{}", both.stderr);
    }
}

#[tokio::test]
async fn an_unknown_provider_is_refused_with_the_names_of_all() {
    let here = tempfile::tempdir().unwrap();
    for (name, nearest) in [("nosuch", ""), ("brav", "did you mean brave?")] {
        let refused = run(&["provider", "check", name], &[], here.path()).await;
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        for word in ["brave", "tavily", "duckduckgo", nearest] {
            assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
        }
    }
}

#[tokio::test]
async fn init_overwrites_nothing_without_force_and_keeps_keys_out() {
    let here = tempfile::tempdir().unwrap();
    let home = [("HOME", here.path().to_str().unwrap())];
    let made = run(
        &[
            "config",
            "init",
            "--deadline",
            "12",
            "--toolset=web",
            "--brave-api-key",
            "very-secret-key-1",
        ],
        &home,
        here.path(),
    )
    .await;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let file = here.path().join(if cfg!(target_os = "macos") {
        "Library/Application Support/fingerpost/fingerpost.toml"
    } else {
        ".config/fingerpost/fingerpost.toml"
    });
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("\ndeadline = 12\n") && text.contains("\ntoolset = [\"web\"]\n"),
        "{text}"
    );
    assert!(
        !text.contains("very-secret-key-1") && text.contains("BRAVE_API_KEY"),
        "{text}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    std::fs::write(&file, "deadline = 3\n").unwrap();
    let refused = run(&["config", "init"], &home, here.path()).await;
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "deadline = 3\n");
    assert_eq!(
        run(&["config", "init", "--force"], &home, here.path())
            .await
            .code,
        Some(0)
    );
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("#deadline = 30")
    );
    let printed = run(&["config", "init", "-"], &[], here.path()).await;
    assert!(
        printed.stdout.contains("#deadline = 30"),
        "{}",
        printed.stdout
    );
    assert_eq!(
        run(
            &["config", "init", "-", "--deadline", "x"],
            &[],
            here.path()
        )
        .await
        .code,
        Some(2)
    );
}

#[tokio::test]
async fn show_names_the_source_of_each_value_and_hides_secrets() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(
        here.path().join("mine.toml"),
        "deadline = 7\nlog = \"info\"\nmax_concurrent = 9\nreader-key = \"key-in-the-file-123\"\n",
    )
    .unwrap();
    let shown = run(
        &[
            "config",
            "show",
            "--config",
            "mine.toml",
            "--deadline",
            "11",
        ],
        &[
            ("FINGERPOST_LOG", "debug"),
            ("BRAVE_API_KEY", "key-in-the-environment"),
        ],
        here.path(),
    )
    .await;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let line = |key: &str| {
        let mut lines = shown.stdout.lines();
        let line = lines.find(|line| line.split_whitespace().next() == Some(key));
        line.unwrap_or_else(|| panic!("{key} in {}", shown.stdout))
            .split_whitespace()
            .skip(1)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(line("deadline"), "11 (--deadline)");
    assert_eq!(line("log"), "debug (FINGERPOST_LOG)");
    assert_eq!(line("max-concurrent"), "9 (mine.toml)");
    assert_eq!(line("reader-key"), "*** (mine.toml)");
    assert_eq!(line("brave-api-key"), "*** (BRAVE_API_KEY)");
    assert_eq!(line("browser"), "auto (default)");
    assert_eq!(line("dialect"), "(not set)");
    assert!(!shown.stdout.contains("key-in-the"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("tavily"), "{}", shown.stdout);
    let all = run(&["config", "show", "--all"], &[], here.path()).await;
    assert!(all.stdout.contains("tavily-api-key"), "{}", all.stdout);
}

#[tokio::test]
async fn completions_are_made_for_every_shell_and_bash_reads_them() {
    let here = std::env::temp_dir();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let made = run(&["completions", shell], &[], &here).await;
        assert_eq!(made.code, Some(0), "{shell}: {}", made.stderr);
        for word in ["serve", "setup", "toolset"] {
            assert!(made.stdout.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(
        run(&["completions", "tcsh"], &[], &here).await.code,
        Some(2)
    );
    let script = format!(
        "source <({} completions bash); COMP_WORDS=(fingerpost ser); COMP_CWORD=1; _fingerpost fingerpost ser fingerpost; echo \"${{COMPREPLY[@]}}\"",
        env!("CARGO_BIN_EXE_fingerpost")
    );
    let mut bash = tokio::process::Command::new("bash");
    let output = bash.arg("-c").arg(script).output().await.unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "serve",
        "{output:?}"
    );
}

#[tokio::test]
async fn the_manual_has_a_page_for_the_program_and_one_for_each_command() {
    let here = tempfile::tempdir().unwrap();
    let page = run(&["man"], &[], here.path()).await;
    assert_eq!(page.code, Some(0), "{}", page.stderr);
    assert!(
        page.stdout.contains(".TH fingerpost 1") && page.stdout.contains("fingerpost\\-serve(1)"),
        "{}",
        page.stdout
    );
    let made = run(&["man", "--dir", "man1"], &[], here.path()).await;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    for name in [
        "fingerpost",
        "fingerpost-serve",
        "fingerpost-setup",
        "fingerpost-settings",
    ] {
        let page = std::fs::read_to_string(here.path().join(format!("man1/{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME"), "{name}");
    }
    let settings = std::fs::read_to_string(here.path().join("man1/fingerpost-settings.1")).unwrap();
    assert!(settings.contains("max\\-concurrent"), "{settings}");
}

#[tokio::test]
async fn health_says_whether_a_server_serves() {
    let here = std::env::temp_dir();
    let server = HttpServer::spawn(&["--ephemeral"]).await;
    let url = format!("http://{}/mcp", server.address);
    let well = run(&["health", "--url", &url], &[], &here).await;
    assert_eq!(well.code, Some(0), "{}", well.stderr);
    let proxy = [("FINGERPOST_PROXY", "http://127.0.0.1:9")];
    let well = run(&["health", "--url", &url], &proxy, &here).await;
    assert_eq!(well.code, Some(0), "a proxy is not asked: {}", well.stderr);
    let web = testkit::Web::start().await;
    let other = run(&["health", "--url", &web.url("/")], &[], &here).await;
    assert_eq!(other.code, Some(1));
    assert!(
        other.stderr.contains("answered HTTP 404"),
        "{}",
        other.stderr
    );
    let closed = run(&["health", "--url", "http://127.0.0.1:1"], &[], &here).await;
    assert_eq!(closed.code, Some(1));
    assert!(closed.stderr.contains("serve --http"), "{}", closed.stderr);
    assert_eq!(
        run(&["health", "--url", "here"], &[], &here).await.code,
        Some(2)
    );
}

#[tokio::test]
async fn show_tells_that_the_index_is_off_where_the_server_knows_its_users() {
    let here = tempfile::tempdir().unwrap();
    let file = here.path().join("tokens.toml");
    crate::auth::write_tokens(&file, &[("ada", crate::auth::ADA, "[\"research\"]")]);
    let index = async |arguments: &[&str]| {
        let arguments = [&["config", "show", "--json"], arguments].concat();
        let shown = run(&arguments, &[], here.path()).await;
        let lines = shown.stdout.lines();
        let mut lines = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.find(|line| line["key"] == "index").unwrap()["value"].clone()
    };
    assert_eq!(index(&[]).await, "true");
    assert_eq!(index(&["--tokens", file.to_str().unwrap()]).await, "false");
}
