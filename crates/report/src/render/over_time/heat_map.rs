//! Heat map as a picture of a few kilobytes.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use logtrace_attribution::rgb::Rgb;
use logtrace_common::units;
use png::{BitDepth, ColorType, Compression, Encoder};

use super::axis::{DurationAxis, TimeAxis};
use crate::render::error::RenderError;

/// Colours of a picture beside the first one, which is transparent.
const SHADES: u8 = 255;

/// Colours of the page around a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theme {
    Light,
    Dark,
}

impl Theme {
    /// Returns the colours of one commit, of the middle, and of the most commits in a cell. They differ in lightness, so that
    /// nobody has to tell hues apart; one commit has three times the contrast of the page, which WCAG 2.2 wants of pictures
    /// (success criterion 1.4.11).
    fn stops(self) -> [Rgb; 3] {
        match self {
            Self::Light => [(0x7e, 0x8f, 0xc9), (0x4a, 0x45, 0xa8), (0x1d, 0x0c, 0x4a)],
            Self::Dark => [(0x6f, 0x63, 0xc2), (0x2f, 0xa8, 0xa0), (0xfb, 0xe7, 0x6a)],
        }
    }

    /// Returns the colour at a place from 0 to 1 between one commit and the most.
    fn shade(self, place: f64) -> [u8; 3] {
        let [one, middle, most] = self.stops();
        let (from, to, share) = match place < 0.5 {
            true => (one, middle, 2.0 * place),
            false => (middle, most, 2.0 * place - 1.0),
        };
        [
            between(from.0, to.0, share),
            between(from.1, to.1, share),
            between(from.2, to.2, share),
        ]
    }
}

/// Returns a PNG as a `data:` address: a pixel for each column and row, the longest durations at the top. The colour is the
/// logarithm of the number of commits.
pub(super) fn image(
    counts: &BTreeMap<(u64, u16), u64>,
    times: TimeAxis,
    latencies: DurationAxis,
    theme: Theme,
) -> Result<String, RenderError> {
    let width = usize::try_from(times.columns).unwrap_or(0);
    let mut pixels = vec![0; width * usize::from(latencies.rows())];
    let most = counts.values().copied().max().unwrap_or(1);
    for (&(column, row), &count) in counts {
        let at = usize::from(latencies.last - row) * width + usize::try_from(column).unwrap_or(0);
        pixels[at] = shade(count, most);
    }
    let size = (u32::try_from(width).unwrap_or(0), u32::from(latencies.rows()));
    let bytes = png(size, &pixels, theme)?;
    Ok(format!("data:image/png;base64,{}", BASE64.encode(bytes)))
}

/// Returns the number of the colour of this many commits, where the fullest cell has `most`.
fn shade(count: u64, most: u64) -> u8 {
    if count == 0 {
        return 0;
    }
    let place = units::real(count).ln() / units::real(most.max(2)).ln();
    1 + between(0, SHADES - 1, place)
}

fn png((width, height): (u32, u32), pixels: &[u8], theme: Theme) -> Result<Vec<u8>, RenderError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::High);
    let shades = (0..SHADES).map(|shade| theme.shade(f64::from(shade) / f64::from(SHADES - 1)));
    let palette: Vec<u8> = [[0; 3]].into_iter().chain(shades).flatten().collect();
    encoder.set_palette(palette);
    encoder.set_trns(&[0][..]);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(bytes)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number between two bytes is a byte"
)]
fn between(from: u8, to: u8, share: f64) -> u8 {
    (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of a colour (WCAG 2.2).
    fn luminance([red, green, blue]: [u8; 3]) -> f64 {
        let linear = |byte: u8| {
            let value = f64::from(byte) / 255.0;
            match value <= 0.04045 {
                true => value / 12.92,
                false => ((value + 0.055) / 1.055).powf(2.4),
            }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    #[test]
    fn a_single_commit_can_be_seen_and_more_are_stronger() {
        // The paper of report.css.
        for (theme, paper) in [(Theme::Light, [0xff; 3]), (Theme::Dark, [0x15, 0x19, 0x1e])] {
            let contrast = |shade: [u8; 3]| {
                let (a, b) = (luminance(shade) + 0.05, luminance(paper) + 0.05);
                a.max(b) / a.min(b)
            };
            let contrasts: Vec<f64> = (0..=20)
                .map(|place| contrast(theme.shade(f64::from(place) / 20.0)))
                .collect();
            assert!(contrasts[0] >= 3.0, "{theme:?}: {contrasts:?}");
            assert!(contrasts.is_sorted(), "{theme:?}: {contrasts:?}");
        }
    }

    #[test]
    fn the_picture_has_a_pixel_for_each_cell_with_the_longest_at_the_top() {
        let counts = BTreeMap::from([((0, 10), 1), ((2, 11), 1), ((2, 10), 100)]);
        let times = TimeAxis {
            columns: 3,
            column_ns: 1,
        };
        let latencies = DurationAxis { first: 10, last: 11 };
        let address = image(&counts, times, latencies, Theme::Light).unwrap();
        let bytes = BASE64
            .decode(address.strip_prefix("data:image/png;base64,").unwrap())
            .unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .unwrap();
        assert_eq!(reader.info().size(), (3, 2));
        let mut pixels = [0; 6];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, [0, 0, 1, 1, 0, 255]);
    }
}
