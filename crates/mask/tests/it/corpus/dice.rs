//! Repeatable chance: the same seed gives the same text on every machine.

const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &[u8] = b"0123456789";

const WORDS: &[&str] = &[
    "billing", "checkout", "harbor", "ledger", "mailer", "orders", "pixel", "quarry", "relay",
    "search", "stream", "willow",
];
const USERS: &[&str] = &["alice", "bob", "deploy", "jsmith", "maria", "svc_app"];
const HOSTS: &[&str] = &[
    "api.example.com",
    "db1.example.net",
    "example.org",
    "files.internal.example",
];
const CHOSEN: &[&str] = &[
    "Sommer",
    "dragon",
    "Welcome",
    "monkey",
    "Falcon",
    "Tr0ub4dor",
    "hunter",
    "P4ssw0rd",
    "Qwerty",
    "blueSky",
    "Berlin",
    "correct-horse",
];

pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: &str) -> Self {
        let hash = seed.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        let mut dice = Self(hash | 1);
        (0..8).for_each(|_| {
            dice.roll(2);
        });
        dice
    }

    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 24) % sides as u64) as usize
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }

    fn letters(&mut self, alphabet: &[u8], length: usize) -> String {
        (0..length)
            .map(|_| char::from(alphabet[self.roll(alphabet.len())]))
            .collect()
    }

    /// What a placeholder such as `hex:32` stands for, unless it is about the subject.
    pub(super) fn noise(&mut self, kind: &str) -> Option<String> {
        let (kind, length) = kind.split_once(':').unwrap_or((kind, "0"));
        let length = length.parse().ok()?;
        let all = [LOWER, UPPER, DIGITS].concat();
        Some(match kind {
            "hex" => self.letters(b"0123456789abcdef", length),
            "num" => self.letters(b"123456789", 1) + &self.letters(DIGITS, length - 1),
            "lower" => self.letters(&[LOWER, DIGITS].concat(), length),
            "caps" => self.letters(&[UPPER, DIGITS].concat(), length),
            "plain" => self.letters(&all, length),
            "b64" => self.letters(&[&all[..], b"+/"].concat(), length),
            "url64" => self.letters(&[&all[..], b"-_"].concat(), length),
            "uuid" => self.uuid(),
            "jwt" => format!(
                "eyJhbGciOiJIUzI1NiJ9.eyJ{}.{}",
                self.letters(&all, 60),
                self.letters(&all, 43)
            ),
            "password" => self.password(),
            "word" => self.pick(WORDS).to_owned(),
            "user" => self.pick(USERS).to_owned(),
            "host" => self.pick(HOSTS).to_owned(),
            "ip" => format!(
                "10.{}.{}.{}",
                self.roll(255),
                self.roll(255),
                self.roll(255)
            ),
            "date" => format!("2024-0{}-1{}T10:01:22Z", 1 + self.roll(9), self.roll(10)),
            "esc" => "\u{1b}".to_owned(),
            "cr" => "\r".to_owned(),
            "nul" | "nulb" => "\0".to_owned(),
            _ => return None,
        })
    }

    fn uuid(&mut self) -> String {
        let mut hex = |length| self.letters(b"0123456789abcdef", length);
        format!("{}-{}-4{}-a{}-{}", hex(8), hex(4), hex(3), hex(3), hex(12))
    }

    /// A password as people choose or generate them.
    fn password(&mut self) -> String {
        let marks = b"!#$%*+-_?@^~";
        let all = [LOWER, UPPER, DIGITS].concat();
        match self.roll(10) {
            0..=3 => {
                let (word, digits) = (self.pick(CHOSEN), self.roll(9000) + 100);
                format!("{word}{digits}{}", self.letters(marks, 1))
            }
            4 => format!("{}{}", self.pick(CHOSEN), self.roll(9000) + 100),
            5 | 6 => self.letters(&all, 16),
            7 | 8 => {
                let (head, mark) = (self.letters(&all, 7), self.letters(marks, 1));
                head + &mark + &self.letters(&all, 6)
            }
            _ => format!(
                "{}-{}-{}",
                self.pick(WORDS),
                self.pick(WORDS),
                self.roll(90) + 10
            ),
        }
    }
}
