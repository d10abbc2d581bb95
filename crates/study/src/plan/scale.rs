//! Scale of a study.

use logtrace_common::UnknownName;
use schemars::JsonSchema;
use serde::Serialize;
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

/// Scale of a study, from the smallest.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    JsonSchema,
    Display,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_scale)]
pub enum Scale {
    /// Minutes on two cores.
    Smoke,
    /// Less than an hour.
    Quick,
    /// Size of the published study, for real hardware.
    Full,
}

impl Scale {
    /// Scales, from the smallest.
    pub const ALL: [Self; 3] = [Self::Smoke, Self::Quick, Self::Full];

    /// Returns the name in plans and options.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

fn unknown_scale(text: &str) -> UnknownName {
    UnknownName::new("scale", text, Scale::VARIANTS)
}
