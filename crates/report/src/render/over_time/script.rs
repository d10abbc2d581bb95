//! The script of the page, with which commits are selected, and its data.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{CauseCube, Exemplars, HeatCells, OverTime, WaitedFor};
use logtrace_attribution::deflated::deflated;
use logtrace_attribution::rgb::hex;
use serde::Serialize;

use crate::render::error::RenderError;

/// All parts of the script. Each later one uses the ones before.
pub(in crate::render) const SCRIPT: &str = concat!(
    include_str!("../../../page/decode.js"),
    include_str!("../../../page/scale.js"),
    include_str!("../../../page/duration.js"),
    include_str!("../../../page/select.js"),
    include_str!("../../../page/address.js"),
    include_str!("../../../page/elements.js"),
    include_str!("../../../page/tip.js"),
    include_str!("../../../page/arrows.js"),
    include_str!("../../../page/icicle.js"),
    include_str!("../../../page/timeline.js"),
    include_str!("../../../page/lanes.js"),
    include_str!("../../../page/waited_for.js"),
    include_str!("../../../page/exemplars.js"),
    include_str!("../../../page/result.js"),
    include_str!("../../../page/drag.js"),
    include_str!("../../../page/picture.js"),
    include_str!("../../../page/chart.js"),
    include_str!("../../../page/map.js"),
    include_str!("../../../page/page.js"),
);

/// Data of the script.
#[derive(Serialize)]
struct ScriptData<'a> {
    over_time: CommitsOverTime<'a>,
    /// Colours of the waits.
    colors: BTreeMap<String, String>,
}

/// Commits of [`OverTime`]: requests cannot be selected. A report that is made of the page has the threads that commits waited for.
#[derive(Serialize)]
struct CommitsOverTime<'a> {
    commits: &'a HeatCells,
    causes: &'a CauseCube,
    slowest: &'a Exemplars,
    typical: &'a Exemplars,
    stalls: &'a Exemplars,
    #[serde(skip_serializing_if = "Option::is_none")]
    waited_for: Option<&'a WaitedFor>,
    threads: &'a BTreeMap<u32, String>,
}

/// Returns the data as compressed JSON, with names of threads.
pub(super) fn data(over_time: &OverTime, names: &BTreeMap<u32, String>) -> Result<String, RenderError> {
    let exemplars = [&over_time.slowest, &over_time.typical, &over_time.stalls];
    let exemplars = exemplars.into_iter().flat_map(|exemplars| &exemplars.stacks);
    let stacks = over_time.causes.stacks.iter().chain(exemplars);
    let waits = stacks.map(|stack| stack.cause.wait);
    let data = ScriptData {
        over_time: CommitsOverTime {
            commits: &over_time.commits,
            causes: &over_time.causes,
            slowest: &over_time.slowest,
            typical: &over_time.typical,
            stalls: &over_time.stalls,
            waited_for: over_time.waited_for.as_ref(),
            threads: names,
        },
        colors: waits.map(|wait| (wait.to_string(), hex(wait.color()))).collect(),
    };
    let text = serde_json::to_string(&data)?;
    Ok(deflated(text.as_bytes()).map_err(serde_json::Error::io)?)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use logtrace_attribution::breakdown::StackRow;
    use logtrace_attribution::cause::Cause;
    use logtrace_attribution::deflated::inflated;

    use super::*;

    #[test]
    fn a_name_of_a_function_cannot_end_the_data() {
        let mut over_time = OverTime::default();
        over_time.causes.stacks.push(StackRow {
            cause: Cause::UNEXPLAINED,
            frames: vec!["</script><script>alert(1)".to_owned()],
        });
        let text = data(&over_time, &BTreeMap::new()).unwrap();
        assert!(!text.contains('<'), "{text}");
        let read: serde_json::Value = serde_json::from_slice(&inflated(&text).unwrap()).unwrap();
        let read = OverTime::deserialize(&read["over_time"]).unwrap();
        assert_eq!(read, over_time);
    }
}
