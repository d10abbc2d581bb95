//! Tracing in bursts: tracing is on for a share of the time, and traces every commit then.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use humantime::{format_duration, parse_duration};

/// Share of the time that is traced, and length of a burst: `10%`, or with longer bursts `25%:2s`.
///
/// Half of the cost of tracing is traps into the kernel, which no program can make cheaper (docs/performance.md). So probes
/// are detached between bursts. Leaving out single commits would save little, and the members of a group cannot be
/// explained without their leader. A commit that takes longer than a burst is never seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Share of the time in per cent, from 1 to 100.
    percent: u8,
    burst: Duration,
}

/// Default length of a burst: hundreds of times the length of a commit, so that the edges of bursts cut few commits.
const BURST: Duration = Duration::from_millis(200);
/// Shortest burst. In a shorter one, attaching and detaching would take most of the time (50 ms for each uprobe).
const SHORTEST: Duration = Duration::from_millis(100);
/// Longest burst. It is longer than most windows: a user who wants more wants to trace everything.
const LONGEST: Duration = Duration::from_secs(60);

impl Sampling {
    /// The whole time.
    pub const ALL: Self = Self::of(100);

    /// A tenth of the time.
    pub const TENTH: Self = Self::of(10);

    const fn of(percent: u8) -> Self {
        Self {
            percent,
            burst: BURST,
        }
    }

    /// Returns whether nothing is traced some of the time.
    pub fn has_gaps(self) -> bool {
        self.percent < 100
    }

    /// Returns the length of a burst.
    pub fn burst(self) -> Duration {
        self.burst
    }

    /// Returns the same share of the time in bursts of this length, limited to the shortest and longest burst.
    #[must_use]
    pub fn in_bursts_of(self, burst: Duration) -> Self {
        Self {
            burst: burst.clamp(SHORTEST, LONGEST),
            ..self
        }
    }

    /// Returns the mean length of a burst and the gap after it.
    pub fn period(self) -> Duration {
        self.burst * 100 / u32::from(self.percent)
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self::ALL
    }
}

impl fmt::Display for Sampling {
    /// Writes the text that [`FromStr`] reads.
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
    fn share_is_a_whole_number_of_per_cent() {
        for text in ["1%", "10%", "100%"] {
            assert_eq!(parsed(text).unwrap().to_string(), text);
        }
        for text in ["0%", "101%", "10", "0.5%", "-1%", "%", ""] {
            assert!(parsed(text).unwrap_err().contains("per cent"), "{text}");
        }
        assert!(!Sampling::default().has_gaps());
    }

    #[test]
    fn burst_length_can_be_chosen() {
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
