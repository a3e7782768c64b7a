//! Charts: drawings with a text for each mark, so they can be read without seeing them.

use jiff::Timestamp;
use maud::{Markup, html};

use crate::{event::Event, shown::text, time::exact};

/// The most bars of a chart.
const MOST_BARS: usize = 20;

/// The number of columns of a timeline.
const COLUMNS: usize = 60;

/// The height of a timeline.
const HEIGHT: u64 = 40;

/// A bar of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) name: String,
    /// What went well.
    pub(crate) good: u64,
    /// What was refused.
    pub(crate) bad: u64,
}

impl Bar {
    const fn total(&self) -> u64 {
        self.good.saturating_add(self.bad)
    }
}

/// Returns the largest bars, the largest first.
pub(crate) fn largest(mut bars: Vec<Bar>) -> Vec<Bar> {
    bars.sort_by(|one, other| {
        other
            .total()
            .cmp(&one.total())
            .then(one.name.cmp(&other.name))
    });
    bars.truncate(MOST_BARS);
    bars
}

/// Shows bars, each with its name and its numbers.
pub(crate) fn bars(bars: &[Bar]) -> Markup {
    let most = bars.iter().map(Bar::total).max().unwrap_or_default().max(1);
    let width = |number: u64| number.saturating_mul(100) / most;
    html! {
        @if bars.is_empty() { p.sub { "None." } } @else {
            table.chart {
                thead { tr { th { "name" } td {} th.number { "allowed" } th.number { "refused" } } }
                tbody {
                    @for bar in bars {
                        tr {
                            th.mono.break scope="row" { (text(&bar.name)) }
                            td.bar {
                                svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
                                    rect.good x="0" y="0" height="8" width=(width(bar.good)) {}
                                    rect.bad x=(width(bar.good)) y="0" height="8" width=(width(bar.bad)) {}
                                }
                            }
                            td.number { (bar.good) }
                            td.number { (bar.bad) }
                        }
                    }
                }
            }
        }
    }
}

/// Shows when events were: a column for each part of the time from the first one to the last one.
pub(crate) fn timeline(events: &[Event]) -> Markup {
    let times: Vec<(Timestamp, bool)> = events
        .iter()
        .filter_map(|event| Some((event.time()?, event.verdict().1 == Some(false))))
        .collect();
    let (first, last) = (times.iter().min(), times.iter().max());
    let (Some((first, _)), Some((last, _))) = (first, last) else {
        return html! {};
    };
    let span = last.as_second().saturating_sub(first.as_second()).max(1);
    let mut columns = [(0_u64, 0_u64); COLUMNS];
    for (time, is_bad) in &times {
        let offset = time.as_second().saturating_sub(first.as_second());
        let part = offset.saturating_mul(COLUMNS as i64 - 1) / span;
        let column = usize::try_from(part).unwrap_or_default().min(COLUMNS - 1);
        if let Some((good, bad)) = columns.get_mut(column) {
            *(if *is_bad { bad } else { good }) += 1;
        }
    }
    let most = columns
        .iter()
        .map(|(good, bad)| good + bad)
        .max()
        .unwrap_or_default()
        .max(1);
    let height = |number: u64| number * HEIGHT / most;
    html! {
        figure.timeline {
            svg viewBox={ "0 0 " (COLUMNS * 4) " " (HEIGHT) } preserveAspectRatio="none" role="img"
                aria-label={ (times.len()) " events from " (exact(*first)) " to " (exact(*last)) } {
                @for (at, (good, bad)) in columns.iter().enumerate() {
                    rect.good x=(at * 4) width="3" y=(HEIGHT - height(*good)) height=(height(*good)) {}
                    rect.bad x=(at * 4) width="3" y=(HEIGHT - height(*good) - height(*bad)) height=(height(*bad)) {}
                }
            }
            figcaption.sub { span { (exact(*first)) } span { (exact(*last)) } }
        }
    }
}
