//! What the recogniser writes about a page: a line for each word with its place and how sure it is.

/// The text of a page, and how sure the program is of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RecognisedText {
    pub(super) text: String,
    pub(super) certainty: Certainty,
}

/// How sure the program is of words.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Certainty {
    words: u32,
    /// The sum over the words, each in percent.
    percents: f64,
}

impl Certainty {
    pub(super) fn add(&mut self, other: Certainty) {
        self.words = self.words.saturating_add(other.words);
        self.percents += other.percents;
    }

    /// The mean in percent. `None` if the program said nothing about it.
    pub(super) fn mean(self) -> Option<u8> {
        (self.words > 0).then(|| (self.percents / f64::from(self.words)).round() as u8)
    }
}

/// Reads the program's output. Text that is no table is taken as it is.
pub(super) fn recognised(output: &[u8]) -> RecognisedText {
    let output = String::from_utf8_lossy(output);
    let mut certainty = Certainty::default();
    let lines = match output.strip_prefix("level\t") {
        Some(table) => words(table, &mut certainty),
        None => output.split(['\n', '\x0c']).map(str::to_owned).collect(),
    };
    let text = tidy(lines.iter().map(|line| line.trim()));
    // Noise without a letter or a digit is no text.
    match text.contains(char::is_alphanumeric) {
        true => RecognisedText { text, certainty },
        false => RecognisedText::default(),
    }
}

/// The lines of text in a table of words, with an empty one between paragraphs.
fn words(table: &str, certainty: &mut Certainty) -> Vec<String> {
    const WORD: &str = "5";
    let mut lines: Vec<String> = Vec::new();
    // The page, the block and the paragraph of the last word, and its line.
    let mut before: Option<(Vec<&str>, &str)> = None;
    for row in table.lines() {
        // Level, page, block, paragraph, line, word, left, top, width, height, confidence, text.
        let columns: Vec<&str> = row.splitn(12, '\t').collect();
        let [WORD, _, _, _, number, .., percent, word] = columns.as_slice() else {
            continue;
        };
        if word.trim().is_empty() {
            continue;
        }
        if let Some(percent) = percent.parse().ok().filter(|it| (0.0..=100.0).contains(it)) {
            certainty.add(Certainty {
                words: 1,
                percents: percent,
            });
        }
        let at = columns[1..4].to_vec();
        match &before {
            Some((same, on)) if *same == at && on == number => {
                if let Some(line) = lines.last_mut() {
                    line.push(' ');
                    line.push_str(word);
                }
            }
            Some((same, _)) if *same == at => lines.push((*word).to_owned()),
            _ => lines.extend([String::new(), (*word).to_owned()]),
        }
        before = Some((at, number));
    }
    lines
}

/// The lines, with one empty line at most between two of them.
fn tidy<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut tidy = String::new();
    let mut is_apart = false;
    for line in lines {
        if line.is_empty() {
            is_apart = true;
            continue;
        }
        if !tidy.is_empty() {
            tidy.push_str(if is_apart { "\n\n" } else { "\n" });
        }
        tidy.push_str(line);
        is_apart = false;
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_keeps_its_lines_and_paragraphs_and_noise_is_dropped() {
        let read = recognised(b" one\ntwo\n\n\nthree \n\x0c");
        assert_eq!(read.text, "one\ntwo\n\nthree");
        assert_eq!(read.certainty.mean(), None);
        assert_eq!(recognised(b"| - .\n \n\x0c"), RecognisedText::default());
    }

    #[test]
    fn a_table_of_words_becomes_lines_and_paragraphs() {
        let word = |block: u8, paragraph: u8, line: u8, percent: &str, text: &str| {
            format!("5\t1\t{block}\t{paragraph}\t{line}\t1\t0\t0\t9\t9\t{percent}\t{text}\n")
        };
        let table = [
            "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"
                .to_owned(),
            "1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t\n".to_owned(),
            word(1, 1, 1, "90.5", "one"),
            word(1, 1, 1, "95.5", "two"),
            word(1, 1, 2, "60", "three"),
            word(1, 1, 2, "12", " "),
            word(1, 2, 1, "-1", "four"),
            word(2, 1, 1, "odd", "five\t5"),
            "5\t1\n".to_owned(),
        ];
        let read = recognised(table.concat().as_bytes());
        assert_eq!(read.text, "one two\nthree\n\nfour\n\nfive\t5");
        assert_eq!(read.certainty.mean(), Some(82));
    }
}
