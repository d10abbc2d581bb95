//! Tracing in bursts: a part of the time, in which every commit is traced.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use humantime::{format_duration, parse_duration};

/// How much of the time is traced, and how long at a time: `10%`, or in longer bursts `25%:2s`.
///
/// Half of what tracing costs are traps into the kernel that no program can make cheaper (docs/performance.md). Where
/// that is too much, only probes that are not there cost nothing. What takes longer than a burst is never seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// The share of the time, in per cent: from 1 to 100.
    percent: u8,
    burst: Duration,
}

/// Length of a burst where no other is chosen: hundreds of times that of a commit, so that few are cut by its edges.
const BURST: Duration = Duration::from_millis(200);
/// Of a shorter one the probes' coming and going would take the most (50 ms for each uprobe).
const SHORTEST: Duration = Duration::from_millis(100);
/// Longer than most windows: what is wanted there is everything traced.
const LONGEST: Duration = Duration::from_secs(60);

impl Sampling {
    /// Everything is traced.
    pub const ALL: Self = Self::of(100);

    /// A tenth.
    pub const TENTH: Self = Self::of(10);

    const fn of(percent: u8) -> Self {
        Self {
            percent,
            burst: BURST,
        }
    }

    /// Whether there are times in which nothing is traced.
    pub fn has_gaps(self) -> bool {
        self.percent < 100
    }

    /// How long a burst is.
    pub fn burst(self) -> Duration {
        self.burst
    }

    /// The same share of the time in longer bursts, or nearly so long where that is too long for one.
    #[must_use]
    pub fn in_bursts_of(self, burst: Duration) -> Self {
        Self {
            burst: burst.clamp(SHORTEST, LONGEST),
            ..self
        }
    }

    /// One burst and one gap take so long, on average.
    pub fn period(self) -> Duration {
        self.burst * 100 / u32::from(self.percent)
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self::ALL
    }
}

/// As it is typed.
impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { percent, burst } = *self;
        match burst {
            BURST => f.pad(&format!("{percent}%")),
            _ => f.pad(&format!("{percent}%:{}", format_duration(burst))),
        }
    }
}

impl FromStr for Sampling {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (share, burst) = match text.split_once(':') {
            Some((share, burst)) => (share, parse_duration(burst).ok()),
            None => (text, Some(BURST)),
        };
        let percent = share.strip_suffix('%').and_then(|number| number.parse().ok());
        let percent = percent.filter(|percent| (1..=100).contains(percent));
        let percent = percent.ok_or("write a share of the time in per cent, from 1% to 100%")?;
        let burst = burst.filter(|burst| (SHORTEST..=LONGEST).contains(burst));
        let burst =
            burst.ok_or("write the length of a burst after the colon, from 100ms to 60s, as in 25%:2s")?;
        Ok(Self { percent, burst })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Sampling, String> {
        text.parse()
    }

    #[test]
    fn a_share_is_a_whole_number_of_per_cent() {
        for text in ["1%", "10%", "100%"] {
            assert_eq!(parsed(text).unwrap().to_string(), text);
        }
        for text in ["0%", "101%", "10", "0.5%", "-1%", "%", ""] {
            assert!(parsed(text).unwrap_err().contains("per cent"), "{text}");
        }
        assert!(!Sampling::default().has_gaps());
    }

    #[test]
    fn a_burst_is_longer_where_that_is_asked_for() {
        let long = parsed("25%:2s").unwrap();
        assert_eq!(
            (long.burst(), long.period()),
            (Duration::from_secs(2), Duration::from_secs(8))
        );
        assert_eq!(long.to_string(), "25%:2s");
        assert_eq!(parsed("25%:200ms").unwrap(), parsed("25%").unwrap());
        assert_eq!(Sampling::TENTH.period(), Duration::from_secs(2));
        let quarter = parsed("25%").unwrap();
        assert_eq!(quarter.in_bursts_of(Duration::from_secs(2)), long);
        let longest = quarter.in_bursts_of(Duration::from_secs(600)).to_string();
        assert_eq!(parsed(&longest).unwrap().burst(), LONGEST, "{longest}");
        for text in [
            "25%:",
            "25%:2",
            "25%:0s",
            "25%:99ms",
            "25%:2m",
            ":2s",
            "25%:2s:2s",
        ] {
            assert!(parsed(text).is_err(), "{text}");
        }
    }
}
