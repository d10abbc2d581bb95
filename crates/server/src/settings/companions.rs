//! Variables that a SET changes besides its own.

/// Two variables of which a SET of one may change the other, with the function of the server's source that does, or where it
/// was seen.
struct CompanionPair(&'static str, &'static str);

/// Functions are in sql/sys_vars.cc and storage/innobase/handler/ha_innodb.cc, if nothing else is said. What a server does
/// not have is left out.
const PAIRS: &[CompanionPair] = &[
    // A higher capacity raises the maximum, a lower maximum the capacity (`innodb_io_capacity_update` and
    // `innodb_io_capacity_max_update` of MariaDB).
    CompanionPair("innodb_io_capacity", "innodb_io_capacity_max"),
    // A lower percentage lowers the low-water mark (`innodb_max_dirty_pages_pct_update`).
    CompanionPair("innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm"),
    // Both are one value: a character set gives its default collation, a collation its character set (`Sys_var_struct` of
    // `collation_server`, `collation_database` and `collation_connection`).
    CompanionPair("character_set_server", "collation_server"),
    CompanionPair("character_set_database", "collation_database"),
    CompanionPair("character_set_connection", "collation_connection"),
    // ON of the first sets the second, OFF of the second clears the first (`fix_super_read_only`, `fix_read_only`).
    CompanionPair("super_read_only", "read_only"),
    // Only without a limit are big selects allowed (`fix_max_join_size`).
    CompanionPair("max_join_size", "sql_big_selects"),
    // One period in two units (`copy_to_expire_logs_days` and `copy_to_binlog_expire_logs_seconds` of MariaDB).
    CompanionPair("binlog_expire_logs_seconds", "expire_logs_days"),
    // A bit of the filter, `QPLAN_NOT_USING_INDEX` (seen with MariaDB 10.11).
    CompanionPair("log_queries_not_using_indexes", "log_slow_filter"),
    // Bits of the list, such as `LOG_SLOW_DISABLE_ADMIN` (seen with MariaDB 10.11).
    CompanionPair("log_slow_admin_statements", "log_slow_disabled_statements"),
    CompanionPair("log_slow_slave_statements", "log_slow_disabled_statements"),
    // The lowest bit of the second (`wsrep_causal_reads_update`, `wsrep_sync_wait_update` of sql/wsrep_var.cc).
    CompanionPair("wsrep_causal_reads", "wsrep_sync_wait"),
    // A longer policy raises the length (`readjust_validate_password_length` in validate_password_imp.cc).
    CompanionPair("validate_password.length", "validate_password.number_count"),
    CompanionPair("validate_password.length", "validate_password.mixed_case_count"),
    CompanionPair("validate_password.length", "validate_password.special_char_count"),
];

/// Returns the variables that a SET of `name` may change, too.
pub(crate) fn companions_of(name: &str) -> impl Iterator<Item = &'static str> + '_ {
    PAIRS.iter().filter_map(move |CompanionPair(one, other)| {
        if *one == name {
            Some(*other)
        } else {
            (*other == name).then_some(*one)
        }
    })
}

/// Returns all companions of some variables, and those of these, without the variables themselves. A companion is after
/// those that it may be changed by.
pub(crate) fn companions_of_all(names: &[&str]) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    let mut next: Vec<&str> = names.to_vec();
    while let Some(name) = next.pop() {
        for companion in companions_of(name) {
            if !names.contains(&companion) && !found.contains(&companion) {
                found.push(companion);
                next.push(companion);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companions_are_those_of_all_and_of_each_other() {
        assert_eq!(
            companions_of_all(&["innodb_io_capacity"]),
            ["innodb_io_capacity_max"]
        );
        assert_eq!(companions_of_all(&["collation_server"]), ["character_set_server"]);
        assert_eq!(
            companions_of_all(&["log_slow_admin_statements"]),
            ["log_slow_disabled_statements", "log_slow_slave_statements"]
        );
        assert_eq!(
            companions_of_all(&["read_only", "super_read_only", "sync_binlog"]),
            [""; 0]
        );
    }
}
