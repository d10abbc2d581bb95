//! Locations of an instance's placed files.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::ServerError;
use crate::facts::placed::{PlacedClass, PlacedOn};
use crate::instance::config::InstanceSetup;
use crate::storage::directory::make_leaf;
use crate::storage::discard_file::{DiscardFile, IN_MEMORY};
use crate::storage::file_location::FileLocation;
use crate::storage::mount::{Mounted, mount};
use crate::storage::placed_dirs::PlacedDirs;
use crate::storage::{Placement, query_log_name};
use logtrace_common::{FileClass, Flavor};

/// Files that are placed elsewhere; removed when dropped.
#[derive(Debug)]
pub(crate) struct PlacedFiles {
    pub(crate) all: Vec<PlacedClass>,
    discard_files: Vec<(FileClass, DiscardFile)>,
    volumes: Vec<Mounted>,
    directories: PlacedDirs,
}

impl PlacedFiles {
    pub(crate) fn new(instance: &Path) -> Self {
        Self {
            all: Vec::new(),
            discard_files: Vec::new(),
            volumes: Vec::new(),
            directories: PlacedDirs::new(instance),
        }
    }

    /// Makes the location of a placement. File systems are mounted in the directory of the instance.
    pub(crate) async fn place(
        &mut self,
        instance: &Path,
        placement: &Placement,
        setup: &InstanceSetup,
    ) -> Result<(), ServerError> {
        let (class, user) = (placement.class, &setup.user);
        let fail = ServerError::directory("make an instance in", instance);
        let mount_point = instance.join(format!("{class}-volume"));
        let (directory, on) = match &placement.place {
            FileLocation::Directory(parent) => {
                let directory = self.directories.make(parent, class, user).map_err(fail)?;
                (directory, PlacedOn::Directory)
            }
            FileLocation::Nothing if setup.config.binary.flavor == Flavor::MariaDb => {
                (PathBuf::from("/dev"), PlacedOn::DevNull)
            }
            // MySQL refuses `/dev/null` and FIFOs as logs (error 22).
            FileLocation::Nothing => {
                let made = self.directories.make(Path::new(IN_MEMORY), class, user);
                let directory = made.map_err(fail)?;
                let file = DiscardFile::create(&directory.join(query_log_name(class)), user)
                    .map_err(ServerError::directory("make a log in", &directory))?;
                self.discard_files.push((class, file));
                (directory, PlacedOn::EmptiedFile)
            }
            FileLocation::Volume(image) => {
                let volume = image.mount(instance, &mount_point, user, &setup.log).await?;
                (self.add_volume(volume, class, setup)?, PlacedOn::Volume)
            }
            FileLocation::Tmpfs(size) => {
                std::fs::create_dir(&mount_point)
                    .map_err(ServerError::directory("make a tmpfs on", &mount_point))?;
                let options = [format!("size={}", size.bytes()), "mode=0711".to_owned()];
                let volume = mount("tmpfs", None, &mount_point, &options)?;
                (self.add_volume(volume, class, setup)?, PlacedOn::Tmpfs)
            }
        };
        self.all.push(PlacedClass { class, directory, on });
        Ok(())
    }

    /// Makes a directory on a new file system, where servers find no lost+found.
    fn add_volume(
        &mut self,
        volume: Mounted,
        class: FileClass,
        setup: &InstanceSetup,
    ) -> Result<PathBuf, ServerError> {
        let directory = volume.path().join(class.as_str());
        make_leaf(&directory, &setup.user)
            .map_err(ServerError::directory("make a directory on", volume.path()))?;
        self.volumes.push(volume);
        Ok(directory)
    }

    /// Returns the directory of a class if it is placed elsewhere.
    pub(crate) fn of(&self, class: FileClass) -> Option<&Path> {
        let placed = self.all.iter().find(|placed| placed.class == class)?;
        Some(&placed.directory)
    }

    /// Returns the bytes of each class that logtrace discarded.
    pub(crate) fn discarded(&self) -> Vec<(FileClass, u64)> {
        let files = self.discard_files.iter();
        files.map(|(class, file)| (*class, file.discarded())).collect()
    }

    /// Removes all locations and returns an error if that fails.
    pub(crate) fn remove(self) -> io::Result<()> {
        drop(self.discard_files);
        self.volumes.into_iter().try_for_each(Mounted::unmount)?;
        self.directories.remove()
    }
}
