//! Version of the running kernel.

use std::fmt;

/// Major and minor version of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelRelease {
    /// Major version: 6 in 6.18.
    pub major: u32,
    /// Minor version: 18 in 6.18.
    pub minor: u32,
}

impl KernelRelease {
    /// Oldest kernel that tests run on. Above it the number says nothing: what a kernel lacks is found when the kernel side
    /// is loaded (crates/tracer/bpf/older_kernels.h), because distributions bring new functions to old kernels. Below it
    /// no distribution has all that is needed.
    pub const OLDEST: Self = Self { major: 5, minor: 10 };

    /// Returns the version of the running kernel.
    pub fn running() -> Option<Self> {
        Self::parse(rustix::system::uname().release().to_str().ok()?)
    }

    pub(crate) fn parse(release: &str) -> Option<Self> {
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
        // Red Hat Enterprise Linux 9, with the eBPF of a much newer kernel, and 8.
        assert!(parse("5.14.0-570.12.1.el9_6.x86_64") >= KernelRelease::OLDEST);
        assert!(parse("4.18.0-553.el8_10.x86_64") < KernelRelease::OLDEST);
        assert!(parse("6.18.44-fc-v669") > parse("6.2-rc1"));
        assert_eq!(KernelRelease::parse("unknown"), None);
    }
}
