//! Names of the frames of a server's stacks, each stack once.

use std::collections::HashSet;

use aya::maps::{HashMap, MapData};
use logtrace_events::{Record, Stack, encode, wire};

use crate::server_stacks::function_names::FunctionNames;

/// `SERVER_FRAMES` of bpf/server_wait.h.
const FRAMES: usize = 32;

/// `struct server_stack` there; a stack with fewer frames ends with a 0.
pub(crate) type Addresses = [u64; FRAMES];

/// Turns ids of stacks into [`Record::ServerStack`].
pub(crate) struct ServerStacks {
    map: HashMap<MapData, u32, Addresses>,
    names: FunctionNames,
    known: HashSet<u32>,
}

impl ServerStacks {
    /// Names the stacks of this map with the functions of a process.
    pub(crate) fn new(pid: u32, map: HashMap<MapData, u32, Addresses>) -> Self {
        Self {
            map,
            names: FunctionNames::of_process(pid),
            known: HashSet::new(),
        }
    }

    /// Returns the encoded stack of a record at its first use.
    pub(crate) fn first_use(&mut self, record: &[u8]) -> Option<Vec<u8>> {
        let id = stack_of(record)?;
        if !self.known.insert(id) {
            return None;
        }
        let frames = self.frames(id);
        let mut bytes = Vec::new();
        encode(&Record::ServerStack(Stack { id, frames }), &mut bytes);
        Some(bytes)
    }

    /// Returns the names of the frames, innermost first.
    fn frames(&mut self, id: u32) -> Vec<String> {
        let Ok(addresses) = self.map.get(&id, 0) else {
            return Vec::new();
        };
        let addresses = addresses.into_iter().take_while(|address| *address != 0);
        // A call may be the last instruction of its function: the return address then lies behind it.
        addresses.map(|address| self.names.name(address - 1)).collect()
    }
}

fn stack_of(record: &[u8]) -> Option<u32> {
    let bytes = record.get(..size_of::<wire::ServerWait>())?;
    let wait: wire::ServerWait = bytemuck::pod_read_unaligned(bytes);
    if wait.header.kind != wire::KIND_SERVER_WAIT {
        return None;
    }
    u32::try_from(wait.stack).ok()
}
