//! Making the places of an instance's files, and taking them away again.

use std::io;
use std::path::{Path, PathBuf};

use crate::install::os_user::ServerUser;
use crate::instance::error::StartError;
use crate::process::error_log::ServerLog;
use crate::storage::discard_file::Sink;
use crate::storage::fs_image::ImageError;
use crate::storage::mount::{Mounted, mount};
use crate::storage::place::{Place, TmpfsConfig};
use crate::storage::placed_dirs::{Placed, PlacedDirs, PlacedOn, make};
use crate::storage::placement::{Placement, query_log_name};
use logtrace_common::{FileClass, Flavor};

/// What is placed elsewhere; gone when dropped.
#[derive(Debug)]
pub(crate) struct PlacedFiles {
    all: Vec<Placed>,
    sinks: Vec<(FileClass, Sink)>,
    volumes: Vec<Mounted>,
    directories: PlacedDirs,
}

/// Who wants places made, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanting<'a> {
    /// The instance's directory.
    pub(crate) instance: &'a Path,
    pub(crate) flavor: Flavor,
    pub(crate) user: &'a ServerUser,
    pub(crate) log: &'a ServerLog,
}

impl PlacedFiles {
    /// Makes a place for each placement.
    pub(crate) async fn create(wanting: Wanting<'_>, placements: &[Placement]) -> Result<Self, StartError> {
        let fail = StartError::directory("make an instance in", wanting.instance);
        let directories =
            PlacedDirs::create(wanting.instance, placements, wanting.flavor, wanting.user).map_err(fail)?;
        let mut files = Self {
            all: Vec::new(),
            sinks: Vec::new(),
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
                let sink = Sink::create(&file, wanting.user);
                let sink = sink.map_err(StartError::directory("make a log in", &placed.directory))?;
                files.sinks.push((placed.class, sink));
            }
            files.all.push(placed.clone());
        }
        Ok(files)
    }

    /// What is placed elsewhere.
    pub(crate) fn all(&self) -> &[Placed] {
        &self.all
    }

    /// The directory of a class that is placed elsewhere.
    pub(crate) fn of(&self, class: FileClass) -> Option<&Path> {
        let placed = self.all.iter().find(|placed| placed.class == class)?;
        Some(&placed.directory)
    }

    /// Bytes of each class that were thrown away instead of written, where logtrace did it.
    pub(crate) fn discarded(&self) -> impl Iterator<Item = (FileClass, u64)> {
        self.sinks.iter().map(|(class, sink)| (*class, sink.discarded()))
    }

    /// Removes all, and says so when that fails.
    pub(crate) fn remove(self) -> io::Result<()> {
        drop(self.sinks);
        self.volumes.into_iter().try_for_each(Mounted::unmount)?;
        self.directories.remove()
    }

    async fn place(
        &mut self,
        wanting: Wanting<'_>,
        placement: &Placement,
    ) -> Result<Option<Placed>, StartError> {
        let class = placement.class;
        let mount_point = wanting.instance.join(format!("{class}-volume"));
        let on = match &placement.place {
            Place::Nothing if wanting.flavor == Flavor::MariaDb => {
                let directory = PathBuf::from("/dev");
                let on = PlacedOn::DevNull;
                return Ok(Some(Placed { class, directory, on }));
            }
            // Made already.
            Place::Directory(_) | Place::Nothing => return Ok(None),
            Place::Volume(image) => {
                let Wanting {
                    instance, user, log, ..
                } = wanting;
                let volume = image.mount(instance, &mount_point, user, log).await?;
                self.volumes.push(volume);
                PlacedOn::Volume
            }
            Place::Tmpfs(tmpfs) => {
                self.volumes.push(mount_tmpfs(tmpfs, &mount_point, wanting.user)?);
                PlacedOn::Tmpfs
            }
        };
        // A directory in it, where servers find no lost+found.
        let directory = mount_point.join(class.as_str());
        make(&directory, wanting.user).map_err(StartError::directory("make a directory on", &mount_point))?;
        Ok(Some(Placed { class, directory, on }))
    }
}

fn mount_tmpfs(tmpfs: &TmpfsConfig, mount_point: &Path, user: &ServerUser) -> Result<Mounted, StartError> {
    let fail = || StartError::directory("make a tmpfs on", mount_point);
    std::fs::create_dir(mount_point).map_err(fail())?;
    let mounted = mount("tmpfs", None, mount_point, &tmpfs.options());
    let mounted = mounted.map_err(|refusal| ImageError::mount("tmpfs", &tmpfs.options(), refusal))?;
    user.own(mount_point).map_err(fail())?;
    Ok(mounted)
}
