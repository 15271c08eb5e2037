//! Opens PowerPoint presentations before 2007 that have a password.
//!
//! Every saved object is a block of its own, whose key is made from its number. The edits, the list
//! of places and the description of the encryption are not encrypted.

use super::doc::long;
use super::ppt_records::Saved;
use crate::document::Input;
use crate::document::encryption::Encrypted;
use crate::document::encryption::old_office::BlockKeys;
use crate::document::error::DocumentError;

/// The record that describes the encryption.
const DESCRIPTION: u16 = 0x2F14;
const RECORD_HEAD: usize = 8;

/// Decrypts the saved objects.
pub(super) fn open(
    bytes: &mut [u8],
    saved: &Saved,
    input: &Input<'_>,
) -> Result<(), DocumentError> {
    let description = saved
        .encryption
        .and_then(|number| saved.record(bytes, number))
        .filter(|record| record.kind == DESCRIPTION)
        .ok_or(Encrypted::OldOffice.not_supported())?;
    let keys = BlockKeys::open(description.data, input.hint.password.as_ref())?;
    for (number, place) in &saved.places {
        input.budget.check_time()?;
        if saved.encryption != Some(*number) {
            decrypt_object(bytes, *place, *number, &keys);
        }
    }
    Ok(())
}

/// Decrypts an object, whose length is encrypted, too.
fn decrypt_object(bytes: &mut [u8], place: usize, number: u32, keys: &BlockKeys) -> Option<()> {
    let object = bytes.get_mut(place..)?;
    let mut head = object.get(..RECORD_HEAD)?.to_vec();
    keys.decrypt_block(&mut head, number);
    let length = long(&head, 4)? as usize;
    let end = RECORD_HEAD.saturating_add(length).min(object.len());
    keys.decrypt_block(&mut object[..end], number);
    Some(())
}
