//! Reads the events of an audit in order while it is written, across its files.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use crate::{Hash, gzip, line, segment};

/// The number of bytes that are read at once.
const BLOCK: u64 = 1 << 18;

/// The greatest length of a line in bytes. What is longer is no event.
const LONGEST: u64 = 1 << 24;

/// An event, as it is in the files.
#[derive(Clone, PartialEq, Eq)]
pub struct TailEvent {
    /// The number of the event.
    pub seq: u64,
    /// The hash of the line. It identifies the event among those of all audits.
    pub hash: Hash,
    /// The line without its newline.
    pub line: String,
}

/// Reads events one batch after another.
///
/// Lines that are no events of an audit are left out. The events are passed on as they are:
/// [`crate::verify`] finds those that were changed.
pub struct Tail {
    audit: PathBuf,
    /// The last event that was returned, or that the reading begins after.
    last: u64,
    source: Option<Source>,
}

/// The file that is read.
struct Source {
    /// The number of its first event.
    first: u64,
    content: Content,
}

enum Content {
    /// A compressed segment.
    Packed(Box<dyn BufRead + Send>),
    /// A file that may grow, and the place of the next line. It is read to its end even if it is
    /// renamed or compressed meanwhile.
    Plain { file: File, next: u64 },
}

impl Source {
    fn open(path: &Path, packed: bool, first: u64) -> io::Result<Self> {
        let file = File::open(path)?;
        let content = if packed {
            Content::Packed(Box::new(BufReader::new(gzip::reader(file)?)))
        } else {
            Content::Plain { file, next: 0 }
        };
        Ok(Self { first, content })
    }

    /// Checks whether the audit is still written to this file.
    fn is_current(&self, audit: &Path) -> io::Result<bool> {
        match self.content {
            Content::Packed(_) => Ok(false),
            Content::Plain { .. } => Ok(first_event(audit, false)? == Some(self.first)),
        }
    }
}

impl Tail {
    /// Begins after an event; after 0, with the first one in the files.
    #[must_use]
    pub fn after(audit: &Path, seq: u64) -> Self {
        Self {
            audit: audit.to_owned(),
            last: seq,
            source: None,
        }
    }

    /// Returns the next events, at most `most`, or none if there are no further ones yet. Removed
    /// events are passed over.
    ///
    /// # Errors
    /// When the files cannot be read.
    pub fn next(&mut self, most: usize) -> io::Result<Vec<TailEvent>> {
        let mut over = None;
        loop {
            let located = match self.source.take() {
                Some(source) => Some(source),
                None => self.locate(over)?,
            };
            let Some(mut source) = located else {
                return Ok(Vec::new());
            };
            let (mut events, is_end) = self.read(&mut source, most)?;
            if !is_end || source.is_current(&self.audit)? {
                self.source = Some(source);
                return Ok(events);
            }
            if events.is_empty() {
                // Lines may have been written between the end of the reading and the closing of the
                // file.
                events = self.read(&mut source, most)?.0;
            }
            if !events.is_empty() {
                return Ok(events);
            }
            over = Some(source.first);
        }
    }

    /// Returns the file with the event after the last one, or with the first event after it. After a
    /// file that is over, given by its first event, returns the one that follows it.
    fn locate(&self, over: Option<u64>) -> io::Result<Option<Source>> {
        let segments = segment::closed(&self.audit)?;
        let closed = segments.iter().map(|one| (one.path.as_path(), one.packed));
        let mut chosen = None;
        for (path, packed) in closed.chain([(self.audit.as_path(), false)]) {
            let Some(first) = first_event(path, packed)? else {
                continue;
            };
            let is_next = match over {
                Some(over) => chosen.is_none() && first > over,
                None => chosen.is_none() || first <= self.last + 1,
            };
            if is_next {
                chosen = Some((path, packed, first));
            }
        }
        let Some((path, packed, first)) = chosen else {
            return Ok(None);
        };
        match Source::open(path, packed, first) {
            // It was compressed or closed in the meantime: the next attempt finds its new name.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            source => source.map(Some),
        }
    }

    /// Reads events, and returns whether the end of the file was reached.
    fn read(&mut self, source: &mut Source, most: usize) -> io::Result<(Vec<TailEvent>, bool)> {
        let mut events = Vec::new();
        match &mut source.content {
            Content::Packed(content) => {
                let mut line = Vec::new();
                while events.len() < most {
                    line.clear();
                    if content.read_until(b'\n', &mut line)? == 0 {
                        return Ok((events, true));
                    }
                    self.add(&line, &mut events);
                }
            }
            Content::Plain { file, next } => {
                if file.metadata()?.len() < *next {
                    // It was cut off from outside, and is written to again.
                    *next = 0;
                }
                let mut limit = BLOCK;
                while events.len() < most {
                    let mut block = Vec::new();
                    file.seek(SeekFrom::Start(*next))?;
                    file.take(limit).read_to_end(&mut block)?;
                    let is_end = (block.len() as u64) < limit;
                    let length = *next;
                    for line in block.split_inclusive(|byte| *byte == b'\n') {
                        if events.len() == most || line.last() != Some(&b'\n') {
                            break;
                        }
                        *next += line.len() as u64;
                        self.add(line, &mut events);
                    }
                    if is_end {
                        return Ok((events, true));
                    }
                    if *next == length && limit < LONGEST {
                        limit *= 8;
                    } else if *next == length {
                        return Err(io::Error::other("a line of the audit is too long"));
                    }
                }
            }
        }
        Ok((events, false))
    }

    fn add(&mut self, line: &[u8], events: &mut Vec<TailEvent>) {
        let Some(text) = line.strip_suffix(b"\n") else {
            return;
        };
        let Some(seq) = line::parse(text).map(|sealed| sealed.seq) else {
            return;
        };
        let Ok(line) = std::str::from_utf8(text) else {
            return;
        };
        if seq > self.last {
            self.last = seq;
            events.push(TailEvent {
                seq,
                hash: Hash::from_content(text),
                line: line.to_owned(),
            });
        }
    }
}

/// Returns the number of the first event in a file; none if it is absent or has no event.
pub(crate) fn first_event(path: &Path, packed: bool) -> io::Result<Option<u64>> {
    let mut first = None;
    // An error ends the reading after the first event.
    let read = segment::for_each_line(path, packed, |line| {
        first = line::parse(line.text).map(|sealed| sealed.seq);
        match first {
            Some(_) => Err(io::Error::other("the first event was found")),
            None => Ok(()),
        }
    });
    match read {
        Ok(()) => Ok(None),
        Err(_) if first.is_some() => Ok(first),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;
    use crate::{AuditKey, pack::pack, segment::Segment};

    /// An audit that a test writes.
    struct Written {
        folder: tempfile::TempDir,
        key: AuditKey,
        last: (u64, Hash),
    }

    impl Written {
        fn new() -> Self {
            Self {
                folder: tempfile::tempdir().unwrap(),
                key: AuditKey::from_text(&"a1".repeat(32)).unwrap(),
                last: (0, Hash::GENESIS),
            }
        }

        fn audit(&self) -> PathBuf {
            self.folder.path().join("audit.jsonl")
        }

        fn append(&mut self, events: u64) {
            let mut text = Vec::new();
            for _ in 0..events {
                let seq = self.last.0 + 1;
                let hash = line::seal(&mut text, &self.key, seq, &self.last.1, r#"{"v":3}"#);
                text.extend_from_slice(b"\n");
                self.last = (seq, hash);
            }
            self.write(&text);
        }

        fn write(&self, text: &[u8]) {
            let mut options = fs::OpenOptions::new();
            let mut file = options
                .append(true)
                .create(true)
                .open(self.audit())
                .unwrap();
            file.write_all(text).unwrap();
        }

        fn rotate(&self, number: u64) -> Segment {
            let path = segment::plain_path(&self.audit(), number);
            fs::rename(self.audit(), &path).unwrap();
            Segment {
                number,
                path,
                packed: false,
            }
        }
    }

    fn numbers(tail: &mut Tail, most: usize) -> Vec<u64> {
        let events = tail.next(most).unwrap();
        events.iter().map(|event| event.seq).collect()
    }

    #[test]
    fn events_are_read_in_order_across_files_while_they_are_written() {
        let mut written = Written::new();
        let mut tail = Tail::after(&written.audit(), 0);
        assert!(numbers(&mut tail, 10).is_empty());
        written.append(3);
        assert_eq!(numbers(&mut tail, 2), [1, 2]);
        assert_eq!(numbers(&mut tail, 2), [3]);
        assert!(numbers(&mut tail, 2).is_empty());
        written.append(1);
        let first = written.rotate(1);
        written.append(2);
        assert_eq!(numbers(&mut tail, 9), [4]);
        assert_eq!(numbers(&mut tail, 9), [5, 6]);
        pack(&written.audit(), &first).unwrap();
        fs::remove_file(&first.path).unwrap();
        written.rotate(2);
        written.append(1);
        let mut again = Tail::after(&written.audit(), 2);
        let mut all = Vec::new();
        while let events @ [_, ..] = numbers(&mut again, 9).as_slice() {
            all.extend_from_slice(events);
        }
        assert_eq!(all, [3, 4, 5, 6, 7]);
        assert_eq!(numbers(&mut tail, 9), [7]);
    }

    #[test]
    fn an_incomplete_line_waits_and_a_foreign_one_is_left_out() {
        let mut written = Written::new();
        written.append(1);
        written.write(b"{}\n");
        let mut tail = Tail::after(&written.audit(), 0);
        assert_eq!(numbers(&mut tail, 9), [1]);
        let mut text = Vec::new();
        let last = written.last;
        line::seal(&mut text, &written.key, 2, &last.1, r#"{"v":3}"#);
        written.write(&text[..40]);
        assert!(numbers(&mut tail, 9).is_empty());
        written.write(&text[40..]);
        written.write(b"\n");
        let events = tail.next(9).unwrap();
        assert_eq!(events[0].line.as_bytes(), text);
        assert_eq!(events[0].hash, Hash::from_content(&text));
    }

    #[test]
    fn a_long_backlog_is_read_in_batches() {
        let mut written = Written::new();
        written.append(5_000);
        let mut tail = Tail::after(&written.audit(), 0);
        let mut next = 1;
        loop {
            let events = numbers(&mut tail, 700);
            if events.is_empty() {
                break;
            }
            for seq in events {
                assert_eq!(seq, next);
                next += 1;
            }
        }
        assert_eq!(next, 5_001);
    }
}
