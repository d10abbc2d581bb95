//! Thread of a server that receives the messages of its Galera cluster.
//!
//! A commit waits until its own message comes back in the order of all: that thread gets it and wakes others, which wake the
//! commit. It waits for the sockets of the other nodes in `epoll_wait()`, and its waits alone look like those for clients. It
//! has no name; the code of the provider is on its stack alone among the threads that wait so (gcomm/src/asio_protonet.cpp,
//! `AsioProtonet::event_loop()`).

use std::ops::Range;

use procfs::process::{MMPermissions, MMapPath, MemoryMap};

use crate::attached::process_memory::ProcessMemory;
use crate::attached::semisync_receiver::{DEPTH, LOOKS, stack_pointer};
use crate::facts::server::ServerFacts;
use logtrace_common::process::{Mappings, ProcessHandle};

/// File of Galera's provider.
const PROVIDER: &str = "libgalera_smm.so";

/// Numbers of `epoll_wait` and `epoll_pwait`, as `/proc/PID/task/TID/syscall` begins.
const WAITS_FOR_SOCKETS: [&str; 2] = ["232 ", "281 "];

impl ServerFacts {
    /// Returns the thread that receives the messages of a Galera cluster, if there is one. Needs root.
    pub fn cluster_receiver(&self) -> Option<u32> {
        let process = self.process.as_ref()?;
        let maps = Mappings::open(process).ok()?.read().ok()?;
        let code = maps.iter().find_map(code_of_provider)?;
        let memory = ProcessMemory::find(process, &[]).ok()?;
        let mut threads = process.threads();
        threads.find(|&tid| is_receiver(process, tid, &code, &memory))
    }
}

fn code_of_provider(map: &MemoryMap) -> Option<Range<u64>> {
    let MMapPath::Path(file) = &map.pathname else {
        return None;
    };
    let is_code = file.ends_with(PROVIDER) && map.perms.contains(MMPermissions::EXECUTE);
    is_code.then_some(map.address.0..map.address.1)
}

fn is_receiver(process: &ProcessHandle, tid: u32, code: &Range<u64>, memory: &ProcessMemory) -> bool {
    let path = format!("task/{tid}/syscall");
    let waits = |text: &String| WAITS_FOR_SOCKETS.iter().any(|call| text.starts_with(call));
    // A thread that runs at the moment tells no system call.
    let waiting = (0..LOOKS).find_map(|_| process.text(&path).ok().filter(waits));
    let top = waiting.and_then(|text| stack_pointer(&text));
    top.is_some_and(|top| memory.words(top, DEPTH).iter().any(|word| code.contains(word)))
}
