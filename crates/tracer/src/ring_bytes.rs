//! Size of the rings.

use std::fmt;
use std::str::FromStr;

/// Size of each CPU's ring in bytes: a power of two, at least a page (`ringbuf_map_alloc()` in kernel/bpf/ringbuf.c).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingBytes(u32);

/// Smallest size: a page, 60 records. Too small for a server under load.
const LEAST: u32 = 4 << 10;

/// Largest size: half a minute of the busiest CPU.
const MOST: u32 = 256 << 20;

/// Default size of all rings together.
const TOGETHER: u32 = 64 << 20;

/// Largest default size of a ring. The reader empties it 20 times a second, and memory that has left the caches is slow
/// to write.
const USUAL_MOST: u32 = 4 << 20;

/// Smallest default size of a ring: 8,000 records.
const USUAL_LEAST: u32 = 512 << 10;

impl RingBytes {
    /// Returns the default size for a number of CPUs: 64 MiB in all, with half a second of a busy CPU in each ring. The
    /// kernel allocates all of a ring at once.
    pub fn for_cpus(cpus: u32) -> Self {
        let share = TOGETHER / cpus.max(1);
        // The greatest power of two that is not larger.
        Self((1 << share.max(1).ilog2()).clamp(USUAL_LEAST, USUAL_MOST))
    }

    /// Returns the number of bytes.
    pub fn get(self) -> u32 {
        self.0
    }

    /// Returns the next larger size that may help, or the same size if there is none.
    pub fn larger(self) -> Self {
        Self(self.0.saturating_mul(4).clamp(USUAL_MOST, MOST))
    }
}

impl Default for RingBytes {
    /// Returns the default size for this machine.
    fn default() -> Self {
        let cpus = aya::util::online_cpus().map_or(1, |cpus| cpus.len());
        Self::for_cpus(u32::try_from(cpus).unwrap_or(u32::MAX))
    }
}

impl FromStr for RingBytes {
    type Err = String;

    /// `64K`, `4M` or bytes, with or without `iB`; units are powers of 1024.
    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).ok_or_else(|| {
            let (least, most) = (Self(LEAST), Self(MOST));
            format!("write a power of two from {least} to {most}, such as 64K or 4M")
        })
    }
}

fn parse(text: &str) -> Option<RingBytes> {
    let text = text.strip_suffix("iB").unwrap_or(text);
    let (digits, unit) = text.split_at(text.find(['K', 'k', 'M', 'm']).unwrap_or(text.len()));
    let power = match unit {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        _ => return None,
    };
    let bytes = digits.parse::<u32>().ok()?.checked_mul(1 << power)?;
    (bytes.is_power_of_two() && (LEAST..=MOST).contains(&bytes)).then_some(RingBytes(bytes))
}

impl fmt::Display for RingBytes {
    /// Writes the size in the largest unit that gives a whole number.
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
