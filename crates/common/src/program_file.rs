//! Bytes of a program or library of a server, which may be any file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest program that is read. Servers with all debugging information have a quarter of it.
const MOST_BYTES: u64 = 2 << 30;

/// Reads a program. The error for a file that is too large says so: a sparse file costs its owner nothing, and its reader
/// all memory.
pub fn read_program(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, MOST_BYTES)
}

fn read_up_to(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    if length <= most_bytes {
        // It may grow meanwhile.
        file.take(most_bytes + 1).read_to_end(&mut bytes)?;
    }
    let length = length.max(bytes.len() as u64);
    if length <= most_bytes {
        return Ok(bytes);
    }
    Err(io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("it has {length} bytes, and programs of at most {most_bytes} bytes are read"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_read_whole_and_a_sparse_giant_is_refused() {
        let own = std::env::current_exe().unwrap();
        assert_eq!(
            read_program(&own).unwrap().len() as u64,
            own.metadata().unwrap().len()
        );
        let place = std::env::temp_dir().join(format!("logtrace-sparse-{}", std::process::id()));
        let file = File::create(&place).unwrap();
        file.set_len(1 << 40).unwrap();
        let error = read_program(&place).unwrap_err();
        std::fs::remove_file(&place).unwrap();
        assert!(error.to_string().contains("1099511627776 bytes"), "{error}");
        // A file without a length that does not end.
        let error = read_up_to(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
