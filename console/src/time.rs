//! Times and durations in words.

use jiff::Timestamp;
use maud::{Markup, html};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Shows how long ago something was, with the exact time as its title.
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> Markup {
    let seconds = now.as_second().saturating_sub(then.as_second());
    let words = match seconds {
        ..5 => "just now".to_owned(),
        _ => format!("{} ago", words(seconds)),
    };
    html! { time datetime=(then) title=(exact(then)) data-since=(then.as_millisecond()) { (words) } }
}

/// Shows how long something still lasts. The page counts it down.
pub(crate) fn left(until: Timestamp, now: Timestamp) -> Markup {
    let seconds = until.as_second().saturating_sub(now.as_second());
    let words = match seconds {
        ..=0 => "expired".to_owned(),
        _ => format!("{} left", words(seconds)),
    };
    let urgency = if seconds < 2 * MINUTE {
        "left soon"
    } else {
        "left"
    };
    html! {
        time class=(urgency) datetime=(until) title=(exact(until)) data-until=(until.as_millisecond()) {
            (words)
        }
    }
}

/// Returns a time to the second.
pub(crate) fn exact(time: Timestamp) -> String {
    let text = format!("{time:.0}");
    text.replace('T', " ").replace('Z', " UTC")
}

/// Returns a duration in its largest unit.
fn words(seconds: i64) -> String {
    match seconds {
        ..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        HOUR..DAY => format!("{} h", seconds / HOUR),
        _ => format!("{} d", seconds / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_in_their_largest_unit() {
        let words = [3, 59, 60, 3_599, 3_600, 86_400 * 3].map(words);
        assert_eq!(words, ["3 s", "59 s", "1 min", "59 min", "1 h", "3 d"]);
        let time: Timestamp = "2026-11-25T09:12:40.123Z".parse().unwrap();
        assert_eq!(exact(time), "2026-11-25 09:12:40 UTC");
    }
}
