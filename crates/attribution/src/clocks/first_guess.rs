//! First guess of the difference of two clocks: requests vote for it.
//!
//! A request and a visit of its thread vote for the difference between their times. Wrong pairs vote for anything, right
//! pairs for the same value.

use logtrace_events::Request;

use super::error::ClockError;
use super::times::difference;
use super::visit_times::VisitTimes;

/// Largest difference between the dates of both machines.
const REACH_NS: i64 = 60_000_000_000;

/// Width of a bin of votes.
const BIN_NS: i64 = 25_000;

/// Numbers of adjacent bins that are taken together: the narrowest in which enough requests agree. A long way through the
/// network, or a fast drift of the clocks, spreads the votes.
const WIDTHS: [usize; 5] = [2, 4, 8, 16, 128];

/// Number of successive requests that vote. More would spread over the drift of the clocks.
const VOTERS: usize = 400;

/// Share of the votes of the best difference at which another one is as good. The date decides between them.
const AS_GOOD: f64 = 0.9;

/// Difference of two clocks to a few milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstGuess {
    /// Server's clock minus the client's.
    pub(super) offset_ns: i64,
    /// Largest error of the guess.
    pub(super) error_ns: i64,
    /// Index of the request in the middle of those that voted.
    pub(super) request: usize,
}

/// Returns the difference for which most requests in the middle of the run vote. `requests` are in the order of time.
pub(super) fn first_guess(
    requests: &[&Request],
    visits: &VisitTimes,
    guess_ns: i64,
) -> Result<FirstGuess, ClockError> {
    if visits.is_empty() {
        return Err(ClockError::OtherThreads(visits.threads()));
    }
    let start = requests.len().saturating_sub(VOTERS) / 2;
    let voters = &requests[start..requests.len().min(start + VOTERS)];
    let votes = votes(voters, visits, guess_ns - REACH_NS);
    let mut agreeing = 0;
    for width in WIDTHS {
        let winner = winner(&votes, width, voters.len());
        agreeing = agreeing.max(winner.votes);
        if let Some(bin) = winner.bin {
            let middle_ns = (2 * bin + width) as i64 * BIN_NS / 2;
            return Ok(FirstGuess {
                offset_ns: guess_ns - REACH_NS + middle_ns,
                error_ns: width as i64 * BIN_NS,
                request: start + voters.len() / 2,
            });
        }
    }
    Err(ClockError::NoAgreement {
        sample: voters.len(),
        agreeing,
    })
}

/// Returns the votes of each bin from `lowest_ns` on.
fn votes(voters: &[&Request], visits: &VisitTimes, lowest_ns: i64) -> Vec<u32> {
    let mut votes = vec![0u32; (2 * REACH_NS / BIN_NS) as usize];
    for request in voters {
        let from_ns = request.sent_ns.saturating_add_signed(lowest_ns);
        let until_ns = from_ns.saturating_add_signed(2 * REACH_NS);
        let thread = request.thread.unwrap_or(0);
        for &woken_ns in visits.wake_ups(thread, from_ns, until_ns) {
            let above_ns = difference(woken_ns, request.sent_ns) - lowest_ns;
            if let Some(bin) = usize::try_from(above_ns / BIN_NS)
                .ok()
                .and_then(|bin| votes.get_mut(bin))
            {
                *bin += 1;
            }
        }
    }
    votes
}

struct Winner {
    /// Number of votes beyond those of chance.
    votes: usize,
    /// First of the adjacent bins, or `None` if less than half of the voters agree.
    bin: Option<usize>,
}

/// Returns the `width` adjacent bins with the most votes; of bins that are as good those in the middle, where the date is
/// right.
fn winner(votes: &[u32], width: usize, voters: usize) -> Winner {
    let mut sum: u64 = votes[..width].iter().copied().map(u64::from).sum();
    let mut sums = vec![sum];
    for bin in width..votes.len() {
        sum = sum + u64::from(votes[bin]) - u64::from(votes[bin - width]);
        sums.push(sum);
    }
    // The mean of the bins near the middle is what chance gives: far away, the trace has no visits.
    let most = sums.iter().copied().max().unwrap_or(0) as f64;
    let best = sums.iter().position(|&sum| sum as f64 == most).unwrap_or(0);
    let near = &sums[best.saturating_sub(20 * width)..sums.len().min(best + 20 * width)];
    let chance = near.iter().sum::<u64>() as f64 / near.len().max(1) as f64;
    let agreeing = most - chance;
    let middle = votes.len() / 2;
    let as_good = |&(_, &sum): &(usize, &u64)| sum as f64 - chance >= AS_GOOD * agreeing;
    let nearest = sums
        .iter()
        .enumerate()
        .filter(as_good)
        .min_by_key(|(bin, _)| bin.abs_diff(middle));
    Winner {
        votes: agreeing as usize,
        bin: nearest
            .map(|(bin, _)| bin)
            .filter(|_| 2.0 * agreeing >= voters as f64),
    }
}
