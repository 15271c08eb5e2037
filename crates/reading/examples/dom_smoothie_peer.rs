//! A peer for `cargo xtask bench extraction`: reads {"id","url","html"} lines, writes {"id","text"}
//! lines with dom_smoothie.

use std::io::{BufRead, Write};

use dom_smoothie::{Config, Readability, TextMode};
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let record: Value = serde_json::from_str(&line?)?;
        let config = Config {
            text_mode: TextMode::Formatted,
            ..Config::default()
        };
        let page = Readability::new(
            record["html"].as_str().unwrap_or_default(),
            record["url"].as_str(),
            Some(config),
        );
        let text = page
            .ok()
            .and_then(|mut it| it.parse().ok())
            .map(|it| it.text_content.to_string())
            .unwrap_or_default();
        writeln!(output, "{}", json!({ "id": record["id"], "text": text }))?;
    }
    Ok(())
}
