//! Rings of all CPUs, read as one.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::os::fd::{AsFd, AsRawFd};
use std::rc::Rc;

use libbpf_rs::libbpf_sys::bpf_map_create_opts;
use libbpf_rs::{ErrorKind, MapCore, MapFlags, MapHandle, MapType, RingBuffer, RingBufferBuilder};

use crate::error::TracerError;
use crate::kernel_side::cpus::online_cpus;
use crate::kernel_side::object::KernelSide;
use crate::reader::merge::Records;

/// Rings of all CPUs.
///
/// With a single ring, each record would wait for other CPUs: the lock and the positions of the ring would move from
/// CPU to CPU, 0.3 us a record if two are busy.
pub(crate) struct Rings {
    /// Map of the rings by CPU.
    by_cpu: MapHandle,
    rings: Vec<Ring>,
    /// CPUs with a ring.
    cpus: BTreeSet<u32>,
    /// Size of each ring.
    bytes: u32,
    /// Records that were read and are not all due yet.
    batch: Rc<RefCell<Records>>,
    /// Time up to which records were taken out.
    taken_until_ns: u64,
    /// Number of records that came after later ones were taken out: they are out of order.
    pub(crate) late: u64,
}

/// Ring, and the reader of it.
struct Ring {
    map: MapHandle,
    reader: RingBuffer<'static>,
}

impl Rings {
    /// Creates a ring of `bytes` for each CPU that is online.
    pub(crate) fn new(side: &KernelSide, bytes: u32) -> Result<Self, TracerError> {
        let mut rings = Self {
            by_cpu: side.handle("rings")?,
            rings: Vec::new(),
            cpus: BTreeSet::new(),
            bytes,
            batch: Rc::default(),
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
            |error: &dyn Display| TracerError::load(format_args!("rings of {bytes} bytes: {error:#}"));
        let online = online_cpus().map_err(|error| refused(&error))?;
        let missing: Vec<u32> = online
            .into_iter()
            .filter(|cpu| !self.cpus.contains(cpu))
            .collect();
        let all = self.cpus.len() + missing.len();
        for cpu in missing {
            let added = match self.add(cpu) {
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    self.share(cpu).unwrap_or(Err(error))
                }
                added => added,
            };
            added.map_err(|error| match error.kind() {
                ErrorKind::OutOfMemory => TracerError::no_memory(bytes, all),
                _ => refused(&error),
            })?;
        }
        Ok(())
    }

    fn add(&mut self, cpu: u32) -> libbpf_rs::Result<()> {
        let options = bpf_map_create_opts {
            sz: size_of::<bpf_map_create_opts>() as u64,
            ..bpf_map_create_opts::default()
        };
        let map = MapHandle::create(MapType::RingBuf, Some("ring"), 0, 0, self.bytes, &options)?;
        let batch = Rc::clone(&self.batch);
        let mut builder = RingBufferBuilder::new();
        builder.add(&map, move |record| {
            batch.borrow_mut().push(record);
            0
        })?;
        let reader = builder.build()?;
        set(&self.by_cpu, cpu, &map)?;
        self.rings.push(Ring { map, reader });
        self.cpus.insert(cpu);
        Ok(())
    }

    /// Gives a CPU the ring of another one: the kernel creates none for a thread that has given up its rights. `None` if
    /// there is no ring.
    fn share(&mut self, cpu: u32) -> Option<libbpf_rs::Result<()>> {
        let ring = &self.rings.first()?.map;
        let shared = set(&self.by_cpu, cpu, ring);
        self.cpus.insert(cpu);
        Some(shared)
    }

    /// Reads all rings and takes out the records made before `until_ns`, in the order of time. That time must be so
    /// long ago that no program is still writing an earlier record. The remaining records use the memory of `spare`.
    pub(crate) fn take_due(&mut self, until_ns: u64, spare: Records) -> Records {
        for ring in &self.rings {
            ring.reader.consume_raw();
        }
        let mut batch = self.batch.borrow_mut();
        batch.sort();
        self.late += batch.count_before(self.taken_until_ns);
        self.taken_until_ns = until_ns.min(batch.newest_ns());
        batch.take_due(until_ns, spare)
    }
}

fn set(by_cpu: &MapHandle, cpu: u32, ring: &MapHandle) -> libbpf_rs::Result<()> {
    let ring = ring.as_fd().as_raw_fd();
    by_cpu.update(&cpu.to_ne_bytes(), &ring.to_ne_bytes(), MapFlags::ANY)
}
