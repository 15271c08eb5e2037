//! Opens workbooks before 2007 that have a password.
//!
//! The data of records is encrypted, but not their kind and their length.

use super::biff::{record_ends, version};
use super::fields::Fields;
use crate::document::Input;
use crate::document::encryption::old_office::OldCipher;
use crate::document::error::DocumentError;

const PASSWORD: u16 = 0x002F;
const SHEET: u16 = 0x0085;
/// Records that are never encrypted: beginnings, locks and who has the file open.
const PLAIN: &[u16] = &[
    0x0009, 0x0209, 0x0409, 0x0809, PASSWORD, 0x00E1, 0x0138, 0x0194, 0x0195, 0x0196,
];
/// The password comes soon after the beginning, or not at all.
const FIRST_RECORDS: usize = 20;
const BLOCK: usize = 1_024;
const EXCEL_97: u16 = 0x0600;

/// The stream of a workbook, decrypted if it has a password.
pub(super) fn opened(mut bytes: Vec<u8>, input: &Input<'_>) -> Result<Vec<u8>, DocumentError> {
    let first = record_ends(&bytes).take(FIRST_RECORDS);
    let Some((_, place, end)) = first.into_iter().find(|(kind, _, _)| *kind == PASSWORD) else {
        return Ok(bytes);
    };
    let is_old = version(&bytes) < EXCEL_97;
    let cipher = cipher(&bytes[place..end], is_old, input)?;
    let records: Vec<(u16, usize, usize)> = record_ends(&bytes).collect();
    let encrypted = records
        .into_iter()
        .filter(|(kind, start, _)| *start > place && !PLAIN.contains(kind));
    let encrypted = encrypted.map(|(kind, start, end)| {
        // Where a sheet starts can be read without the password.
        let plain = if kind == SHEET { 4 } else { 0 };
        (start, end, plain.min(end - start))
    });
    match cipher {
        OldCipher::Rc4(keys) => {
            let mut stream = keys.stream(BLOCK);
            for (start, end, plain) in encrypted {
                stream.decrypt(&mut bytes[start + plain..end], start + plain);
            }
        }
        OldCipher::Xor(mask) => {
            for (start, end, plain) in encrypted {
                mask.apply(&mut bytes[start..end], start, plain);
            }
        }
    }
    Ok(bytes)
}

fn cipher(data: &[u8], is_old: bool, input: &Input<'_>) -> Result<OldCipher, DocumentError> {
    let mut fields = Fields(data);
    let password = input.hint.password.as_ref();
    let kind = match is_old {
        true => 0,
        false => fields.short().ok_or(DocumentError::Broken)?,
    };
    if kind != 0 {
        return OldCipher::open(fields.0, password);
    }
    match (fields.short(), fields.short()) {
        (Some(key), Some(verifier)) => OldCipher::open_xor(key, verifier, password),
        _ => Err(DocumentError::Broken),
    }
}
