//! Definitions of the stored procedures.
//!
//! They have the statements that [`crate::workloads::tpcc::transactions`] sends one by one, except that the lookup of a
//! customer by name counts the customers first. Which work is the procedure's and which the client's is as in DBT2
//! (storedproc/mysql, 0.61.7).

use std::iter::once;

use crate::workloads::tpcc::options::{DISTRICTS, MAX_ORDER_LINES};

/// Name and definition of each procedure. A procedure is created after those that it calls.
const PROCEDURES: [(&str, &str); 7] = [
    ("new_order_line", include_str!("new_order_line.sql")),
    ("new_order", include_str!("new_order.sql")),
    ("customer_by_name", include_str!("customer_by_name.sql")),
    ("payment", include_str!("payment.sql")),
    ("order_status", include_str!("order_status.sql")),
    ("delivery", include_str!("delivery.sql")),
    ("stock_level", include_str!("stock_level.sql")),
];

/// Returns the statements that create the procedures, in place of those of an earlier load.
pub(crate) fn create_procedures() -> impl Iterator<Item = String> {
    PROCEDURES.into_iter().flat_map(|(name, definition)| {
        let sql = definition
            .replace(
                "{parameters}",
                &joined(1..=MAX_ORDER_LINES, ", ", line_parameters),
            )
            .replace("{lines}", &joined(1..=MAX_ORDER_LINES, "\n  ", line_call))
            .replace("{stock}", &joined(1..=DISTRICTS, "\n      ", stock));
        once(format!("DROP PROCEDURE IF EXISTS {name}")).chain(once(sql))
    })
}

fn joined(numbers: impl Iterator<Item = u32>, separator: &str, sql: fn(u32) -> String) -> String {
    numbers.map(sql).collect::<Vec<String>>().join(separator)
}

fn line_parameters(line: u32) -> String {
    format!("p_i_id_{line} INT, p_supply_w_id_{line} INT, p_quantity_{line} INT")
}

fn line_call(line: u32) -> String {
    format!(
        "IF v_found AND p_ol_cnt >= {line} THEN CALL new_order_line(p_w_id, p_d_id, v_o_id, {line}, p_i_id_{line}, \
         p_supply_w_id_{line}, p_quantity_{line}, v_found); END IF;"
    )
}

fn stock(district: u32) -> String {
    format!(
        "WHEN {district} THEN SELECT s_quantity, s_data, s_dist_{district:02} INTO v_left, v_data, v_district \
         FROM stock WHERE s_i_id = p_i_id AND s_w_id = p_supply_w_id FOR UPDATE;"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_filled_in() {
        let sql: Vec<String> = create_procedures().collect();
        assert_eq!(sql.len(), 2 * PROCEDURES.len());
        assert!(sql.iter().all(|sql| !sql.contains('{')), "{sql:#?}");
        let count = |part: &str| sql.iter().map(|sql| sql.matches(part).count()).sum::<usize>();
        assert_eq!(
            (count("CALL new_order_line("), count("FROM stock WHERE")),
            (15, 10)
        );
        for ((name, _), sql) in PROCEDURES.iter().zip(sql.iter().skip(1).step_by(2)) {
            assert!(sql.contains(&format!("CREATE PROCEDURE {name}(")), "{sql}");
        }
    }
}
