//! Private directory of an instance.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;

use crate::error::ServerError;
use crate::install::os_user::ServerUser;
use crate::instance::command_line::InstancePaths;
use crate::instance::config::InstanceSetup;
use crate::instance::placed_files::PlacedFiles;
use crate::process::control_group::ControlGroup;
use crate::process::error_log::ServerLog;
use crate::storage::INNODB_TEMPORARY;
use crate::storage::config::Storage;
use crate::storage::directory::make_leaf;
use crate::storage::fs_image::ImageConfig;
use crate::storage::locked_dir::LockedDir;
use crate::storage::mount::Mounted;
use logtrace_common::FileClass;

/// Start of the name of an instance's directory.
pub(crate) const INSTANCE_PREFIX: &str = "instance-";

/// Name of the directory of the socket.
const RUN: &str = "run";

/// Largest length of a socket's path in bytes, without the final NUL (unix(7)).
const SOCKET_PATH_LIMIT: usize = 107;

/// Directory `BASE/instance-XXXXXX`, which is removed when dropped.
///
/// It belongs to root. The directories `data` and `tmp`, and `run` with the socket, belong to the server's user, who can
/// change nothing beside them. `data` and `tmp` may be in a file system of their own, mounted on `fs`. Placed files are in
/// directories elsewhere.
#[derive(Debug)]
pub(crate) struct InstanceDir {
    // Dropped in this order: no process holds what goes, and the lock outlives what it stands for.
    pub(crate) group: Option<Arc<ControlGroup>>,
    pub(crate) placed: PlacedFiles,
    image: Option<Mounted>,
    directory: LockedDir,
}

impl InstanceDir {
    /// Makes a new directory under `base`, which exists.
    pub(crate) fn create(base: &Path, user: &ServerUser) -> Result<Self, ServerError> {
        let make = || {
            let directory = LockedDir::create(base, INSTANCE_PREFIX, 0o711)?;
            let dir = Self {
                group: ControlGroup::create(directory.path()).map(Arc::new),
                image: None,
                placed: PlacedFiles::new(directory.path()),
                directory,
            };
            make_leaf(&dir.path().join(RUN), user)?;
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

    /// Makes the server's file systems, the locations of placed files, and the directories that a server expects.
    pub(crate) async fn create_dirs(&mut self, setup: &InstanceSetup) -> Result<(), ServerError> {
        let Storage {
            image, placements, ..
        } = &setup.config.storage;
        if let Some(image) = image {
            self.mount(image, &setup.user, &setup.log).await?;
        }
        for placement in placements {
            self.placed.place(self.directory.path(), placement, setup).await?;
        }
        let InstancePaths { data, tmp, .. } = self.paths();
        self.make_own(FileClass::Data, &data, &setup.user)?;
        self.make_own(FileClass::Temporary, &tmp, &setup.user)?;
        match self.placed.of(FileClass::Temporary) {
            Some(directory) => {
                let tablespaces = directory.join(INNODB_TEMPORARY);
                self.make_own(FileClass::Temporary, &tablespaces, &setup.user)
            }
            None => Ok(()),
        }
    }

    /// Makes a directory of the server's user, in root's directory or in the user's own of a placed class.
    fn make_own(&self, class: FileClass, path: &Path, user: &ServerUser) -> Result<(), ServerError> {
        let made = match self.placed.of(class) {
            Some(_) => user
                .act(|| DirBuilder::new().mode(0o700).create(path))
                .and_then(|made| made),
            None => make_leaf(path, user),
        };
        made.map_err(ServerError::directory("make", path))
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn paths(&self) -> InstancePaths {
        let root = self.image.as_ref().map_or(self.path(), Mounted::path);
        let of = |class| self.placed.of(class).unwrap_or(root);
        InstancePaths {
            data: of(FileClass::Data).join("data"),
            tmp: of(FileClass::Temporary).join("tmp"),
            // Never in a file system that only this process sees: others may want to look at the server.
            socket: self.path().join(RUN).join("sock"),
        }
    }

    /// Removes the directory and returns an error if that fails.
    pub(crate) fn remove(self) -> io::Result<()> {
        self.group.map_or(Ok(()), |group| group.remove())?;
        self.placed.remove()?;
        self.image.map_or(Ok(()), Mounted::unmount)?;
        self.directory.remove()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn an_instance_directory_shows_nothing_and_goes_with_its_owner() {
        let base = tempfile::tempdir().unwrap();
        let dir = InstanceDir::create(base.path(), &ServerUser::me()).unwrap();
        let path = dir.path().to_owned();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&path.join(RUN))), (0o711, 0o700));
        drop(dir);
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
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
