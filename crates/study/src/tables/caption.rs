//! Captions of tables: what the numbers are, and how sure they are.

use logtrace_report::render::Unit;
use logtrace_statistics::{DifferenceScale, Statistic};

use crate::tables::{Grid, StudyTable};

/// Probability below which carry-over is reported. Studies have several tables, so it is a fifth of the usual one.
const CARRY_OVER: f64 = 0.01;

impl StudyTable {
    /// Returns what the numbers are and how sure they are, without a full stop.
    pub fn caption(&self) -> String {
        let unit = match self.unit.heading() {
            "" => String::new(),
            unit => format!(" in {unit}"),
        };
        let intervals = self.interval_text();
        let mut caption = format!(
            "{}{unit}, {} over repeats {intervals}{}",
            self.figure,
            self.statistic,
            self.turns_text()
        );
        if let Some(compare) = self.compare {
            let baseline = self.baseline.iter();
            let baseline: Vec<String> = baseline.map(|(axis, level)| format!("{axis} {level}")).collect();
            caption += &format!("; below, the {compare} to {}", baseline.join(", "));
            // Such as 898 and 454 us beside a ratio of 0.42.
            if compare == DifferenceScale::Ratio && self.comparisons > 0 {
                caption += ", which is the geometric mean of the ratios of the repeats, each to the same repeat of the baseline, and \
                            not the quotient of the two values shown";
            }
            caption += &match self.comparisons {
                0 => ", without an interval and not tested: that needs at least 2 repeats".to_owned(),
                count => format!(
                    " (95 % interval, not corrected); * significant at 5 % after correction for {count} comparisons (Holm), \
                     so an interval without {} may have no star",
                    match compare {
                        DifferenceScale::Ratio => "1",
                        DifferenceScale::Difference => "0",
                    }
                ),
            };
        }
        caption + &self.visible_text() + self.carry_over_text()
    }

    /// Returns whether the values of repeats are those of windows or of short turns.
    fn turns_text(&self) -> &'static str {
        let entries = self.grids.iter().flat_map(Grid::entries);
        let measured = entries.filter(|(_, _, entry)| entry.measured().is_some()).count();
        match self.of_turns {
            0 => "",
            of_turns if of_turns < measured => {
                ", the value of a repeat is the mean of its short turns where a cell has them, else that of its window (servers \
                 do more in a window than in turns; ratios are of windows on both sides then)"
            }
            _ => ", the value of a repeat is the mean of its short turns",
        }
    }

    /// Returns the smallest effects that the comparisons could have shown.
    fn visible_text(&self) -> String {
        let (Some(visible), Some(compare)) = (self.visible, self.compare) else {
            return String::new();
        };
        let text = |effect: f64| match compare {
            DifferenceScale::Ratio => percent(effect - 1.0),
            DifferenceScale::Difference => self.unit.text(effect),
        };
        let worst = match self.comparisons {
            1 => String::new(),
            _ => format!(" in the median place, {} in the worst", text(visible.worst)),
        };
        let aim = self.aim.filter(|_| compare == DifferenceScale::Ratio);
        let aim = aim.map_or(String::new(), |aim| {
            format!(", and the plan's aim is {}", percent(aim))
        });
        format!(
            "; smallest effect that 8 of 10 such studies would show by an interval: {}{worst}{aim}",
            text(visible.median)
        )
    }

    /// Returns a warning if the values depend on the cell that was under load just before.
    fn carry_over_text(&self) -> &'static str {
        match self.carry_over {
            Some(p) if p < CARRY_OVER => {
                "; carry-over: a turn depends on the cell that was under load just before it, so these effects are smaller or \
                 larger than those of a server that always has one setting"
            }
            _ => "",
        }
    }

    /// Returns what the intervals of the entries are.
    fn interval_text(&self) -> &'static str {
        let entries = self.grids.iter().flat_map(Grid::entries);
        let mut entries = entries.filter_map(|(_, _, entry)| entry.measured());
        match (entries.clone().any(|one| one.interval.is_some()), self.unit) {
            (true, Unit::Count) => "(95 % Poisson interval, wider where counts scatter more; not corrected)",
            (true, _) if self.statistic == Statistic::Mean => {
                "(95 % t interval, not corrected; slow runs that no repeat had are not in it)"
            }
            (true, _) => "(95 % t interval, not corrected)",
            (false, _) if entries.all(|one| one.repeats < 2) => {
                "(no interval: one repeat says nothing about the spread between runs)"
            }
            (false, _) => "(no interval)",
        }
    }
}

/// Returns a share in percent, with a tenth where it is small.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent < 10.0 {
        true => format!("{percent:.1} %"),
        false => format!("{percent:.0} %"),
    }
}
