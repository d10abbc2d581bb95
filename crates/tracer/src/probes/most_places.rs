//! Bound of the places of a probe.

/// Most places of a probe. A program can have as many symbols of one name as it likes, and each place costs the kernel time
/// and memory. MySQL 9.7 and MariaDB 10.11 have at most 3 (the ends of a commit); the clones that a compiler may make of a
/// function multiply that by a few.
pub(crate) const MOST_PLACES: usize = 64;

/// Returns why a probe has none of its places if there are too many.
pub(crate) fn too_many() -> String {
    format!("the server's program has more than {MOST_PLACES} places for it, as no known server has")
}
