//! Scale and options of the workload.

use crate::workloads::tpcc::profile::Profile;

/// Districts of a warehouse.
pub(crate) const DISTRICTS: u32 = 10;
/// Customers of a district, and orders that it starts with.
pub(crate) const CUSTOMERS: u32 = 3_000;
/// Items that are sold, and kinds of stock in each warehouse.
pub(crate) const ITEMS: u32 = 100_000;
/// The first order of a district that is not delivered yet.
pub(crate) const FIRST_NEW_ORDER: u32 = 2_101;

/// The workload's name.
pub(crate) const NAME: &str = "tpcc";
/// Warehouses, unless it is said otherwise.
const WAREHOUSES: u32 = 1;

/// What the workload is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tpcc {
    /// The scale: number of warehouses, at least 1.
    pub warehouses: u32,
    /// Whose deviations from the specification are made.
    pub profile: Profile,
    /// Whose warehouse a request is at home in.
    pub homes: Homes,
    /// Whether a connection is one terminal, whose user types and thinks.
    pub keying_times: bool,
}

/// Whose warehouse a request is at home in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Homes {
    /// A terminal's, drawn for each request from those of all warehouses: connections are shared by all terminals, and
    /// the requests are the same whichever connection sends them.
    #[default]
    Request,
    /// The connection's, which is one terminal: they are spread evenly over the warehouses.
    Connection,
}

impl Homes {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Connection => "connection",
        }
    }
}

/// What is to differ from the defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TpccOptions {
    /// Number of warehouses, at least 1.
    pub warehouses: Option<u32>,
    /// Whether users type and think.
    pub keying_times: bool,
    /// Whose warehouse a request is at home in; users that type and think are at home in their own.
    pub homes: Homes,
}

impl TpccOptions {
    /// The options that were given, as commands have them.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let warehouses = self.warehouses.map(|_| "--warehouses");
        let keying_times = self.keying_times.then_some("--keying-times");
        warehouses.into_iter().chain(keying_times)
    }

    /// Every option that the workload takes.
    pub(crate) fn names() -> String {
        "--warehouses, --keying-times, --check, --protocol, --compat sysbench-tpcc, --compat dbt2".to_owned()
    }
}

impl Default for Tpcc {
    fn default() -> Self {
        Self::new(Profile::default(), TpccOptions::default())
    }
}

impl Tpcc {
    pub(crate) fn new(profile: Profile, options: TpccOptions) -> Self {
        let homes = match options.keying_times {
            true => Homes::Connection,
            false => options.homes,
        };
        Self {
            warehouses: options.warehouses.unwrap_or(WAREHOUSES),
            profile,
            homes: if profile.has_homes() {
                homes
            } else {
                Homes::Request
            },
            keying_times: options.keying_times,
        }
    }
}
