//! Variables that differ after others were set: the net under the table of companions.

use std::collections::BTreeMap;

use crate::settings::change::{ChangedVariable, OldValue};

/// Variables that servers change by themselves.
const MOVING: [&str; 4] = [
    // While transactions are run (`srv_conc_enter_innodb_with_atomics` in srv0conc.cc of MySQL).
    "innodb_thread_sleep_delay",
    // While events are skipped (`apply_event_and_update_pos` in rpl_replica.cc of MySQL).
    "sql_replica_skip_counter",
    "sql_slave_skip_counter",
    // MariaDB shrinks it when memory runs low (`buf_pool_t::garbage_collect` in buf0buf.cc).
    "innodb_buffer_pool_size",
];

/// Beginning of the names of positions, which each commit moves.
const POSITIONS: &str = "gtid_";

/// Variables that were changed and not asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OtherChanges {
    /// Other names of what was asked for: they had the same value before and have the same one now.
    pub(crate) aliases: Vec<ChangedVariable>,
    /// Changes that no rule explains.
    pub(crate) unexpected: Vec<ChangedVariable>,
}

impl OtherChanges {
    /// Compares `SHOW GLOBAL VARIABLES` before and after `noted` was set.
    pub(crate) fn between(
        before: &BTreeMap<String, String>,
        after: &BTreeMap<String, String>,
        noted: &[ChangedVariable],
    ) -> Self {
        let mut others = Self::default();
        for (name, old) in before {
            let Some(new) = after.get(name).filter(|new| *new != old) else {
                continue;
            };
            let is_noted = noted.iter().any(|change| change.name == *name);
            if is_noted || name.starts_with(POSITIONS) || MOVING.contains(&name.as_str()) {
                continue;
            }
            let is_same = |change: &ChangedVariable| {
                before.get(&change.name) == Some(old) && after.get(&change.name) == Some(new)
            };
            let change = ChangedVariable {
                name: name.clone(),
                old: OldValue::Shown(old.clone()),
                new: Some(new.clone()),
            };
            match noted.iter().any(is_same) {
                true => others.aliases.push(change),
                false => others.unexpected.push(change),
            }
        }
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::global_value::GlobalValue;

    #[test]
    fn other_names_of_a_variable_are_told_from_what_nobody_knows_of() {
        let map = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs
                .iter()
                .map(|&(name, value)| (name.into(), value.into()))
                .collect()
        };
        let before = [
            ("a", "1"),
            ("alias", "1"),
            ("b", "1"),
            ("gtid_executed", ""),
            ("same", "x"),
        ];
        let after = [
            ("a", "2"),
            ("alias", "2"),
            ("b", "7"),
            ("gtid_executed", "1"),
            ("same", "x"),
        ];
        let noted = ChangedVariable {
            name: "a".into(),
            old: OldValue::Read(GlobalValue::Number("1".into())),
            new: Some("2".into()),
        };
        let others = OtherChanges::between(&map(&before), &map(&after), &[noted]);
        let names = |changes: &[ChangedVariable]| changes.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&others.aliases), ["alias"]);
        assert_eq!(names(&others.unexpected), ["b"]);
        assert_eq!(others.unexpected[0].old_literal(), "1");
    }
}
