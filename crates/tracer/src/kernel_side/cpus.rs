//! CPUs that are online.

use std::fs;
use std::io;

/// Returns the CPUs that are online.
pub(crate) fn online_cpus() -> io::Result<Vec<u32>> {
    let list = fs::read_to_string("/sys/devices/system/cpu/online")?;
    parse(list.trim())
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("{list:?} is no list of CPUs")))
}

/// Parses a list such as `0-3,5` (Documentation/admin-guide/cputopology.rst).
fn parse(list: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        cpus.extend(first.parse::<u32>().ok()?..=last.parse::<u32>().ok()?);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_single_cpus_are_read() {
        assert_eq!(parse("0"), Some(vec![0]));
        assert_eq!(parse("0-2,5,7-8"), Some(vec![0, 1, 2, 5, 7, 8]));
        assert_eq!([parse(""), parse("0-"), parse("x")], [None, None, None]);
    }
}
