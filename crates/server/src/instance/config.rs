//! Configuration of a private server.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::ServerError;
use crate::install::binary::Binary;
use crate::install::home::Home;
use crate::install::os_user::ServerUser;
use crate::storage::file_location::FileLocation;
use crate::storage::fs_image::{ImageConfig, check_images};
use crate::storage::placement::Placement;
use logtrace_common::Variable;

/// Configuration of a private server.
#[derive(Clone, Debug)]
pub struct InstanceConfig {
    /// Program of the server.
    pub binary: Binary,
    /// Variables that replace or complete the durable defaults.
    pub settings: Vec<Variable>,
    /// File to which the server's output is appended.
    pub log: PathBuf,
    /// Directory of instances. Each has a directory of its own in it.
    pub base: PathBuf,
    /// Directory of initialised data directories, which are copied.
    pub templates: PathBuf,
    /// File system that is made for the server.
    pub image: Option<ImageConfig>,
    /// Classes of the server's files that are placed elsewhere.
    pub placements: Vec<Placement>,
    /// Port of 127.0.0.1 at which the server also listens, for replicas. Without one the server listens on its socket
    /// only.
    pub port: Option<u16>,
    /// Longest time until the server answers.
    pub ready_within: Duration,
}

impl InstanceConfig {
    /// Returns a configuration with the usual [`Home`], one minute to get ready, and no settings beyond the defaults.
    pub fn new(binary: Binary, log: PathBuf) -> Self {
        let Home { instances, templates } = Home::default();
        Self {
            binary,
            settings: Vec::new(),
            log,
            base: instances,
            templates,
            image: None,
            placements: Vec::new(),
            port: None,
            ready_within: Duration::from_secs(60),
        }
    }

    /// Checks that the server's files can be at their locations, before anything is made.
    pub(crate) fn check_storage(
        &self,
        base: &Path,
        settings: &[Variable],
        user: &ServerUser,
    ) -> Result<(), ServerError> {
        for placement in &self.placements {
            placement.check_server(self.binary.flavor, settings)?;
            placement.check_directory(user)?;
        }
        let volumes = self
            .placements
            .iter()
            .filter_map(|placement| match &placement.place {
                FileLocation::Volume(image) => Some(image),
                _ => None,
            });
        let images: Vec<_> = self.image.iter().chain(volumes).collect();
        check_images(&images, base)?;
        Ok(())
    }

    /// Returns whether file systems are mounted for the server.
    pub(crate) fn needs_mounts(&self) -> bool {
        self.image.is_some()
            || self
                .placements
                .iter()
                .any(|placement| placement.place.is_mounted())
    }
}
