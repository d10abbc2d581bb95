//! The private directory of one instance, and those that killed runs left behind.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::install::os_user::ServerUser;
use crate::instance::command_line::Places;
use crate::instance::error::StartError;
use crate::instance::placed_files::{PlacedFiles, Wanting};
use crate::process::error_log::ServerLog;
use crate::storage::disk_queue::sweep_queues;
use crate::storage::fs_image::{ImageConfig, ImageError};
use crate::storage::mount::Mounted;
use crate::storage::placed_dirs::{self, Placed};
use crate::storage::placement::Placement;
use logtrace_common::{FileClass, Flavor};

const PREFIX: &str = "instance-";

/// Starts the name of a directory of data that is kept between two servers.
const KEPT_PREFIX: &str = "kept-";

const LOCK: &str = "lock";

/// MySQL's directory of temporary tablespaces. By its name its files are known for what they are.
pub(crate) const INNODB_TEMPORARY: &str = "#innodb_temp";

/// Bytes of a socket's path, the ending NUL not counted (unix(7)).
const SOCKET_PATH_LIMIT: usize = 107;

/// `BASE/instance-XXXXXX`; removed when dropped. It holds `data`, `tmp`, the socket and a lock file that is
/// locked as long as this process lives. `data` and `tmp` may be in a file system of their own, mounted on `fs`, and
/// what is placed elsewhere in directories there.
#[derive(Debug)]
pub(crate) struct InstanceDir {
    // Dropped in this order: the lock outlives what it stands for.
    placed: Option<PlacedFiles>,
    image: Option<Mounted>,
    directory: LockedDir,
}

/// A directory that is locked as long as this process lives, and removed when dropped.
#[derive(Debug)]
pub(crate) struct LockedDir {
    directory: TempDir,
    _lock: File,
}

/// What [`sweep_stale`] did.
#[derive(Debug, Default)]
pub struct Swept {
    /// Directories that are gone.
    pub removed: Vec<PathBuf>,
    /// Directories that could not be removed wholly; the next sweep tries again.
    pub kept: Vec<(PathBuf, io::Error)>,
    /// Disks whose queue has its old settings again.
    pub queues: Vec<String>,
    /// Disks whose queue could not be put back.
    pub queues_left: Vec<(String, io::Error)>,
}

/// Removes the directories of instances and of kept data under `base` whose logtrace is gone, however it ended, and what
/// it placed elsewhere; puts back the queues of disks that it set.
pub fn sweep_stale(base: &Path) -> io::Result<Swept> {
    let mut swept = Swept::default();
    for (disk, done) in sweep_queues(base)? {
        match done {
            Ok(()) => swept.queues.push(disk),
            Err(error) => swept.queues_left.push((disk, error)),
        }
    }
    let _guard = guard(base)?;
    for name in instance_names(base)? {
        let path = base.join(name);
        if is_in_use(&path) {
            continue;
        }
        match remove_stale(&path) {
            Ok(()) => swept.removed.push(path),
            Err(error) => swept.kept.push((path, error)),
        }
    }
    Ok(swept)
}

/// Names of instances that have a directory, or a list of placed directories alone, and of kept data.
fn instance_names(base: &Path) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(base)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        if ![PREFIX, KEPT_PREFIX]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            continue;
        }
        if kind.is_dir() {
            names.insert(name);
        } else if let (true, Some(instance)) = (kind.is_file(), name.strip_suffix(placed_dirs::LIST)) {
            names.insert(instance.to_owned());
        }
    }
    Ok(names)
}

fn remove_stale(instance: &Path) -> io::Result<()> {
    placed_dirs::sweep(instance)?;
    match fs::remove_dir_all(instance) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes a directory that other users can pass, and checks that the server's user can get there.
pub(crate) fn create_open(path: &Path, user: &ServerUser) -> Result<PathBuf, StartError> {
    let fail = |what| StartError::directory(what, path);
    fs::create_dir_all(path).map_err(fail("create"))?;
    let path = path.canonicalize().map_err(fail("find"))?;
    match user.first_closed(&path).map_err(fail("inspect"))? {
        None => Ok(path),
        Some(closed) => Err(StartError::Closed {
            path: closed,
            user: user.name.clone(),
        }),
    }
}

impl InstanceDir {
    /// Makes a new one under `base`, which exists.
    pub(crate) fn create(base: &Path, user: &ServerUser) -> Result<Self, StartError> {
        let make = || {
            let dir = Self {
                image: None,
                placed: None,
                directory: LockedDir::create(base, PREFIX)?,
            };
            user.own(dir.path())?;
            Ok(dir)
        };
        let dir = make().map_err(StartError::directory("make an instance in", base))?;
        let socket = dir.places().socket;
        if socket.as_os_str().len() > SOCKET_PATH_LIMIT {
            return Err(StartError::SocketPath(socket));
        }
        Ok(dir)
    }

    /// Gives it a file system of its own.
    pub(crate) async fn mount(
        &mut self,
        image: &ImageConfig,
        user: &ServerUser,
        log: &ServerLog,
    ) -> Result<(), ImageError> {
        let mount_point = self.path().join("fs");
        self.image = Some(image.mount(self.path(), &mount_point, user, log).await?);
        Ok(())
    }

    /// Makes the places of what is elsewhere, and the directories that a server expects.
    pub(crate) async fn furnish(
        &mut self,
        placements: &[Placement],
        flavor: Flavor,
        user: &ServerUser,
        log: &ServerLog,
    ) -> Result<(), StartError> {
        let instance = self.path();
        let wanting = Wanting {
            instance,
            flavor,
            user,
            log,
        };
        self.placed = Some(PlacedFiles::create(wanting, placements).await?);
        let make = |directory: &Path| {
            placed_dirs::make(directory, user).map_err(StartError::directory("make", directory))
        };
        make(&self.places().tmp)?;
        match self.placed_for(FileClass::Temporary) {
            Some(directory) => make(&directory.join(INNODB_TEMPORARY)),
            None => Ok(()),
        }
    }

    /// Bytes of each class that were thrown away instead of written.
    pub(crate) fn discarded(&self) -> Vec<(FileClass, u64)> {
        self.placed.iter().flat_map(PlacedFiles::discarded).collect()
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.directory.path()
    }

    /// What is placed elsewhere.
    pub(crate) fn placed(&self) -> &[Placed] {
        self.placed.as_ref().map_or(&[], PlacedFiles::all)
    }

    /// The directory of a class that is placed elsewhere.
    pub(crate) fn placed_for(&self, class: FileClass) -> Option<&Path> {
        self.placed.as_ref()?.of(class)
    }

    pub(crate) fn places(&self) -> Places {
        let root = self.image.as_ref().map_or(self.path(), Mounted::path);
        let of = |class| self.placed_for(class).unwrap_or(root);
        Places {
            data: of(FileClass::Data).join("data"),
            tmp: of(FileClass::Temporary).join("tmp"),
            // Never in a file system that only this process sees: others may want to look at the server.
            socket: self.path().join("sock"),
        }
    }

    /// Removes it, and says so when that fails.
    pub(crate) fn remove(self) -> io::Result<()> {
        self.placed.map_or(Ok(()), PlacedFiles::remove)?;
        self.image.map_or(Ok(()), Mounted::unmount)?;
        self.directory.directory.close()
    }
}

impl LockedDir {
    /// A new directory for data that is kept; root's alone.
    pub(crate) fn to_keep(base: &Path) -> io::Result<Self> {
        Self::create(base, KEPT_PREFIX)
    }

    fn create(base: &Path, prefix: &str) -> io::Result<Self> {
        let _guard = guard(base)?;
        let directory = tempfile::Builder::new()
            .prefix(prefix)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(base)?;
        let lock = File::create(directory.path().join(LOCK))?;
        lock.lock()?;
        Ok(Self {
            directory,
            _lock: lock,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Removes it, and says so when that fails.
    pub(crate) fn remove(self) -> io::Result<()> {
        self.directory.close()
    }
}

/// Holds off others between the making of a directory and its locking. The lock is on `base` itself.
pub(crate) fn guard(base: &Path) -> io::Result<File> {
    let directory = File::open(base)?;
    directory.lock()?;
    Ok(directory)
}

fn is_in_use(directory: &Path) -> bool {
    let Ok(lock) = File::open(directory.join(LOCK)) else {
        return false;
    };
    matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directories_without_an_owner_are_swept() {
        let base = tempfile::tempdir().unwrap();
        let living = InstanceDir::create(base.path(), &ServerUser::me()).unwrap();
        let stale = base.path().join("instance-killed");
        fs::create_dir_all(stale.join("data/mysql")).unwrap();
        fs::write(stale.join(LOCK), "").unwrap();
        let kept = base.path().join("kept-killed");
        fs::create_dir(&kept).unwrap();
        let cut_short = base.path().join("instance-nolock");
        fs::create_dir(&cut_short).unwrap();
        let other = base.path().join("mysql");
        fs::create_dir(&other).unwrap();
        let list_alone = base.path().join("instance-placed");
        fs::write(base.path().join("instance-placed.placed"), "").unwrap();
        let mut removed = sweep_stale(base.path()).unwrap().removed;
        removed.sort();
        assert_eq!(removed, [stale, cut_short, list_alone, kept]);
        assert!(living.path().is_dir() && other.is_dir());
    }

    #[test]
    fn an_instance_directory_is_private_and_goes_with_its_owner() {
        let base = tempfile::tempdir().unwrap();
        let dir = InstanceDir::create(base.path(), &ServerUser::me()).unwrap();
        let path = dir.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        drop(dir);
        assert!(!path.exists());
        assert!(sweep_stale(base.path()).unwrap().removed.is_empty());
    }

    #[test]
    fn a_path_too_long_for_a_socket_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let long = base.path().join("x".repeat(90));
        fs::create_dir(&long).unwrap();
        assert!(matches!(
            InstanceDir::create(&long, &ServerUser::me()),
            Err(StartError::SocketPath(_))
        ));
        assert_eq!(fs::read_dir(&long).unwrap().count(), 0);
    }
}
