//! From how a file says that values are drawn to drawing them.

use std::collections::BTreeMap;
use std::fmt::Display;

use toml::Value;

use crate::workloads::custom::drawn::Drawn;
use crate::workloads::custom::generator::Generator;
use crate::workloads::custom::syntax::Spec;
use crate::workloads::custom::weighted::Weighted;
use crate::workloads::keys::distribution::Keys;

/// Letters and digits.
const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Longer texts would be no parameters.
const LONGEST_TEXT: u32 = 65_535;

/// Places that servers' DECIMAL has behind the point, as far as an i64 goes.
const MOST_PLACES: u32 = 18;

/// Up to here every whole number is an f64.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// For what values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// For the rows that a table starts with.
    Column,
    /// For requests, where it is the unique number of this place.
    Request(u64),
}

/// Tables by name, with their rows.
pub(crate) type Sizes = BTreeMap<String, u32>;

/// What draws as it is said, or what is wrong with that.
pub(crate) fn generator(spec: &Spec, place: Place, sizes: &Sizes) -> Result<Generator, String> {
    match spec {
        Spec::Integer { min, max, keys } => integer(*min, *max, keys.as_deref()),
        Spec::Decimal { min, max, places } => scaled(*min, *max, *places),
        Spec::Text {
            length,
            min_length,
            alphabet,
        } => text(*length, *min_length, alphabet.as_deref()),
        Spec::Choice { values, weights } => choice(values, weights.as_deref()),
        Spec::Row { table, keys } => row(table.as_deref(), keys.as_deref(), place, sizes),
        Spec::Unique {} => match place {
            Place::Request(place) => Ok(Generator::Unique(place)),
            Place::Column => {
                Err("unique is for requests: write type = \"row\" for the number of the row".into())
            }
        },
    }
}

fn integer(min: i64, max: i64, keys: Option<&str>) -> Result<Generator, String> {
    let count = count(min, max).ok_or_else(|| upside_down(&min, &max))?;
    let keys = keys.map_or(Ok(Keys::Uniform), str::parse);
    let keys = keys.map_err(|error: crate::workloads::keys::parse::KeysError| format!("keys: {error}"))?;
    Ok(Generator::Integer { min, count, keys })
}

/// Numbers of a range, both ends included; one fewer for the range of all.
fn count(min: i64, max: i64) -> Option<u64> {
    (min <= max).then(|| max.abs_diff(min).saturating_add(1))
}

fn upside_down(min: &dyn Display, max: &dyn Display) -> String {
    format!("min = {min} is above max = {max}: write the smaller one as min")
}

fn scaled(min: f64, max: f64, places: u32) -> Result<Generator, String> {
    if places > MOST_PLACES {
        return Err(format!("places = {places}: give 0 to {MOST_PLACES}"));
    }
    let (least, most) = (exact(min, places)?, exact(max, places)?);
    let count = count(least, most).ok_or_else(|| upside_down(&min, &max))?;
    Ok(Generator::Decimal {
        min: least,
        count,
        places,
    })
}

/// A number in units of `10^-places`.
fn exact(number: f64, places: u32) -> Result<i64, String> {
    let scaled = number * 10f64.powi(places.cast_signed());
    if scaled.is_nan() || scaled.abs() > LARGEST_EXACT {
        return Err(format!(
            "{number} has more than 15 digits with {places} places: give a smaller number"
        ));
    }
    // What was written in decimal is not exact in binary: two roundings, each of 2^-53 of the number.
    if (scaled - scaled.round()).abs() > scaled.abs() * f64::EPSILON * 2.0 {
        return Err(format!(
            "{number} has more than {places} places behind the point: round it, or raise places"
        ));
    }
    Ok(scaled.round() as i64)
}

fn text(length: u32, min_length: Option<u32>, alphabet: Option<&str>) -> Result<Generator, String> {
    let min_length = min_length.unwrap_or(length);
    if length > LONGEST_TEXT {
        return Err(format!("length = {length}: give at most {LONGEST_TEXT}"));
    }
    if min_length > length {
        return Err(format!(
            "min_length = {min_length} is above length = {length}, the longest"
        ));
    }
    let alphabet: Vec<char> = alphabet.unwrap_or(ALPHABET).chars().collect();
    if alphabet.is_empty() {
        return Err("alphabet is empty: write the characters to draw from, or leave it out".into());
    }
    Ok(Generator::Text {
        min_length,
        max_length: length,
        alphabet,
    })
}

fn choice(values: &[Value], weights: Option<&[u32]>) -> Result<Generator, String> {
    let values: Result<Vec<Drawn>, String> = values.iter().map(one_value).collect();
    let values = values?;
    if values.is_empty() {
        return Err("values is empty: write those to choose from".into());
    }
    let weights = weights.map_or_else(|| vec![1; values.len()], <[u32]>::to_vec);
    if weights.len() != values.len() {
        return Err(format!(
            "values has {} and weights {}: write one weight for each value",
            values.len(),
            weights.len()
        ));
    }
    let weights = Weighted::new(weights).ok_or("a weight of 0: leave the value out, or give at least 1")?;
    Ok(Generator::Choice { values, weights })
}

fn one_value(value: &Value) -> Result<Drawn, String> {
    match value {
        Value::String(text) => Ok(Drawn::Text(text.clone())),
        Value::Integer(number) => Ok(Drawn::Integer(*number)),
        other => Err(format!(
            "values has one of type {}: write whole numbers or texts (in quotes)",
            other.type_str()
        )),
    }
}

fn row(table: Option<&str>, keys: Option<&str>, place: Place, sizes: &Sizes) -> Result<Generator, String> {
    let Some(table) = table else {
        return match (place, keys) {
            (Place::Column, None) => Ok(Generator::OwnRow),
            (Place::Column, Some(_)) => {
                Err("keys needs a table whose rows are drawn: write table = \"...\"".into())
            }
            (Place::Request(_), _) => Err("row of which table? Write table = \"...\"".into()),
        };
    };
    match sizes.get(table) {
        Some(0) => Err(format!(
            "the table {table} starts without rows: give it rows, or draw an integer"
        )),
        Some(&rows) => integer(1, rows.into(), keys),
        None => Err(format!("there is no [[table]] {table:?} in this file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(spec: &str, place: Place) -> Result<Generator, String> {
        let spec: Spec = toml::from_str(spec).map_err(|error| error.message().to_owned())?;
        let sizes = [("account".to_owned(), 500), ("history".to_owned(), 0)].into();
        generator(&spec, place, &sizes)
    }

    #[test]
    fn what_is_said_is_drawn() {
        let request = |spec| read(spec, Place::Request(3)).unwrap();
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
        assert_eq!(read("type='row'", Place::Column), Ok(Generator::OwnRow));
        assert!(matches!(
            request("type='text'\nlength=9"),
            Generator::Text { min_length: 9, max_length: 9, alphabet } if alphabet.len() == 62
        ));
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_with_a_remedy() {
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
            ("type='decimal'\nmin=0.001\nmax=1\nplaces=2", "more than 2 places"),
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
            ("type='choice'\nvalues=[1.5]", "whole numbers or texts"),
            (
                "type='choice'\nvalues=[1, 2]\nweights=[1]",
                "values has 2 and weights 1",
            ),
            ("type='choice'\nvalues=[1, 2]\nweights=[1, 0]", "a weight of 0"),
            ("type='row'", "row of which table?"),
            ("type='row'\ntable='accounts'", "no [[table]] \"accounts\""),
            ("type='row'\ntable='history'", "starts without rows"),
            ("type='unique'\nmin=1", "unknown field `min`"),
        ];
        for (spec, told) in cases {
            let error = read(spec, Place::Request(0)).unwrap_err();
            assert!(error.contains(told), "{spec}: {error}");
        }
        let of_columns = [
            ("type='unique'", "type = \"row\""),
            ("type='row'\nkeys='uniform'", "table"),
        ];
        for (spec, told) in of_columns {
            let error = read(spec, Place::Column).unwrap_err();
            assert!(error.contains(told), "{spec}: {error}");
        }
    }
}
