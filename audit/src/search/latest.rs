//! Searches an audit from its end.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::ControlFlow,
    path::Path,
};

use jiff::{SignedDuration, Timestamp};

use super::{Filter, Needles, blocks_of, unpack};
use crate::{
    Entry, line,
    segment::{self, Segment},
    tail::first_event,
};

/// The number of bytes that are read at once.
const BLOCK: u64 = 1 << 18;

/// The number of bytes that are read to find the time of an event.
const GLANCE: u64 = 1 << 16;

/// The most by which the time of an event may lie before that of an earlier one: several processes
/// write, and clocks are set.
const DISORDER: SignedDuration = SignedDuration::from_mins(1);

/// The greatest length of a line in bytes. What is longer is no event.
const LONGEST: usize = 1 << 24;

/// The last events of an audit that match a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Latest {
    /// The lines of the events, the newest first.
    pub lines: Vec<String>,
    /// The number of the event before which the search can go on; none if it has reached the first
    /// event.
    pub next: Option<u64>,
}

/// The bounds of a search from the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Leaves out the event with this number and all later ones.
    pub before: Option<u64>,
    /// The most events to find.
    pub most: usize,
    /// The most bytes of events to read, so that a search for what is rare ends in time.
    pub bytes: u64,
}

/// Returns the last events of an audit that match a filter, within bounds. A line that is not an event
/// is passed over.
///
/// # Errors
/// When a file cannot be read.
pub fn latest(audit: &Path, filter: &Filter, bounds: Bounds) -> io::Result<Latest> {
    let mut search = Search {
        filter,
        needles: Needles::new(filter),
        bounds,
        read: 0,
        last: None,
        is_over: false,
        found: Latest::default(),
    };
    let ended = search.files(audit)?;
    if ended.is_break() && !search.is_over {
        search.found.next = search.last;
    }
    Ok(search.found)
}

struct Search<'a> {
    filter: &'a Filter,
    needles: Needles,
    bounds: Bounds,
    read: u64,
    /// The number of the last event that was looked at.
    last: Option<u64>,
    /// True if no earlier event can match.
    is_over: bool,
    found: Latest,
}

impl Search<'_> {
    fn files(&mut self, audit: &Path) -> io::Result<ControlFlow<()>> {
        // The segments are listed after the current file was read: if it is closed in between, its
        // events are found twice rather than not at all, and the second time they are not new.
        let current = match self.plain(audit) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => ControlFlow::Continue(()),
            searched => searched?,
        };
        if current.is_break() {
            return Ok(current);
        }
        for segment in segment::closed(audit)?.iter().rev() {
            let searched = if segment.packed {
                self.packed(audit, segment)?
            } else {
                self.plain(&segment.path)?
            };
            if searched.is_break() {
                return Ok(searched);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Checks whether all events of a file are to be left out.
    fn is_late(&self, path: &Path, packed: bool) -> io::Result<bool> {
        let Some(before) = self.bounds.before else {
            return Ok(false);
        };
        let first = first_event(path, packed)?;
        Ok(first.is_some_and(|first| first >= before))
    }

    fn plain(&mut self, path: &Path) -> io::Result<ControlFlow<()>> {
        if self.is_late(path, false)? {
            return Ok(ControlFlow::Continue(()));
        }
        let mut file = File::open(path)?;
        let mut end = self.end(&mut file)?;
        // The beginning of a line that continues in the block after it.
        let mut rest: Vec<u8> = Vec::new();
        while end > 0 {
            let begin = end.saturating_sub(BLOCK);
            file.seek(SeekFrom::Start(begin))?;
            let mut content = Vec::new();
            file.by_ref().take(end - begin).read_to_end(&mut content)?;
            content.append(&mut rest);
            let mut lines = content.split(|byte| *byte == b'\n');
            let first = lines.next().unwrap_or_default();
            let oldest = lines.clone().next();
            if self.lines(&content, lines).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            if begin == 0 {
                return Ok(self.line(first));
            }
            if oldest
                .and_then(time_of)
                .is_some_and(|oldest| self.is_too_early(oldest))
            {
                self.is_over = true;
                return Ok(ControlFlow::Break(()));
            }
            rest = first.to_vec();
            if rest.len() > LONGEST {
                rest.clear();
            }
            end = begin;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Looks at the lines of a block, the last one first. If none can match, only the first event is read.
    fn lines<'b>(
        &mut self,
        content: &[u8],
        mut lines: impl DoubleEndedIterator<Item = &'b [u8]>,
    ) -> ControlFlow<()> {
        if self.needles.are_in(content) {
            while let Some(line) = lines.next_back() {
                self.line(line)?;
            }
            return ControlFlow::Continue(());
        }
        let Some(oldest) = lines.find(|line| line::parse(line).is_some()) else {
            return ControlFlow::Continue(());
        };
        let last = self.last;
        self.line(oldest)?;
        if self.last == last {
            // The whole block is to be left out.
            return ControlFlow::Continue(());
        }
        self.read += lines.map(<[u8]>::len).sum::<usize>() as u64;
        if self.read >= self.bounds.bytes {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Returns where the search of a file begins: after the last event that is not too late.
    fn end(&self, file: &mut File) -> io::Result<u64> {
        let length = file.metadata()?.len();
        let until = self.filter.until;
        let Some(until) = until.and_then(|until| until.checked_add(DISORDER).ok()) else {
            return Ok(length);
        };
        // All events from `high` on are too late.
        let (mut low, mut high) = (0, length);
        while high - low > BLOCK {
            let middle = low + (high - low) / 2;
            match event_after(file, middle, high)? {
                Some((begin, time)) if time >= until => high = begin,
                _ => low = middle,
            }
        }
        // A file may begin after all events that are not too late.
        let is_late = low == 0 && first_time(file)?.is_some_and(|first| first >= until);
        Ok(if is_late { 0 } else { high })
    }

    /// Checks whether an event, and with it all earlier ones, are before the earliest time.
    fn is_too_early(&self, time: Timestamp) -> bool {
        let since = self.filter.since;
        let since = since.and_then(|since| since.checked_sub(DISORDER).ok());
        since.is_some_and(|since| time < since)
    }

    fn packed(&mut self, audit: &Path, segment: &Segment) -> io::Result<ControlFlow<()>> {
        if self.is_late(&segment.path, true)? {
            return Ok(ControlFlow::Continue(()));
        }
        let mut file = File::open(&segment.path)?;
        for place in blocks_of(audit, segment, self.filter)?.into_iter().rev() {
            let content = unpack(&mut file, place)?;
            for line in content.rsplit(|byte| *byte == b'\n') {
                if self.line(line).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn line(&mut self, text: &[u8]) -> ControlFlow<()> {
        let Some(seq) = line::parse(text).map(|sealed| sealed.seq) else {
            return ControlFlow::Continue(());
        };
        let is_late = self.bounds.before.is_some_and(|before| seq >= before);
        let is_known = self.last.is_some_and(|last| seq >= last);
        if is_late || is_known {
            return ControlFlow::Continue(());
        }
        self.last = Some(seq);
        self.read += text.len() as u64;
        if self.needles.are_in(text)
            && let (Ok(line), Some(entry)) = (std::str::from_utf8(text), Entry::read(text))
            && self.filter.matches(&entry)
        {
            self.found.lines.push(line.to_owned());
        }
        if self.found.lines.len() >= self.bounds.most || self.read >= self.bounds.bytes {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Returns the time of the first event of a file.
fn first_time(file: &mut File) -> io::Result<Option<Timestamp>> {
    file.seek(SeekFrom::Start(0))?;
    let mut content = Vec::new();
    file.by_ref().take(GLANCE).read_to_end(&mut content)?;
    let line = content.split_inclusive(|byte| *byte == b'\n').next();
    Ok(line.filter(|line| line.ends_with(b"\n")).and_then(time_of))
}

/// Returns the first event that begins between two places of a file: its place and its time.
fn event_after(file: &mut File, from: u64, to: u64) -> io::Result<Option<(u64, Timestamp)>> {
    file.seek(SeekFrom::Start(from))?;
    let mut content = Vec::new();
    file.by_ref().take(GLANCE).read_to_end(&mut content)?;
    let mut lines = content.split_inclusive(|byte| *byte == b'\n');
    let skipped = lines.next().unwrap_or_default();
    let begin = from + skipped.len() as u64;
    let line = lines.next().filter(|line| line.ends_with(b"\n"));
    let time = line.filter(|_| begin < to).and_then(time_of);
    Ok(time.map(|time| (begin, time)))
}

fn time_of(line: &[u8]) -> Option<Timestamp> {
    Entry::read(line.trim_ascii_end())?.time
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AuditKey, Hash, pack::pack};

    /// Writes events in two closed segments and the current file.
    fn written(folder: &Path) -> std::path::PathBuf {
        let audit = folder.join("audit.jsonl");
        let key = AuditKey::from_text(&"a1".repeat(32)).unwrap();
        let mut prev = Hash::from_content(b"");
        let mut seq = 0;
        for path in [
            segment::plain_path(&audit, 1),
            segment::plain_path(&audit, 2),
            audit.clone(),
        ] {
            let mut content = Vec::new();
            for _ in 0..400 {
                seq += 1;
                let role = if seq % 100 == 0 { "rare" } else { "reader" };
                let filling = "x".repeat(1_000);
                let event = format!(
                    r#"{{"v":3,"event":"decision","role":"{role}","time":"2026-11-25T09:00:00Z","x":"{filling}"}}"#
                );
                prev = line::seal(&mut content, &key, seq, &prev, &event);
                content.push(b'\n');
            }
            std::fs::write(&path, content).unwrap();
        }
        let first = segment::closed(&audit).unwrap().remove(0);
        pack(&audit, &first).unwrap();
        std::fs::remove_file(&first.path).unwrap();
        audit
    }

    fn numbers(latest: &Latest) -> Vec<u64> {
        let lines = latest.lines.iter();
        lines
            .map(|text| line::parse(text.as_bytes()).unwrap().seq)
            .collect()
    }

    #[test]
    fn the_newest_events_are_found_first_across_all_files() {
        let folder = tempfile::tempdir().unwrap();
        let audit = written(folder.path());
        let bounds = |before, most| Bounds {
            before,
            most,
            bytes: u64::MAX,
        };
        let all = Filter::default();
        let found = latest(&audit, &all, bounds(None, 1_000)).unwrap();
        assert_eq!(numbers(&found), (201..=1_200).rev().collect::<Vec<_>>());
        assert_eq!(found.next, Some(201));
        let found = latest(&audit, &all, bounds(found.next, 1_000)).unwrap();
        assert_eq!(numbers(&found), (1..=200).rev().collect::<Vec<_>>());
        assert_eq!(found.next, None);
        let rare = Filter {
            role: Some("rare".to_owned()),
            ..Filter::default()
        };
        let found = latest(&audit, &rare, bounds(Some(1_100), 8)).unwrap();
        assert_eq!(numbers(&found), [1_000, 900, 800, 700, 600, 500, 400, 300]);
    }

    #[test]
    fn a_search_between_two_times_reads_little_else() {
        let folder = tempfile::tempdir().unwrap();
        let audit = folder.path().join("audit.jsonl");
        let key = AuditKey::from_text(&"a1".repeat(32)).unwrap();
        let mut prev = Hash::from_content(b"");
        let at = |second: u64| Timestamp::from_second(i64::try_from(second).unwrap()).unwrap();
        let mut content = Vec::new();
        for seq in 1..=6_000 {
            // A quiet hour lies in the middle.
            let time = at(seq + if seq > 3_000 { 3_600 } else { 0 });
            let filling = "x".repeat(1_000);
            let event = format!(
                r#"{{"v":3,"event":"decision","role":"reader","time":"{time}","x":"{filling}"}}"#
            );
            prev = line::seal(&mut content, &key, seq, &prev, &event);
            content.push(b'\n');
        }
        std::fs::write(&audit, content).unwrap();
        let bounds = Bounds {
            before: None,
            most: usize::MAX,
            bytes: 1 << 20,
        };
        for (since, until, expected) in [
            (1_000, 1_100, 1_000..=1_099),
            (2_990, 3_500, 2_990..=3_000),
            (3_500, 6_611, 3_001..=3_010),
            (1, 2, 1..=1),
            (9_599, 99_999, 5_999..=6_000),
        ] {
            let filter = Filter {
                since: Some(at(since)),
                until: Some(at(until)),
                ..Filter::default()
            };
            let found = latest(&audit, &filter, bounds).unwrap();
            let expected: Vec<u64> = expected.rev().collect();
            assert_eq!(numbers(&found), expected, "{since} {until}");
            assert_eq!(found.next, None, "{since} {until}");
        }
    }

    #[test]
    fn a_search_for_what_is_rare_ends_in_time_and_can_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let audit = written(folder.path());
        let nothing = Filter {
            role: Some("nobody".to_owned()),
            ..Filter::default()
        };
        let mut before = None;
        let mut rounds = 0;
        loop {
            let bounds = Bounds {
                before,
                most: 10,
                bytes: 300_000,
            };
            let found = latest(&audit, &nothing, bounds).unwrap();
            assert!(found.lines.is_empty());
            rounds += 1;
            if found.next.is_none() {
                break;
            }
            assert!(found.next < before.or(Some(u64::MAX)));
            before = found.next;
        }
        assert!(rounds > 2, "{rounds}");
    }
}
