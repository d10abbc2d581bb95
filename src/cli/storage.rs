//! Options that say where a private server stores its files: `--fs` and `--place`.

use clap::Args;
use logtrace_common::{FileClass, Variable};
use logtrace_server::{
    ImageConfig, ImageKind, ImageSize, Placement, ServerChoice, Storage, check_placements,
};

use crate::exit::{UsageError, with_causes};

#[derive(Debug, Args)]
pub(crate) struct StorageArgs {
    /// Give the private server a file system of its own (ext4, xfs or btrfs, with default options). It is in a sparse
    /// file behind a loop device, only logtrace sees it, and it is removed after the run.
    #[arg(long, value_name = "FS")]
    fs: Option<ImageKind>,

    /// Size of that file system [default: 4G]. The directory of private servers needs that much free space.
    #[arg(long, value_name = "SIZE", requires = "fs")]
    fs_size: Option<ImageSize>,

    /// Store one class of the private server's files in an existing directory elsewhere. Classes: binlog, redo, slow_log,
    /// general_log, data, doublewrite, undo, temporary. Repeatable.
    #[arg(long, value_name = "CLASS=DIR")]
    place: Vec<Placement>,
}

impl StorageArgs {
    /// Returns where the server's files go. Refuses options that contradict each other or the choice of the server.
    pub(crate) fn storage(
        &self,
        server: Option<&ServerChoice>,
        settings: &[Variable],
    ) -> Result<Storage, UsageError> {
        let Self { fs, fs_size, place } = self;
        let option = fs.map(|_| "--fs").or((!place.is_empty()).then_some("--place"));
        if let (Some(option), Some(ServerChoice::Running(_))) = (option, server) {
            return Err(UsageError(format!(
                "{option} is for private servers: it cannot move the files of a running server. Leave it out, or choose \
                 --server mysql, mariadb or a path"
            )));
        }
        check_placements(place, settings)
            .map_err(|error| UsageError(format!("--place: {}", with_causes(error))))?;
        let data = place.iter().find(|place| place.class == FileClass::Data);
        if let (Some(kind), Some(data)) = (fs, data) {
            return Err(UsageError(format!(
                "--fs {kind} and --place {data} both choose the place of the data directory: give one of the two"
            )));
        }
        Ok(Storage {
            image: fs.map(|kind| ImageConfig::new(kind, fs_size.unwrap_or_default())),
            placements: place.clone(),
            ..Storage::default()
        })
    }
}
