//! `fingerpost setup`: the files of real clients, in a home of their own.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Exit, program};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap()
    }

    async fn setup(&self, arguments: &[&str]) -> Exit {
        self.setup_with(arguments, &[]).await
    }

    async fn setup_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Exit {
        let mut command = program();
        command
            .arg("setup")
            .args(arguments)
            .env("HOME", self.0.path())
            .envs(variables.iter().copied())
            .current_dir(self.0.path())
            .stdin(std::process::Stdio::null());
        Exit::from_output(&command.output().await.unwrap())
    }

    /// The copies that were made of a file.
    fn copies(&self, file: &str) -> Vec<String> {
        let path = self.path(file);
        let name = format!("{}.backup-", path.file_name().unwrap().to_str().unwrap());
        let entries = std::fs::read_dir(path.parent().unwrap()).unwrap();
        let copies = entries.map(|entry| entry.unwrap().path());
        let copies = copies.filter(|path| path.to_str().unwrap().contains(&name));
        copies
            .map(|path| std::fs::read_to_string(path).unwrap())
            .collect()
    }
}

fn own_program() -> &'static str {
    env!("CARGO_BIN_EXE_fingerpost")
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| panic!("JSON: {text}"))
}

#[tokio::test]
async fn every_client_gets_its_own_entry_in_its_own_file() {
    let local = json!({"command": own_program(), "args": ["serve"]});
    let typed = json!({"type": "stdio", "command": own_program(), "args": ["serve"]});
    for (client, file, servers, entry) in [
        ("claude", ".claude.json", "mcpServers", &typed),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            "mcpServers",
            &local,
        ),
        ("cursor", ".cursor/mcp.json", "mcpServers", &local),
        ("vscode", ".config/Code/User/mcp.json", "servers", &typed),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            "mcpServers",
            &local,
        ),
        (
            "zed",
            ".config/zed/settings.json",
            "context_servers",
            &local,
        ),
        ("gemini", ".gemini/settings.json", "mcpServers", &local),
        ("lmstudio", ".lmstudio/mcp.json", "mcpServers", &local),
    ] {
        let home = Home::new();
        let tried = home.setup(&[client]).await;
        assert_eq!(tried.code, Some(0), "{client}: {}", tried.stderr);
        assert!(
            tried.stderr.contains("nothing was written"),
            "{}",
            tried.stderr
        );
        assert!(!home.path(file).exists(), "{client}");
        let done = home.setup(&[client, "--yes"]).await;
        assert_eq!(done.code, Some(0), "{client}: {}", done.stderr);
        assert_eq!(tried.stdout, done.stdout, "the same change is shown");
        let text = home.read(file);
        assert_eq!(
            json_of(&text),
            json!({servers: {"fingerpost": entry}}),
            "{client}"
        );
        assert!(text.ends_with("}\n"), "{text:?}");

        let again = home.setup(&[client, "--yes"]).await;
        assert!(
            again.stderr.contains("is set up already"),
            "{}",
            again.stderr
        );
        assert_eq!((home.read(file), again.stdout.as_str()), (text, ""));
    }
    let home = Home::new();
    home.setup(&["codex", "--yes"]).await;
    let text = home.read(".codex/config.toml");
    let wanted = format!(
        "[mcp_servers.fingerpost]\ncommand = \"{}\"\nargs = [\"serve\"]\n",
        own_program()
    );
    assert_eq!(text, wanted);
}

#[tokio::test]
async fn comments_order_and_other_keys_stay() {
    let home = Home::new();
    let before = "// My settings.\n{\n  \"theme\": \"One Dark\", // dark\n  /* servers */\n  \"context_servers\": {\n    \"other\": { \"command\": \"other\", \"args\": [] },\n  },\n  \"buffer_font_size\": 14,\n}\n";
    home.write(".config/zed/settings.json", before);
    let done = home.setup(&["zed", "--yes"]).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let after = home.read(".config/zed/settings.json");
    let added: Vec<&str> = after
        .lines()
        .filter(|line| !before.contains(line))
        .collect();
    for line in before.lines() {
        assert!(after.contains(line), "{line} in {after}");
    }
    assert!(added.concat().contains("\"fingerpost\""), "{after}");
    assert_eq!(home.copies(".config/zed/settings.json"), [before]);
    let removed = home.setup(&["zed", "--remove", "--yes"]).await;
    assert_eq!(removed.code, Some(0), "{}", removed.stderr);
    assert_eq!(home.read(".config/zed/settings.json"), before);

    let before = "# Mine.\nmodel = \"o4\" # fast\n\n[mcp_servers.other]\ncommand = \"other\"\n\n[mcp_servers.fingerpost]\ncommand = \"old\"\nargs = [\"serve\"] # kept\nstartup_timeout_sec = 20\n\n[tui]\ntheme = \"x\"\n";
    home.write(".codex/config.toml", before);
    home.setup(&["codex", "--yes"]).await;
    let wanted = before.replace("\"old\"", &format!("\"{}\"", own_program()));
    assert_eq!(home.read(".codex/config.toml"), wanted);
}

#[tokio::test]
async fn an_older_entry_is_brought_up_to_date_and_the_users_keys_in_it_stay() {
    let home = Home::new();
    let old = json!({"mcpServers": {"fingerpost": {
        "url": "http://old.example/mcp", "env": {"MINE": "1"}, "disabled": true
    }}, "projects": {"/x": {"history": [1, 2]}}, "numStartups": 34});
    home.write(".claude.json", &format!("{old:#}"));
    let arguments = [
        "claude",
        "--yes",
        "--toolset",
        "research,web",
        "--ephemeral",
        "--env",
        "SEARXNG_URL",
    ];
    let variables = [("SEARXNG_URL", "http://127.0.0.1:8888")];
    let done = home.setup_with(&arguments, &variables).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let after = json_of(&home.read(".claude.json"));
    assert_eq!(
        after["mcpServers"]["fingerpost"],
        json!({
            "type": "stdio",
            "command": own_program(),
            "args": ["serve", "--toolset=research,web", "--ephemeral=true"],
            "env": {"MINE": "1", "SEARXNG_URL": "http://127.0.0.1:8888"},
            "disabled": true,
        })
    );
    assert_eq!(
        (&after["projects"], &after["numStartups"]),
        (&old["projects"], &old["numStartups"])
    );
}

#[tokio::test]
async fn a_server_over_http_is_named_as_each_client_wants_it() {
    let home = Home::new();
    let url = "http://127.0.0.1:8420/mcp";
    for (client, file, at, entry) in [
        (
            "claude",
            ".claude.json",
            "/mcpServers",
            json!({"type": "http", "url": url}),
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            "/mcpServers",
            json!({"url": url}),
        ),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            "/mcpServers",
            json!({"serverUrl": url}),
        ),
        (
            "gemini",
            ".gemini/settings.json",
            "/mcpServers",
            json!({"httpUrl": url}),
        ),
    ] {
        let done = home.setup(&[client, "--yes", "--url", url]).await;
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let text = home.read(file);
        assert_eq!(
            json_of(&text).pointer(at).unwrap()["fingerpost"],
            entry,
            "{client}"
        );
    }
    for arguments in [
        &["claude-desktop", "--url", url][..],
        &["cursor", "--url", "nowhere"],
        &["cursor", "--url", url, "--deadline", "5"],
        &["windsurf", "--project"],
        &["cursor", "--env", "NOT_SET"],
        &["cursor", "--name", " "],
        &["cursor", "--deadline", "soon"],
    ] {
        let refused = home.setup(arguments).await;
        assert_eq!(refused.code, Some(2), "{arguments:?}: {}", refused.stderr);
    }
}

#[tokio::test]
async fn a_broken_file_is_left_alone_and_the_place_is_named() {
    let home = Home::new();
    for (client, file, text, part) in [
        (
            "cursor",
            ".cursor/mcp.json",
            "{\n  \"mcpServers\": {\n    oops\n",
            "line 3, column 5",
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            "[1]",
            "does not hold a JSON object",
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            "{\"mcpServers\": []}",
            "mcpServers in ",
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            "{\"mcpServers\": {}, \"mcpServers\": {}}",
            "has mcpServers twice",
        ),
        (
            "codex",
            ".codex/config.toml",
            "model = \"x\"\n= 4\n",
            "line 2, column 1",
        ),
        (
            "codex",
            ".codex/config.toml",
            "mcp_servers = 1\n",
            "mcp_servers in ",
        ),
    ] {
        home.write(file, text);
        let refused = home.setup(&[client, "--yes"]).await;
        assert_eq!(refused.code, Some(1), "{text}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(part),
            "{part} in {}",
            refused.stderr
        );
        assert!(
            refused.stderr.contains("nothing was written"),
            "{}",
            refused.stderr
        );
        assert_eq!(home.read(file), text);
        assert!(home.copies(file).is_empty());
    }
    home.write(".cursor/mcp.json", "");
    assert_eq!(
        home.setup(&["cursor", "--yes"]).await.code,
        Some(0),
        "an empty file is no mistake"
    );
}

#[cfg(unix)]
/// A link in `PATH` outlives an upgrade; the file it leads to may not.
#[cfg(unix)]
#[tokio::test]
async fn a_link_in_the_search_path_is_written_instead_of_the_file_it_leads_to() {
    let home = Home::new();
    let (folder, link) = (home.path("bin"), home.path("bin/fingerpost"));
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink(own_program(), &link).unwrap();
    let mut command = tokio::process::Command::new(&link);
    command
        .args(["setup", "cursor", "--yes"])
        .env_clear()
        .env("HOME", home.path(""))
        .env("PATH", format!("relative:/nowhere:{}", folder.display()));
    let written = Exit::from_output(&command.output().await.unwrap());
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let entry = json_of(&home.read(".cursor/mcp.json"));
    assert_eq!(
        entry["mcpServers"]["fingerpost"]["command"],
        json!(link.to_str().unwrap())
    );
}

#[tokio::test]
async fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let home = Home::new();
    home.write("dotfiles/mcp.json", "{}\n");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let shared = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(home.path("dotfiles/mcp.json"), shared).unwrap();
    std::fs::create_dir(home.path(".cursor")).unwrap();
    symlink("../dotfiles/mcp.json", home.path(".cursor/mcp.json")).unwrap();
    assert_eq!(home.setup(&["cursor", "--yes"]).await.code, Some(0));
    assert!(home.path(".cursor/mcp.json").is_symlink());
    assert!(home.read("dotfiles/mcp.json").contains("fingerpost"));
    assert_eq!(mode(&home.path("dotfiles/mcp.json")), 0o640);

    assert_eq!(home.setup(&["gemini", "--yes"]).await.code, Some(0));
    assert_eq!(
        mode(&home.path(".gemini/settings.json")),
        0o600,
        "a new file is the user's own"
    );

    symlink("nowhere.json", home.path("dangling.json")).unwrap();
    let refused = home
        .setup(&["cursor", "--yes", "--file", "dangling.json"])
        .await;
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("leads to no file"),
        "{}",
        refused.stderr
    );
}

#[tokio::test]
async fn no_key_is_shown_or_put_on_a_command_line() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let (own, others) = (
        "correct-horse-battery",
        "sk-ant-api03-Zk3q9Vt7Lm2Xc5Rb8Nw1Yp4",
    );
    home.write(
        ".cursor/mcp.json",
        &format!("{{\n  \"mcpServers\": {{\n    \"other\": {{\n      \"env\": {{ \"API_KEY\": \"{others}\" }}\n    }}\n  }}\n}}\n"),
    );
    let variables = [("BRAVE_API_KEY", own)];
    let done = home
        .setup_with(&["cursor", "--yes", "--env", "BRAVE_API_KEY"], &variables)
        .await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let shown = done.stdout + &done.stderr;
    assert!(shown.contains("BRAVE_API_KEY"), "{shown}");
    assert!(!shown.contains(own) && !shown.contains(others), "{shown}");
    let after = json_of(&home.read(".cursor/mcp.json"));
    assert_eq!(
        after["mcpServers"]["fingerpost"]["env"]["BRAVE_API_KEY"],
        own
    );
    assert_eq!(after["mcpServers"]["other"]["env"]["API_KEY"], others);
    let mode = std::fs::metadata(home.path(".cursor/mcp.json")).unwrap();
    assert_eq!(
        mode.permissions().mode() & 0o077,
        0,
        "only the owner reads keys"
    );

    for shared in [
        &["cursor", "--project", "--yes", "--env", "BRAVE_API_KEY"][..],
        &[
            "cursor",
            "--yes",
            "--url",
            "http://127.0.0.1:1/mcp",
            "--env",
            "BRAVE_API_KEY",
        ],
        &[
            "cursor",
            "--yes",
            "--url",
            "http://127.0.0.1:1/mcp",
            "--config",
            "f.toml",
        ],
    ] {
        let refused = home.setup_with(shared, &variables).await;
        assert_eq!(refused.code, Some(2), "{shared:?}: {}", refused.stderr);
    }

    let refused = home
        .setup(&["cursor", "--yes", "--brave-api-key", own])
        .await;
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("--env BRAVE_API_KEY") && !refused.stderr.contains(own),
        "{}",
        refused.stderr
    );
}

#[tokio::test]
async fn without_a_client_all_are_listed_and_a_wrong_one_is_refused() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "{}");
    let list = home.setup(&[]).await;
    assert_eq!(list.code, Some(0), "{}", list.stderr);
    let line = |name: &str| {
        let mut lines = list.stdout.lines();
        lines
            .find(|line| line.starts_with(name))
            .unwrap()
            .to_owned()
    };
    assert!(line("cursor ").contains("found") && line("zed ").contains("not there"));
    assert_eq!(home.setup(&["cursors"]).await.code, Some(2));
    let project = home.setup(&["vscode", "--project", "--yes"]).await;
    assert_eq!(project.code, Some(0), "{}", project.stderr);
    assert!(home.read(".vscode/mcp.json").contains("\"servers\""));
}

#[tokio::test]
async fn the_entry_that_was_written_starts_a_server() {
    let home = Home::new();
    home.setup(&["cursor", "--yes", "--ephemeral", "--tools", "health_check"])
        .await;
    let entry = json_of(&home.read(".cursor/mcp.json"))["mcpServers"]["fingerpost"].clone();
    let mut command = tokio::process::Command::new(entry["command"].as_str().unwrap());
    let arguments = entry["args"].as_array().unwrap().iter();
    command
        .args(arguments.map(|it| it.as_str().unwrap()))
        .env_clear();
    let mut client = crate::client::Client::from_command(command);
    client.initialize("2025-11-25").await;
    let list = client.request("tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"][0]["name"], "health_check", "{list}");
}

#[tokio::test]
async fn paths_are_written_whole_and_a_settings_file_must_be_there() {
    let home = Home::new();
    home.write("papers/a.txt", "");
    home.write("own/a.txt", "");
    let set = home
        .setup(&[
            "cursor",
            "--yes",
            "--data-dir",
            "kept",
            "--allow-path",
            "papers",
            "--patterns-dir=own",
            "--deadline",
            "9",
        ])
        .await;
    assert_eq!(set.code, Some(0), "{}", set.stderr);
    let entry = json_of(&home.read(".cursor/mcp.json"))["mcpServers"]["fingerpost"].clone();
    let whole = |flag: &str, name: &str| {
        let base = home.0.path().canonicalize().unwrap();
        json!(format!("--{flag}={}", base.join(name).display()))
    };
    let given = entry["args"].as_array().unwrap();
    for argument in [
        whole("data-dir", "kept"),
        whole("allow-path", "papers"),
        whole("patterns-dir", "own"),
        json!("--deadline=9"),
    ] {
        assert!(given.contains(&argument), "{argument} in {entry}");
    }
    let missing = home.setup(&["zed", "--yes", "--config", "none.toml"]).await;
    assert_eq!(missing.code, Some(2), "{}", missing.stderr);
    assert!(
        missing.stderr.contains("there is no file none.toml"),
        "{}",
        missing.stderr
    );
}

#[tokio::test]
async fn toml_keeps_its_mark_and_its_line_ends() {
    let home = Home::new();
    let old = "\u{feff}# mine\r\nmodel = \"a\"\r\n\r\n[mcp_servers.other]\r\ncommand = \"x\"\r\n";
    home.write(".codex/config.toml", old);
    let set = home.setup(&["codex", "--yes"]).await;
    assert_eq!(set.code, Some(0), "{}", set.stderr);
    let new = home.read(".codex/config.toml");
    assert!(new.starts_with(old), "{new:?}");
    assert_eq!(
        new.matches('\n').count(),
        new.matches("\r\n").count(),
        "{new:?}"
    );
    let removed = home.setup(&["codex", "--yes", "--remove"]).await;
    assert_eq!(removed.code, Some(0), "{}", removed.stderr);
    assert_eq!(home.read(".codex/config.toml").trim_end(), old.trim_end());
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_is_no_file_of_a_client() {
    let home = Home::new();
    let pipe = home.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let refused = home
        .setup(&["cursor", "--yes", "--file", pipe.to_str().unwrap()])
        .await;
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("is not a file"),
        "{}",
        refused.stderr
    );
}

#[tokio::test]
async fn the_difference_shows_no_value_of_a_variable_however_short() {
    let home = Home::new();
    for (client, file) in [
        ("cursor", ".cursor/mcp.json"),
        ("codex", ".codex/config.toml"),
    ] {
        for value in ["q7z", "w8y"] {
            let set = home
                .setup_with(
                    &[client, "--yes", "--env", "SOME_KEY"],
                    &[("SOME_KEY", value)],
                )
                .await;
            assert_eq!(set.code, Some(0), "{}", set.stderr);
            assert!(
                set.stdout.contains("SOME_KEY")
                    && !set.stdout.contains("q7z")
                    && !set.stdout.contains("w8y"),
                "{}",
                set.stdout
            );
            assert!(home.read(file).contains(value));
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_cannot_be_written_leaves_no_copy() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "{}");
    let path = home.path(".cursor/mcp.json");
    let mut permissions = path.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    let failed = home.setup(&["cursor", "--yes"]).await;
    assert_eq!(failed.code, Some(1), "{}", failed.stderr);
    assert!(home.copies(".cursor/mcp.json").is_empty());
}
