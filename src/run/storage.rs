//! Where the files of a private server are: `--fs` and `--place`.

use std::path::PathBuf;

use logtrace_report::document::Placed as PlacedRow;
use logtrace_server::{
    HostFacts, ImageConfig, ImageKind, ImageSize, Placement, PlacementError, PrivateMounts,
    PrivateMountsError, ServerChoice, Setting, check_placements,
};

use crate::cli::StorageArgs;
use crate::exit::UsageError;
use crate::measurement::device_of;

/// Where the files of a private server are; the usual place, unless something else is said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Storage {
    image: Option<(ImageKind, ImageSize)>,
    /// The mounts of the image, where they were entered already.
    mounts: Option<PrivateMounts>,
    /// Classes of files that are elsewhere.
    pub(crate) placements: Vec<Placement>,
}

impl Storage {
    /// Checks what was typed.
    pub(crate) fn checked(
        arguments: &StorageArgs,
        server: Option<&ServerChoice>,
        settings: &[Setting],
    ) -> Result<Self, UsageError> {
        let StorageArgs { fs, fs_size, place } = arguments;
        let option = fs.map(|_| "--fs").or((!place.is_empty()).then_some("--place"));
        if let (Some(option), Some(ServerChoice::Running(_))) = (option, server) {
            return Err(UsageError(format!(
                "{option} says where a private server keeps its files: it cannot move a running one's. Leave it out, \
                 or choose --server mysql, mariadb or a path"
            )));
        }
        let usage = |error: PlacementError| UsageError(format!("--place: {error}"));
        check_placements(place, settings).map_err(usage)?;
        let data = place
            .iter()
            .find(|place| place.class == logtrace_events::FileClass::Data);
        if let (Some(kind), Some(data)) = (fs, data) {
            return Err(UsageError(format!(
                "--fs {kind} and --place {data} both say where the data directory is: leave one of the two"
            )));
        }
        Ok(Self {
            mounts: None,
            image: fs.map(|kind| (kind, fs_size.unwrap_or_default())),
            placements: place.clone(),
        })
    }

    /// Of what was checked already.
    pub(crate) fn of(image: Option<(ImageKind, ImageSize)>, placements: Vec<Placement>) -> Self {
        Self {
            image,
            mounts: None,
            placements,
        }
    }

    /// The kind of the file system that is made for the server, if one is.
    pub(crate) fn kind(&self) -> Option<ImageKind> {
        self.image.map(|(kind, _)| kind)
    }

    /// The file system to make. From here on this thread and those that it starts have mounts of their own.
    pub(crate) fn image(&self) -> Result<Option<ImageConfig>, PrivateMountsError> {
        let Some((kind, size)) = self.image else {
            return Ok(None);
        };
        let mounts = self.mounts.map_or_else(PrivateMounts::enter, Ok)?;
        Ok(Some(ImageConfig { kind, size, mounts }))
    }

    /// What to do when the disk of the server's data is full.
    pub(crate) fn when_full(&self) -> &'static str {
        match self.image {
            Some(_) => "ask for more with --fs-size, or load less (--tables, --rows, --warehouses)",
            None => {
                "free some, load less (--tables, --rows, --warehouses), or choose another place with --home"
            }
        }
    }
}

/// What was placed, and on what, for the document.
pub(crate) fn placement(placements: &[Placement], host: Option<&HostFacts>) -> Vec<PlacedRow> {
    let placed = host.map_or(&[][..], |host| &host.placed);
    let directory = |class| {
        let placement = placements.iter().find(|placement| placement.class == class)?;
        Some(placement.directory.clone())
    };
    placed
        .iter()
        .map(|placed| PlacedRow {
            class: placed.class,
            directory: directory(placed.class)
                .map_or_else(PathBuf::new, |path| std::path::absolute(&path).unwrap_or(path))
                .display()
                .to_string(),
            file_system: placed.file_system.kind.clone(),
            device: device_of(&placed.file_system),
        })
        .collect()
}
