//! Secrets made on the spot, so that no file of ours holds anything a secret scanner would report.

const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const DIGITS: &[u8] = b"0123456789";

/// A small deterministic generator: the same seed gives the same secret on every machine.
pub(crate) struct Maker(u64);

impl Maker {
    pub(crate) fn new(seed: &str) -> Self {
        Self(
            seed.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            }) | 1,
        )
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    fn from(&mut self, alphabet: &[u8], length: usize) -> String {
        (0..length)
            .map(|_| char::from(alphabet[(self.next() % alphabet.len() as u64) as usize]))
            .collect()
    }

    pub(crate) fn hex(&mut self, length: usize) -> String {
        self.from(b"0123456789abcdef", length)
    }

    pub(crate) fn digits(&mut self, length: usize) -> String {
        "1".to_owned() + &self.from(DIGITS, length - 1)
    }

    pub(crate) fn capitals(&mut self, length: usize) -> String {
        "7".to_owned() + &self.from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length - 1)
    }

    pub(crate) fn lower(&mut self, length: usize) -> String {
        "q7".to_owned() + &self.from(&[LOWER, DIGITS].concat(), length - 2)
    }

    pub(crate) fn plain(&mut self, length: usize) -> String {
        "q7Z".to_owned()
            + &self.from(
                &[LOWER, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", DIGITS].concat(),
                length - 3,
            )
    }

    pub(crate) fn base64(&mut self, length: usize) -> String {
        "q7Z".to_owned()
            + &self.from(
                &[LOWER, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", DIGITS, b"+/"].concat(),
                length - 3,
            )
    }

    pub(crate) fn uuid(&mut self) -> String {
        format!(
            "{}-{}-4{}-a{}-{}",
            self.hex(8),
            self.hex(4),
            self.hex(3),
            self.hex(3),
            self.hex(12)
        )
    }
}

/// A secret from a pattern: literal text with `{kind:length}` parts.
pub(crate) fn made(pattern: &str) -> String {
    let mut maker = Maker::new(pattern);
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((head, tail)) = rest.split_once('{') {
        let (part, after) = tail.split_once('}').unwrap();
        out.push_str(head);
        let (kind, length) = part.split_once(':').unwrap_or((part, "0"));
        let length: usize = length.parse().unwrap();
        out.push_str(&match kind {
            "hex" => maker.hex(length),
            "digits" => maker.digits(length),
            "capitals" => maker.capitals(length),
            "lower" => maker.lower(length),
            "plain" => maker.plain(length),
            "base64" => maker.base64(length),
            "uuid" => maker.uuid(),
            other => panic!("no such kind: {other}"),
        });
        rest = after;
    }
    out + rest
}
