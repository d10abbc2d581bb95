//! Rings of all CPUs, read as one.

use aya::maps::{ArrayOfMaps, Map, MapData, MapError, RingBuf};
use aya::{Ebpf, util};
use aya_obj::generated::bpf_map_type;

use crate::error::TracerError;
use crate::reader::merge::Records;

/// Rings of all CPUs.
///
/// With a single ring, each record would wait for other CPUs: the lock and the positions of the ring would move from
/// CPU to CPU, 0.3 us a record if two are busy.
pub(crate) struct Rings {
    rings: Vec<RingBuf<MapData>>,
    /// Records that were read and are not all due yet.
    batch: Records,
    /// Time up to which records were taken out.
    taken_until_ns: u64,
    /// Number of records that came after later ones were taken out: they are out of order.
    pub(crate) late: u64,
}

impl Rings {
    /// Creates a ring of `bytes` for each CPU. Records of a CPU that comes online later are lost, and counted.
    pub(crate) fn new(bpf: &mut Ebpf, bytes: u32) -> Result<Self, TracerError> {
        let refused = |error: &dyn std::fmt::Display| {
            TracerError::load(format_args!("rings of {bytes} bytes: {error}"))
        };
        let cpus = util::online_cpus().map_err(|(what, error)| refused(&format!("{what}: {error}")))?;
        let map = bpf
            .map_mut("rings")
            .ok_or_else(|| TracerError::load("no map rings in the object"))?;
        let mut by_cpu = ArrayOfMaps::try_from(map).map_err(|error| refused(&error))?;
        let rings = cpus
            .iter()
            .map(|&cpu| add_ring(&mut by_cpu, cpu, bytes))
            .collect::<Result<_, _>>()
            .map_err(|error| refused(&error))?;
        Ok(Self {
            rings,
            batch: Records::default(),
            taken_until_ns: 0,
            late: 0,
        })
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
