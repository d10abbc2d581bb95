//! Where the files of a private server are: `--fs` and `--place`.

use logtrace_report::document::Placed as PlacedRow;
use logtrace_server::{
    FileLocation, HostFacts, ImageConfig, PlacedOn, Placement, PlacementError, ServerChoice, Setting,
    check_placements,
};

use crate::cli::StorageArgs;
use crate::exit::{UsageError, with_causes};
use crate::measurement::device_of;

/// Location of a private server's files. The default is the usual directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Storage {
    /// File system that is made for the server.
    pub(crate) image: Option<ImageConfig>,
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
        let usage = |error: PlacementError| UsageError(format!("--place: {}", with_causes(error)));
        check_placements(place, settings).map_err(usage)?;
        let data = place
            .iter()
            .find(|place| place.class == logtrace_common::FileClass::Data);
        if let (Some(kind), Some(data)) = (fs, data) {
            return Err(UsageError(format!(
                "--fs {kind} and --place {data} both say where the data directory is: leave one of the two"
            )));
        }
        Ok(Self {
            image: fs.map(|kind| ImageConfig::new(kind, fs_size.unwrap_or_default())),
            placements: place.clone(),
        })
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
    let rows = placed.iter().map(|placed| {
        let named = placements
            .iter()
            .find(|placement| placement.class == placed.class);
        let (file_system, device) = match placed.on {
            PlacedOn::DevNull => ("nothing".to_owned(), "/dev/null".to_owned()),
            PlacedOn::EmptiedFile => ("nothing".to_owned(), "emptied tmpfs file".to_owned()),
            PlacedOn::Tmpfs => ("tmpfs".to_owned(), "memory".to_owned()),
            PlacedOn::Directory | PlacedOn::Volume => {
                (placed.file_system.kind.clone(), device_of(&placed.file_system))
            }
        };
        PlacedRow {
            class: placed.class,
            directory: named.map_or_else(String::new, |placement| told(&placement.place)),
            file_system,
            device,
        }
    });
    rows.collect()
}

fn told(place: &FileLocation) -> String {
    match place {
        FileLocation::Directory(path) => std::path::absolute(path)
            .unwrap_or_else(|_| path.clone())
            .display()
            .to_string(),
        other => other.to_string(),
    }
}
