//! Request of a study. A study can be resumed in its directory with the same request only.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cell::Cell;

/// Everything that decides the measurements of a study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyRequest {
    /// Name of the plan.
    pub plan: String,
    /// Name of the scale.
    pub scale: String,
    /// Seed of the data, the order, the arrivals and the requests.
    pub seed: u64,
    /// Chosen levels as `AXIS=LEVEL`. Other levels of these axes are left out.
    pub only: Vec<String>,
    /// Options that replace those of the plan.
    pub overrides: Overrides,
    /// CPUs of the servers and of logtrace, as `--cpus` has them. Empty if they share all.
    #[serde(default)]
    pub cpus: Vec<String>,
}

/// Options that replace those of the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overrides {
    /// Length of each window.
    pub duration: Option<Duration>,
    /// Load before each window.
    pub warmup: Option<Duration>,
    /// Number of repeats of each cell.
    pub repeats: Option<u32>,
}

impl StudyRequest {
    /// Describes the first difference from an earlier request, or returns `None` if there is none.
    pub(crate) fn difference(&self, earlier: &Self) -> Option<String> {
        let parts = [
            ("plan", self.plan == earlier.plan, earlier.plan.clone()),
            ("--scale", self.scale == earlier.scale, earlier.scale.clone()),
            ("--seed", self.seed == earlier.seed, earlier.seed.to_string()),
            ("--only", self.only == earlier.only, list(&earlier.only)),
            ("--cpus", self.cpus == earlier.cpus, list(&earlier.cpus)),
            (
                "--duration, --warmup or --repeats",
                self.overrides.continue_from(&earlier.overrides),
                earlier.overrides.to_string(),
            ),
        ];
        let mut parts = parts.into_iter();
        let (what, _, was) = parts.find(|(_, is_same, _)| !is_same)?;
        Some(format!("another {what} (it was {was})"))
    }
}

impl Overrides {
    /// Returns whether measurements with these options add to those with the earlier ones. More repeats do: they have servers
    /// and a random order of their own. A pilot does not see how noisy the next half hour is: turns of one plan differed by
    /// 9 and by 13 % on one machine within a day.
    fn continue_from(&self, earlier: &Self) -> bool {
        let repeats = self.repeats.max(earlier.repeats);
        *self == Self { repeats, ..*earlier }
    }

    /// Applies the options to a cell.
    pub fn apply(&self, cell: &mut Cell) {
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
pub(super) mod tests {
    use super::*;

    pub(in crate::runner::directory) fn request() -> StudyRequest {
        StudyRequest {
            plan: "slow-log".into(),
            scale: "smoke".into(),
            seed: 1,
            only: Vec::new(),
            overrides: Overrides::default(),
            cpus: Vec::new(),
        }
    }

    #[test]
    fn first_difference_names_the_earlier_value() {
        assert_eq!(request().difference(&request()), None);
        let other = StudyRequest { seed: 2, ..request() };
        assert_eq!(other.difference(&request()).unwrap(), "another --seed (it was 1)");
        let earlier = StudyRequest {
            only: vec!["server=mysql".into()],
            ..request()
        };
        assert_eq!(
            request().difference(&earlier).unwrap(),
            "another --only (it was server=mysql)"
        );
        let other = StudyRequest {
            cpus: vec!["server=0".into(), "client=1".into()],
            ..request()
        };
        assert_eq!(
            request().difference(&other).unwrap(),
            "another --cpus (it was server=0 client=1)"
        );
        let earlier = StudyRequest {
            overrides: Overrides {
                duration: Some(Duration::from_secs(2)),
                repeats: Some(3),
                ..Default::default()
            },
            ..request()
        };
        let difference = request().difference(&earlier).unwrap();
        assert!(difference.contains("--duration 2s --repeats 3"), "{difference}");
    }

    #[test]
    fn repeats_can_be_added_but_not_taken_away() {
        let repeats = |repeats| {
            let overrides = Overrides {
                repeats,
                ..Default::default()
            };
            StudyRequest {
                overrides,
                ..request()
            }
        };
        let is_refused = |now, earlier| repeats(now).difference(&repeats(earlier)).is_some();
        for (now, earlier) in [
            (None, None),
            (Some(3), None),
            (Some(3), Some(3)),
            (Some(4), Some(3)),
        ] {
            assert!(!is_refused(now, earlier), "{now:?} after {earlier:?}");
        }
        assert!(is_refused(Some(2), Some(3)) && is_refused(None, Some(3)));
    }

    #[test]
    fn request_survives_writing_and_reading() {
        let text = serde_json::to_string(&request()).unwrap();
        assert_eq!(serde_json::from_str::<StudyRequest>(&text).unwrap(), request());
    }
}
