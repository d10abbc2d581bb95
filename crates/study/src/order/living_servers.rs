//! Number of servers that run side by side.

use std::collections::BTreeMap;

use crate::cell::Cell;

/// Share of the memory that servers may use. The rest is for their files, the load and the tracer.
const SHARE: f64 = 0.5;
/// Bytes of a server besides its buffer pool.
const SERVER: f64 = 400e6;
/// Bytes of the default buffer pool of both servers.
const POOL: f64 = 134_217_728.0;
/// Most servers: each has threads that work now and then.
const MOST: usize = 16;

/// Returns how many of the servers of these cells may run side by side on a machine with so much memory. One, if no cell has
/// short turns, and if cells set the queue of the disk or parameters of the kernel, which all servers share.
pub fn living_servers(cells: &[Cell], memory: u64) -> usize {
    let sets_the_kernel = |cell: &Cell| !cell.queue.is_empty() || !cell.sysctl.is_empty();
    if cells.iter().all(|cell| cell.turns.is_none()) || cells.iter().any(sets_the_kernel) {
        return 1;
    }
    let servers = cells.iter().map(|cell| (cell.server_key(), bytes(cell)));
    let servers: BTreeMap<String, f64> = servers.collect();
    let mut bytes: Vec<f64> = servers.into_values().collect();
    bytes.sort_by(|one, other| other.total_cmp(one));
    let mut left = memory as f64 * SHARE;
    // The largest may all be in one fleet.
    let fits = bytes.into_iter().take_while(|bytes| {
        left -= bytes;
        left >= 0.0
    });
    fits.count().clamp(1, MOST)
}

/// Estimates the memory of a cell's server.
fn bytes(cell: &Cell) -> f64 {
    let chosen = cell.setting("innodb_buffer_pool_size").and_then(size);
    let by_data = cell.data_per_pool.map(|ratio| cell.data_bytes() as f64 / ratio);
    SERVER + chosen.or(by_data).unwrap_or(POOL)
}

/// Reads a size such as `8G`.
fn size(text: &str) -> Option<f64> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[number.len()..].to_ascii_uppercase().as_str() {
        "" => 1.0,
        "K" => 1024.0,
        "M" => 1_048_576.0,
        "G" => 1_073_741_824.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::full_cells;

    fn cells(base: &str) -> Vec<Cell> {
        let text = format!(
            "name = \"many\"\ntitle = \"Many\"\n[base]\n{base}\n[[axis]]\nname = \"kind\"\nlevel = [\
             {{ name = \"a\" }}, {{ name = \"b\", settings.log_bin = false }}, \
             {{ name = \"c\", settings.innodb_log_writer_threads = false }}]\n[[axis]]\nname = \"connections\"\n\
             level = [{{ name = \"1\", connections = 1 }}, {{ name = \"2\", connections = 2 }}]\n"
        );
        full_cells(&text)
    }

    #[test]
    fn as_many_servers_run_as_fit_into_half_of_the_memory() {
        const GB: u64 = 1_000_000_000;
        for (base, memory, living) in [
            ("turns = 3", 8 * GB, 3),
            ("turns = 3", 3 * GB, 2),
            ("turns = 3", GB / 2, 1),
            ("turns = 3\nsettings.innodb_buffer_pool_size = \"2G\"", 8 * GB, 1),
            ("turns = 3\nqueue.scheduler = \"none\"", 8 * GB, 1),
            ("turns = 3\nsysctl.vm.dirty_bytes = 16777216", 8 * GB, 1),
            ("turns = 0", 8 * GB, 1),
        ] {
            assert_eq!(living_servers(&cells(base), memory), living, "{base} {memory}");
        }
    }
}
