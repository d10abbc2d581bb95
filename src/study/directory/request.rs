//! What a study was asked to do: the same again may go on in its directory, anything else may not.

use std::fmt;
use std::time::Duration;

use logtrace_study::Cell;
use serde::{Deserialize, Serialize};

/// What decides which turns a study has, and what each measures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// The plan's name.
    pub(crate) plan: String,
    /// The scale's name.
    pub(crate) scale: String,
    /// Seed of the data, of the order, and of arrivals and requests.
    pub(crate) seed: u64,
    /// Levels that were chosen, as `AXIS=LEVEL`; all others of these axes are left out.
    pub(crate) only: Vec<String>,
    /// What differs from the plan.
    pub(crate) overrides: Overrides,
}

/// What was typed instead of what the plan says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Overrides {
    /// Length of each window.
    pub(crate) duration: Option<Duration>,
    /// Load before each window.
    pub(crate) warmup: Option<Duration>,
    /// Measurements of each cell.
    pub(crate) repeats: Option<u32>,
}

impl Asked {
    /// What differs from an earlier study, in words; `None` where nothing does.
    pub(crate) fn differs(&self, earlier: &Self) -> Option<String> {
        let parts = [
            ("plan", self.plan == earlier.plan, earlier.plan.clone()),
            ("--scale", self.scale == earlier.scale, earlier.scale.clone()),
            ("--seed", self.seed == earlier.seed, earlier.seed.to_string()),
            ("--only", self.only == earlier.only, list(&earlier.only)),
            (
                "--duration, --warmup or --repeats",
                self.overrides == earlier.overrides,
                earlier.overrides.to_string(),
            ),
        ];
        let mut parts = parts.into_iter();
        let (what, _, was) = parts.find(|(_, is_same, _)| !is_same)?;
        Some(format!("another {what} (it was {was})"))
    }
}

impl Overrides {
    /// Changes a cell.
    pub(crate) fn apply(&self, cell: &mut Cell) {
        cell.duration = self.duration.unwrap_or(cell.duration);
        cell.warmup = self.warmup.unwrap_or(cell.warmup);
        cell.repeats = self.repeats.unwrap_or(cell.repeats);
    }
}

impl fmt::Display for Overrides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |length: Option<Duration>| Some(humantime::format_duration(length?).to_string());
        let parts = [
            ("--duration", time(self.duration)),
            ("--warmup", time(self.warmup)),
            ("--repeats", self.repeats.map(|repeats| repeats.to_string())),
        ];
        let parts = parts
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name} {}", value?)));
        f.write_str(&list(&parts.collect::<Vec<_>>()))
    }
}

fn list(texts: &[String]) -> String {
    match texts {
        [] => "none".to_owned(),
        texts => texts.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Asked {
        Asked {
            plan: "slow-log".into(),
            scale: "smoke".into(),
            seed: 1,
            only: Vec::new(),
            overrides: Overrides::default(),
        }
    }

    #[test]
    fn the_first_difference_is_told_with_what_it_was() {
        assert_eq!(asked().differs(&asked()), None);
        let other = Asked { seed: 2, ..asked() };
        assert_eq!(other.differs(&asked()).unwrap(), "another --seed (it was 1)");
        let earlier = Asked {
            only: vec!["server=mysql".into()],
            ..asked()
        };
        assert_eq!(
            asked().differs(&earlier).unwrap(),
            "another --only (it was server=mysql)"
        );
        let earlier = Asked {
            overrides: Overrides {
                duration: Some(Duration::from_secs(2)),
                repeats: Some(3),
                ..Default::default()
            },
            ..asked()
        };
        let told = asked().differs(&earlier).unwrap();
        assert!(told.contains("--duration 2s --repeats 3"), "{told}");
    }

    #[test]
    fn what_was_asked_is_read_back_as_it_was_written() {
        let text = serde_json::to_string(&asked()).unwrap();
        assert_eq!(serde_json::from_str::<Asked>(&text).unwrap(), asked());
    }
}
