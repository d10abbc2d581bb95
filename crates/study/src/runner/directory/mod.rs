//! Directory of a study: the request, its progress, and a run directory for each measurement.

pub(crate) mod progress_file;
pub(crate) mod request;
pub(crate) mod study_dir;
pub(crate) mod turn_log;
