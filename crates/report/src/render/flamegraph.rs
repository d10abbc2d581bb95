//! Commit time by stack, drawn.

use inferno::flamegraph::color::{BackgroundColor, PaletteMap, StrokeColor};
use inferno::flamegraph::{Direction, Options, TextTruncateDirection, from_lines};

use super::RenderError;
use super::folded;
use super::headline;
use super::palette::{self, Rgb};
use crate::breakdown::StackTotal;
use crate::document::Document;

const WHITE: Rgb = (0xff, 0xff, 0xff);
const LIGHT: Rgb = (0xd9, 0xe1, 0xe8);

/// The frame that inferno draws around all stacks, by the name that it asks a colour for.
const ALL: &str = "";

/// An SVG flame graph that can be searched and zoomed; the same stacks give the same bytes.
///
/// # Errors
///
/// [`RenderError::NoStacks`] when no stack holds any time, and [`RenderError::StacksOverflow`] when they hold more
/// than 2^64 ns.
pub fn flamegraph(document: &Document, stacks: &[StackTotal]) -> Result<String, RenderError> {
    let lines: Vec<String> = stacks
        .iter()
        .filter(|stack| stack.total_ns > 0)
        .map(folded::line)
        .collect();
    if lines.is_empty() {
        return Err(RenderError::NoStacks);
    }
    let mut times = stacks.iter().map(|stack| stack.total_ns);
    let total = times.try_fold(0, u64::checked_add);
    total.ok_or(RenderError::StacksOverflow)?;
    let mut colors = colors(document, stacks);
    let mut options = options(document);
    options.palette_map = Some(&mut colors);
    let mut svg = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut svg).map_err(RenderError::Flamegraph)?;
    Ok(String::from_utf8_lossy(&svg).into_owned())
}

/// The waits have the colours that they have on the page; every other frame is light.
fn colors(document: &Document, stacks: &[StackTotal]) -> PaletteMap {
    let mut colors = PaletteMap::default();
    let frames = stacks.iter().flat_map(|stack| &stack.frames);
    for frame in frames.map(String::as_str).chain([folded::ROOT, ALL]) {
        colors.insert(frame, LIGHT.into());
    }
    for row in &document.causes {
        colors.insert(row.wait, palette::rgb(row.wait).into());
    }
    colors
}

fn options<'a>(document: &Document) -> Options<'a> {
    let mut options = Options::default();
    options.title = "Where commits waited".to_owned();
    options.subtitle = Some(headline::title(document).join(" · "));
    options.count_name = "ns".to_owned();
    options.name_type = "Cause:".to_owned();
    // The outermost frames are the widest: they belong at the top, where reading starts.
    options.direction = Direction::Inverted;
    options.bgcolors = Some(BackgroundColor::Flat(WHITE.into()));
    options.stroke_color = StrokeColor::Color(WHITE.into());
    options.text_truncate_direction = TextTruncateDirection::Right;
    options.deterministic = true;
    options
}
