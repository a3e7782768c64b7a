//! Numbers within bounds.

use serde_json::Value;

use super::flat::Flat;

/// Returns the first likely number within the bounds.
pub(super) fn example(flat: &Flat<'_>, whole: bool) -> Value {
    let bounds = Bounds::new(flat);
    let usual = if whole { 1.0 } else { 1.5 };
    let step = bounds.step.unwrap_or(1.0);
    let above = |bound: f64| {
        [
            bound,
            bound + step,
            (bound / step).ceil() * step,
            (bound / step).floor() * step + step,
        ]
    };
    let below = |bound: f64| {
        [
            bound,
            bound - step,
            (bound / step).floor() * step,
            bound / 2.0,
        ]
    };
    let likely = [usual, 0.0, step]
        .into_iter()
        .chain(bounds.least.into_iter().chain(bounds.above).flat_map(above))
        .chain(bounds.most.into_iter().chain(bounds.below).flat_map(below));
    let found = likely
        .filter(|number| !whole || number.fract() == 0.0)
        .find(|number| bounds.allows(*number));
    to_json(found.unwrap_or(usual))
}

/// Converts a number to JSON; integers get no fraction.
fn to_json(number: f64) -> Value {
    let written = if number.fract() == 0.0 && number.abs() < 1e15 {
        serde_json::from_str(&format!("{number:.0}"))
    } else {
        serde_json::from_str(&number.to_string())
    };
    written.unwrap_or(Value::Null)
}

struct Bounds {
    least: Option<f64>,
    most: Option<f64>,
    above: Option<f64>,
    below: Option<f64>,
    step: Option<f64>,
}

impl Bounds {
    fn new(flat: &Flat<'_>) -> Self {
        let highest = |keyword| flat.all(keyword).filter_map(Value::as_f64).reduce(f64::max);
        let lowest = |keyword| flat.all(keyword).filter_map(Value::as_f64).reduce(f64::min);
        Self {
            least: highest("minimum"),
            most: lowest("maximum"),
            above: highest("exclusiveMinimum"),
            below: lowest("exclusiveMaximum"),
            step: highest("multipleOf").filter(|step| *step > 0.0),
        }
    }

    fn allows(&self, number: f64) -> bool {
        self.least.is_none_or(|least| number >= least)
            && self.most.is_none_or(|most| number <= most)
            && self.above.is_none_or(|above| number > above)
            && self.below.is_none_or(|below| number < below)
            && self
                .step
                .is_none_or(|step| (number / step).fract().abs() < 1e-9)
    }
}
