//! The languages that can be analysed.

/// A language with a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    Rust,
    /// JavaScript and JSX too: the grammar of TSX reads them all. It does not read casts in angle
    /// brackets, and one grammar instead of three keeps the program small.
    TypeScript,
    Python,
    Go,
}

impl Language {
    pub const ALL: [Language; 4] = [
        Language::Rust,
        Language::TypeScript,
        Language::Python,
        Language::Go,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::TypeScript => "typescript",
            Language::Python => "python",
            Language::Go => "go",
        }
    }

    /// The ends of file names that are this language, without the dot.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Language::Rust => &["rs"],
            Language::TypeScript => &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"],
            Language::Python => &["py"],
            Language::Go => &["go"],
        }
    }

    /// The language of a file, by its name.
    pub fn of_file(name: &str) -> Option<Language> {
        let (_, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        Language::ALL
            .into_iter()
            .find(|language| language.extensions().contains(&extension.as_str()))
    }

    pub(super) fn grammar(self) -> tree_sitter::Language {
        match self {
            Language::Rust => tree_sitter_rust::LANGUAGE.into(),
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Language::Python => tree_sitter_python::LANGUAGE.into(),
            Language::Go => tree_sitter_go::LANGUAGE.into(),
        }
    }
}

/// Whether a file holds tests. Tests provoke failures and ignore them on purpose.
pub(super) fn is_test_file(name: &str) -> bool {
    let mut parts = name.rsplit(['/', '\\']);
    let file = parts.next().unwrap_or_default();
    let in_test_directory =
        parts.any(|part| matches!(part, "tests" | "test" | "__tests__" | "testdata"));
    let stem = file.split('.').next().unwrap_or_default();
    in_test_directory
        || stem.starts_with("test_")
        || stem.starts_with("test-")
        || stem.ends_with("_test")
        || stem.ends_with("-test")
        || stem == "conftest"
        || file.contains(".test.")
        || file.contains(".spec.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_name_tells_the_language() {
        for (name, language) in [
            ("a/b.rs", Some(Language::Rust)),
            ("server.TSX", Some(Language::TypeScript)),
            ("index.mjs", Some(Language::TypeScript)),
            ("x.py", Some(Language::Python)),
            ("main.go", Some(Language::Go)),
            ("main.java", None),
            ("Makefile", None),
        ] {
            assert_eq!(Language::of_file(name), language, "{name}");
        }
    }

    #[test]
    fn tests_are_told_by_the_customs_of_each_language() {
        for name in [
            "tests/a.rs",
            "test-connection.js",
            "a_test.go",
            "test_a.py",
            "src/a.test.ts",
            "a.spec.js",
        ] {
            assert!(is_test_file(name), "{name}");
        }
        for name in ["src/latest.rs", "contest.go", "testing.py", "attest.ts"] {
            assert!(!is_test_file(name), "{name}");
        }
    }
}
