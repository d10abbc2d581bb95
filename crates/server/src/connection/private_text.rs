//! Files that hold passwords.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use anyhow::{Context, bail};
use rustix::fs::OFlags;

use crate::path_rule::own_users;
use logtrace_common::Password;

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// Reads the password in the first line of a file that only its owner may read.
pub fn read_password_file(path: &Path) -> anyhow::Result<Password> {
    let text = read_private(path)?;
    match text.lines().next() {
        Some(line) if !line.is_empty() => Ok(Password::new(line)),
        _ => bail!("{} has no password in its first line", path.display()),
    }
}

/// Reads a regular file. Fails if it belongs to somebody else than this user, root or the user who called sudo, or if
/// others than its owner may read or write it.
pub(crate) fn read_private(path: &Path) -> anyhow::Result<String> {
    let failed = || format!("cannot read {}", path.display());
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
        .with_context(failed)?;
    let found = file.metadata().with_context(failed)?;
    let path = path.display();
    if !found.is_file() {
        bail!("{path} is no regular file");
    }
    if !own_users().contains(&found.uid()) {
        bail!(
            "{path} belongs to user {}: a file with a password must be your own",
            found.uid()
        );
    }
    if found.mode() & 0o077 != 0 {
        bail!("others may read or write {path}, which holds a password: chmod 600 {path}");
    }
    let mut text = String::new();
    file.take(MAX_BYTES)
        .read_to_string(&mut text)
        .with_context(failed)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_a_private_regular_file_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("password");
        let read = || read_password_file(&file).map(|password| password.expose().to_owned());
        let refused = || format!("{:#}", read().unwrap_err());
        assert!(refused().contains("No such file"));
        fs::write(&file, "geheim \nsecond line").unwrap();
        for mode in [0o644, 0o640, 0o602] {
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            let error = refused();
            assert!(
                error.contains("chmod 600") && !error.contains("geheim"),
                "{error}"
            );
        }
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read().unwrap(), "geheim ");
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&file, Some(65_534), None).unwrap();
            assert!(refused().contains("belongs to user 65534"));
        }
        fs::remove_file(&file).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &file,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        assert!(refused().contains("no regular file"));
    }
}
