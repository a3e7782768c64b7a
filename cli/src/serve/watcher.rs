//! Reads the policy and the token again: every quarter of a second if they changed, and at once on
//! SIGHUP, which reads the custom tools too. What a person accepts of mounted servers is read like the policy.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::{
    sync::watch,
    task::spawn_blocking,
    time::{MissedTickBehavior, interval},
};

use toolwright_mcp::Access;

#[cfg(feature = "generator")]
use super::mounted::MountReload;
use super::{custom::CustomReload, policy::Policy, tell, token::TokenFile};

/// The interval between two checks of the files.
const INTERVAL: Duration = Duration::from_millis(250);

/// Follows the files that the operator may change while the server runs.
pub(crate) struct Watcher {
    policy: Arc<Policy>,
    token: Option<Arc<FollowedToken>>,
    custom: Arc<Mutex<Option<CustomReload>>>,
    #[cfg(feature = "generator")]
    mounted: Arc<Mutex<Option<MountReload>>>,
    hangup: Hangup,
}

/// A token file, and who may use the server by it.
struct FollowedToken {
    file: TokenFile,
    access: watch::Sender<Access>,
}

/// Listens for SIGHUP.
struct Hangup {
    #[cfg(unix)]
    signal: Signal,
}

impl Watcher {
    /// Follows the policy.
    pub(crate) fn new(policy: Arc<Policy>) -> io::Result<Self> {
        Ok(Self {
            policy,
            token: None,
            custom: Arc::default(),
            #[cfg(feature = "generator")]
            mounted: Arc::default(),
            hangup: Hangup::listen()?,
        })
    }

    /// Reads the custom tools again on SIGHUP, too.
    pub(super) fn with_tools(mut self, custom: Option<CustomReload>) -> Self {
        self.custom = Arc::new(Mutex::new(custom));
        self
    }

    /// Follows the mounted servers, too.
    #[cfg(feature = "generator")]
    pub(super) fn with_mounts(mut self, mounted: Option<MountReload>) -> Self {
        self.mounted = Arc::new(Mutex::new(mounted));
        self
    }

    /// Follows a token file, too.
    pub(super) fn with_token(mut self, file: TokenFile, access: watch::Sender<Access>) -> Self {
        self.token = Some(Arc::new(FollowedToken { file, access }));
        self
    }

    /// Follows the files until it is dropped.
    pub(crate) async fn run(mut self) {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let at_once = tokio::select! {
                _ = ticks.tick() => false,
                () = self.hangup.received() => true,
            };
            let (policy, token) = (Arc::clone(&self.policy), self.token.clone());
            let custom = Arc::clone(&self.custom);
            #[cfg(feature = "generator")]
            let mounted = Arc::clone(&self.mounted);
            let look = spawn_blocking(move || {
                token.iter().for_each(|token| token.check());
                #[cfg(feature = "generator")]
                check_mounts(&mounted, at_once);
                if at_once {
                    // A new policy may name new tools.
                    let mut custom = custom.lock().unwrap_or_else(PoisonError::into_inner);
                    custom.iter_mut().for_each(CustomReload::reload);
                    policy.reload();
                } else {
                    policy.check();
                }
            });
            // A look is cancelled, not failed, when the server ends.
            if look.await.is_err_and(|error| error.is_panic()) {
                tell("policy not reloaded: reading it failed");
            }
        }
    }
}

#[cfg(feature = "generator")]
fn check_mounts(mounted: &Mutex<Option<MountReload>>, at_once: bool) {
    let mut mounted = mounted.lock().unwrap_or_else(PoisonError::into_inner);
    match mounted.as_mut() {
        Some(mounted) if at_once => mounted.check_all(),
        Some(mounted) => mounted.check(),
        None => {}
    }
}

impl FollowedToken {
    /// Reads the token again. Without one no client may use the server.
    fn check(&self) {
        let (access, failure) = match self.file.read() {
            Ok(token) => (Access::Token(token), None),
            Err(failure) => (Access::Nobody, Some(failure)),
        };
        let changed = self.access.send_if_modified(|now| {
            let changed = *now != access;
            *now = access;
            changed
        });
        match failure {
            _ if !changed => {}
            None => tell("the token has changed: the old one is refused from now on"),
            Some(failure) => tell(&format!(
                "all requests are refused: there is no token to compare with\n{failure}"
            )),
        }
    }
}

#[cfg(unix)]
impl Hangup {
    fn listen() -> io::Result<Self> {
        let signal = signal(SignalKind::hangup())?;
        Ok(Self { signal })
    }

    async fn received(&mut self) {
        if self.signal.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(not(unix))]
impl Hangup {
    fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    async fn received(&mut self) {
        std::future::pending::<()>().await;
    }
}
