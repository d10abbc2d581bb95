//! Options of a plan, each with its line.

use logtrace_common::{FileError, Flavor};
use toml::Value;

use crate::plan::plan_file::{PlanFile, listed};
use crate::plan::syntax::{PlanNode, PlanTable};

/// Options with a single value.
pub(crate) const PLAIN: [&str; 37] = [
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
    "turns",
    "turn",
    "wash_in",
    "windows",
    "needs",
    "effect",
    "data_per_pool",
    "data",
    "detail",
    "sample",
    "stages",
];

/// Options for the file system to make. A text in place of the table is the kind.
const FILE_SYSTEM: [&str; 4] = [
    "file_system.kind",
    "file_system.size",
    "file_system.mkfs",
    "file_system.mount",
];

/// Tables of options with any name.
const ANY_NAME: [&str; 5] = [
    "settings.VARIABLE",
    "session.VARIABLE",
    "place.CLASS",
    "queue.ATTRIBUTE",
    "sysctl.PARAMETER",
];

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
        self.key == other.key && (self.flavor.is_none() || other.is_for(self.flavor))
    }

    /// Returns whether the option is for servers of this flavor.
    pub(crate) fn is_for(&self, flavor: Option<Flavor>) -> bool {
        self.flavor.is_none() || self.flavor == flavor
    }
}

/// Reads the options of a table. `own` are further names that are known there. Options for one flavor come last, because
/// they replace those for both.
pub(crate) fn options(
    source: &PlanFile<'_>,
    table: &PlanTable,
    own: &[&str],
) -> Result<Vec<PlanOption>, FileError> {
    let (mut values, mut found) = (Vec::new(), Vec::<PlanOption>::new());
    collect_values(source, table, &[], &mut values);
    values.sort_by_key(|(line, ..)| *line);
    for (line, path, value) in values {
        if value.is_none() && is_table(&path) {
            continue;
        }
        let (path, flavor) = without_flavor(path);
        let Some((key, value)) = value.and_then(|value| Some((key(&path, value, own)?, value))) else {
            let known = own
                .iter()
                .copied()
                .chain(PLAIN)
                .chain(FILE_SYSTEM)
                .chain(ANY_NAME);
            let problem = format!(
                "unknown option {}: choose one of {}",
                path.join("."),
                listed(known)
            );
            return Err(source.error_at(line, problem));
        };
        let mut others = found.iter();
        if let Some(other) = others.find(|other| other.key == key && other.flavor == flavor) {
            let problem = format!("line {} sets {key} already: remove one of them", other.line);
            return Err(source.error_at(line, problem));
        }
        found.push(PlanOption {
            key,
            flavor,
            value: value.clone(),
            line,
        });
    }
    found.sort_by_key(|option| option.flavor.is_some());
    Ok(found)
}

/// Collects the values in a table of options, each with its line and its path. Empty tables have no value.
fn collect_values<'a>(
    source: &PlanFile<'_>,
    table: &'a PlanTable,
    above: &[&'a str],
    values: &mut Vec<(usize, Vec<&'a str>, Option<&'a Value>)>,
) {
    for (key, node) in table {
        let path = [above, &[key.get_ref()]].concat();
        match node {
            PlanNode::Table(table) if table.is_empty() => values.push((source.line(key.span()), path, None)),
            PlanNode::Table(table) => collect_values(source, table, &path, values),
            PlanNode::Value(value) => values.push((source.line(key.span()), path, Some(value))),
        }
    }
}

/// Returns whether a plan may have a table with this path.
fn is_table(path: &[&str]) -> bool {
    match path {
        ["settings" | "session", flavor] => flavor.parse::<Flavor>().is_ok(),
        ["settings" | "session" | "place" | "queue" | "sysctl" | "file_system"] => true,
        _ => false,
    }
}

/// Splits the flavor from the path of a variable for one flavor only, such as `settings.mysql.sync_binlog`.
fn without_flavor(path: Vec<&str>) -> (Vec<&str>, Option<Flavor>) {
    if let [table @ ("settings" | "session"), flavor, name] = path[..]
        && let Ok(flavor) = flavor.parse()
    {
        return (vec![table, name], Some(flavor));
    }
    (path, None)
}

/// Returns the name of the option with this path, or `None` if there is no such option.
fn key(path: &[&str], value: &Value, own: &[&str]) -> Option<String> {
    let key = path.join(".");
    match path {
        // Names of variables with dashes and with underscores are equal.
        [table @ ("settings" | "session"), name] => {
            Some(format!("{table}.{}", name.replace('-', "_").to_ascii_lowercase()))
        }
        ["file_system"] if value.is_str() => Some("file_system.kind".to_owned()),
        ["place" | "queue", _] | ["sysctl", _, ..] => Some(key),
        _ => [own, &PLAIN, &FILE_SYSTEM]
            .concat()
            .contains(&key.as_str())
            .then_some(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::plan::scale::Scale;

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
    fn empty_tables_are_refused_in_place_of_options() {
        let read = |line: &str| {
            let text = example().replacen("[base]\n", &format!("[base]\n{line}\n"), 1);
            Plan::read("example.toml", &text, &|_| Err(String::new())).map_err(|error| error.to_string())
        };
        for accepted in ["session = {}", "session.mysql = {}", "queue = {}", "sysctl = {}"] {
            read(accepted).unwrap_or_else(|error| panic!("{accepted}: {error}"));
        }
        for refused in ["skip_trx = {}", "setings = {}", "session.lock_wait_timeout = {}"] {
            let error = read(refused).unwrap_err();
            assert!(error.contains(": unknown option "), "{refused}: {error}");
        }
    }

    #[test]
    fn options_and_figures_are_documented() {
        let tables = [
            "settings.",
            "session.",
            "place.",
            "queue.",
            "sysctl.",
            "file_system",
            "mkfs",
            "mount",
        ];
        let figures = [
            "throughput_sd",
            "throughput_cv",
            "throughput_p5",
            "throughput_p95",
            "wait.NAME",
            "kind.NAME",
            "cpu_commit",
            "fsyncs.CLASS",
            "bytes.CLASS",
            "group_size",
            "fdatasync",
            "cpu_busy",
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
