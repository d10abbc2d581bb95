//! Axis of values from 0 on, with round labels.

/// Distances of labels, in powers of ten.
const DISTANCES: [f64; 5] = [1.0, 2.0, 2.5, 5.0, 10.0];

/// Most labels above 0.
const MOST_LABELS: f64 = 20.0;

/// Axis of values from 0 on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueAxis {
    end: f64,
    distance: f64,
}

impl ValueAxis {
    /// Returns the axis that has all values up to `most`, with at most `labels` labels above 0.
    pub fn up_to(most: f64, labels: f64) -> Self {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let labels = labels.clamp(1.0, MOST_LABELS);
        let power = 10_f64.powf((most / labels).log10().floor());
        let distances = DISTANCES.map(|times| times * power);
        let distance = distances.into_iter().find(|distance| most / distance <= labels);
        let distance = distance.unwrap_or(most);
        Self {
            end: (most / distance).ceil() * distance,
            distance,
        }
    }

    /// Returns the last value of the axis.
    pub fn end(self) -> f64 {
        self.end
    }

    /// Returns the axis of so many times the values.
    pub fn times(self, factor: f64) -> Self {
        Self {
            end: self.end * factor,
            distance: self.distance * factor,
        }
    }

    /// Returns the place of a value from 0 to 1; values beyond the axis are at its ends.
    pub fn place(self, value: f64) -> f64 {
        (value / self.end).clamp(0.0, 1.0)
    }

    /// Returns the values with a label, from 0 to the end of the axis.
    pub fn labels(self) -> impl Iterator<Item = f64> {
        let values = (0..=20).map(move |number| f64::from(number) * self.distance);
        values.take_while(move |value| *value <= self.end * 1.001)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_are_round() {
        let labels = |most, labels| ValueAxis::up_to(most, labels).labels().collect::<Vec<_>>();
        assert_eq!(labels(658.5, 3.0), [0.0, 250.0, 500.0, 750.0]);
        assert_eq!(labels(30.0, 3.0), [0.0, 10.0, 20.0, 30.0]);
        assert_eq!(labels(0.7, 3.0), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(labels(0.0, 5.0).len(), 6, "an axis without values has one anyway");
    }

    proptest! {
        #[test]
        fn all_values_have_a_place_and_most_of_the_axis_is_used(most in 1e-9..1e15, labels in 2_u32..10) {
            let axis = ValueAxis::up_to(most, f64::from(labels));
            let count = axis.labels().count();
            prop_assert!((2..=labels as usize + 1).contains(&count), "{count}");
            prop_assert!(axis.end() >= most * 0.999_999);
            prop_assert!(axis.place(most) >= 0.49, "{}", axis.place(most));
        }
    }
}
