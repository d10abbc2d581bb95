//! Filling of arrays, many values in one call to the kernel. aya has a call for each value alone.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use aya::Pod;
use aya::maps::{Array, Map, MapData, MapError};
use aya_obj::generated::{bpf_attr__bindgen_ty_3 as Batch, bpf_cmd};

/// Values that are written in one call.
const BATCH: usize = 4096;

/// Sets the first values of an array.
pub(crate) fn set_first<V: Pod>(map: &Map, values: impl Iterator<Item = V>) -> Result<(), MapError> {
    // The kernel reads values of the size that the map has: this makes sure that `V` has it.
    Array::<&MapData, V>::try_from(map)?;
    let Map::Array(map) = map else { return Ok(()) };
    let mut entries = (0u32..).zip(values).peekable();
    while entries.peek().is_some() {
        let (keys, values): (Vec<u32>, Vec<V>) = entries.by_ref().take(BATCH).unzip();
        update(map, &keys, &values)?;
    }
    Ok(())
}

/// Sets the values of these keys.
fn update<V: Pod>(map: &MapData, keys: &[u32], values: &[V]) -> io::Result<()> {
    let batch = Batch {
        in_batch: 0,
        out_batch: 0,
        keys: keys.as_ptr().expose_provenance() as u64,
        values: values.as_ptr().expose_provenance() as u64,
        count: u32::try_from(keys.len()).map_err(io::Error::other)?,
        map_fd: map.fd().as_fd().as_raw_fd().cast_unsigned(),
        elem_flags: 0,
        flags: 0,
    };
    let command = bpf_cmd::BPF_MAP_UPDATE_BATCH as libc::c_long;
    #[expect(unsafe_code, reason = "libc has no function for this system call")]
    // SAFETY: there are `count` keys and as many values, of the sizes of the map, and they live until the call returns.
    let result = unsafe { libc::syscall(libc::SYS_bpf, command, &raw const batch, size_of::<Batch>()) };
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
