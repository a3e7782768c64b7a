//! The open connections: at most so many, and those that proved nothing give way to new ones.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

/// The open connections of a server. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    limit: usize,
    table: Arc<Mutex<Table>>,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    /// The open connections by number, the oldest first.
    open: BTreeMap<u64, Open>,
    refused: u64,
}

#[derive(Debug)]
struct Open {
    /// True if a request of this connection was allowed.
    is_known: bool,
    /// True if it carries a stream that the client may hold without limit.
    is_stream: bool,
    closing: CancellationToken,
}

/// An open connection. It counts until it is dropped.
#[derive(Debug)]
pub(super) struct Connection {
    number: u64,
    connections: Connections,
    /// The other end.
    pub(super) peer: SocketAddr,
    closing: CancellationToken,
}

impl Connections {
    /// Allows this many connections at the same time.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            table: Arc::default(),
        }
    }

    /// Adds a connection. If there are too many, the oldest that never had a request allowed is
    /// closed for it; if there is none, the new one is refused.
    pub(super) fn open(&self, peer: SocketAddr) -> Option<Connection> {
        let mut table = self.table();
        if table.open.len() >= self.limit && !table.close_oldest_unknown() {
            table.refused += 1;
            return None;
        }
        let (number, closing) = (table.next, CancellationToken::new());
        table.next += 1;
        let open = Open {
            is_known: false,
            is_stream: false,
            closing: closing.clone(),
        };
        table.open.insert(number, open);
        Some(Connection {
            number,
            connections: self.clone(),
            peer,
            closing,
        })
    }

    /// Treats all connections as unknown again, and closes those that carry a stream which the
    /// client may hold for ever.
    pub(super) fn distrust(&self) {
        for open in self.table().open.values_mut() {
            open.is_known = false;
            if open.is_stream {
                open.closing.cancel();
            }
        }
    }

    /// The number of open connections.
    pub(super) fn number(&self) -> usize {
        self.table().open.len()
    }

    /// The number of connections that were refused since the start.
    pub(super) fn refused(&self) -> u64 {
        self.table().refused
    }

    /// The limit.
    pub(super) const fn limit(&self) -> usize {
        self.limit
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn close_oldest_unknown(&mut self) -> bool {
        let unknown = self.open.iter().find(|(_, open)| !open.is_known);
        let Some(number) = unknown.map(|(number, _)| *number) else {
            return false;
        };
        if let Some(open) = self.open.remove(&number) {
            open.closing.cancel();
        }
        true
    }
}

impl Connection {
    /// Notes that a request of this connection was allowed.
    pub(super) fn set_known(&self) {
        if let Some(open) = self.connections.table().open.get_mut(&self.number) {
            open.is_known = true;
        }
    }

    /// Notes that it carries a stream which the client may hold for ever.
    pub(super) fn set_stream(&self) {
        if let Some(open) = self.connections.table().open.get_mut(&self.number) {
            open.is_stream = true;
        }
    }

    /// Waits until the server closes it.
    pub(super) async fn closing(&self) {
        self.closing.cancelled().await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.table().open.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn open(connections: &Connections) -> Option<Connection> {
        connections.open((Ipv4Addr::LOCALHOST, 1).into())
    }

    #[test]
    fn known_connections_are_never_closed_for_new_ones() {
        let connections = Connections::new(2);
        let (known, idle) = (open(&connections).unwrap(), open(&connections).unwrap());
        known.set_known();
        let new = open(&connections).unwrap();
        assert!(idle.closing.is_cancelled());
        assert!(!known.closing.is_cancelled());
        new.set_known();
        assert!(open(&connections).is_none());
        assert_eq!((connections.number(), connections.refused()), (2, 1));
        drop(idle);
        assert_eq!(connections.number(), 2);
        drop(known);
        assert!(open(&connections).is_some());
    }

    #[test]
    fn distrust_closes_streams_and_lets_calls_end() {
        let connections = Connections::new(2);
        let (stream, call) = (open(&connections).unwrap(), open(&connections).unwrap());
        stream.set_known();
        call.set_known();
        stream.set_stream();
        connections.distrust();
        assert!(stream.closing.is_cancelled());
        assert!(!call.closing.is_cancelled());
        assert!(open(&connections).is_some(), "they give way to new ones");
    }
}
