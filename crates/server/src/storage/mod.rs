pub(crate) mod discard_file;
pub(crate) mod disk_queue;
pub(crate) mod fs_image;
pub(crate) mod mount;
pub(crate) mod mount_namespace;
pub(crate) mod place;
pub(crate) mod placed_dirs;
pub(crate) mod placement;
