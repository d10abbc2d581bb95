//! Options of one cell, merged from base, scale and levels, and read as typed values.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use logtrace_common::{FileError, Flavor};
use strum::VariantNames;
use toml::Value;

use crate::plan::options::PlanOption;
use crate::plan::plan_file::PlanFile;
use crate::plan::syntax::scalar;

/// Options by name.
#[derive(Clone, Debug)]
pub(crate) struct OptionLayers<'a> {
    source: PlanFile<'a>,
    options: BTreeMap<String, PlanOption>,
}

impl<'a> OptionLayers<'a> {
    /// Merges options for servers of a flavor, or of both. A later option replaces an earlier one of the same name.
    pub(crate) fn new<'b>(
        source: PlanFile<'a>,
        options: impl IntoIterator<Item = &'b PlanOption>,
        flavor: Option<Flavor>,
    ) -> Self {
        let options = options.into_iter().filter(|option| option.is_for(flavor));
        let options = options.map(|option| (option.key.clone(), option.clone()));
        Self {
            source,
            options: options.collect(),
        }
    }

    /// Returns the line of each option.
    pub(crate) fn lines(&self) -> BTreeMap<String, usize> {
        let options = self.options.iter();
        options.map(|(key, option)| (key.clone(), option.line)).collect()
    }

    /// Returns all names and values as a text: two cells with the same one would measure the same.
    pub(crate) fn identity(&self) -> String {
        let options = self.options.iter();
        format!(
            "{:?}",
            options
                .map(|(key, option)| (key, &option.value))
                .collect::<Vec<_>>()
        )
    }

    /// Returns the names in a table of options, and their values.
    pub(crate) fn of_table(&self, table: &str) -> impl Iterator<Item = (&str, &Value)> {
        self.options.iter().filter_map(move |(key, option)| {
            let name = key.strip_prefix(table)?.strip_prefix('.')?;
            Some((name, &option.value))
        })
    }

    /// Returns the line of an option, or `None` if it has its default.
    pub(crate) fn line(&self, key: &str) -> Option<usize> {
        self.options.get(key).map(|option| option.line)
    }

    /// Returns an error about an option.
    pub(crate) fn error(&self, key: &str, problem: impl Display) -> FileError {
        self.source.error_at(self.line(key), format!("{key}: {problem}"))
    }

    /// Reads an option. Fails with a message what to write if `read` returns `None`.
    fn read<'o, T>(
        &'o self,
        key: &str,
        write: impl Display,
        read: impl FnOnce(&'o Value) -> Option<T>,
    ) -> Result<Option<T>, FileError> {
        let value = self.options.get(key).map(|option| read(&option.value));
        match value {
            Some(None) => Err(self.error(key, format!("write {write}"))),
            value => Ok(value.flatten()),
        }
    }

    /// Reads a text. Numbers are texts too.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, FileError> {
        self.read(key, "a text in quotes, or a number", scalar)
    }

    /// Reads a text and converts it.
    fn converted<T, E: Display>(
        &self,
        key: &str,
        convert: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, FileError> {
        let value = self.text(key)?.map(|text| convert(&text)).transpose();
        value.map_err(|error| self.error(key, error))
    }

    /// Parses a text.
    pub(crate) fn parsed<T: FromStr<Err: Display>>(&self, key: &str) -> Result<Option<T>, FileError> {
        self.converted(key, T::from_str)
    }

    /// Reads one of the names of an enum.
    pub(crate) fn word<T: FromStr + VariantNames>(&self, key: &str) -> Result<Option<T>, FileError> {
        self.converted(key, |text| {
            let known: Vec<String> = T::VARIANTS.iter().map(|word| format!("{word:?}")).collect();
            let unknown = |_| format!("{text:?} is not known: write {}", known.join(" or "));
            text.parse().map_err(unknown)
        })
    }

    /// Reads a whole number in a range.
    pub(crate) fn whole(&self, key: &str, range: RangeInclusive<u32>) -> Result<Option<u32>, FileError> {
        let write = format!("a whole number from {} to {}", range.start(), range.end());
        self.read(key, write, |value| {
            let number = u32::try_from(value.as_integer()?).ok()?;
            range.contains(&number).then_some(number)
        })
    }

    /// Reads a number above 0.
    pub(crate) fn positive(&self, key: &str) -> Result<Option<f64>, FileError> {
        self.read(key, "a number above 0", |value| {
            let whole = value.as_integer().and_then(|number| u32::try_from(number).ok());
            let number = value.as_float().or(whole.map(f64::from))?;
            (number.is_finite() && number > 0.0).then_some(number)
        })
    }

    /// Reads true or false. The default is false.
    pub(crate) fn flag(&self, key: &str) -> Result<bool, FileError> {
        let flag = self.read(key, "true or false", Value::as_bool);
        flag.map(Option::unwrap_or_default)
    }

    /// Reads a length of time.
    pub(crate) fn time(&self, key: &str) -> Result<Option<Duration>, FileError> {
        self.converted(key, |text| {
            humantime::parse_duration(text)
                .map_err(|_| format!("{text:?} is not a length of time: write \"30s\" or \"2m\""))
        })
    }

    /// Reads a list of texts. The default is an empty list.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<String>, FileError> {
        let write = "a list of texts, such as [\"-O\", \"^has_journal\"]";
        let texts = self.read(key, write, |value| {
            let texts = value.as_array()?.iter();
            texts.map(|text| text.as_str().map(str::to_owned)).collect()
        });
        texts.map(Option::unwrap_or_default)
    }
}
