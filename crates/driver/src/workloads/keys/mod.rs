//! Distributions of keys, computed as sysbench does.

pub(crate) mod distribution;
pub(crate) mod gaussian;
pub(crate) mod pareto;
pub(crate) mod parse;
pub(crate) mod zipfian;
