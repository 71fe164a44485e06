//! The encodings that a tile can be stored in beside gzip: brotli and zstd.
//!
//! Responsible for bytes that every client of RFC 7932 and RFC 8878 can unpack, the same for the
//! same tile, and for unpacking such bytes without believing them.

use super::reader::gunzip;
use super::writer::gzip;
use crate::tile::Encoding;
use std::io::Read;

/// Quality of stored brotli: on the world's tiles 9 is 0.3 % smaller and takes nine times as long.
const BROTLI_QUALITY: i32 = 5;

/// The largest window that every client has to offer is 2^24 - 16 bytes (RFC 7932, section 9.1);
/// tiles are smaller than the usual 2^22.
const BROTLI_WINDOW: i32 = 22;

/// The first seven bits of a stream whose window is larger than RFC 7932 allows.
const BROTLI_LARGE_WINDOW: u8 = 0b001_0001;

/// Level of stored zstd: the highest whose windows stay within the 8 MiB that RFC 9659 allows.
const ZSTD_LEVEL: i32 = 19;

/// The bytes of a tile in an encoding.
///
/// # Errors
/// When the compressor gives up, which takes an exhausted memory.
pub fn encode(encoding: Encoding, bytes: &[u8]) -> Result<Vec<u8>, String> {
    match encoding {
        Encoding::Identity => Ok(bytes.to_vec()),
        Encoding::Gzip => Ok(gzip(bytes)),
        Encoding::Brotli => brotli(bytes),
        Encoding::Zstd => zstd(bytes),
    }
}

/// The plain bytes of what [`encode`] made of at most `most` bytes.
///
/// # Errors
/// When the bytes are damaged or unpack to more.
pub fn decode(encoding: Encoding, bytes: &[u8], most: usize) -> Result<Vec<u8>, String> {
    let plain = match encoding {
        Encoding::Identity => bytes.to_vec(),
        Encoding::Gzip => gunzip(bytes)?,
        Encoding::Brotli => unbrotli(bytes, most)?,
        Encoding::Zstd => ::zstd::bulk::decompress(bytes, most).map_err(|e| e.to_string())?,
    };
    if plain.len() > most { Err(format!("unpacks to more than {most} bytes")) } else { Ok(plain) }
}

fn brotli(mut bytes: &[u8]) -> Result<Vec<u8>, String> {
    let parameters = ::brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW,
        size_hint: bytes.len(),
        ..Default::default()
    };
    let mut out = Vec::new();
    ::brotli::BrotliCompress(&mut bytes, &mut out, &parameters).map_err(|e| e.to_string())?;
    Ok(out)
}

fn unbrotli(bytes: &[u8], most: usize) -> Result<Vec<u8>, String> {
    if bytes.first().is_some_and(|first| first & 0x7f == BROTLI_LARGE_WINDOW) {
        return Err("its window is larger than clients allow".into());
    }
    let mut out = Vec::new();
    let mut stream = ::brotli::Decompressor::new(bytes, 4096).take(most as u64 + 1);
    stream.read_to_end(&mut out).map_err(|e| e.to_string())?;
    Ok(out)
}

fn zstd(bytes: &[u8]) -> Result<Vec<u8>, String> {
    thread_local! {
        static COMPRESSOR: std::cell::RefCell<Option<::zstd::bulk::Compressor<'static>>> =
            const { std::cell::RefCell::new(None) };
    }
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(::zstd::bulk::Compressor::new(ZSTD_LEVEL).map_err(|e| e.to_string())?),
        };
        compressor.compress(bytes).map_err(|e| e.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Encoding::{Brotli, Gzip, Identity, Zstd};
    use proptest::prelude::*;

    const ALL: [Encoding; 4] = [Identity, Gzip, Brotli, Zstd];

    #[test]
    fn what_unpacks_to_more_is_refused() {
        let plain = vec![7; 100_000];
        for encoding in ALL {
            let packed = encode(encoding, &plain).unwrap();
            assert_eq!(decode(encoding, &packed, plain.len()).as_ref(), Ok(&plain), "{encoding:?}");
            assert!(decode(encoding, &packed, plain.len() - 1).is_err(), "{encoding:?}");
        }
    }

    #[test]
    fn large_windows_are_refused() {
        // The usual start of such a stream: the mark, a zero bit, six bits of size.
        assert!(decode(Brotli, &[0x11, 0x1e, 0x03], 100).unwrap_err().contains("window"));
    }

    #[test]
    fn damaged_bytes_are_refused() {
        for encoding in [Gzip, Brotli, Zstd] {
            let packed = encode(encoding, b"a tile, a tile, a tile, a tile").unwrap();
            assert!(decode(encoding, &packed[..packed.len() - 1], 100).is_err(), "{encoding:?}");
            assert!(decode(encoding, b"", 100).is_err() || encoding == Zstd, "{encoding:?}");
        }
    }

    proptest! {
        #[test]
        fn packed_bytes_unpack_to_themselves(plain in prop::collection::vec(any::<u8>(), 0..2000)) {
            for encoding in ALL {
                let packed = encode(encoding, &plain).unwrap();
                prop_assert_eq!(&packed, &encode(encoding, &plain).unwrap(), "the same each time");
                prop_assert_eq!(decode(encoding, &packed, plain.len()), Ok(plain.clone()));
            }
        }

        #[test]
        fn noise_never_unpacks_to_too_much(noise in prop::collection::vec(any::<u8>(), 0..200)) {
            for encoding in [Gzip, Brotli, Zstd] {
                prop_assert!(decode(encoding, &noise, 1000).map_or(true, |plain| plain.len() <= 1000));
            }
        }
    }
}
