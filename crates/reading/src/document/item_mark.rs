//! What stands in front of an item of a list or of a heading, in the notation of the document.

/// What stands in front of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ItemMark {
    Bullet,
    /// A plain number, as Markdown writes it.
    Number(usize),
    /// Any other label, such as `(a)` or `2.1`.
    Label(String),
}

impl ItemMark {
    /// The text of a heading that has this mark.
    pub(super) fn before_heading(&self, text: &str) -> String {
        match self {
            ItemMark::Bullet => text.to_owned(),
            ItemMark::Number(number) => format!("{number}. {text}"),
            ItemMark::Label(label) => format!("{label} {text}"),
        }
    }

    /// An item with this mark as one line of a cell.
    pub(super) fn before_line(&self, text: &str) -> String {
        match self {
            ItemMark::Bullet => format!("- {text}"),
            ItemMark::Number(number) => format!("{number}. {text}"),
            ItemMark::Label(label) => format!("- {label} {text}"),
        }
    }
}

/// How the numbers of a list are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum NumberFormat {
    #[default]
    Decimal,
    /// With a zero before a single digit.
    TwoDigits,
    SmallLetters,
    CapitalLetters,
    SmallRoman,
    CapitalRoman,
}

impl NumberFormat {
    pub(super) fn written(self, count: usize) -> String {
        match self {
            NumberFormat::Decimal => count.to_string(),
            NumberFormat::TwoDigits => format!("{count:02}"),
            NumberFormat::SmallLetters => letters(count),
            NumberFormat::CapitalLetters => letters(count).to_uppercase(),
            NumberFormat::SmallRoman => roman(count),
            NumberFormat::CapitalRoman => roman(count).to_uppercase(),
        }
    }
}

/// `a` to `z`, then `aa` to `zz`, as Word counts.
fn letters(count: usize) -> String {
    let index = count.saturating_sub(1);
    let letter = char::from(b'a' + (index % 26) as u8);
    String::from(letter).repeat((index / 26 + 1).min(30))
}

fn roman(count: usize) -> String {
    const SIGNS: [(usize, &str); 13] = [
        (1_000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut left = count.min(9_999);
    let mut text = String::new();
    for (value, sign) in SIGNS {
        while left >= value {
            text.push_str(sign);
            left -= value;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_the_notation_of_the_list() {
        for (count, format, expected) in [
            (3, NumberFormat::Decimal, "3"),
            (7, NumberFormat::TwoDigits, "07"),
            (4, NumberFormat::SmallRoman, "iv"),
            (1_999, NumberFormat::CapitalRoman, "MCMXCIX"),
            (2, NumberFormat::SmallLetters, "b"),
            (28, NumberFormat::CapitalLetters, "BB"),
            (0, NumberFormat::SmallLetters, "a"),
        ] {
            assert_eq!(format.written(count), expected);
        }
        assert_eq!(NumberFormat::SmallLetters.written(usize::MAX).len(), 30);
    }
}
