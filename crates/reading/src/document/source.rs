//! Source code and configuration files, as a code block in their language.

use super::error::DocumentError;
use super::format::{DocumentKind, Format, Signature};
use super::recognise::extension;
use super::text::{fenced, with_decoded_text};
use super::{Document, Input};

impl DocumentKind {
    /// Source code or a configuration file, by the extension.
    pub const SOURCE: DocumentKind = DocumentKind::named("source");
}

pub(super) static SOURCE: Format = Format {
    kind: DocumentKind::SOURCE,
    label: Some("source text"),
    media_types: &[
        "application/javascript",
        "text/javascript",
        "application/x-javascript",
        "text/css",
        "application/sql",
        "application/toml",
        "application/x-sh",
        "text/x-python",
        "text/x-c",
        "text/x-rust",
        "application/graphql",
        "text/x-*",
    ],
    // The extensions in `LANGUAGES` belong to this format, too.
    extensions: &[],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_source,
};

fn read_source(input: &Input<'_>) -> Result<Document, DocumentError> {
    let language = input
        .hint
        .name()
        .and_then(|name| language(&name))
        .or_else(|| declared_language(input))
        .unwrap_or_default();
    Ok(with_decoded_text(input, |text| {
        fenced(DocumentKind::SOURCE, language, text, input)
    }))
}

/// The languages as a code block names them, with their extensions.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("rust", &["rs"]),
    ("python", &["py", "pyi"]),
    ("javascript", &["js", "mjs", "cjs", "jsx"]),
    ("typescript", &["ts", "mts", "cts", "tsx"]),
    ("go", &["go"]),
    ("java", &["java"]),
    ("kotlin", &["kt", "kts"]),
    ("swift", &["swift"]),
    ("c", &["c", "h"]),
    ("cpp", &["cc", "cpp", "cxx", "hpp", "hh", "hxx"]),
    ("csharp", &["cs"]),
    ("php", &["php"]),
    ("ruby", &["rb"]),
    ("perl", &["pl", "pm"]),
    ("lua", &["lua"]),
    ("r", &["r"]),
    ("julia", &["jl"]),
    ("scala", &["scala"]),
    ("haskell", &["hs"]),
    ("elixir", &["ex", "exs"]),
    ("erlang", &["erl"]),
    ("clojure", &["clj", "cljs"]),
    ("zig", &["zig"]),
    ("dart", &["dart"]),
    ("sql", &["sql"]),
    ("sh", &["sh", "bash", "zsh"]),
    ("powershell", &["ps1"]),
    ("css", &["css", "scss", "less"]),
    ("toml", &["toml"]),
    ("ini", &["ini", "cfg", "conf", "properties", "env"]),
    ("dockerfile", &["dockerfile"]),
    ("makefile", &["mk"]),
    ("cmake", &["cmake"]),
    ("protobuf", &["proto"]),
    ("graphql", &["graphql", "gql"]),
    ("hcl", &["tf", "hcl"]),
    ("nix", &["nix"]),
    ("vue", &["vue"]),
    ("svelte", &["svelte"]),
];

/// The language of a source file, by its extension.
pub(super) fn language(file_name: &str) -> Option<&'static str> {
    let extension = extension(file_name)?;
    LANGUAGES
        .iter()
        .find(|(_, extensions)| extensions.contains(&extension.as_str()))
        .map(|(language, _)| *language)
}

fn declared_language(input: &Input<'_>) -> Option<&'static str> {
    let declared = input
        .hint
        .media_type
        .as_deref()?
        .split(';')
        .next()?
        .trim()
        .to_ascii_lowercase();
    Some(match declared.rsplit('/').next()? {
        "javascript" | "x-javascript" => "javascript",
        "css" => "css",
        "sql" => "sql",
        "toml" => "toml",
        "x-sh" => "sh",
        "x-python" => "python",
        "x-rust" => "rust",
        "x-c" => "c",
        "graphql" => "graphql",
        _ => return None,
    })
}
