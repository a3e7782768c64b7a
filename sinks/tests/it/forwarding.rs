//! The forwarder: its cursor, and what it does after the audit or the destination has changed.
#![cfg(test)]

use std::{
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::sleep;
use toolwright_audit::{Cursor, TailEvent};
use toolwright_sinks::{Delivery, Forwarder, Sink, SinkError};

use crate::support::Place;

/// Keeps the numbers of the events, and fails if it is told to.
#[derive(Clone, Default)]
struct Kept {
    numbers: Arc<Mutex<Vec<u64>>>,
    instances: Arc<Mutex<Vec<String>>>,
    fails: Arc<Mutex<bool>>,
    attempts: Arc<AtomicUsize>,
}

impl Sink for Kept {
    fn deliver<'a>(&'a mut self, instance: &'a str, events: &'a [TailEvent]) -> Delivery<'a> {
        Box::pin(async move {
            self.attempts.fetch_add(1, Ordering::SeqCst);
            if *self.fails.lock().unwrap() {
                return Err(SinkError("it is away".to_owned()));
            }
            self.instances.lock().unwrap().push(instance.to_owned());
            let numbers = events.iter().map(|event| event.seq);
            self.numbers.lock().unwrap().extend(numbers);
            Ok(())
        })
    }
}

impl Kept {
    fn take(&self) -> Vec<u64> {
        std::mem::take(&mut *self.numbers.lock().unwrap())
    }

    fn forwarder(&self, place: &Place, destination: &str) -> Forwarder {
        Forwarder::new(
            &place.audit.file,
            "kept",
            destination,
            Box::new(self.clone()),
        )
    }
}

#[tokio::test]
async fn a_forwarder_continues_after_its_cursor_and_one_forwards_at_a_time() {
    let place = Place::new("");
    let kept = Kept::default();
    let audit = place.audit.open();
    place.record(&audit, 2);
    let mut first = kept.forwarder(&place, "here");
    assert_eq!(first.drain().await, Ok(Some(2)));
    place.record(&audit, 1);
    *kept.fails.lock().unwrap() = true;
    assert!(first.drain().await.is_err());
    *kept.fails.lock().unwrap() = false;
    let mut other = kept.forwarder(&place, "here");
    assert_eq!(other.drain().await, Ok(Some(1)));
    assert_eq!(kept.take(), [1, 2, 3]);
    let key = fs::read_to_string(place.audit.file.with_extension("jsonl.key")).unwrap();
    let key = toolwright_audit::AuditKey::from_text(key.lines().next().unwrap()).unwrap();
    assert!(
        kept.instances
            .lock()
            .unwrap()
            .iter()
            .all(|name| name == key.id())
    );

    let running = tokio::spawn(kept.forwarder(&place, "here").run());
    crate::support::until("it has the lock", || {
        let file = fs::File::open(Cursor::path(&place.audit.file, "kept")).unwrap();
        file.try_lock().is_err()
    })
    .await;
    assert_eq!(other.drain().await, Ok(None));
    running.abort();
}

#[tokio::test]
async fn another_destination_or_audit_receives_everything() {
    let place = Place::new("");
    let kept = Kept::default();
    place.record(&place.audit.open(), 3);
    kept.forwarder(&place, "here").drain().await.unwrap();
    assert_eq!(kept.take(), [1, 2, 3]);
    kept.forwarder(&place, "there").drain().await.unwrap();
    assert_eq!(kept.take(), [1, 2, 3]);
    // The audit was moved away, and the cursor was forgotten.
    for ending in ["", ".head", ".key", ".statements"] {
        let _ = fs::remove_file(format!("{}{ending}", place.audit.file.display()));
    }
    place.record(&place.audit.open(), 2);
    kept.forwarder(&place, "there").drain().await.unwrap();
    assert_eq!(kept.take(), [1, 2]);
    for ending in ["", ".head", ".key", ".statements"] {
        let _ = fs::remove_file(format!("{}{ending}", place.audit.file.display()));
    }
    place.record(&place.audit.open(), 5);
    kept.forwarder(&place, "there").drain().await.unwrap();
    assert_eq!(kept.take(), [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn events_of_closed_files_are_forwarded_and_wait_for_the_sink() {
    let place = Place::new("");
    let kept = Kept::default();
    let mut options = place.audit.options.clone();
    options.segment_bytes = 2_000;
    let audit = toolwright::audit::AuditFile::new(&place.audit.file).options(options);
    place.record(&audit, 30);
    drop(audit);
    kept.forwarder(&place, "here").drain().await.unwrap();
    assert_eq!(kept.take(), (1..=30).collect::<Vec<u64>>());
}

/// The clock of the test is advanced, so the minute takes no time and has all pauses of the forwarder. The
/// tests with real servers cut a wire for two seconds.
#[tokio::test(start_paused = true)]
async fn a_sink_that_is_away_for_a_minute_loses_nothing() {
    let place = Place::new("");
    let kept = Kept::default();
    *kept.fails.lock().unwrap() = true;
    let audit = place.audit.open();
    place.record(&audit, 100);
    let forwarder = kept.forwarder(&place, "here");
    let status = forwarder.status();
    let running = tokio::spawn(forwarder.run());
    sleep(Duration::from_secs(30)).await;
    place.record(&audit, 700);
    sleep(Duration::from_secs(30)).await;
    assert!(kept.take().is_empty());
    assert!(status.borrow().error.is_some());
    // It was asked again, with growing pauses.
    let attempts = kept.attempts.load(Ordering::SeqCst);
    assert!((5..15).contains(&attempts), "{attempts}");
    *kept.fails.lock().unwrap() = false;
    // The longest pause is ten seconds.
    sleep(Duration::from_secs(11)).await;
    assert_eq!(kept.take(), (1..=800).collect::<Vec<u64>>());
    assert_eq!(status.borrow().error, None);
    running.abort();
}
