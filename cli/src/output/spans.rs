//! The spans of calls and requests on standard error, for `-v` and `-vv`.

use std::io::{self, Write};

use tracing::{Level, subscriber::set_global_default};
use tracing_subscriber::{
    filter::Targets, fmt, fmt::format::FmtSpan, layer::SubscriberExt, registry,
};

use super::error_line;

/// The target of Toolwright's own spans. Other crates log headers, which hold secrets.
const OWN: &str = "toolwright";

/// Writes each line to standard error, with its invisible characters shown.
struct Lines;

/// Prints each call and request when it ends, and with `-vv` also when it begins.
pub(crate) fn print_spans(verbosity: u8) {
    let events = match verbosity {
        0 => return,
        1 => FmtSpan::CLOSE,
        _ => FmtSpan::NEW | FmtSpan::CLOSE,
    };
    let lines = fmt::layer()
        .with_ansi(false)
        .with_target(false)
        .with_span_events(events)
        .with_writer(|| Lines);
    let spans = registry()
        .with(Targets::new().with_target(OWN, Level::TRACE))
        .with(lines);
    // A program with a subscriber of its own keeps it.
    let _ = set_global_default(spans);
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        error_line(String::from_utf8_lossy(bytes).trim_end());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
