//! A secret as encoders write it: for URLs, JSON, HTML, shells and base64.

use url::form_urlencoded;

use crate::base64;

/// The encoded forms of shorter secrets would match ordinary text.
pub(super) const SHORTEST_DISGUISED: usize = 4;

/// Adds every form, and whether it is a part of base64 text.
pub(super) fn add_forms(secret: &str, forms: &mut Vec<(String, bool)>) {
    forms.push((secret.to_owned(), false));
    if secret.chars().count() < SHORTEST_DISGUISED {
        return;
    }
    for encoded in percent_forms(secret) {
        forms.push((encoded.to_ascii_lowercase_hex(), false));
        forms.push((encoded, false));
    }
    for escaped in json_forms(secret) {
        forms.push((escaped, false));
    }
    for escaped in html_forms(secret).into_iter().chain(shell_forms(secret)) {
        forms.push((escaped, false));
    }
    for url_safe in [false, true] {
        for offset in 0..3 {
            let core = base64::core(secret.as_bytes(), offset, url_safe);
            if core.len() >= SHORTEST_DISGUISED {
                forms.push((core, true));
            }
        }
    }
}

/// Encoders differ in the characters that they escape, so there is one form for each kind of
/// encoder.
fn percent_forms(secret: &str) -> Vec<String> {
    let form: String = form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let component = percent(secret, |byte| {
        byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte)
    });
    let unreserved = percent(secret, |byte| {
        byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)
    });
    let path = percent(secret, |byte| {
        byte.is_ascii_graphic() && !b"\"#%<>?`{}".contains(&byte)
    });
    let user = percent(secret, |byte| {
        byte.is_ascii_graphic() && !b"\"#%<>?`{}/:;=@[\\]^|".contains(&byte)
    });
    let query = percent(secret, |byte| {
        byte.is_ascii_graphic() && !b"\"#<>'".contains(&byte)
    });
    let slashes = percent(secret, |byte| {
        byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte)
    });
    let everything = percent(secret, |byte| byte.is_ascii_alphanumeric());
    let twice = percent(&unreserved, |byte| byte != b'%');
    vec![
        form, component, unreserved, path, user, query, slashes, everything, twice,
    ]
}

fn percent(text: &str, keep: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len() * 3);
    for byte in text.bytes() {
        if keep(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

trait LowercaseHex {
    fn to_ascii_lowercase_hex(&self) -> String;
}

impl LowercaseHex for String {
    /// Lowercases percent-escapes (`%2F` to `%2f`) and nothing else.
    fn to_ascii_lowercase_hex(&self) -> String {
        let mut out = String::with_capacity(self.len());
        let mut hex_left = 0;
        for c in self.chars() {
            out.push(if hex_left > 0 {
                c.to_ascii_lowercase()
            } else {
                c
            });
            hex_left = if c == '%' {
                2
            } else {
                usize::saturating_sub(hex_left, 1)
            };
        }
        out
    }
}

fn json_forms(secret: &str) -> Vec<String> {
    let once = json(secret);
    let slashes = once.replace('/', "\\/");
    let ascii = ascii_json(&once);
    let twice = json(&once);
    let single_quotes = secret.replace('\\', "\\\\").replace('\'', "\\'");
    // Go, PHP and Ruby escape the marks of HTML too.
    let for_html = once
        .replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e");
    let for_attributes = for_html.replace("\\\"", "\\u0022").replace('\'', "\\u0027");
    vec![
        once,
        slashes,
        ascii,
        twice,
        single_quotes,
        for_html,
        for_attributes,
    ]
}

fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// JSON text in which everything beyond ASCII is escaped.
fn ascii_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        out.push_str(&json_escape(c));
    }
    out
}

/// Libraries differ in the marks that they escape and in how they write an apostrophe.
fn html_forms(secret: &str) -> Vec<String> {
    let base = secret
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let quotes = base.replace('"', "&quot;");
    let apostrophes = ["&#39;", "&#x27;", "&apos;", "&#039;"].map(|it| quotes.replace('\'', it));
    let numbers = secret
        .replace('&', "&#38;")
        .replace('<', "&#60;")
        .replace('>', "&#62;")
        .replace('"', "&#34;")
        .replace('\'', "&#39;");
    let slashes = apostrophes[1]
        .replace('/', "&#x2F;")
        .replace('=', "&#x3D;")
        .replace('`', "&#x60;");
    let mut forms = vec![base, quotes, numbers, slashes];
    forms.extend(apostrophes);
    forms
}

/// Every form with escapes by number that [`add_forms`] does not have. Careful encoders escape
/// whatever is no letter or digit like this, some of them everything.
pub(super) fn numbered_forms(secret: &str) -> Vec<String> {
    if secret.chars().count() < SHORTEST_DISGUISED {
        return Vec::new();
    }
    let escapes: [fn(char) -> String; 9] = [
        |c| format!("&#{};", u32::from(c)),
        |c| format!("&#x{:x};", u32::from(c)),
        |c| format!("&#x{:X};", u32::from(c)),
        json_escape,
        |c| json_escape(c).to_ascii_uppercase().replace('U', "u"),
        |c| by_byte(c, |byte| format!("\\x{byte:02x}")),
        |c| by_byte(c, |byte| format!("\\x{byte:02X}")),
        |c| by_byte(c, |byte| format!("%{byte:02x}")),
        |c| by_byte(c, |byte| format!("%{byte:02X}")),
    ];
    let mut forms = Vec::new();
    for escape in escapes {
        let unless_word = |c: char| match c.is_ascii_alphanumeric() {
            true => String::from(c),
            false => escape(c),
        };
        forms.push(secret.chars().map(unless_word).collect());
        forms.push(secret.chars().map(escape).collect());
    }
    forms.retain(|form| form != secret);
    forms
}

fn json_escape(c: char) -> String {
    let mut units = [0; 2];
    let units = c.encode_utf16(&mut units);
    units.iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

fn by_byte(c: char, escape: fn(u8) -> String) -> String {
    let bytes = String::from(c).into_bytes();
    bytes.into_iter().map(escape).collect()
}

/// As a shell prints or reads it: in single quotes, in double quotes, and bare with backslashes.
fn shell_forms(secret: &str) -> Vec<String> {
    let escaped = |special: fn(char) -> bool| {
        let mut out = String::with_capacity(secret.len() * 2);
        for c in secret.chars() {
            if special(c) {
                out.push('\\');
            }
            out.push(c);
        }
        out
    };
    vec![
        secret.replace('\'', "'\\''"),
        secret.replace('\'', "'\"'\"'"),
        escaped(|c| matches!(c, '"' | '$' | '`' | '\\')),
        escaped(|c| matches!(c, '"' | '$' | '`' | '\\' | '!')),
        escaped(|c| c.is_ascii() && !c.is_ascii_alphanumeric() && !"_-./:=@%+,".contains(c)),
        escaped(|c| c.is_ascii() && !c.is_ascii_alphanumeric() && !"_-./:".contains(c)),
    ]
}
