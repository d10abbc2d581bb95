//! Directories of a data set: a partition for each table and run.
//!
//! Others may make entries in a data set that is sticky. So each directory below it is opened inside of its parent, no link is
//! followed, and what is done in it is done by its descriptor.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use logtrace_dataset::DatasetTable;
use logtrace_server::{Writers, trusted_directory};
use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, flock, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;
use strum::IntoEnumIterator;

/// Name of the file of a table and a run.
const FILE: &str = "part-0.parquet";
/// Name of the same while it is written.
const PARTIAL: &str = "part-0.parquet.partial";

/// Data set.
#[derive(Debug)]
pub(crate) struct DataSet {
    /// Path without links.
    path: PathBuf,
    directory: OwnedFd,
}

/// Part of a data set that has one run. It is locked against other processes.
#[derive(Debug)]
pub(crate) struct Partition<'a> {
    data_set: &'a DataSet,
    /// Directories of the day and of the run.
    names: [String; 2],
    _lock: OwnedFd,
}

impl DataSet {
    /// Opens a data set, and makes it if there is none.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let failed = || format!("cannot create the data set {}", path.display());
        let path = trusted_directory(path, Some(0o700), Writers::OthersIfSticky).with_context(failed)?;
        let directory = openat(CWD, &path, DIRECTORY, Mode::empty()).with_context(failed)?;
        Ok(Self { path, directory })
    }

    /// Opens the part of a run, and waits until no other process writes it.
    pub(crate) fn partition(&self, names: [String; 2]) -> anyhow::Result<Partition<'_>> {
        // A table that each run has, so that its directory stays.
        let lock = self.make(DatasetTable::Runs, &names)?;
        match flock(&lock, FlockOperation::LockExclusive) {
            // Some file systems of networks have no such locks: there, two at once are up to the user.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOLCK | Errno::BADF | Errno::INVAL) => {}
            Err(error) => bail!(
                "cannot lock {}: {error}",
                self.shown(DatasetTable::Runs, &names).display()
            ),
        }
        Ok(Partition {
            data_set: self,
            names,
            _lock: lock,
        })
    }

    /// Opens the directory of a table and a run, and makes what is missing of it.
    fn make(&self, table: DatasetTable, names: &[String; 2]) -> anyhow::Result<OwnedFd> {
        let path = self.shown(table, names);
        let failed = || {
            format!(
                "cannot use {}: it has to be a directory, and no link",
                path.display()
            )
        };
        let make = |parent: &OwnedFd, name: &str| match mkdirat(parent, name, Mode::RWXU) {
            Err(Errno::EXIST) => Ok(()),
            made => made,
        };
        self.enter(table, names, make).with_context(failed)?;
        // Under root: nobody else can change a part of it from now on. What was opened before may have been another one.
        trusted_directory(&path, None, Writers::Ours).with_context(failed)?;
        self.enter(table, names, |_, _| Ok(())).with_context(failed)
    }

    /// Opens the directory of a table and a run. `before` is called before each part is opened.
    fn enter(
        &self,
        table: DatasetTable,
        names: &[String; 2],
        before: impl Fn(&OwnedFd, &str) -> Result<(), Errno>,
    ) -> io::Result<OwnedFd> {
        let day = self.enter_day(table, &names[0], &before)?;
        Ok(part(&day, &names[1], &before)?)
    }

    /// Opens the directory of a table and a day.
    fn enter_day(
        &self,
        table: DatasetTable,
        day: &str,
        before: impl Fn(&OwnedFd, &str) -> Result<(), Errno>,
    ) -> io::Result<OwnedFd> {
        let table = part(&self.directory, &table.to_string(), &before)?;
        Ok(part(&table, day, &before)?)
    }

    fn shown(&self, table: DatasetTable, [day, run]: &[String; 2]) -> PathBuf {
        self.path.join(table.to_string()).join(day).join(run)
    }
}

/// Opens a directory in another one. No name has a `/`, so that `O_NOFOLLOW` is about all of it.
fn part(
    parent: &OwnedFd,
    name: &str,
    before: impl Fn(&OwnedFd, &str) -> Result<(), Errno>,
) -> Result<OwnedFd, Errno> {
    before(parent, name)?;
    openat(parent, name, DIRECTORY, Mode::empty())
}

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

const NEW: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

impl Partition<'_> {
    /// Creates the file of a table, which has another name until all are complete.
    pub(crate) fn create(&self, table: DatasetTable) -> io::Result<File> {
        let directory = self.data_set.make(table, &self.names).map_err(io::Error::other)?;
        // What a killed process left.
        gone(unlinkat(&directory, PARTIAL, AtFlags::empty()))?;
        Ok(openat(&directory, PARTIAL, NEW, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Gives the files their names. Removes what the run had at a higher level before.
    pub(crate) fn complete(&self) -> io::Result<()> {
        for table in DatasetTable::iter() {
            let Some(directory) = self.there(table)? else {
                continue;
            };
            match renameat(&directory, PARTIAL, &directory, FILE) {
                Err(Errno::NOENT) => self.remove(table, &directory)?,
                renamed => renamed?,
            }
        }
        Ok(())
    }

    /// Removes files that are not complete.
    pub(crate) fn discard(&self) {
        for table in DatasetTable::iter() {
            if let Ok(Some(directory)) = self.there(table) {
                // The error that brought us here is the one to report.
                let _ = unlinkat(&directory, PARTIAL, AtFlags::empty());
            }
        }
    }

    /// Opens the directory of a table, if there is one.
    fn there(&self, table: DatasetTable) -> io::Result<Option<OwnedFd>> {
        match self.data_set.enter(table, &self.names, |_, _| Ok(())) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Removes the file of a table, and its directory if nothing else is in it.
    fn remove(&self, table: DatasetTable, directory: &OwnedFd) -> io::Result<()> {
        gone(unlinkat(directory, FILE, AtFlags::empty()))?;
        let [day, run] = &self.names;
        let parent = self.data_set.enter_day(table, day, |_, _| Ok(()))?;
        match unlinkat(&parent, run.as_str(), AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY) => Ok(()),
            removed => gone(removed),
        }
    }
}

fn gone(removed: Result<(), Errno>) -> io::Result<()> {
    match removed {
        Err(Errno::NOENT) => Ok(()),
        removed => Ok(removed?),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    fn names() -> [String; 2] {
        ["date=2026-01-01".to_owned(), "run=a-1".to_owned()]
    }

    #[test]
    fn a_planted_link_leads_no_file_out_of_a_sticky_data_set() {
        let place = tempfile::tempdir().unwrap();
        let (data, away) = (place.path().join("data"), place.path().join("away"));
        fs::create_dir(&data).unwrap();
        fs::create_dir(&away).unwrap();
        fs::set_permissions(&data, Permissions::from_mode(0o1777)).unwrap();
        for part in ["runs", "runs/date=2026-01-01", "runs/date=2026-01-01/run=a-1"] {
            let link = data.join(part);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(&away, &link).unwrap();
            let error = DataSet::open(&data).unwrap().partition(names()).unwrap_err();
            assert!(format!("{error:#}").contains("and no link"), "{part}: {error:#}");
            assert_eq!(fs::read_dir(&away).unwrap().count(), 0, "{part}");
            fs::remove_file(&link).unwrap();
        }
    }

    #[test]
    fn a_file_is_there_when_all_are_and_a_lower_level_removes_others() {
        let place = tempfile::tempdir().unwrap();
        let data_set = DataSet::open(&place.path().join("data")).unwrap();
        let partition = data_set.partition(names()).unwrap();
        let path = |table: DatasetTable| data_set.shown(table, &names());
        for tables in [
            &[DatasetTable::Runs, DatasetTable::Commits][..],
            &[DatasetTable::Runs],
        ] {
            for &table in tables {
                partition.create(table).unwrap().write_all(b"rows").unwrap();
                assert!(path(table).join(PARTIAL).exists());
            }
            partition.complete().unwrap();
            assert_eq!(path(DatasetTable::Commits).join(FILE).exists(), tables.len() == 2);
        }
        partition.create(DatasetTable::Runs).unwrap();
        partition.discard();
        assert_eq!(fs::read(path(DatasetTable::Runs).join(FILE)).unwrap(), b"rows");
        assert_eq!(fs::read_dir(path(DatasetTable::Runs)).unwrap().count(), 1);
    }

    mod needs_root {
        use super::*;

        #[test]
        fn under_root_a_part_of_somebody_else_is_refused() {
            let place = tempfile::tempdir().unwrap();
            fs::set_permissions(place.path(), Permissions::from_mode(0o1777)).unwrap();
            fs::create_dir(place.path().join("runs")).unwrap();
            chown(place.path().join("runs"), Some(65_534), None).unwrap();
            let data_set = DataSet::open(place.path()).unwrap();
            let error = format!("{:#}", data_set.partition(names()).unwrap_err());
            assert!(error.contains("belongs to user 65534"), "{error}");
        }
    }
}
