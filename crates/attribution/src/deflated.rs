//! Bytes as a short text: compressed (RFC 1951), in base64 (RFC 4648). Browsers read it with
//! `DecompressionStream("deflate-raw")`.

use std::io::{self, Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// Limit on the bytes that are read back: a text of a few bytes could stand for billions.
const MOST_BYTES: u64 = 64 << 20;

/// Returns bytes as a text.
pub fn deflated(bytes: &[u8]) -> io::Result<String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(BASE64.encode(encoder.finish()?))
}

/// Returns the bytes of a text, or `None` if it is not one of [`deflated`] or too long.
pub fn inflated(text: &str) -> Option<Vec<u8>> {
    let compressed = BASE64.decode(text).ok()?;
    let mut bytes = Vec::new();
    let mut decoder = DeflateDecoder::new(&compressed[..]).take(MOST_BYTES + 1);
    decoder.read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST_BYTES).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_read_back(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(inflated(&deflated(&bytes).unwrap()), Some(bytes));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[a-zA-Z0-9+/=]{0,40}") {
            let _ = inflated(&text);
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let bomb = vec![0; usize::try_from(MOST_BYTES).unwrap() + 1];
        assert_eq!(inflated(&deflated(&bomb).unwrap()), None);
        assert_eq!(inflated("%"), None);
    }
}
