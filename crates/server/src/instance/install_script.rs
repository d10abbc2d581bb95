//! MariaDB's script that initialises a data directory.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::install::path_list;

/// Paths of the script under the prefix of an installation.
const SCRIPTS: [&str; 4] = [
    "bin/mariadb-install-db",
    "scripts/mariadb-install-db",
    "bin/mysql_install_db",
    "scripts/mysql_install_db",
];

/// Paths of the program that the script calls first. It takes the first one that is there, and ends without one.
const PRINT_DEFAULTS: [&str; 2] = ["bin/my_print_defaults", "extra/my_print_defaults"];

/// Returns the path of the script. Fails with the remedy if the script or the program that it calls is not there or cannot
/// be executed: the script's own words ("FATAL ERROR: Could not find ...") name neither package nor remedy.
pub(crate) fn install_script(prefix: &Path) -> anyhow::Result<PathBuf> {
    let scripts = files(prefix, &SCRIPTS);
    let executable = scripts.iter().find(|script| is_executable(script));
    let Some(script) = executable.or(scripts.first()) else {
        bail!(
            "found none of {} to initialise a data directory: install the whole of MariaDB's server package",
            path_list(&SCRIPTS.map(|path| prefix.join(path)))
        )
    };
    check_executable(script)?;
    let called = files(prefix, &PRINT_DEFAULTS).into_iter().next();
    let called = called.with_context(|| {
        format!(
            "{} needs my_print_defaults to initialise a data directory, and none of {} is there: install the package that \
             has it, which is MariaDB's client package (mariadb-client-core on Debian)",
            script.display(),
            path_list(&PRINT_DEFAULTS.map(|path| prefix.join(path)))
        )
    })?;
    check_executable(&called)?;
    Ok(script.clone())
}

/// Returns those of the paths under the prefix that are files.
fn files(prefix: &Path, paths: &[&str]) -> Vec<PathBuf> {
    let paths = paths.iter().map(|path| prefix.join(path));
    paths.filter(|path| path.is_file()).collect()
}

fn is_executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

fn check_executable(file: &Path) -> anyhow::Result<()> {
    if !is_executable(file) {
        let file = file.display();
        bail!(
            "{file} cannot be executed, and initialising a data directory needs it: the archive was unpacked without its \
             modes. Run chmod +x {file}"
        )
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use tempfile::TempDir;

    use super::*;

    /// Makes an installation with these files and their modes.
    fn installation(files: &[(&str, u32)]) -> TempDir {
        let prefix = tempfile::tempdir().unwrap();
        for (name, mode) in files {
            let path = prefix.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(*mode)).unwrap();
        }
        prefix
    }

    fn refused(files: &[(&str, u32)]) -> String {
        let prefix = installation(files);
        install_script(prefix.path()).unwrap_err().to_string()
    }

    #[test]
    fn the_script_is_found_where_packages_put_it() {
        for (script, called) in [
            ("bin/mariadb-install-db", "bin/my_print_defaults"),
            ("scripts/mysql_install_db", "extra/my_print_defaults"),
        ] {
            let prefix = installation(&[(script, 0o755), (called, 0o755)]);
            let found = install_script(prefix.path()).unwrap();
            assert_eq!(found, prefix.path().join(script));
        }
    }

    #[test]
    fn a_script_that_can_be_executed_is_preferred() {
        let prefix = installation(&[
            ("bin/mariadb-install-db", 0o644),
            ("scripts/mariadb-install-db", 0o755),
            ("bin/my_print_defaults", 0o755),
        ]);
        let found = install_script(prefix.path()).unwrap();
        assert_eq!(found, prefix.path().join("scripts/mariadb-install-db"));
    }

    #[test]
    fn a_file_that_cannot_be_executed_is_named_with_the_remedy() {
        let script = ("bin/mariadb-install-db", 0o755);
        for (name, mode) in [script, ("bin/my_print_defaults", 0o755)] {
            let mut files = [script, ("bin/my_print_defaults", mode)];
            let file = files.iter_mut().find(|file| file.0 == name).unwrap();
            file.1 = 0o644;
            let error = refused(&files);
            let remedy = error.split("chmod +x ").nth(1).unwrap();
            assert!(remedy.ends_with(name), "{error}");
        }
    }

    #[test]
    fn a_missing_program_of_the_script_is_named_with_its_package() {
        let error = refused(&[("bin/mariadb-install-db", 0o755)]);
        for word in [
            "bin/mariadb-install-db needs my_print_defaults",
            "extra/my_print_defaults",
            "mariadb-client-core",
        ] {
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn a_mariadb_without_its_script_says_where_it_was_looked_for() {
        let error = refused(&[("bin/my_print_defaults", 0o755)]);
        for word in [
            "bin/mariadb-install-db",
            "scripts/mysql_install_db",
            "install the whole",
        ] {
            assert!(error.contains(word), "{error}");
        }
    }
}
