//! Which cells can share a running server, and which its data.

use logtrace_common::Flavor;
use logtrace_driver::Content;

use crate::cell::Cell;

/// Variables that neither server changes while it runs, and sizes whose change disturbs what runs. A variable that is
/// missing here costs a restart in the middle of a group, and nothing else: whoever runs a study asks the server.
const AT_START: [&str; 32] = [
    "back_log",
    "binlog_gtid_simple_recovery",
    "ft_min_word_len",
    "innodb_autoinc_lock_mode",
    "innodb_buffer_pool_chunk_size",
    "innodb_buffer_pool_instances",
    "innodb_buffer_pool_size",
    "innodb_data_file_path",
    "innodb_data_home_dir",
    "innodb_dedicated_server",
    "innodb_doublewrite",
    "innodb_flush_method",
    "innodb_force_recovery",
    "innodb_log_file_size",
    "innodb_log_files_in_group",
    "innodb_log_group_home_dir",
    "innodb_numa_interleave",
    "innodb_page_cleaners",
    "innodb_page_size",
    "innodb_purge_threads",
    "innodb_read_io_threads",
    "innodb_redo_log_capacity",
    "innodb_use_native_aio",
    "innodb_write_io_threads",
    "large_pages",
    "log_bin",
    "log_replica_updates",
    "log_slave_updates",
    "lower_case_table_names",
    "performance_schema",
    "table_open_cache_instances",
    "thread_handling",
];

impl Cell {
    /// The same for two cells that can share a running server: what differs between them can be changed while it runs. Not
    /// so where files are, nor what a server works out at its start: whether MariaDB buffers its redo log
    /// (`innodb_log_file_buffering`).
    pub fn server_key(&self) -> String {
        let settings = self.settings.iter().map(|chosen| &chosen.value);
        let settings: Vec<String> = settings
            .filter(|setting| AT_START.contains(&setting.name()))
            .map(ToString::to_string)
            .collect();
        let places: Vec<_> = self.places.iter().map(|place| (place.class, &place.at)).collect();
        let queue: Vec<_> = self.queue.iter().map(|chosen| &chosen.value).collect();
        format!(
            "{:?} {:?} {places:?} {queue:?} {settings:?} {} {:?} {} {:?}",
            self.server,
            self.file_system,
            self.buffers_redo(),
            self.data_per_pool,
            self.data_key(),
            self.data
        )
    }

    /// Whether its server works out at its start that the redo log is buffered.
    fn buffers_redo(&self) -> bool {
        self.flavor == Flavor::MariaDb && self.setting("innodb_flush_log_at_trx_commit") == Some("2")
    }

    /// The same for two cells whose tables are the same before they are measured. For a file's workload it has the
    /// text of the file.
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
