//! Table of the lateness of each method.

use std::fmt;

use hdrhistogram::Histogram;

use crate::pacing::lateness::Lateness;

/// Quantiles in the table.
const QUANTILES: [f64; 3] = [0.5, 0.9, 0.99];

/// Name of the method with which the others are compared.
pub(crate) const BARE_TIMER: &str = "bare timer";

/// Lateness of all methods, by rate.
#[derive(Clone, Debug, Default)]
pub struct PaceTable {
    rows: Vec<PaceRow>,
}

/// Lateness of one method at one rate.
#[derive(Clone, Debug)]
pub struct PaceRow {
    /// Number of due times per second.
    pub rate_per_s: f64,
    /// Name of the method.
    pub name: &'static str,
    /// Lateness.
    pub lags: Lateness,
}

impl PaceTable {
    /// Adds a measurement.
    pub fn add(&mut self, rate_per_s: f64, name: &'static str, lags: &Lateness) {
        let known = |row: &&mut PaceRow| row.rate_per_s == rate_per_s && row.name == name;
        match self.rows.iter_mut().find(known) {
            Some(row) => row.lags.add(lags),
            None => self.rows.push(PaceRow {
                rate_per_s,
                name,
                lags: lags.clone(),
            }),
        }
    }

    /// Returns the rows in the order in which they were added.
    pub fn rows(&self) -> &[PaceRow] {
        &self.rows
    }

    /// Returns the row of a rate and a method.
    pub fn row(&self, rate_per_s: f64, name: &str) -> Option<&PaceRow> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.rate_per_s == rate_per_s && row.name == name)
    }

    fn bare<'a>(&'a self, row: &'a PaceRow) -> &'a Histogram<u64> {
        let bare = self.row(row.rate_per_s, BARE_TIMER);
        bare.unwrap_or(row).lags.histogram()
    }
}

impl fmt::Display for PaceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "lag in us, and as a multiple of the bare timer's; the share of what was due in a turn that came in it"
        )?;
        let [median, p90, p99, achieved] = ["median", "p90", "p99", "achieved"];
        let width = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
        writeln!(
            f,
            "{:>7}  {:<width$} {median:>17} {p90:>17} {p99:>17} {achieved:>10}",
            "rate/s", ""
        )?;
        for row in &self.rows {
            write!(f, "{:>7}  {:<width$}", row.rate_per_s, row.name)?;
            for quantile in QUANTILES {
                let best = self.bare(row).value_at_quantile(quantile).max(1);
                let lag = row.lags.histogram().value_at_quantile(quantile);
                let ratio = format!("x{:.2}", lag as f64 / best as f64);
                write!(f, " {:>9.1} {ratio:>7}", lag as f64 / 1e3)?;
            }
            writeln!(f, " {:>8.3} %", 100.0 * row.lags.achieved())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lags(late_ns: u64) -> Lateness {
        let mut lags = Lateness::new(1_000_000);
        lags.record(0, late_ns);
        lags
    }

    #[test]
    fn each_lag_is_held_against_the_bare_timers_at_its_rate() {
        let mut table = PaceTable::default();
        table.add(100.0, "bare timer", &lags(50_000));
        table.add(100.0, "pacer", &lags(60_000));
        table.add(500.0, "bare timer", &lags(19_900));
        table.add(500.0, "a server", &lags(500_000));
        let text = table.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[3].contains("pacer") && lines[3].contains("x1.20"), "{text}");
        assert!(
            lines[5].contains("a server") && lines[5].contains("x25."),
            "{text}"
        );
    }

    #[test]
    fn turns_of_one_way_at_one_rate_are_one_row() {
        let mut table = PaceTable::default();
        table.add(100.0, "pacer", &lags(10_000));
        table.add(200.0, "pacer", &lags(10_000));
        table.add(100.0, "pacer", &lags(2_000_000));
        assert_eq!(table.rows().len(), 2);
        assert_eq!(table.row(100.0, "pacer").unwrap().lags.due(), 2);
        let text = table.to_string();
        assert!(text.lines().nth(2).unwrap().ends_with("50.000 %"), "{text}");
        assert!(text.lines().nth(3).unwrap().ends_with("100.000 %"), "{text}");
    }
}
