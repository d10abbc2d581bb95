//! Server of a study, its data and its disk.

pub(crate) mod cell_config;
pub(crate) mod kernel_settings;
pub(crate) mod loaded_data;
pub(crate) mod quiesce;
pub(crate) mod shared_server;
