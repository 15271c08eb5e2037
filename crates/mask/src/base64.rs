//! The base64 functions that masking needs: encoding a configured secret to search for its encoded
//! forms, and decoding `Basic` credentials to check them. Both alphabets, padding optional.

use ::base64::Engine as _;
use ::base64::alphabet;
use ::base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// As lenient as the programs that read such text.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_encode_padding(false)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// The base64 digits of `bytes`, without padding.
pub(super) fn encode(bytes: &[u8], url_safe: bool) -> String {
    let engine = if url_safe { URL_SAFE } else { STANDARD };
    engine.encode(bytes)
}

/// The digits that every base64 text with `bytes` at this offset (modulo 3) must contain: those
/// whose bits come from `bytes` alone.
pub(super) fn core(bytes: &[u8], offset: usize, url_safe: bool) -> String {
    let mut padded = vec![0; offset];
    padded.extend_from_slice(bytes);
    let digits = encode(&padded, url_safe);
    let first = (offset * 8).div_ceil(6);
    let whole = padded.len() * 8 / 6;
    digits.get(first..whole).unwrap_or_default().to_owned()
}

/// Decodes base64 of either alphabet or a mixture; `None` when a character or the length is
/// invalid.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    STANDARD
        .decode(digits.replace('-', "+").replace('_', "/"))
        .ok()
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
