//! Lookup of the customer whom the user selects by number or by last name.

use mysql_async::Value;

use crate::client::Conn;
use crate::workloads::statement::{Statement, required};
use crate::workloads::tpcc::inputs::{Customer, CustomerKey};
use crate::workloads::tpcc::profile::Profile;

/// Statement that reads the numbers of all customers with a last name.
pub(crate) const BY_LAST_NAME: &str =
    "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first";

/// Returns the primary key of the customer: warehouse, district, number.
pub(crate) async fn customer_key(
    by_last_name: &Statement,
    profile: Profile,
    conn: &mut Conn,
    customer: &Customer,
) -> mysql_async::Result<[Value; 3]> {
    let (w, d) = (customer.district.warehouse, customer.district.district);
    let number = match &customer.key {
        CustomerKey::Number(number) => *number,
        CustomerKey::LastName(name) => {
            let values = vec![w.into(), d.into(), name.as_str().into()];
            let numbers: Vec<u32> = by_last_name.fetch_all(conn, values).await?;
            required(numbers.get(profile.customer_index(numbers.len())).copied())?
        }
    };
    Ok([w.into(), d.into(), number.into()])
}
