//! Caveats of a document, and their kinds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumIter, EnumString};

/// Caveat that a reader must know before trusting the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Caveat {
    /// Stable word for scripts, such as `lost_records`.
    #[schemars(with = "String")]
    pub kind: CaveatKind,
    /// Explanation.
    pub text: String,
}

/// Kind of a caveat. Its snake-case name is in the document.
#[derive(Clone, Debug, PartialEq, Eq, AsRefStr, Display, EnumIter, EnumString, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(from = "String", into = "String")]
pub enum CaveatKind {
    /// Requests waited for a connection at the end of the window.
    Backlog,
    /// Commits of the window had not ended when the measurement did.
    CommitsUnderWay,
    /// The capacity, of which the rate is a share, fell through all parts of its measurement.
    CapacityFell,
    /// Connections were lost during the window.
    ConnectionsLost,
    /// Commits are charged with time in which a thread waited for its client.
    Contradictions,
    /// The hypervisor or interrupts took much of the CPUs' time.
    CpuTaken,
    /// Little of the requests' time fits into the traced bursts.
    CutByBursts,
    /// The disk of the server's data is full.
    DiskFull,
    /// Requests failed.
    Errors,
    /// System calls on files failed.
    FileErrors,
    /// The consistency conditions do not hold after the run.
    Inconsistent,
    /// A signal ended the measurement early.
    Interrupted,
    /// The causes of some commits do not add up.
    InvariantViolations,
    /// The driver sent requests late though connections were free.
    LateGenerator,
    /// The rings or the table of threads were full.
    LostRecords,
    /// An optional probe is not attached.
    MissingProbe,
    /// The trace has no commits.
    NoCommits,
    /// The server's settings or databases could not be restored.
    NotGivenBack,
    /// The server and the driver counted different numbers of orders.
    OrderCount,
    /// The trace of a join misses a part of the run, or many of its requests.
    PartlyJoined,
    /// The recording is incomplete.
    Recording,
    /// The server is on another machine, so that the run is not traced.
    RemoteServer,
    /// The server ended during the measurement.
    ServerDied,
    /// Probes in the server never fire, or nothing that commits is seen to.
    SilentProbes,
    /// Requests of the warm-up still ran when the window began.
    StallInWarmup,
    /// The consistency conditions were not checked after the run.
    Unchecked,
    /// Records had an unknown layout.
    UndecodableRecords,
    /// Too much commit time has no cause.
    Unexplained,
    /// Requests had no answer when the run ended.
    Unfinished,
    /// The run did not finish.
    UnfinishedRun,
    /// Requests were never sent.
    Unsent,
    /// Names of logs are unknown, so that the logs are in the file class "other".
    UnknownNames,
    /// Requests waited longer for a free connection than for the server.
    WaitingForConnections,
    /// Kind of another version of logtrace, which this one only shows.
    #[strum(default, transparent)]
    Other(String),
}

impl CaveatKind {
    /// Returns whether scripts must not use a measurement with such a caveat (exit code 3).
    ///
    /// A kind of another version does not degrade: the exit code of a measurement tells what the version that made it knew.
    pub fn degrades(&self) -> bool {
        match self {
            Self::CommitsUnderWay
            | Self::ConnectionsLost
            | Self::DiskFull
            | Self::Errors
            | Self::FileErrors
            | Self::Inconsistent
            | Self::InvariantViolations
            | Self::LateGenerator
            | Self::LostRecords
            | Self::NotGivenBack
            | Self::OrderCount
            | Self::PartlyJoined
            | Self::Recording
            | Self::ServerDied
            | Self::SilentProbes
            | Self::UndecodableRecords
            | Self::Unfinished
            | Self::UnfinishedRun
            | Self::Unsent => true,
            Self::Backlog
            | Self::CapacityFell
            | Self::Contradictions
            | Self::CpuTaken
            | Self::CutByBursts
            | Self::Interrupted
            | Self::MissingProbe
            | Self::NoCommits
            | Self::RemoteServer
            | Self::StallInWarmup
            | Self::Unchecked
            | Self::Unexplained
            | Self::UnknownNames
            | Self::WaitingForConnections
            | Self::Other(_) => false,
        }
    }

    /// Returns a caveat of this kind.
    pub fn caveat(self, text: impl Into<String>) -> Caveat {
        Caveat {
            kind: self,
            text: text.into(),
        }
    }
}

impl From<String> for CaveatKind {
    fn from(word: String) -> Self {
        word.parse().unwrap_or(Self::Other(word))
    }
}

impl From<CaveatKind> for String {
    fn from(kind: CaveatKind) -> Self {
        kind.to_string()
    }
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn a_kind_is_a_word_of_the_document() {
        let died = CaveatKind::ServerDied.caveat("it is gone");
        let text = r#"{"kind":"server_died","text":"it is gone"}"#;
        assert_eq!(serde_json::to_string(&died).unwrap(), text);
        assert_eq!(serde_json::from_str::<Caveat>(text).unwrap(), died);
        for kind in CaveatKind::iter() {
            assert_eq!(CaveatKind::from(kind.to_string()), kind);
            assert_eq!(kind.as_ref(), kind.to_string());
        }
    }

    #[test]
    fn a_kind_of_another_version_stays_as_it_is_and_does_not_degrade() {
        let text = r#"{"kind":"of_a_later_version","text":"a new one"}"#;
        let unknown: Caveat = serde_json::from_str(text).unwrap();
        assert_eq!(unknown.kind, CaveatKind::Other("of_a_later_version".to_owned()));
        assert!(!unknown.kind.degrades());
        assert_eq!(serde_json::to_string(&unknown).unwrap(), text);
        let error = serde_json::from_str::<Caveat>(r#"{"kind":5,"text":""}"#).unwrap_err();
        assert!(error.to_string().contains("expected a string"), "{error}");
    }
}
