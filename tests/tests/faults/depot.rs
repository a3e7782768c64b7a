//! Depot behind the proxy, and the calls whose effect the test asks Depot for.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use serde_json::{Value, json};
use toolwright::{
    Credentials, Registry, Role, ScopedToolView, ToolSpec,
    audit::{AuditSink, MemoryAudit},
    config::ServiceConfig,
};
use toolwright_depot::{Depot, DepotConfig, InitialStock, Token};

/// The timeout of a call.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(700);

/// Depot, with a view that reaches it directly.
pub(crate) struct Stage {
    pub(crate) depot: Depot,
    folder: tempfile::TempDir,
    direct: ScopedToolView,
}

/// The kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Read,
    Create,
    Update,
    Reserve,
    Delete,
    Comment,
}

/// A call, and what identifies its effect.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) action: Action,
    name: String,
    item: String,
}

impl Action {
    pub(crate) const ALL: &'static [Self] = &[
        Self::Read,
        Self::Create,
        Self::Update,
        Self::Reserve,
        Self::Delete,
        Self::Comment,
    ];

    pub(crate) const fn tool(self) -> &'static str {
        match self {
            Self::Read => "get-depot-item",
            Self::Create => "create-depot-item",
            Self::Update => "update-depot-item",
            Self::Reserve => "transition-depot-item",
            Self::Delete => "delete-depot-item",
            Self::Comment => "add-depot-item-comment",
        }
    }
}

impl Stage {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::random();
        let depot = Depot::start(DepotConfig {
            folder: folder.path().join("depot"),
            token: token.clone(),
            port: 0,
            initial_stock: InitialStock::Empty,
        })
        .await
        .unwrap();
        let file = folder.path().join(".local/depot/admin-auth.json");
        let auth = json!({"api_token": token.expose()});
        toolwright::private::write(&file, auth.to_string()).unwrap();
        let direct = view(
            folder.path(),
            ServiceConfig {
                base_url: Some(depot.base_url()),
                ..ServiceConfig::default()
            },
            Arc::new(MemoryAudit::new()),
        );
        Self {
            depot,
            folder,
            direct,
        }
    }

    /// Returns a view whose requests go to this address.
    pub(crate) fn view_at(
        &self,
        address: SocketAddr,
        config: ServiceConfig,
        audit: impl AuditSink + 'static,
    ) -> ScopedToolView {
        let config = ServiceConfig {
            base_url: Some(format!("http://{address}/api/v1")),
            ..config
        };
        view(self.folder.path(), config, audit)
    }

    /// Returns the address of Depot.
    pub(crate) fn address(&self) -> SocketAddr {
        let url: url::Url = self.depot.base_url().parse().unwrap();
        url.socket_addrs(|| None).unwrap()[0]
    }

    /// Prepares a call: its item exists, unless the call creates it.
    pub(crate) async fn prepare(&self, action: Action, name: &str) -> Call {
        let item = match action {
            Action::Create => String::new(),
            _ => {
                let arguments = json!({"sku": name, "name": name, "quantity": 1});
                let item = self.ask("create-depot-item", arguments).await;
                item["id"].as_str().unwrap().to_owned()
            }
        };
        let name = name.to_owned();
        Call { action, name, item }
    }

    /// Asks Depot how many times it has carried out a call.
    pub(crate) async fn effects(&self, call: &Call) -> usize {
        let Call { action, name, item } = call;
        let item = json!({"item_id": item});
        match action {
            Action::Read => 0,
            Action::Create => {
                let found = self.ask("search-depot-items", json!({"q": name})).await;
                found["items"].as_array().unwrap().len()
            }
            Action::Update => {
                let found = self.ask("get-depot-item", item).await;
                usize::from(found["quantity"] == 7)
            }
            Action::Reserve => {
                let found = self.ask("get-depot-item", item).await;
                usize::from(found["status"] == "reserved")
            }
            Action::Delete => {
                let found = self.direct.call_json("get-depot-item", item).await;
                usize::from(found.is_err_and(|error| error.status() == Some(404)))
            }
            Action::Comment => {
                let found = self.ask("list-depot-item-comments", item).await;
                found["comments"].as_array().unwrap().len()
            }
        }
    }

    async fn ask(&self, tool: &str, arguments: Value) -> Value {
        let output = self.direct.call_json(tool, arguments.clone()).await;
        output
            .unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))
            .value
    }
}

impl Call {
    pub(crate) fn arguments(&self) -> Value {
        let Self { action, name, item } = self;
        match action {
            Action::Read | Action::Delete => json!({"item_id": item}),
            Action::Create => json!({"sku": name, "name": name, "quantity": 1}),
            Action::Update => json!({"item_id": item, "quantity": 7}),
            Action::Reserve => json!({"item_id": item, "to": "reserved"}),
            Action::Comment => json!({"item_id": item, "text": name}),
        }
    }
}

fn view(
    folder: &std::path::Path,
    config: ServiceConfig,
    audit: impl AuditSink + 'static,
) -> ScopedToolView {
    let specs = toolwright_generated::depot::TOOLS.specs().unwrap();
    let without_approval = |spec: ToolSpec| ToolSpec {
        approval_required: false,
        ..spec
    };
    let registry = Registry::builder()
        .specs(specs.into_iter().map(without_approval))
        .service("depot".parse().unwrap(), config)
        .grant("agent", "*")
        .enable("*")
        .credentials(Credentials::new(folder).with_variables(|_| None))
        .audit(audit)
        .build()
        .unwrap();
    registry.for_agent(&Role::new("agent").unwrap())
}
