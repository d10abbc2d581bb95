//! Comparison of what was put in with what reports gain; pure.

use std::collections::BTreeMap;
use std::time::Duration;

use logtrace_attribution::cause::Cause;
use logtrace_report::document::Document;

use crate::load::Answered;

/// One window of the load: its report, and what the client saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadReport {
    /// Causes with their nanoseconds.
    pub causes: Vec<(Cause, f64)>,
    /// Statements in the report.
    pub statements: u64,
    /// Statements of the load that were answered.
    pub answered: Answered,
}

impl LoadReport {
    /// Creates a window from its report.
    pub fn new(document: &Document, time: Time, answered: Answered) -> Self {
        let commits = document.causes.iter().map(|row| (row.cause, row.total as f64));
        let statements = document.statements.iter().filter(|_| time == Time::All);
        let statements = statements.flat_map(|statements| &statements.causes);
        let statements = statements.map(|row| (row.cause, row.total as f64));
        Self {
            causes: commits.chain(statements).collect(),
            statements: document
                .statements
                .as_ref()
                .map_or(0, |statements| statements.count),
            answered,
        }
    }
}

/// Time of a report that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Commits, and statements outside of them.
    All,
    /// Commits, because another session's statements take time as well.
    Commits,
}

/// Time that was put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Nanoseconds that are known from who put them in, or from the kernel's own count.
    Known(u64),
    /// Growth of the statements' time by the client's clock.
    ByClient,
}

impl Amount {
    /// Returns the amount over that of a window without the cause, scaled.
    pub fn over(self, base: Self, scale: f64) -> Self {
        match (self, base) {
            (Self::Known(with), Self::Known(without)) => {
                Self::Known(with.saturating_sub((scale * without as f64) as u64))
            }
            _ => self,
        }
    }
}

impl From<Duration> for Amount {
    fn from(time: Duration) -> Self {
        Self::Known(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }
}

/// Pair of windows, without a cause and with it.
#[derive(Clone, Debug)]
pub struct CausePair {
    /// Window without the cause.
    pub without: LoadReport,
    /// Window with the cause.
    pub with: LoadReport,
    /// Time that was put in.
    pub amount: Amount,
}

/// Gain of a report, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gain {
    /// Time that was put in.
    pub put_in: f64,
    /// Time that the statements took longer by the client's clock.
    pub by_client: f64,
    /// Time that the expected causes gained.
    pub found: f64,
    /// Time that all causes gained.
    pub all: f64,
    /// Gains of the other causes by name; losses are negative.
    pub others: BTreeMap<String, f64>,
}

impl Gain {
    /// Returns the gain of the window with the cause over the window without it. The time of a cause in the window without is
    /// scaled to the number of statements in the window with it.
    pub fn of(pair: &CausePair, is_expected: impl Fn(&Cause) -> bool) -> Self {
        let CausePair {
            without,
            with,
            amount,
        } = pair;
        let by_client =
            with.answered.total_ns as f64 - pair.client_scale() * without.answered.total_ns as f64;
        let scale = with.statements as f64 / without.statements.max(1) as f64;
        let mut gain = Self {
            put_in: match *amount {
                Amount::Known(nanoseconds) => nanoseconds as f64,
                Amount::ByClient => by_client,
            },
            by_client,
            ..Self::default()
        };
        let before = without.causes.iter().map(|&(cause, ns)| (cause, -scale * ns));
        for (cause, nanoseconds) in with.causes.iter().copied().chain(before) {
            gain.all += nanoseconds;
            if is_expected(&cause) {
                gain.found += nanoseconds;
            } else {
                *gain.others.entry(name(&cause)).or_default() += nanoseconds;
            }
        }
        gain
    }

    /// Returns the share of the time put in that the expected causes gained.
    pub fn share_found(&self) -> f64 {
        self.found / self.put_in
    }

    /// Returns the share of the time put in that all other causes together gained.
    pub fn share_elsewhere(&self) -> f64 {
        (self.all - self.found) / self.put_in
    }
}

impl Gain {
    /// Returns the other cause that gained most, with its share of the time put in.
    pub fn largest_other(&self) -> Option<(&str, f64)> {
        let others = self
            .others
            .iter()
            .map(|(name, ns)| (name.as_str(), ns / self.put_in));
        others.max_by(|(_, a), (_, b)| a.total_cmp(b))
    }
}

impl CausePair {
    /// Returns how many statements the client had answered with the cause for each one without it.
    pub fn client_scale(&self) -> f64 {
        self.with.answered.per(self.without.answered)
    }
}

/// Adds up the gains of several pairs.
pub fn sum(gains: impl IntoIterator<Item = Gain>) -> Gain {
    gains.into_iter().fold(Gain::default(), |mut sum, gain| {
        sum.put_in += gain.put_in;
        sum.by_client += gain.by_client;
        sum.found += gain.found;
        sum.all += gain.all;
        for (name, nanoseconds) in gain.others {
            *sum.others.entry(name).or_default() += nanoseconds;
        }
        sum
    })
}

/// Returns the name of a cause without who worked.
fn name(cause: &Cause) -> String {
    match cause.io {
        Some((class, op)) => format!("{class} {op}, {}", cause.wait),
        None => cause.wait.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::cause::{Wait, Who};

    use super::*;

    fn cause(wait: Wait) -> Cause {
        Cause {
            who: Who::Own,
            io: None,
            wait,
        }
    }

    fn window(statements: u64, causes: &[(Wait, f64)]) -> LoadReport {
        LoadReport {
            causes: causes.iter().map(|&(wait, ns)| (cause(wait), ns)).collect(),
            statements,
            answered: Answered {
                count: statements,
                total_ns: 100 * statements,
            },
        }
    }

    fn gain(amount: Amount) -> Gain {
        let pair = CausePair {
            without: window(100, &[(Wait::OnCpu, 1_000.0), (Wait::RowLock, 10.0)]),
            with: window(
                50,
                &[(Wait::OnCpu, 520.0), (Wait::RowLock, 905.0), (Wait::Client, 40.0)],
            ),
            amount,
        };
        Gain::of(&pair, |cause| cause.wait == Wait::RowLock)
    }

    #[test]
    fn a_window_is_compared_by_statement() {
        let gain = gain(Amount::Known(1_000));
        assert_eq!((gain.found, gain.all), (900.0, 960.0));
        assert_eq!((gain.share_found(), gain.share_elsewhere()), (0.9, 0.06));
        assert_eq!(gain.largest_other(), Some(("client", 0.04)));
    }

    #[test]
    fn the_client_sees_how_much_longer_statements_take() {
        assert_eq!(gain(Amount::ByClient).put_in, 0.0);
    }

    #[test]
    fn gains_of_windows_add_up() {
        let all = sum([gain(Amount::Known(1_000)), gain(Amount::Known(1_000))]);
        assert_eq!((all.put_in, all.found), (2_000.0, 1_800.0));
        assert_eq!(all.others["on CPU"], 40.0);
    }

    #[test]
    fn an_amount_is_over_that_of_the_window_without_the_cause() {
        let over = |with, without| Amount::Known(with).over(Amount::Known(without), 0.5);
        assert_eq!(over(100, 40), Amount::Known(80));
        assert_eq!(over(10, 40), Amount::Known(0));
        assert_eq!(Amount::ByClient.over(Amount::Known(40), 0.5), Amount::ByClient);
    }
}
