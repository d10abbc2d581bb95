//! Names of devices in the table of flushes.

use logtrace_report::document::{Disk, Document};
use logtrace_report::render::{Format, Input, render};

use super::samples;

/// A disk of the run's machine.
fn disk(name: &str, number: &str, write_cache: &str) -> Disk {
    let document = samples::traced().document;
    Disk {
        name: name.to_owned(),
        number: number.to_owned(),
        write_cache: write_cache.to_owned(),
        ..document.host.unwrap().disks[0].clone()
    }
}

/// The sample with these disks, each of which is flushed if its number is among these.
fn document(disks: Vec<Disk>, flushed: &[&str]) -> Document {
    let mut document = samples::traced().document;
    document.host.as_mut().unwrap().disks = disks;
    let row = document.devices.as_ref().unwrap()[0].clone();
    let rows = flushed.iter().map(|number| {
        let mut row = row.clone();
        row.device = (*number).to_owned();
        row
    });
    document.devices = Some(rows.collect());
    document
}

/// Renders each format that has the table and is for people.
fn reports(document: &Document) -> Vec<String> {
    let report = |format| {
        let input = Input {
            document,
            stacks: &Default::default(),
            over_time: None,
            color: false,
            all: false,
        };
        render(format, input).unwrap()
    };
    [Format::Terminal, Format::Markdown, Format::Html]
        .map(report)
        .to_vec()
}

#[test]
fn each_leg_of_a_mirror_says_whose_leg_it_is() {
    let leg = |name, number| Disk {
        leg_of: Some("md0".to_owned()),
        ..disk(name, number, "write back")
    };
    let disks = vec![
        leg("vda", "254:0"),
        leg("vdb", "254:16"),
        disk("vdc", "254:32", "write back"),
    ];
    let document = document(disks, &["254:0", "254:16", "254:32", "254:48"]);
    for report in reports(&document) {
        for leg in ["vda, leg of md0", "vdb, leg of md0"] {
            assert!(report.contains(leg), "{report}");
        }
        assert!(
            report.contains("vdc") && !report.contains("vdc, leg of"),
            "{report}"
        );
        assert!(
            !report.contains("254:16"),
            "a name in place of the number: {report}"
        );
        assert!(
            report.contains("254:48"),
            "a device that is no disk here: {report}"
        );
    }
}

#[test]
fn a_disk_without_a_write_cache_says_so_unless_it_was_flushed() {
    const SAYS: &str = ": no write cache to flush";
    let disks = || {
        vec![
            disk("vda", "254:0", "write back"),
            disk("vdb", "254:16", "write through"),
            Disk {
                leg_of: Some("md0".to_owned()),
                ..disk("vdc", "254:32", "write through")
            },
        ]
    };
    for report in reports(&document(disks(), &["254:0"])) {
        for says in ["vdb", "vdc, leg of md0"] {
            assert!(report.contains(&format!("{says}{SAYS}")), "{report}");
        }
        assert_eq!(report.matches(SAYS).count(), 2, "{report}");
    }
    for report in reports(&document(disks(), &["254:16"])) {
        assert!(!report.contains(&format!("vdb{SAYS}")), "{report}");
        assert!(
            !report.contains(&format!("vda{SAYS}")),
            "no flush of a cache: {report}"
        );
    }
    // Without any flush, the table is there for these disks alone.
    for report in reports(&document(disks(), &[])) {
        assert!(report.contains(&format!("vdb{SAYS}")), "{report}");
    }
    let mut untraced = document(disks(), &["254:0"]);
    untraced.devices = None;
    for report in reports(&untraced) {
        assert!(!report.contains(SAYS), "{report}");
    }
}
