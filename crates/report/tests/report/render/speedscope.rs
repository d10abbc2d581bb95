//! Output for speedscope by the rules of its format (src/lib/file-format-spec.ts and src/import/speedscope.ts of its sources).

use logtrace_report::render::Format;
use serde_json::{Value, json};

use super::golden::rendered;
use super::samples;

/// The format, as far as a JSON Schema can say it. Fields that it does not name are refused, so that no word is misspelt.
fn schema() -> Value {
    let number = json!({"type": "integer", "minimum": 0});
    let profile = json!({
        "type": "object",
        "properties": {
            "type": {"const": "sampled"},
            "name": {"type": "string", "minLength": 1},
            "unit": {"enum": ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"]},
            "startValue": number,
            "endValue": number,
            "samples": {"type": "array", "items": {"type": "array", "items": number}},
            "weights": {"type": "array", "items": number},
        },
        "required": ["type", "name", "unit", "startValue", "endValue", "samples", "weights"],
        "additionalProperties": false,
    });
    let frame = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"},
            "exporter": {"type": "string"},
            "name": {"type": "string"},
            "shared": {
                "type": "object",
                "properties": {"frames": {"type": "array", "items": frame}},
                "required": ["frames"],
                "additionalProperties": false,
            },
            "profiles": {"type": "array", "minItems": 1, "items": profile},
        },
        "required": ["$schema", "shared", "profiles"],
        "additionalProperties": false,
    })
}

#[test]
fn it_keeps_the_rules_of_the_format() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    for (name, sample) in samples::all() {
        if sample
            .document
            .commits
            .as_ref()
            .is_none_or(|commits| commits.count == 0)
        {
            continue;
        }
        let file: Value = serde_json::from_str(&rendered(Format::Speedscope, &sample)).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&file)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
        let frames = file["shared"]["frames"].as_array().unwrap().len() as u64;
        for profile in file["profiles"].as_array().unwrap() {
            check(profile, frames, name);
        }
    }
}

/// Checks what a schema cannot say: a weight for each sample, places of frames that are there, and an end after all weights.
fn check(profile: &Value, frames: u64, name: &str) {
    let list = |field: &str| profile[field].as_array().unwrap();
    let (samples, weights) = (list("samples"), list("weights"));
    assert_eq!(samples.len(), weights.len(), "{name}");
    assert!(!samples.is_empty(), "{name}");
    for sample in samples {
        let mut places = sample.as_array().unwrap().iter();
        assert!(
            places.all(|place| place.as_u64().unwrap() < frames),
            "{name}: {sample}"
        );
    }
    let sum: u64 = weights.iter().map(|weight| weight.as_u64().unwrap()).sum();
    let span = profile["endValue"].as_u64().unwrap() - profile["startValue"].as_u64().unwrap();
    assert_eq!(span, sum, "{name}");
}
