//! Locations of an instance's placed files.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::ServerError;
use crate::facts::placed::{Placed, PlacedOn};
use crate::install::os_user::ServerUser;
use crate::process::error_log::ServerLog;
use crate::storage::discard_file::DiscardFile;
use crate::storage::file_location::FileLocation;
use crate::storage::fs_image::mount_error;
use crate::storage::fs_image::size::ImageSize;
use crate::storage::mount::{Mounted, mount};
use crate::storage::placed_dirs::{PlacedDirs, make};
use crate::storage::placement::{Placement, query_log_name};
use logtrace_common::{FileClass, Flavor};

/// Files that are placed elsewhere; removed when dropped.
#[derive(Debug)]
pub(crate) struct PlacedFiles {
    all: Vec<Placed>,
    discard_files: Vec<(FileClass, DiscardFile)>,
    volumes: Vec<Mounted>,
    directories: PlacedDirs,
}

/// Instance for which locations are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanting<'a> {
    /// Directory of the instance.
    pub(crate) instance: &'a Path,
    pub(crate) flavor: Flavor,
    pub(crate) user: &'a ServerUser,
    pub(crate) log: &'a ServerLog,
}

impl PlacedFiles {
    /// Makes the location of each placement.
    pub(crate) async fn create(wanting: Wanting<'_>, placements: &[Placement]) -> Result<Self, ServerError> {
        let fail = ServerError::directory("make an instance in", wanting.instance);
        let directories =
            PlacedDirs::create(wanting.instance, placements, wanting.flavor, wanting.user).map_err(fail)?;
        let mut files = Self {
            all: Vec::new(),
            discard_files: Vec::new(),
            volumes: Vec::new(),
            directories,
        };
        for placement in placements {
            let placed = files.place(wanting, placement).await?;
            files.all.extend(placed);
        }
        for placed in files.directories.all() {
            if placed.on == PlacedOn::EmptiedFile {
                let file = placed.directory.join(query_log_name(placed.class));
                let sink = DiscardFile::create(&file, wanting.user);
                let sink = sink.map_err(ServerError::directory("make a log in", &placed.directory))?;
                files.discard_files.push((placed.class, sink));
            }
            files.all.push(placed.clone());
        }
        Ok(files)
    }

    /// Returns the classes of files that are placed elsewhere.
    pub(crate) fn all(&self) -> &[Placed] {
        &self.all
    }

    /// Returns the directory of a class if it is placed elsewhere.
    pub(crate) fn of(&self, class: FileClass) -> Option<&Path> {
        let placed = self.all.iter().find(|placed| placed.class == class)?;
        Some(&placed.directory)
    }

    /// Returns the bytes of each class that logtrace discarded.
    pub(crate) fn discarded(&self) -> impl Iterator<Item = (FileClass, u64)> {
        self.discard_files
            .iter()
            .map(|(class, sink)| (*class, sink.discarded()))
    }

    /// Removes all locations and returns an error if that fails.
    pub(crate) fn remove(self) -> io::Result<()> {
        drop(self.discard_files);
        self.volumes.into_iter().try_for_each(Mounted::unmount)?;
        self.directories.remove()
    }

    async fn place(
        &mut self,
        wanting: Wanting<'_>,
        placement: &Placement,
    ) -> Result<Option<Placed>, ServerError> {
        let class = placement.class;
        let mount_point = wanting.instance.join(format!("{class}-volume"));
        let on = match &placement.place {
            FileLocation::Nothing if wanting.flavor == Flavor::MariaDb => {
                let directory = PathBuf::from("/dev");
                let on = PlacedOn::DevNull;
                return Ok(Some(Placed { class, directory, on }));
            }
            // Made already.
            FileLocation::Directory(_) | FileLocation::Nothing => return Ok(None),
            FileLocation::Volume(image) => {
                let Wanting {
                    instance, user, log, ..
                } = wanting;
                let volume = image.mount(instance, &mount_point, user, log).await?;
                self.volumes.push(volume);
                PlacedOn::Volume
            }
            FileLocation::Tmpfs(size) => {
                self.volumes.push(mount_tmpfs(*size, &mount_point, wanting.user)?);
                PlacedOn::Tmpfs
            }
        };
        // A directory in it, where servers find no lost+found.
        let directory = mount_point.join(class.as_str());
        make(&directory, wanting.user)
            .map_err(ServerError::directory("make a directory on", &mount_point))?;
        Ok(Some(Placed { class, directory, on }))
    }
}

fn mount_tmpfs(size: ImageSize, mount_point: &Path, user: &ServerUser) -> Result<Mounted, ServerError> {
    let fail = || ServerError::directory("make a tmpfs on", mount_point);
    let options = [format!("size={}", size.bytes()), "mode=0700".to_owned()];
    std::fs::create_dir(mount_point).map_err(fail())?;
    let mounted = mount("tmpfs", None, mount_point, &options);
    let mounted = mounted.map_err(|refusal| mount_error("tmpfs", &options, refusal))?;
    user.own(mount_point).map_err(fail())?;
    Ok(mounted)
}
