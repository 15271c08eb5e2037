//! Which results are the same page, paper or patent.
//!
//! Providers name a thing differently: one gives the DOI, one the preprint, one a page of its own.
//! A result has several keys (its canonical address, DOI, arXiv id, patent number, title and first
//! author), and results that share one are the same, as are those that a third result connects.

use std::collections::HashMap;

use super::canonical::canonical;
use super::hit::{Details, Hit, Paper};
use super::patents;

/// The group of each result; results of the same group are the same. A group is named by the index
/// of one of its results.
pub(super) fn groups(hits: &[Hit]) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..hits.len()).collect();
    let mut first_with: HashMap<String, usize> = HashMap::new();
    for (index, hit) in hits.iter().enumerate() {
        for key in keys(hit) {
            let other = *first_with.entry(key).or_insert(index);
            let (one, two) = (root(&parents, index), root(&parents, other));
            parents[one.max(two)] = one.min(two);
        }
    }
    (0..hits.len()).map(|index| root(&parents, index)).collect()
}

fn root(parents: &[usize], mut index: usize) -> usize {
    while parents[index] != index {
        index = parents[index];
    }
    index
}

fn keys(hit: &Hit) -> Vec<String> {
    let mut keys = match &hit.details {
        // One address may serve several records of patents.
        Details::Patent(patent) if !patent.number.is_empty() => {
            return vec![format!("patent:{}", patents::identity(&patent.number))];
        }
        Details::Paper(paper) => paper_keys(hit, paper),
        _ => Vec::new(),
    };
    keys.push(canonical(&hit.url));
    keys
}

fn paper_keys(hit: &Hit, paper: &Paper) -> Vec<String> {
    let doi = paper.doi.as_deref();
    let arxiv = paper
        .arxiv
        .as_deref()
        .or_else(|| doi?.strip_prefix("10.48550/arxiv."))
        .or_else(|| arxiv_id(&hit.url));
    [
        doi.map(|doi| format!("doi:{doi}")),
        arxiv.map(|id| format!("arxiv:{}", without_version(id))),
        title_key(&hit.title, paper.authors.first()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The id in an address of arXiv: `https://arxiv.org/abs/2101.00001v2`.
fn arxiv_id(url: &str) -> Option<&str> {
    let (host, path) = url.split_once("://")?.1.split_once('/')?;
    let is_arxiv = host == "arxiv.org" || host.ends_with(".arxiv.org");
    let id = path.strip_prefix("abs/").or(path.strip_prefix("pdf/"))?;
    is_arxiv.then(|| id.trim_end_matches(".pdf"))
}

/// `2101.00001` of `2101.00001v2`.
fn without_version(id: &str) -> String {
    let id = id.to_ascii_lowercase();
    match id.rsplit_once('v') {
        Some((bare, version))
            if !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit()) =>
        {
            bare.to_owned()
        }
        _ => id,
    }
}

/// The fewest words of a title that few papers share: not "Editorial" or "Reply to the comment".
const LEAST_WORDS: usize = 5;

/// Title and first author, for papers that have no identifier in common.
fn title_key(title: &str, first_author: Option<&String>) -> Option<String> {
    let words = |text: &str| {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let title = words(title);
    let author = first_author?;
    // "Holt, Maren" and "Maren Holt".
    let surname = match author.split_once(',') {
        Some((surname, _)) => words(surname).pop(),
        None => words(author).pop(),
    }?;
    (title.len() >= LEAST_WORDS).then(|| format!("title:{}|{surname}", title.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_arxiv_lose_their_version() {
        assert_eq!(
            arxiv_id("https://arxiv.org/abs/2101.00001v2"),
            Some("2101.00001v2")
        );
        assert_eq!(
            arxiv_id("https://export.arxiv.org/pdf/2101.00001.pdf"),
            Some("2101.00001")
        );
        assert_eq!(arxiv_id("https://notarxiv.org/abs/1"), None);
        assert_eq!(without_version("2101.00001v12"), "2101.00001");
        assert_eq!(without_version("hep-th/9901001"), "hep-th/9901001");
        assert_eq!(without_version("solv-int/9901001"), "solv-int/9901001");
    }
}
