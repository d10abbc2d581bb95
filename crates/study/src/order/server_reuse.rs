//! Keys of cells: equal for cells that can share a running server, or its data.

use logtrace_driver::Content;
use logtrace_server::is_live;

use crate::cell::Cell;

impl Cell {
    /// Returns a text that is equal for two cells if they can share a running server: their settings differ only in variables
    /// that take effect at once, and their files, data and settings of disk and kernel are the same.
    pub fn server_key(&self) -> String {
        let settings = self.settings.iter();
        let settings: Vec<String> = settings
            .filter(|setting| !is_live(self.flavor, setting.name()))
            .map(ToString::to_string)
            .collect();
        format!(
            "{:?} {:?} {:?} {:?} {:?} {settings:?} {:?} {} {} {:?}",
            self.server,
            self.file_system,
            self.places,
            self.queue,
            self.sysctl,
            self.data_per_pool,
            self.stages,
            self.data_key(),
            self.data
        )
    }

    /// Returns a text that is equal for two cells if their tables are the same before they are measured. For a workload from
    /// a file it contains the text of the file.
    pub fn data_key(&self) -> String {
        match self.requests.content() {
            Content::Script(_) => {
                let tables = self.tables;
                format!("sbtest-{}x{}-{}", tables.tables, tables.rows, tables.keys)
            }
            Content::Tpcc(tpcc) => format!("tpcc-{}-{:?}", tpcc.warehouses, tpcc.profile),
            Content::File(custom) => format!("{}\n{}", custom.name(), custom.text()),
        }
    }
}
