//! The best way of the running kernel to place a probe in a process.

use std::io;
use std::sync::OnceLock;

use aya::sys::{UProbeMultiFeature, is_uprobe_multi_supported};

use crate::kernel_side::uprobes::Uprobes;

/// Returns the best way that the kernel has. It is tried once. A thread without rights finds that there is none but the
/// oldest: the first one has to have them.
pub(crate) fn best_uprobes() -> Uprobes {
    static KNOWN: OnceLock<Uprobes> = OnceLock::new();
    *KNOWN.get_or_init(|| best(is_uprobe_multi_supported))
}

/// Returns the best way of a kernel that has these features.
fn best(has: impl Fn(UProbeMultiFeature) -> io::Result<bool>) -> Uprobes {
    match has(UProbeMultiFeature::LinkCreation) {
        Ok(true) => Uprobes::Together {
            is_filtered: matches!(has(UProbeMultiFeature::ProcessScopedPidFilter), Ok(true)),
        },
        Ok(false) | Err(_) => Uprobes::Apart,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_release::KernelRelease;

    #[test]
    fn links_for_all_places_are_used_without_a_filter_too() {
        let kernel = |links: io::Result<bool>, filter: bool| {
            best(|feature| match (feature, &links) {
                (UProbeMultiFeature::LinkCreation, Ok(links)) => Ok(*links),
                (UProbeMultiFeature::LinkCreation, Err(error)) => Err(error.kind().into()),
                (UProbeMultiFeature::ProcessScopedPidFilter, _) => Ok(filter),
            })
        };
        let refused = Err(io::ErrorKind::PermissionDenied.into());
        assert_eq!(kernel(Ok(true), true), Uprobes::Together { is_filtered: true });
        assert_eq!(kernel(Ok(true), false), Uprobes::Together { is_filtered: false });
        assert_eq!(kernel(Ok(false), false), Uprobes::Apart);
        assert_eq!(kernel(refused, false), Uprobes::Apart);
    }

    mod needs_root {
        use super::*;

        #[test]
        fn the_way_is_that_of_the_kernels_release() {
            let release = KernelRelease::running().unwrap();
            let since = |minor| release >= KernelRelease { major: 6, minor };
            // Distributions may have taken it into an older kernel, and none has taken it out.
            match best_uprobes() {
                Uprobes::Apart => assert!(!since(6), "{release}"),
                Uprobes::Together { is_filtered } => assert!(is_filtered || !since(10), "{release}"),
            }
        }
    }
}
