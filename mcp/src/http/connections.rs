//! The open connections: at most so many, and those that proved nothing give way to new ones.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

use crate::{admission::Admission, shares::has_its_share};

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
    /// The client of the last request that was allowed.
    client: Option<Admission>,
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
            client: None,
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

    /// Treats the connections of clients that may not use the server any more as unknown, and closes
    /// those among them that carry a stream which the client may hold for ever.
    pub(super) fn distrust_invalid(&self) {
        for open in self.table().open.values_mut() {
            if open.client.take_if(|client| !client.is_valid()).is_some() {
                open.close_stream();
            }
        }
    }

    /// Closes the connections that carry a stream which the client may hold for ever.
    pub(super) fn close_streams(&self) {
        self.table().open.values().for_each(Open::close_stream);
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

impl Open {
    fn close_stream(&self) {
        if self.is_stream {
            self.closing.cancel();
        }
    }
}

impl Table {
    fn close_oldest_unknown(&mut self) -> bool {
        let unknown = self.open.iter().find(|(_, open)| open.client.is_none());
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
    /// Notes that a request of this connection was allowed. Returns false if the client has as many other
    /// connections as one client may have.
    #[must_use]
    pub(super) fn set_client(&self, client: Admission) -> bool {
        let mut table = self.connections.table();
        let others = table.open.iter();
        let others = others.filter(|(number, _)| **number != self.number);
        let clients = others.filter_map(|(_, open)| open.client.as_ref());
        if has_its_share(&client, clients, self.connections.limit) {
            return false;
        }
        if let Some(open) = table.open.get_mut(&self.number) {
            open.client = Some(client);
        }
        true
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

    use jiff::Timestamp;
    use tokio::sync::watch;

    use super::*;
    use crate::{access::Access, caller::Token};

    const HEADER: Option<&str> = Some("Bearer 0123456789abcdef");

    fn open(connections: &Connections) -> Option<Connection> {
        connections.open((Ipv4Addr::LOCALHOST, 1).into())
    }

    /// A client, and the access that can end its admission.
    fn client() -> (Admission, watch::Sender<Access>) {
        let token = Token::new("0123456789abcdef").unwrap();
        let access = watch::Sender::new(Access::Token(token));
        let caller = access.borrow().admit(HEADER, Timestamp::now()).unwrap();
        (Admission::new(caller, access.subscribe()), access)
    }

    #[test]
    fn known_connections_are_never_closed_for_new_ones() {
        let connections = Connections::new(2);
        let (known, idle) = (open(&connections).unwrap(), open(&connections).unwrap());
        let (client, _access) = client();
        assert!(known.set_client(client.clone()));
        let new = open(&connections).unwrap();
        assert!(idle.closing.is_cancelled());
        assert!(!known.closing.is_cancelled());
        assert!(new.set_client(client));
        assert!(open(&connections).is_none());
        assert_eq!((connections.number(), connections.refused()), (2, 1));
        drop(idle);
        assert_eq!(connections.number(), 2);
        drop(known);
        assert!(open(&connections).is_some());
    }

    #[test]
    fn a_client_cannot_hold_the_connections_of_others() {
        let connections = Connections::new(4);
        let [one, other] = ["one", "other"].map(Admission::with_name);
        let own = [(); 3].map(|()| open(&connections).unwrap());
        let held = own.each_ref().map(|own| own.set_client(one.clone()));
        assert_eq!(held, [true, true, false]);
        assert!(own[0].set_client(one.clone()), "it is the client's already");
        // The connection beyond the share gives way.
        let others = [(); 2].map(|()| open(&connections).unwrap());
        assert!(own[2].closing.is_cancelled());
        assert!(others.iter().all(|others| others.set_client(other.clone())));
    }

    #[test]
    fn streams_of_clients_that_left_are_closed_and_calls_end() {
        let connections = Connections::new(3);
        let opened = [(); 3].map(|()| open(&connections).unwrap());
        let [stream, call, other] = &opened;
        let (left, access) = client();
        let (stays, _access) = client();
        assert!(stream.set_client(left.clone()));
        assert!(call.set_client(left));
        assert!(other.set_client(stays));
        stream.set_stream();
        other.set_stream();
        connections.distrust_invalid();
        assert!(!stream.closing.is_cancelled());
        access.send_replace(Access::Nobody);
        connections.distrust_invalid();
        assert!(stream.closing.is_cancelled());
        assert!(!call.closing.is_cancelled());
        assert!(!other.closing.is_cancelled());
        assert!(open(&connections).is_some(), "they give way to new ones");
    }
}
