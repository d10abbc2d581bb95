//! Settings that hold paths, which stay in a private server's own directories.
//!
//! Some forty variables hold paths. They are not listed: each value with an absolute path or `..` is refused, but for
//! the exceptions below.

use std::path::{Component, Path};

use crate::error::SettingError;
use crate::storage::Placement;
use crate::storage::config::Storage;
use crate::storage::file_location::FileLocation;
use logtrace_common::Variable;

/// Variables whose values have slashes without being paths: names of time zones, and SQL.
const NO_PATHS: [&str; 5] = [
    "default_time_zone",
    "init_connect",
    "init_replica",
    "init_slave",
    "time_zone",
];

/// Variables of certificates and keys. The server only reads them, with the rights of its own user.
const READ_ONLY: [&str; 6] = [
    "ssl_ca",
    "ssl_capath",
    "ssl_cert",
    "ssl_crl",
    "ssl_crlpath",
    "ssl_key",
];

/// Characters that separate paths in lists, and paths from sizes (`ibdata1:12M;ibdata2:10M:autoextend`).
const SEPARATORS: [char; 4] = [':', ';', ',', ' '];

/// Refuses settings that lead the server to files outside of its own directories: it would write to them. Directories
/// of placements are its own too.
pub fn check_path_values(settings: &[Variable], storage: &Storage) -> Result<(), SettingError> {
    let is_own = |path: &str| {
        let path = Path::new(path);
        path == Path::new("/dev/null")
            || storage
                .placements
                .iter()
                .any(|placement| is_placed_in(path, placement))
            || storage.directories.iter().any(|directory| is_in(path, directory))
    };
    let leads_out = |setting: &&Variable| {
        let mut parts = setting.value().split(SEPARATORS);
        let may_name_any = NO_PATHS.contains(&setting.name()) || READ_ONLY.contains(&setting.name());
        !may_name_any && parts.any(|part| is_outside(part) && !is_own(part))
    };
    match settings.iter().find(leads_out) {
        Some(setting) => Err(SettingError::Path(setting.clone())),
        None => Ok(()),
    }
}

/// Returns whether a path may be outside of the data directory, to which servers take relative paths.
fn is_outside(path: &str) -> bool {
    path.starts_with(['/', '~']) || has_parent(Path::new(path))
}

fn is_placed_in(path: &Path, placement: &Placement) -> bool {
    matches!(&placement.place, FileLocation::Directory(directory) if is_in(path, directory))
}

fn is_in(path: &Path, directory: &Path) -> bool {
    directory.is_absolute() && path.starts_with(directory) && !has_parent(path)
}

fn has_parent(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables of both servers that hold paths of files which the server writes, reads or runs.
    const PATHS: &str = "innodb_data_home_dir innodb_log_group_home_dir innodb_undo_directory innodb_data_file_path \
        innodb_temp_data_file_path innodb_temp_tablespaces_dir innodb_doublewrite_dir innodb_directories innodb_tmpdir \
        log_bin log_bin_index relay_log relay_log_index relay_log_info_file master_info_file general_log_file \
        slow_query_log_file log_error tmpdir slave_load_tmpdir replica_load_tmpdir init_file plugin_dir plugin_load \
        plugin_load_add lc_messages_dir character_sets_dir secure_file_priv aria_log_dir_path server_audit_file_path \
        log_tc keyring_file_data audit_log_file innodb_buffer_pool_filename";

    #[test]
    fn every_path_outside_of_the_instance_is_refused() {
        let check = |text: String| check_path_values(&[text.parse().unwrap()], &Storage::default());
        for name in PATHS.split_whitespace() {
            for value in [
                "/var/lib/mysql/ibdata1",
                "../ibdata1",
                "a/../../b",
                "ok:12M;/abs:10M",
                "~root/x",
            ] {
                let error = check(format!("{name}={value}")).unwrap_err();
                assert_eq!(
                    error,
                    SettingError::Path(format!("{name}={value}").parse().unwrap())
                );
            }
            for value in [
                "file",
                "./sub/file",
                "/dev/null",
                "a:12M;b:10M:autoextend",
                "OFF",
                "",
            ] {
                assert_eq!(check(format!("{name}={value}")), Ok(()), "{name}={value}");
            }
        }
        for text in ["default_time_zone=/Europe/Berlin", "ssl_cert=/etc/mysql/cert.pem"] {
            assert_eq!(check(text.to_owned()), Ok(()));
        }
    }

    #[test]
    fn directories_of_placements_are_the_servers_own() {
        let storage = Storage {
            placements: vec!["redo=/mnt/fast".parse().unwrap()],
            ..Storage::default()
        };
        let check = |value: &str| check_path_values(&[Variable::new("innodb_tmpdir", value)], &storage);
        assert_eq!(check("/mnt/fast/tmp"), Ok(()));
        for value in ["/mnt/fast/../slow", "/mnt/faster", "/mnt"] {
            assert!(check(value).is_err(), "{value}");
        }
    }
}
