//! Credentials from real servers: the secret store OpenBao, and an authorization server.
//!
//! `TOOLWRIGHT_REAL=1` enables the tests. Scripts in `tests/real/credentials` install and start the
//! servers.
#![cfg(test)]
#![cfg(unix)]

mod desk;
mod keyring;
mod oauth;
mod openbao;
mod resource;

use std::sync::{Arc, Mutex, Weak};

use toolwright_tests::real::{Real, RealService, Started};

/// A server that the tests of this program share. It ends with the last test that uses it.
struct Shared(Mutex<Weak<Started>>);

impl Shared {
    const fn new() -> Self {
        Self(Mutex::new(Weak::new()))
    }

    /// Returns the running server, or starts it; none if these tests are not enabled.
    fn start(&'static self, service: RealService) -> Option<Lease> {
        let real = Real::if_enabled_with("credentials")?;
        let mut shared = self.0.lock().unwrap();
        let started = shared.upgrade().unwrap_or_else(|| {
            let started = Arc::new(real.start(service).unwrap());
            *shared = Arc::downgrade(&started);
            started
        });
        Some(Lease {
            shared: self,
            started: Some(started),
        })
    }
}

/// The use of a shared server by one test.
struct Lease {
    shared: &'static Shared,
    started: Option<Arc<Started>>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        // No other test may find a server that is about to end.
        let _shared = self.shared.0.lock();
        self.started.take();
    }
}
