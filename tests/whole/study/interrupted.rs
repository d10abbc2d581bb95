//! Studies that end early, and go on.

use std::fs;

use logtrace_report::document::CaveatKind;
use rustix::process::Signal;

use super::studied::{PLAN, Place, texts};
use crate::common::{beside_others, send, tells};

#[test]
fn after_a_kill_the_study_goes_on_where_it_was() {
    let _turn = beside_others();
    let place = Place::with(PLAN);
    let mut child = place.study("--only server=mariadb").spawn().unwrap();
    place.wait_for(2, &mut child);
    send(child.id(), Signal::KILL);
    child.wait().unwrap();
    let before = place.measured();
    let stamp = |name: &str| {
        fs::metadata(place.out().join(name).join("run.json"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let stamps: Vec<_> = before.keys().map(|name| (name.clone(), stamp(name))).collect();
    assert!((2..4).contains(&before.len()), "{:?}", before.keys());

    let output = place.study("--only server=mariadb").output().unwrap();
    let (_, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("--resume"), "{stderr}");
    let output = place
        .study("--only server=mariadb --resume --seed 2")
        .output()
        .unwrap();
    let (_, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("--seed (it was 1)"), "{stderr}");

    let output = place.study("--only server=mariadb --resume").output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{stdout}\n{stderr}");
    assert_eq!(place.measured().len(), 4, "{stdout}");
    for (name, at) in stamps {
        assert_eq!(stamp(&name), at, "{name} was measured again");
    }
    place.assert_nothing_left();
}

#[test]
fn ctrl_c_ends_a_study_with_what_is_measured() {
    let _turn = beside_others();
    let place = Place::with(PLAN);
    let mut child = place.study("--only server=mysql").spawn().unwrap();
    place.wait_for(1, &mut child);
    send(child.id(), Signal::INT);
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(3), "{stdout}\n{stderr}");
    let measured = place.measured().len();
    assert!((1..4).contains(&measured), "{stdout}");
    assert!(
        stdout.contains(&format!("{measured} of 4 measurements")),
        "{stdout}"
    );
    assert!(
        place
            .documents()
            .values()
            .all(|document| !tells(document, &CaveatKind::UnfinishedRun))
    );
    place.assert_nothing_left();
}
