//! The detector on the pages of the extraction benchmarks, which are content. The data is not part
//! of this repository; where it is absent the test prints so and checks nothing.

use std::io::Read;
use std::path::PathBuf;

use reading::detect::{Answer, Verdict, judge_page};
use url::Url;

/// Pages of the sets that are failures, as checked by hand: one Anubis challenge, four forum pages
/// whose body is a splash screen that scripts replace.
const TRULY_FAILED: &[&str] = &["0551", "4145", "4147", "4314", "4607"];

// The variable belongs to this test and is no setting of the program.
#[allow(clippy::disallowed_methods)]
fn folder() -> PathBuf {
    std::env::var_os("FINGERPOST_EXTRACTION_PAGES").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/extraction"),
        PathBuf::from,
    )
}

fn pages(name: &str) -> Option<Vec<serde_json::Value>> {
    let packed = std::fs::read(folder().join(name)).ok()?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed.as_slice())
        .read_to_string(&mut text)
        .unwrap();
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

#[test]
fn benchmark_pages_are_content() {
    let Some(all) = ["articles.jsonl.gz", "pages.jsonl.gz"]
        .iter()
        .map(|name| pages(name))
        .collect::<Option<Vec<_>>>()
    else {
        println!(
            "SKIPPED: no reference pages at {}; set FINGERPOST_EXTRACTION_PAGES to check against them",
            folder().display()
        );
        return;
    };
    let mut alarms = Vec::new();
    let mut count = 0;
    for page in all.into_iter().flatten() {
        count += 1;
        let (id, html) = (
            page["id"].as_str().unwrap_or_default(),
            page["html"].as_str().unwrap_or_default(),
        );
        let url = page["url"]
            .as_str()
            .and_then(|url| Url::parse(url).ok())
            .unwrap_or_else(|| Url::parse("https://site.example/page").unwrap());
        let verdict = judge_page(&Answer {
            status: 200,
            header: &|_| None,
            requested: &url,
            final_url: &url,
            html,
            main_text: "",
            title: None,
        });
        if verdict != Verdict::Content && !TRULY_FAILED.contains(&id) {
            alarms.push(format!("{id} {url} {verdict:?}"));
        }
    }
    println!("{count} real pages, {} alarms", alarms.len());
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}
