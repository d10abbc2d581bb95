//! Names of the frames of a server's stacks.

use aya::maps::{HashMap, MapData};

use crate::stacks::function_names::FunctionNames;

/// `SERVER_FRAMES` of bpf/server_stack.h.
const FRAMES: usize = 32;

/// `struct server_stack` there; a stack with fewer frames ends with a 0.
pub(crate) type FrameAddresses = [u64; FRAMES];

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
        let addresses = addresses.into_iter().take_while(|address| *address != 0);
        addresses.map(|address| self.names.name(address)).collect()
    }
}
