//! A mounted server: its connection, which is made again after a failure, and the check of its definitions.

use std::{error, fmt, sync::Arc, time::Duration};

use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};
use toolwright::{
    ServiceName, ToolError,
    audit::{AuditEvent, DefinitionChanged},
    config::McpConfig,
    error::TransportFault,
    jiff::Timestamp,
};
use toolwright_sandbox::Sandbox;

use crate::{
    client::{Client, OnEvent},
    connect::{Live, Unavailable},
    document::Document,
    listing::Listing,
    lock::Lock,
    standing::Withdrawn,
};

/// The time before the first attempt after a failure. It doubles with each failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The longest time before an attempt.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The time that a connection must last so that its end is not one failure more.
const LASTING: Duration = Duration::from_secs(60);

/// The time after which a call lists the tools again, to notice a change that was not announced.
const RECHECK: Duration = Duration::from_secs(60);

/// A mounted server. Cloning it is cheap.
#[derive(Clone)]
pub struct Mount(Arc<Inner>);

struct Inner {
    service: ServiceName,
    config: McpConfig,
    lock: Lock,
    withdrawn: Withdrawn,
    sandbox: Sandbox,
    connection: Mutex<Connection>,
    on_event: Arc<OnEvent>,
}

/// The state of the connection.
#[derive(Debug, Default)]
struct Connection {
    live: Option<Arc<Live>>,
    /// The time at which the live connection was made.
    since: Option<Instant>,
    /// The time at which its tools were listed.
    listed: Option<Instant>,
    failures: u32,
    /// The time before which there is no further attempt, and the reason of the last failure.
    pause: Option<(Instant, Unavailable)>,
}

/// The reason why a server's tools cannot be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountError {
    message: String,
}

impl Mount {
    /// Creates a mount. Nothing is started before a call or a list needs it. `on_event` receives the
    /// events of no call: each tool whose definition is not the accepted one, once, and the requests of the server.
    #[must_use]
    pub fn new(
        service: ServiceName,
        config: McpConfig,
        lock: Lock,
        document: &Document,
        on_event: impl Fn(AuditEvent) + Send + Sync + 'static,
    ) -> Self {
        let unaccepted = document.definitions();
        let unaccepted = unaccepted.filter(|definition| !lock.accepts(definition));
        let unaccepted = unaccepted.map(|definition| definition.name().to_owned());
        let withdrawn = Withdrawn::new(unaccepted.chain(lock.unlike(document)));
        Self(Arc::new(Inner {
            service,
            config,
            lock,
            withdrawn,
            sandbox: Sandbox::new(),
            connection: Mutex::default(),
            on_event: Arc::new(on_event),
        }))
    }

    /// Starts programs in another sandbox. A mount that is shared already keeps its own.
    #[must_use]
    pub fn with_sandbox(mut self, sandbox: Sandbox) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.sandbox = sandbox;
        }
        self
    }

    /// Returns the tools that the server lists now.
    ///
    /// # Errors
    /// [`MountError`] if it cannot be reached, or its list is not valid.
    pub async fn listing(&self) -> Result<Listing, MountError> {
        let live = self.live().await?;
        Ok(self.list(&live).await?)
    }

    /// Connects to the server and compares its definitions with the accepted ones.
    ///
    /// # Errors
    /// [`MountError`] if it cannot be reached, or its list is not valid.
    pub async fn check(&self) -> Result<(), MountError> {
        self.live().await?;
        Ok(())
    }

    /// Checks whether a person accepted tools of the server.
    #[must_use]
    pub fn has_tools(&self) -> bool {
        self.0.lock.tools().next().is_some()
    }

    /// Returns the number of tools that are off because of their definitions.
    #[must_use]
    pub fn withdrawn(&self) -> usize {
        self.0.withdrawn.len()
    }

    pub(crate) fn service(&self) -> &ServiceName {
        &self.0.service
    }

    pub(crate) fn config(&self) -> &McpConfig {
        &self.0.config
    }

    /// Returns the tools that are off, and whether a person accepted a definition of this one.
    pub(crate) fn standing(&self, tool: &str) -> (Withdrawn, bool) {
        (self.0.withdrawn.clone(), self.0.lock.get(tool).is_some())
    }

    /// Checks whether the definition of a tool is not the accepted one.
    pub(crate) fn is_withdrawn(&self, tool: &str) -> bool {
        self.0.withdrawn.contains(tool)
    }

    /// Returns the error of a call for a server that cannot be used.
    pub(crate) fn unavailable(&self, reason: Unavailable) -> ToolError {
        reason.into_error(self.service().as_str())
    }

    /// Returns a connection whose definitions were compared with the accepted ones.
    pub(crate) async fn live(&self) -> Result<Arc<Live>, Unavailable> {
        let mut connection = self.0.connection.lock().await;
        connection.notice_end();
        if let Some(live) = connection.live.clone() {
            let announced = live.service().service().take_change();
            let is_old = connection.listed.is_none_or(|at| at.elapsed() >= RECHECK);
            if announced || is_old {
                self.compare(&live, &mut connection).await?;
            }
            return Ok(live);
        }
        if let Some((until, reason)) = &connection.pause
            && *until > Instant::now()
        {
            return Err(reason.clone());
        }
        let (service, granted) = (self.0.service.clone(), self.0.config.requests.clone());
        let client = Client::new(service, granted, Arc::clone(&self.0.on_event));
        match Live::connect(&self.0.config, &self.0.sandbox, client).await {
            Ok(live) => {
                let live = Arc::new(live);
                self.compare(&live, &mut connection).await?;
                connection.since = Some(Instant::now());
                connection.live = Some(Arc::clone(&live));
                Ok(live)
            }
            Err(reason) => {
                connection.fail(reason.clone());
                Err(reason)
            }
        }
    }

    /// Switches the tools off whose definitions are not the accepted ones. A connection whose tools cannot
    /// be listed is not used.
    async fn compare(&self, live: &Live, connection: &mut Connection) -> Result<(), Unavailable> {
        match self.list(live).await {
            Ok(listing) => {
                self.withdraw_changed(&listing);
                connection.listed = Some(Instant::now());
                Ok(())
            }
            Err(reason) => {
                connection.fail(reason.clone());
                Err(reason)
            }
        }
    }

    async fn list(&self, live: &Live) -> Result<Listing, Unavailable> {
        let config = &self.0.config;
        let listing = Listing::read(live.service().peer(), config.most_tools);
        timeout(config.start, listing).await.unwrap_or_else(|_| {
            let seconds = config.start.as_secs();
            let message = format!("it did not list its tools within {seconds} s (`start_seconds`)");
            Err(Unavailable::new(TransportFault::Timeout, message))
        })
    }

    fn withdraw_changed(&self, listing: &Listing) {
        for (tool, accepted) in self.0.lock.tools() {
            let digest = listing.definitions.get(tool).map(|found| found.digest());
            let is_same = digest.as_ref() == Some(&accepted.definition);
            if !is_same && self.0.withdrawn.add(tool) {
                let changed = DefinitionChanged {
                    service: self.0.service.clone(),
                    mounted_tool: tool.to_owned(),
                    definition: digest,
                };
                (self.0.on_event)(AuditEvent::definition_changed(Timestamp::now(), changed));
            }
        }
    }
}

impl Connection {
    /// Notices that the connection has ended. The next attempt is later if it has not lasted.
    fn notice_end(&mut self) {
        if !self.live.as_ref().is_some_and(|live| live.is_closed()) {
            return;
        }
        let lasted = self.since.is_some_and(|since| since.elapsed() >= LASTING);
        if lasted {
            self.failures = 0;
        }
        self.fail(Unavailable::broken("the connection broke"));
    }

    fn fail(&mut self, reason: Unavailable) {
        let pause = FIRST_PAUSE.saturating_mul(1 << self.failures.min(6));
        let until = Instant::now() + pause.min(LONGEST_PAUSE);
        self.failures = self.failures.saturating_add(1);
        self.live = None;
        self.listed = None;
        self.pause = Some((until, reason));
    }
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mount")
            .field("service", &self.0.service)
            .finish_non_exhaustive()
    }
}

impl From<Unavailable> for MountError {
    fn from(reason: Unavailable) -> Self {
        Self {
            message: reason.message,
        }
    }
}

/// Continues "the server cannot be used: …".
impl fmt::Display for MountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl error::Error for MountError {}
