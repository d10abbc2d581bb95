//! Directories in which nobody can mislead root: `--out`, `--home`, `--place`.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{self, Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, mkdirat, openat, readlinkat};
use rustix::io::Errno;
use thiserror::Error;

use crate::path_rule::{PathPart, Trusted};

/// Largest number of links in a path, as in the kernel (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// Who may make entries in a directory at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// Root and the caller alone: logtrace trusts what it finds there.
    Ours,
    /// Others too, if the directory is sticky as `/tmp` is: logtrace makes new entries alone.
    OthersIfSticky,
}

/// Part of a path that others can change.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{what}, and could lead root elsewhere: use a directory of root or your own that nobody else can write to"
)]
struct Untrusted {
    what: String,
}

/// Returns `path` without links. Under root, the rule of `path_rule.rs` holds for each part of it, links
/// included. systemd walks paths in this way (`CHASE_SAFE`, src/basic/chase.c). A working directory may be a neighbour's,
/// with `logtrace-runs` in it already. `openat2` has no flag for this: it can refuse links, but not by their owner.
///
/// Makes missing directories with `mode`, if there is one; otherwise a missing part is an error of the kind `NotFound`.
pub fn trusted_directory(path: &Path, mode: Option<u32>, writers: Writers) -> io::Result<PathBuf> {
    PathWalk::new(trusted())?.to(path, mode, writers)
}

/// Returns whose directories root may work in, or `None` if this is not root: then links lead only to what the caller can
/// change anyway.
fn trusted() -> Option<Trusted> {
    rustix::process::geteuid().is_root().then(Trusted::own)
}

/// Walk along a path, from the root of the file system.
struct PathWalk {
    trusted: Option<Trusted>,
    /// Path so far, without links.
    path: PathBuf,
    /// Its directories, from the root.
    open: Vec<OwnedFd>,
    links: usize,
}

impl PathWalk {
    fn new(trusted: Option<Trusted>) -> io::Result<Self> {
        let mut walk = Self {
            trusted,
            path: PathBuf::from("/"),
            open: Vec::new(),
            links: 0,
        };
        walk.enter(openat(CWD, "/", FLAGS, Mode::empty())?, OsStr::new(""))?;
        Ok(walk)
    }

    fn to(mut self, path: &Path, mode: Option<u32>, writers: Writers) -> io::Result<PathBuf> {
        let mut rest = parts(&path::absolute(path)?);
        while let Some(name) = rest.pop_front() {
            if name == ".." {
                if self.open.len() > 1 {
                    self.open.pop();
                    self.path.pop();
                }
            } else if let Some(target) = self.step(&name, mode)? {
                if target.is_absolute() {
                    self.open.truncate(1);
                    self.path = PathBuf::from("/");
                }
                let mut all = parts(&target);
                all.append(&mut rest);
                rest = all;
            }
        }
        let last = self.open.last().map(fstat).transpose()?;
        if let (Writers::Ours, Some(stat)) = (writers, last) {
            self.check(PathPart::from(&stat).not_sticky(), &self.path)?;
        }
        Ok(self.path)
    }

    /// Enters the directory `name`, or returns the target of the link of this name.
    fn step(&mut self, name: &OsStr, mode: Option<u32>) -> io::Result<Option<PathBuf>> {
        let Some(parent) = self.open.last() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let open = || openat(parent, name, FLAGS, Mode::empty());
        let found = match (open(), mode) {
            (Err(Errno::NOENT), Some(mode)) => match mkdirat(parent, name, Mode::from_raw_mode(mode)) {
                // Whoever was faster: it is checked as any other.
                Ok(()) | Err(Errno::EXIST) => open(),
                Err(error) => Err(error),
            },
            (found, _) => found,
        }?;
        let stat = fstat(&found)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => {
                self.check(PathPart::from(&stat), &self.path.join(name))?;
                self.links += 1;
                if self.links > MOST_LINKS {
                    return Err(Errno::LOOP.into());
                }
                let target = readlinkat(&found, "", Vec::new())?;
                Ok(Some(OsString::from_vec(target.into_bytes()).into()))
            }
            FileType::Directory => self.enter(found, name).map(|()| None),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Goes on in a directory that nobody else can change.
    fn enter(&mut self, directory: OwnedFd, name: &OsStr) -> io::Result<()> {
        let stat = fstat(&directory)?;
        let path = self.path.join(name);
        self.check(PathPart::from(&stat), &path)?;
        self.path = path;
        self.open.push(directory);
        Ok(())
    }

    fn check(&self, part: PathPart, path: &Path) -> io::Result<()> {
        let objection = self
            .trusted
            .as_ref()
            .and_then(|trusted| trusted.objection_to(part));
        match objection {
            Some(reason) => Err(untrusted(format!("{} {reason}", path.display()))),
            None => Ok(()),
        }
    }
}

/// Flags of each part of a path: neither is it followed if it is a link, nor is anything opened.
const FLAGS: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

fn untrusted(what: String) -> io::Error {
    io::Error::other(Untrusted { what })
}

/// Returns the names in a path, including `..`.
fn parts(path: &Path) -> VecDeque<OsString> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().filter_map(name).collect()
}

#[cfg(test)]
mod needs_root {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};

    use tempfile::TempDir;

    use super::*;

    /// User that is neither root nor the caller.
    const STRANGER: u32 = 4_000_000;

    /// Makes a directory of root with these directories.
    fn tree(directories: &[&str]) -> (TempDir, PathBuf) {
        let base = tempfile::tempdir().unwrap();
        for directory in directories {
            fs::create_dir_all(base.path().join(directory)).unwrap();
        }
        let path = base.path().to_owned();
        (base, path)
    }

    fn walk(path: &Path, writers: Writers) -> Result<PathBuf, String> {
        trusted_directory(path, None, writers).map_err(|error| error.to_string())
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn links_of_root_are_followed_and_missing_parts_are_made() {
        let (_base, path) = tree(&["a/b", "c"]);
        symlink("../c", path.join("a/up")).unwrap();
        symlink(path.join("a"), path.join("whole")).unwrap();
        let there = path.join("whole/b/../up/./new/newer");
        let error = trusted_directory(&there, None, Writers::Ours).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let made = trusted_directory(&there, Some(0o700), Writers::Ours).unwrap();
        assert_eq!(made, path.canonicalize().unwrap().join("c/new/newer"));
        assert_eq!(made.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        symlink("loop", path.join("loop")).unwrap();
        assert!(walk(&path.join("loop"), Writers::Ours).is_err());
    }

    #[test]
    fn a_part_of_somebody_else_is_refused() {
        let (_base, path) = tree(&["theirs/mine", "mine"]);
        chown(path.join("theirs"), Some(STRANGER), None).unwrap();
        symlink("mine", path.join("link")).unwrap();
        lchown(path.join("link"), Some(STRANGER), None).unwrap();
        for name in ["theirs", "theirs/mine", "theirs/../mine", "link"] {
            let error = walk(&path.join(name), Writers::OthersIfSticky).unwrap_err();
            assert!(
                error.contains(&format!("belongs to user {STRANGER}")),
                "{name}: {error}"
            );
        }
        let walk = PathWalk::new(Some(Trusted::own().and_user(STRANGER))).unwrap();
        let theirs = path.join("theirs/mine");
        assert_eq!(
            walk.to(&theirs, None, Writers::Ours).unwrap(),
            theirs,
            "the caller's own"
        );
    }

    #[test]
    fn a_part_that_others_can_write_is_refused_unless_it_is_sticky() {
        let (_base, path) = tree(&["open/in", "group/in", "sticky/in"]);
        set_mode(&path.join("open"), 0o777);
        set_mode(&path.join("sticky"), 0o1777);
        set_mode(&path.join("group"), 0o770);
        assert!(
            walk(&path.join("group/in"), Writers::Ours).is_ok(),
            "root's own group"
        );
        chown(path.join("group"), None, Some(STRANGER)).unwrap();
        for (name, who) in [("open", "everybody"), ("group", "group 4000000")] {
            let error = walk(&path.join(name).join("in"), Writers::OthersIfSticky).unwrap_err();
            assert!(
                error.contains(&format!("{name} can be written by {who}")),
                "{error}"
            );
        }
        assert!(walk(&path.join("sticky/in"), Writers::Ours).is_ok());
        assert!(walk(&path.join("sticky"), Writers::OthersIfSticky).is_ok());
        assert!(walk(&path.join("sticky"), Writers::Ours).is_err());
    }
}
