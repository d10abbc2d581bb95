//! Scale and options of the workload.

use strum::IntoStaticStr;

use crate::workloads::tpcc::profile::Profile;

/// Number of districts of a warehouse.
pub(crate) const DISTRICTS: u32 = 10;
/// Number of customers of a district, and of orders that it starts with.
pub(crate) const CUSTOMERS: u32 = 3_000;
/// Number of items, and of stock rows of a warehouse.
pub(crate) const ITEMS: u32 = 100_000;
/// Maximum number of lines of an order (clause 2.4.1.3).
pub(crate) const MAX_ORDER_LINES: u32 = 15;
/// First order of a district that is not delivered when the tables are loaded.
pub(crate) const FIRST_NEW_ORDER: u32 = 2_101;

/// Name of the workload.
pub(crate) const NAME: &str = "tpcc";
/// Default number of warehouses.
const WAREHOUSES: u32 = 1;

/// Configuration of the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TpccConfig {
    /// Scale: number of warehouses, at least 1.
    pub warehouses: u32,
    /// Program whose deviations from the specification are repeated.
    pub profile: Profile,
    /// Home warehouse of a request.
    pub home: HomeWarehouse,
    /// Whether a connection is one terminal, with a user who types and thinks.
    pub keying_times: bool,
}

/// Home warehouse of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, IntoStaticStr)]
pub enum HomeWarehouse {
    /// Warehouse of a terminal that is drawn for each request: all terminals share all connections, and the requests do not
    /// depend on the connection that sends them. For open loops and their capacity: no warehouse gets more requests because
    /// its connection happens to be idle.
    #[default]
    #[strum(serialize = "request")]
    PerRequest,
    /// Warehouse of the connection, which is one terminal. Connections are spread evenly over the warehouses.
    #[strum(serialize = "connection")]
    PerConnection,
}

impl HomeWarehouse {
    /// Returns the name in reports.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Options that differ from the defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TpccOptions {
    /// Number of warehouses, at least 1.
    pub warehouses: Option<u32>,
    /// Whether users type and think.
    pub keying_times: bool,
    /// Home warehouse of a request. Users that type and think have a home warehouse per connection.
    pub home: HomeWarehouse,
}

impl TpccOptions {
    /// Command-line options of the workload.
    pub(crate) const NAMES: &str =
        "--warehouses, --keying-times, --check, --protocol, --compat sysbench-tpcc, --compat dbt2";

    /// Returns the command-line options that are set.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let warehouses = self.warehouses.map(|_| "--warehouses");
        let keying_times = self.keying_times.then_some("--keying-times");
        warehouses.into_iter().chain(keying_times)
    }
}

impl Default for TpccConfig {
    fn default() -> Self {
        Self::new(Profile::default(), TpccOptions::default())
    }
}

impl TpccConfig {
    pub(crate) fn new(profile: Profile, options: TpccOptions) -> Self {
        let home = match (profile.has_home_warehouse(), options.keying_times) {
            (false, _) => HomeWarehouse::PerRequest,
            (true, true) => HomeWarehouse::PerConnection,
            (true, false) => options.home,
        };
        Self {
            warehouses: options.warehouses.unwrap_or(WAREHOUSES),
            profile,
            home,
            keying_times: options.keying_times,
        }
    }
}
