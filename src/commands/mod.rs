//! The subcommands, one a file.

pub(crate) mod collect;
pub(crate) mod compare;
pub(crate) mod doctor;
mod export;
pub(crate) mod join;
mod left_servers;
pub(crate) mod manual;
mod measure_and_report;
pub(crate) mod pace;
mod print;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod study;
pub(crate) mod trace;
pub(crate) mod workloads;
