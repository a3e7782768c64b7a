//! The views of roles that a server shows to its clients.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use toolwright::{
    Registry, Role, ScopedToolView, approval::ApprovalPage, error::OpenError,
    render::mcp::OutputSchemas,
};

use crate::list::Listing;

/// Opens the view of a role.
pub(crate) type Open = dyn Fn(&Role) -> Result<ScopedToolView, OpenError> + Send + Sync;

/// The views of a server. Clones share those that were opened.
#[derive(Clone)]
pub(crate) struct Views {
    /// The view of clients whose token names no role.
    own: Option<RoleView>,
    open: Arc<Open>,
    schemas: OutputSchemas,
    wait: Duration,
    page: Option<ApprovalPage>,
    opened: Arc<Mutex<BTreeMap<Role, RoleView>>>,
}

/// The view of a role, and its list for clients.
#[derive(Clone)]
pub(crate) struct RoleView {
    pub(crate) view: ScopedToolView,
    pub(crate) listing: Arc<Listing>,
    /// How long calls wait for a person.
    pub(crate) wait: Duration,
    /// The operator's page.
    pub(crate) page: Option<ApprovalPage>,
}

impl Views {
    /// Shows the own view, and opens those of other roles with the function.
    pub(crate) fn new(own: Option<ScopedToolView>, open: Arc<Open>) -> Self {
        let views = Self {
            own: None,
            open,
            schemas: OutputSchemas::default(),
            wait: Duration::ZERO,
            page: None,
            opened: Arc::default(),
        };
        Self {
            own: own.map(|view| views.role_view(view)),
            ..views
        }
    }

    /// Opens the views of roles in a registry, as they are.
    pub(crate) fn open_in(registry: &Registry) -> Arc<Open> {
        let registry = registry.clone();
        Arc::new(move |role| Ok(registry.for_agent(role)))
    }

    /// Replaces the function that opens the views of roles.
    pub(crate) fn opened_by(self, open: Arc<Open>) -> Self {
        Self { open, ..self }
    }

    /// Replaces the own view.
    pub(crate) fn with_own(
        mut self,
        change: impl FnOnce(ScopedToolView) -> ScopedToolView,
    ) -> Self {
        let own = self.own.take().map(|own| change(own.view));
        self.own = own.map(|view| self.role_view(view));
        self
    }

    /// Shows clients this much of the output schemas.
    pub(crate) fn with_schemas(mut self, schemas: OutputSchemas) -> Self {
        self.schemas = schemas;
        self.with_own(|view| view)
    }

    /// Lets calls of all views wait for a person.
    pub(crate) fn waiting_for(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self.with_own(|view| view)
    }

    /// Shows clients the operator's page.
    pub(crate) fn with_page(mut self, page: ApprovalPage) -> Self {
        self.page = Some(page);
        self.with_own(|view| view)
    }

    /// Returns the own view.
    pub(crate) fn own(&self) -> Option<&RoleView> {
        self.own.as_ref()
    }

    /// Returns the view of a role, or the own one. None if clients need a role and have none.
    pub(crate) fn of(&self, role: Option<&Role>) -> Result<Option<RoleView>, OpenError> {
        let Some(role) = role else {
            return Ok(self.own.clone());
        };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.get(role) {
            return Ok(Some(known.clone()));
        }
        let view = self.role_view((self.open)(role)?);
        opened.insert(role.clone(), view.clone());
        Ok(Some(view))
    }

    fn role_view(&self, view: ScopedToolView) -> RoleView {
        RoleView {
            view,
            listing: Arc::new(Listing::new(self.schemas)),
            wait: self.wait,
            page: self.page.clone(),
        }
    }
}

impl fmt::Debug for Views {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.own.as_ref().map(|own| own.view.role());
        f.debug_struct("Views")
            .field("own", &own)
            .finish_non_exhaustive()
    }
}
