//! Protocol Buffers framing: varints, tags and length-delimited fields (encoding, version 2/3).

use super::Error;

/// Varint: seven bits a byte, lowest first.
pub(super) fn put_varint(out: &mut Vec<u8>, mut v: u64) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

/// A field that holds a varint.
pub(super) fn put_number(out: &mut Vec<u8>, field: u8, v: u64) {
    out.push(field << 3);
    put_varint(out, v);
}

/// A field that holds bytes.
pub(super) fn put_bytes(out: &mut Vec<u8>, field: u8, bytes: &[u8]) {
    out.push(field << 3 | 2);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Small magnitudes of either sign to small numbers.
pub(super) const fn zigzag(v: i64) -> u64 {
    ((v << 1) ^ (v >> 63)) as u64
}

/// Undoes [`zigzag`].
pub(super) const fn unzigzag(v: u64) -> i64 {
    (v >> 1) as i64 ^ -((v & 1) as i64)
}

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
    Fixed64(u64),
}

/// Walks the fields of one message.
#[derive(Clone)]
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    /// Where `bytes` starts in the whole tile, for error messages.
    pub offset: usize,
}

impl<'a> Fields<'a> {
    pub(super) const fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self { bytes, offset }
    }

    /// The next field and its number; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Field<'a>)>, Error> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let at = self.offset;
        let key = self.varint()?;
        let field = match key & 7 {
            0 => Field::Varint(self.varint()?),
            1 => Field::Fixed64(u64::from_le_bytes(self.take_array(at)?)),
            2 => {
                let length = self.varint()?;
                Field::Bytes(self.take(usize::try_from(length).unwrap_or(usize::MAX), at)?)
            }
            5 => Field::Fixed32(u32::from_le_bytes(self.take_array(at)?)),
            _ => return Err(Error::at(at, "unknown wire type")),
        };
        if key >> 3 == 0 {
            return Err(Error::at(at, "field number 0"));
        }
        Ok(Some((key >> 3, field)))
    }

    /// The next bare varint, as in packed fields.
    pub(super) fn varint(&mut self) -> Result<u64, Error> {
        let mut v = 0u64;
        for (i, &b) in self.bytes.iter().take(10).enumerate() {
            v |= u64::from(b & 0x7f) << (7 * i);
            if b < 0x80 {
                if i == 9 && b > 1 {
                    break;
                }
                self.bytes = &self.bytes[i + 1..];
                self.offset += i + 1;
                return Ok(v);
            }
        }
        Err(Error::at(self.offset, "unfinished or too long varint"))
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn take(&mut self, length: usize, at: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) =
            self.bytes.split_at_checked(length).ok_or_else(|| Error::at(at, "field runs past the end"))?;
        self.bytes = rest;
        self.offset += length;
        Ok(taken)
    }

    fn take_array<const N: usize>(&mut self, at: usize) -> Result<[u8; N], Error> {
        self.take(N, at)?.try_into().map_err(|_| Error::at(at, "field runs past the end"))
    }
}
