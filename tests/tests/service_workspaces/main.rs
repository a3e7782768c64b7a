//! Two instances of Depot as the workspaces of one service: real servers with tokens and data of their
//! own, and calls of both at once.
#![cfg(test)]

mod domain;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright::{
    Credentials, Registry, Role, ScopedToolView, ToolSpec,
    audit::{MemoryAudit, What},
    config::Config,
    eab::RunContext,
};
use toolwright_depot::{Depot, DepotConfig, InitialStock, Token};

const NAMES: [&str; 2] = ["north", "south"];
const TASKS: usize = 50;
const CALLS: usize = 1_000;

/// Two servers, and a registry whose service `depot` has one workspace for each.
struct Stage {
    depots: BTreeMap<&'static str, Depot>,
    registry: Registry,
    audit: Arc<MemoryAudit>,
    _folder: TempDir,
}

impl Stage {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut text =
            "[roles.keeper]\ngrant = [\"service:depot\"]\n[tools]\nenable = [\"*\"]\n".to_owned();
        let mut depots = BTreeMap::new();
        for name in NAMES {
            let token = Token::random();
            let depot = Depot::start(DepotConfig {
                folder: folder.path().join(name),
                token: token.clone(),
                port: 0,
                initial_stock: InitialStock::Empty,
            });
            let depot = depot.await.unwrap();
            let file = format!(".local/depot/workspaces/{name}/api-token.txt");
            toolwright::private::write(&folder.path().join(file), token.expose()).unwrap();
            let url = depot.base_url();
            text += &format!("[services.depot.workspaces.{name}]\nbase_url = \"{url}\"\n");
            depots.insert(name, depot);
        }
        let config = Config::parse(&folder.path().join("toolwright.toml"), &text).unwrap();
        let without_approval = |spec: ToolSpec| ToolSpec {
            approval_required: false,
            ..spec
        };
        let specs = toolwright_generated::depot::TOOLS.specs().unwrap();
        let audit = Arc::new(MemoryAudit::new());
        let registry = Registry::builder()
            .specs(specs.into_iter().map(without_approval))
            .credentials(Credentials::from_config(&config).with_variables(|_| None))
            .config(config)
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        Self {
            depots,
            registry,
            audit,
            _folder: folder,
        }
    }

    fn view(&self, run: RunContext) -> ScopedToolView {
        let view = self.registry.for_agent(&Role::new("keeper").unwrap());
        view.in_run(run)
    }

    /// Returns the SKUs of a server.
    async fn stock(&self, name: &str) -> Vec<String> {
        let view = self.view(RunContext::default());
        let mut skus = Vec::new();
        let mut arguments = json!({"source_workspace_id": name, "limit": 100});
        loop {
            let output = view
                .call_json("list-depot-items", arguments.clone())
                .await
                .unwrap();
            let items = output.value["items"].as_array().unwrap();
            skus.extend(
                items
                    .iter()
                    .map(|item| item["sku"].as_str().unwrap().to_owned()),
            );
            let toolwright::pages::Continuation::With(more) = output.next else {
                return skus;
            };
            // The next page is one of the same workspace, also for a caller that does not repeat it.
            assert_eq!(more["source_workspace_id"], name);
            arguments.as_object_mut().unwrap().extend(more);
        }
    }
}

/// Creates an item and reads it again. Returns the number of calls.
async fn create_and_read(view: &ScopedToolView, at: &Value, sku: &str) -> usize {
    let mut create = json!({"sku": sku, "name": sku, "quantity": 1});
    let mut read = json!({});
    if !at.is_null() {
        create["source_workspace_id"] = at.clone();
        read["source_workspace_id"] = at.clone();
    }
    let created = view.call_json("create-depot-item", create).await.unwrap();
    read["item_id"] = created.value["id"].clone();
    let item = view
        .call_json("get-depot-item", read.clone())
        .await
        .unwrap();
    assert_eq!(item.value["sku"], sku);
    // The other server has no such item.
    if let Some(at) = at.as_str() {
        let other = NAMES.into_iter().find(|name| *name != at).unwrap();
        read["source_workspace_id"] = other.into();
        let absent = view.call_json("get-depot-item", read).await.unwrap_err();
        assert_eq!(absent.status(), Some(404));
        return 3;
    }
    2
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_calls_of_many_tasks_reach_their_own_workspaces() {
    let stage = Arc::new(Stage::start().await);
    let made = Arc::new(AtomicUsize::new(0));
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..TASKS {
        let (stage, made) = (Arc::clone(&stage), Arc::clone(&made));
        tasks.spawn(async move {
            // A third of the tasks choose in each call, a third have the workspace of their caller, and
            // a third choose once in a run.
            let own = NAMES[task / 3 % 2];
            let run = match task % 3 {
                0 => RunContext::default(),
                1 => RunContext {
                    workspace: Some(own.to_owned()),
                    ..RunContext::default()
                },
                _ => RunContext {
                    run: Some(format!("run-{task}")),
                    ..RunContext::default()
                },
            };
            let view = stage.view(run);
            if task % 3 == 2 {
                let choice = json!({"source_workspace_id": own});
                view.call_json("list-depot-items", choice).await.unwrap();
            }
            let mut round = 0;
            while made.load(Ordering::Relaxed) < CALLS {
                round += 1;
                let at = if task % 3 == 0 { NAMES[round % 2] } else { own };
                let chosen = if task % 3 == 0 {
                    json!(at)
                } else {
                    Value::Null
                };
                let sku = format!("{}-{task:02}{round:04}", at.to_uppercase());
                let calls = create_and_read(&view, &chosen, &sku).await;
                made.fetch_add(calls, Ordering::Relaxed);
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert!(made.load(Ordering::Relaxed) >= CALLS);
    let mut items = 0;
    for name in NAMES {
        let skus = stage.stock(name).await;
        let own = format!("{}-", name.to_uppercase());
        assert!(
            skus.iter().all(|sku| sku.starts_with(&own)),
            "{name}: {skus:?}"
        );
        assert!(skus.len() > 50, "{name}: {}", skus.len());
        items += skus.len();
    }
    // Each event states the workspace and the origin of its server, and each item was made once.
    let origins: BTreeMap<_, _> = stage
        .depots
        .iter()
        .map(|(name, depot)| {
            let url: url::Url = depot.base_url().parse().unwrap();
            (*name, url.origin().ascii_serialization())
        })
        .collect();
    let (mut created, mut seen) = (0, 0);
    for event in stage.audit.events() {
        let Some(call) = event.call else { continue };
        let at = call.source_workspace.expect("the call has a workspace");
        assert_eq!(call.target.as_ref(), Some(&origins[at.as_str()]));
        seen += 1;
        let is_outcome = matches!(event.what, What::Outcome(_));
        created += usize::from(is_outcome && call.tool == "create-depot-item");
    }
    assert_eq!(created, items);
    assert!(seen >= 2 * CALLS);
}
