//! Results of root, given to the user who ran sudo, so that `logtrace report` needs no root.
//!
//! Nothing here follows a link or a path: every file is opened inside of a directory that is open already, and changed by
//! its descriptor.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Uid, fchown, fstat, openat, statat};
use rustix::process::geteuid;

/// Largest depth of directories: a study has `cells/CELL/REPEAT/FILE`.
const DEEPEST: u32 = 6;

/// User who ran sudo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Caller {
    user: Uid,
    group: Gid,
}

impl Caller {
    /// Returns the user who ran sudo, if root was reached so.
    fn of_sudo() -> Option<Self> {
        let number = |name| std::env::var(name).ok()?.parse().ok();
        let (user, group) = (number("SUDO_UID")?, number("SUDO_GID")?);
        let is_sudo = user != 0 && geteuid().is_root();
        is_sudo.then(|| Self {
            user: Uid::from_raw(user),
            group: Gid::from_raw(group),
        })
    }
}

/// Gives a file to the user who ran sudo. Does nothing for a user who did not.
pub(crate) fn hand_over_file(file: &Path) -> io::Result<()> {
    match Caller::of_sudo() {
        Some(caller) => own(&File::from(openat(CWD, file, FILE, Mode::empty())?), caller),
        None => Ok(()),
    }
}

/// Gives a directory of results with all files in it to the user who ran sudo. Does nothing for a user who did not.
pub(crate) fn hand_over(results: &Path) -> io::Result<()> {
    let Some(caller) = Caller::of_sudo() else {
        return Ok(());
    };
    let parent = results.parent().unwrap_or(results);
    give(&openat(CWD, results, DIRECTORY, Mode::empty())?, caller, DEEPEST)?;
    // The usual parent is made with the first run in it; without it the user could not get there.
    if parent
        .file_name()
        .is_some_and(|name| name == "logtrace-runs" || name == "logtrace-studies")
    {
        let parent = openat(CWD, parent, DIRECTORY, Mode::empty())?;
        own(&parent, caller)?;
    }
    Ok(())
}

const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::RDONLY)
    .union(OFlags::CLOEXEC);

/// A FIFO or a device of others is not waited for.
const FILE: OFlags = OFlags::NOFOLLOW
    .union(OFlags::RDONLY)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Gives a directory and what is in it.
fn give(directory: &OwnedFd, caller: Caller, depth: u32) -> io::Result<()> {
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let kind = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode;
        match FileType::from_raw_mode(kind) {
            FileType::Directory if depth > 0 => {
                give(
                    &openat(directory, name, DIRECTORY, Mode::empty())?,
                    caller,
                    depth - 1,
                )?;
            }
            FileType::RegularFile => own(&File::from(openat(directory, name, FILE, Mode::empty())?), caller)?,
            _ => {}
        }
    }
    own(directory, caller)
}

/// Gives one file or directory of root's that has no other name.
fn own(file: &impl AsFd, caller: Caller) -> io::Result<()> {
    let facts = fstat(file)?;
    let kind = FileType::from_raw_mode(facts.st_mode);
    let is_single = kind == FileType::Directory || (kind == FileType::RegularFile && facts.st_nlink == 1);
    if facts.st_uid == 0 && is_single {
        fchown(file, Some(caller.user), Some(caller.group))?;
    }
    Ok(())
}

#[cfg(test)]
mod needs_root {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    #[test]
    fn results_are_given_and_what_links_lead_to_is_not() {
        let place = tempfile::tempdir().unwrap();
        let (results, others) = (place.path().join("run"), place.path().join("others"));
        fs::create_dir_all(results.join("cells/a")).unwrap();
        for path in [
            &results.join("run.json"),
            &results.join("cells/a/run.json"),
            &others,
        ] {
            fs::write(path, "text").unwrap();
        }
        symlink(&others, results.join("link")).unwrap();
        fs::hard_link(&others, results.join("hard")).unwrap();
        symlink(place.path(), results.join("up")).unwrap();
        let caller = Caller {
            user: Uid::from_raw(65_534),
            group: Gid::from_raw(65_534),
        };
        let opened = openat(CWD, &results, DIRECTORY, Mode::empty()).unwrap();
        give(&opened, caller, DEEPEST).unwrap();
        let owner = |path: &Path| fs::metadata(path).unwrap().uid();
        for name in ["", "run.json", "cells", "cells/a", "cells/a/run.json"] {
            assert_eq!(owner(&results.join(name)), 65_534, "{name}");
        }
        assert_eq!((owner(&others), owner(place.path())), (0, 0));
        let link = openat(CWD, results.join("up"), DIRECTORY, Mode::empty());
        assert!(link.is_err(), "a link is no directory");
    }
}
