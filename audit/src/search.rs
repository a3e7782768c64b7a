//! Searches an audit.

mod latest;

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
    path::Path,
};

use jiff::Timestamp;
pub use latest::{Bounds, Latest, latest};
use memchr::memmem;

use crate::{
    Entry, gzip,
    index::Field,
    pack::index_of,
    segment::{self, Segment},
};

/// The events to find. Each part that is set must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The role.
    pub role: Option<String>,
    /// The run.
    pub run: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// The id of a call: its own events, and those of the calls that it made.
    pub call: Option<String>,
    /// The decision: `allow`, `deny`, `approved` or `rejected`.
    pub decision: Option<String>,
    /// The kind of the events.
    pub event: Option<String>,
    /// The earliest time.
    pub since: Option<Timestamp>,
    /// The time after the latest one.
    pub until: Option<Timestamp>,
}

impl Filter {
    /// Checks whether an event is to be found.
    #[must_use]
    pub fn matches(&self, entry: &Entry<'_>) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let is_of_call = self.call.as_deref().is_none_or(|call| {
            [&entry.correlation_id, &entry.parent]
                .into_iter()
                .any(|id| id.as_deref() == Some(call))
        });
        is(&self.role, entry.role.as_deref())
            && is(&self.run, entry.run.as_deref())
            && is(&self.tool, entry.tool.as_deref())
            && is(&self.decision, entry.decision.as_deref())
            && is(&self.event, Some(&entry.event))
            && is_of_call
            && self
                .since
                .is_none_or(|since| entry.time.is_some_and(|time| time >= since))
            && self
                .until
                .is_none_or(|until| entry.time.is_some_and(|time| time < until))
    }

    fn indexed(&self) -> Vec<(Field, &str)> {
        let fields = [
            (Field::Run, &self.run),
            (Field::Call, &self.call),
            (Field::Role, &self.role),
            (Field::Tool, &self.tool),
        ];
        let set = fields.into_iter();
        set.filter_map(|(field, value)| Some((field, value.as_deref()?)))
            .collect()
    }
}

/// The strings that every line that matches contains.
struct Needles(Vec<memmem::Finder<'static>>);

impl Needles {
    fn new(filter: &Filter) -> Self {
        let values = [
            &filter.run,
            &filter.call,
            &filter.role,
            &filter.tool,
            &filter.decision,
            &filter.event,
        ];
        let values = values.into_iter().flatten();
        let encoded = values.filter_map(|value| serde_json::to_string(value).ok());
        let finder = |text: String| memmem::Finder::new(text.as_bytes()).into_owned();
        Self(encoded.map(finder).collect())
    }

    fn are_in(&self, line: &[u8]) -> bool {
        self.0.iter().all(|needle| needle.find(line).is_some())
    }
}

/// Passes the lines of an audit that match a filter to `each`, in order. A line that is not an event
/// is passed over.
///
/// # Errors
/// When a file cannot be read. An error of `each` ends the search.
pub fn search(
    audit: &Path,
    filter: &Filter,
    each: &mut dyn FnMut(&str, &Entry<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let needles = Needles::new(filter);
    let mut check = |line: &[u8]| {
        if !needles.are_in(line) {
            return Ok(());
        }
        match (std::str::from_utf8(line), Entry::read(line)) {
            (Ok(text), Some(entry)) if filter.matches(&entry) => each(text, &entry),
            _ => Ok(()),
        }
    };
    for segment in segment::closed(audit)? {
        if segment.packed {
            search_packed(audit, &segment, filter, &mut check)?;
        } else {
            search_plain(&segment.path, &mut check)?;
        }
    }
    match search_plain(audit, &mut check) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        searched => searched,
    }
}

fn search_packed(
    audit: &Path,
    segment: &Segment,
    filter: &Filter,
    check: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = File::open(&segment.path)?;
    for place in blocks_of(audit, segment, filter)? {
        let content = unpack(&mut file, place)?;
        for line in content.split(|byte| *byte == b'\n') {
            check(line)?;
        }
    }
    Ok(())
}

/// Returns the places of the blocks of a compressed segment that may contain what is searched for, in
/// order.
fn blocks_of(audit: &Path, segment: &Segment, filter: &Filter) -> io::Result<Vec<Range<u64>>> {
    let index = index_of(audit, segment)?;
    let length = fs::metadata(&segment.path)?.len();
    let all = index.find(&[]);
    let mut places = Vec::new();
    for block in index.find(&filter.indexed()) {
        let is_early = filter
            .since
            .is_some_and(|since| block.latest < since.as_second());
        let is_late = filter
            .until
            .is_some_and(|until| block.earliest > until.as_second());
        if is_early || is_late {
            continue;
        }
        let next = usize::try_from(block.number)
            .ok()
            .and_then(|number| all.get(number + 1));
        places.push(block.offset..next.map_or(length, |next| next.offset));
    }
    Ok(places)
}

/// Reads a block of a compressed segment.
fn unpack(file: &mut File, place: Range<u64>) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(place.start))?;
    let mut packed = Vec::new();
    file.by_ref()
        .take(place.end.saturating_sub(place.start))
        .read_to_end(&mut packed)?;
    let mut content = Vec::new();
    gzip::decode(&packed, &mut content)?;
    Ok(content)
}

fn search_plain(path: &Path, check: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    segment::for_each_line(path, false, |line| check(line.text))
}
