//! The comments of a slide: those of PowerPoint before 2021, and conversations.

use std::collections::HashMap;

use super::super::{Package, Relationship};
use crate::document::error::DocumentError;
use crate::document::markdown::one_line;
use crate::document::xml::{XmlElement, XmlTree};

/// The names of those who comment, by id.
pub(super) fn authors(
    package: &Package<'_>,
    relations: &HashMap<String, Relationship>,
) -> Result<HashMap<String, String>, DocumentError> {
    let mut authors = HashMap::new();
    for tree in parts(package, relations, &["/commentAuthors", "/authors"])? {
        for author in tree.root().elements() {
            if let (Some(id), Some(name)) = (author.attribute("id"), author.attribute("name")) {
                authors.insert(id.to_owned(), one_line(name));
            }
        }
    }
    Ok(authors)
}

/// The comments of a slide, as ` (author): text`, each answer after what it answers.
pub(super) fn comments(
    package: &Package<'_>,
    relations: &HashMap<String, Relationship>,
    authors: &HashMap<String, String>,
) -> Result<Vec<String>, DocumentError> {
    let mut found = Vec::new();
    for tree in parts(package, relations, &["/comments"])? {
        for comment in tree.root().all("cm") {
            found.extend(written(comment, authors));
            let replies = comment.find_all("reply").into_iter();
            found.extend(replies.filter_map(|reply| written(reply, authors)));
        }
    }
    Ok(found)
}

fn written(comment: XmlElement<'_>, authors: &HashMap<String, String>) -> Option<String> {
    let text = match comment.child("txBody") {
        Some(body) => {
            let lines = body.all("p").map(super::shapes::paragraph_text);
            lines.collect::<Vec<_>>().join(" ")
        }
        None => comment.child("text")?.text(),
    };
    let text = one_line(&text);
    let author = comment.attribute("authorId").and_then(|id| authors.get(id));
    let author = author.map(|name| format!(" ({name})")).unwrap_or_default();
    (!text.is_empty()).then(|| format!("{author}: {text}"))
}

fn parts(
    package: &Package<'_>,
    relations: &HashMap<String, Relationship>,
    kinds: &[&str],
) -> Result<Vec<XmlTree>, DocumentError> {
    let mut names: Vec<&str> = relations
        .values()
        .filter(|relation| kinds.iter().any(|kind| relation.kind.ends_with(kind)))
        .map(|relation| relation.target.as_str())
        .collect();
    names.sort_unstable();
    let trees = names.into_iter().map(|name| package.intact_part(name));
    let trees = trees.collect::<Result<Vec<_>, _>>()?;
    Ok(trees.into_iter().flatten().collect())
}
