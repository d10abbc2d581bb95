//! Private directory of an instance.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use crate::error::ServerError;
use crate::facts::placed::Placed;
use crate::install::os_user::ServerUser;
use crate::instance::command_line::InstancePaths;
use crate::instance::placed_files::{PlacedFiles, Wanting};
use crate::process::error_log::ServerLog;
use crate::storage::fs_image::ImageConfig;
use crate::storage::locked_dir::LockedDir;
use crate::storage::mount::Mounted;
use crate::storage::placed_dirs;
use crate::storage::placement::{INNODB_TEMPORARY, Placement};
use logtrace_common::{FileClass, Flavor};

/// Start of the name of an instance's directory.
pub(crate) const INSTANCE_PREFIX: &str = "instance-";

/// Largest length of a socket's path in bytes, without the final NUL (unix(7)).
const SOCKET_PATH_LIMIT: usize = 107;

/// Directory `BASE/instance-XXXXXX`, which is removed when dropped.
///
/// It holds `data`, `tmp`, the socket and a lock file that is locked as long as this process lives. `data` and `tmp`
/// may be in a file system of their own, mounted on `fs`. Placed files are in directories elsewhere.
#[derive(Debug)]
pub(crate) struct InstanceDir {
    // Dropped in this order: the lock outlives what it stands for.
    placed: Option<PlacedFiles>,
    image: Option<Mounted>,
    directory: LockedDir,
}

/// Makes a directory and checks that the server's user may enter it.
pub(crate) fn create_open(path: &Path, user: &ServerUser) -> Result<PathBuf, ServerError> {
    let fail = |what| ServerError::directory(what, path);
    fs::create_dir_all(path).map_err(fail("create"))?;
    let path = path.canonicalize().map_err(fail("find"))?;
    match user.first_closed(&path).map_err(fail("inspect"))? {
        None => Ok(path),
        Some(closed) => Err(anyhow!(
            "the server runs as user {}, who may not enter {closed}: chmod o+x {closed}, or choose another directory with \
             --home",
            user.name,
            closed = closed.display()
        )
        .into()),
    }
}

impl InstanceDir {
    /// Makes a new directory under `base`, which exists.
    pub(crate) fn create(base: &Path, user: &ServerUser) -> Result<Self, ServerError> {
        let make = || {
            let dir = Self {
                image: None,
                placed: None,
                directory: LockedDir::create(base, INSTANCE_PREFIX)?,
            };
            user.own(dir.path())?;
            Ok(dir)
        };
        let dir = make().map_err(ServerError::directory("make an instance in", base))?;
        let socket = dir.paths().socket;
        if socket.as_os_str().len() > SOCKET_PATH_LIMIT {
            let socket = socket.display();
            return Err(anyhow!(
                "the socket's path {socket} is longer than {SOCKET_PATH_LIMIT} bytes: choose a directory with a shorter path"
            )
            .into());
        }
        Ok(dir)
    }

    /// Makes and mounts a file system for the instance.
    pub(crate) async fn mount(
        &mut self,
        image: &ImageConfig,
        user: &ServerUser,
        log: &ServerLog,
    ) -> Result<(), ServerError> {
        let mount_point = self.path().join("fs");
        self.image = Some(image.mount(self.path(), &mount_point, user, log).await?);
        Ok(())
    }

    /// Makes the locations of placed files, and the directories that a server expects.
    pub(crate) async fn create_dirs(
        &mut self,
        placements: &[Placement],
        flavor: Flavor,
        user: &ServerUser,
        log: &ServerLog,
    ) -> Result<(), ServerError> {
        let instance = self.path();
        let wanting = Wanting {
            instance,
            flavor,
            user,
            log,
        };
        self.placed = Some(PlacedFiles::create(wanting, placements).await?);
        let make = |directory: &Path| {
            placed_dirs::make(directory, user).map_err(ServerError::directory("make", directory))
        };
        make(&self.paths().tmp)?;
        match self.placed_for(FileClass::Temporary) {
            Some(directory) => make(&directory.join(INNODB_TEMPORARY)),
            None => Ok(()),
        }
    }

    /// Returns the discarded bytes of each class.
    pub(crate) fn discarded(&self) -> Vec<(FileClass, u64)> {
        self.placed.iter().flat_map(PlacedFiles::discarded).collect()
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the classes of files that are placed elsewhere.
    pub(crate) fn placed(&self) -> &[Placed] {
        self.placed.as_ref().map_or(&[], PlacedFiles::all)
    }

    /// Returns the directory of a class if it is placed elsewhere.
    pub(crate) fn placed_for(&self, class: FileClass) -> Option<&Path> {
        self.placed.as_ref()?.of(class)
    }

    pub(crate) fn paths(&self) -> InstancePaths {
        let root = self.image.as_ref().map_or(self.path(), Mounted::path);
        let of = |class| self.placed_for(class).unwrap_or(root);
        InstancePaths {
            data: of(FileClass::Data).join("data"),
            tmp: of(FileClass::Temporary).join("tmp"),
            // Never in a file system that only this process sees: others may want to look at the server.
            socket: self.path().join("sock"),
        }
    }

    /// Removes the directory and returns an error if that fails.
    pub(crate) fn remove(self) -> io::Result<()> {
        self.placed.map_or(Ok(()), PlacedFiles::remove)?;
        self.image.map_or(Ok(()), Mounted::unmount)?;
        self.directory.remove()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn an_instance_directory_is_private_and_goes_with_its_owner() {
        let base = tempfile::tempdir().unwrap();
        let dir = InstanceDir::create(base.path(), &ServerUser::me()).unwrap();
        let path = dir.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        drop(dir);
        assert!(!path.exists());
    }

    #[test]
    fn a_path_too_long_for_a_socket_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let long = base.path().join("x".repeat(90));
        fs::create_dir(&long).unwrap();
        let error = InstanceDir::create(&long, &ServerUser::me()).unwrap_err();
        assert!(error.to_string().contains("is longer than 107 bytes"), "{error}");
        assert_eq!(fs::read_dir(&long).unwrap().count(), 0);
    }
}
