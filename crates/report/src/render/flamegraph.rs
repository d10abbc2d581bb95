//! Flame graph: a drawing of time by stack.

use inferno::flamegraph::color::{BackgroundColor, PaletteMap, StrokeColor};
use inferno::flamegraph::{Direction, Options, TextTruncateDirection, from_lines};
use logtrace_attribution::breakdown::{Part, StackTotal, StackTotals, Whole};
use logtrace_attribution::cause::Wait;
use logtrace_attribution::rgb::Rgb;
use strum::IntoEnumIterator;

use crate::document::Document;
use crate::render::error::RenderError;
use crate::render::folded;
use crate::render::sections::headline;

const WHITE: Rgb = (0xff, 0xff, 0xff);
const LIGHT: Rgb = (0xd9, 0xe1, 0xe8);

/// Name of the frame that inferno draws around all stacks.
const ALL: &str = "";

/// Draws an SVG flame graph that can be searched and zoomed. The same stacks give the same bytes.
///
/// # Errors
///
/// Returns [`RenderError::NoStacks`] if no stack holds any time, and [`RenderError::StacksOverflow`] if they hold more than
/// 2^64 ns.
pub fn flamegraph(document: &Document, stacks: &StackTotals, whole: Whole) -> Result<String, RenderError> {
    let stacks = stacks.of(whole);
    let mut lines: Vec<String> = stacks
        .iter()
        .filter(|stack| stack.total_ns > 0)
        .map(|stack| folded::line(whole, stack))
        .collect();
    if lines.is_empty() {
        return Err(RenderError::NoStacks);
    }
    if is_in_order(whole) {
        // inferno expects the last one first.
        lines.reverse();
    }
    let mut times = stacks.iter().map(|stack| stack.total_ns);
    let total = times.try_fold(0, u64::checked_add);
    total.ok_or(RenderError::StacksOverflow)?;
    let mut colors = colors(stacks, whole);
    let mut options = options(document, whole);
    options.palette_map = Some(&mut colors);
    let mut svg = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut svg).map_err(RenderError::Flamegraph)?;
    Ok(with_dark_colors(&String::from_utf8_lossy(&svg)))
}

/// Gives a drawing of inferno dark colours for viewers that prefer them, and a search that can be seen.
fn with_dark_colors(svg: &str) -> String {
    svg.replacen(
        "</style>",
        concat!(include_str!("../../templates/flame.css"), "</style>"),
        1,
    )
}

/// Whether the stacks are drawn in the order that they have, which is that of time.
fn is_in_order(whole: Whole) -> bool {
    whole == Whole::Response
}

/// Returns the colours of the frames: waits have those of the page, parts of a response have their own, and all others are
/// light.
fn colors(stacks: &[StackTotal], whole: Whole) -> PaletteMap {
    let mut colors = PaletteMap::default();
    let frames = stacks.iter().flat_map(|stack| &stack.frames);
    for frame in frames.map(String::as_str).chain([whole.as_str(), ALL]) {
        colors.insert(frame, LIGHT.into());
    }
    for wait in Wait::iter() {
        colors.insert(wait.to_string(), wait.color().into());
    }
    for part in Part::iter() {
        if let Some(color) = part_color(part).filter(|_| whole == Whole::Response) {
            colors.insert(part.as_str(), color.into());
        }
    }
    colors
}

/// Returns the colour of a part of a response time, or `None` for the commit, which has the colours of its causes.
fn part_color(part: Part) -> Option<Rgb> {
    match part {
        Part::Lag => Some((0xb8, 0x9a, 0x72)),
        Part::Client => Some(Wait::Client.color()),
        Part::BeforeCommit | Part::AfterCommit => Some((0xa9, 0xc9, 0xb5)),
        Part::Commit => None,
    }
}

fn options<'a>(document: &Document, whole: Whole) -> Options<'a> {
    let mut options = Options::default();
    let title = match whole {
        Whole::Commit => "Where commits waited",
        Whole::Response => "What response times were made of",
        Whole::Statement => "Where statements waited outside of commits",
    };
    options.title = title.to_owned();
    options.subtitle = Some(headline::title_line(document));
    options.count_name = "ns".to_owned();
    options.name_type = "Cause:".to_owned();
    // The outermost frames are the widest: they belong at the top, where reading starts.
    options.direction = Direction::Inverted;
    options.flame_chart = is_in_order(whole);
    options.bgcolors = Some(BackgroundColor::Flat(WHITE.into()));
    options.stroke_color = StrokeColor::Color(WHITE.into());
    options.text_truncate_direction = TextTruncateDirection::Right;
    options.deterministic = true;
    options
}
