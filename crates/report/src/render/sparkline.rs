//! Small curve of the commits of each second.

use std::fmt::Write;

use crate::units::real;

/// Width of the drawing, in the units of its coordinates.
pub(crate) const WIDTH: f64 = 600.0;
/// Height of the drawing.
pub(crate) const HEIGHT: f64 = 60.0;

/// Returns the corners of the area under the curve, as the `points` of an SVG polygon. Each second is a step from its start
/// to its end, and the highest reaches the top.
pub(crate) fn area(per_second: &[u64]) -> String {
    let highest = per_second.iter().copied().max().unwrap_or(0).max(1);
    let step = WIDTH / real(per_second.len().max(1) as u64);
    let mut points = format!("0,{HEIGHT}");
    let mut left = 0.0;
    for &commits in per_second {
        let right = left + step;
        let top = HEIGHT * (1.0 - real(commits) / real(highest));
        // Writing to a string cannot fail.
        let _ = write!(points, " {left:.1},{top:.1} {right:.1},{top:.1}");
        left = right;
    }
    let _ = write!(points, " {left:.1},{HEIGHT}");
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_is_a_step_and_the_highest_reaches_the_top() {
        assert_eq!(
            area(&[10, 20]),
            "0,60 0.0,30.0 300.0,30.0 300.0,0.0 600.0,0.0 600.0,60"
        );
    }

    #[test]
    fn nothing_is_flat() {
        assert_eq!(area(&[]), "0,60 0.0,60");
        assert_eq!(area(&[0]), "0,60 0.0,60.0 600.0,60.0 600.0,60");
    }
}
