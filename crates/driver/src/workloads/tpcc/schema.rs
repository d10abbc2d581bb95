//! Definitions of the nine tables (clause 1.3).

/// Names of the tables. The specification's NEW-ORDER and ORDER have the names that most programs use.
pub const TABLES: [&str; 9] = [
    "warehouse",
    "district",
    "customer",
    "history",
    "new_orders",
    "orders",
    "order_line",
    "item",
    "stock",
];

/// Columns of an address; `{}` is the prefix of the table's columns.
const ADDRESS: &str = "{}street_1 VARCHAR(20) NOT NULL, {}street_2 VARCHAR(20) NOT NULL, \
                       {}city VARCHAR(20) NOT NULL, {}state CHAR(2) NOT NULL, {}zip CHAR(9) NOT NULL";

/// Columns and keys of each table, in the order of [`TABLES`]: the specification's columns and primary keys, and the two
/// indexes that its transactions need. `history` has no key.
const DEFINITIONS: [&str; 9] = [
    "w_id INT NOT NULL, w_name VARCHAR(10) NOT NULL, {address:w_}, w_tax DECIMAL(4,4) NOT NULL, \
     w_ytd DECIMAL(12,2) NOT NULL, PRIMARY KEY (w_id)",
    "d_id TINYINT NOT NULL, d_w_id INT NOT NULL, d_name VARCHAR(10) NOT NULL, {address:d_}, \
     d_tax DECIMAL(4,4) NOT NULL, d_ytd DECIMAL(12,2) NOT NULL, d_next_o_id INT NOT NULL, \
     PRIMARY KEY (d_w_id, d_id)",
    "c_id INT NOT NULL, c_d_id TINYINT NOT NULL, c_w_id INT NOT NULL, c_first VARCHAR(16) NOT NULL, \
     c_middle CHAR(2) NOT NULL, c_last VARCHAR(16) NOT NULL, {address:c_}, c_phone CHAR(16) NOT NULL, \
     c_since DATETIME NOT NULL, c_credit CHAR(2) NOT NULL, c_credit_lim DECIMAL(12,2) NOT NULL, \
     c_discount DECIMAL(4,4) NOT NULL, c_balance DECIMAL(12,2) NOT NULL, c_ytd_payment DECIMAL(12,2) NOT NULL, \
     c_payment_cnt INT NOT NULL, c_delivery_cnt INT NOT NULL, c_data VARCHAR(500) NOT NULL, \
     PRIMARY KEY (c_w_id, c_d_id, c_id), KEY idx_customer (c_w_id, c_d_id, c_last, c_first)",
    "h_c_id INT NOT NULL, h_c_d_id TINYINT NOT NULL, h_c_w_id INT NOT NULL, h_d_id TINYINT NOT NULL, \
     h_w_id INT NOT NULL, h_date DATETIME NOT NULL, h_amount DECIMAL(6,2) NOT NULL, h_data VARCHAR(24) NOT NULL",
    "no_o_id INT NOT NULL, no_d_id TINYINT NOT NULL, no_w_id INT NOT NULL, PRIMARY KEY (no_w_id, no_d_id, no_o_id)",
    "o_id INT NOT NULL, o_d_id TINYINT NOT NULL, o_w_id INT NOT NULL, o_c_id INT NOT NULL, \
     o_entry_d DATETIME NOT NULL, o_carrier_id TINYINT, o_ol_cnt TINYINT NOT NULL, o_all_local TINYINT NOT NULL, \
     PRIMARY KEY (o_w_id, o_d_id, o_id), KEY idx_orders (o_w_id, o_d_id, o_c_id, o_id)",
    "ol_o_id INT NOT NULL, ol_d_id TINYINT NOT NULL, ol_w_id INT NOT NULL, ol_number TINYINT NOT NULL, \
     ol_i_id INT NOT NULL, ol_supply_w_id INT NOT NULL, ol_delivery_d DATETIME, ol_quantity TINYINT NOT NULL, \
     ol_amount DECIMAL(6,2) NOT NULL, ol_dist_info CHAR(24) NOT NULL, \
     PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)",
    "i_id INT NOT NULL, i_im_id INT NOT NULL, i_name VARCHAR(24) NOT NULL, i_price DECIMAL(5,2) NOT NULL, \
     i_data VARCHAR(50) NOT NULL, PRIMARY KEY (i_id)",
    "s_i_id INT NOT NULL, s_w_id INT NOT NULL, s_quantity SMALLINT NOT NULL, s_dist_01 CHAR(24) NOT NULL, \
     s_dist_02 CHAR(24) NOT NULL, s_dist_03 CHAR(24) NOT NULL, s_dist_04 CHAR(24) NOT NULL, \
     s_dist_05 CHAR(24) NOT NULL, s_dist_06 CHAR(24) NOT NULL, s_dist_07 CHAR(24) NOT NULL, \
     s_dist_08 CHAR(24) NOT NULL, s_dist_09 CHAR(24) NOT NULL, s_dist_10 CHAR(24) NOT NULL, \
     s_ytd DECIMAL(8,0) NOT NULL, s_order_cnt INT NOT NULL, s_remote_cnt INT NOT NULL, \
     s_data VARCHAR(50) NOT NULL, PRIMARY KEY (s_w_id, s_i_id)",
];

/// Foreign keys: a table and its columns, and the table and columns that they refer to. The specification names them (clause
/// 1.3), but does not require them; sysbench-tpcc has them (tpcc_common.lua, `use_fk`).
const FOREIGN_KEYS: [[&str; 4]; 10] = [
    ["district", "d_w_id", "warehouse", "w_id"],
    ["customer", "c_w_id, c_d_id", "district", "d_w_id, d_id"],
    [
        "history",
        "h_c_w_id, h_c_d_id, h_c_id",
        "customer",
        "c_w_id, c_d_id, c_id",
    ],
    ["history", "h_w_id, h_d_id", "district", "d_w_id, d_id"],
    [
        "new_orders",
        "no_w_id, no_d_id, no_o_id",
        "orders",
        "o_w_id, o_d_id, o_id",
    ],
    [
        "orders",
        "o_w_id, o_d_id, o_c_id",
        "customer",
        "c_w_id, c_d_id, c_id",
    ],
    [
        "order_line",
        "ol_w_id, ol_d_id, ol_o_id",
        "orders",
        "o_w_id, o_d_id, o_id",
    ],
    ["order_line", "ol_supply_w_id, ol_i_id", "stock", "s_w_id, s_i_id"],
    ["stock", "s_w_id", "warehouse", "w_id"],
    ["stock", "s_i_id", "item", "i_id"],
];

/// Returns the statements that add the foreign keys to filled tables, with the indexes that they need.
pub(crate) fn add_foreign_keys() -> impl Iterator<Item = String> {
    FOREIGN_KEYS.into_iter().map(|[table, columns, other, keys]| {
        format!("ALTER TABLE {table} ADD FOREIGN KEY ({columns}) REFERENCES {other} ({keys})")
    })
}

/// Returns the statements that create the tables.
pub(crate) fn create_tables() -> impl Iterator<Item = String> {
    TABLES.into_iter().zip(DEFINITIONS).map(|(table, definition)| {
        let columns = ["w_", "d_", "c_"]
            .iter()
            .fold(definition.to_owned(), |columns, prefix| {
                columns.replace(&format!("{{address:{prefix}}}"), &ADDRESS.replace("{}", prefix))
            });
        format!("CREATE TABLE {table} ({columns}) ENGINE=InnoDB")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_its_name() {
        let sql: Vec<String> = create_tables().collect();
        assert!(sql.iter().all(|sql| !sql.contains('{')), "{sql:#?}");
        assert!(sql[2].contains("c_zip CHAR(9) NOT NULL, c_phone"));
        let columns = sql.iter().map(|sql| sql.matches(" NOT NULL").count());
        // Two columns can be NULL: the carrier and the delivery date.
        assert_eq!(columns.sum::<usize>() + 2, 9 + 11 + 21 + 8 + 3 + 8 + 10 + 5 + 17);
    }
}
