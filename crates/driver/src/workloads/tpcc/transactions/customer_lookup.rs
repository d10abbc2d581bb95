//! Finding the customer whom the user knows by number or by last name.

use mysql_async::Value;

use crate::client::connection::Conn;
use crate::workloads::statement::Ready;

use crate::workloads::tpcc::connection::found;
use crate::workloads::tpcc::inputs::{Customer, Known};
use crate::workloads::tpcc::profile::Profile;

/// The statements for that.
pub(crate) struct Customers {
    profile: Profile,
    namesakes: Ready,
}

impl Customers {
    pub(crate) fn new(profile: Profile) -> Self {
        Self {
            profile,
            namesakes: Ready::text(
                "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first",
            ),
        }
    }

    pub(crate) fn each(&mut self) -> Vec<&mut Ready> {
        vec![&mut self.namesakes]
    }

    /// The key of the customer: warehouse, district, number.
    pub(crate) async fn key(&self, conn: &mut Conn, customer: &Customer) -> mysql_async::Result<[Value; 3]> {
        let (w, d) = (customer.of.warehouse, customer.of.district);
        let number = match &customer.known {
            Known::Number(number) => *number,
            Known::Name(name) => {
                let of_name = vec![w.into(), d.into(), name.as_str().into()];
                let numbers: Vec<u32> = self.namesakes.all(conn, of_name).await?;
                found(numbers.get(self.profile.of_namesakes(numbers.len())).copied())?
            }
        };
        Ok([w.into(), d.into(), number.into()])
    }
}
