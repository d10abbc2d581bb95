//! Checking a request of a file.

use toml::Spanned;

use crate::workloads::custom::generator::{Generator, MOST_UNIQUE};
use crate::workloads::custom::generator_spec::{Place, Sizes, generator};
use crate::workloads::custom::parse::{Problem, check_name};
use crate::workloads::custom::request_type::Kind;
use crate::workloads::custom::sql_statement::Statement;
use crate::workloads::custom::syntax::RequestText;

/// The request, with what draws its parameters.
pub(crate) fn checked(text: &RequestText, sizes: &Sizes) -> Result<Kind, Problem> {
    let name = text.name.get_ref();
    if let Some(weight) = text.weight.as_ref().filter(|weight| *weight.get_ref() == 0) {
        let problem = format!("the request {name} has a weight of 0: leave it out, or give at least 1");
        return Err((weight.span(), problem));
    }
    if text.statements.get_ref().is_empty() {
        let problem = format!("the request {name} has no statements: write at least one");
        return Err((text.statements.span(), problem));
    }
    let generators = generators(text, sizes)?;
    let statements = statements(text)?;
    check_use(text, &statements)?;
    Ok(Kind {
        name: name.clone(),
        transaction: text.transaction,
        statements,
        generators,
    })
}

fn generators(text: &RequestText, sizes: &Sizes) -> Result<Vec<Generator>, Problem> {
    let (mut generators, mut unique) = (Vec::new(), 0);
    for (parameter, spec) in &text.parameters {
        let at = |problem| {
            let request = text.name.get_ref();
            let problem = format!("the parameter {parameter} of the request {request}: {problem}");
            (spec.span(), problem)
        };
        check_name(parameter).map_err(at)?;
        let generator = generator(spec.get_ref(), Place::Request(unique), sizes).map_err(at)?;
        unique += u64::from(matches!(generator, Generator::Unique(_)));
        if unique > MOST_UNIQUE {
            return Err(at(format!(
                "it is one unique number too many: a request has at most {MOST_UNIQUE}"
            )));
        }
        generators.push(generator);
    }
    Ok(generators)
}

fn statements(text: &RequestText) -> Result<Vec<Statement>, Problem> {
    let parameters: Vec<&str> = text.parameters.keys().map(String::as_str).collect();
    let statement = |(number, sql): (usize, &Spanned<String>)| {
        Statement::read(sql.get_ref(), &parameters).map_err(|problem| {
            let request = text.name.get_ref();
            let problem = format!("statement {number} of the request {request}: {problem}");
            (sql.span(), problem)
        })
    };
    (1..).zip(text.statements.get_ref()).map(statement).collect()
}

/// Refuses a parameter that no statement has.
fn check_use(text: &RequestText, statements: &[Statement]) -> Result<(), Problem> {
    for (index, (parameter, spec)) in text.parameters.iter().enumerate() {
        let mut users = statements.iter();
        if !users.any(|statement| statement.parameters.contains(&index)) {
            let request = text.name.get_ref();
            let problem =
                format!("no statement of the request {request} has the parameter :{parameter}: leave it out");
            return Err((spec.span(), problem));
        }
    }
    Ok(())
}
