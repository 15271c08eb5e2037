//! The little base64 that masking needs: encoding a configured secret to know its disguises, and
//! decoding `Basic` credentials to see whether they are some. Both alphabets, padding optional.

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The base64 digits of `bytes`, without padding.
pub(super) fn encode(bytes: &[u8], url_safe: bool) -> String {
    let alphabet = if url_safe { URL_SAFE } else { STANDARD };
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0u32, |sum, byte| sum << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..=chunk.len() {
            let index = group >> (18 - 6 * digit) & 63;
            out.push(char::from(alphabet[index as usize]));
        }
    }
    out
}

/// The digits that every base64 text holding `bytes` at this offset (modulo 3) must contain: those
/// whose bits come from `bytes` alone.
pub(super) fn core(bytes: &[u8], offset: usize, url_safe: bool) -> String {
    let mut padded = vec![0; offset];
    padded.extend_from_slice(bytes);
    let digits = encode(&padded, url_safe);
    let first = (offset * 8).div_ceil(6);
    let whole = padded.len() * 8 / 6;
    digits.get(first..whole).unwrap_or_default().to_owned()
}

/// The bytes behind base64 text of either alphabet; none when a character or the length is
/// impossible.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if digits.len() % 4 == 1 {
        return None;
    }
    let mut out = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut group, mut bits) = (0u32, 0);
    for byte in digits.bytes() {
        group = group << 6 | u32::from(digit(byte)?);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((group >> bits & 255) as u8);
        }
    }
    Some(out)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_vectors() {
        assert_eq!(encode(b"foobar", false), "Zm9vYmFy");
        assert_eq!(encode(b"fo", false), "Zm8");
        assert_eq!(encode(&[0xfb, 0xff], true), "-_8");
        assert_eq!(decode("Zm9vYmE=").as_deref(), Some(&b"fooba"[..]));
        assert_eq!(decode("a"), None);
        assert_eq!(decode("a b c"), None);
    }

    #[test]
    fn the_core_is_in_every_text_that_holds_the_bytes() {
        for before in ["", "a", "ab", "abc", "user:"] {
            for after in ["", "z", "zz", "zzz"] {
                let whole = encode(format!("{before}hunter2{after}").as_bytes(), false);
                let core = core(b"hunter2", before.len() % 3, false);
                assert!(
                    core.len() >= 8 && whole.contains(&core),
                    "{whole} lacks {core}"
                );
            }
        }
    }
}
