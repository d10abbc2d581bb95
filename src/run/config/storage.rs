//! Places of a private server's files.

use logtrace_report::document::Placed as PlacedRow;
use logtrace_server::{FileLocation, HostFacts, ImageConfig, PlacedOn, Placement};

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
    /// Advice for a full disk under the data of the server.
    pub(crate) fn when_full(&self) -> &'static str {
        match self.image {
            Some(_) => "ask for more with --fs-size, or load less (--tables, --rows, --warehouses)",
            None => {
                "free some, load less (--tables, --rows, --warehouses), or choose another place with --home"
            }
        }
    }
}

/// Returns the rows of the document for placed files.
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
