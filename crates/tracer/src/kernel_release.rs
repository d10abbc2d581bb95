//! The running kernel's version.

use std::fmt;

/// Major and minor version of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelRelease {
    /// The 6 of 6.18.
    pub major: u32,
    /// The 18 of 6.18.
    pub minor: u32,
}

impl KernelRelease {
    /// The oldest kernel whose `sched_switch` has the arguments that the kernel side reads (commit fa2c3254d7cf).
    pub const OLDEST: Self = Self { major: 5, minor: 18 };

    /// The kernel that runs.
    pub fn running() -> Option<Self> {
        Self::parse(rustix::system::uname().release().to_str().ok()?)
    }

    fn parse(release: &str) -> Option<Self> {
        let mut numbers = release.split(|c: char| !c.is_ascii_digit());
        let mut next = || numbers.next()?.parse().ok();
        Some(Self {
            major: next()?,
            minor: next()?,
        })
    }
}

impl fmt::Display for KernelRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_distributions_parse_and_compare() {
        let parse = |release| KernelRelease::parse(release).unwrap();
        assert!(parse("6.1.0-40-amd64") >= KernelRelease::OLDEST);
        assert!(parse("5.15.0-91-generic") < KernelRelease::OLDEST);
        assert!(parse("6.18.44-fc-v669") > parse("6.2-rc1"));
        assert_eq!(KernelRelease::parse("unknown"), None);
    }
}
