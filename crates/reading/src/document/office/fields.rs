//! The values in records of binary workbooks.

/// The fields of a record, read one after the other.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    pub(super) fn short(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    pub(super) fn long(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn number(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes)
    }

    /// As many bytes.
    pub(super) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// A text with its length in front of it. One that is not there is empty.
    pub(super) fn text(&mut self) -> Option<String> {
        let length = match self.long()? {
            u32::MAX => 0,
            length => length as usize,
        };
        let bytes = self.bytes(length.checked_mul(2)?)?;
        Some(utf_16(bytes))
    }
}

/// The text of UTF-16 bytes.
pub(super) fn utf_16(bytes: &[u8]) -> String {
    let units = bytes
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    char::decode_utf16(units)
        .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// A number in four bytes: a whole one or the upper half of a fraction, perhaps in hundredths.
pub(super) fn rk(packed: u32) -> f64 {
    let value = if packed & 2 == 2 {
        f64::from(packed as i32 >> 2)
    } else {
        f64::from_bits(u64::from(packed & !3) << 32)
    };
    if packed & 1 == 1 {
        value / 100.0
    } else {
        value
    }
}

pub(super) fn boolean(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

/// The text of an error by its number.
pub(super) fn error(code: u8) -> &'static str {
    match code {
        0x00 => "#NULL!",
        0x07 => "#DIV/0!",
        0x0F => "#VALUE!",
        0x17 => "#REF!",
        0x1D => "#NAME?",
        0x24 => "#NUM!",
        0x2B => "#GETTING_DATA",
        _ => "#N/A",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_four_bytes_are_unpacked() {
        assert_eq!(rk((7 << 2) | 2), 7.0);
        assert_eq!(rk(((-7_i32 << 2) as u32) | 2), -7.0);
        assert_eq!(rk((1234 << 2) | 3), 12.34);
        assert_eq!(rk((1.5_f64.to_bits() >> 32) as u32), 1.5);
    }
}
