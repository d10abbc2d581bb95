//! Probes of a tracer, as they are seen in the code of a server.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Least number of places of the tracer's probes in a server's program: the begin and the end of a commit.
pub(crate) const PROBES: usize = 2;

/// Waits until a tracer has attached its probes to a process: none is added for half a second. They are added one by one,
/// and on a busy machine with pauses.
pub fn wait_until_traced(pid: u32) {
    let start = Instant::now();
    let mut seen = [0; 20];
    while seen[0] < PROBES || seen.iter().any(|&count| count != seen[0]) {
        assert!(start.elapsed() < Duration::from_secs(180), "no probes come");
        sleep(Duration::from_millis(20));
        seen.rotate_left(1);
        seen[19] = changed_code_bytes(pid);
    }
}

/// Returns the number of bytes of code of a process that differ from its program file. Each place of a uprobe has one.
pub fn changed_code_bytes(pid: u32) -> usize {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    // The path is that in the mount namespace of the process.
    let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap();
    let file = File::open(format!("/proc/{pid}/exe")).unwrap();
    let memory = File::open(format!("/proc/{pid}/mem")).unwrap();
    maps.lines()
        .filter(|line| line.contains(" r-xp ") && line.ends_with(program.to_str().unwrap()))
        .map(|line| changed_bytes(line, &file, &memory))
        .sum()
}

/// Returns the number of bytes of a mapping, a line of `/proc/PID/maps`, in which memory and file differ.
fn changed_bytes(mapping: &str, file: &File, memory: &File) -> usize {
    let words: Vec<&str> = mapping.split_whitespace().collect();
    let hexadecimal = |word: &str| u64::from_str_radix(word, 16).unwrap();
    let (start, end) = words[0].split_once('-').unwrap();
    let (start, offset) = (hexadecimal(start), hexadecimal(words[2]));
    let length = (hexadecimal(end) - start).min(file.metadata().unwrap().len() - offset);
    let read = |from: &File, at| {
        let mut bytes = vec![0; usize::try_from(length).unwrap()];
        from.read_exact_at(&mut bytes, at).unwrap();
        bytes
    };
    let (mapped, original) = (read(memory, start), read(file, offset));
    // Equal pages are compared at once: bytes one by one would take longer than a burst.
    let pages = mapped.chunks(4096).zip(original.chunks(4096));
    pages
        .filter(|(a, b)| a != b)
        .map(|(a, b)| a.iter().zip(b).filter(|(a, b)| a != b).count())
        .sum()
}
