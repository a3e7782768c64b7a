//! A role's view of the registry: all that an agent gets to hold.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::{Map, Value};
use toolwright_model::{Role, ServiceName, ToolName, ToolSpec};
use uuid::Uuid;

use crate::{
    Paged, ToolCall,
    audit::ClientContext,
    call::{self, Artifact, Asked},
    credentials::Credentials,
    eab::RunContext,
    error::ToolError,
    pages::{Items, Pages},
    pins,
    registry::{Core, Entry},
    tool::{Action, ToolOutput},
};

/// What an agent of one role can list and call: the tools that the role was granted and that are
/// on, and no others. Cloning it is cheap.
#[derive(Clone)]
pub struct ScopedToolView {
    core: Arc<Core>,
    scope: Scope,
}

/// Who asks, and what this run is narrowed to.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) role: Role,
    /// The number of the view, used to revoke it.
    pub(crate) number: u64,
    pub(crate) allow_list: Option<BTreeSet<String>>,
    pub(crate) run: Arc<RunContext>,
    /// The call that calls through this view, if a tool does.
    pub(crate) parent: Option<Uuid>,
    /// Through how many tools a call comes.
    pub(crate) depth: usize,
    pub(crate) client: Arc<ClientContext>,
}

impl ScopedToolView {
    pub(crate) fn new(core: Arc<Core>, role: Role) -> Self {
        let scope = Scope {
            role,
            number: core.revocations.issue(),
            allow_list: None,
            run: Arc::default(),
            parent: None,
            depth: 0,
            client: Arc::default(),
        };
        Self { core, scope }
    }

    pub(crate) const fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(crate) const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The same view for the calls that this call makes in turn.
    pub(crate) fn called_from(&self, call: Uuid) -> Self {
        let mut view = self.clone();
        view.scope.parent = Some(call);
        view.scope.depth += 1;
        view
    }

    /// The role whose view it is.
    #[must_use]
    pub const fn role(&self) -> &Role {
        &self.scope.role
    }

    /// The view without the tools that are not named here. It can only narrow: naming a tool that
    /// the view does not have adds nothing.
    #[must_use]
    pub fn narrowed_to<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(|name| name.as_ref().to_owned());
        let before = self.scope.allow_list.take();
        let kept = names.filter(|name| before.as_ref().is_none_or(|before| before.contains(name)));
        self.scope.allow_list = Some(kept.collect());
        self
    }

    /// The view as it is used in a run of a pipeline, of which domain services are told.
    #[must_use]
    pub fn in_run(mut self, run: RunContext) -> Self {
        self.scope.run = Arc::new(run);
        self
    }

    /// The view as a client uses it. The audit records the client with each call.
    #[must_use]
    pub fn for_client(mut self, client: ClientContext) -> Self {
        self.scope.client = Arc::new(client.bounded());
        self
    }

    /// The tools of the view whose service takes artifacts of a type, for a method that several
    /// services may have: `validate`, `kicad_pcb`.
    #[must_use]
    pub fn for_artifact(&self, method: &str, artifact_type: &str) -> Vec<ToolName> {
        let artifact = Artifact {
            method,
            artifact_type,
        };
        let entries = self.entries().filter(|entry| artifact.is_for(entry.spec()));
        entries.map(|entry| entry.spec().name.clone()).collect()
    }

    /// The tools of the view, sorted by name, as an agent is shown them: without the arguments
    /// that the operator pins.
    ///
    /// Where the credentials of a service cannot be read its tools are shown with all arguments;
    /// a call of them is refused.
    #[must_use]
    pub fn specs(&self) -> Vec<Arc<ToolSpec>> {
        let mut constants = Constants::new(&self.core.credentials);
        self.entries().map(|entry| constants.show(entry)).collect()
    }

    /// One tool of the view, as an agent is shown it.
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<Arc<ToolSpec>> {
        let entry = self
            .entries()
            .find(|entry| entry.spec().name.as_str() == name)?;
        Some(Constants::new(&self.core.credentials).show(entry))
    }

    /// Calls a tool with typed arguments.
    ///
    /// It is the same call as [`ScopedToolView::call_json`] makes of the encoded arguments.
    ///
    /// # Errors
    /// [`ToolError`] when the call may not pass, when it fails, and when the answer is not of the
    /// type that was expected or was truncated.
    pub async fn call<T: ToolCall>(&self, arguments: T) -> Result<T::Output, ToolError> {
        self.call_json(T::NAME, arguments.encode()).await?.typed()
    }

    /// Calls a tool for one page of its list after another. Each is a call of its own.
    ///
    /// A tool that has no pages, as far as its record says, answers one.
    pub fn pages<T: ToolCall>(&self, arguments: &T) -> Pages<T> {
        Pages::new(self.clone(), arguments)
    }

    /// The items of all pages of a list. Each page is a call of its own.
    pub fn items<T: Paged>(&self, arguments: &T) -> Items<T> {
        let mut tools = self.core.tools.iter();
        let found = tools.find(|(name, _)| name.as_str() == T::NAME);
        let pagination = found.and_then(|(_, entry)| entry.spec().pagination.as_ref());
        let place = pagination.and_then(|pagination| pagination.items.clone());
        Items::new(self.clone(), place, arguments)
    }

    /// Calls a tool with arguments as JSON: an object, or null for none.
    ///
    /// # Errors
    /// [`ToolError`] when the call may not pass and when it fails.
    pub async fn call_json(&self, name: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        call::run(self, Asked::Tool(name), arguments).await
    }

    /// Calls a method of whichever service of the view takes artifacts of a type: `validate`,
    /// `kicad_pcb`. It is a call of the tool that [`ScopedToolView::for_artifact`] names, with the
    /// same gates and the same audit, of a service that says now that it takes the type.
    ///
    /// # Errors
    /// [`ToolError::ArtifactNotPermitted`] where the view has no such tool,
    /// [`ToolError::ArtifactAmbiguous`] where it has several; otherwise as
    /// [`ScopedToolView::call_json`].
    pub async fn call_for_artifact(
        &self,
        method: &str,
        artifact_type: &str,
        arguments: Value,
    ) -> Result<ToolOutput, ToolError> {
        let asked = Asked::Artifact(Artifact {
            method,
            artifact_type,
        });
        call::run(self, asked, arguments).await
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        let policy = self.core.policy();
        let permitted = move |(name, _): &(&ToolName, &Entry)| {
            call::permitted(&self.core, &policy, &self.scope, name).is_ok()
        };
        self.core
            .tools
            .iter()
            .filter(permitted)
            .map(|(_, entry)| entry)
    }
}

/// The service constants, each service's read once for a listing.
struct Constants<'a> {
    credentials: &'a Credentials,
    read: BTreeMap<&'a ServiceName, Map<String, Value>>,
}

impl<'a> Constants<'a> {
    const fn new(credentials: &'a Credentials) -> Self {
        let read = BTreeMap::new();
        Self { credentials, read }
    }

    /// The tool without the arguments that are pinned.
    fn show(&mut self, entry: &'a Entry) -> Arc<ToolSpec> {
        let spec = entry.tool.spec();
        if !matches!(entry.tool.action(), Action::Binding) {
            return Arc::clone(spec);
        }
        let constants = self.read.entry(&spec.service).or_insert_with(|| {
            let access = self.credentials.read(&spec.service);
            access.map(|access| access.constants).unwrap_or_default()
        });
        let pinned: BTreeSet<_> = pins::pins(&spec.binding, constants).into_keys().collect();
        if pinned.is_empty() {
            return Arc::clone(spec);
        }
        Arc::new(pins::without(spec, &pinned))
    }
}

impl std::fmt::Debug for ScopedToolView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScopedToolView")
            .field("role", &self.scope.role)
            .finish_non_exhaustive()
    }
}
