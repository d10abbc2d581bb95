//! Plans and results that were damaged: they are read, or refused with a message.

use logtrace_report::parse_json;
use logtrace_testkit::fuzz::{config, damaged_json, damaged_text};
use proptest::prelude::*;

use crate::{BUILTIN, MeasurementResult, Plan, Scale, measurement_order};

/// `run.json` of a run with all parts.
const RUN: &str = include_str!("../../report/tests/data/run-schema-1.json");

fn plans() -> Vec<String> {
    BUILTIN
        .iter()
        .map(|builtin| builtin.plan().unwrap().text().to_owned())
        .collect()
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn a_plan_is_read_or_refused(text in damaged_text(plans()), seed in any::<u64>()) {
        let files = |name: &str| Err(format!("no file {name}"));
        match Plan::read("plan.toml", &text, &files) {
            Ok(plan) => {
                for scale in [Scale::Smoke, Scale::Quick, Scale::Full] {
                    let cells = plan.cells(scale);
                    prop_assert!(!cells.is_empty());
                    let order = measurement_order(cells, seed);
                    prop_assert!(order.len() >= cells.len());
                }
            }
            Err(error) => prop_assert!(error.to_string().starts_with("plan.toml"), "{error}"),
        }
    }

    #[test]
    fn figures_of_a_run_with_other_values_are_read(text in damaged_json([RUN])) {
        if let Ok(document) = parse_json(&text) {
            let _ = MeasurementResult::new(&document, &[], false);
        }
    }
}
