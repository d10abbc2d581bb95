//! Reading a file: everything in it that needs no server is checked here, and the first thing that is wrong is said with
//! its line.

mod request;
mod table;

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;

use crate::util::line_file::FileError;
use crate::util::toml_file::{read_toml, toml_line};
use crate::workloads::custom::custom_workload::Custom;
use crate::workloads::custom::generator_spec::Sizes;
use crate::workloads::custom::request_type::Kind;
use crate::workloads::custom::syntax::File;
use crate::workloads::custom::table::Table;
use crate::workloads::custom::weighted::Weighted;

/// Longest name that servers take.
const LONGEST_NAME: usize = 64;

/// What is wrong, and where in the file.
type Problem = (Range<usize>, String);

/// Reads the text of a file.
pub(crate) fn read(name: &str, text: &str) -> Result<Custom, FileError> {
    let at = |(span, problem): Problem| FileError::at(name, toml_line(text, span.start), problem);
    let file: File = read_toml(name, text)?;
    let (tables, kinds) = checked(&file).map_err(at)?;
    let weights = file.requests.iter().map(|request| request.weight.as_ref());
    let weights = Weighted::new(weights.map(|weight| weight.map_or(1, |weight| *weight.get_ref())));
    Ok(Custom {
        name: name.rsplit('/').next().unwrap_or(name).into(),
        text: text.into(),
        tables,
        kinds,
        weights: weights
            .ok_or_else(|| FileError::of(name, "it has no request: write at least one [[request]]".into()))?,
    })
}

fn checked(file: &File) -> Result<(Vec<Arc<Table>>, Vec<Kind>), Problem> {
    check_names(file.tables.iter().map(|table| &table.name), "tables")?;
    let sizes = file.tables.iter();
    let sizes: Sizes = sizes
        .map(|table| (table.name.get_ref().clone(), table.rows))
        .collect();
    let tables = file.tables.iter().map(|text| table::checked(text, &sizes));
    let tables = tables.collect::<Result<_, Problem>>()?;
    check_names(file.requests.iter().map(|request| &request.name), "requests")?;
    let kinds = file.requests.iter().map(|text| request::checked(text, &sizes));
    Ok((tables, kinds.collect::<Result<_, Problem>>()?))
}

/// Refuses names that are no names, and two that are the same to a server which ignores case.
fn check_names<'a>(names: impl Iterator<Item = &'a Spanned<String>>, of: &str) -> Result<(), Problem> {
    let mut seen = Vec::new();
    for spanned in names {
        let name = spanned.get_ref();
        check_name(name).map_err(|problem| (spanned.span(), problem))?;
        let lower = name.to_lowercase();
        if seen.contains(&lower) {
            let problem = format!("two {of} are called {name}: give each a name of its own");
            return Err((spanned.span(), problem));
        }
        seen.push(lower);
    }
    Ok(())
}

/// Names are part of statements and of reports: letters, digits and underscores, and a letter first.
fn check_name(name: &str) -> Result<(), String> {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name = name.chars().all(|c| is_first(c) || c.is_ascii_digit());
    if is_name && name.starts_with(is_first) && name.len() <= LONGEST_NAME {
        return Ok(());
    }
    Err(format!(
        "{name:?} is no name: write at most {LONGEST_NAME} letters, digits and underscores, and no digit first"
    ))
}
