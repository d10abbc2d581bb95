//! Size of the rings.

use std::fmt;
use std::fs;
use std::str::FromStr;

use aya::util::online_cpus;

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
/// to write. A process maps a ring twice (kernel/bpf/ringbuf.c), and both count as its memory.
const USUAL_MOST: u32 = 2 << 20;

/// Smallest size that is proposed where records were lost: above all default sizes.
const LEAST_LARGER: u32 = 4 << 20;

/// Smallest default size of a ring where there is memory for it: 8,000 records.
const USUAL_LEAST: u32 = 512 << 10;

/// Smallest default size of a ring: 1,000 records.
const SCARCE_LEAST: u32 = 64 << 10;

/// Part of the available memory that all rings may take by default.
const SHARE_OF_MEMORY: u64 = 32;

impl RingBytes {
    /// Returns the default size for a number of CPUs and for the available memory in bytes: at most 2 MiB, a quarter of a
    /// second of the busiest CPU, and 64 MiB in all. With more than 128 CPUs it is more in all, up to a part of the available
    /// memory. The kernel allocates all of a ring at once.
    pub fn for_machine(cpus: u32, available_bytes: u64) -> Self {
        let cpus = cpus.max(1);
        let wanted = power_of_two(TOGETHER / cpus).clamp(USUAL_LEAST, USUAL_MOST);
        let affordable = available_bytes / SHARE_OF_MEMORY / u64::from(cpus);
        let affordable = power_of_two(u32::try_from(affordable).unwrap_or(u32::MAX));
        Self(wanted.min(affordable.max(SCARCE_LEAST)))
    }

    /// Returns the number of bytes.
    pub fn get(self) -> u32 {
        self.0
    }

    /// Returns the next larger size that may help, or the same size if there is none.
    pub fn larger(self) -> Self {
        Self(self.0.saturating_mul(4).clamp(LEAST_LARGER, MOST))
    }
}

impl Default for RingBytes {
    /// Returns the default size for this machine.
    fn default() -> Self {
        let cpus = online_cpus().map_or(1, |cpus| cpus.len());
        let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let available_bytes = available(&meminfo).unwrap_or(u64::MAX);
        Self::for_machine(u32::try_from(cpus).unwrap_or(u32::MAX), available_bytes)
    }
}

/// Returns the greatest power of two that is not larger than `number`; 1 for 0.
fn power_of_two(number: u32) -> u32 {
    1 << number.max(1).ilog2()
}

/// Returns the available memory in bytes by the text of `/proc/meminfo`.
fn available(meminfo: &str) -> Option<u64> {
    let mut lines = meminfo.lines();
    let kibibytes = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = kibibytes.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
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
        let mib = |cpus| f64::from(RingBytes::for_machine(cpus, 1 << 40).get()) / f64::from(1 << 20);
        assert_eq!([1, 32, 33, 64, 100].map(mib), [2.0, 2.0, 1.0, 1.0, 0.5]);
        assert_eq!(mib(4096), 0.5);
    }

    #[test]
    fn rings_take_no_more_than_a_part_of_the_available_memory() {
        const GIB: u64 = 1 << 30;
        let kib = |cpus, available| RingBytes::for_machine(cpus, available).get() >> 10;
        assert_eq!(kib(256, 64 * GIB), 512);
        // 128 MiB would be a sixteenth of 2 GiB.
        assert_eq!(kib(256, 2 * GIB), 256);
        assert_eq!(kib(1_024, 16 * GIB), 512);
        assert_eq!(kib(4_096, 16 * GIB), 128);
        assert_eq!(kib(4_096, 0), 64);
        for cpus in [1, 2, 255, 256, 257, 1_000, 4_096] {
            for available in [0, GIB, 3 * GIB, 50 * GIB, u64::MAX] {
                let bytes = RingBytes::for_machine(cpus, available).get();
                assert!(bytes.is_power_of_two() && (SCARCE_LEAST..=USUAL_MOST).contains(&bytes));
                let all = u64::from(bytes) * u64::from(cpus);
                assert!(
                    all <= available / SHARE_OF_MEMORY || bytes == SCARCE_LEAST,
                    "{cpus} {available}"
                );
            }
        }
    }

    #[test]
    fn the_available_memory_is_read() {
        let text = "MemTotal:       24000000 kB\nMemFree:  100 kB\nMemAvailable:   23000000 kB\n";
        assert_eq!(available(text), Some(23_000_000 * 1024));
        assert_eq!((available(""), available("MemAvailable: x kB")), (None, None));
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
