//! Checks of the machine and its servers before anything is measured.

pub(crate) mod preflight;
pub(crate) mod settings_check;
pub(crate) mod storage_check;
