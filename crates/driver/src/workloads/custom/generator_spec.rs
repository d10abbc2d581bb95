//! Generators from the definitions in a file.

use std::collections::BTreeMap;
use std::fmt::Display;

use anyhow::{Context, anyhow, bail, ensure};
use toml::Value;

use crate::workloads::custom::drawn::Drawn;
use crate::workloads::custom::generator::Generator;
use crate::workloads::custom::syntax::Spec;
use crate::workloads::custom::weighted::Weighted;
use crate::workloads::keys::Keys;

/// Default alphabet: letters and digits.
const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Maximum length of a text.
const MAX_TEXT: u32 = 65_535;

/// Maximum number of digits after the point that fit an i64.
const MAX_PLACES: u32 = 18;

/// Largest number up to which an f64 has every integer.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Use of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueSite {
    /// Column of the rows that are loaded.
    Column,
    /// Parameter of a request, with its index among the unique parameters.
    Request(u64),
}

/// Number of rows by name of the table.
pub(crate) type Sizes = BTreeMap<String, u32>;

/// Returns the generator of a definition, or what is wrong with the definition.
pub(crate) fn generator(spec: &Spec, site: ValueSite, sizes: &Sizes) -> anyhow::Result<Generator> {
    match spec {
        Spec::Integer { min, max, keys } => integer(*min, *max, keys.as_deref()),
        Spec::Decimal { min, max, places } => scaled(*min, *max, *places),
        Spec::Text {
            length,
            min_length,
            alphabet,
        } => text(*length, *min_length, alphabet.as_deref()),
        Spec::Choice { values, weights } => choice(values, weights.as_deref()),
        Spec::Row { table, keys } => row(table.as_deref(), keys.as_deref(), site, sizes),
        Spec::Unique {} => match site {
            ValueSite::Request(index) => Ok(Generator::Unique(index)),
            ValueSite::Column => {
                bail!("unique is for requests only: write type = \"row\" for the number of the row")
            }
        },
    }
}

fn integer(min: i64, max: i64, keys: Option<&str>) -> anyhow::Result<Generator> {
    let count = count(min, max).ok_or_else(|| reversed(&min, &max))?;
    let keys = keys.map_or(Ok(Keys::Uniform), str::parse::<Keys>);
    let keys = keys.map_err(|error| anyhow!("keys: {error}"))?;
    Ok(Generator::Integer { min, count, keys })
}

/// Returns the number of integers in a range that includes both ends; for the whole range of i64 one fewer.
fn count(min: i64, max: i64) -> Option<u64> {
    (min <= max).then(|| max.abs_diff(min).saturating_add(1))
}

fn reversed(min: &dyn Display, max: &dyn Display) -> anyhow::Error {
    anyhow!("min = {min} is above max = {max}: swap them")
}

fn scaled(min: f64, max: f64, places: u32) -> anyhow::Result<Generator> {
    ensure!(places <= MAX_PLACES, "places = {places}: give 0 to {MAX_PLACES}");
    let (least, most) = (exact(min, places)?, exact(max, places)?);
    let count = count(least, most).ok_or_else(|| reversed(&min, &max))?;
    Ok(Generator::Decimal {
        min: least,
        count,
        places,
    })
}

/// Returns a number in units of `10^-places`.
fn exact(number: f64, places: u32) -> anyhow::Result<i64> {
    let scaled = number * 10f64.powi(places.cast_signed());
    ensure!(
        scaled.abs() <= MAX_EXACT,
        "{number} has more than 15 digits with {places} places: give a smaller number"
    );
    // Decimal numbers are not exact in binary: this allows two rounding errors, each 2^-53 of the number.
    ensure!(
        (scaled - scaled.round()).abs() <= scaled.abs() * f64::EPSILON * 2.0,
        "{number} has more than {places} digits after the point: round it, or increase places"
    );
    Ok(scaled.round() as i64)
}

fn text(length: u32, min_length: Option<u32>, alphabet: Option<&str>) -> anyhow::Result<Generator> {
    let min_length = min_length.unwrap_or(length);
    ensure!(length <= MAX_TEXT, "length = {length}: give at most {MAX_TEXT}");
    ensure!(
        min_length <= length,
        "min_length = {min_length} is above length = {length}: give at most length"
    );
    let alphabet: Vec<char> = alphabet.unwrap_or(ALPHABET).chars().collect();
    ensure!(
        !alphabet.is_empty(),
        "alphabet is empty: write its characters, or leave it out"
    );
    Ok(Generator::Text {
        min_length,
        max_length: length,
        alphabet,
    })
}

fn choice(values: &[Value], weights: Option<&[u32]>) -> anyhow::Result<Generator> {
    let values = values
        .iter()
        .map(one_value)
        .collect::<anyhow::Result<Vec<Drawn>>>()?;
    ensure!(!values.is_empty(), "values is empty: write at least one value");
    let weights = weights.map_or_else(|| vec![1; values.len()], <[u32]>::to_vec);
    ensure!(
        weights.len() == values.len(),
        "values has {} entries and weights has {}: write one weight for each value",
        values.len(),
        weights.len()
    );
    let weights = Weighted::new(weights).context("a weight is 0: leave the value out, or give at least 1")?;
    Ok(Generator::Choice { values, weights })
}

fn one_value(value: &Value) -> anyhow::Result<Drawn> {
    match value {
        Value::String(text) => Ok(Drawn::Text(text.clone())),
        Value::Integer(number) => Ok(Drawn::Integer(*number)),
        other => bail!(
            "values has an entry of type {}: write integers or texts (in quotes)",
            other.type_str()
        ),
    }
}

fn row(table: Option<&str>, keys: Option<&str>, site: ValueSite, sizes: &Sizes) -> anyhow::Result<Generator> {
    let Some(table) = table else {
        return match (site, keys) {
            (ValueSite::Column, None) => Ok(Generator::OwnRow),
            (ValueSite::Column, Some(_)) => bail!("keys needs a table: write table = \"...\""),
            (ValueSite::Request(_), _) => bail!("the table is missing: write table = \"...\""),
        };
    };
    match sizes.get(table) {
        Some(0) => bail!("the table {table} has no rows: set its rows, or use type = \"integer\""),
        Some(&rows) => integer(1, rows.into(), keys),
        None => bail!("there is no [[table]] {table:?} in this file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(spec: &str, site: ValueSite) -> Result<Generator, String> {
        let spec: Spec = toml::from_str(spec).map_err(|error| error.message().to_owned())?;
        let sizes = [("account".to_owned(), 500), ("history".to_owned(), 0)].into();
        generator(&spec, site, &sizes).map_err(|error| error.to_string())
    }

    #[test]
    fn definitions_become_generators() {
        let request = |spec| read(spec, ValueSite::Request(3)).unwrap();
        let integer = |min, count, keys: &str| Generator::Integer {
            min,
            count,
            keys: keys.parse().unwrap(),
        };
        assert_eq!(
            request("type='integer'\nmin=-3\nmax=6"),
            integer(-3, 10, "uniform")
        );
        let zipfian = request("type='row'\ntable='account'\nkeys='zipfian:1.2'");
        assert_eq!(zipfian, integer(1, 500, "zipfian:1.2"));
        let decimal = request("type='decimal'\nmin=-0.29\nmax=12\nplaces=2");
        let expected = Generator::Decimal {
            min: -29,
            count: 1230,
            places: 2,
        };
        assert_eq!(decimal, expected);
        assert_eq!(request("type='unique'"), Generator::Unique(3));
        assert_eq!(read("type='row'", ValueSite::Column), Ok(Generator::OwnRow));
        assert!(matches!(
            request("type='text'\nlength=9"),
            Generator::Text { min_length: 9, max_length: 9, alphabet } if alphabet.len() == 62
        ));
    }

    #[test]
    fn wrong_definitions_are_refused_with_a_remedy() {
        let cases = [
            ("min=1", "missing field `type`"),
            ("type='int'", "expected one of `integer`, `decimal`"),
            ("type='integer'\nmin=1", "missing field `max`"),
            ("type='integer'\nmin=1\nmax=2\nstep=1", "unknown field `step`"),
            ("type='integer'\nmin=2\nmax=1", "min = 2 is above max = 1"),
            (
                "type='integer'\nmin=1\nmax=2\nkeys='hot'",
                "keys: unknown key distribution",
            ),
            (
                "type='decimal'\nmin=2.5\nmax=1.5\nplaces=1",
                "min = 2.5 is above max = 1.5",
            ),
            ("type='decimal'\nmin=0.001\nmax=1\nplaces=2", "more than 2 digits"),
            ("type='decimal'\nmin=0\nmax=1e15\nplaces=2", "more than 15 digits"),
            ("type='decimal'\nmin=nan\nmax=1\nplaces=2", "more than 15 digits"),
            ("type='decimal'\nmin=0\nmax=1\nplaces=19", "0 to 18"),
            (
                "type='text'\nlength=3\nmin_length=4",
                "min_length = 4 is above length = 3",
            ),
            ("type='text'\nlength=70000", "at most 65535"),
            ("type='text'\nlength=3\nalphabet=''", "alphabet is empty"),
            ("type='text'\nlength=-1", "-1"),
            ("type='choice'\nvalues=[]", "values is empty"),
            ("type='choice'\nvalues=[1.5]", "integers or texts"),
            (
                "type='choice'\nvalues=[1, 2]\nweights=[1]",
                "values has 2 entries and weights has 1",
            ),
            ("type='choice'\nvalues=[1, 2]\nweights=[1, 0]", "a weight is 0"),
            ("type='row'", "the table is missing"),
            ("type='row'\ntable='accounts'", "no [[table]] \"accounts\""),
            ("type='row'\ntable='history'", "has no rows"),
            ("type='unique'\nmin=1", "unknown field `min`"),
        ];
        for (spec, message) in cases {
            let error = read(spec, ValueSite::Request(0)).unwrap_err();
            assert!(error.contains(message), "{spec}: {error}");
        }
        let of_columns = [
            ("type='unique'", "type = \"row\""),
            ("type='row'\nkeys='uniform'", "table"),
        ];
        for (spec, message) in of_columns {
            let error = read(spec, ValueSite::Column).unwrap_err();
            assert!(error.contains(message), "{spec}: {error}");
        }
    }
}
