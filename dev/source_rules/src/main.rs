//! Prints sizes that a reviewer should look at.

#![expect(clippy::print_stdout, reason = "the list is the result")]

use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for size in logtrace_source_rules::oversized(root)? {
        println!("{size}");
    }
    Ok(())
}
