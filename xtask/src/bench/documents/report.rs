//! The table of scores, and the documents that are read worst.

use super::reading::Read;

/// The scores of one program over all documents of one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct Scores {
    /// For each document, its number and its scores.
    documents: Vec<(usize, Vec<Option<f64>>)>,
    read: usize,
    seconds: Vec<f64>,
    peak: f64,
}

impl Scores {
    pub(super) fn add(&mut self, document: usize, scores: Vec<Option<f64>>, read: &Read) {
        self.documents.push((document, scores));
        self.read += usize::from(!read.text.trim().is_empty());
        self.seconds.push(read.seconds);
        self.peak = self.peak.max(read.peak);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    fn mean(&self, score: usize) -> Option<f64> {
        let values = self.documents.iter().filter_map(|(_, it)| it[score]);
        let (sum, count) = values.fold((0.0, 0), |(sum, count), it| (sum + it, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    fn median_seconds(&self) -> f64 {
        let mut seconds = self.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        seconds.get(seconds.len() / 2).copied().unwrap_or(0.0)
    }

    /// The documents with the worst of one score, and the score.
    fn worst(&self, score: usize, less_is_better: bool, count: usize) -> Vec<(usize, f64)> {
        let mut list: Vec<(usize, f64)> = self
            .documents
            .iter()
            .filter_map(|(document, scores)| Some((*document, scores[score]?)))
            .collect();
        list.sort_by(|one, other| one.1.total_cmp(&other.1));
        if less_is_better {
            list.reverse();
        }
        list.truncate(count);
        list
    }
}

/// The table of all programs.
pub(super) fn table(names: &[&str], programs: &[(&str, &Scores)]) -> String {
    let mut table = format!(
        "| | documents | read | {} | time, median | time, all | peak memory |\n|{}\n",
        names.join(" | "),
        "---|".repeat(names.len() + 6)
    );
    for (program, scores) in programs {
        let figures = (0..names.len()).map(|score| {
            let mean = scores.mean(score);
            mean.map_or_else(String::new, |mean| format!("{mean:.4}"))
        });
        table.push_str(&format!(
            "| {program} | {} | {} | {} | {:.0} ms | {:.1} s | {:.0} MB |\n",
            scores.documents.len(),
            scores.read,
            figures.collect::<Vec<_>>().join(" | "),
            1e3 * scores.median_seconds(),
            scores.seconds.iter().sum::<f64>(),
            scores.peak / 1e6,
        ));
    }
    table
}

/// The documents that have the worst of each score.
pub(super) fn worst(names: &[&str], scores: &Scores, documents: &[String], count: usize) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let list = scores.worst(index, *name == "invented", count);
        if list.is_empty() {
            continue;
        }
        text.push_str(&format!("\nWorst by {name}:\n"));
        for (document, score) in list {
            text.push_str(&format!("  {score:.3} {}\n", documents[document]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(seconds: f64) -> Read {
        Read {
            text: "text".to_owned(),
            seconds,
            peak: 2e6,
        }
    }

    #[test]
    fn scores_are_means_over_the_documents_that_have_them() {
        let mut scores = Scores::default();
        scores.add(0, vec![Some(1.0), None], &read(0.1));
        scores.add(1, vec![Some(0.5), Some(0.2)], &read(0.3));
        let table = table(&["words found", "cells"], &[("ours", &scores)]);
        let row = table.lines().last().expect("a row");
        assert_eq!(
            row,
            "| ours | 2 | 2 | 0.7500 | 0.2000 | 300 ms | 0.4 s | 2 MB |"
        );
    }

    #[test]
    fn the_worst_documents_are_named() {
        let mut scores = Scores::default();
        scores.add(0, vec![Some(1.0), Some(0.3)], &read(0.1));
        scores.add(1, vec![Some(0.5), Some(0.0)], &read(0.1));
        let documents = ["a.pdf", "b.pdf"].map(str::to_owned);
        let told = worst(&["words found", "invented"], &scores, &documents, 1);
        assert_eq!(
            told,
            "\nWorst by words found:\n  0.500 b.pdf\n\nWorst by invented:\n  0.300 a.pdf\n"
        );
    }
}
