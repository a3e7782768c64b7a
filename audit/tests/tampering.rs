//! Random tampering with an audit, and with a copy of one: all of it is found, and the first event that it
//! concerns is named.
#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use toolwright_audit::{
    AuditKey, Hash, Head, Signed, Statement, line,
    pack::{pack, remove_plain},
    segment::{Segment, head_path, packed_path, plain_path, statements_path},
    verify::{FindingKind, Request, verify},
};

/// The number of tamperings.
const TAMPERINGS: u64 = 10_000;

/// The last event of each closed segment; the first two are compressed.
const SEGMENTS: [u64; 3] = [30, 55, 80];

/// The number of events.
const EVENTS: u64 = 100;

/// The events between two checkpoints.
const CHECKPOINT: u64 = 16;

fn key() -> AuditKey {
    AuditKey::from_text(&"3c".repeat(32)).unwrap()
}

/// The content of an audit: its lines by file, its head and its statements.
#[derive(Clone)]
struct Content {
    /// The lines of the closed segments and of the latest file.
    files: Vec<Vec<Vec<u8>>>,
    head: Vec<u8>,
    statements: String,
}

fn event(seq: u64) -> String {
    format!(
        "{{\"v\":3,\"time\":\"2026-11-25T16:00:{:02}Z\",\"event\":\"decision\",\"run\":\"r-{}\",\"tool\":\"get-x-y\"}}",
        seq % 60,
        seq / 7
    )
}

/// Writes an audit, and returns its content.
fn write(folder: &Path) -> Content {
    let (audit, key) = (folder.join("audit.jsonl"), key());
    let mut head = Head::empty(0);
    let mut statements = String::new();
    let mut files = vec![Vec::new()];
    let sign = |statement, head: &mut Head, statements: &mut String| {
        head.statement += 1;
        let signed = Signed::new(head.statement, Timestamp::UNIX_EPOCH, statement, &key);
        statements.push_str(&signed.encode(&key).unwrap());
    };
    for seq in 1..=EVENTS {
        let mut text = Vec::new();
        head.hash = line::seal(&mut text, &key, seq, &head.hash, &event(seq));
        head.seq = seq;
        files.last_mut().unwrap().push(text);
        let checkpoint = Statement::Checkpoint {
            seq,
            hash: head.hash,
        };
        if seq % CHECKPOINT == 0 {
            sign(checkpoint, &mut head, &mut statements);
        }
        if SEGMENTS.contains(&seq) {
            let number = head.segment;
            let segment = Segment {
                number,
                path: plain_path(&audit, number),
                packed: false,
            };
            fs::write(&segment.path, joined(files.last().unwrap())).unwrap();
            if number < 3 {
                let file = pack(&audit, &segment).unwrap();
                remove_plain(&segment).unwrap();
                let closed = Statement::Segment {
                    segment: number,
                    seq,
                    hash: head.hash,
                    file,
                };
                sign(closed, &mut head, &mut statements);
            }
            head.segment += 1;
            files.push(Vec::new());
        }
    }
    fs::write(&audit, joined(files.last().unwrap())).unwrap();
    let encoded = head.encode(&key);
    fs::write(head_path(&audit), &encoded).unwrap();
    fs::write(statements_path(&audit), &statements).unwrap();
    Content {
        files,
        head: encoded,
        statements,
    }
}

fn joined(lines: &[Vec<u8>]) -> Vec<u8> {
    let lines = lines.iter();
    lines
        .flat_map(|line| line.iter().copied().chain([b'\n']))
        .collect()
}

/// Writes the content of all files, compressed as before.
fn restore(folder: &Path, content: &Content, files: &[Option<Vec<u8>>]) {
    restore_after(folder, content, files, &mut vec![None; files.len()]);
}

/// Writes the files that differ from what is there.
fn restore_after(
    folder: &Path,
    content: &Content,
    files: &[Option<Vec<u8>>],
    there: &mut [Option<Vec<u8>>],
) {
    let audit = folder.join("audit.jsonl");
    for (index, text) in files.iter().enumerate() {
        if text.is_some() && there[index] == *text {
            continue;
        }
        there[index].clone_from(text);
        let number = index as u64 + 1;
        let plain = plain_path(&audit, number);
        let path = if index == files.len() - 1 {
            &audit
        } else {
            &plain
        };
        match text {
            None => {
                let _ = fs::remove_file(path);
                let _ = fs::remove_file(packed_path(&audit, number));
            }
            Some(text) => {
                fs::write(path, text).unwrap();
                if index < 2 {
                    let segment = Segment {
                        number,
                        path: plain,
                        packed: false,
                    };
                    pack(&audit, &segment).unwrap();
                    remove_plain(&segment).unwrap();
                }
            }
        }
    }
    fs::write(head_path(&audit), &content.head).unwrap();
    fs::write(statements_path(&audit), &content.statements).unwrap();
}

/// A tampering, and the event that must be named; none if any finding is right.
struct Tampering {
    what: String,
    files: Vec<Option<Vec<u8>>>,
    names: Option<u64>,
}

/// The place of an event: its file, and its line there.
fn place(content: &Content, seq: u64) -> (usize, usize) {
    let mut left = seq as usize - 1;
    for (file, lines) in content.files.iter().enumerate() {
        if left < lines.len() {
            return (file, left);
        }
        left -= lines.len();
    }
    panic!("no event {seq}");
}

fn texts(content: &Content) -> Vec<Option<Vec<u8>>> {
    content
        .files
        .iter()
        .map(|lines| Some(joined(lines)))
        .collect()
}

/// Tampers in a random way.
fn tamper(content: &Content, random: &mut StdRng) -> Tampering {
    let seq = random.random_range(1..=EVENTS);
    let (file, index) = place(content, seq);
    let mut changed = content.clone();
    match random.random_range(0..8) {
        0 => {
            let most = changed.files[file].len() - index;
            let number = random.random_range(1..=most.min(4));
            changed.files[file].drain(index..index + number);
            done(format!("remove {number} from {seq}"), &changed, Some(seq))
        }
        1 => {
            let mut files = texts(content);
            let before: usize = content.files[file][..index]
                .iter()
                .map(|line| line.len() + 1)
                .sum();
            let byte = before + random.random_range(0..=content.files[file][index].len());
            files[file].as_mut().unwrap()[byte] ^= random.random_range(1..=255_u8);
            let what = format!("change the byte {byte} of the file {file}, event {seq}");
            let names = Some(seq);
            Tampering { what, files, names }
        }
        2 => {
            let other = random.random_range(1..=EVENTS - 1);
            let other = if other == seq { EVENTS } else { other };
            let (first, second) = (seq.min(other), seq.max(other));
            let ((a, b), (c, d)) = (place(content, first), place(content, second));
            let line = changed.files[a][b].clone();
            changed.files[a][b] = changed.files[c][d].clone();
            changed.files[c][d] = line;
            done(format!("swap {first} and {second}"), &changed, Some(first))
        }
        3 => {
            let copied = random.random_range(1..=EVENTS);
            let (a, b) = place(content, copied);
            let line = content.files[a][b].clone();
            changed.files[file].insert(index, line);
            // A copy of an event before itself, or after itself, looks like the event.
            let names = if copied == seq || copied + 1 == seq {
                None
            } else {
                Some(seq)
            };
            done(format!("copy {copied} before {seq}"), &changed, names)
        }
        4 => {
            let forger = AuditKey::from_text(&"4d".repeat(32)).unwrap();
            let prev = line::parse(&content.files[file][index]).unwrap().prev;
            let mut forged = Vec::new();
            line::seal(&mut forged, &forger, seq, &prev, "{\"event\":\"forged\"}");
            changed.files[file].insert(index, forged);
            // Without the key, the forged event and the real one look alike.
            done(format!("forge before {seq}"), &changed, None)
        }
        5 => {
            let mut files = texts(content);
            let text = files[file].as_mut().unwrap();
            let before: usize = content.files[file][..index]
                .iter()
                .map(|line| line.len() + 1)
                .sum();
            text.truncate(before + random.random_range(0..content.files[file][index].len()));
            files[file + 1..].fill(None);
            Tampering {
                what: format!("cut off at {seq}"),
                files,
                names: Some(seq),
            }
        }
        6 => {
            let mut files = texts(content);
            files[file] = None;
            let first = line::parse(&content.files[file][0]).unwrap().seq;
            Tampering {
                what: format!("remove the file {file}"),
                files,
                names: Some(first),
            }
        }
        _ => {
            let other = (file + 1) % changed.files.len();
            changed.files.swap(file, other);
            let first = line::parse(&content.files[file.min(other)][0]).unwrap().seq;
            done(
                format!("swap the files {file} and {other}"),
                &changed,
                Some(first),
            )
        }
    }
}

fn done(what: String, changed: &Content, names: Option<u64>) -> Tampering {
    let files = texts(changed);
    Tampering { what, files, names }
}

/// Tampers with a share of the tamperings, and returns those that were not found.
fn tampered(seeds: impl Iterator<Item = u64>) -> Vec<String> {
    // A file system in memory, if there is one, does not wait for the disk.
    let memory = Path::new("/dev/shm");
    let folder = tempfile::tempdir_in(if memory.is_dir() {
        memory
    } else {
        Path::new(".")
    });
    let folder = folder.unwrap();
    let (folder, key) = (folder.path(), key());
    let content = write(folder);
    let mut missed = Vec::new();
    let mut there = texts(&content);
    for seed in seeds {
        let mut random = StdRng::seed_from_u64(seed);
        let Tampering { what, files, names } = tamper(&content, &mut random);
        restore_after(folder, &content, &files, &mut there);
        // A copy on another machine has the public key at most.
        let (secret, trusted) = match random.random_range(0..3) {
            0 => (Some(&key), Vec::new()),
            1 => (None, vec![key.public()]),
            _ => (None, Vec::new()),
        };
        let has_secret = secret.is_some();
        let request = Request {
            audit: folder.join("audit.jsonl"),
            key: secret,
            trusted,
            expected: None,
        };
        let verified = verify(&request).unwrap();
        match (verified.first_finding(), names) {
            (None, _) => missed.push(format!("{seed}: {what}: not found (secret: {has_secret})")),
            (Some(finding), Some(seq)) if finding.seq != seq => {
                missed.push(format!(
                    "{seed}: {what}: expected {seq}: {finding} (secret: {has_secret})"
                ));
            }
            _ => {}
        }
    }
    missed
}

#[test]
fn ten_thousand_random_tamperings_are_found_and_named() {
    let threads = 4;
    let missed: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|first| {
                scope.spawn(move || tampered((first..TAMPERINGS).step_by(threads as usize)))
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    let shown: Vec<_> = missed.iter().take(20).collect();
    assert!(
        missed.is_empty(),
        "{} were missed: {shown:#?}",
        missed.len()
    );
}

/// Verifies an audit with or without its secret key, and returns the first finding.
fn finding(folder: &Path, secret: bool) -> Option<(u64, FindingKind)> {
    let key = key();
    let request = Request {
        audit: folder.join("audit.jsonl"),
        key: secret.then_some(&key),
        trusted: vec![key.public()],
        expected: None,
    };
    let verified = verify(&request).unwrap();
    verified
        .first_finding()
        .map(|finding| (finding.seq, finding.kind))
}

#[test]
fn an_untouched_audit_and_its_copy_verify() {
    let folder = tempfile::tempdir().unwrap();
    let content = write(folder.path());
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    for place in [folder.path(), copy.path()] {
        assert_eq!(finding(place, true), None);
        assert_eq!(finding(place, false), None);
    }
    restore(folder.path(), &content, &texts(&content));
    assert_eq!(finding(folder.path(), true), None);
}

#[test]
fn every_changed_byte_of_a_compressed_segment_is_found() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let path = packed_path(&folder.path().join("audit.jsonl"), 2);
    let original = fs::read(&path).unwrap();
    for place in 0..original.len() {
        let mut changed = original.clone();
        changed[place] ^= 1;
        fs::write(&path, &changed).unwrap();
        let (seq, kind) = finding(folder.path(), place % 2 == 0).unwrap();
        assert!((31..=55).contains(&seq), "{place}: {seq} {kind}");
    }
}

#[test]
fn a_chain_that_was_calculated_anew_does_not_fit_the_signed_statements() {
    let folder = tempfile::tempdir().unwrap();
    let content = write(folder.path());
    let forger = AuditKey::from_text(&"4d".repeat(32)).unwrap();
    for first in [1, 20, 40, 90, EVENTS] {
        let mut changed = content.clone();
        let (file, index) = place(&content, first);
        let mut prev = line::parse(&content.files[file][index]).unwrap().prev;
        let mut head = Head::decode(&content.head, None).unwrap();
        for seq in first..=EVENTS {
            let (file, index) = place(&content, seq);
            let mut text = Vec::new();
            let forged = event(seq).replace("get-", "add-");
            prev = line::seal(&mut text, &forger, seq, &prev, &forged);
            changed.files[file][index] = text;
        }
        head.hash = prev;
        changed.head = head.encode(&forger);
        restore(folder.path(), &changed, &texts(&changed));
        for secret in [true, false] {
            let found = finding(folder.path(), secret);
            // After the last checkpoint, only the key tells a forged end from the real one.
            if first > EVENTS - EVENTS % CHECKPOINT && !secret {
                continue;
            }
            let (seq, _) = found.unwrap_or_else(|| panic!("{first} with the secret: {secret}"));
            assert!(seq <= first, "{seq} is after {first}");
        }
    }
}

#[test]
fn a_changed_head_or_statement_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let content = write(folder.path());
    let audit = folder.path().join("audit.jsonl");
    for place in 0..content.head.len() {
        let mut changed = content.head.clone();
        changed[place] ^= 1;
        fs::write(head_path(&audit), changed).unwrap();
        assert!(finding(folder.path(), true).is_some(), "{place}");
    }
    fs::remove_file(head_path(&audit)).unwrap();
    assert!(finding(folder.path(), false).is_some());
    fs::write(head_path(&audit), &content.head).unwrap();
    let lines: Vec<_> = content.statements.split_inclusive('\n').collect();
    for removed in 0..lines.len() {
        let mut left = lines.clone();
        left.remove(removed);
        fs::write(statements_path(&audit), left.concat()).unwrap();
        let (_, kind) = finding(folder.path(), false).unwrap();
        assert_eq!(kind, FindingKind::Statement, "{removed}");
    }
    for place in (0..content.statements.len()).step_by(7) {
        let mut changed = content.statements.clone().into_bytes();
        changed[place] ^= 1;
        fs::write(statements_path(&audit), changed).unwrap();
        assert!(finding(folder.path(), false).is_some(), "{place}");
    }
}

#[test]
fn a_rolled_back_audit_does_not_have_the_expected_event() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    for (seq, hash, kind) in [
        (EVENTS + 5, Hash::GENESIS, FindingKind::CutOff),
        (EVENTS - 5, Hash::GENESIS, FindingKind::Changed),
    ] {
        let request = Request {
            audit: folder.path().join("audit.jsonl"),
            key: None,
            trusted: Vec::new(),
            expected: Some((seq, hash)),
        };
        let verified = verify(&request).unwrap();
        assert_eq!(
            verified.first_finding().map(|finding| finding.kind),
            Some(kind)
        );
    }
}
