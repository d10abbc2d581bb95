//! Room for records.

use std::fmt;
use std::str::FromStr;

/// Bytes of each CPU's ring: a power of two, and a page at least (`ringbuf_map_alloc()` in kernel/bpf/ringbuf.c).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingBytes(u32);

/// A page, 60 records: too small for any server under load.
const LEAST: u32 = 4 << 10;

/// Half a minute of the busiest CPU.
const MOST: u32 = 256 << 20;

/// All rings together, unless somebody says otherwise.
const TOGETHER: u32 = 64 << 20;

/// A ring is no larger by itself: it is read 20 times a second, and what has left the caches is dear to write.
const USUAL_MOST: u32 = 4 << 20;

/// Nor smaller: 8,000 records.
const USUAL_LEAST: u32 = 512 << 10;

impl RingBytes {
    /// For a machine with so many CPUs: 64 MiB in all, as far as each ring has room for half a second of a busy CPU.
    /// The kernel takes all of a ring's memory at once.
    pub fn for_cpus(cpus: u32) -> Self {
        let share = TOGETHER / cpus.max(1);
        // The greatest power of two that is not larger.
        Self((1 << share.max(1).ilog2()).clamp(USUAL_LEAST, USUAL_MOST))
    }

    /// Their number.
    pub fn get(self) -> u32 {
        self.0
    }

    /// The next larger size that may help, as far as there is one.
    pub fn larger(self) -> Self {
        Self(self.0.saturating_mul(4).clamp(USUAL_MOST, MOST))
    }
}

impl Default for RingBytes {
    /// For this machine.
    fn default() -> Self {
        let cpus = aya::util::online_cpus().map_or(1, |cpus| cpus.len());
        Self::for_cpus(u32::try_from(cpus).unwrap_or(u32::MAX))
    }
}

impl FromStr for RingBytes {
    type Err = String;

    /// `64K`, `4M` or bytes, with or without `iB`; units are powers of 1024.
    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || {
            format!(
                "write a power of two from {} to {}, such as 64K or 4M",
                Self(LEAST),
                Self(MOST)
            )
        };
        let number = text.strip_suffix("iB").unwrap_or(text);
        let (digits, power) = match number.strip_suffix(['K', 'k']) {
            Some(digits) => (digits, 10),
            None => number
                .strip_suffix(['M', 'm'])
                .map_or((number, 0), |digits| (digits, 20)),
        };
        let number: u32 = digits.parse().map_err(|_| refused())?;
        let bytes = number.checked_mul(1 << power).ok_or_else(refused)?;
        if bytes.is_power_of_two() && (LEAST..=MOST).contains(&bytes) {
            Ok(Self(bytes))
        } else {
            Err(refused())
        }
    }
}

impl fmt::Display for RingBytes {
    /// In the largest unit that leaves a whole number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= 1 << 20 => write!(f, "{}M", bytes >> 20),
            bytes => write!(f, "{}K", bytes >> 10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_shrink_where_there_are_many_cpus() {
        let mib = |cpus| f64::from(RingBytes::for_cpus(cpus).get()) / f64::from(1 << 20);
        assert_eq!([1, 16, 17, 64, 100].map(mib), [4.0, 4.0, 2.0, 1.0, 0.5]);
        assert_eq!(mib(4096), 0.5);
    }

    #[test]
    fn every_size_is_written_as_it_is_read() {
        for power in LEAST.ilog2()..=MOST.ilog2() {
            let size = RingBytes(1 << power);
            assert_eq!(size.to_string().parse(), Ok(size));
            assert_eq!(size.get().to_string().parse(), Ok(size));
        }
        assert_eq!("64KiB".parse(), Ok(RingBytes(64 << 10)));
    }

    #[test]
    fn what_the_kernel_would_refuse_is_refused() {
        for text in [
            "", "0", "K", "2K", "5000", "3M", "512M", "4096M", "-4K", "4 K", "4KB",
        ] {
            let error = text.parse::<RingBytes>().unwrap_err();
            assert!(error.contains("4K to 256M"), "{text}: {error}");
        }
    }

    #[test]
    fn a_larger_ring_is_one_that_may_be_asked_for() {
        for (given, larger) in [("4K", "4M"), ("4M", "16M"), ("128M", "256M"), ("256M", "256M")] {
            let given: RingBytes = given.parse().unwrap();
            assert_eq!(given.larger().to_string(), larger);
        }
    }
}
