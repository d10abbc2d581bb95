//! Results on the standard output.

use std::io::{self, Write};

use anyhow::Context;

/// Prints a result. A pipe that the reader closed early (`| head`) is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot print to the standard output")
        }
        _ => Ok(()),
    }
}
