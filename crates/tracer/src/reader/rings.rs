//! Rings of all CPUs, read as one.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io;

use aya::maps::{ArrayOfMaps, MapData, MapError, RingBuf};
use aya::util::online_cpus;

use crate::error::TracerError;
use crate::kernel_side::KernelSide;
use crate::kernel_side::reasons::reason;
use crate::reader::merge::Records;

/// Rings of all CPUs.
///
/// With a single ring, each record would wait for other CPUs: the lock and the positions of the ring would move from
/// CPU to CPU, 0.3 us a record if two are busy: a third of the cost of tracing.
pub(crate) struct Rings {
    /// Map of the rings by CPU.
    by_cpu: ArrayOfMaps<MapData, Ring>,
    rings: Vec<Ring>,
    /// CPUs with a ring.
    cpus: BTreeSet<u32>,
    /// Size of each ring.
    bytes: u32,
    /// Records that were read and are not all due yet.
    batch: Records,
    /// Time up to which records were taken out.
    taken_until_ns: u64,
    /// Number of records that came after later ones were taken out: they are out of order.
    pub(crate) late: u64,
}

type Ring = RingBuf<MapData>;

impl Rings {
    /// Creates a ring of `bytes` for each CPU that is online.
    pub(crate) fn new(side: &mut KernelSide, bytes: u32) -> Result<Self, TracerError> {
        let mut rings = Self {
            by_cpu: side.take("rings")?,
            rings: Vec::new(),
            cpus: BTreeSet::new(),
            bytes,
            batch: Records::default(),
            taken_until_ns: 0,
            late: 0,
        };
        rings.add_missing()?;
        Ok(rings)
    }

    /// Creates rings for CPUs that have come online. The records that such a CPU made before are lost, and counted.
    pub(crate) fn add_missing(&mut self) -> Result<(), TracerError> {
        let bytes = self.bytes;
        let refused =
            |error: &dyn Display| TracerError::load(format_args!("rings of {bytes} bytes: {error}"));
        let online = online_cpus().map_err(|(_, error)| TracerError::no_cpus(&error))?;
        let missing: Vec<u32> = online
            .into_iter()
            .filter(|cpu| !self.cpus.contains(cpu))
            .collect();
        let all = self.cpus.len() + missing.len();
        for cpu in missing {
            let added = match self.add(cpu) {
                Err(error) if kind(&error) == Some(io::ErrorKind::PermissionDenied) => {
                    self.share(cpu).unwrap_or(Err(error))
                }
                added => added,
            };
            added.map_err(|error| match kind(&error) {
                Some(io::ErrorKind::OutOfMemory) => TracerError::no_memory(bytes, all),
                _ => refused(&reason(&error)),
            })?;
        }
        Ok(())
    }

    fn add(&mut self, cpu: u32) -> Result<(), MapError> {
        let ring = Ring::create(self.bytes, 0)?;
        self.by_cpu.set(cpu, &ring, 0)?;
        self.rings.push(ring);
        self.cpus.insert(cpu);
        Ok(())
    }

    /// Gives a CPU the ring of another one: the kernel creates none for a thread that has given up its rights. `None` if
    /// there is no ring.
    fn share(&mut self, cpu: u32) -> Option<Result<(), MapError>> {
        let shared = self.by_cpu.set(cpu, self.rings.first()?, 0);
        self.cpus.insert(cpu);
        Some(shared)
    }

    /// Reads all rings and takes out the records made before `until_ns`, in the order of time. That time must be so
    /// long ago that no program is still writing an earlier record. The remaining records use the memory of `spare`.
    pub(crate) fn take_due(&mut self, until_ns: u64, spare: Records) -> Records {
        for ring in &mut self.rings {
            while let Some(record) = ring.next() {
                self.batch.push(&record);
            }
        }
        self.batch.sort();
        self.late += self.batch.count_before(self.taken_until_ns);
        self.taken_until_ns = until_ns.min(self.batch.newest_ns());
        self.batch.take_due(until_ns, spare)
    }
}

/// Returns what the kernel answered, if it was asked.
fn kind(error: &MapError) -> Option<io::ErrorKind> {
    match error {
        MapError::CreateError { io_error, .. } => Some(io_error.kind()),
        MapError::SyscallError(error) => Some(error.io_error.kind()),
        MapError::IoError(error) => Some(error.kind()),
        _ => None,
    }
}
