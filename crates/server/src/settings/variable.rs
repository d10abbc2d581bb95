//! Server variables to set: `--set VAR=VALUE`, and the defaults of private instances.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use thiserror::Error;

use crate::settings::value_match::{has_value, truth};
use logtrace_common::Flavor;

/// File name of a private instance's binary log, before the number.
pub(crate) const BINLOG: &str = "binlog";

/// Variables that decide where a private instance is and who reaches it.
const RESERVED: [&str; 10] = [
    "basedir",
    "bind_address",
    "datadir",
    "log_error",
    "mysqlx",
    "pid_file",
    "port",
    "skip_networking",
    "socket",
    "user",
];

/// Variables that are fixed when a data directory is initialised.
const FIXED_AT_INITIALISATION: [&str; 6] = [
    "innodb_checksum_algorithm",
    "innodb_data_file_path",
    "innodb_page_size",
    "innodb_undo_tablespaces",
    "lower_case_table_names",
    "innodb_log_files_in_group",
];

/// Global variable with its wanted value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Setting {
    name: String,
    value: String,
}

/// Error of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    /// The text is not of the form `VAR=VALUE`.
    #[error("{0:?} sets no variable: write VARIABLE=VALUE, for example sync_binlog=1")]
    Malformed(String),
    /// logtrace itself sets the variable.
    #[error("{0} cannot be set: logtrace itself chooses where a private server is and who reaches it")]
    Reserved(String),
    /// The server has no such variable.
    #[error("this {flavor} has no variable {name}: check the spelling, and that it belongs to this version")]
    Unknown {
        /// Name of the variable.
        name: String,
        /// The server asked.
        flavor: Flavor,
    },
    /// The server runs with another value.
    #[error(
        "the server did not take {name}={wanted}: it reports {reported:?}. Choose a value that it takes unchanged"
    )]
    NotTaken {
        /// Name of the variable.
        name: String,
        /// Wanted value.
        wanted: String,
        /// The value that the server reports.
        reported: String,
    },
    /// A running server cannot change it.
    #[error("{0} can only be set when a server starts: use a private server, or restart this one with it")]
    ReadOnly(String),
    /// The server refused the value.
    #[error("the server refuses {setting}: {message}")]
    Refused {
        /// Variable and value.
        setting: Setting,
        /// Message of the server.
        message: String,
    },
}

impl Setting {
    /// Creates a setting from a known name.
    pub fn new(name: &str, value: &str) -> Self {
        Self {
            name: name.replace('-', "_").to_ascii_lowercase(),
            value: value.to_owned(),
        }
    }

    /// Returns the variable, in lower case with underscores.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value as it was written.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns whether logtrace itself sets the variable of a private server.
    pub fn is_reserved(&self) -> bool {
        RESERVED.contains(&self.name())
    }

    /// Returns whether a data directory depends on the variable.
    pub fn is_fixed_at_initialisation(&self) -> bool {
        FIXED_AT_INITIALISATION.contains(&self.name.as_str())
    }

    /// Returns the command line argument of the server.
    pub(crate) fn argument(&self) -> String {
        match (self.name.as_str(), truth(&self.value)) {
            // log_bin is a file name on the command line and a truth value when it is asked for.
            ("log_bin", Some(false)) => "--skip-log-bin".to_owned(),
            ("log_bin", Some(true)) => format!("--log-bin={BINLOG}"),
            (name, _) => format!("--{}={}", name.replace('_', "-"), self.value),
        }
    }
}

impl FromStr for Setting {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let malformed = || SettingError::Malformed(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(malformed)?;
        let setting = Self::new(name.trim(), value.trim());
        let starts_well = setting.name.starts_with(|c: char| c.is_ascii_lowercase());
        let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '.';
        if !starts_well || !setting.name.chars().all(valid) || value.contains(['\0', '\n']) {
            return Err(malformed());
        }
        Ok(setting)
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

/// Returns the settings of a private instance: durable defaults, replaced and completed by `chosen`. The last of
/// several values for a variable counts.
pub(crate) fn with_defaults(flavor: Flavor, chosen: &[Setting]) -> Result<Vec<Setting>, SettingError> {
    if let Some(reserved) = chosen.iter().find(|setting| setting.is_reserved()) {
        return Err(SettingError::Reserved(reserved.name.clone()));
    }
    let mut settings = defaults(flavor);
    replace(&mut settings, chosen.iter().cloned());
    Ok(settings)
}

/// Returns the settings that a data directory depends on, sorted.
pub(crate) fn fixed_at_initialisation(settings: &[Setting]) -> Vec<Setting> {
    let fixed = settings
        .iter()
        .filter(|setting| setting.is_fixed_at_initialisation());
    let mut fixed: Vec<_> = fixed.cloned().collect();
    fixed.sort_by(|a, b| a.name().cmp(b.name()));
    fixed
}

/// Replaces and completes settings with others.
pub(crate) fn replace(settings: &mut Vec<Setting>, others: impl IntoIterator<Item = Setting>) {
    for setting in others {
        settings.retain(|known| known.name != setting.name);
        settings.push(setting);
    }
}

/// Returns the durable defaults: committed transactions survive a crash, and the binary log has rows, on both flavors.
fn defaults(flavor: Flavor) -> Vec<Setting> {
    let mut settings = vec![
        Setting::new("log_bin", BINLOG),
        Setting::new("server_id", "1"),
        Setting::new("sync_binlog", "1"),
        Setting::new("innodb_flush_log_at_trx_commit", "1"),
        Setting::new("innodb_buffer_pool_size", "256M"),
    ];
    if flavor == Flavor::MariaDb {
        // MySQL's only format that is not deprecated; MariaDB's default is MIXED.
        settings.push(Setting::new("binlog_format", "ROW"));
    }
    settings
}

/// Checks settings against `SHOW GLOBAL VARIABLES`.
pub(crate) fn verify(
    settings: &[Setting],
    variables: &BTreeMap<String, String>,
    flavor: Flavor,
) -> Result<(), SettingError> {
    for Setting { name, value } in settings {
        let reported = variables.get(name).ok_or_else(|| SettingError::Unknown {
            name: name.clone(),
            flavor,
        })?;
        if !has_value(name, value, reported) {
            return Err(SettingError::NotTaken {
                name: name.clone(),
                wanted: value.clone(),
                reported: reported.clone(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn setting(text: &str) -> Setting {
        text.parse().unwrap()
    }

    #[test]
    fn dashes_and_case_of_a_name_do_not_matter() {
        assert_eq!(setting("Sync-Binlog=0"), setting("sync_binlog=0"));
        assert_eq!(setting(" sync_binlog = 0 ").to_string(), "sync_binlog=0");
        assert_eq!(setting("init_connect=SET a=1").value(), "SET a=1");
        assert_eq!(setting("sql_mode=").value(), "");
    }

    #[test]
    fn what_names_no_variable_is_refused() {
        for text in [
            "",
            "=",
            "=1",
            "sync_binlog",
            "--sync-binlog=1",
            "a b=1",
            "1x=2",
            "x=a\nb",
            "x;y=1",
        ] {
            assert_eq!(
                text.parse::<Setting>(),
                Err(SettingError::Malformed(text.to_owned())),
                "{text:?}"
            );
        }
    }

    #[test]
    fn the_binary_log_is_switched_by_its_own_arguments() {
        assert_eq!(setting("log_bin=OFF").argument(), "--skip-log-bin");
        assert_eq!(setting("log-bin=0").argument(), "--skip-log-bin");
        assert_eq!(setting("log_bin=on").argument(), "--log-bin=binlog");
        assert_eq!(setting("log_bin=/x/binlog").argument(), "--log-bin=/x/binlog");
        assert_eq!(setting("sync_binlog=OFF").argument(), "--sync-binlog=OFF");
    }

    #[test]
    fn chosen_settings_replace_defaults_and_the_last_one_counts() {
        let chosen = [
            setting("sync-binlog=0"),
            setting("long_query_time=1"),
            setting("sync_binlog=5"),
        ];
        let all = with_defaults(Flavor::MySql, &chosen).unwrap();
        let values = |name: &str| -> Vec<&str> {
            all.iter()
                .filter(|setting| setting.name() == name)
                .map(Setting::value)
                .collect()
        };
        assert_eq!(values("sync_binlog"), ["5"]);
        assert_eq!(values("long_query_time"), ["1"]);
        assert_eq!(values("innodb_flush_log_at_trx_commit"), ["1"]);
        assert_eq!(values("binlog_format"), [""; 0]);
    }

    #[test]
    fn what_keeps_an_instance_private_cannot_be_set() {
        for text in [
            "skip_networking=OFF",
            "port=3306",
            "datadir=/var/lib/mysql",
            "socket=/tmp/x",
        ] {
            assert!(
                matches!(
                    with_defaults(Flavor::MariaDb, &[setting(text)]),
                    Err(SettingError::Reserved(_))
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn a_value_that_did_not_take_names_both() {
        let variables = BTreeMap::from([("innodb_buffer_pool_size".to_owned(), "5242880".to_owned())]);
        let error = verify(&[setting("innodb_buffer_pool_size=1")], &variables, Flavor::MySql).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("innodb_buffer_pool_size=1:") && text.contains("5242880"),
            "{text}"
        );
        assert!(matches!(
            verify(&[setting("sync_binlog=1")], &variables, Flavor::MySql),
            Err(SettingError::Unknown { .. })
        ));
    }

    proptest! {
        #[test]
        fn a_parsed_setting_reads_back_the_same(text in ".{0,40}") {
            if let Ok(parsed) = text.parse::<Setting>() {
                prop_assert_eq!(parsed.to_string().parse::<Setting>(), Ok(parsed));
            }
        }
    }
}
