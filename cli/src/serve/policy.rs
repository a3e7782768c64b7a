//! The policy in force: `toolwright.toml`, read again when it changes.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;
use tokio::sync::watch;
use toolwright::{Registry, audit::AuditEvent, config::Config, policy::LOCK_FILE};
use toolwright_mcp::PolicyStatus;
use toolwright_state::State;

use super::{fingerprint::Fingerprint, tell};
use crate::{Failure, context::ConfigSource, linked};

/// The looks after which a file that was refused is read again.
const RETRY: u32 = 8;

/// The policy of a server, and what became of the last attempt to read it again.
pub(crate) struct Policy {
    registry: Registry,
    /// The store of approvals, which takes the decisions of the policy's approvers.
    store: State,
    source: ConfigSource,
    changed: Box<dyn Fn(&Config) + Send + Sync>,
    status: watch::Sender<PolicyStatus>,
    state: Mutex<Looks>,
}

struct Looks {
    /// The file at the last read, successful or not.
    read: Seen,
    /// The file at the last check, if it has changed since.
    changed: Option<Seen>,
    /// The looks since it was last read.
    looks: u32,
}

/// The files at a moment; nothing if there are none.
type Seen = Option<PolicyFiles>;

/// The configuration, and the policy lock next to it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PolicyFiles {
    config: Fingerprint,
    lock: Option<Fingerprint>,
}

/// The file before the first read of the policy.
pub(crate) struct Before {
    source: ConfigSource,
    seen: Seen,
}

impl PolicyFiles {
    fn new(config: &Path) -> Self {
        let lock = config.with_file_name(LOCK_FILE);
        Self {
            config: Fingerprint::from_file(config),
            lock: lock.exists().then(|| Fingerprint::from_file(&lock)),
        }
    }
}

impl Before {
    /// Looks at the file.
    pub(crate) fn look(source: ConfigSource) -> Self {
        let seen = look(&source);
        Self { source, seen }
    }

    /// Returns the state of a policy that was read after this.
    pub(crate) fn status(&self) -> PolicyStatus {
        status(&self.seen)
    }

    /// Follows the file for a registry that was built of it, reports the state, and calls `changed` with
    /// each new configuration.
    pub(crate) fn follow(
        self,
        registry: Registry,
        store: State,
        status: watch::Sender<PolicyStatus>,
        changed: impl Fn(&Config) + Send + Sync + 'static,
    ) -> Policy {
        let state = Looks {
            read: self.seen,
            changed: None,
            looks: 0,
        };
        Policy {
            registry,
            store,
            source: self.source,
            changed: Box::new(changed),
            status,
            state: Mutex::new(state),
        }
    }
}

impl Policy {
    /// Reads the file again if it changed and is the same at two looks in a row: an editor may
    /// still be writing. After a failure it is read again even if it did not change, since the
    /// cause may be elsewhere.
    pub(crate) fn check(&self) {
        let seen = look(&self.source);
        let mut state = self.state();
        state.looks += 1;
        let is_settled = state.changed.as_ref() == Some(&seen);
        let is_retry = self.status.borrow().error.is_some() && state.looks >= RETRY;
        if is_retry || (is_settled && seen != state.read) {
            drop(state);
            self.reload();
        } else {
            state.changed = Some(seen);
        }
    }

    /// Reads the file again.
    pub(crate) fn reload(&self) {
        let mut seen = look(&self.source);
        let loaded = self.load(&seen);
        let mut state = self.state();
        if let (Some(before), Some(now)) = (&state.read, &mut seen)
            && loaded.is_err()
            && now.lock.is_none()
        {
            // The lock that was used last is still missing at the next look.
            now.lock.clone_from(&before.lock);
        }
        state.read.clone_from(&seen);
        state.changed = None;
        state.looks = 0;
        drop(state);
        match loaded {
            Ok(config) => self.accept(&seen, &config),
            Err(failure) => self.refuse(&seen, &failure),
        }
    }

    fn load(&self, seen: &Seen) -> Result<Config, Failure> {
        // Without a file, more may be allowed than with it.
        if seen.is_none() && self.status.borrow().digest.is_some() {
            return Err(Failure::new("toolwright.toml is gone")
                .help("restore the file, or restart the server to go on without it"));
        }
        let lock = |seen: &Seen| seen.as_ref().and_then(|files| files.lock.clone());
        if lock(seen).is_none() && lock(&self.state().read).is_some() {
            return Err(Failure::new(format!("`{LOCK_FILE}` is gone"))
                .help("restore the file, or restart the server to go on without it"));
        }
        let config = self.source.read()?;
        let reloaded = self.registry.reload(&config);
        reloaded.map_err(|error| linked::wrong(&error))?;
        self.store.set_keys(config.approvals.approver_keys());
        Ok(config)
    }

    fn accept(&self, seen: &Seen, config: &Config) {
        self.status.send_replace(status(seen));
        tell("policy reloaded");
        self.record(&AuditEvent::policy_loaded(Timestamp::now(), &digest(seen)));
        (self.changed)(config);
    }

    /// Keeps the policy, and reports each error once.
    fn refuse(&self, seen: &Seen, failure: &Failure) {
        let error = anstream::adapter::strip_str(&failure.to_string()).to_string();
        let is_new = self.status.send_if_modified(|status| {
            status.error.replace(error.clone()).as_ref() != Some(&error)
        });
        if is_new {
            tell(&format!(
                "policy not reloaded: the one read before stays in force\n{failure}"
            ));
            let (now, problems) = (Timestamp::now(), failure.number());
            self.record(&AuditEvent::policy_refused(now, &digest(seen), problems));
        }
    }

    fn record(&self, event: &AuditEvent) {
        if let Err(error) = self.registry.record(event) {
            tell(&format!("a change of the policy is not recorded: {error}"));
        }
    }

    fn state(&self) -> MutexGuard<'_, Looks> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn status(seen: &Seen) -> PolicyStatus {
    PolicyStatus::loaded_now(seen.as_ref().and_then(|files| files.config.digest()))
}

/// The digest of a file for the audit; of none it is empty.
fn digest(seen: &Seen) -> String {
    let digest = seen.as_ref().and_then(|files| files.config.digest());
    digest.unwrap_or_default()
}

fn look(source: &ConfigSource) -> Seen {
    match source.file() {
        Ok(file) => file.map(|file| PolicyFiles::new(&file)),
        Err(failure) => Some(PolicyFiles {
            config: Fingerprint::Unreadable(failure.to_string()),
            lock: None,
        }),
    }
}
