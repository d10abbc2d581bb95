//! Whether root may use a program or a file that a plan names.

use std::path::Path;

use anyhow::{Context, bail};

use crate::owned_path::objection;
use crate::path_rule::Trusted;

/// Checks that a program and the directories on its path belong to root or to the user who called sudo, and that nobody
/// else can write them. Accepts a program that does not exist. Only root needs this check: others get no rights that they
/// have not.
pub fn check_program_owner(program: &Path) -> anyhow::Result<()> {
    match rustix::process::geteuid().is_root() {
        true => check_owner("run", program, &Trusted::own()),
        false => Ok(()),
    }
}

/// Checks a file of SQL that root is to send to a server, as [`check_program_owner`] checks programs.
pub fn check_file_owner(file: &Path) -> anyhow::Result<()> {
    match rustix::process::geteuid().is_root() {
        true => check_owner("use", file, &Trusted::own()),
        false => Ok(()),
    }
}

fn check_owner(what: &str, file: &Path, trusted: &Trusted) -> anyhow::Result<()> {
    let failed = || format!("cannot look at {}", file.display());
    if !file.exists() {
        return Ok(());
    }
    match objection(file, trusted).with_context(failed)? {
        None => Ok(()),
        Some(reason) => bail!(
            "root does not {what} {}, which the plan names: {reason}. Change that, or trust the plan with --trust-plan",
            file.display()
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    use super::*;

    #[test]
    fn a_program_that_others_own_or_can_write_is_refused() -> io::Result<()> {
        let base = tempfile::tempdir()?;
        let me = base.path().metadata()?.uid();
        let directory = base.path().join("bin");
        fs::create_dir(&directory)?;
        let program = directory.join("mysqld");
        fs::write(&program, "")?;
        let link = base.path().join("link");
        symlink(&program, &link)?;
        let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode));
        let trusted = Trusted {
            users: vec![0, me],
            groups: vec![0],
        };
        let refused = || {
            check_owner("run", &link, &trusted)
                .err()
                .map(|error| error.to_string())
        };
        mode(&program, 0o755)?;
        mode(&directory, 0o755)?;
        assert_eq!(refused(), None);
        mode(&program, 0o757)?;
        assert!(refused().unwrap().contains("mysqld can be written by everybody"));
        mode(&program, 0o755)?;
        mode(&directory, 0o777)?;
        assert!(refused().unwrap().contains("bin can be written by everybody"));
        mode(&directory, 0o1777)?;
        assert_eq!(refused(), None, "nobody can replace the program");
        let open = base.path().join("open");
        fs::create_dir(&open)?;
        mode(&open, 0o777)?;
        let link_in_open = open.join("link");
        symlink(&program, &link_in_open)?;
        let error = check_owner("run", &link_in_open, &trusted)
            .unwrap_err()
            .to_string();
        assert!(error.contains("open can be written by everybody"), "{error}");
        if me == 0 {
            chown(&program, Some(65_534), None)?;
            assert!(refused().unwrap().contains("mysqld belongs to user 65534"));
            chown(&program, Some(0), Some(65_534))?;
            mode(&program, 0o775)?;
            assert!(refused().unwrap().contains("by group 65534"));
        }
        Ok(())
    }
}
