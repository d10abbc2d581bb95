//! Paths that only some users can change.

use std::io;
use std::path::{self, Path};

use crate::path_rule::{PathPart, Trusted};

/// Returns why others than those that are trusted could change what is at a path, or `None` if they cannot: the rule
/// ([`Trusted::objection_to`]) holds for each part of the path, and for the path without symbolic links.
pub(crate) fn objection(path: &Path, trusted: &Trusted) -> io::Result<Option<String>> {
    let path = path::absolute(path)?;
    let found = objection_on(&path, trusted)?;
    // Links of `/proc` lead into other name spaces: the path that they show is another one here.
    if found.is_some() || path.starts_with("/proc") {
        return Ok(found);
    }
    objection_on(&path.canonicalize()?, trusted)
}

fn objection_on(path: &Path, trusted: &Trusted) -> io::Result<Option<String>> {
    for part in path.ancestors() {
        let found = PathPart::from(&part.symlink_metadata()?);
        if let Some(reason) = trusted.objection_to(found) {
            return Ok(Some(format!("{} {reason}", part.display())));
        }
    }
    Ok(None)
}
