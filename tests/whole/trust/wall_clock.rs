//! A wall clock that jumps while a run measures.

use std::fs;
use std::process::Command;

use crate::common::{beside_others, driver};
use crate::faults::fixture::home::{Home, SHORT};
use crate::faults::fixture::started::Started;

/// Library that a program loads before the system's: each reading of the wall clock is three hours, and more each time,
/// before or after the last one. Other clocks, and other programs, are left alone.
const JUMPING: &str = r"
    #define _GNU_SOURCE
    #include <sys/syscall.h>
    #include <time.h>
    #include <unistd.h>
    int clock_gettime(clockid_t clock, struct timespec *now) {
        static long calls;
        int result = syscall(SYS_clock_gettime, clock, now);
        if (result == 0 && clock == CLOCK_REALTIME) {
            long call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
            now->tv_sec += (call % 2 ? 10800 : -10800) * call;
        }
        return result;
    }
";

/// Nanoseconds of an hour.
const HOUR_NS: u64 = 3_600_000_000_000;

#[test]
fn a_run_measures_the_same_when_the_wall_clock_jumps_by_hours() {
    let _turn = beside_others();
    let home = Home::new();
    let (source, library) = (home.path().join("jumping.c"), home.path().join("jumping.so"));
    fs::write(&source, JUMPING).unwrap();
    let mut compiler = Command::new("clang");
    compiler
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source]);
    assert!(compiler.status().unwrap().success());
    let measured = |home: &Home, preload: &str| {
        let mut command = home.logtrace(&format!("run --server mariadb {SHORT}"));
        command.env("LD_PRELOAD", preload);
        let before = hour();
        let document = Started::new(command, home.path()).ended().measured();
        let is_now = [before, hour()]
            .iter()
            .any(|hour| document.started.starts_with(hour.trim()));
        assert_eq!(is_now, preload.is_empty(), "{}", document.started);
        home.assert_nothing_left();
        document
    };
    let usual = measured(&Home::new(), "");
    let jumped = measured(&home, library.to_str().unwrap());
    let (usual, driver) = (driver(&usual), driver(&jumped));
    assert_eq!(
        (driver.requests, driver.done),
        (usual.requests, usual.done),
        "{:?}",
        jumped.caveats
    );
    let commits = jumped.commits.as_ref().unwrap();
    assert!(commits.count > 0);
    // Nothing of a run of a few seconds lasts an hour.
    for longest in [
        driver.response.max,
        driver.service.max,
        driver.lag.max,
        commits.total,
    ] {
        assert!(longest < HOUR_NS, "{longest}");
    }
}

/// Returns the day and hour of this process's clock.
fn hour() -> String {
    let output = Command::new("date").arg("+%FT%H").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}
