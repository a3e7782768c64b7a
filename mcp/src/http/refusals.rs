//! The requests that were refused, as the audit records them: many of an address are one event, so
//! that a flood cannot fill the disk.

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use tokio::time::Instant;
use toolwright::{Registry, audit::AuditEvent};

use crate::{caller::Refused, notices::Notices};

/// The interval between events of one address and reason.
const INTERVAL: Duration = Duration::from_secs(30);

/// The addresses and reasons that are distinguished; further ones have no events of their own.
const KEPT: usize = 64;

/// Requests that were refused.
#[derive(Debug)]
pub(super) struct Refusals {
    registry: Registry,
    notices: Notices,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    all: u64,
    pending: BTreeMap<(IpAddr, Refused), Pending>,
    /// Those of addresses that are not kept.
    others: u64,
}

#[derive(Debug)]
struct Pending {
    last_event: Instant,
    count: u64,
    peer: SocketAddr,
}

/// An event to record.
#[derive(Debug, PartialEq, Eq)]
struct Event {
    peer: String,
    reason: &'static str,
    count: u64,
}

impl Refusals {
    /// Records to the audit of a registry.
    pub(super) fn new(registry: Registry, notices: Notices) -> Self {
        Self {
            registry,
            notices,
            kept: Mutex::default(),
        }
    }

    /// The registry of the server.
    pub(super) const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Notes that a request was refused.
    pub(super) fn note(&self, peer: SocketAddr, reason: Refused) {
        let event = self.kept().note(peer, reason, Instant::now());
        event.into_iter().for_each(|event| self.record(event));
    }

    /// Records the noted refusals that are due; at the end, all of them.
    pub(super) fn flush(&self, is_end: bool) {
        let events = self.kept().due(Instant::now(), is_end);
        events.into_iter().for_each(|event| self.record(event));
    }

    /// The number of requests that were refused since the start.
    pub(super) fn all(&self) -> u64 {
        self.kept().all
    }

    fn record(&self, event: Event) {
        let Event {
            peer,
            reason,
            count,
        } = event;
        let event = AuditEvent::login_refused(Timestamp::now(), &peer, reason, count);
        if let Err(error) = self.registry.record(&event) {
            self.notices.tell(&format!(
                "a refused login from {peer} is not recorded: {error}"
            ));
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Returns the event to record now: the first of an address is, and the next much later.
    fn note(&mut self, peer: SocketAddr, reason: Refused, now: Instant) -> Option<Event> {
        self.all += 1;
        let key = (peer.ip(), reason);
        if let Some(pending) = self.pending.get_mut(&key) {
            pending.count += 1;
            pending.peer = peer;
            return None;
        }
        if self.pending.len() >= KEPT {
            self.others += 1;
            return None;
        }
        let pending = Pending {
            last_event: now,
            count: 0,
            peer,
        };
        self.pending.insert(key, pending);
        Some(Event::new(&peer, reason, 1))
    }

    /// Returns the events that are due, and forgets addresses that were quiet.
    fn due(&mut self, now: Instant, is_end: bool) -> Vec<Event> {
        let mut events = Vec::new();
        self.pending.retain(|(_, reason), pending| {
            let is_due = is_end || now.duration_since(pending.last_event) >= INTERVAL;
            if !is_due {
                return true;
            }
            let count = std::mem::take(&mut pending.count);
            pending.last_event = now;
            if count > 0 {
                events.push(Event::new(&pending.peer, *reason, count));
            }
            count > 0
        });
        let others = std::mem::take(&mut self.others);
        if others > 0 {
            events.push(Event {
                peer: "others".to_owned(),
                reason: "many_addresses",
                count: others,
            });
        }
        events
    }
}

impl Event {
    fn new(peer: &SocketAddr, reason: Refused, count: u64) -> Self {
        Self {
            peer: peer.to_string(),
            reason: reason.as_str(),
            count,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn a_flood_makes_few_events_and_loses_none() {
        let (mut kept, start) = (Kept::default(), Instant::now());
        let mut events: Vec<Event> = Vec::new();
        for number in 0..10_000_u32 {
            let peer = (Ipv4Addr::from(0x7f00_0000 + number % 1000), 1).into();
            events.extend(kept.note(peer, Refused::WrongToken, start));
            if number % 1000 == 0 {
                events.extend(kept.due(start, false));
            }
        }
        events.extend(kept.due(start + INTERVAL, false));
        assert!(events.len() < 200, "{}", events.len());
        assert_eq!(events.iter().map(|event| event.count).sum::<u64>(), 10_000);
        assert_eq!(kept.all, 10_000);
        assert_eq!(kept.due(start + INTERVAL * 2, false), []);
        assert!(kept.pending.is_empty());
    }
}
