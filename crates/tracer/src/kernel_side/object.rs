//! Loaded object of the kernel side.

use std::collections::{BTreeMap, BTreeSet};
use std::process;

use bytemuck::{AnyBitPattern, NoUninit};
use libbpf_rs::{MapCore, MapHandle, Object, ObjectBuilder, OpenObject, ProgramMut, ProgramType};
use object::{Object as _, ObjectSymbol as _};

use crate::error::TracerError;
use crate::kernel_side::maps::{Map, PerCpuMap};
use crate::kernel_side::messages::{heard, in_one_line, program_of};
use crate::kernel_side::uprobes::Uprobes;

static OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/logtrace.bpf.o"));

/// Loaded programs and maps.
pub(crate) struct KernelSide {
    object: Object,
    /// Way to place probes in the server.
    pub(crate) uprobes: Uprobes,
    /// Programs that the kernel refused, and why.
    pub(crate) refused: BTreeMap<String, String>,
}

/// Settings of a load.
pub(crate) struct Loading<'a> {
    /// Process of the server.
    pub(crate) target_tgid: u32,
    /// Number of rows in the table of ways to callers.
    pub(crate) unwind_rows: u32,
    /// Way to place probes in the server.
    pub(crate) uprobes: Uprobes,
    /// Programs that tracing needs.
    pub(crate) needed: BTreeSet<&'a str>,
    /// Programs that it can do without.
    pub(crate) optional: BTreeSet<&'a str>,
}

impl KernelSide {
    /// Loads programs. Leaves out optional ones that the kernel refuses.
    pub(crate) fn load(mut loading: Loading<'_>) -> Result<Self, TracerError> {
        let mut refused = BTreeMap::new();
        loop {
            let (loaded, warnings) = heard(|| loading.try_once());
            let error = match loaded {
                Ok(object) => {
                    return Ok(Self {
                        object,
                        uprobes: loading.uprobes,
                        refused,
                    });
                }
                Err(error) => error,
            };
            let reason = format!("{error:#} ({})", in_one_line(&warnings));
            let mut named = warnings.iter().filter_map(|warning| program_of(warning));
            let Some(name) = named.find(|&name| loading.optional.remove(name)) else {
                return Err(TracerError::load(reason));
            };
            refused.insert(name.to_owned(), reason);
        }
    }

    /// Loads one program, with the maps that count its runs.
    pub(crate) fn load_alone(name: &str, uprobes: Uprobes) -> Result<Self, TracerError> {
        let loading = Loading {
            target_tgid: 0,
            unwind_rows: 1,
            uprobes,
            needed: BTreeSet::from([name]),
            optional: BTreeSet::new(),
        };
        let load = || {
            let mut open = loading.open()?;
            for mut map in open.maps_mut() {
                let is_used = map.name() == "program_runs";
                map.set_autocreate(is_used)?;
            }
            open.load()
        };
        let (object, warnings) = heard(load);
        let object =
            object.map_err(|error| TracerError::load(format!("{error:#} ({})", in_one_line(&warnings))))?;
        Ok(Self {
            object,
            uprobes,
            refused: BTreeMap::new(),
        })
    }

    /// Returns a program; `None` if it was not loaded.
    pub(crate) fn program(&self, name: &str) -> Option<ProgramMut<'_>> {
        self.programs().find(|program| program.name() == name)
    }

    /// Returns the loaded programs.
    pub(crate) fn programs(&self) -> impl Iterator<Item = ProgramMut<'_>> {
        self.object.progs_mut().filter(|program| program.autoload())
    }

    /// Returns a map with a value for each key.
    pub(crate) fn map<V: AnyBitPattern + NoUninit>(&self, name: &str) -> Result<Map<V>, TracerError> {
        self.handle(name).map(Map::new)
    }

    /// Returns a map with values for each key and CPU.
    pub(crate) fn per_cpu_map<V: AnyBitPattern>(&self, name: &str) -> Result<PerCpuMap<V>, TracerError> {
        self.handle(name).map(PerCpuMap::new)
    }

    /// Returns a map of the object.
    pub(crate) fn handle(&self, name: &str) -> Result<MapHandle, TracerError> {
        let map = self.object.maps().find(|map| map.name() == name);
        let map = map.ok_or_else(|| TracerError::load(format_args!("no map {name} in the object")))?;
        MapHandle::try_from(&map).map_err(|error| TracerError::load(format_args!("{error:#}")))
    }
}

impl Loading<'_> {
    fn try_once(&self) -> libbpf_rs::Result<Object> {
        self.open()?.load()
    }

    fn open(&self) -> libbpf_rs::Result<OpenObject> {
        let mut open = ObjectBuilder::default().open_memory(OBJECT)?;
        for mut program in open.progs_mut() {
            let name = program.name().to_string_lossy().into_owned();
            let is_wanted = self.needed.contains(&*name) || self.optional.contains(&*name);
            program.set_autoload(is_wanted);
            if let (ProgramType::Kprobe, Some(kind)) = (program.prog_type(), self.uprobes.attach_type()) {
                program.set_attach_type(kind);
            }
        }
        for mut map in open.maps_mut() {
            if map.name() == "unwind_rows" {
                map.set_max_entries(self.unwind_rows)?;
            }
            if map.name().to_string_lossy().ends_with(".rodata") {
                let constants = [("target_tgid", self.target_tgid), ("own_tgid", process::id())];
                let bytes = map.initial_value_mut().unwrap_or_default();
                constants
                    .iter()
                    .for_each(|&(name, value)| set(bytes, name, value));
            }
        }
        Ok(open)
    }
}

/// Sets a constant of the object: its symbol says where it is among the constants.
fn set(constants: &mut [u8], name: &str, value: u32) {
    let elf = object::File::parse(OBJECT).ok();
    let symbol = elf.as_ref().and_then(|elf| elf.symbol_by_name(name));
    let place = symbol.and_then(|symbol| usize::try_from(symbol.address()).ok());
    let place = place.and_then(|start| constants.get_mut(start..start + size_of::<u32>()));
    if let Some(place) = place {
        place.copy_from_slice(&value.to_ne_bytes());
    }
}
