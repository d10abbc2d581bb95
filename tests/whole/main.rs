//! The program as a user runs it, against real servers. Needs root, MySQL and MariaDB, sysbench, bpftrace,
//! Chromium and node (scripts/setup --tests): what is missing fails a test.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed, and one that fails shows what it saw"
)]

mod common;

/// Agreement of logtrace's numbers with those of bpftrace and the Performance Schema, which measure the same calls at the same
/// time.
mod agreement {
    mod bpftrace;
    mod commit_stage;
    mod cpu_time;
    mod fsyncs;
    mod run_queue;
    mod traced;
}

mod advice;
mod arrivals;
mod chaos;
mod clusters;

/// Servers in containers, and logtrace in one.
mod containers {
    mod container;
    mod own_container;
    mod packaged;
    mod server_container;
}

mod custom;
mod described;

/// Exports of real runs.
mod exports {
    mod again;
    mod closed_pipe;
    pub(crate) mod colors;
    mod dataset;
    mod perfetto;
    mod pprof;
}

/// Faults and bad input, as a user meets them: each gives one clear error, or a run that is marked degraded with what
/// was measured, and leaves nothing behind. Needs root, MySQL (scripts/fetch-mysql) and MariaDB (apt-get install
/// mariadb-server): what is missing fails a test.
mod faults {
    mod disk;
    mod dying_server;
    mod encryption;
    mod file_system;
    /// The home directory of a test, the program that runs in it, and the search for what it left behind.
    pub(crate) mod fixture {
        pub(crate) mod home;
        pub(crate) mod leftovers;
        pub(crate) mod same_server;
        pub(crate) mod started;
    }
    /// Logins: the bytes that a server or an impostor receives.
    mod login {
        mod another_listener;
        mod doctor_password;
        mod impostor;
        mod listening;
        mod option_files;
        mod secret;
    }
    mod losses;
    mod outputs;
    mod own_sql;
    mod placement;
    mod private_server;
    pub(crate) mod privilege;
    mod report;
    mod running_server;
    mod signals;
    mod tracing;
    mod usage;
}

mod frozen_disk;
mod groups;
mod join;
mod known_delay;
mod laboratory;

/// How late requests leave for real servers, and how that is seen of sysbench.
mod lag {
    mod cpus;
    mod matching;
    mod servers;
    mod stamps;
}

mod main_job;
mod manual;
mod overhead;
mod pace;
mod pools;

/// The page of a real run in a real browser.
mod page {
    pub(crate) mod accessibility;
    pub(crate) mod browser;
    mod firefox;
    mod keyboard;
    mod paper;
    mod redraw;
    mod selection;
}

mod progress;
mod reasons;
mod response;
mod sampled;
mod semisync;
mod shapes;

/// `logtrace study` as a user runs it.
mod study {
    mod built_in;
    mod faults;
    mod interrupted;
    mod refused;
    mod rotation;
    mod short_turns;
    pub(crate) mod studied;
    mod whole;
}

mod sysbench_options;
mod tpcc;

/// Tracing a server under a load that is not ours, sysbench's, on real servers: what it counts, that it adds up, that
/// it says what a run says, and that it leaves the server as it was.
mod trace {
    mod against_run;
    mod before_commit;
    mod counted;
    mod cpu_hog;
    mod elsewhere;
    mod found;
    mod held;
    mod large_transaction;
    mod moved_code;
    mod other_writer;
    pub(crate) mod rights;
    mod untouched;
}

/// Root among others: what other users put into directories never leads it to their ends.
mod trust {
    mod kinds;
    mod other_program;
    mod planted;
    mod posing;
    mod rights;
    mod sessions;
    mod wall_clock;
}
