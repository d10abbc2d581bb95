//! Options of one cell, merged from base, scale and levels, and read as typed values.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use logtrace_common::Flavor;
use logtrace_driver::FileError;
use toml::Value;

use crate::plan::options::PlanOption;
use crate::plan::plan_file::{PlanFile, unknown_word};

/// Options by name.
#[derive(Clone, Debug)]
pub(crate) struct OptionLayers<'a> {
    source: PlanFile<'a>,
    options: BTreeMap<String, PlanOption>,
}

impl<'a> OptionLayers<'a> {
    /// Merges layers. A later layer replaces options of earlier ones; within a layer, an option for one flavor replaces one for
    /// both.
    pub(crate) fn new<'b>(
        source: PlanFile<'a>,
        layers: impl Iterator<Item = &'b [PlanOption]>,
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

    /// Returns the line of each option.
    pub(crate) fn lines(&self) -> BTreeMap<String, usize> {
        let options = self.options.iter();
        options.map(|(key, option)| (key.clone(), option.line)).collect()
    }

    /// Returns all names and values: two cells with the same ones would measure the same.
    pub(crate) fn identity(&self) -> Vec<(&str, &Value)> {
        let options = self.options.iter();
        options
            .map(|(key, option)| (key.as_str(), &option.value))
            .collect()
    }

    /// Returns the options of a table, without its name.
    pub(crate) fn of_table(&self, table: &str) -> impl Iterator<Item = (&str, &PlanOption)> {
        self.options.iter().filter_map(move |(key, option)| {
            let name = key.strip_prefix(table)?.strip_prefix('.')?;
            Some((name, option))
        })
    }

    /// Returns whether an option is set.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.options.contains_key(key)
    }

    /// Returns an error about an option.
    pub(crate) fn error(&self, key: &str, problem: impl Display) -> FileError {
        match self.options.get(key) {
            Some(option) => self.source.error_at(option.line, format!("{key}: {problem}")),
            None => self.source.whole(format!("{key}: {problem}")),
        }
    }

    /// Reads a text. Numbers are texts too.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, FileError> {
        let Some(option) = self.options.get(key) else {
            return Ok(None);
        };
        let text = scalar(&option.value);
        let text = text.ok_or_else(|| self.error(key, "write a text in quotes, or a number"))?;
        Ok(Some(text))
    }

    /// Parses a text.
    pub(crate) fn parsed<T: FromStr<Err: Display>>(&self, key: &str) -> Result<Option<T>, FileError> {
        let text = self.text(key)?;
        let value = text.map(|text| text.parse().map_err(|error| self.error(key, error)));
        value.transpose()
    }

    /// Reads one of several words.
    pub(crate) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, FileError> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        let found = words.iter().find(|(word, _)| *word == text);
        let known = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>();
        let found = found.ok_or_else(|| self.error(key, unknown_word(&text, &known())))?;
        Ok(Some(found.1))
    }

    /// Reads a whole number in a range.
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

    /// Reads a number above 0.
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

    /// Reads true or false. The default is false.
    pub(crate) fn flag(&self, key: &str) -> Result<bool, FileError> {
        let flag = self.options.get(key).map(|option| {
            let flag = option.value.as_bool();
            flag.ok_or_else(|| self.error(key, "write true or false"))
        });
        flag.transpose().map(Option::unwrap_or_default)
    }

    /// Reads a length of time.
    pub(crate) fn time(&self, key: &str) -> Result<Option<Duration>, FileError> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        let time = humantime::parse_duration(&text);
        let time = time.map_err(|_| {
            self.error(
                key,
                format!("{text:?} is not a length of time: write \"30s\" or \"2m\""),
            )
        })?;
        Ok(Some(time))
    }

    /// Reads a list of texts. The default is an empty list.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<String>, FileError> {
        let Some(option) = self.options.get(key) else {
            return Ok(Vec::new());
        };
        let texts = option.value.as_array();
        let texts = texts.and_then(|list| list.iter().map(|text| text.as_str().map(str::to_owned)).collect());
        texts.ok_or_else(|| self.error(key, "write a list of texts, such as [\"-O\", \"^has_journal\"]"))
    }
}

/// Returns a value as a server expects it, or `None` for lists and dates.
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
