//! Server variables to set: `--set VAR=VALUE`, and the defaults of private instances.

pub(crate) mod change;
pub(crate) mod companions;
pub(crate) mod global_session;
pub(crate) mod global_value;
pub(crate) mod live;
pub(crate) mod other_changes;
pub(crate) mod set_global;
pub(crate) mod undo;
pub(crate) mod value_match;

use std::collections::BTreeMap;

use crate::error::SettingError;
use crate::settings::value_match::{has_value, truth};
use logtrace_common::{Flavor, Variable};

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

/// Returns whether logtrace itself chooses this variable of a private server.
pub fn is_reserved(variable: &Variable) -> bool {
    RESERVED.contains(&variable.name())
}

/// Returns whether a data directory depends on this variable.
pub fn is_fixed_at_initialisation(variable: &Variable) -> bool {
    FIXED_AT_INITIALISATION.contains(&variable.name())
}

/// Returns the server's command line argument that sets this variable.
pub(crate) fn argument(variable: &Variable) -> String {
    match (variable.name(), truth(variable.value())) {
        // log_bin is a file name on the command line, but a truth value in SHOW VARIABLES.
        ("log_bin", Some(false)) => "--skip-log-bin".to_owned(),
        ("log_bin", Some(true)) => format!("--log-bin={BINLOG}"),
        (name, _) => format!("--{}={}", name.replace('_', "-"), variable.value()),
    }
}

/// Returns the settings of a private instance: durable defaults, replaced and completed by `chosen`. The last of
/// several values for a variable counts.
pub(crate) fn with_defaults(flavor: Flavor, chosen: &[Variable]) -> Result<Vec<Variable>, SettingError> {
    if let Some(reserved) = chosen.iter().find(|setting| is_reserved(setting)) {
        return Err(SettingError::Reserved(reserved.name().to_owned()));
    }
    let mut settings = defaults(flavor);
    replace(&mut settings, chosen.iter().cloned());
    Ok(settings)
}

/// Returns the settings that a data directory depends on, sorted.
pub(crate) fn fixed_at_initialisation(settings: &[Variable]) -> Vec<Variable> {
    let fixed = settings
        .iter()
        .filter(|setting| is_fixed_at_initialisation(setting));
    let mut fixed: Vec<_> = fixed.cloned().collect();
    fixed.sort_by(|a, b| a.name().cmp(b.name()));
    fixed
}

/// Replaces and completes settings with others.
pub(crate) fn replace(settings: &mut Vec<Variable>, others: impl IntoIterator<Item = Variable>) {
    for setting in others {
        settings.retain(|known| known.name() != setting.name());
        settings.push(setting);
    }
}

/// Returns the durable defaults: committed transactions survive a crash, and the binary log has rows, on both flavors.
fn defaults(flavor: Flavor) -> Vec<Variable> {
    let mut settings = vec![
        Variable::new("log_bin", BINLOG),
        Variable::new("server_id", "1"),
        Variable::new("sync_binlog", "1"),
        Variable::new("innodb_flush_log_at_trx_commit", "1"),
        Variable::new("innodb_buffer_pool_size", "256M"),
    ];
    if flavor == Flavor::MariaDb {
        // MySQL's only format that is not deprecated; MariaDB's default is MIXED.
        settings.push(Variable::new("binlog_format", "ROW"));
    }
    settings
}

/// Checks settings against `SHOW GLOBAL VARIABLES`.
pub(crate) fn verify(
    settings: &[Variable],
    variables: &BTreeMap<String, String>,
    flavor: Flavor,
) -> Result<(), SettingError> {
    for setting in settings {
        let (name, value) = (setting.name(), setting.value());
        let reported = variables.get(name).ok_or_else(|| SettingError::Unknown {
            name: name.to_owned(),
            flavor,
        })?;
        if !has_value(name, value, reported) {
            return Err(SettingError::NotTaken {
                wanted: setting.clone(),
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

    fn setting(text: &str) -> Variable {
        text.parse().unwrap()
    }

    #[test]
    fn the_binary_log_is_switched_by_its_own_arguments() {
        assert_eq!(argument(&setting("log_bin=OFF")), "--skip-log-bin");
        assert_eq!(argument(&setting("log-bin=0")), "--skip-log-bin");
        assert_eq!(argument(&setting("log_bin=on")), "--log-bin=binlog");
        assert_eq!(argument(&setting("log_bin=/x/binlog")), "--log-bin=/x/binlog");
        assert_eq!(argument(&setting("sync_binlog=OFF")), "--sync-binlog=OFF");
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
                .map(Variable::value)
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
            if let Ok(parsed) = text.parse::<Variable>() {
                prop_assert_eq!(parsed.to_string().parse::<Variable>(), Ok(parsed));
            }
        }
    }
}
