//! The options of a plan's base, scales and levels, each with the line in which it stands.

use logtrace_common::Flavor;
use logtrace_driver::FileError;
use toml::Value;

use crate::plan::plan_file::{Source, listed};
use crate::plan::syntax::{Node, Table};

/// Options with a value of their own.
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

/// Options that are tables of free names.
const FREE: [&str; 4] = ["settings", "session", "place", "queue"];

/// The table that says what file system to make, and its keys.
const FILE_SYSTEM: (&str, [&str; 4]) = ("file_system", ["kind", "size", "mkfs", "mount"]);

/// One option.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Opt {
    /// Its name; those of tables have a point in it, as `settings.sync_binlog`.
    pub(crate) key: String,
    /// The only flavor of server that it is for.
    pub(crate) flavor: Option<Flavor>,
    pub(crate) value: Value,
    pub(crate) line: usize,
}

impl Opt {
    /// Whether both can be meant for the same server.
    pub(crate) fn clashes(&self, other: &Self) -> bool {
        let meet = match (self.flavor, other.flavor) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        self.key == other.key && meet
    }

    /// Whether it is for servers of this flavor.
    pub(crate) fn is_for(&self, flavor: Option<Flavor>) -> bool {
        self.flavor.is_none() || self.flavor == flavor
    }
}

/// The options in a table, but for the keys in `own`, which mean something else there.
pub(crate) fn options(source: &Source<'_>, table: &Table, own: &[&str]) -> Result<Vec<Opt>, FileError> {
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
                return Err(source.error_at(line, format!("{name} is no table: write {name} = ...")));
            }
            Node::Value(_) if FREE.contains(&name) || name == FILE_SYSTEM.0 => {
                return Err(source.error_at(line, format!("{name} is a table: write {name}.NAME = ...")));
            }
            _ => return Err(unknown(source, name, line, own)),
        }
    }
    Ok(found)
}

fn unknown(source: &Source<'_>, name: &str, line: usize, own: &[&str]) -> FileError {
    let tables = FREE.into_iter().chain([FILE_SYSTEM.0]);
    let known = own.iter().copied().chain(PLAIN).chain(tables);
    source.error_at(
        line,
        format!("there is no option {name}: choose one of {}", listed(known)),
    )
}

fn file_system(found: &mut Vec<Opt>, source: &Source<'_>, table: &Table) -> Result<(), FileError> {
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

/// Variables, classes of files and the like; variables can be those of one flavor alone.
fn free(found: &mut Vec<Opt>, source: &Source<'_>, name: &str, table: &Table) -> Result<(), FileError> {
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

fn no_table(source: &Source<'_>, name: &str, line: usize) -> FileError {
    source.error_at(line, format!("{name} is no table: write {name} = ..."))
}

/// Variables are the same with dashes and with underscores.
fn joined(table: &str, key: &str) -> String {
    match table {
        "settings" | "session" => format!("{table}.{}", key.replace('-', "_").to_ascii_lowercase()),
        _ => format!("{table}.{key}"),
    }
}

/// The flavor of this word.
pub(crate) fn flavor(word: &str) -> Option<Flavor> {
    let flavors = [Flavor::MySql, Flavor::MariaDb];
    flavors.into_iter().find(|flavor| flavor.as_str() == word)
}

fn push(
    found: &mut Vec<Opt>,
    source: &Source<'_>,
    key: &str,
    flavor: Option<Flavor>,
    value: &Value,
    line: usize,
) -> Result<(), FileError> {
    let option = Opt {
        key: key.to_owned(),
        flavor,
        value: value.clone(),
        line,
    };
    if let Some(other) = found
        .iter()
        .find(|other| other.clashes(&option) && other.flavor == flavor)
    {
        let problem = format!(
            "{key} is already set in line {}: leave one of them out",
            other.line
        );
        return Err(source.error_at(line, problem));
    }
    found.push(option);
    Ok(())
}
