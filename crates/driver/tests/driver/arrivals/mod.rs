//! Arrivals as they were drawn, and as they left for real servers.

mod drawn;
mod kolmogorov;
mod seed;
mod sent;
