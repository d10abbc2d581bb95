//! Size of the file system of a private server.

use std::fmt;
use std::str::FromStr;

use crate::settings::value_match::integer;

/// Size of an image in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageSize(u64);

/// Least size for a server and its logs. All three file systems can be made this small.
const LEAST: ImageSize = ImageSize(1 << 30);

impl ImageSize {
    /// Returns the sum of several sizes.
    pub(crate) fn sum(sizes: impl Iterator<Item = Self>) -> Self {
        Self(sizes.fold(0, |sum, size| sum.saturating_add(size.0)))
    }

    /// Returns the size in bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl Default for ImageSize {
    /// Returns 4 GiB, enough for the tables and binary logs of some minutes.
    fn default() -> Self {
        Self(4 << 30)
    }
}

impl FromStr for ImageSize {
    type Err = String;

    /// Reads `4G`, `4GiB` or bytes. Units are powers of 1024, as on a server's command line.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix("iB").unwrap_or(text);
        let size = integer(number).and_then(|bytes| u64::try_from(bytes).ok());
        match size.map(Self) {
            None => Err(format!(
                "{text:?} is not a size: write a number and a unit, such as 4G or 1500M"
            )),
            Some(size) if size.0 < LEAST.0 => Err(format!(
                "{size} is too small: a server and its logs need at least {LEAST}"
            )),
            Some(size) => Ok(size),
        }
    }
}

impl fmt::Display for ImageSize {
    /// Writes the size in the largest unit that leaves an integer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(40, "T"), (30, "G"), (20, "M"), (10, "K")];
        let whole = |power: u32| self.0 != 0 && self.0.trailing_zeros() >= power;
        match units.into_iter().find(|&(power, _)| whole(power)) {
            Some((power, unit)) => write!(f, "{}{unit}", self.0 >> power),
            None => write!(f, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_are_read_in_the_usual_ways() {
        for text in ["4G", "4GiB", "4096M", "4294967296"] {
            assert_eq!(text.parse(), Ok(ImageSize::default()), "{text}");
        }
        for text in ["", "G", "-4G", "4GB", "4 G", "99999999E", "4.5G"] {
            let error = text.parse::<ImageSize>().unwrap_err();
            assert!(error.contains("is not a size"), "{text}: {error}");
        }
        let small = "10M".parse::<ImageSize>().unwrap_err();
        assert!(small.contains("10M") && small.contains("1G"), "{small}");
    }

    proptest! {
        #[test]
        fn a_size_is_written_as_it_is_read(bytes in LEAST.0..) {
            let size = ImageSize(bytes);
            prop_assert_eq!(size.to_string().parse(), Ok(size));
        }
    }
}
