//! The texts in EQ fields of Word, which older documents have for fractions, roots and readings of
//! East Asian names. Such a field has no result: what it shows is in its code.

use crate::script::Script;

/// How deep equations are inside equations.
const MAX_DEPTH: usize = 16;

/// What the code after `EQ` shows.
pub(super) fn equation_text(code: &str) -> String {
    let letters: Vec<char> = code.chars().collect();
    let mut reader = EquationReader {
        letters: &letters,
        at: 0,
    };
    let mut text = String::new();
    while reader.at < letters.len() {
        text.push_str(&reader.argument(0).text);
        // A mark that ends an argument is a letter outside of one.
        text.extend(reader.next());
    }
    text.trim().to_owned()
}

#[derive(Default)]
struct Argument {
    text: String,
    /// Whether all of it is raised, as the reading above a name is.
    is_raised: bool,
}

/// The switches before an argument list.
#[derive(Default)]
struct Switches {
    kind: Option<char>,
    script: Script,
}

struct EquationReader<'c> {
    letters: &'c [char],
    at: usize,
}

impl EquationReader<'_> {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += 1;
        Some(letter)
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&is_skipped) {
            self.at += 1;
        }
    }

    /// The text up to the end of an argument.
    fn argument(&mut self, depth: usize) -> Argument {
        let mut argument = Argument::default();
        let mut switches = Switches::default();
        while let Some(letter) = self.peek() {
            match letter {
                ',' | ';' | ')' => break,
                '(' if switches.kind.is_some() && depth < MAX_DEPTH => {
                    self.at += 1;
                    let arguments = self.arguments(depth + 1);
                    let used = std::mem::take(&mut switches);
                    argument.is_raised =
                        argument.text.trim().is_empty() && used.script == Script::Superscript;
                    let shown = used.shown(&argument.text, arguments);
                    argument.text.push_str(&shown);
                }
                '\\' => {
                    self.at += 1;
                    if let Some(escaped) = self.switch(&mut switches) {
                        argument.text.push(escaped);
                        argument.is_raised = false;
                    }
                }
                letter => {
                    self.at += 1;
                    argument.text.push(letter);
                    argument.is_raised &= letter == ' ';
                }
            }
        }
        argument
    }

    /// The arguments up to the end of their list.
    fn arguments(&mut self, depth: usize) -> Vec<Argument> {
        let mut arguments = vec![self.argument(depth)];
        while let Some(',' | ';') = self.next() {
            arguments.push(self.argument(depth));
        }
        arguments
    }

    /// Reads a switch. Returns the letter if it is one that is written in this way.
    fn switch(&mut self, switches: &mut Switches) -> Option<char> {
        match self.peek()? {
            '*' => {
                // A format of the whole field, with its name behind it.
                self.at += 1;
                self.skip(|it| it == ' ');
                if self.peek() == Some('"') {
                    self.at += 1;
                    self.skip(|it| it != '"');
                    self.at += 1;
                } else {
                    self.skip(char::is_alphanumeric);
                }
                self.skip(|it| it == ' ');
                None
            }
            letter if letter.is_ascii_alphabetic() => {
                let start = self.at;
                self.skip(|it| it.is_ascii_alphabetic());
                let name: String = self.letters[start..self.at].iter().collect();
                switches.add(&name.to_ascii_lowercase());
                self.skip(|it| it == ' ' || it.is_ascii_digit());
                None
            }
            _ => self.next(),
        }
    }
}

impl Switches {
    fn add(&mut self, name: &str) {
        match name {
            "up" => self.script = Script::Superscript,
            "do" => self.script = Script::Subscript,
            "a" | "b" | "d" | "f" | "i" | "l" | "o" | "r" | "s" | "x" if self.kind.is_none() => {
                self.kind = name.chars().next();
            }
            // How it looks.
            _ => {}
        }
    }

    fn shown(&self, before: &str, arguments: Vec<Argument>) -> String {
        let texts = |arguments: &[Argument]| -> Vec<String> {
            let texts = arguments.iter().map(|it| it.text.trim().to_owned());
            texts.filter(|it| !it.is_empty()).collect()
        };
        let all = texts(&arguments);
        match (self.kind, all.as_slice()) {
            (Some('f'), [upper, lower]) => format!("{upper}/{lower}"),
            (Some('r'), [under]) => format!("√({under})"),
            (Some('r'), [index, under]) => format!("√[{index}]({under})"),
            (Some('b'), [inner]) => format!("({inner})"),
            (Some('i'), [from, to, inner]) => format!("∫[{from}, {to}] {inner}"),
            (Some('l'), _) => all.join(", "),
            (Some('a'), _) => all.join(" "),
            (Some('s'), _) => self.script.written(before, &all.concat()),
            (Some('o'), _) => {
                // Of a name and its reading, the name is the text, as in other formats.
                let (_, base): (Vec<_>, Vec<_>) =
                    arguments.into_iter().partition(|it| it.is_raised);
                match texts(&base) {
                    base if base.is_empty() => all.concat(),
                    base => base.concat(),
                }
            }
            _ => all.concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_in_fields_are_readable() {
        for (code, expected) in [
            (r"\f(1,2)", "1/2"),
            (r"x = \f(a + b;2)", "x = a + b/2"),
            (r"\r(3,x)", "√[3](x)"),
            (r"\r(,x)", "√(x)"),
            (r"x\s\up8(2)", "x^2"),
            (r"\b(\f(1,2))", "(1/2)"),
            (r"\l(1, 2, 3)", "1, 2, 3"),
            (r"\i(0,1,x dx)", "∫[0, 1] x dx"),
            (
                r#"\* jc2 \* "Font:MS Mincho" \* hps11 \o\ad(\s\up 10(とうきょう),東京)"#,
                "東京",
            ),
            (r"\o\ac(○,1)", "○1"),
            (r"a\,b \(c\)", "a,b (c)"),
            (r"1,5 (m)", "1,5 (m)"),
            ("", ""),
        ] {
            assert_eq!(equation_text(code), expected, "{code}");
        }
        let deep = r"\f(".repeat(10_000);
        equation_text(&deep);
    }
}
