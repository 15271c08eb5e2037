//! What people remarked on the cells of a sheet: notes, and conversations since Office 2019.

use std::collections::{HashMap, HashSet};

use super::grid::Comment;
use super::{Package, Relationship};
use crate::document::error::DocumentError;
use crate::document::xml::{XmlElement, XmlTree};

/// The comments of a sheet with these relationships. `people` are the authors of conversations, by
/// id.
pub(super) fn comments(
    package: &Package<'_>,
    relations: &HashMap<String, Relationship>,
    people: &HashMap<String, String>,
) -> Result<Vec<Comment>, DocumentError> {
    let mut found = Vec::new();
    for tree in parts(package, relations, "/threadedComment")? {
        for comment in tree.root().all("threadedComment") {
            found.push(Comment {
                place: comment.attribute("ref").unwrap_or_default().to_owned(),
                author: comment
                    .attribute("personId")
                    .and_then(|id| people.get(id).cloned()),
                text: comment
                    .child("text")
                    .map(XmlElement::text)
                    .unwrap_or_default(),
            });
        }
    }
    // Older programs are given a note that says that they cannot show the conversation.
    let conversations: HashSet<String> = found.iter().map(|it| it.place.clone()).collect();
    for tree in parts(package, relations, "/comments")? {
        let notes = notes(&tree).into_iter();
        found.extend(notes.filter(|note| !conversations.contains(&note.place)));
    }
    Ok(found)
}

fn parts(
    package: &Package<'_>,
    relations: &HashMap<String, Relationship>,
    kind: &str,
) -> Result<Vec<XmlTree>, DocumentError> {
    let mut parts: Vec<&str> = relations
        .values()
        .filter(|relation| relation.kind.ends_with(kind))
        .map(|relation| relation.target.as_str())
        .collect();
    parts.sort_unstable();
    let trees = parts.into_iter().map(|part| package.intact_part(part));
    Ok(trees
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect())
}

fn notes(tree: &XmlTree) -> Vec<Comment> {
    let root = tree.root();
    let authors: Vec<String> = root
        .child("authors")
        .into_iter()
        .flat_map(|authors| authors.all("author").collect::<Vec<_>>())
        .map(XmlElement::text)
        .collect();
    let listed = root
        .child("commentList")
        .into_iter()
        .flat_map(|list| list.all("comment").collect::<Vec<_>>());
    listed
        .map(|comment| {
            let author = comment
                .attribute("authorId")
                .and_then(|id| id.parse::<usize>().ok())
                .and_then(|id| authors.get(id))
                .filter(|name| !name.trim().is_empty());
            let text = comment.child("text").map(XmlElement::text);
            let text = text.unwrap_or_default();
            // Excel begins a note with the name of its author.
            let said = author.and_then(|name| text.trim_start().strip_prefix(&**name));
            let said = said.and_then(|rest| rest.strip_prefix(':'));
            Comment {
                place: comment.attribute("ref").unwrap_or_default().to_owned(),
                text: said.unwrap_or(&text).to_owned(),
                author: author.cloned(),
            }
        })
        .collect()
}
