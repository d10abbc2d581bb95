//! What an input is for, which limits its size.

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Use of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// `run.json`.
    Document,
    /// `report.html`.
    Page,
    /// Folded stacks.
    Folded,
    /// `over-time.json`.
    OverTime,
    /// Facts and figures as JSON: `server.json`, `host.json`, those that a study adds to a run.
    Facts,
    /// `requests.bin`.
    Requests,
    /// `records.bin`.
    Recording,
    /// Due times of requests.
    Arrivals,
    /// `latency.hlog`.
    LatencyLog,
    /// Plan of a study.
    Plan,
    /// Workload of one's own.
    Workload,
    /// Schedule of a rate.
    Schedule,
    /// `state.json` of a study.
    StudyState,
    /// `turns.jsonl` of a study.
    TurnLog,
}

impl InputKind {
    /// Returns the limit in bytes: several times of what the longest runs write. Texts are in the memory as a whole.
    pub const fn limit_bytes(self) -> u64 {
        match self {
            // A person writes them.
            Self::Plan | Self::Workload | Self::Schedule => 4 * MIB,
            // The largest has the variables of a server, or a row for each of 2,000 files.
            Self::Document | Self::Facts => 16 * MIB,
            // A page has at most 3 MB (`crates/report/tests/report/render/size.rs`), and the other two are parts of it.
            Self::Page | Self::OverTime | Self::Folded => 16 * MIB,
            // A cell or a turn takes some hundred bytes, and a study has some thousand of them.
            Self::StudyState | Self::TurnLog => 64 * MIB,
            // Eighty million times: the largest rate for a minute.
            Self::Arrivals => GIB,
            // Seventy million requests, which are in the memory as a whole.
            Self::Requests => 4 * GIB,
            // Two kilobytes a second: a day and a half.
            Self::LatencyLog => 256 * MIB,
            // It is read in parts: the limit is on time.
            Self::Recording => 1024 * GIB,
        }
    }
}
