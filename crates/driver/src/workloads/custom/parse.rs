//! Parsing and checking a file. Everything that needs no server is checked here, and errors name the line.

use std::ops::Range;
use std::sync::Arc;

use anyhow::{anyhow, ensure};
use logtrace_common::{FileError, read_toml, toml_line};
use toml::Spanned;

use crate::util::marker::MARKER;
use crate::workloads::custom::generator::{Generator, MAX_UNIQUE};
use crate::workloads::custom::generator_spec::{Sizes, ValueSite, generator};
use crate::workloads::custom::sql_statement::SqlStatement;
use crate::workloads::custom::syntax::{RequestSection, TableSection, WorkloadFile};
use crate::workloads::custom::table::CustomTable;
use crate::workloads::custom::weighted::Weighted;
use crate::workloads::custom::{CustomWorkload, RequestType};

/// Maximum number of rows of a table.
const MAX_ROWS: u32 = i32::MAX as u32;

/// Maximum length of a name on the servers.
const MAX_NAME: usize = 64;

/// Range in the file, and what is wrong there.
type Problem = (Range<usize>, String);

impl CustomWorkload {
    /// Reads the text of a file. `path` is for errors; its last component is the name of the workload.
    pub fn read(path: &str, text: &str) -> Result<Self, FileError> {
        let at = |(span, problem): Problem| FileError::new(path, Some(toml_line(text, span.start)), problem);
        let file: WorkloadFile = read_toml(path, text)?;
        let (tables, kinds) = checked(&file).map_err(at)?;
        let weights = file.requests.iter().map(|request| request.weight.as_ref());
        let weights = Weighted::new(weights.map(|weight| weight.map_or(1, |weight| *weight.get_ref())));
        Ok(Self {
            name: path.rsplit('/').next().unwrap_or(path).into(),
            text: text.into(),
            tables,
            kinds,
            weights: weights.ok_or_else(|| {
                FileError::new(path, None, "it has no requests: write at least one [[request]]")
            })?,
        })
    }
}

fn checked(file: &WorkloadFile) -> Result<(Vec<Arc<CustomTable>>, Vec<RequestType>), Problem> {
    check_names(file.tables.iter().map(|table| &table.name), "tables")?;
    let sizes = file.tables.iter();
    let sizes: Sizes = sizes
        .map(|table| (table.name.get_ref().clone(), table.rows))
        .collect();
    let tables = file.tables.iter().map(|section| table(section, &sizes));
    let tables = tables.collect::<Result<_, Problem>>()?;
    check_names(file.requests.iter().map(|request| &request.name), "requests")?;
    let kinds = file.requests.iter().map(|section| request(section, &sizes));
    Ok((tables, kinds.collect::<Result<_, Problem>>()?))
}

/// Refuses invalid names, and names that are equal on a server that ignores case.
fn check_names<'a>(names: impl Iterator<Item = &'a Spanned<String>>, what: &str) -> Result<(), Problem> {
    let mut seen = Vec::new();
    for spanned in names {
        let name = spanned.get_ref();
        check_name(name).map_err(|problem| (spanned.span(), problem.to_string()))?;
        let lower = name.to_lowercase();
        if seen.contains(&lower) {
            let problem = format!("two {what} have the name {name}: rename one of them");
            return Err((spanned.span(), problem));
        }
        seen.push(lower);
    }
    Ok(())
}

/// Refuses an invalid name. Names are parts of statements and reports.
fn check_name(name: &str) -> anyhow::Result<()> {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name = name.chars().all(|c| is_first(c) || c.is_ascii_digit());
    ensure!(
        is_name && name.starts_with(is_first) && name.len() <= MAX_NAME,
        "{name:?} is not a valid name: write at most {MAX_NAME} letters, digits and underscores, and no digit first"
    );
    Ok(())
}

/// Returns the table, with the generators of its columns.
fn table(section: &TableSection, sizes: &Sizes) -> Result<Arc<CustomTable>, Problem> {
    let name = section.name.get_ref();
    check_size(section).map_err(|problem| (section.name.span(), format!("the table {name}: {problem}")))?;
    let mut columns = Vec::new();
    for (column, spec) in &section.columns {
        let generator = check_name(column).and_then(|()| generator(spec.get_ref(), ValueSite::Column, sizes));
        let generator = generator.map_err(|problem| {
            let problem = format!("the column {column} of the table {name}: {problem}");
            (spec.span(), problem)
        })?;
        columns.push((column.clone(), generator));
    }
    Ok(Arc::new(CustomTable {
        name: name.clone(),
        create: section.create.clone(),
        rows: section.rows,
        columns,
    }))
}

fn check_size(section: &TableSection) -> Result<(), String> {
    if section.name.get_ref().eq_ignore_ascii_case(MARKER) {
        return Err("logtrace marks its databases with a table of this name: choose another name".into());
    }
    match (section.rows, section.columns.is_empty()) {
        (0, false) => Err("it has [table.columns], but rows is 0: write rows = ...".into()),
        (1.., true) => Err("it has rows, but no columns: write [table.columns]".into()),
        (rows, _) if rows > MAX_ROWS => Err(format!("rows = {rows}: give at most {MAX_ROWS}")),
        _ => Ok(()),
    }
}

/// Returns the request, with the generators of its parameters.
fn request(section: &RequestSection, sizes: &Sizes) -> Result<RequestType, Problem> {
    let name = section.name.get_ref();
    if let Some(weight) = section.weight.as_ref().filter(|weight| *weight.get_ref() == 0) {
        let problem = format!("the request {name} has a weight of 0: leave it out, or give at least 1");
        return Err((weight.span(), problem));
    }
    if section.statements.get_ref().is_empty() {
        let problem = format!("the request {name} has no statements: write at least one");
        return Err((section.statements.span(), problem));
    }
    let generators = generators(section, sizes)?;
    let statements = statements(section)?;
    check_use(section, &statements)?;
    Ok(RequestType {
        name: name.clone(),
        transaction: section.transaction,
        statements,
        generators,
    })
}

fn generators(section: &RequestSection, sizes: &Sizes) -> Result<Vec<Generator>, Problem> {
    let (mut generators, mut unique) = (Vec::new(), 0);
    for (parameter, spec) in &section.parameters {
        let at = |problem: anyhow::Error| {
            let request = section.name.get_ref();
            let problem = format!("the parameter {parameter} of the request {request}: {problem}");
            (spec.span(), problem)
        };
        check_name(parameter).map_err(at)?;
        let generator = generator(spec.get_ref(), ValueSite::Request(unique), sizes).map_err(at)?;
        unique += u64::from(matches!(generator, Generator::Unique(_)));
        if unique > MAX_UNIQUE {
            return Err(at(anyhow!(
                "a request can have at most {MAX_UNIQUE} unique parameters"
            )));
        }
        generators.push(generator);
    }
    Ok(generators)
}

fn statements(section: &RequestSection) -> Result<Vec<SqlStatement>, Problem> {
    let parameters: Vec<&str> = section.parameters.keys().map(String::as_str).collect();
    let statement = |(number, sql): (usize, &Spanned<String>)| {
        SqlStatement::read(sql.get_ref(), &parameters).map_err(|problem| {
            let request = section.name.get_ref();
            let problem = format!("statement {number} of the request {request}: {problem}");
            (sql.span(), problem)
        })
    };
    (1..).zip(section.statements.get_ref()).map(statement).collect()
}

/// Refuses a parameter that no statement uses.
fn check_use(section: &RequestSection, statements: &[SqlStatement]) -> Result<(), Problem> {
    for (index, (parameter, spec)) in section.parameters.iter().enumerate() {
        let mut users = statements.iter();
        if !users.any(|statement| statement.parameters.contains(&index)) {
            let request = section.name.get_ref();
            let problem = format!(
                "no statement of the request {request} uses the parameter :{parameter}: leave it out"
            );
            return Err((spec.span(), problem));
        }
    }
    Ok(())
}
