//! The console of a program: its registry, its state and its settings.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use toolwright::{
    Registry,
    approval::ApproverKey,
    audit::{AuditError, AuditEvent, ConsoleAction, ConsoleUse},
    config::{Config, ConsoleRole},
    system,
};
use toolwright_skills::Skill;
use toolwright_state::{Health, State, StateError, StoredSession};

use crate::{address::Address, provider::Provider, pulse::Live};

/// The time within which a link must be used.
const LINK_LIFETIME: SignedDuration = SignedDuration::from_mins(10);

/// The console of a program. Cloning it is cheap.
#[derive(Clone)]
pub struct Console {
    shared: Arc<Shared>,
}

struct Shared {
    address: Address,
    registry: Registry,
    state: State,
    settings: RwLock<Arc<Settings>>,
    key: Option<ApproverKey>,
    live: Live,
}

/// The settings from the configuration. They change with a new policy.
pub(crate) struct Settings {
    /// The whole configuration.
    config: Config,
    /// The provider through which people sign in, if there is one.
    provider: Option<Arc<Provider>>,
}

/// The reason for refusing an invitation.
#[derive(Debug)]
#[non_exhaustive]
pub enum InviteError {
    /// The policy gives the person no role at the console.
    NoRole(String),
    /// The link could not be recorded, so there is none.
    Audit(AuditError),
    /// The state failed.
    State(StateError),
}

impl Console {
    /// Creates a console without an approver's key: it takes no decisions.
    #[must_use]
    pub fn new(registry: Registry, state: State, config: &Config, address: Address) -> Self {
        let settings = Arc::new(Settings::new(config, None));
        let shared = Shared {
            live: Live::default(),
            address,
            registry,
            state,
            settings: RwLock::new(settings),
            key: None,
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Signs the decisions of all persons with this key. Before the console has clones, it takes effect;
    /// afterwards it has none.
    #[must_use]
    pub fn key(mut self, key: ApproverKey) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.key = Some(key);
        }
        self
    }

    /// Takes the persons and their roles from a new configuration. Who has none there is signed out.
    pub fn reload(&self, config: &Config) {
        let settings = Arc::new(Settings::new(config, self.provider()));
        let mut held = self.shared.settings.write();
        **held.as_mut().unwrap_or_else(|error| error.get_mut()) = settings;
    }

    /// Issues a link that signs a person in once, within ten minutes.
    ///
    /// # Errors
    /// [`InviteError`] if the person has no role at the console, and if the link cannot be recorded.
    pub async fn invite(&self, person: &str) -> Result<String, InviteError> {
        let now = Timestamp::now();
        if self.settings().role_of(person).is_none() {
            return Err(InviteError::NoRole(person.to_owned()));
        }
        self.record(ConsoleAction::LinkIssued, person, None, None)
            .map_err(InviteError::Audit)?;
        let issued = self.state().issue_console_link(person, now, link_end(now));
        let issued = issued.await;
        let secret = issued.map_err(InviteError::State)?;
        let page = format!("/sign-in/{}", secret.expose());
        Ok(self.address().url(&page))
    }

    /// Returns the address of the console.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.shared.address
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.shared.registry
    }

    pub(crate) fn state(&self) -> &State {
        &self.shared.state
    }

    pub(crate) fn approver_key(&self) -> Option<&ApproverKey> {
        self.shared.key.as_ref()
    }

    pub(crate) fn live(&self) -> &Live {
        &self.shared.live
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        let held = self.shared.settings.read();
        Arc::clone(&held.unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the provider through which people sign in, if there is one.
    pub(crate) fn provider(&self) -> Option<Arc<Provider>> {
        self.settings().provider.clone()
    }

    /// Returns the path of a page, for links.
    pub(crate) fn path(&self, page: &str) -> String {
        self.address().path(page)
    }

    /// Records what a person did, besides decisions, which have events of their own.
    pub(crate) fn record(
        &self,
        action: ConsoleAction,
        person: &str,
        session: Option<&StoredSession>,
        why: Option<&str>,
    ) -> Result<(), AuditError> {
        let used = ConsoleUse {
            action,
            person: person.to_owned(),
            os_user: system::user(),
            session: session.map(|session| session.id.clone()),
            why: why.map(str::to_owned),
        };
        let event = AuditEvent::console(Timestamp::now(), used);
        self.registry().record(&event)
    }
}

/// Returns the time until which a link must be used.
pub(crate) fn link_end(now: Timestamp) -> Timestamp {
    now.saturating_add(LINK_LIFETIME).unwrap_or(now)
}

impl Settings {
    /// Takes the settings from a configuration. A provider that stays the same keeps what it has read.
    fn new(config: &Config, known: Option<Arc<Provider>>) -> Self {
        let of_config = config.console.openid.as_ref();
        let provider = of_config.map(|openid| {
            let known = known.filter(|known| known.config() == openid);
            known.unwrap_or_else(|| Arc::new(Provider::new(openid)))
        });
        Self {
            config: config.clone(),
            provider,
        }
    }

    pub(crate) const fn config(&self) -> &Config {
        &self.config
    }

    /// Returns what a person may do; none if the person may not sign in.
    pub(crate) fn role_of(&self, person: &str) -> Option<ConsoleRole> {
        self.config.console.role_of(person)
    }

    /// Returns the length of a session.
    pub(crate) const fn session(&self) -> Duration {
        self.config.console.session
    }

    /// Returns the file of the audit.
    pub(crate) fn audit_file(&self) -> &Path {
        &self.config.audit.file
    }

    /// Returns the file of the audit's key.
    pub(crate) fn audit_key(&self) -> PathBuf {
        let key = self.config.audit.options.key.clone();
        key.unwrap_or_else(|| toolwright_audit::segment::key_path(self.audit_file()))
    }

    /// Returns when a skill is deprecated by itself.
    pub(crate) const fn health(&self) -> Health {
        Health {
            runs: self.config.skills.health_runs,
            percent: self.config.skills.health_percent,
        }
    }

    /// Returns the arguments that some profile pins, which skills need not set.
    pub(crate) fn pinned(&self) -> Vec<String> {
        let policy = &self.config.policy;
        let profiles = policy.profiles.values();
        let rules = profiles.flat_map(|profile| &profile.scopes);
        let rules = rules.chain(policy.nodes.values().flatten());
        rules
            .flat_map(|rule| rule.scope.pinned.keys().cloned())
            .collect()
    }

    /// Reads the skills of the folder, and returns the faults of the other files.
    pub(crate) fn skills(&self) -> std::io::Result<(Vec<Skill>, Vec<String>)> {
        let mut skills = Vec::new();
        let mut faults = Vec::new();
        for found in toolwright_skills::find(&self.config.skills.folder)? {
            match found.skill {
                Ok(skill) => skills.push(skill),
                Err(error) => faults.extend(error.problems.iter().map(ToString::to_string)),
            }
        }
        Ok((skills, faults))
    }
}

impl fmt::Display for InviteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRole(person) => write!(f, "`{person}` has no role at the console"),
            Self::Audit(error) => write!(f, "{error}; no link was issued"),
            Self::State(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InviteError {}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console")
            .field("address", self.address())
            .finish_non_exhaustive()
    }
}
