//! Comparison of a requested value with the reported value of a variable.

/// Variables whose value is a list that the server completes by itself.
const COMPLETED_LISTS: [&str; 2] = ["optimizer_switch", "sql_mode"];

/// Returns whether `reported`, from `SHOW GLOBAL VARIABLES`, means the same as `wanted`.
///
/// A value that the server rounded, clamped or ignored is different: otherwise a measurement would have the wrong
/// label.
pub(crate) fn has_value(name: &str, wanted: &str, reported: &str) -> bool {
    if name == "log_bin" {
        // Asked for as a file name, reported as a truth value.
        return truth(wanted).unwrap_or(true) == truth(reported).unwrap_or(false);
    }
    if COMPLETED_LISTS.contains(&name) {
        return completes(wanted, reported);
    }
    wanted.eq_ignore_ascii_case(reported)
        || same(truth, wanted, reported)
        || same(integer, wanted, reported)
        || same(decimal, wanted, reported)
        || same_path(wanted, reported)
        || same_set(wanted, reported)
}

/// Reads a word as a truth value, as servers do. Returns `None` for other words.
pub(crate) fn truth(value: &str) -> Option<bool> {
    match value.to_ascii_uppercase().as_str() {
        "ON" | "TRUE" | "YES" | "1" => Some(true),
        "OFF" | "FALSE" | "NO" | "0" => Some(false),
        _ => None,
    }
}

/// Reads an integer with a suffix as on a server's command line: `256M` is 268435456.
pub(crate) fn integer(value: &str) -> Option<i128> {
    let split = value
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(value.len());
    let (digits, suffix) = value.split_at(split);
    let power = match suffix.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        "E" => 6,
        _ => return None,
    };
    digits.parse::<i128>().ok()?.checked_mul(1 << (10 * power))
}

fn same<T: PartialEq>(read: fn(&str) -> Option<T>, wanted: &str, reported: &str) -> bool {
    read(wanted).is_some_and(|wanted| read(reported) == Some(wanted))
}

/// Reads a decimal number: `0.5` equals `0.500000`. Both sides are decimal, so equal values have equal bits.
fn decimal(value: &str) -> Option<f64> {
    let plain = value.bytes().all(|b| b.is_ascii_digit() || b".-".contains(&b));
    plain.then(|| value.parse().ok()).flatten()
}

/// Returns whether two paths are the same: `/a/b` and `/a/b/`, or `slow.log` and `/data/slow.log`.
fn same_path(wanted: &str, reported: &str) -> bool {
    let trim = |path: &str| path.trim_end_matches('/').trim_start_matches("./").to_owned();
    let (wanted, reported) = (trim(wanted), trim(reported));
    let inside = || {
        reported
            .strip_suffix(&wanted)
            .is_some_and(|directory| directory.starts_with('/') && directory.ends_with('/'))
    };
    !wanted.is_empty() && (wanted == reported || (!wanted.starts_with('/') && inside()))
}

fn items(list: &str) -> Vec<String> {
    let mut items: Vec<_> = list
        .split(',')
        .map(|item| item.trim().to_ascii_uppercase())
        .filter(|item| !item.is_empty())
        .collect();
    items.sort();
    items.dedup();
    items
}

fn same_set(wanted: &str, reported: &str) -> bool {
    wanted.contains(',') && items(wanted) == items(reported)
}

fn completes(wanted: &str, reported: &str) -> bool {
    let (wanted, reported) = (items(wanted), items(reported));
    if wanted.is_empty() {
        return reported.is_empty();
    }
    wanted.iter().all(|item| reported.contains(item))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_same_value_in_another_notation_matches() {
        let same = [
            ("slow_query_log", "1", "ON"),
            ("slow_query_log", "true", "ON"),
            ("slow_query_log", "off", "OFF"),
            ("log_bin", "binlog", "ON"),
            ("log_bin", "OFF", "OFF"),
            ("innodb_buffer_pool_size", "256M", "268435456"),
            ("innodb_buffer_pool_size", "1g", "1073741824"),
            ("long_query_time", "0.5", "0.500000"),
            ("long_query_time", "10", "10.000000"),
            ("innodb_flush_method", "o_direct", "O_DIRECT"),
            ("innodb_log_group_home_dir", "/x/redo", "/x/redo/"),
            ("slow_query_log_file", "slow.log", "/data/slow.log"),
            ("slow_query_log_file", "./slow.log", "slow.log"),
            ("log_output", "FILE,TABLE", "TABLE,FILE"),
            ("sql_mode", "", ""),
            ("sql_mode", "TRADITIONAL", "STRICT_ALL_TABLES,TRADITIONAL"),
            ("optimizer_switch", "mrr=off", "index_merge=on,mrr=off"),
            ("transaction_isolation", "read-committed", "READ-COMMITTED"),
        ];
        for (name, wanted, reported) in same {
            assert!(has_value(name, wanted, reported), "{name}: {wanted} {reported}");
        }
    }

    #[test]
    fn another_value_does_not_match() {
        let other = [
            ("slow_query_log", "1", "OFF"),
            ("log_bin", "binlog", "OFF"),
            ("log_bin", "OFF", "ON"),
            ("innodb_buffer_pool_size", "1", "5242880"),
            ("innodb_buffer_pool_size", "200M", "268435456"),
            ("long_query_time", "0.5", "0.000000"),
            ("innodb_flush_method", "O_DSYNC", "O_DIRECT"),
            ("slow_query_log_file", "slow.log", "/data/other-slow.log"),
            ("slow_query_log_file", "/a/slow.log", "/b/a/slow.log"),
            ("log_output", "FILE,TABLE", "FILE"),
            ("sql_mode", "", "ANSI"),
            ("sql_mode", "ANSI", ""),
            ("sync_binlog", "1", "0"),
            ("init_connect", "", "SELECT 1"),
        ];
        for (name, wanted, reported) in other {
            assert!(!has_value(name, wanted, reported), "{name}: {wanted} {reported}");
        }
    }

    #[test]
    fn sizes_never_overflow() {
        assert_eq!(integer("16E"), Some(1 << 64));
        assert_eq!(integer("-1"), Some(-1));
        assert_eq!(integer("170141183460469231731687303715884105727E"), None);
        assert_eq!(integer("5X"), None);
        assert_eq!(integer("M"), None);
    }

    proptest! {
        #[test]
        fn every_value_is_itself(name in "[a-z_]{1,20}", value in "[ -~]{0,30}") {
            prop_assume!(name != "log_bin");
            prop_assert!(has_value(&name, &value, &value));
        }

        #[test]
        fn different_numbers_are_different(a in any::<i64>(), b in any::<i64>()) {
            let truths = [0, 1];
            prop_assume!(!(truths.contains(&a) && truths.contains(&b)));
            prop_assert_eq!(has_value("x", &a.to_string(), &b.to_string()), a == b);
        }
    }
}
