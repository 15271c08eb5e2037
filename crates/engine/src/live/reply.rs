//! Reads xAI's reply: what the model wrote, and which sources it cites where.
//!
//! A citation in the text is a mark, `[[1]](https://…)`, and an annotation says where it stands. A
//! mark may stand in the middle of JSON, so all of them are taken out, and their places are kept.
//! Offsets count characters; a place is believed only when the mark there has the annotation's
//! address.

use std::ops::Range;

use serde_json::Value;

use super::citation::Citations;

/// The longest text of a model that is read, in bytes. Models write far less.
const MAX_TEXT: usize = 1 << 20;

/// What xAI answered.
#[derive(Debug, Default)]
pub(super) struct Reply {
    /// What the model wrote, without the marks of citations.
    pub(super) text: String,
    pub(super) citations: Citations,
    /// Where in `text`, in bytes, which source is cited.
    pub(super) places: Vec<(usize, usize)>,
    /// Whether xAI searched for this answer.
    pub(super) has_searched: bool,
    /// Whether the model was stopped before it had finished.
    pub(super) is_cut: bool,
}

/// Why a well-formed reply holds no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// xAI says in a reply with status 200 that it failed.
    Failed,
    /// The reply does not have the documented form.
    BadShape,
}

/// Reads a reply with status 200.
pub(super) fn read(body: &[u8]) -> Result<Reply, NoAnswer> {
    let envelope: Value = serde_json::from_slice(body).map_err(|_| NoAnswer::BadShape)?;
    let status = envelope["status"].as_str();
    if status == Some("failed") || envelope["error"].is_object() {
        return Err(NoAnswer::Failed);
    }
    let items = envelope["output"].as_array().ok_or(NoAnswer::BadShape)?;
    let mut reply = Reply {
        is_cut: status == Some("incomplete"),
        has_searched: has_searched(&envelope, items),
        ..Reply::default()
    };
    for part in items.iter().filter(is_message).flat_map(parts) {
        reply.add_part(part);
    }
    // Sources that were found and are not cited in the text.
    let actions = items.iter().map(|item| &item["action"]["sources"]);
    for list in [&envelope["citations"]].into_iter().chain(actions) {
        for source in list.as_array().into_iter().flatten() {
            let url = source.as_str().or_else(|| source["url"].as_str());
            url.and_then(|url| reply.citations.add(url));
        }
    }
    if reply.text.trim().is_empty() || reply.text.len() > MAX_TEXT {
        return Err(NoAnswer::BadShape);
    }
    Ok(reply)
}

fn is_message(item: &&Value) -> bool {
    item["type"] == "message"
}

fn parts(message: &Value) -> impl Iterator<Item = &Value> {
    let parts = message["content"].as_array().into_iter().flatten();
    parts.filter(|part| part["type"] == "output_text")
}

/// A search of X is told as `x_search_call` in the documentation and as `custom_tool_call` in
/// recorded replies.
fn has_searched(envelope: &Value, items: &[Value]) -> bool {
    let is_call = |item: &Value| {
        let calls = ["web_search_call", "x_search_call", "custom_tool_call"];
        item["type"].as_str().is_some_and(|it| calls.contains(&it))
    };
    let counted = envelope["usage"]["num_server_side_tools_used"].as_u64();
    items.iter().any(is_call) || counted.is_some_and(|count| count > 0)
}

/// A citation in the text of a part.
struct Mark {
    range: Range<usize>,
    citation: usize,
}

impl Reply {
    fn add_part(&mut self, part: &Value) {
        let text = part["text"].as_str().unwrap_or_default();
        let annotations = part["annotations"].as_array();
        let marks = self.marks(text, annotations.map_or(&[], Vec::as_slice));
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let mut end = 0;
        for mark in marks {
            // Two annotations of one mark: the first has taken it out.
            let before = text.get(end..mark.range.start).unwrap_or_default();
            self.text.push_str(before);
            self.places.push((self.text.len(), mark.citation));
            end = end.max(mark.range.end);
        }
        self.text.push_str(text.get(end..).unwrap_or_default());
    }

    /// The citations of a part in the order of the text. Their sources are added to the others,
    /// also where their place is not known.
    fn marks(&mut self, text: &str, annotations: &[Value]) -> Vec<Mark> {
        let bounds = Bounds::new(text, annotations);
        let mut marks = Vec::new();
        for annotation in annotations {
            let Some(url) = annotation["url"].as_str() else {
                continue;
            };
            let Some(citation) = self.citations.add(url) else {
                continue;
            };
            if let Some(range) = bounds.mark(text, annotation, url) {
                marks.push(Mark { range, citation });
            }
        }
        marks.sort_by_key(|mark| mark.range.start);
        marks
    }
}

/// Where the characters of a text begin, in bytes.
struct Bounds(Vec<usize>);

impl Bounds {
    fn new(text: &str, annotations: &[Value]) -> Bounds {
        if annotations.is_empty() || text.len() > MAX_TEXT {
            return Bounds(Vec::new());
        }
        let starts = text.char_indices().map(|(start, _)| start);
        Bounds(starts.chain([text.len()]).collect())
    }

    /// The bytes of the mark that an annotation is about; `None` when there is none at its place.
    fn mark(&self, text: &str, annotation: &Value, url: &str) -> Option<Range<usize>> {
        let index = |name: &str| usize::try_from(annotation[name].as_u64()?).ok();
        let (start, end) = (index("start_index")?, index("end_index")?);
        let in_characters = || Some(*self.0.get(start)?..*self.0.get(end)?);
        // As some servers in between count.
        let in_bytes = || Some(start..end);
        [in_characters(), in_bytes()]
            .into_iter()
            .flatten()
            .find(|range| {
                let mark = text.get(range.clone()).unwrap_or_default();
                mark.starts_with("[[") && mark.contains(url) && mark.ends_with(')')
            })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(text: &str, annotations: Value) -> Vec<u8> {
        let part = json!({"type": "output_text", "text": text, "annotations": annotations});
        let call = json!({"type": "web_search_call", "status": "completed", "action": {"sources": [{"type": "url", "url": "https://c.example/"}]}});
        json!({"object": "response", "status": "completed", "output": [
            {"type": "reasoning", "summary": []}, call, {"type": "message", "role": "assistant", "content": [part]},
        ]})
        .to_string()
        .into_bytes()
    }

    #[test]
    fn marks_are_taken_out_and_their_places_kept() {
        let text = "{\"a\": \"\u{e9}t\u{e9}[[1]](https://a.example/x)\", \"b\": \"two\"[[2]](https://b.example/)}";
        let place = |mark: &str| {
            let start = text.find(mark).map(|at| text[..at].chars().count());
            let end = start.map(|start| start + mark.chars().count());
            (start, end)
        };
        let (one, two) = (
            place("[[1]](https://a.example/x)"),
            place("[[2]](https://b.example/)"),
        );
        let annotations = json!([
            {"type": "url_citation", "url": "https://b.example/", "start_index": two.0, "end_index": two.1, "title": "2"},
            {"type": "url_citation", "url": "https://a.example/x", "start_index": one.0, "end_index": one.1, "title": "1"},
        ]);
        let reply = read(&message(text, annotations)).expect("an answer");
        assert_eq!(reply.text, "{\"a\": \"\u{e9}t\u{e9}\", \"b\": \"two\"}");
        let at = |word: &str| reply.text.find(word).expect("a word");
        assert_eq!(
            reply.places,
            [(at("\","), 1), (at("}"), 0)],
            "in the order of the text"
        );
        assert_eq!(reply.citations.url(2), Some("https://c.example/"));
        assert!(reply.has_searched && !reply.is_cut);
    }

    #[test]
    fn a_place_without_its_mark_is_not_believed() {
        let text = "{\"a\": \"see [[1]](https://a.example/) there\"}";
        for (start, end) in [(0, 0), (0, 5), (12, 500), (90, 10), (12, 20)] {
            let annotations = json!([{"type": "url_citation", "url": "https://a.example/", "start_index": start, "end_index": end}]);
            let reply = read(&message(text, annotations)).expect("an answer");
            assert_eq!(
                (reply.text.as_str(), reply.places.len()),
                (text, 0),
                "{start} {end}"
            );
            assert_eq!(reply.citations.url(0), Some("https://a.example/"));
        }
    }

    #[test]
    fn replies_without_an_answer() {
        for (body, wanted) in [
            ("", NoAnswer::BadShape),
            ("[]", NoAnswer::BadShape),
            ("{\"output\": {}}", NoAnswer::BadShape),
            (
                "{\"output\": [], \"status\": \"completed\"}",
                NoAnswer::BadShape,
            ),
            ("{\"output\": [], \"status\": \"failed\"}", NoAnswer::Failed),
            (
                "{\"error\": {\"code\": \"server_error\"}, \"output\": []}",
                NoAnswer::Failed,
            ),
            (
                "{\"output\": [{\"type\": \"message\", \"content\": [{\"type\": \"refusal\"}]}]}",
                NoAnswer::BadShape,
            ),
        ] {
            assert_eq!(read(body.as_bytes()).err(), Some(wanted), "{body}");
        }
    }
}
