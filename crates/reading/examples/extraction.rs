//! Tool for work on extraction. Reads {"id","url","html"} lines. `rows` writes every block with its
//! features, `markdown` the extracted text, `judged` the text that results if the "chances" of the
//! line were the model's probabilities.

use std::io::{BufRead, Write};

use reading::extract;
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    if mode == "rows" {
        writeln!(output, "{}", json!({ "names": extract::training::names() }))?;
    }
    for line in std::io::stdin().lock().lines() {
        let record: Value = serde_json::from_str(&line?)?;
        let text = |field: &str| record[field].as_str().unwrap_or_default();
        let result = match mode.as_str() {
            "rows" => {
                json!({ "id": record["id"], "blocks": extract::training::samples(text("html"), text("url")) })
            }
            "judged" => {
                let chances = record["chances"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_f64)
                    .map(|it| it as f32)
                    .collect();
                json!({ "id": record["id"], "markdown": extract::training::markdown(text("html"), text("url"), chances) })
            }
            "document" => {
                json!({ "id": record["id"], "markdown": extract::document_markdown(text("html"), text("url")).markdown })
            }
            _ => {
                json!({ "id": record["id"], "markdown": extract::markdown(text("html"), text("url")).markdown })
            }
        };
        writeln!(output, "{result}")?;
    }
    output.flush()
}
