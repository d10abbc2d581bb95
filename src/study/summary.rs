//! What a study came to: the measured turns by cell.

use std::fmt::Write;

use logtrace_report::document::Document;
use logtrace_report::units::{count, tenths};

use super::runner::Work;
use super::state::State;

/// The measured turns of each cell, in a few words, and whether all turns are measured.
pub(crate) fn summary(work: &Work<'_>, state: &State) -> (String, bool) {
    let mut text = String::new();
    let mut missing = 0;
    for (number, cell) in work.cells.iter().enumerate() {
        let turns = work.turns.iter().filter(|turn| turn.cell == number);
        let documents: Vec<Option<Document>> = turns.map(|turn| work.dir.measured(cell, turn)).collect();
        missing += documents.iter().filter(|document| document.is_none()).count();
        let rates = documents
            .iter()
            .flatten()
            .filter_map(|document| document.driver.as_ref());
        let rates: Vec<String> = rates.map(|driver| tenths(driver.achieved_per_s)).collect();
        // A string takes all that is written to it.
        let _ = writeln!(text, "{}: {} requests/s", cell.key, rates.join(", "));
    }
    for failure in &state.failures {
        let _ = writeln!(
            text,
            "failed: {} ({}): {}",
            failure.cell, failure.repeat, failure.error
        );
    }
    let _ = writeln!(
        text,
        "\n{} of {} turns measured; {:.0} % of the time in windows",
        count((work.turns.len() - missing) as u64),
        count(work.turns.len() as u64),
        state.account.measuring_share() * 100.0
    );
    (text, missing == 0)
}
