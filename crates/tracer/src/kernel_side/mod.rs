//! The kernel side: loading its programs with libbpf, and its maps.

pub(crate) mod cpus;
pub(crate) mod maps;
pub(crate) mod messages;
pub(crate) mod object;
pub(crate) mod perf_event;
pub(crate) mod uprobes;
