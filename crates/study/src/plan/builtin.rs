//! Studies that come with logtrace.

use logtrace_common::FileError;

use crate::plan::Plan;

/// Study that comes with logtrace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Name.
    pub name: &'static str,
    /// Text of the plan.
    pub text: &'static str,
}

macro_rules! builtin {
    ($name:literal) => {
        Builtin {
            name: $name,
            text: include_str!(concat!("../../../../studies/", $name, ".toml")),
        }
    };
}

/// Files of the workloads that the studies name.
const WORKLOADS: [(&str, &str); 2] = [
    (
        "redo-buffer-load.toml",
        include_str!("../../../../studies/redo-buffer-load.toml"),
    ),
    (
        "rotation-load.toml",
        include_str!("../../../../studies/rotation-load.toml"),
    ),
];

/// Studies that come with logtrace.
pub const BUILTIN: [Builtin; 10] = [
    builtin!("slow-log"),
    builtin!("query-log"),
    builtin!("binlog-fs"),
    builtin!("log-buffer"),
    builtin!("max-write"),
    builtin!("rotation"),
    builtin!("binlog-pool"),
    builtin!("commit-path"),
    builtin!("redo-wait"),
    builtin!("redo-buffer"),
];

/// Number of studies that repeat published ones: the first ones.
#[cfg(test)]
const REPEATED: usize = 7;

impl Builtin {
    /// Returns the study of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        BUILTIN.iter().find(|builtin| builtin.name == name)
    }

    /// Reads the plan. An error would be a bug of logtrace, which its tests find.
    pub fn plan(&self) -> Result<Plan, FileError> {
        Plan::read(&format!("studies/{}.toml", self.name), self.text, &workload)
    }
}

/// Returns the text of the file of this name.
fn workload(name: &str) -> Result<String, String> {
    let found = WORKLOADS.iter().find(|(known, _)| *known == name);
    let found = found.ok_or_else(|| format!("the studies of logtrace have no file {name}"));
    found.map(|(_, text)| (*text).to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::order::cost_estimate::CostEstimate;
    use crate::plan::scale::Scale;

    fn plans() -> Vec<Plan> {
        let plans = BUILTIN.iter().map(Builtin::plan).collect::<Result<Vec<_>, _>>();
        plans.unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn builtin_plans_have_their_names_and_numbers_of_cells() {
        let expected = [
            ("slow-log", [32, 48, 48]),
            ("query-log", [24, 52, 124]),
            ("binlog-fs", [20, 30, 90]),
            ("log-buffer", [12, 12, 12]),
            ("max-write", [28, 56, 252]),
            ("rotation", [4, 24, 24]),
            ("binlog-pool", [18, 18, 18]),
            ("commit-path", [16, 72, 120]),
            ("redo-wait", [4, 4, 4]),
            ("redo-buffer", [12, 12, 12]),
        ];
        assert_eq!(plans().len(), expected.len());
        for (at, (plan, (name, cells))) in plans().iter().zip(expected).enumerate() {
            assert_eq!(plan.name, name);
            assert_eq!(Scale::ALL.map(|scale| plan.cells(scale).len()), cells, "{name}");
            assert!(!plan.tables.is_empty());
            assert_eq!(!plan.published.is_empty(), at < REPEATED, "{name}");
        }
    }

    #[test]
    fn scales_take_their_time() {
        for plan in plans() {
            let smoke = CostEstimate::new(plan.cells(Scale::Smoke), 8);
            assert!(
                smoke.measurements <= 40,
                "{}: {} measurements",
                plan.name,
                smoke.measurements
            );
            assert!(
                smoke.measuring >= smoke.time.mul_f64(0.7),
                "{}: {smoke:?}",
                plan.name
            );
            let quick = CostEstimate::new(plan.cells(Scale::Quick), 8);
            assert!(quick.time < Duration::from_secs(3600), "{}: {quick:?}", plan.name);
        }
    }

    #[test]
    fn cells_of_tables_have_baselines_at_each_scale() {
        for plan in plans() {
            for (table, scale) in plan
                .tables
                .iter()
                .flat_map(|table| Scale::ALL.map(|scale| (table, scale)))
            {
                let cells: Vec<_> = plan.cells(scale).iter().filter(|cell| table.has(cell)).collect();
                assert!(!cells.is_empty(), "{} {}", plan.name, table.name);
                for cell in &cells {
                    let has = cells.iter().any(|other| table.is_baseline(other, cell));
                    assert!(has, "{} {} {scale}: {}", plan.name, table.name, cell.key);
                }
            }
        }
    }
}
