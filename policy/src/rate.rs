//! Rates: how many calls in which time.

use std::{fmt, num::NonZeroU32, str::FromStr, time::Duration};

/// A number of calls in a time, such as `60/minute`.
///
/// ```
/// use toolwright_policy::Rate;
///
/// let rate: Rate = "60/minute".parse().unwrap();
/// assert_eq!(rate.calls.get(), 60);
/// assert!("60/fortnight".parse::<Rate>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The number of calls.
    pub calls: NonZeroU32,
    /// The time.
    pub per: Duration,
}

/// A string that is not a rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateError(String);

const UNITS: [(&str, Duration); 4] = [
    ("second", Duration::from_secs(1)),
    ("minute", Duration::from_mins(1)),
    ("hour", Duration::from_hours(1)),
    ("day", Duration::from_hours(24)),
];

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        let refused = || RateError(text.to_owned());
        let (calls, unit) = text.split_once('/').ok_or_else(refused)?;
        let calls = calls.trim().parse().map_err(|_| refused())?;
        let unit = UNITS.iter().find(|(name, _)| *name == unit.trim());
        let (_, per) = unit.ok_or_else(refused)?;
        Ok(Self { calls, per: *per })
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS.iter().find(|(_, per)| *per == self.per);
        let unit = unit.map_or("second", |(name, _)| name);
        write!(f, "{}/{unit}", self.calls)
    }
}

impl fmt::Display for RateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a rate: write a number, `/` and `second`, `minute`, `hour` or `day`",
            self.0
        )
    }
}

impl std::error::Error for RateError {}
