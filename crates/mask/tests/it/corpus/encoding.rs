//! Ways in which a whole text is encoded once more before it is printed.

/// An encoding maps each character alone, so the encoded text contains the encoded credential.
pub(super) struct Encoding {
    pub(super) name: &'static str,
    pub(super) whole: fn(&str) -> String,
    pub(super) part: fn(&str) -> String,
    /// Whether names and values are coloured, as `grep --color` and loggers do.
    pub(super) coloured: bool,
}

const fn encoding(
    name: &'static str,
    whole: fn(&str) -> String,
    part: fn(&str) -> String,
) -> Encoding {
    Encoding {
        name,
        whole,
        part,
        coloured: false,
    }
}

pub(super) const ENCODINGS: &[Encoding] = &[
    encoding("as it is", str::to_owned, str::to_owned),
    encoding(
        "message in a JSON log",
        |text| format!(r#"{{"level":"info","msg":"{}"}}"#, json(text)),
        json,
    ),
    encoding(
        "JSON in JSON",
        |text| format!(r#"{{"log":"{}","stream":"stdout"}}"#, json(&json(text))),
        |text| json(&json(text)),
    ),
    encoding(
        "JSON for HTML pages",
        |text| format!(r#"{{"text":"{}"}}"#, hex_json(text)),
        hex_json,
    ),
    encoding(
        "text of an HTML page",
        |text| format!("<pre>{}</pre>", html(text)),
        html,
    ),
    encoding(
        "HTML with numbers",
        |text| format!("<div>{}</div>", numbered(text)),
        numbered,
    ),
    encoding(
        "form field",
        |text| format!("v=1&payload={}", percent(text)),
        percent,
    ),
    Encoding {
        name: "coloured",
        whole: str::to_owned,
        part: str::to_owned,
        coloured: true,
    },
];

pub(super) fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Marks of HTML as `\u0022`, as PHP, Ruby and Go write them.
fn hex_json(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' | '>' | '&' | '\'' | '"' => out += &format!("\\u{:04x}", u32::from(c)),
            other => out += &json(&other.to_string()),
        }
    }
    out
}

pub(super) fn all_unicode(text: &str) -> String {
    let units = text.encode_utf16();
    units.map(|unit| format!("\\u{unit:04x}")).collect()
}

pub(super) fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

fn numbered(text: &str) -> String {
    text.replace('&', "&#38;")
        .replace('<', "&#60;")
        .replace('>', "&#62;")
        .replace('"', "&#34;")
        .replace('\'', "&#x27;")
        .replace('=', "&#x3D;")
        .replace('/', "&#x2F;")
}

pub(super) fn percent(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

pub(super) fn quoted_printable(text: &str) -> String {
    text.replace('=', "=3D")
}

pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0u32, |sum, byte| sum << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            out.push(if digit <= chunk.len() {
                char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize])
            } else {
                '='
            });
        }
    }
    out
}
