//! The experiments.

mod commits;
mod cpu;
mod disks;
mod fsyncs;
mod locks;
mod memory;
mod redo_space;
mod tables;

use crate::experiment::Experiment;

/// Returns all experiments, in the order of the table.
pub fn all() -> Vec<Experiment> {
    [
        fsyncs::EXPERIMENTS,
        disks::EXPERIMENTS,
        cpu::EXPERIMENTS,
        locks::EXPERIMENTS,
        commits::EXPERIMENTS,
        redo_space::EXPERIMENTS,
        memory::EXPERIMENTS,
    ]
    .concat()
}
