//! Options of a plan, each with its line.

use std::ops::Range;

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

/// Option for the file system to make.
const FILE_SYSTEM: &str = "file_system";

/// Keys of the file system.
const FILE_SYSTEM_KEYS: [&str; 4] = ["kind", "size", "mkfs", "mount"];

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

/// Value or empty table in a table of options.
struct Leaf<'a> {
    path: Vec<&'a str>,
    value: Option<&'a Value>,
    /// Range of the last key in the file.
    span: Range<usize>,
}

/// Reads the options of a table, except for the keys in `own`, which are not options there.
pub(crate) fn options(
    source: &PlanFile<'_>,
    table: &Table,
    own: &[&str],
) -> Result<Vec<PlanOption>, FileError> {
    let (mut leaves, mut found) = (Vec::new(), Vec::<PlanOption>::new());
    collect_leaves(table, &[], &mut leaves);
    leaves.retain(|leaf| !own.contains(&leaf.path[0]));
    leaves.sort_by_key(|leaf| leaf.span.start);
    for leaf in leaves {
        let (path, flavor) = without_flavor(&leaf);
        let line = source.line(leaf.span);
        let key = key(&path, leaf.value, own).map_err(|problem| source.error_at(line, problem))?;
        let Some(value) = leaf.value.cloned() else {
            continue;
        };
        if let Some(other) = found
            .iter()
            .find(|other| other.key == key && other.flavor == flavor)
        {
            let problem = format!("line {} sets {key} already: remove one of them", other.line);
            return Err(source.error_at(line, problem));
        }
        found.push(PlanOption {
            key,
            flavor,
            value,
            line,
        });
    }
    Ok(found)
}

fn collect_leaves<'a>(table: &'a Table, above: &[&'a str], leaves: &mut Vec<Leaf<'a>>) {
    for (key, node) in table {
        let path = [above, &[key.get_ref().as_str()]].concat();
        let value = match node {
            Node::Table(table) if !table.is_empty() => {
                collect_leaves(table, &path, leaves);
                continue;
            }
            Node::Table(_) => None,
            Node::Value(value) => Some(value),
        };
        let span = key.span();
        leaves.push(Leaf { path, value, span });
    }
}

/// Splits the flavor from the path of a variable for one flavor only, such as `settings.mysql.sync_binlog`.
fn without_flavor<'a>(leaf: &Leaf<'a>) -> (Vec<&'a str>, Option<Flavor>) {
    if let [table @ ("settings" | "session"), word, name @ ..] = leaf.path.as_slice()
        && let Some(flavor) = flavor(word)
        && (!name.is_empty() || leaf.value.is_none())
    {
        return ([&[*table], name].concat(), Some(flavor));
    }
    (leaf.path.clone(), None)
}

/// Returns the name of the option with this path, or a message why there is none.
fn key(path: &[&str], value: Option<&Value>, own: &[&str]) -> Result<String, String> {
    match (path, value) {
        ([name], Some(_)) if PLAIN.contains(name) => Ok((*name).to_owned()),
        ([name, ..], _) if PLAIN.contains(name) => Err(no_table(name)),
        ([FILE_SYSTEM], Some(Value::String(_))) => Ok("file_system.kind".to_owned()),
        ([FILE_SYSTEM, name], Some(_)) if FILE_SYSTEM_KEYS.contains(name) => Ok(path.join(".")),
        ([FILE_SYSTEM, name, ..], _) => Err(format!(
            "{FILE_SYSTEM} has no {name}: it takes {}",
            listed(FILE_SYSTEM_KEYS)
        )),
        // Names of variables with dashes and with underscores are equal.
        ([table @ ("settings" | "session"), name], Some(_)) => {
            Ok(format!("{table}.{}", name.replace('-', "_").to_ascii_lowercase()))
        }
        ([table, _], Some(_)) if FREE.contains(table) => Ok(path.join(".")),
        ([table, name, ..], _) if FREE.contains(table) => Err(no_table(name)),
        ([name], value) if FREE.contains(name) || *name == FILE_SYSTEM => match value {
            Some(_) => Err(format!("{name} is a table: write {name}.NAME = ...")),
            None => Ok(String::new()),
        },
        _ => {
            let known = own.iter().copied().chain(PLAIN).chain(FREE).chain([FILE_SYSTEM]);
            Err(format!(
                "unknown option {}: choose one of {}",
                path[0],
                listed(known)
            ))
        }
    }
}

fn no_table(name: &str) -> String {
    format!("{name} is not a table: write {name} = ...")
}

/// Returns the flavor of this name.
pub(crate) fn flavor(word: &str) -> Option<Flavor> {
    let flavors = [Flavor::MySql, Flavor::MariaDb];
    flavors.into_iter().find(|flavor| flavor.as_str() == word)
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
