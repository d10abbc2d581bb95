pub(crate) mod managed;
pub(crate) mod observed;
pub(crate) mod process_facts;
pub(crate) mod process_memory;
pub(crate) mod semisync_receiver;
