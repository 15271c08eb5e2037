//! Passwords of a generator that uses every mark of the keyboard: `Do[R{u7-1][A&p`.

/// The shortest and the longest value that can be told from words, numbers and code.
const SHORTEST: usize = 9;
const LONGEST: usize = 64;

/// The longest run of lowercase letters; words have longer ones.
const LONGEST_WORD: usize = 4;

/// A shorter one needs two marks.
const SHORTEST_WITH_ONE_MARK: usize = 12;

/// What only patterns and escaped texts have.
const PATTERN: &[&str] = &[
    "&quot", "&amp", "&lt", "&#", "%22", "%3A", "%7B", "%5B", "0-9", "A-Z", "a-z", "\\s", "\\d",
    "\\w",
];

/// Pairs of marks that code, markup and addresses have, and hardly any password.
const CODE: &[&str] = &[
    "()", "[]", "{}", "${", "{{", "}}", "%{", "#{", "<%", "%>", "</", "/>", "=>", "->", "::", "==",
    "!=", "&&", "||", "++", "--", "//", "\\n", "\\s", "\\d", "\\w", "\\x", "\\u", ".*", ".+", "[^",
    "(?", ")?", "%s", "%d", ");", "];", "};", "),", "],", "},", "**", "...", "***", "=\"", "='",
    "$(", "@{", "&#", "+/", "|$",
];

/// Whether a generator drew the value out of letters, digits and marks. `named` is whether a name
/// near it says that a secret follows: otherwise it must not look like code in any way.
pub(crate) fn is_scrambled(value: &str, named: bool) -> bool {
    let bytes = value.as_bytes();
    if !(SHORTEST..=LONGEST).contains(&bytes.len()) || !bytes.iter().all(u8::is_ascii_graphic) {
        return false;
    }
    let mut classes = [0_usize; 4];
    let (mut changes, mut word, mut longest_word) = (0, 0, 0);
    for (index, byte) in bytes.iter().enumerate() {
        let class = class(*byte);
        classes[class] += 1;
        changes += usize::from(index > 0 && self::class(bytes[index - 1]) != class);
        word = if class == 1 { word + 1 } else { 0 };
        longest_word = longest_word.max(word);
    }
    let [upper, lower, digits, marks] = classes;
    let strong = bytes.iter().filter(|byte| is_strong_mark(**byte)).count();
    let least_marks = match named {
        true => 1 + usize::from(bytes.len() < SHORTEST_WITH_ONE_MARK),
        false => 3,
    };
    let most_marks = bytes.len() * 2 / 3;
    let mixed = upper > 0
        && lower > 0
        && digits > 0
        && (least_marks..=most_marks).contains(&marks)
        && strong > usize::from(!named)
        && longest_word <= LONGEST_WORD
        && changes * 2 > bytes.len();
    // Hardly any word gets here.
    mixed && !is_code(value, marks, named)
}

fn is_code(value: &str, marks: usize, named: bool) -> bool {
    let has = |list: &[&str]| list.iter().any(|it| value.contains(it));
    has(PATTERN)
        || (!named || marks < 4) && has(CODE)
        || !named && (has_pair_of_brackets(value) || has_joint(value))
}

/// Whether a mark joins no parts of names, numbers, addresses and times.
const fn is_strong_mark(byte: u8) -> bool {
    class(byte) == 3
        && !matches!(
            byte,
            b'.' | b'-'
                | b'_'
                | b':'
                | b'/'
                | b'='
                | b'+'
                | b'@'
                | b','
                | b'['
                | b']'
                | b'('
                | b')'
        )
}

const fn class(byte: u8) -> usize {
    match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

/// Whether a bracket is opened and closed, as expressions do it.
fn has_pair_of_brackets(value: &str) -> bool {
    ["()", "[]", "{}", "<>"].iter().any(|pair| {
        let (open, close) = pair.split_at(1);
        value
            .find(open)
            .is_some_and(|at| value[at..].contains(close))
    })
}

/// Whether a name and a value are joined in it, or the parts of a path, an address or a time.
fn has_joint(value: &str) -> bool {
    let slashes = value.matches('/').count();
    let colons = value.matches(':').count();
    let name = value.find('=').is_some_and(|at| {
        at > 0
            && value[..at]
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
    });
    slashes > 1
        || value.contains("%5B")
        || colons > 2
        || name
        || value.contains("@") && value.contains('.') && slashes > 0
}

#[cfg(test)]
mod tests {
    use super::is_scrambled;

    #[test]
    fn passwords_with_every_mark_are() {
        for value in [
            "Do[R{u7-1][A&p",
            "U|Qr;$K:zm!$Mx^m~50",
            "V[Xj{<RsX<+3.RdJU]58#i~hI",
        ] {
            assert!(is_scrambled(value, true), "{value}");
        }
        assert!(is_scrambled("G<q%RNKR^r9!x", false));
    }

    #[test]
    fn code_and_data_are_not() {
        for value in [
            "e[0]=H(n,t.E)",
            "a=B(c,2);",
            "[A-Za-z0-9]+@x",
            "https://Ex.org/?a=1&B=2",
            "2024-05-01T10:00:00Z",
            "Mozilla/5.0",
            "{\"A\":1,\"b\":2}",
        ] {
            assert!(!is_scrambled(value, false), "{value}");
        }
    }
}
