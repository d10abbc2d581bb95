//! Options of a plan, each with its line.

use logtrace_common::Flavor;
use logtrace_driver::FileError;
use toml::Value;

use crate::plan::plan_file::{PlanFile, listed};
use crate::plan::syntax::{Node, Table};

/// Options with a single value.
pub(crate) const PLAIN: [&str; 31] = [
    "server",
    "flavor",
    "workload",
    "compat",
    "point_selects",
    "simple_ranges",
    "sum_ranges",
    "order_ranges",
    "distinct_ranges",
    "index_updates",
    "non_index_updates",
    "delete_inserts",
    "range_size",
    "skip_trx",
    "protocol",
    "warehouses",
    "keying_times",
    "tables",
    "rows",
    "keys",
    "connections",
    "rate",
    "arrivals",
    "warmup",
    "duration",
    "repeats",
    "data_per_pool",
    "data",
    "detail",
    "sample",
    "stages",
];

/// Options that are tables with free names.
const FREE: [&str; 4] = ["settings", "session", "place", "queue"];

/// Option for the file system to make, and its keys.
const FILE_SYSTEM: (&str, [&str; 4]) = ("file_system", ["kind", "size", "mkfs", "mount"]);

/// Option of a plan.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlanOption {
    /// Name. Names in tables contain a point, such as `settings.sync_binlog`.
    pub(crate) key: String,
    /// Flavor of the servers that it is for, or `None` for both.
    pub(crate) flavor: Option<Flavor>,
    pub(crate) value: Value,
    pub(crate) line: usize,
}

impl PlanOption {
    /// Returns whether both options can apply to the same server.
    pub(crate) fn clashes(&self, other: &Self) -> bool {
        let meet = match (self.flavor, other.flavor) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        self.key == other.key && meet
    }

    /// Returns whether the option is for servers of this flavor.
    pub(crate) fn is_for(&self, flavor: Option<Flavor>) -> bool {
        self.flavor.is_none() || self.flavor == flavor
    }
}

/// Reads the options of a table, except for the keys in `own`, which are not options there.
pub(crate) fn options(
    source: &PlanFile<'_>,
    table: &Table,
    own: &[&str],
) -> Result<Vec<PlanOption>, FileError> {
    let mut found = Vec::new();
    for (key, node) in &table.0 {
        let name = key.get_ref().as_str();
        let line = source.line(key.span());
        if own.contains(&name) {
            continue;
        }
        match node.get_ref() {
            Node::Value(value) if PLAIN.contains(&name) => push(&mut found, source, name, None, value, line)?,
            Node::Value(value @ Value::String(_)) if name == FILE_SYSTEM.0 => {
                push(&mut found, source, "file_system.kind", None, value, line)?;
            }
            Node::Table(table) if name == FILE_SYSTEM.0 => file_system(&mut found, source, table)?,
            Node::Table(table) if FREE.contains(&name) => free(&mut found, source, name, table)?,
            Node::Table(_) if PLAIN.contains(&name) => {
                return Err(source.error_at(line, format!("{name} is not a table: write {name} = ...")));
            }
            Node::Value(_) if FREE.contains(&name) || name == FILE_SYSTEM.0 => {
                return Err(source.error_at(line, format!("{name} is a table: write {name}.NAME = ...")));
            }
            _ => return Err(unknown(source, name, line, own)),
        }
    }
    Ok(found)
}

fn unknown(source: &PlanFile<'_>, name: &str, line: usize, own: &[&str]) -> FileError {
    let tables = FREE.into_iter().chain([FILE_SYSTEM.0]);
    let known = own.iter().copied().chain(PLAIN).chain(tables);
    source.error_at(
        line,
        format!("unknown option {name}: choose one of {}", listed(known)),
    )
}

fn file_system(found: &mut Vec<PlanOption>, source: &PlanFile<'_>, table: &Table) -> Result<(), FileError> {
    let (name, known) = FILE_SYSTEM;
    for (key, node) in &table.0 {
        let line = source.line(key.span());
        match node.get_ref() {
            Node::Value(value) if known.contains(&key.get_ref().as_str()) => {
                let key = format!("{name}.{}", key.get_ref());
                push(found, source, &key, None, value, line)?;
            }
            _ => {
                let problem = format!("{name} has no {}: it takes {}", key.get_ref(), listed(known));
                return Err(source.error_at(line, problem));
            }
        }
    }
    Ok(())
}

/// Reads a table with free names, such as variables or classes of files. Variables may be for one flavor only.
fn free(
    found: &mut Vec<PlanOption>,
    source: &PlanFile<'_>,
    name: &str,
    table: &Table,
) -> Result<(), FileError> {
    let by_flavor = name == "settings" || name == "session";
    for (key, node) in &table.0 {
        let (word, line) = (key.get_ref().as_str(), source.line(key.span()));
        match (node.get_ref(), flavor(word)) {
            (Node::Table(table), flavor @ Some(_)) if by_flavor => {
                for (key, node) in &table.0 {
                    let line = source.line(key.span());
                    let Node::Value(value) = node.get_ref() else {
                        return Err(no_table(source, key.get_ref(), line));
                    };
                    push(found, source, &joined(name, key.get_ref()), flavor, value, line)?;
                }
            }
            (Node::Value(value), _) => push(found, source, &joined(name, word), None, value, line)?,
            (Node::Table(_), _) => return Err(no_table(source, word, line)),
        }
    }
    Ok(())
}

fn no_table(source: &PlanFile<'_>, name: &str, line: usize) -> FileError {
    source.error_at(line, format!("{name} is not a table: write {name} = ..."))
}

/// Returns the name of an option in a table. Names of variables with dashes and with underscores are equal.
fn joined(table: &str, key: &str) -> String {
    match table {
        "settings" | "session" => format!("{table}.{}", key.replace('-', "_").to_ascii_lowercase()),
        _ => format!("{table}.{key}"),
    }
}

/// Returns the flavor of this name.
pub(crate) fn flavor(word: &str) -> Option<Flavor> {
    let flavors = [Flavor::MySql, Flavor::MariaDb];
    flavors.into_iter().find(|flavor| flavor.as_str() == word)
}

fn push(
    found: &mut Vec<PlanOption>,
    source: &PlanFile<'_>,
    key: &str,
    flavor: Option<Flavor>,
    value: &Value,
    line: usize,
) -> Result<(), FileError> {
    let option = PlanOption {
        key: key.to_owned(),
        flavor,
        value: value.clone(),
        line,
    };
    if let Some(other) = found
        .iter()
        .find(|other| other.clashes(&option) && other.flavor == flavor)
    {
        let problem = format!("line {} sets {key} already: remove one of them", other.line);
        return Err(source.error_at(line, problem));
    }
    found.push(option);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::scale::Scale;
    use crate::plan::study_plan::Plan;

    const DOCUMENTATION: &str = include_str!("../../../../docs/plans.md");

    fn example() -> &'static str {
        let (_, after) = DOCUMENTATION.split_once("```toml\n").unwrap();
        after.split_once("```").unwrap().0
    }

    #[test]
    fn the_example_is_a_plan() {
        let plan = Plan::read("example.toml", example(), &|_| Err(String::new()));
        let plan = plan.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Scale::ALL.map(|scale| plan.cells(scale).len()), [9, 14, 14]);
        let slow = plan
            .cells(Scale::Full)
            .iter()
            .filter(|cell| cell.warmup.as_secs() == 30);
        assert_eq!(slow.count(), 5, "the change of a level");
        assert_eq!((plan.tables.len(), plan.published.len()), (2, 1));
    }

    #[test]
    fn options_and_figures_are_documented() {
        let tables = [
            "settings.",
            "session.",
            "place.",
            "queue.",
            "file_system",
            "mkfs",
            "mount",
        ];
        let figures = [
            "throughput_sd",
            "nopm",
            "commit.CLASS",
            "written.CLASS",
            "stalls",
            "stalled",
            "stage.NAME",
        ];
        for word in PLAIN.into_iter().chain(tables).chain(figures) {
            assert!(DOCUMENTATION.contains(&format!("`{word}")), "{word}");
        }
    }
}
