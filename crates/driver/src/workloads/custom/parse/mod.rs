//! Parsing and checking a file. Everything that needs no server is checked here, and errors name the line.

mod name;
mod request;
mod table;

use std::sync::Arc;

use toml::Spanned;

use crate::util::line_file::FileError;
use crate::util::toml_file::{read_toml, toml_line};
use crate::workloads::custom::custom_workload::CustomWorkload;
use crate::workloads::custom::generator_spec::Sizes;
use crate::workloads::custom::parse::name::{Problem, check_name};
use crate::workloads::custom::request_type::RequestType;
use crate::workloads::custom::syntax::File;
use crate::workloads::custom::table::Table;
use crate::workloads::custom::weighted::Weighted;

impl CustomWorkload {
    /// Reads the text of a file. `path` is for errors; its last component is the name of the workload.
    pub fn read(path: &str, text: &str) -> Result<Self, FileError> {
        let at = |(span, problem): Problem| FileError::at(path, toml_line(text, span.start), problem);
        let file: File = read_toml(path, text)?;
        let (tables, kinds) = checked(&file).map_err(at)?;
        let weights = file.requests.iter().map(|request| request.weight.as_ref());
        let weights = Weighted::new(weights.map(|weight| weight.map_or(1, |weight| *weight.get_ref())));
        Ok(Self {
            name: path.rsplit('/').next().unwrap_or(path).into(),
            text: text.into(),
            tables,
            kinds,
            weights: weights.ok_or_else(|| {
                FileError::of(path, "it has no requests: write at least one [[request]]".into())
            })?,
        })
    }
}

fn checked(file: &File) -> Result<(Vec<Arc<Table>>, Vec<RequestType>), Problem> {
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

/// Refuses invalid names, and names that are equal on a server that ignores case.
fn check_names<'a>(names: impl Iterator<Item = &'a Spanned<String>>, what: &str) -> Result<(), Problem> {
    let mut seen = Vec::new();
    for spanned in names {
        let name = spanned.get_ref();
        check_name(name).map_err(|problem| (spanned.span(), problem))?;
        let lower = name.to_lowercase();
        if seen.contains(&lower) {
            let problem = format!("two {what} have the name {name}: rename one of them");
            return Err((spanned.span(), problem));
        }
        seen.push(lower);
    }
    Ok(())
}
