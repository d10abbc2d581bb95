//! Rings of all CPUs, read as one.

use std::collections::BTreeSet;
use std::io;

use aya::maps::{ArrayOfMaps, Map, MapData, MapError, RingBuf};
use aya::{Ebpf, util};
use aya_obj::generated::bpf_map_type;

use crate::error::{TracerError, chain};
use crate::reader::merge::Records;

/// Rings of all CPUs.
///
/// With a single ring, each record would wait for other CPUs: the lock and the positions of the ring would move from
/// CPU to CPU, 0.3 us a record if two are busy.
pub(crate) struct Rings {
    rings: Vec<RingBuf<MapData>>,
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

impl Rings {
    /// Creates a ring of `bytes` for each CPU that is online.
    pub(crate) fn new(bpf: &mut Ebpf, bytes: u32) -> Result<Self, TracerError> {
        let mut rings = Self {
            rings: Vec::new(),
            cpus: BTreeSet::new(),
            bytes,
            batch: Records::default(),
            taken_until_ns: 0,
            late: 0,
        };
        rings.add_missing(bpf)?;
        Ok(rings)
    }

    /// Creates rings for CPUs that have come online. The records that such a CPU made before are lost, and counted.
    pub(crate) fn add_missing(&mut self, bpf: &mut Ebpf) -> Result<(), TracerError> {
        let bytes = self.bytes;
        let refused = |error: &dyn std::fmt::Display| {
            TracerError::load(format_args!("rings of {bytes} bytes: {error}"))
        };
        let online = util::online_cpus().map_err(|(what, error)| refused(&format!("{what}: {error}")))?;
        let missing: Vec<u32> = online
            .into_iter()
            .filter(|cpu| !self.cpus.contains(cpu))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let map = bpf
            .map_mut("rings")
            .ok_or_else(|| TracerError::load("no map rings in the object"))?;
        let mut by_cpu = ArrayOfMaps::try_from(map).map_err(|error| refused(&error))?;
        let all = self.cpus.len() + missing.len();
        for cpu in missing {
            let ring = add_ring(&mut by_cpu, cpu, bytes).map_err(|error| match is_out_of_memory(&error) {
                true => TracerError::no_memory(bytes, all),
                false => refused(&chain(&error)),
            })?;
            self.rings.push(ring);
            self.cpus.insert(cpu);
        }
        Ok(())
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

/// Returns whether the kernel had no memory for a map, or the control group none left.
fn is_out_of_memory(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.any(|cause| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::OutOfMemory)
    })
}

fn add_ring(
    by_cpu: &mut ArrayOfMaps<&mut MapData, RingBuf<MapData>>,
    cpu: u32,
    bytes: u32,
) -> Result<RingBuf<MapData>, MapError> {
    let definition = aya_obj::Map::new_from_params(bpf_map_type::BPF_MAP_TYPE_RINGBUF as u32, 0, 0, bytes, 0);
    let ring = RingBuf::try_from(Map::RingBuf(MapData::create(definition, "ring", None)?))?;
    by_cpu.set(cpu, &ring, 0)?;
    Ok(ring)
}
