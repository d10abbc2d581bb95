//! Names of the frames of a server's stacks.

use aya::maps::{HashMap, MapData};
use logtrace_events::LOCK_OF_ALL_OBJECTS;

use crate::stacks::function_names::FunctionNames;

/// `SERVER_FRAMES` of bpf/server_stack.h.
const FRAMES: usize = 32;

/// `struct server_stack` there; a stack with fewer frames ends with a 0.
pub(crate) type FrameAddresses = [u64; FRAMES];

/// Method that takes a metadata lock (sql/mdl.cc of both servers).
const TAKES_LOCK: &str = "MDL_context::acquire_lock";

/// Stacks of a server by id, and the server's functions.
pub(crate) struct ServerFrames {
    map: HashMap<MapData, u32, FrameAddresses>,
    names: FunctionNames,
}

impl ServerFrames {
    /// Names the stacks of this map with these functions.
    pub(crate) fn new(map: HashMap<MapData, u32, FrameAddresses>, names: FunctionNames) -> Self {
        Self { map, names }
    }

    /// Returns the names of the frames, innermost first.
    pub(crate) fn frames(&self, id: u32) -> Vec<String> {
        let Ok(addresses) = self.map.get(&id, 0) else {
            return Vec::new();
        };
        let callers = addresses.into_iter().skip(1).chain([0]);
        let frames = addresses.into_iter().zip(callers);
        let frames = frames.take_while(|(address, _)| *address != 0);
        frames
            .map(|(address, caller)| self.name(address, caller))
            .collect()
    }

    /// Returns the name of the function at an address, which was called at the other. Which lock it takes is part of it.
    fn name(&self, address: u64, caller: u64) -> String {
        let name = self.names.name(address);
        if name == TAKES_LOCK && self.names.locks_all_objects(caller) {
            return LOCK_OF_ALL_OBJECTS.to_owned();
        }
        name
    }
}
