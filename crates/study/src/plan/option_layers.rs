//! The options of one cell, put together from base, scale and levels, and read as what they are.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use logtrace_common::Flavor;
use logtrace_driver::FileError;
use toml::Value;

use crate::plan::options::Opt;
use crate::plan::plan_file::Source;

/// Options by their names.
#[derive(Clone, Debug)]
pub(crate) struct Merged<'a> {
    source: Source<'a>,
    options: BTreeMap<String, Opt>,
}

impl<'a> Merged<'a> {
    /// Later layers replace what earlier ones say; within one, what is for one flavor alone replaces what is for both.
    pub(crate) fn new<'b>(
        source: Source<'a>,
        layers: impl Iterator<Item = &'b [Opt]>,
        flavor: Option<Flavor>,
    ) -> Self {
        let mut options = BTreeMap::new();
        for layer in layers {
            let (both, one): (Vec<_>, Vec<_>) = layer.iter().partition(|option| option.flavor.is_none());
            for option in both.into_iter().chain(one) {
                if option.is_for(flavor) {
                    options.insert(option.key.clone(), option.clone());
                }
            }
        }
        Self { source, options }
    }

    /// The lines of all options.
    pub(crate) fn lines(&self) -> BTreeMap<String, usize> {
        let options = self.options.iter();
        options.map(|(key, option)| (key.clone(), option.line)).collect()
    }

    /// What tells two cells apart, if anything does.
    pub(crate) fn identity(&self) -> Vec<(&str, &Value)> {
        let options = self.options.iter();
        options
            .map(|(key, option)| (key.as_str(), &option.value))
            .collect()
    }

    /// Those of a table, without its name.
    pub(crate) fn of_table(&self, table: &str) -> impl Iterator<Item = (&str, &Opt)> {
        self.options.iter().filter_map(move |(key, option)| {
            let name = key.strip_prefix(table)?.strip_prefix('.')?;
            Some((name, option))
        })
    }

    /// Whether an option is there.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.options.contains_key(key)
    }

    /// What is wrong with an option.
    pub(crate) fn error(&self, key: &str, problem: impl Display) -> FileError {
        match self.options.get(key) {
            Some(option) => self.source.error_at(option.line, format!("{key}: {problem}")),
            None => self.source.whole(format!("{key}: {problem}")),
        }
    }

    /// A text; numbers are texts too.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, FileError> {
        let Some(option) = self.options.get(key) else {
            return Ok(None);
        };
        let text = scalar(&option.value);
        let text = text.ok_or_else(|| self.error(key, "write a text in quotes, or a number"))?;
        Ok(Some(text))
    }

    /// What a type reads from a text.
    pub(crate) fn parsed<T: FromStr<Err: Display>>(&self, key: &str) -> Result<Option<T>, FileError> {
        let text = self.text(key)?;
        let value = text.map(|text| text.parse().map_err(|error| self.error(key, error)));
        value.transpose()
    }

    /// One of several words.
    pub(crate) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, FileError> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        let found = words.iter().find(|(word, _)| *word == text);
        let found = found.ok_or_else(|| {
            let known: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
            self.error(
                key,
                format!("{text:?} is not known: write {}", known.join(" or ")),
            )
        })?;
        Ok(Some(found.1))
    }

    /// A whole number of a range.
    pub(crate) fn whole(&self, key: &str, range: RangeInclusive<u32>) -> Result<Option<u32>, FileError> {
        let Some(option) = self.options.get(key) else {
            return Ok(None);
        };
        let number = option
            .value
            .as_integer()
            .and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|number| range.contains(number));
        let number = number.ok_or_else(|| {
            self.error(
                key,
                format!("write a whole number from {} to {}", range.start(), range.end()),
            )
        })?;
        Ok(Some(number))
    }

    /// A number above 0.
    pub(crate) fn positive(&self, key: &str) -> Result<Option<f64>, FileError> {
        let Some(option) = self.options.get(key) else {
            return Ok(None);
        };
        let number = match option.value {
            Value::Float(number) => Some(number),
            Value::Integer(number) => u32::try_from(number).ok().map(f64::from),
            _ => None,
        };
        let number = number.filter(|number| number.is_finite() && *number > 0.0);
        let number = number.ok_or_else(|| self.error(key, "write a number above 0"))?;
        Ok(Some(number))
    }

    /// true or false.
    pub(crate) fn flag(&self, key: &str) -> Result<bool, FileError> {
        let flag = self.options.get(key).map(|option| {
            let flag = option.value.as_bool();
            flag.ok_or_else(|| self.error(key, "write true or false"))
        });
        flag.transpose().map(Option::unwrap_or_default)
    }

    /// A length of time.
    pub(crate) fn time(&self, key: &str) -> Result<Option<Duration>, FileError> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        let time = humantime::parse_duration(&text);
        let time =
            time.map_err(|_| self.error(key, format!("{text:?} is no time: write \"30s\" or \"2m\"")))?;
        Ok(Some(time))
    }

    /// A list of texts.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<String>, FileError> {
        let Some(option) = self.options.get(key) else {
            return Ok(Vec::new());
        };
        let texts = option.value.as_array();
        let texts = texts.and_then(|list| list.iter().map(|text| text.as_str().map(str::to_owned)).collect());
        texts.ok_or_else(|| self.error(key, "write a list of texts, as [\"-O\", \"^has_journal\"]"))
    }
}

/// A value as a server takes it.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(true) => Some("ON".to_owned()),
        Value::Boolean(false) => Some("OFF".to_owned()),
        _ => None,
    }
}
