//! How are numbers read from bytes that may end too early?

use crate::malformed::Malformed;

/// Reads little-endian and compressed numbers in order.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Offset of the first of the bytes in the file, for messages.
    base: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: usize) -> Reader<'a> {
        Reader { bytes, at: 0, base }
    }

    /// Number of bytes that are read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub(crate) fn error(&self, what: &'static str) -> Malformed {
        Malformed::at(what, self.base.saturating_add(self.at))
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let taken = self.rest().get(..count).ok_or_else(|| self.error("the data end too early"))?;
        self.at += count;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let array = self.rest().first_chunk().copied().ok_or_else(|| self.error("the data end too early"))?;
        self.at += N;
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Malformed> {
        self.array().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// An unsigned number in one, two or four bytes (ECMA-335, II.23.2).
    pub(crate) fn compressed(&mut self) -> Result<u32, Malformed> {
        Ok(self.compressed_with_width()?.0)
    }

    /// A signed number in one, two or four bytes: its sign is the lowest bit (ECMA-335, II.23.2).
    pub(crate) fn compressed_signed(&mut self) -> Result<i32, Malformed> {
        let (raw, bits) = self.compressed_with_width()?;
        let magnitude = (raw >> 1).cast_signed();
        Ok(if raw & 1 == 1 { magnitude - (1 << (bits - 1)) } else { magnitude })
    }

    /// A compressed number, and how many bits it could have had in its bytes.
    fn compressed_with_width(&mut self) -> Result<(u32, u32), Malformed> {
        let first = self.peek().ok_or_else(|| self.error("the data end too early"))?;
        Ok(if first & 0x80 == 0 {
            (u32::from(self.u8()?), 7)
        } else if first & 0x40 == 0 {
            (u32::from(u16::from_be_bytes(self.array()?)) & 0x3fff, 14)
        } else if first & 0x20 == 0 {
            (u32::from_be_bytes(self.array()?) & 0x1fff_ffff, 29)
        } else {
            return Err(self.error("a number's first byte has no meaning"));
        })
    }
}

/// Text in UTF-16 from its little-endian bytes; an odd last byte is dropped.
pub(crate) fn utf16(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], unsigned: u32, signed: i32) {
        assert_eq!(Reader::new(bytes, 0).compressed(), Ok(unsigned), "{bytes:x?}");
        assert_eq!(Reader::new(bytes, 0).compressed_signed(), Ok(signed), "{bytes:x?}");
    }

    /// The examples of ECMA-335, II.23.2.
    #[test]
    fn compressed_numbers() {
        check(&[0x06], 0x06, 3);
        check(&[0x7b], 0x7b, -3);
        check(&[0x7f], 0x7f, -1);
        check(&[0x01], 0x01, -64);
        check(&[0x80, 0x80], 0x80, 64);
        check(&[0x80, 0x01], 0x01, -8192);
        check(&[0xbf, 0xff], 0x3fff, -1);
        check(&[0xc0, 0x00, 0x40, 0x00], 0x4000, 8192);
        check(&[0xdf, 0xff, 0xff, 0xfe], 0x1fff_fffe, 268_435_455);
        check(&[0xc0, 0x00, 0x00, 0x01], 0x01, -268_435_456);
    }

    #[test]
    fn no_number() {
        for bytes in [&[][..], &[0x80], &[0xc0, 0, 0], &[0xe0, 0, 0, 0], &[0xff]] {
            assert!(Reader::new(bytes, 0).compressed().is_err(), "{bytes:x?}");
        }
    }
}
