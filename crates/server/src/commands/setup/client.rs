//! The clients that `setup` knows: where each keeps its configuration, and what an entry looks like.
//!
//! A client is a row of [`CLIENTS`].

use std::path::PathBuf;

use serde_json::{Value, json};

/// A program that speaks MCP to us.
#[derive(Debug)]
pub(super) struct Client {
    /// What the user types.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) format: Format,
    /// The object that holds the servers, by name.
    pub(super) servers: &'static str,
    /// The file of the user.
    pub(super) user_file: fn(&Directories) -> Option<PathBuf>,
    /// The file of a project, below its directory.
    pub(super) project_file: Option<&'static str>,
    /// The `type` of an entry that starts a program, if it has one.
    pub(super) local_type: Option<&'static str>,
    /// How an entry names a server over HTTP; `None` where the file cannot have one.
    pub(super) remote: Option<RemoteForm>,
    /// What to do after the file was written.
    pub(super) afterwards: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON; comments and commas at the end are kept.
    Json,
    Toml,
}

#[derive(Debug)]
pub(super) struct RemoteForm {
    pub(super) address_key: &'static str,
    pub(super) remote_type: Option<&'static str>,
}

const PLAIN_REMOTE: RemoteForm = RemoteForm {
    address_key: "url",
    remote_type: None,
};

const TYPED_REMOTE: RemoteForm = RemoteForm {
    address_key: "url",
    remote_type: Some("http"),
};

/// Every client, in the order help shows them.
pub(super) static CLIENTS: &[Client] = &[
    Client {
        name: "claude",
        title: "Claude Code",
        format: Format::Json,
        servers: "mcpServers",
        user_file: |own| {
            let directory = own.claude.clone().or_else(|| own.home.clone());
            Some(directory?.join(".claude.json"))
        },
        project_file: Some(".mcp.json"),
        local_type: Some("stdio"),
        remote: Some(TYPED_REMOTE),
        afterwards: "Start Claude Code anew; `claude mcp list` shows it.",
    },
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        format: Format::Json,
        servers: "mcpServers",
        user_file: |own| {
            Some(
                own.applications()?
                    .join("Claude/claude_desktop_config.json"),
            )
        },
        project_file: None,
        local_type: None,
        remote: None,
        afterwards: "Quit Claude Desktop and start it again.",
    },
    Client {
        name: "cursor",
        title: "Cursor",
        format: Format::Json,
        servers: "mcpServers",
        user_file: |own| Some(own.home.as_ref()?.join(".cursor/mcp.json")),
        project_file: Some(".cursor/mcp.json"),
        local_type: None,
        remote: Some(PLAIN_REMOTE),
        afterwards: "Cursor asks whether to enable it, under Settings, MCP.",
    },
    Client {
        name: "vscode",
        title: "VS Code",
        format: Format::Json,
        servers: "servers",
        user_file: |own| Some(own.applications()?.join("Code/User/mcp.json")),
        project_file: Some(".vscode/mcp.json"),
        local_type: Some("stdio"),
        remote: Some(TYPED_REMOTE),
        afterwards: "In VS Code, run `MCP: List Servers` and start it.",
    },
    Client {
        name: "windsurf",
        title: "Windsurf",
        format: Format::Json,
        servers: "mcpServers",
        user_file: |own| {
            let home = own.home.as_ref()?;
            Some(home.join(".codeium/windsurf/mcp_config.json"))
        },
        project_file: None,
        local_type: None,
        remote: Some(RemoteForm {
            address_key: "serverUrl",
            remote_type: None,
        }),
        afterwards: "Refresh the list of MCP servers in Windsurf.",
    },
    Client {
        name: "zed",
        title: "Zed",
        format: Format::Json,
        servers: "context_servers",
        user_file: |own| Some(own.zed()?.join("settings.json")),
        project_file: Some(".zed/settings.json"),
        local_type: None,
        remote: Some(PLAIN_REMOTE),
        afterwards: "Zed starts it by itself; the agent's settings show it.",
    },
    Client {
        name: "codex",
        title: "Codex",
        format: Format::Toml,
        servers: "mcp_servers",
        user_file: |own| {
            let below_home = || Some(own.home.as_ref()?.join(".codex"));
            Some(own.codex.clone().or_else(below_home)?.join("config.toml"))
        },
        project_file: Some(".codex/config.toml"),
        local_type: None,
        remote: Some(PLAIN_REMOTE),
        afterwards: "Start Codex anew; `/mcp` shows it.",
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        format: Format::Json,
        servers: "mcpServers",
        user_file: |own| Some(own.home.as_ref()?.join(".gemini/settings.json")),
        project_file: Some(".gemini/settings.json"),
        local_type: None,
        remote: Some(RemoteForm {
            address_key: "httpUrl",
            remote_type: None,
        }),
        afterwards: "Start Gemini CLI anew; `/mcp` shows it.",
    },
    Client {
        name: "lmstudio",
        title: "LM Studio",
        format: Format::Json,
        servers: "mcpServers",
        user_file: |own| Some(own.home.as_ref()?.join(".lmstudio/mcp.json")),
        project_file: None,
        local_type: None,
        remote: Some(PLAIN_REMOTE),
        afterwards: "LM Studio lists it under Program, Integrations.",
    },
];

/// The keys of an entry that say how a server is reached. Of these, an entry has only its own; all
/// other keys of an entry are the user's.
pub(super) const REACHED_BY: &[&str] = &["type", "command", "args", "url", "serverUrl", "httpUrl"];

/// The keys and values of an entry, in the order in which people write them.
pub(super) type Entry = Vec<(&'static str, Value)>;

/// How the client reaches us.
#[derive(Debug)]
pub(super) enum Server {
    Local {
        program: String,
        arguments: Vec<String>,
        variables: Vec<(String, String)>,
    },
    Remote {
        url: String,
    },
}

impl Client {
    /// The entry for this server; `None` if the client cannot reach it.
    pub(super) fn entry(&self, server: &Server) -> Option<Entry> {
        let mut entry = Entry::new();
        let mut set = |key: &'static str, value: Value| entry.push((key, value));
        match server {
            Server::Local {
                program,
                arguments,
                variables,
            } => {
                if let Some(name) = self.local_type {
                    set("type", json!(name));
                }
                set("command", json!(program));
                set("args", json!(arguments));
                if !variables.is_empty() {
                    let variables = variables.iter().cloned();
                    set(
                        "env",
                        variables
                            .map(|(name, value)| (name, json!(value)))
                            .collect(),
                    );
                }
            }
            Server::Remote { url } => {
                let form = self.remote.as_ref()?;
                if let Some(name) = form.remote_type {
                    set("type", json!(name));
                }
                set(form.address_key, json!(url));
            }
        }
        Some(entry)
    }
}

/// The systems whose applications keep their files in different places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Platform {
    Linux,
    Mac,
    Windows,
}

impl Platform {
    pub(super) fn current() -> Platform {
        if cfg!(windows) {
            Platform::Windows
        } else if cfg!(target_os = "macos") {
            Platform::Mac
        } else {
            Platform::Linux
        }
    }
}

/// The directories of the user.
#[derive(Debug)]
pub(super) struct Directories {
    pub(super) platform: Platform,
    pub(super) home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub(super) config: Option<PathBuf>,
    /// `APPDATA`.
    pub(super) roaming: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub(super) codex: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    pub(super) claude: Option<PathBuf>,
}

impl Directories {
    /// Where desktop applications keep their settings.
    fn applications(&self) -> Option<PathBuf> {
        match self.platform {
            Platform::Linux => self.config_home(),
            Platform::Mac => Some(self.home.as_ref()?.join("Library/Application Support")),
            Platform::Windows => self.roaming.clone(),
        }
    }

    fn zed(&self) -> Option<PathBuf> {
        match self.platform {
            Platform::Linux => Some(self.config_home()?.join("zed")),
            Platform::Mac => Some(self.home.as_ref()?.join(".config/zed")),
            Platform::Windows => Some(self.roaming.as_ref()?.join("Zed")),
        }
    }

    fn config_home(&self) -> Option<PathBuf> {
        let below_home = || Some(self.home.as_ref()?.join(".config"));
        self.config.clone().or_else(below_home)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str, own: &Directories) -> String {
        let client = CLIENTS.iter().find(|client| client.name == name);
        let path = client.and_then(|client| (client.user_file)(own));
        path.map(|path| path.display().to_string())
            .unwrap_or_default()
    }

    fn directories(platform: Platform) -> Directories {
        Directories {
            platform,
            home: Some(PathBuf::from("/home/me")),
            config: None,
            roaming: (platform == Platform::Windows).then(|| PathBuf::from("/roaming")),
            codex: None,
            claude: None,
        }
    }

    #[test]
    fn every_system_has_its_own_places() {
        for (name, linux, mac, windows) in [
            (
                "claude-desktop",
                "/home/me/.config/Claude/claude_desktop_config.json",
                "/home/me/Library/Application Support/Claude/claude_desktop_config.json",
                "/roaming/Claude/claude_desktop_config.json",
            ),
            (
                "vscode",
                "/home/me/.config/Code/User/mcp.json",
                "/home/me/Library/Application Support/Code/User/mcp.json",
                "/roaming/Code/User/mcp.json",
            ),
            (
                "zed",
                "/home/me/.config/zed/settings.json",
                "/home/me/.config/zed/settings.json",
                "/roaming/Zed/settings.json",
            ),
            (
                "codex",
                "/home/me/.codex/config.toml",
                "/home/me/.codex/config.toml",
                "/home/me/.codex/config.toml",
            ),
        ] {
            assert_eq!(path(name, &directories(Platform::Linux)), linux);
            assert_eq!(path(name, &directories(Platform::Mac)), mac);
            assert_eq!(path(name, &directories(Platform::Windows)), windows);
        }
    }

    #[test]
    fn the_clients_own_variables_move_their_files() {
        let moved = Directories {
            config: Some(PathBuf::from("/xdg")),
            codex: Some(PathBuf::from("/codex")),
            claude: Some(PathBuf::from("/claude")),
            ..directories(Platform::Linux)
        };
        assert_eq!(path("zed", &moved), "/xdg/zed/settings.json");
        assert_eq!(path("codex", &moved), "/codex/config.toml");
        assert_eq!(path("claude", &moved), "/claude/.claude.json");
    }

    #[test]
    fn names_are_unique_and_without_a_home_there_is_no_file() {
        let nowhere = Directories {
            home: None,
            ..directories(Platform::Linux)
        };
        for (index, client) in CLIENTS.iter().enumerate() {
            assert!(
                CLIENTS[..index]
                    .iter()
                    .all(|other| other.name != client.name)
            );
            assert_eq!((client.user_file)(&nowhere), None, "{}", client.name);
        }
    }
}
