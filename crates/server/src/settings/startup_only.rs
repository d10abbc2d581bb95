//! What a server works out from its settings when it starts, and keeps whatever is set later.

use std::collections::BTreeMap;

use crate::settings::variable::Setting;
use logtrace_common::Flavor;

/// Whether MariaDB writes its redo log through the page cache.
const BUFFERING: &str = "innodb_log_file_buffering";

/// The variable that a server which was started with `started` does not have as one that is started with `wanted`;
/// `None` where there is no such. `variables` are those that it has.
///
/// MariaDB writes the redo log through the page cache where it is started with `innodb_flush_log_at_trx_commit=2`, and
/// around it otherwise (MDEV-28766): a write takes some 4 us instead of 90. Setting the variable later changes nothing of
/// it, and what is buffered once stays so (`os_file_log_buffered` in os0file.cc). Older ones have no such variable.
pub(crate) fn decided_at_start(
    flavor: Flavor,
    (started, wanted): (&[Setting], &[Setting]),
    variables: &BTreeMap<String, String>,
) -> Option<&'static str> {
    if flavor != Flavor::MariaDb || value(wanted, BUFFERING).is_some() {
        return None;
    }
    let at_start = |settings| value(settings, "innodb_flush_log_at_trx_commit") == Some("2");
    let is_buffered = variables.get(BUFFERING)? == "ON";
    let differs = match at_start(wanted) {
        true => !is_buffered,
        // Elsewhere the file system may know no other way.
        false => is_buffered && at_start(started),
    };
    differs.then_some(BUFFERING)
}

fn value<'a>(settings: &'a [Setting], name: &str) -> Option<&'a str> {
    let mut settings = settings.iter();
    settings
        .find(|setting| setting.name() == name)
        .map(Setting::value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differs(flavor: Flavor, started: &[&str], wanted: &[&str], knows: bool) -> bool {
        let settings =
            |texts: &[&str]| -> Vec<Setting> { texts.iter().map(|text| text.parse().unwrap()).collect() };
        let buffered = if started.contains(&AT_2) { "ON" } else { "OFF" };
        let variables = knows.then(|| (BUFFERING.to_owned(), buffered.to_owned()));
        let both = (&*settings(started), &*settings(wanted));
        decided_at_start(flavor, both, &variables.into_iter().collect()).is_some()
    }

    const AT_0: &str = "innodb_flush_log_at_trx_commit=0";
    const AT_2: &str = "innodb_flush_log_at_trx_commit=2";

    #[test]
    fn mariadb_buffers_the_redo_log_where_it_is_started_so() {
        let differs = |started: &[&str], wanted: &[&str]| differs(Flavor::MariaDb, started, wanted, true);
        assert!(differs(&[AT_0], &[AT_2]) && differs(&[AT_2], &[AT_0]) && differs(&[AT_2], &[]));
        assert!(!differs(&[AT_2], &[AT_2]) && !differs(&[], &[AT_0]));
    }

    #[test]
    fn a_file_system_that_is_always_buffered_needs_no_start() {
        let settings: [Setting; 1] = [AT_0.parse().unwrap()];
        let variables = BTreeMap::from([(BUFFERING.to_owned(), "ON".to_owned())]);
        let needed = |wanted: &str| {
            let wanted: [Setting; 1] = [wanted.parse().unwrap()];
            decided_at_start(Flavor::MariaDb, (&settings, &wanted), &variables)
        };
        assert_eq!((needed(AT_2), needed(AT_0)), (None, None));
    }

    #[test]
    fn what_is_chosen_or_not_known_is_as_it_is() {
        let chosen = [AT_2, "innodb_log_file_buffering=OFF"];
        assert!(!differs(Flavor::MariaDb, &[AT_0], &chosen, true));
        assert!(!differs(Flavor::MariaDb, &[AT_0], &[AT_2], false));
        assert!(!differs(Flavor::MySql, &[AT_0], &[AT_2], true));
    }
}
