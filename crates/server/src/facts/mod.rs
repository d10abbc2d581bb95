pub(crate) mod block_device;
pub(crate) mod container;
pub(crate) mod cpu_time;
pub(crate) mod file_system;
pub(crate) mod host;
pub(crate) mod placed;
pub(crate) mod server;
pub(crate) mod stage_times;
