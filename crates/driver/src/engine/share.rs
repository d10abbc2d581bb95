//! Division of a drive into shards.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use crate::config::DriveConfig;
use crate::schedule::pace::Pace;

/// Maximum number of threads per CPU for the connections of a closed loop.
const THREADS_PER_CPU: usize = 4;

/// One of several equal shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// Number of this share, from 0.
    pub(crate) number: usize,
    /// Number of shares.
    pub(crate) of: NonZeroUsize,
}

impl Share {
    /// The whole, as a single share.
    #[cfg(test)]
    pub(crate) const ALL: Self = Self {
        number: 0,
        of: NonZeroUsize::MIN,
    };

    /// Returns the shares of a drive.
    pub(crate) fn each(config: &DriveConfig) -> impl Iterator<Item = Self> + use<> {
        let of = threads(config);
        (0..of.get()).map(move |number| Self { number, of })
    }

    /// Returns the numbers from 0 to `things` that belong to this share: every `of`-th number.
    pub(crate) fn of(self, things: usize) -> impl Iterator<Item = usize> {
        (self.number..things).step_by(self.of.get())
    }
}

/// Returns the number of threads for the connections.
///
/// An open loop uses one thread, because the thread that waits for a due time also sends, on whichever connection is
/// idle. In a closed loop the connections are independent. As with sysbench, a connection with its own thread need not
/// wait for others; the number of threads is limited to a few times the number of CPUs.
///
/// Tried: one thread for a closed loop. Every answer waited for those before it, and no more than 90,000 requests a second
/// could be sent.
fn threads(config: &DriveConfig) -> NonZeroUsize {
    let cpus = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    match config.pace {
        Pace::Closed => {
            let most = cpus.get().saturating_mul(THREADS_PER_CPU);
            NonZeroUsize::new(most).map_or(cpus, |most| most.min(config.connections))
        }
        Pace::Open { .. } | Pace::Scheduled { .. } | Pace::Replayed(_) => NonZeroUsize::MIN,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn everything_is_somebodys_and_nobody_has_two_more_than_another(of in 1usize..20, things in 0usize..100) {
            let of = NonZeroUsize::new(of).unwrap();
            let shares: Vec<Vec<usize>> = (0..of.get())
                .map(|number| Share { number, of }.of(things).collect())
                .collect();
            let mut all: Vec<usize> = shares.iter().flatten().copied().collect();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..things));
            let sizes = shares.iter().map(Vec::len);
            prop_assert!(sizes.clone().max() <= sizes.min().map(|least| least + 1));
        }
    }
}
