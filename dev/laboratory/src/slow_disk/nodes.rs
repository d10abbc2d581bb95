//! What the kernel holds of a file system in user space: nodes that it has looked up, and open files.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustix::fs::OFlags;

/// The kernel's number of the root.
const ROOT: u64 = 1;

/// Nodes by their number, which is that of the file below. One that is held keeps its number, so that no other file
/// gets it.
#[derive(Debug)]
pub(crate) struct Nodes {
    root: File,
    looked_up: Mutex<HashMap<u64, FileNode>>,
}

/// A file that may be renamed or removed, and stays the same.
#[derive(Debug)]
struct FileNode {
    place: File,
    /// Times that the kernel was told of it and has not forgotten it yet.
    lookups: u64,
}

/// Open files by their number.
#[derive(Debug, Default)]
pub(crate) struct Handles(Mutex<(u64, HashMap<u64, Arc<File>>)>);

impl Nodes {
    /// The tree below a directory.
    pub(crate) fn of(directory: &Path) -> io::Result<Self> {
        Ok(Self {
            root: hold(directory)?,
            looked_up: Mutex::default(),
        })
    }

    /// A path to a node, whatever it is called by now.
    pub(crate) fn path(&self, node: u64) -> io::Result<PathBuf> {
        let link = |file: &File| PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        if node == ROOT {
            return Ok(link(&self.root));
        }
        let nodes = self.looked_up.lock().unwrap();
        let known = nodes.get(&node).ok_or(io::ErrorKind::NotFound)?;
        Ok(link(&known.place))
    }

    /// Counts one more time that the kernel is told of the file with this path.
    pub(crate) fn look_up(&self, path: &Path) -> io::Result<Metadata> {
        let place = hold(path)?;
        let metadata = place.metadata()?;
        match self.looked_up.lock().unwrap().entry(metadata.ino()) {
            Entry::Occupied(mut known) => known.get_mut().lookups += 1,
            Entry::Vacant(new) => {
                new.insert(FileNode { place, lookups: 1 });
            }
        }
        Ok(metadata)
    }

    /// The kernel forgets a node so many times.
    pub(crate) fn forget(&self, node: u64, lookups: u64) {
        if let Entry::Occupied(mut known) = self.looked_up.lock().unwrap().entry(node) {
            let left = known.get().lookups.saturating_sub(lookups);
            known.get_mut().lookups = left;
            if left == 0 {
                known.remove();
            }
        }
    }
}

impl Handles {
    /// Keeps an open file; its number.
    pub(crate) fn keep(&self, file: File) -> u64 {
        let mut held = self.0.lock().unwrap();
        held.0 += 1;
        let number = held.0;
        held.1.insert(number, Arc::new(file));
        number
    }

    /// An open file.
    pub(crate) fn get(&self, number: u64) -> io::Result<Arc<File>> {
        let held = self.0.lock().unwrap();
        let file = held.1.get(&number).ok_or(io::ErrorKind::NotFound)?;
        Ok(Arc::clone(file))
    }

    /// Closes one.
    pub(crate) fn release(&self, number: u64) {
        self.0.lock().unwrap().1.remove(&number);
    }
}

/// A descriptor that stands for a file without opening it (`O_PATH`).
fn hold(path: &Path) -> io::Result<File> {
    // A path through /proc/self/fd is followed up to its last part alone.
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}
