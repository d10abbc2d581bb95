//! Checks that the sources of the workspace follow the rules of CONTRIBUTING.md.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use logtrace_source_rules::{
    DIRECTIONS, MAY_OPEN, MIRRORS, SHARED_NAMES, UPPER_MODULES, circles, doc_comments, documents,
    imported_crates, imports, missing_names, modules, opened_processes, openers, packages, rust_files,
    type_names,
};

/// Largest share of documentation comments that may open without a verb or noun, in per cent.
const MAX_HEADLESS_PERCENT: usize = 5;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn root() -> &'static Path {
    Path::new(ROOT)
}

fn all_files() -> io::Result<Vec<(PathBuf, String)>> {
    let files = rust_files(root()).into_iter();
    files
        .map(|file| Ok((file.clone(), fs::read_to_string(file)?)))
        .collect()
}

fn relative(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string()
}

fn assert_none(offenders: &[String], rule: &str) {
    assert!(offenders.is_empty(), "{rule}:\n{}", offenders.join("\n"));
}

#[test]
fn imports_have_no_circles() {
    let mut found = Vec::new();
    for package in packages(root()).unwrap() {
        let modules = modules(&package.directory).unwrap();
        let circles = circles(&modules, &imports(&modules));
        found.extend(circles.iter().map(|circle| format!("{} {circle}", package.name)));
    }
    assert_none(&found, "circles of imports");
}

#[test]
fn crates_import_in_one_direction() {
    let directions = BTreeMap::from(DIRECTIONS);
    for package in packages(root()).unwrap() {
        let Some(allowed) = directions.get(package.name.as_str()) else {
            continue;
        };
        let tests = package.test_dependencies.iter();
        let tests = tests.filter(|dependency| *dependency != "logtrace-testkit");
        for dependency in package.dependencies.iter().chain(tests) {
            let is_leaf = dependency == "logtrace-common";
            assert!(
                is_leaf || allowed.contains(&dependency.as_str()),
                "{} imports {dependency}",
                package.name
            );
        }
    }
}

#[test]
fn modules_import_in_one_direction() {
    let packages = packages(root()).unwrap();
    let mut offenders = Vec::new();
    for (name, upper, their_crates) in UPPER_MODULES {
        let package = packages.iter().find(|package| package.name == name).unwrap();
        let modules = modules(&package.directory).unwrap();
        let is_upper = |path: &[String]| path.first().is_some_and(|first| upper.contains(&first.as_str()));
        for import in imports(&modules) {
            let (from, to) = (&modules[import.from], &modules[import.to]);
            // The root of a package may name all that is in it.
            if !from.path.is_empty() && !is_upper(&from.path) && is_upper(&to.path) {
                offenders.push(format!("{} imports {}", relative(&from.file), to.path.join("::")));
            }
        }
        for module in modules.iter().filter(|module| !is_upper(&module.path)) {
            let theirs = imported_crates(module).into_iter();
            let theirs = theirs.filter(|first| their_crates.contains(&first.as_str()));
            offenders.extend(theirs.map(|first| format!("{} imports {first}", relative(&module.file))));
        }
    }
    assert_none(&offenders, "imports against the direction");
}

#[test]
fn one_name_stands_for_one_type() {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages(root()).unwrap() {
        for module in modules(&package.directory).unwrap() {
            let file = relative(&module.file);
            let mirrored = MIRRORS.iter().find(|(mirror, _)| file == *mirror);
            let mirrored = mirrored.map_or_else(|| file.clone(), |(_, of)| (*of).to_owned());
            for name in type_names(&module.source) {
                files.entry(name).or_default().push(mirrored.clone());
            }
        }
    }
    files.retain(|_, files| {
        files.sort();
        files.dedup();
        files.len() > 1
    });
    for (name, _) in SHARED_NAMES {
        assert!(files.remove(name).is_some(), "{name} stands in one module by now");
    }
    let found: Vec<String> = files
        .iter()
        .map(|(name, files)| format!("{name}: {}", files.join(", ")))
        .collect();
    assert_none(
        &found,
        "names of types in several modules: say what each one is, or give a reason in SHARED_NAMES",
    );
}

#[test]
fn no_file_is_included_by_path() {
    let opening = concat!("#[pa", "th");
    let included = all_files()
        .unwrap()
        .into_iter()
        .filter(|(_, text)| text.contains(opening));
    let included: Vec<String> = included.map(|(file, _)| relative(&file)).collect();
    assert_none(
        &included,
        "files that include others by path instead of a module or crate",
    );
}

#[test]
fn command_line_types_stay_in_the_parsing_layer() {
    let below = |file: &Path| {
        let file = relative(file);
        // Benchmarks and the laboratory have command lines of their own.
        let is_parsing = [
            "src/cli/",
            "src/main.rs",
            "dev/benchkit/src/bin/",
            "dev/laboratory/src/bin/",
        ];
        !is_parsing.iter().any(|place| file.starts_with(place))
    };
    let derives = [
        "clap::Args",
        "clap::Parser",
        "clap::Subcommand",
        "clap::ValueEnum",
        "use clap::",
    ];
    let offenders = all_files().unwrap().into_iter().filter(|(file, text)| {
        below(file) && !file.ends_with("rules.rs") && derives.iter().any(|derive| text.contains(derive))
    });
    let offenders: Vec<String> = offenders.map(|(file, _)| relative(&file)).collect();
    assert_none(&offenders, "files outside of src/cli that use clap");
}

#[test]
fn documentation_opens_with_a_verb_or_a_noun() {
    let (mut all, mut headless) = (0, Vec::new());
    for package in packages(root()).unwrap() {
        for module in modules(&package.directory).unwrap() {
            for comment in doc_comments(&module.source) {
                all += 1;
                if !comment.opens_well() {
                    headless.push(format!(
                        "{}:{}: {}",
                        relative(&module.file),
                        comment.line,
                        comment.text
                    ));
                }
            }
        }
    }
    println!(
        "{} of {all} documentation comments open without a verb or noun:\n{}",
        headless.len(),
        headless.join("\n")
    );
    assert!(
        headless.len() * 100 <= all * MAX_HEADLESS_PERCENT,
        "{} of {all} are too many",
        headless.len()
    );
}

#[test]
fn documents_name_files_and_tests_that_exist() {
    let mut missing = Vec::new();
    for document in documents(root()).unwrap() {
        let names = missing_names(root(), &document).unwrap().into_iter();
        missing.extend(names.map(|name| format!("{}: {name}", relative(&document))));
    }
    assert_none(&missing, "names in documents that do not exist");
}

#[test]
fn architecture_lists_every_module() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let directions = BTreeMap::from(DIRECTIONS);
    let mut missing = Vec::new();
    for package in packages(root()).unwrap() {
        let is_listed = package.name == "logtrace" || directions.contains_key(package.name.as_str());
        for entry in fs::read_dir(package.directory.join("src")).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("`{}/`", relative(&path));
            if is_listed && path.is_dir() && !map.contains(&name) {
                missing.push(name);
            }
        }
    }
    assert_none(&missing, "modules that ARCHITECTURE.md does not list");
}

/// Files that read the wall clock, each for a stamp that a person or another machine reads.
const WALL_CLOCK: [&str; 8] = [
    // Times of files in the slow disk of the laboratory.
    "dev/laboratory/src/slow_disk/pass_through.rs",
    // First line of the interval log.
    "crates/driver/src/engine/mod.rs",
    "crates/driver/src/results/interval_log.rs",
    "crates/driver/src/results/merge_seconds.rs",
    // Names and starts of runs.
    "src/commands/measure_and_report.rs",
    "crates/measure/src/measurement/clocks.rs",
    "crates/measure/src/directory/run_dir.rs",
    "crates/study/src/runner/measure/measurement.rs",
];

#[test]
fn no_duration_comes_from_the_wall_clock() {
    const READINGS: [&str; 6] = [
        "SystemTime",
        "Zoned::now",
        "Timestamp::now",
        "ClockId::Realtime",
        "_get_real_ns",
        "_get_tai_ns",
    ];
    // They take the difference of two readings. The only one that is allowed counts from 1970.
    const DIFFERENCES: [&str; 3] = [".duration_since(", ".elapsed()", ".until("];
    let mut offenders = Vec::new();
    for (file, text) in all_files().unwrap() {
        let file = relative(&file);
        if file.contains("tests/") {
            continue;
        }
        let readings = text
            .lines()
            .filter(|line| READINGS.iter().any(|reading| line.contains(reading)));
        let readings: Vec<&str> = readings.collect();
        if readings.is_empty() {
            continue;
        }
        let is_difference = |line: &&&str| {
            DIFFERENCES.iter().any(|difference| line.contains(difference)) && !line.contains("UNIX_EPOCH")
        };
        if !WALL_CLOCK.contains(&file.as_str()) {
            offenders.push(format!("{file} reads it: {}", readings[0].trim()));
        }
        offenders.extend(
            readings
                .iter()
                .find(is_difference)
                .map(|line| format!("{file}: {}", line.trim())),
        );
    }
    assert_none(
        &offenders,
        "readings of the wall clock, which may jump: use now_ns or Instant",
    );
}

/// Files that open the directory of a process by its number: the handle, and what looks at other processes than a server.
const PROCESSES: [&str; 9] = [
    "crates/common/src/process/process_handle.rs",
    // The logtrace that left a note.
    "crates/server/src/attached/change_note.rs",
    // All processes, until the holder of a port is found; then that is held.
    "crates/server/src/connection/server_process.rs",
    // All processes, to find which are servers: those are held, and looked at again.
    "crates/server/src/attached/find_server.rs",
    // All processes, to find one of a user.
    "crates/server/src/install/os_user.rs",
    // All processes, for the control groups of some names, which are for display.
    "crates/server/src/facts/process_groups.rs",
    // A thread of logtrace itself.
    "crates/server/src/facts/file_system.rs",
    // Servers of the laboratory and of benchmarks, which nobody else started.
    "dev/benchkit/",
    "dev/laboratory/",
];

#[test]
fn a_servers_process_is_read_through_its_handle() {
    let mut offenders = Vec::new();
    for package in packages(root()).unwrap() {
        for module in modules(&package.directory).unwrap() {
            let file = relative(&module.file);
            if !PROCESSES.iter().any(|known| file.starts_with(known)) {
                let ways = opened_processes(&module).into_iter();
                offenders.extend(ways.map(|way| format!("{file}: {way}")));
            }
        }
    }
    assert_none(
        &offenders,
        "processes that are opened by their number: use logtrace_common::process::ProcessHandle",
    );
}

#[test]
fn no_document_shows_a_password_on_a_command_line() {
    // sudo logs such an assignment, and its own command line is open to all users.
    const ASSIGNED: &str = "LOGTRACE_PASSWORD=";
    let documents = documents(root()).unwrap().into_iter();
    let help = rust_files(&root().join("src/cli"));
    let shown = documents
        .chain(help)
        .filter(|file| fs::read_to_string(file).unwrap().contains(ASSIGNED));
    let shown: Vec<String> = shown.map(|file| relative(&file)).collect();
    assert_none(&shown, "files that show a password on a command line");
}

#[test]
fn files_of_users_are_opened_by_the_one_reader() {
    // They measure and test, and no input of others reaches them.
    const OF_TESTS: [&str; 4] = [
        "logtrace-benchkit",
        "logtrace-laboratory",
        "logtrace-source-rules",
        "logtrace-testkit",
    ];
    let is_allowed = |file: &str| {
        let mut allowed = MAY_OPEN.iter();
        allowed.any(|(place, _)| file == *place || (place.ends_with('/') && file.starts_with(place)))
    };
    let mut offenders = Vec::new();
    for package in packages(root()).unwrap() {
        if OF_TESTS.contains(&package.name.as_str()) {
            continue;
        }
        for module in modules(&package.directory).unwrap() {
            let (file, found) = (relative(&module.file), openers(&module));
            // Modules of tests.
            let is_test = file.ends_with("/fuzz.rs");
            if !found.is_empty() && !is_test && !is_allowed(&file) {
                offenders.push(format!("{file}: {}", found.join(", ")));
            }
        }
    }
    assert_none(
        &offenders,
        "files that open paths: use InputFile or InputDir for inputs, or name the file with its reason in MAY_OPEN",
    );
}

/// Files that write to stderr: what makes texts of others harmless, and the bar of the progress.
const STDERR: [&str; 2] = [
    "crates/measure/src/say.rs",
    "crates/measure/src/measurement/progress.rs",
];

#[test]
fn texts_reach_the_terminal_only_if_they_are_harmless() {
    let programs = ["src", "crates/measure/src", "crates/study/src"];
    let files = programs
        .into_iter()
        .flat_map(|directory| rust_files(&root().join(directory)));
    let offenders = files.filter(|file| {
        let text = fs::read_to_string(file).unwrap();
        !STDERR.contains(&relative(file).as_str())
            && ["stderr()", "eprint"].iter().any(|way| text.contains(way))
    });
    let offenders: Vec<String> = offenders.map(|file| relative(&file)).collect();
    assert_none(
        &offenders,
        "files that write to stderr: use say::line or say::lines",
    );
}
