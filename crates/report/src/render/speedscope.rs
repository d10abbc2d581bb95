//! Time by stack in the format of speedscope (its file-format-schema.json), a viewer of flame graphs.

use std::collections::HashMap;

use logtrace_attribution::breakdown::{StackTotals, Whole};
use logtrace_common::units;
use serde::Serialize;

use crate::document::Document;
use crate::render::error::RenderError;
use crate::render::sections::headline;

/// Name of the format. speedscope looks for it, and nothing fetches it.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

#[derive(Serialize)]
struct SpeedscopeFile<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    exporter: String,
    name: String,
    shared: Shared<'a>,
    profiles: Vec<SpeedscopeProfile>,
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: Vec<SpeedscopeFrame<'a>>,
}

#[derive(Serialize)]
struct SpeedscopeFrame<'a> {
    name: &'a str,
}

/// Stacks of one whole. Each sample has the places of its frames, the outermost first, and a weight in nanoseconds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SpeedscopeProfile {
    r#type: &'static str,
    name: &'static str,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    samples: Vec<Vec<usize>>,
    weights: Vec<u64>,
}

/// Frames of all profiles, each once.
#[derive(Default)]
struct SpeedscopeFrames<'a> {
    names: Vec<&'a str>,
    places: HashMap<&'a str, usize>,
}

impl<'a> SpeedscopeFrames<'a> {
    fn place(&mut self, name: &'a str) -> usize {
        *self.places.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }
}

/// Returns a file with a profile for each kind of time that was measured.
pub(crate) fn render(document: &Document, stacks: &StackTotals) -> Result<String, RenderError> {
    let mut frames = SpeedscopeFrames::default();
    let wholes = Whole::ALL
        .into_iter()
        .filter(|&whole| !stacks.of(whole).is_empty());
    let profiles: Vec<SpeedscopeProfile> = wholes.map(|whole| profile(whole, stacks, &mut frames)).collect();
    if profiles.is_empty() {
        return Err(RenderError::NoStacks);
    }
    let names = frames.names.into_iter();
    let file = SpeedscopeFile {
        schema: SCHEMA,
        exporter: format!("logtrace {}", document.logtrace),
        name: headline::subject(document),
        shared: Shared {
            frames: names.map(|name| SpeedscopeFrame { name }).collect(),
        },
        profiles,
    };
    Ok(serde_json::to_string(&file)? + "\n")
}

fn profile<'a>(
    whole: Whole,
    stacks: &'a StackTotals,
    frames: &mut SpeedscopeFrames<'a>,
) -> SpeedscopeProfile {
    let stacks = stacks.of(whole);
    let weights: Vec<u64> = stacks.iter().map(|stack| stack.total_ns).collect();
    let samples = stacks
        .iter()
        .map(|stack| stack.frames.iter().map(|name| frames.place(name)).collect());
    SpeedscopeProfile {
        r#type: "sampled",
        name: whole.as_str(),
        unit: "nanoseconds",
        start_value: 0,
        end_value: units::sum(weights.iter().copied()),
        samples: samples.collect(),
        weights,
    }
}
