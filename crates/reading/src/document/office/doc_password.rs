//! Opens Word documents before 2007 that have a password.

use super::doc::long;
use crate::document::Input;
use crate::document::encryption::Encrypted;
use crate::document::encryption::old_office::BlockKeys;
use crate::document::error::DocumentError;

/// The flag for bytes that are mixed with the password instead of encrypted.
const MIXED: u16 = 0x8000;
/// Where the header says how long the description of the encryption is, with which the stream of
/// tables begins.
const DESCRIPTION_LENGTH: usize = 0x0E;
/// The start of the header is not encrypted.
const PLAIN_HEADER: usize = 0x44;
const BLOCK: usize = 512;

/// Decrypts the stream of the text and that of the tables.
pub(super) fn open(
    main: &mut [u8],
    table: &mut [u8],
    flags: u16,
    input: &Input<'_>,
) -> Result<(), DocumentError> {
    if flags & MIXED != 0 {
        return Err(Encrypted::OldOffice.not_supported());
    }
    let length = long(main, DESCRIPTION_LENGTH).ok_or(DocumentError::Broken)? as usize;
    let (description, tables) = table
        .split_at_mut_checked(length)
        .ok_or(DocumentError::Broken)?;
    let keys = BlockKeys::open(description, input.hint.password.as_ref())?;
    keys.stream(BLOCK).decrypt(tables, length);
    if let Some(text) = main.get_mut(PLAIN_HEADER..) {
        keys.stream(BLOCK).decrypt(text, PLAIN_HEADER);
    }
    Ok(())
}
