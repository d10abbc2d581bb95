//! Short turns of a study: `turns.jsonl` in its directory, a line for each block.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use logtrace_common::InputKind;
use logtrace_measure::private_file;
use serde::{Deserialize, Serialize};

use crate::order::TurnBlock;
use crate::results::StudyResults;
use crate::results::figure::Figure;
use crate::results::turn_result::TurnResult;
use crate::runner::directory::StudyDir;

/// Name of the file.
const FILE: &str = "turns.jsonl";

/// Block of short turns that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BlockRecord {
    /// Number of the repeat, from 1.
    pub(crate) repeat: u32,
    /// Number of the fleet, from 1: servers that run side by side.
    pub(crate) fleet: u32,
    /// Number of the block in the repeat, from 1.
    pub(crate) block: u32,
    /// Turns, in the order of time.
    pub(crate) turns: Vec<TurnRecord>,
}

/// Short turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TurnRecord {
    /// Name of the cell.
    pub(crate) cell: String,
    /// Name of the cell that was under load just before, or null.
    pub(crate) before: Option<String>,
    /// Milliseconds from the start of the block to the start of the turn.
    pub(crate) at_ms: u64,
    /// Figures by their names in plans. Times are nanoseconds.
    pub(crate) figures: BTreeMap<String, f64>,
    /// Reason why the turn failed, or null.
    pub(crate) error: Option<String>,
}

/// Measured blocks of a study, with its file.
#[derive(Debug)]
pub(crate) struct TurnLog {
    path: PathBuf,
    /// Lines of the file, the latest of each block.
    blocks: Vec<BlockRecord>,
}

impl TurnLog {
    /// Reads the blocks of a study's directory; none if it has no file yet. A torn line, which a power cut can leave, is a
    /// block that is not measured.
    pub(crate) fn read(dir: &StudyDir) -> anyhow::Result<Self> {
        let path = dir.file(FILE);
        let text = match dir.input(FILE, InputKind::TurnLog) {
            Err(error) if error.is_missing() => Vec::new(),
            read => read.with_context(|| format!("cannot read {}", path.display()))?,
        };
        let mut log = Self {
            path,
            blocks: Vec::new(),
        };
        let lines = text.split(|&byte| byte == b'\n');
        let lines = lines.filter_map(|line| serde_json::from_slice(line).ok());
        lines.for_each(|block| log.replace(block));
        Ok(log)
    }

    /// Returns whether all turns of a block are measured.
    pub(crate) fn has(&self, block: &TurnBlock) -> bool {
        let mut blocks = self.blocks.iter();
        let found = blocks.find(|one| one.is(block));
        found.is_some_and(|one| {
            one.turns.len() == block.cells.len() && one.turns.iter().all(|turn| turn.error.is_none())
        })
    }

    /// Adds a block, in place of an earlier attempt, and writes the file.
    pub(crate) fn add(&mut self, block: BlockRecord) -> anyhow::Result<()> {
        self.replace(block);
        let mut text = String::new();
        for block in &self.blocks {
            text += &serde_json::to_string(block)?;
            text.push('\n');
        }
        private_file::replace_file(&self.path, &text)
    }

    pub(crate) fn add_to(&self, results: &mut StudyResults) {
        for block in &self.blocks {
            for turn in &block.turns {
                results.insert_turn(&turn.cell, turn.result(block));
            }
        }
    }

    /// Returns the last cell that was under load.
    pub(crate) fn last_cell(&self) -> Option<&str> {
        let turn = self.blocks.last()?.turns.last()?;
        Some(&turn.cell)
    }

    fn replace(&mut self, block: BlockRecord) {
        let key = |one: &BlockRecord| (one.repeat, one.fleet, one.block);
        self.blocks.retain(|one| key(one) != key(&block));
        self.blocks.push(block);
    }
}

impl BlockRecord {
    fn is(&self, block: &TurnBlock) -> bool {
        (self.repeat, self.fleet, self.block) == (block.repeat + 1, block.fleet + 1, block.number + 1)
    }
}

impl TurnRecord {
    fn result(&self, block: &BlockRecord) -> Result<TurnResult, String> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        // A name that this version does not know is no figure of its tables.
        let figures = self.figures.iter();
        let figures = figures.filter_map(|(name, value)| Some((name.parse::<Figure>().ok()?, *value)));
        Ok(TurnResult {
            repeat: block.repeat.saturating_sub(1),
            block: block.block.saturating_sub(1),
            before: self.before.clone(),
            figures: figures.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::plan::scale::Scale;
    use crate::runner::directory::progress_file::StudyProgress;
    use crate::runner::directory::request::{Overrides, StudyRequest};
    use crate::runner::plan_lookup::built_in;

    fn dir(path: &std::path::Path) -> StudyDir {
        let request = StudyRequest {
            plan: "turns".into(),
            scale: "smoke".into(),
            seed: 1,
            only: Vec::new(),
            overrides: Overrides::default(),
            cpus: Vec::new(),
        };
        let (dir, _) =
            StudyDir::open(path, &StudyProgress::new(request), "name = \"turns\"\n", true).unwrap();
        dir
    }

    fn record(block: u32, error: Option<&str>) -> BlockRecord {
        let turn = |cell: &str, error: Option<&str>| TurnRecord {
            cell: cell.to_owned(),
            before: None,
            at_ms: 0,
            figures: BTreeMap::from([("throughput".to_owned(), 100.5), ("of_later".to_owned(), 1.0)]),
            error: error.map(str::to_owned),
        };
        BlockRecord {
            repeat: 1,
            fleet: 1,
            block,
            turns: vec![turn("a", None), turn("b", error)],
        }
    }

    fn block(number: u32) -> TurnBlock {
        TurnBlock {
            repeat: 0,
            fleet: 0,
            number,
            cells: vec![0, 1],
            seed: 1,
        }
    }

    #[test]
    fn a_block_is_measured_again_if_its_line_is_torn_or_a_turn_failed() {
        let place = tempfile::tempdir().unwrap();
        let dir = dir(place.path());
        let mut log = TurnLog::read(&dir).unwrap();
        assert!(!log.has(&block(0)) && log.last_cell().is_none());
        log.add(record(1, None)).unwrap();
        log.add(record(2, Some("the server died"))).unwrap();
        assert!(log.has(&block(0)) && !log.has(&block(1)), "a turn failed");
        log.add(record(2, None)).unwrap();
        assert!(
            TurnLog::read(&dir).unwrap().has(&block(1)),
            "the later attempt counts"
        );
        let whole = fs::read(dir.file(FILE)).unwrap();
        let first = whole.iter().position(|byte| *byte == b'\n').unwrap();
        for length in 0..whole.len() - 1 {
            fs::write(dir.file(FILE), &whole[..length]).unwrap();
            let log = TurnLog::read(&dir).unwrap();
            assert_eq!(
                (log.has(&block(0)), log.has(&block(1))),
                (length >= first, false),
                "{length}"
            );
        }
    }

    #[test]
    fn turns_are_results_and_unknown_figures_are_left_out() {
        let place = tempfile::tempdir().unwrap();
        let mut log = TurnLog::read(&dir(place.path())).unwrap();
        log.add(record(1, Some("it failed"))).unwrap();
        let mut results = StudyResults::default();
        log.add_to(&mut results);
        let plan = built_in().unwrap().remove(0);
        let mut cell = plan.cells(Scale::Smoke)[0].clone();
        cell.key = "a".to_owned();
        let turns = results.turns(&cell);
        assert_eq!(turns.len(), 1);
        assert_eq!(turns[0].figures, BTreeMap::from([(Figure::Throughput, 100.5)]));
        cell.key = "b".to_owned();
        assert_eq!(results.failed_turns(&cell), ["it failed"]);
    }
}
