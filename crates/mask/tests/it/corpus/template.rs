//! Fills the placeholders of a text: `⟦v⟧` is the credential, `⟦ENV⟧` and its like are its name in
//! some spelling, everything else is noise.

use super::dice::Dice;
use super::encoding::{self, Encoding};

/// A credential and its name.
pub(super) struct Subject {
    words: Vec<&'static str>,
    secret: String,
    coloured: bool,
}

impl Subject {
    pub(super) fn new(
        name: &'static str,
        pattern: &str,
        encoding: &Encoding,
        dice: &mut Dice,
    ) -> Self {
        let nobody = Self {
            words: Vec::new(),
            secret: String::new(),
            coloured: false,
        };
        Self {
            words: name.split(' ').collect(),
            secret: fill(pattern, &nobody, dice).0,
            coloured: encoding.coloured,
        }
    }

    fn name(&self, spelling: &str) -> Option<String> {
        let joined = |by: &str| self.words.join(by);
        Some(match spelling {
            "snake" => joined("_"),
            "ENV" => joined("_").to_uppercase(),
            "kebab" => joined("-"),
            "dot" => joined("."),
            "prose" => joined(" "),
            "Prose" => title(&joined(" ")),
            "Header" => self.titles().join("-"),
            "Pascal" => self.titles().concat(),
            "camel" => self.words[..1].concat() + &self.titles()[1..].concat(),
            "snake:u" => encoding::all_unicode(&joined("_")),
            "keylen" => joined("_").len().to_string(),
            "len" => self.secret.len().to_string(),
            _ => return None,
        })
    }

    fn titles(&self) -> Vec<String> {
        self.words.iter().map(|word| title(word)).collect()
    }

    fn shown(&self, how: &str) -> String {
        let secret = &self.secret;
        match how {
            "v" => secret.clone(),
            "v:html" => encoding::html(secret),
            "v:json" => encoding::json(secret),
            "v:url" => encoding::percent(secret),
            "v:u" => encoding::all_unicode(secret),
            "v:qp" => encoding::quoted_printable(secret),
            "v:b64" => encoding::base64(secret.as_bytes()),
            "v:basic" => encoding::base64(format!("bob:{secret}").as_bytes()),
            other => panic!("no such form: {other}"),
        }
    }
}

fn title(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// The filled text, and the credential as it is written there.
pub(super) fn fill(template: &str, subject: &Subject, dice: &mut Dice) -> (String, String) {
    let mut out = String::new();
    let mut credential = String::new();
    let mut rest = template;
    while let Some((head, tail)) = rest.split_once('⟦') {
        let (kind, after) = tail.split_once('⟧').unwrap();
        out += head;
        if kind == "v" || kind.starts_with("v:") {
            credential = subject.shown(kind);
            out += &coloured(&credential, 32, subject.coloured);
        } else if let Some(name) = subject.name(kind) {
            let plain = matches!(kind, "len" | "keylen");
            out += &coloured(&name, 36, subject.coloured && !plain);
        } else {
            out += &dice
                .noise(kind)
                .unwrap_or_else(|| panic!("no such part: {kind}"));
        }
        rest = after;
    }
    (out + rest, credential)
}

fn coloured(text: &str, colour: u8, yes: bool) -> String {
    if yes {
        format!("\u{1b}[{colour}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}
