//! The tokens of RTF: groups, control words, control symbols and bytes of text.

/// One token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    /// A control word and its number.
    Word(&'a str, Option<i64>),
    /// A control symbol.
    Symbol(u8),
    /// A byte of text, as it is or as two digits.
    Byte(u8),
}

/// The longest name of a control word.
const MAX_NAME: usize = 32;
const MAX_DIGITS: usize = 11;

/// Reads the tokens of a file one by one.
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Tokens<'a> {
        Tokens { bytes, at: 0 }
    }

    /// Skips bytes that are no tokens.
    pub(super) fn skip_bytes(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.bytes.len());
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    /// How many bytes from here on are as asked for, up to a limit.
    fn run(&self, limit: usize, is_part: impl Fn(&u8) -> bool) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.iter().take(limit).take_while(|it| is_part(it)).count()
    }

    fn control(&mut self) -> Option<Token<'a>> {
        let letter = self.byte()?;
        if letter.is_ascii_alphabetic() {
            self.at -= 1;
            return Some(self.word());
        }
        if letter != b'\'' {
            return Some(Token::Symbol(letter));
        }
        let digits = self.bytes.get(self.at..self.at + 2);
        let digits = digits.and_then(|it| std::str::from_utf8(it).ok());
        match digits.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(byte) => {
                self.at += 2;
                Some(Token::Byte(byte))
            }
            None => Some(Token::Symbol(letter)),
        }
    }

    fn word(&mut self) -> Token<'a> {
        let name = self.taken(self.run(MAX_NAME, u8::is_ascii_alphabetic));
        let sign = usize::from(self.bytes.get(self.at) == Some(&b'-'));
        self.at += sign;
        let digits = self.run(MAX_DIGITS, u8::is_ascii_digit);
        self.at -= sign;
        let number = self.taken(sign + digits).parse().ok();
        if self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        Token::Word(name, number)
    }

    /// The next bytes, which are ASCII.
    fn taken(&mut self, length: usize) -> &'a str {
        let taken = self.bytes.get(self.at..self.at + length);
        self.at += length;
        let text = taken.and_then(|it| std::str::from_utf8(it).ok());
        text.unwrap_or_default()
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            return match self.byte()? {
                b'{' => Some(Token::Open),
                b'}' => Some(Token::Close),
                b'\\' => self.control(),
                // Some programs end the file with a zero.
                b'\r' | b'\n' | 0 => continue,
                byte => Some(Token::Byte(byte)),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_numbers_and_end_at_a_blank() {
        let tokens: Vec<_> = Tokens::new(b"{\\rtf1\\b-2 a\\'e4\\~\\'zz\r\n}\0").collect();
        let expected = [
            Token::Open,
            Token::Word("rtf", Some(1)),
            Token::Word("b", Some(-2)),
            Token::Byte(b'a'),
            Token::Byte(0xE4),
            Token::Symbol(b'~'),
            Token::Symbol(b'\''),
            Token::Byte(b'z'),
            Token::Byte(b'z'),
            Token::Close,
        ];
        assert_eq!(tokens, expected);
        let long = [b"\\".as_slice(), &[b'x'; 50], b"\\u-99999999999999"].concat();
        assert!(Tokens::new(&long).count() > 2);
        assert_eq!(Tokens::new(b"\\").count(), 0);
    }
}
