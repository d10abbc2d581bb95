//! Checks of a request of a file.

use toml::Spanned;

use crate::workloads::custom::generator::{Generator, MAX_UNIQUE};
use crate::workloads::custom::generator_spec::{Sizes, ValueSite, generator};
use crate::workloads::custom::parse::name::{Problem, check_name};
use crate::workloads::custom::request_type::RequestType;
use crate::workloads::custom::sql_statement::SqlStatement;
use crate::workloads::custom::syntax::RequestSection;

/// Returns the request, with the generators of its parameters.
pub(crate) fn checked(section: &RequestSection, sizes: &Sizes) -> Result<RequestType, Problem> {
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
        let at = |problem| {
            let request = section.name.get_ref();
            let problem = format!("the parameter {parameter} of the request {request}: {problem}");
            (spec.span(), problem)
        };
        check_name(parameter).map_err(at)?;
        let generator = generator(spec.get_ref(), ValueSite::Request(unique), sizes).map_err(at)?;
        unique += u64::from(matches!(generator, Generator::Unique(_)));
        if unique > MAX_UNIQUE {
            return Err(at(format!(
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
