//! Performance Schema with everything switched on.

use mysql_async::prelude::{FromRow, Queryable};
use mysql_async::{Conn, OptsBuilder};
use tokio::runtime::{Builder, Runtime};

use logtrace_benchkit::pair::Attached;
use logtrace_common::{Connection, Endpoint};

/// Performance Schema with all instruments and consumers on.
pub(crate) struct PerformanceSchema {
    runtime: Runtime,
    conn: Conn,
    /// Instruments, timed instruments and consumers that were on before.
    enabled: Vec<String>,
    timed: Vec<String>,
    consumers: Vec<String>,
}

const INSTRUMENTS: &str = "performance_schema.setup_instruments";
const CONSUMERS: &str = "performance_schema.setup_consumers";

impl PerformanceSchema {
    /// Switches all on. What the server made when it started (mutexes and the like) stays unwatched where the
    /// instrument was off then.
    pub(crate) fn attach(server: &Connection) -> anyhow::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let conn = runtime.block_on(Conn::new(options(server)))?;
        let mut attached = Self {
            runtime,
            conn,
            enabled: Vec::new(),
            timed: Vec::new(),
            consumers: Vec::new(),
        };
        let is_on: Vec<u32> = attached.ask("SELECT @@performance_schema")?;
        anyhow::ensure!(
            is_on == [1],
            "it is off: start the server with it (--set performance_schema=ON)"
        );
        attached.enabled = attached.ask(&format!("SELECT NAME FROM {INSTRUMENTS} WHERE ENABLED = 'YES'"))?;
        attached.timed = attached.ask(&format!("SELECT NAME FROM {INSTRUMENTS} WHERE TIMED = 'YES'"))?;
        attached.consumers = attached.ask(&format!("SELECT NAME FROM {CONSUMERS} WHERE ENABLED = 'YES'"))?;
        attached.tell(&format!(
            "UPDATE {INSTRUMENTS} SET ENABLED = 'YES', TIMED = 'YES'"
        ))?;
        attached.tell(&format!("UPDATE {CONSUMERS} SET ENABLED = 'YES'"))?;
        Ok(attached)
    }

    fn ask<T: FromRow + Send + 'static>(&mut self, statement: &str) -> anyhow::Result<Vec<T>> {
        Ok(self.runtime.block_on(self.conn.query(statement))?)
    }

    fn tell(&mut self, statement: &str) -> anyhow::Result<()> {
        Ok(self.runtime.block_on(self.conn.query_drop(statement))?)
    }
}

impl Attached for PerformanceSchema {
    type Seen = ();

    fn begin(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    fn end(mut self) -> anyhow::Result<()> {
        let on = |names: &[String]| match names {
            [] => "'NO'".to_owned(),
            names => format!("IF(NAME IN ('{}'), 'YES', 'NO')", names.join("','")),
        };
        let (enabled, timed, consumers) = (on(&self.enabled), on(&self.timed), on(&self.consumers));
        self.tell(&format!("UPDATE {CONSUMERS} SET ENABLED = {consumers}"))?;
        self.tell(&format!(
            "UPDATE {INSTRUMENTS} SET ENABLED = {enabled}, TIMED = {timed}"
        ))?;
        self.runtime.block_on(self.conn.disconnect())?;
        Ok(())
    }
}

fn options(server: &Connection) -> OptsBuilder {
    let options = OptsBuilder::default().user(Some(&server.user));
    match &server.endpoint {
        Endpoint::Socket(path) => options.socket(Some(path.to_string_lossy())),
        Endpoint::Tcp(host, port) => options.ip_or_hostname(host.to_string()).tcp_port(*port),
    }
}
