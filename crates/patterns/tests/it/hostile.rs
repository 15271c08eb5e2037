//! Sources that nobody would write, and comments that suppress findings.

use patterns::analysis::{Analysis, Config, DiagnosticKind, Language, Refusal, Unparsed, analyse};
use proptest::prelude::*;

fn analysed(name: &str, text: &str) -> Analysis {
    analyse(name, text, &Config::default()).expect("a small source")
}

fn kinds(analysis: &Analysis) -> Vec<DiagnosticKind> {
    analysis.diagnostics.iter().map(|it| it.kind).collect()
}

#[test]
fn unknown_languages_and_large_sources_are_refused() {
    let refused = |name: &str, text: &str| analyse(name, text, &Config::default()).err();
    assert_eq!(
        refused("Main.java", "x"),
        Some(Refusal::UnsupportedLanguage)
    );
    assert_eq!(refused("Makefile", "x"), Some(Refusal::UnsupportedLanguage));
    let large = "x = 1\n".repeat(200_000);
    assert_eq!(
        refused("a.py", &large),
        Some(Refusal::Unparsed(Unparsed::TooLarge { bytes: large.len() }))
    );
    let deep = format!("x = {}1{}", "[".repeat(3_000), "]".repeat(3_000));
    assert_eq!(
        refused("a.py", &deep),
        Some(Refusal::Unparsed(Unparsed::TooDeep))
    );
}

#[test]
fn a_syntax_error_is_a_diagnostic_and_the_rest_is_analysed() {
    let source = "def broken(:\n\npage = requests.get(url)\n";
    let analysis = analysed("a.py", source);
    assert!(kinds(&analysis).contains(&DiagnosticKind::SyntaxError));
    assert!(
        analysis
            .findings
            .iter()
            .any(|it| it.rule.id == "request-without-timeout")
    );
}

#[test]
fn findings_have_unique_ids_with_rule_file_line_and_column() {
    let source = "p = requests.get(u); q = requests.get(v)\n";
    let analysis = analysed("src/a.py", source);
    let ids: Vec<String> = analysis
        .findings
        .iter()
        .filter(|it| it.rule.id == "request-without-timeout")
        .map(patterns::analysis::Finding::id)
        .collect();
    assert_eq!(
        ids,
        [
            "request-without-timeout:src/a.py:1:5",
            "request-without-timeout:src/a.py:1:26"
        ]
    );
}

#[test]
fn a_suppression_needs_a_known_rule_a_reason_and_a_finding() {
    let found = |comment: &str| analysed("a.py", &format!("{comment}\npage = requests.get(url)\n"));
    let good = found("# fingerpost-ignore request-without-timeout: the proxy has one");
    assert_eq!((good.findings.len(), good.suppressed), (0, 1));
    assert_eq!(kinds(&good), []);
    let same_line = analysed(
        "a.py",
        "page = requests.get(url)  # fingerpost-ignore request-without-timeout: the proxy has one\n",
    );
    assert_eq!(same_line.suppressed, 1);
    let next_line = analysed(
        "a.py",
        "a = requests.get(u)  # fingerpost-ignore request-without-timeout: the proxy has one\n\
         b = requests.get(u)\n",
    );
    assert_eq!((next_line.findings.len(), next_line.suppressed), (1, 1));
    let without_reason = found("# fingerpost-ignore request-without-timeout");
    assert_eq!(without_reason.findings.len(), 1);
    assert_eq!(
        kinds(&without_reason),
        [DiagnosticKind::SuppressionWithoutReason]
    );
    let unknown = found("# fingerpost-ignore no-such-rule: because");
    assert_eq!(kinds(&unknown), [DiagnosticKind::SuppressionOfUnknownRule]);
    let unused = found("# fingerpost-ignore bare-except: because");
    assert_eq!(kinds(&unused), [DiagnosticKind::UnusedSuppression]);
}

#[test]
fn levels_switch_rules_off_and_change_their_severity() {
    let source = "page = requests.get(url)\n";
    let mut config = Config::default();
    assert_eq!(config.set("request-without-timeout", "warn"), Ok(()));
    let warned = analyse("a.py", source, &config).expect("a small source");
    assert_eq!(warned.findings[0].severity.as_str(), "warning");
    assert_eq!(config.set("request-without-timeout", "off"), Ok(()));
    assert_eq!(
        analyse("a.py", source, &config)
            .expect("a small source")
            .findings
            .len(),
        0
    );
}

#[test]
fn test_files_are_told_and_left_alone() {
    let analysis = analysed("tests/test_a.py", "page = requests.get(url)\n");
    assert_eq!(
        (analysis.findings.len(), kinds(&analysis)),
        (0, vec![DiagnosticKind::TestFile])
    );
}

/// Pieces of code of all languages, so that random sequences of them are nearly code.
const PIECES: &[&str] = &[
    "try",
    "catch",
    "(e)",
    "{",
    "}",
    "except",
    ":",
    "\n",
    "    ",
    "if err != nil",
    "return",
    "[]",
    "`${x}`",
    "f\"{y}\"",
    "\"",
    "'",
    "fetch(",
    ")",
    "await ",
    "async ",
    "fn f()",
    "func f()",
    "def f():",
    "Err(e) =>",
    "match x",
    "=>",
    "while (true)",
    "loop",
    "for",
    "x",
    "=",
    ".text()",
    "// c",
    "# c",
    "throw new Error(",
    "raise X(",
    "format!(",
    ";",
    ",",
    "é",
    "\u{1F600}",
    "#[tool]",
    "<T>",
    "/*",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_source_makes_the_analyser_panic(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..80),
        language in prop::sample::select(Language::ALL.to_vec()),
    ) {
        let name = format!("a.{}", language.extensions()[0]);
        let analysis = analysed(&name, &pieces.concat());
        let mut ids: Vec<String> = analysis.findings.iter().map(patterns::analysis::Finding::id).collect();
        ids.sort();
        let count = ids.len();
        ids.dedup();
        prop_assert_eq!(ids.len(), count);
    }

    #[test]
    fn no_text_makes_the_front_matter_parser_panic(text in "(---\n)?([a-z_]{0,12}: ?.{0,20}\n){0,12}(---\n)?.{0,40}") {
        let _ = patterns::library::parse(&text);
    }
}

/// Code that is reported and that no change can be trusted with.
#[test]
fn what_a_codemod_would_break_is_left_to_people() {
    let python = "import sys\nfrom mcp.server.stdio import stdio_server\n\n\
                  async def main():\n    print(x for x in xs)\n    await stdio_server()\n";
    let sleep = "import time\n\ndef other():\n    import asyncio\n\n\
                 async def wait():\n    time.sleep(1)\n";
    let identity = "package a\n\nvar names = []string{\"errors\"}\n\n\
                    func f(err error) bool { return err == ErrGone }\n";
    let spread = "try { f() } catch (e) { throw new Error(...args) }\n";
    for (file, source) in [
        ("server.py", python),
        ("a.py", sleep),
        ("a.go", identity),
        ("a.ts", spread),
    ] {
        let found = analysed(file, source);
        let edited = found.findings.iter().any(|it| !it.edits.is_empty());
        assert!(!edited, "{file}: {:?}", found.findings);
        assert!(!found.findings.is_empty(), "{file}");
    }
    let text = "package a\n\nimport \"fmt\"\n\n\
                func f(stdErr string) error { return fmt.Errorf(\"exit: %s\", stdErr) }\n";
    assert!(analysed("a.go", text).findings.is_empty());
}
