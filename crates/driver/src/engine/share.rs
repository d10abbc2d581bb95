//! Which part of a drive is whose.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use crate::config::DriveConfig;
use crate::schedule::pace::Pace;

/// Threads a CPU that the connections of a closed loop are spread over at most.
const THREADS_PER_CPU: usize = 4;

/// One of so many equal parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// From 0.
    pub(crate) number: usize,
    /// How many there are.
    pub(crate) of: NonZeroUsize,
}

impl Share {
    /// All of it.
    #[cfg(test)]
    pub(crate) const ALL: Self = Self {
        number: 0,
        of: NonZeroUsize::MIN,
    };

    /// All shares of a drive.
    pub(crate) fn each(config: &DriveConfig) -> impl Iterator<Item = Self> + use<> {
        let of = threads(config);
        (0..of.get()).map(move |number| Self { number, of })
    }

    /// Every so-manieth of some things that are numbered from 0.
    pub(crate) fn of(self, things: usize) -> impl Iterator<Item = usize> {
        (self.number..things).step_by(self.of.get())
    }
}

/// Threads for the connections.
///
/// In an open loop the thread that waits for a due time also sends, whichever connection is idle: there is one. In a
/// closed loop each connection goes its own way, and with a thread of its own, like sysbench's, it need not wait until
/// others have been served; there are no more than a few times what can run at once.
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
