//! Encryption of the password with the public key that a server sends (`caching_sha2_password`).

use mysql_common::crypto::rsa::{GetRandom, Pkcs1OaepPadding, PublicKey};
use num_bigint::BigUint;
use tokio_rustls::rustls::pki_types::SubjectPublicKeyInfoDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

/// Smallest and largest modulus in bytes: 1,024 to 8,192 bits.
const MODULUS_BYTES: std::ops::RangeInclusive<usize> = 128..=1024;

/// Largest exponent in bytes. Servers use 65,537.
const EXPONENT_BYTES: usize = 8;

/// Bytes of a block that the padding takes (RFC 8017, 7.1.1, with SHA-1).
const PADDING_BYTES: usize = 42;

/// Tags of DER values (X.690, 8).
mod tag {
    pub(super) const INTEGER: u8 = 0x02;
    pub(super) const BIT_STRING: u8 = 0x03;
    pub(super) const SEQUENCE: u8 = 0x30;
}

/// Encrypts a password. Returns `None` if the key is no RSA key in PEM, or too short for the password.
///
/// `mysql_common` panics at such keys, so the key is read here.
pub(crate) fn encrypted(password: &[u8], pem: &[u8]) -> Option<Vec<u8>> {
    let der = SubjectPublicKeyInfoDer::from_pem_slice(pem).ok()?;
    let key = rsa_key(&der)?;
    let room = key.num_octets().checked_sub(PADDING_BYTES)?;
    (password.len() <= room).then(|| key.encrypt_block(password, Pkcs1OaepPadding::new(GetRandom)))
}

/// Reads a `SubjectPublicKeyInfo` with an `RSAPublicKey` (RFC 5280, 4.1; RFC 8017, A.1.1).
fn rsa_key(der: &[u8]) -> Option<PublicKey> {
    let (info, _) = value(der, tag::SEQUENCE)?;
    let (_algorithm, rest) = value(info, tag::SEQUENCE)?;
    let (bits, _) = value(rest, tag::BIT_STRING)?;
    let [0, key @ ..] = bits else { return None };
    let (key, _) = value(key, tag::SEQUENCE)?;
    let (modulus, rest) = value(key, tag::INTEGER)?;
    let (exponent, _) = value(rest, tag::INTEGER)?;
    let (modulus, exponent) = (unsigned(modulus), unsigned(exponent));
    let is_sound = MODULUS_BYTES.contains(&modulus.len()) && (1..=EXPONENT_BYTES).contains(&exponent.len());
    is_sound.then(|| PublicKey::new(BigUint::from_bytes_be(modulus), BigUint::from_bytes_be(exponent)))
}

/// Splits DER into the contents of its first value, which must have this tag, and the rest.
fn value(der: &[u8], expected: u8) -> Option<(&[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (big_endian(length), rest)
        }
        _ => return None,
    };
    (tag == expected).then_some(())?;
    rest.split_at_checked(length)
}

/// Returns the number of at most four bytes.
fn big_endian(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .fold(0, |number: usize, &byte| number << 8 | usize::from(byte))
}

/// Returns an integer without its leading zeros.
fn unsigned(integer: &[u8]) -> &[u8] {
    let zeros = integer.iter().take_while(|&&byte| byte == 0).count();
    integer.get(zeros..).unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Key of 2,048 bits, made with `openssl genrsa 2048 | openssl rsa -pubout`.
    pub(crate) const KEY: &str = "\
-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAjezWhQlSGDCI2XlKFvuE
UTIVZDGxyGNzuiUQM/kElxunWFmVA2xLcNuFgkoXwp5MfLUCrCqOlS6V4PmBKMuV
sZNmetwc50/FII7tVAEsZ9DlpzKyVhWBWGpm0je3N3ILGQNezlpdjiv99YaRRdOs
MUJN+ztA5MFm2o7lEQL8n1WtiNyVfl4I4EWOd3I0JntwGE2cjgy5rGbpoFuQAEly
MXiMqN8zpO8epkLS5bJogRoao2L8vP2QCtpY5LhflGMS/BP0EVTEVaAbOMcdsNOY
Vi7VgnR9/4ErwTxdDT1RzfQ3twB50kXOAo7w/H7E48aP0x9lfAQpGVZU10jSm/d1
BwIDAQAB
-----END PUBLIC KEY-----
";

    #[test]
    fn a_password_is_encrypted_as_long_as_it_fits() {
        for length in [1, 214] {
            let block = encrypted(&vec![b'x'; length], KEY.as_bytes());
            assert_eq!(block.map(|block| block.len()), Some(256), "{length}");
        }
        assert_eq!(encrypted(&[b'x'; 215], KEY.as_bytes()), None);
    }

    #[test]
    fn keys_that_are_none_are_refused() {
        let mut lines = KEY.lines();
        let cut = |line: &str| KEY.replacen(line, "", 1);
        let (first, second) = (lines.next().unwrap(), lines.next().unwrap());
        let none = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n";
        for pem in ["", "no key", none, &cut(first), &cut(second)] {
            assert_eq!(encrypted(b"password\0", pem.as_bytes()), None, "{pem}");
        }
    }
}
