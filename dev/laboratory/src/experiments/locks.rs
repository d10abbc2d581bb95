//! Locks that another session holds for a known time.

use std::thread;
use std::time::{Duration, Instant};

use logtrace_attribution::cause::{Cause, Wait};
use logtrace_common::Flavor;
use mysql_async::prelude::Queryable;

use super::tables::{UPDATE, start_load};
use crate::comparison::Amount;
use crate::experiment::{Experiment, Setup, nothing};
use crate::foreign::Foreign;
use crate::load::LoadStatements;

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "row-lock",
        put_in: "another session holds the row locks for a time",
        expected: "row lock",
        is_expected: |_, cause| cause.wait == Wait::RowLock,
        start: |flavor| locked(flavor, UPDATE, &["BEGIN", "UPDATE d.t SET v = v + 1"], "COMMIT"),
    },
    Experiment {
        name: "read-lock",
        put_in: "another session holds FLUSH TABLES WITH READ LOCK for a time",
        expected: "global read lock, metadata lock, or commit lock",
        is_expected: |_, cause| {
            matches!(
                cause.wait,
                Wait::GlobalReadLock | Wait::MetadataLock | Wait::CommitLock
            )
        },
        start: |flavor| locked(flavor, UPDATE, &["FLUSH TABLES WITH READ LOCK"], "UNLOCK TABLES"),
    },
    Experiment {
        name: "backup-lock",
        put_in: "another session blocks commits (MariaDB) or DDL (MySQL) for a backup",
        expected: "commit lock (MariaDB), backup lock or metadata lock (MySQL)",
        is_expected: is_backup,
        start: |flavor| match flavor {
            Flavor::MySql => locked(flavor, ALTER, &["LOCK INSTANCE FOR BACKUP"], "UNLOCK INSTANCE"),
            Flavor::MariaDb => locked(
                flavor,
                UPDATE,
                &["BACKUP STAGE START", "BACKUP STAGE BLOCK_COMMIT"],
                "BACKUP STAGE END",
            ),
        },
    },
];

/// Load of changes of a table's definition.
const ALTER: LoadStatements = LoadStatements {
    text: "ALTER TABLE d.b COMMENT = '{n}'",
    ..UPDATE
};

fn is_backup(flavor: Flavor, cause: &Cause) -> bool {
    match flavor {
        Flavor::MySql => matches!(cause.wait, Wait::BackupLock | Wait::MetadataLock),
        Flavor::MariaDb => matches!(cause.wait, Wait::CommitLock | Wait::BackupLock),
    }
}

fn locked(
    flavor: Flavor,
    statements: LoadStatements,
    take: &'static [&'static str],
    release: &'static str,
) -> anyhow::Result<Setup> {
    let server = Foreign::start(flavor);
    let load = start_load(&server, statements)?;
    Ok(Setup::new(server, load, move |server, _, with, length| {
        if with {
            Ok(Amount::from(hold(server, take, release, length)?))
        } else {
            nothing(length)
        }
    }))
}

/// Holds a lock in a session, and returns for how long.
fn hold(server: &Foreign, take: &[&str], release: &str, length: Duration) -> anyhow::Result<Duration> {
    server.with(async |mut session| {
        for statement in take {
            session.query_drop(*statement).await?;
        }
        let start = Instant::now();
        thread::sleep(length);
        session.query_drop(release).await?;
        let held = start.elapsed();
        session.disconnect().await?;
        Ok(held)
    })
}
