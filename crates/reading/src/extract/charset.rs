//! Bytes to text.
//!
//! Servers and pages declare charsets that their bytes disprove, or none at all. So the bytes
//! decide first where they are unmistakable: a byte-order mark, the zeros of UTF-16, many
//! characters of valid UTF-8, which text in any other charset rarely forms by chance. Then the
//! header decides, then the page's own `meta`, and for bytes without a declaration a statistical
//! detector, whose guess is dropped where words make sense only in an older charset.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE};

use super::old_charsets;

/// Decoded text.
#[derive(Debug)]
pub struct Decoded {
    pub text: String,
    /// Whether bytes were replaced, or the declared charset was wrong.
    pub lossy: bool,
}

/// Decodes a body. `declared` is the charset of the Content-Type header.
pub fn decode(body: &[u8], declared: Option<&str>) -> Decoded {
    if let Some(encoding) = wide(body, declared) {
        let (text, _, lossy) = encoding.decode(body);
        return Decoded {
            text: text.into_owned(),
            lossy,
        };
    }
    let named = declared
        .and_then(|label| Encoding::for_label(label.trim().as_bytes()))
        .filter(|it| !is_wide(it));
    let claim = named.or_else(|| in_page(body));
    let encoding = narrow(body, claim);
    if claim.is_none()
        && encoding.is_single_byte()
        && let Some(text) = old_charsets::decoded(body, encoding)
    {
        return Decoded { text, lossy: false };
    }
    let (text, used, lossy) = encoding.decode(body); // the byte-order mark of UTF-8 overrules all of it
    let disproved = claim == Some(UTF_8) && used != UTF_8;
    Decoded {
        text: text.into_owned(),
        lossy: lossy || disproved,
    }
}

/// The charset of bytes that are not UTF-16, given the declared one.
fn narrow(body: &[u8], claim: Option<&'static Encoding>) -> &'static Encoding {
    let evidence = Utf8Evidence::count(body);
    match claim {
        Some(named) if named == UTF_8 && evidence.disproves() => detected(body),
        Some(named) if evidence.overrules(named) => UTF_8,
        Some(named) => named,
        None if evidence.is_clean() || evidence.convinces() => unmarked(body, &evidence),
        None => detected(body),
    }
}

/// UTF-8, unless it is pure ASCII with the escape sequences of ISO-2022-JP.
fn unmarked(body: &[u8], evidence: &Utf8Evidence) -> &'static Encoding {
    if evidence.valid == 0 && body.contains(&0x1B) {
        detected(body)
    } else {
        UTF_8
    }
}

/// How much in a body speaks for and against UTF-8.
struct Utf8Evidence {
    /// Well-formed characters beyond ASCII.
    valid: usize,
    /// Places that are not well formed.
    broken: usize,
}

impl Utf8Evidence {
    /// More than occur by chance in a short text of another charset.
    const MANY: usize = 8;

    fn count(body: &[u8]) -> Utf8Evidence {
        let leads = |bytes: &[u8]| bytes.iter().filter(|it| **it >= 0xC0).count();
        if std::str::from_utf8(body).is_ok() {
            return Utf8Evidence {
                valid: leads(body),
                broken: 0,
            };
        }
        let chunks = body.utf8_chunks().map(|it| {
            (
                leads(it.valid().as_bytes()),
                usize::from(!it.invalid().is_empty()),
            )
        });
        let (valid, broken) = chunks.fold((0, 0), |sums, it| (sums.0 + it.0, sums.1 + it.1));
        Utf8Evidence { valid, broken }
    }

    fn is_clean(&self) -> bool {
        self.broken == 0
    }

    /// Whether it is UTF-8 even with a few errors or a last character that was cut.
    fn convinces(&self) -> bool {
        self.valid >= Self::MANY && self.valid > 20 * self.broken
    }

    /// Whether it is UTF-8 whatever was declared. Two bytes of a multi-byte charset pass for UTF-8
    /// more easily than accented letters do, so against those it takes more.
    fn overrules(&self, named: &'static Encoding) -> bool {
        self.convinces() || (named.is_single_byte() && self.is_clean() && self.valid > 0)
    }

    /// Whether it is not UTF-8 whatever was declared.
    fn disproves(&self) -> bool {
        self.broken >= Self::MANY && self.broken > self.valid
    }
}

/// The most bytes given to the detector; it is too slow for a whole large page.
const DETECTED_BYTES: usize = 64 * 1_024;

/// The likeliest charset of bytes without a declaration.
fn detected(body: &[u8]) -> &'static Encoding {
    let from = body
        .iter()
        .position(|it| !it.is_ascii())
        .unwrap_or(0)
        .saturating_sub(2);
    let sample = &body[from..body.len().min(from + DETECTED_BYTES)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, from + sample.len() == body.len());
    match detector.guess(None, Utf8Detection::Allow) {
        guess if guess != ISO_2022_JP && is_shift_jis(sample) => SHIFT_JIS,
        guess => guess,
    }
}

/// Whether bytes are Shift_JIS for certain. The detector takes half-width katakana, which tables of
/// Japanese offices are full of, for another charset.
fn is_shift_jis(sample: &[u8]) -> bool {
    let (mut doubles, mut katakana) = (0_usize, 0_usize);
    let mut bytes = sample.iter().copied();
    while let Some(byte) = bytes.next() {
        let is_first = matches!(byte, 0x81..=0x84 | 0x88..=0x9F | 0xE0..=0xEE | 0xFA..=0xFC);
        if is_first && !is_second(bytes.next()) {
            return false;
        }
        match byte {
            // No other charset of East Asia begins common characters with these.
            0x81..=0x9F if is_first => doubles += 1,
            0xA1..=0xDF => katakana += 1,
            0x80.. if !is_first => return false,
            _ => {}
        }
    }
    doubles >= 4 && 4 * doubles >= katakana
}

/// Whether this can follow the first byte of a character of Shift_JIS. The sample may end within a
/// character.
fn is_second(byte: Option<u8>) -> bool {
    byte.is_none_or(|byte| matches!(byte, 0x40..=0x7E | 0x80..=0xFC))
}

fn is_wide(encoding: &'static Encoding) -> bool {
    [UTF_16LE, UTF_16BE].contains(&encoding)
}

/// The most bytes that are searched for the zeros of UTF-16.
const WIDE_BYTES: usize = 2_048;

/// The byte order of UTF-16, by its byte-order mark, by its zeros, or as declared where the bytes
/// allow it; `None` when it is not UTF-16.
pub(crate) fn wide(body: &[u8], declared: Option<&str>) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return Some(encoding).filter(|it| is_wide(it));
    }
    let start = &body[..body.len().min(WIDE_BYTES) / 2 * 2];
    let named = || {
        declared
            .and_then(|label| Encoding::for_label(label.trim().as_bytes()))
            .filter(|it| is_wide(it))
    };
    // Valid UTF-8 without zeros is not UTF-16, whatever was declared.
    by_zeros(start)
        .or_else(|| named().filter(|_| start.contains(&0) || std::str::from_utf8(body).is_err()))
}

/// The byte order in which the bytes are text: spaces, line ends and markup make every other byte
/// zero, on one side only.
fn by_zeros(start: &[u8]) -> Option<&'static Encoding> {
    let units = start.len() / 2;
    let (mut high_first, mut low_first) = (0, 0);
    for pair in start.chunks_exact(2) {
        match pair {
            [0, low] if is_plain(*low) => high_first += 1,
            [low, 0] if is_plain(*low) => low_first += 1,
            _ => {}
        }
    }
    let (encoding, many, few) = if low_first > high_first {
        (UTF_16LE, low_first, high_first)
    } else {
        (UTF_16BE, high_first, low_first)
    };
    (many >= 4
        && many * 10 >= units
        && few * 10 <= many
        && is_text(&encoding.decode_without_bom_handling(start).0, units))
    .then_some(encoding)
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')
}

/// Whether decoded bytes look like text. Tables of 16-bit numbers have zeros too, but decode to
/// controls and unassigned characters.
fn is_text(text: &str, units: usize) -> bool {
    let odd = |it: &char| {
        matches!(*it, '\u{E000}'..='\u{F8FF}' | char::REPLACEMENT_CHARACTER)
            || (it.is_control() && !it.is_whitespace())
    };
    // The last unit may be half a character.
    text.chars().filter(odd).count() <= 1 + units / 50
}

/// The most bytes that are searched for a declaration. Browsers look at the first kilobyte and
/// start again when one comes later.
const NAMED_BYTES: usize = 256 * 1_024;

/// The charset that a page declares in a `meta` element or in an XML declaration.
fn in_page(body: &[u8]) -> Option<&'static Encoding> {
    let start = &body[..body.len().min(NAMED_BYTES)];
    let mut at = 0;
    while let Some(open) = start[at..]
        .iter()
        .position(|it| *it == b'<')
        .map(|it| at + it)
    {
        let rest = &start[open..];
        let begins = |name: &[u8]| {
            rest.get(..name.len())
                .is_some_and(|it| it.eq_ignore_ascii_case(name))
        };
        at = match () {
            () if begins(b"<!--") => past(start, open + 4, b"-->"),
            () if begins(b"<script") => past(start, open, b"</script"),
            () if begins(b"<style") => past(start, open, b"</style"),
            () if begins(b"<meta") || (open == 0 && begins(b"<?xml")) => {
                let end = past(start, open, b">");
                let found = named_in(&start[open..end.min(open + 2_000)]);
                if found.is_some() {
                    return found;
                }
                end
            }
            () => open + 1,
        };
    }
    None
}

/// The index after the next occurrence of these bytes, ignoring case, or the end.
fn past(bytes: &[u8], from: usize, wanted: &[u8]) -> usize {
    let found = bytes.get(from..).and_then(|rest| {
        rest.windows(wanted.len())
            .position(|it| it.eq_ignore_ascii_case(wanted))
    });
    found.map_or(bytes.len(), |it| from + it + wanted.len())
}

/// The charset that one tag declares.
fn named_in(tag: &[u8]) -> Option<&'static Encoding> {
    let tag = String::from_utf8_lossy(tag).to_ascii_lowercase();
    let key = if tag.starts_with("<?xml") {
        "encoding"
    } else {
        "charset"
    };
    let after = &tag[tag.find(key)? + key.len()..];
    let value = after
        .trim_start()
        .strip_prefix('=')?
        .trim_start()
        .trim_start_matches(['"', '\'']);
    let end = value
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '>' | '/' | '?'))
        .unwrap_or(value.len());
    match Encoding::for_label(&value.as_bytes()[..end])? {
        // A page that is readable as ASCII up to here is not UTF-16.
        encoding if is_wide(encoding) => Some(UTF_8),
        encoding => Some(encoding),
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GBK, WINDOWS_1251};

    use super::*;

    const RUSSIAN: &str = "Съешь же ещё этих мягких французских булок, да выпей чаю.";
    const JAPANESE: &str = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";
    const CHINESE: &str = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。";
    const TAIWANESE: &str = "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心。";
    const KOREAN: &str = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.";

    fn encoded(encoding: &'static Encoding, text: &str) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    fn wide_bytes(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn the_header_decides_before_the_meta_element_and_the_bytes() {
        assert_eq!(decode(b"caf\xE9", Some("iso-8859-1")).text, "café");
        assert_eq!(
            decode(b"<meta charset='windows-1251'>\xCF\xF0", None).text,
            "<meta charset='windows-1251'>Пр"
        );
        assert_eq!(decode("日本".as_bytes(), None).text, "日本");
        assert_eq!(decode(b"\x93quoted\x94", None).text, "“quoted”");
        assert_eq!(decode(b"\xFF\xFEh\x00i\x00", Some("utf-8")).text, "hi");
    }

    #[test]
    fn unknown_names_and_broken_bytes_do_not_fail() {
        assert_eq!(decode(b"plain", Some("klingon")).text, "plain");
        assert_eq!(decode(b"", Some("utf-16")).text, "");
        assert!(decode(b"a\xFFb", Some("utf-8")).lossy);
    }

    #[test]
    fn undeclared_charsets_are_detected() {
        for (encoding, text) in [
            (WINDOWS_1251, RUSSIAN),
            (SHIFT_JIS, JAPANESE),
            (EUC_JP, JAPANESE),
            (ISO_2022_JP, JAPANESE),
            (GBK, CHINESE),
            (BIG5, TAIWANESE),
            (EUC_KR, KOREAN),
        ] {
            let page =
                format!("<html><head><title>x</title></head><body><p>{text}</p></body></html>");
            let decoded = decode(&encoded(encoding, &page), None);
            assert_eq!(
                (decoded.text.as_str(), decoded.lossy),
                (page.as_str(), false),
                "{}",
                encoding.name()
            );
        }
    }

    #[test]
    fn tables_of_half_width_katakana_are_shift_jis() {
        let rows = "01101,\"0600000\",\"ﾎｯｶｲﾄﾞｳ\",\"ｻｯﾎﾟﾛｼﾁｭｳｵｳｸ\",\"ｲｶﾆｹｲｻｲｶﾞﾅｲﾊﾞｱｲ\",\"北海道\",\"札幌市中央区\",\"以下に掲載がない場合\",0\r\n\
                    01101,\"0640941\",\"ﾎｯｶｲﾄﾞｳ\",\"ｻｯﾎﾟﾛｼﾁｭｳｵｳｸ\",\"ｱｻﾋｶﾞｵｶ\",\"北海道\",\"札幌市中央区\",\"旭ケ丘\",1\r\n";
        assert_eq!(decode(&encoded(SHIFT_JIS, rows), None).text, rows);
        for (encoding, text) in [(GBK, CHINESE), (EUC_KR, KOREAN), (BIG5, TAIWANESE)] {
            let rows = format!("1,\"{text}\"\r\n").repeat(3);
            assert_eq!(decode(&encoded(encoding, &rows), None).text, rows);
        }
    }

    #[test]
    fn a_late_declaration_counts_and_one_in_a_script_does_not() {
        let late = format!(
            "<html><head><style>{}</style><!-- <meta charset=gbk> -->",
            "a{b:c}".repeat(400)
        );
        let page = format!(
            "{late}<script charset=big5>'<meta charset=euc-kr>'</script><META http-equiv=x content='text/html; CHARSET=koi8-r'>Это"
        );
        let bytes = encoded(encoding_rs::KOI8_R, &page);
        assert_eq!(decode(&bytes, None).text, page);
    }

    #[test]
    fn valid_utf_8_overrules_a_declaration_even_with_an_error() {
        assert_eq!(
            decode("café “au lait”".as_bytes(), Some("iso-8859-1")).text,
            "café “au lait”"
        );
        assert_eq!(decode(RUSSIAN.as_bytes(), Some("gbk")).text, RUSSIAN);
        let page = format!("<meta charset=windows-1252>{}", JAPANESE.repeat(3));
        assert_eq!(decode(page.as_bytes(), None).text, page);
        let cut = [RUSSIAN.repeat(3).as_bytes(), b"\xD0"].concat();
        let decoded = decode(&cut, None);
        assert!(
            decoded.lossy && decoded.text.starts_with(RUSSIAN),
            "{}",
            decoded.text
        );
        // The bytes of one character in another charset may happen to be one in UTF-8.
        assert_eq!(decode(&encoded(GBK, "模"), Some("gbk")).text, "模");
    }

    #[test]
    fn a_wrong_declaration_of_utf_8_is_dropped_and_reported_as_lossy() {
        let decoded = decode(&encoded(WINDOWS_1251, RUSSIAN), Some("utf-8"));
        assert!(decoded.lossy);
        assert_eq!(decoded.text, RUSSIAN);
    }

    #[test]
    fn utf_16_is_recognised_by_its_zeros() {
        for text in [
            "<html><p>a page",
            "line one\nline two\n",
            &format!("\n\n<p>{RUSSIAN}</p>"),
            &format!("<html><body>{CHINESE}"),
        ] {
            for declared in [None, Some("utf-16"), Some("utf-8"), Some("iso-8859-1")] {
                assert_eq!(
                    decode(&wide_bytes(text, u16::to_le_bytes), declared).text,
                    text,
                    "{declared:?}"
                );
                assert_eq!(
                    decode(&wide_bytes(text, u16::to_be_bytes), declared).text,
                    text,
                    "{declared:?}"
                );
            }
        }
        assert_eq!(
            decode(&wide_bytes(CHINESE, u16::to_be_bytes), Some("utf-16be")).text,
            CHINESE
        );
        assert_eq!(
            decode(b"<p>plain bytes", Some("utf-16")).text,
            "<p>plain bytes"
        );
        let numbers: Vec<u8> = (0..600u16).flat_map(u16::to_le_bytes).collect();
        assert!(wide(&numbers, None).is_none());
        assert!(wide(&[0; 64], None).is_none());
    }
}
