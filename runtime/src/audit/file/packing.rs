//! Compresses closed segments and removes old ones, on a thread of its own.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, SystemTime},
};

use toolwright_audit::{
    AuditKey, Cursor, Hash, Statement, line,
    pack::{pack, remove_plain},
    segment::{Segment, closed, for_each_line, index_path},
};

use super::{AuditOptions, Spool, statements};

/// The thread, if one was started.
#[derive(Debug, Default)]
pub(super) struct Packing(Option<JoinHandle<()>>);

impl Packing {
    /// Starts the thread after the one before has ended. If none can be started, the segments stay
    /// as they are until the next file is closed.
    pub(super) fn start(&mut self, audit: &Path, key: &Arc<AuditKey>, options: &AuditOptions) {
        self.finish();
        let (audit, key): (PathBuf, _) = (audit.to_owned(), Arc::clone(key));
        let (keep, spools) = (options.keep, options.spools.clone());
        let thread = thread::Builder::new().name("toolwright-audit".to_owned());
        let work = move || {
            // The uncompressed segments can be read and verified too.
            let _ = pack_all(&audit, &key);
            let _ = keep.map(|keep| remove_old(&audit, &key, keep, &spools));
        };
        self.0 = thread.spawn(work).ok();
    }

    /// Waits until the thread has ended.
    pub(super) fn finish(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}

fn pack_all(audit: &Path, key: &AuditKey) -> io::Result<()> {
    for segment in closed(audit)?.iter().filter(|segment| !segment.packed) {
        let (seq, hash) = last_event(segment)?;
        let file = pack(audit, segment)?;
        let statement = Statement::Segment {
            segment: segment.number,
            seq,
            hash,
            file,
        };
        statements::append(audit, key, statement)?;
        remove_plain(segment)?;
    }
    Ok(())
}

/// Removes the segments whose last change is older than `keep`, after a statement about them. Those
/// that a sink has not received stay.
fn remove_old(audit: &Path, key: &AuditKey, keep: Duration, spools: &[Spool]) -> io::Result<()> {
    let segments = closed(audit)?;
    let mut received = u64::MAX;
    for spool in spools {
        received = received.min(Cursor::read(audit, &spool.sink)?.seq);
    }
    let is_old = |segment: &&Segment| {
        let modified = fs::metadata(&segment.path).and_then(|metadata| metadata.modified());
        let age = modified.map(|modified| SystemTime::now().duration_since(modified));
        matches!(age, Ok(Ok(age)) if age > keep)
    };
    let mut old = Vec::new();
    let mut last = None;
    for segment in segments.iter().take_while(is_old) {
        let (seq, hash) = last_event(segment)?;
        if seq > received {
            break;
        }
        old.push(segment);
        last = Some((segment, seq, hash));
    }
    let Some((last, seq, hash)) = last else {
        return Ok(());
    };
    let statement = Statement::Retention {
        segment: last.number,
        seq,
        hash,
    };
    statements::append(audit, key, statement)?;
    for segment in old {
        fs::remove_file(&segment.path)?;
        let _ = fs::remove_file(index_path(audit, segment.number));
    }
    Ok(())
}

/// Returns the last event of a segment and the hash of its line.
fn last_event(segment: &Segment) -> io::Result<(u64, Hash)> {
    let mut last = (0, Hash::GENESIS);
    for_each_line(&segment.path, segment.packed, |line| {
        if let Some(sealed) = line::parse(line.text) {
            last = (sealed.seq, Hash::from_content(line.text));
        }
        Ok(())
    })?;
    Ok(last)
}
