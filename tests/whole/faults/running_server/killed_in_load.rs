//! A run that is killed while it fills its tables, and a next one that fails before it makes any.

use std::path::PathBuf;

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use rustix::process::Signal;

use super::{SET, assert_as_it_was, databases, tables};
use crate::common::beside_others;
use crate::faults::fixture::home::{Home, SHORT, entries};
use crate::faults::fixture::started::Started;

#[test]
fn its_database_is_dropped_although_the_next_run_fails() {
    let _turn = beside_others();
    let foreign = Foreign::start(Flavor::MariaDb);
    let home = Home::new();
    let server = format!("--server {} {SET}", foreign.address("root"));
    let run = home.start(&format!("{server} --tables 1 --rows 5000000"));
    run.waiting_for("the tables", || tables(&foreign) > 0);
    run.signal(Signal::KILL);
    run.ended();
    home.run(&format!("{server} --set no_such_variable=1 {SHORT}"))
        .refused(1, &["no_such_variable"]);
    assert_eq!(databases(&foreign), 1);
    let cleaned = Started::new(home.logtrace("doctor --clean"), home.path()).ended();
    assert_eq!(cleaned.code, Some(0), "{}", cleaned.stdout);
    assert_as_it_was(&foreign);
    assert_eq!(entries(&home.path().join("notes")), Vec::<PathBuf>::new());
}
