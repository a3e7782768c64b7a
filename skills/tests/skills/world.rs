//! A shop with an inventory, and a registry with its skills.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU16, Ordering},
    },
};

use jiff::Timestamp;
use serde_json::{Value, json};
use toolwright::{
    Registry, Role, ScopedToolView, Tool, ToolError, ToolOutput, ToolSpec,
    approval::{Decision, MemoryApprovals, Verdict},
    audit::{AuditEvent, MemoryAudit, What},
    config::Config,
};
use toolwright_model::Standing;
use toolwright_skills::{
    KnownTools, Skill, SkillSet,
    standing::{Decided, MoveError, move_skill},
};
use toolwright_state::{Health, State, testing::TestPlace};

pub(crate) const HEALTH: Health = Health {
    runs: 20,
    percent: 90,
};

/// Reserves what a search finds.
pub(crate) const RESERVE: &str = r#"
name = "reserve-shop-stock"
line = "Reserves the first item that a search finds."
owner = "warehouse team"
alternative = "order-shop-stock"

[parameters.words]
type = "string"
minLength = 1
description = "The words to search for."

[[steps]]
id = "find"
tool = "search-shop-items"
arguments = { q = "{{words}}" }

[[steps]]
id = "reserve"
tool = "reserve-shop-item"
arguments = { item_id = "{{find#/items/0/id}}" }

[[steps]]
id = "note"
tool = "note-shop-item"
arguments = { item_id = "{{find#/items/0/id}}", text = "reserved for {{words}}" }
"#;

/// The registry of a test.
pub(crate) struct World {
    pub(crate) registry: Registry,
    pub(crate) state: State,
    pub(crate) set: SkillSet,
    pub(crate) skills: Vec<Skill>,
    pub(crate) specs: Vec<ToolSpec>,
    audit: Arc<MemoryAudit>,
    service: Arc<Service>,
    _place: TestPlace,
}

/// The shop that answers the tools.
#[derive(Default)]
struct Service {
    /// The status of errors; 0 for none.
    failing: AtomicU16,
    /// The item that a search finds besides `item-1`; 0 for `item-2`.
    other: AtomicU16,
    calls: Mutex<Vec<String>>,
}

impl World {
    /// A world with some proposed skills, and a policy.
    pub(crate) async fn new(skills: &[&str], policy: &str) -> Self {
        Self::at(TestPlace::sqlite(), skills, policy).await
    }

    pub(crate) async fn at(place: TestPlace, skills: &[&str], policy: &str) -> Self {
        let skills = skills.iter().map(|text| skill(text)).collect();
        Self::of(place, skills, policy).await
    }

    pub(crate) async fn of(place: TestPlace, skills: Vec<Skill>, policy: &str) -> Self {
        let state = State::at(place.location.clone()).unwrap();
        state.open().await.unwrap();
        let service = Arc::new(Service::default());
        let tools = tools(&service);
        let specs: Vec<ToolSpec> = tools
            .iter()
            .map(|tool| tool.spec().as_ref().clone())
            .collect();
        let known = KnownTools::new(&specs);
        let (set, problems) = SkillSet::new(skills.clone(), &known, state.clone(), HEALTH);
        assert!(problems.is_empty(), "{problems:?}");
        let audit = Arc::new(MemoryAudit::new());
        let config = Config::parse(Path::new("toolwright.toml"), policy).unwrap();
        let registry = Registry::builder()
            .tools(tools)
            .tools(set.tools())
            .config(config)
            .discovery(toolwright_discovery::Finder::new())
            .approvals(Arc::new(MemoryApprovals::new()))
            .audit(Arc::clone(&audit))
            .audit_values()
            .build()
            .unwrap();
        Self {
            registry,
            state,
            set,
            skills,
            specs,
            audit,
            service,
            _place: place,
        }
    }

    /// Moves a skill, as a person does.
    pub(crate) async fn move_to(&self, name: &str, to: Standing) -> Result<(), MoveError> {
        let mut skills = self.skills.iter();
        let skill = skills
            .find(|skill| skill.name.value.as_str() == name)
            .unwrap();
        let record = |event: &AuditEvent| self.registry.record(event);
        let decided = Decided {
            to,
            person: "Ann",
            why: "it was read",
            at: Timestamp::now(),
        };
        let known = KnownTools::new(&self.specs);
        let moved = move_skill(&self.state, record, skill, &known, decided).await;
        self.set.refresh().await.unwrap();
        moved.map(drop)
    }

    /// Reviews and activates a skill.
    pub(crate) async fn activate(&self, name: &str) {
        self.move_to(name, Standing::Reviewed).await.unwrap();
        self.move_to(name, Standing::Active).await.unwrap();
    }

    pub(crate) fn view(&self, role: &str) -> ScopedToolView {
        self.registry.for_agent(&Role::new(role).unwrap())
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        let called = self.view("clerk").call_json(tool, arguments).await;
        called.map(|output: ToolOutput| output.value)
    }

    /// Returns the names of the tools that a role sees.
    pub(crate) fn names(&self, role: &str) -> Vec<String> {
        let specs = self.view(role).specs();
        specs.iter().map(|spec| spec.name.to_string()).collect()
    }

    /// Lets the service answer with an error from now on; 0 for none.
    pub(crate) fn fail(&self, status: u16) {
        self.service.failing.store(status, Ordering::SeqCst);
    }

    /// Lets searches find another item from now on.
    pub(crate) fn restock(&self, number: u16) {
        self.service.other.store(number, Ordering::SeqCst);
    }

    /// Returns the calls that reached the service.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.service.calls.lock().unwrap().clone()
    }

    /// Returns the events as JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        let events = self.audit.events();
        events
            .iter()
            .map(|event| serde_json::to_value(event).unwrap())
            .collect()
    }

    /// Returns the reasons of the skills' moves that the audit has.
    pub(crate) fn moves(&self) -> Vec<String> {
        let events = self.audit.events().into_iter();
        let moves = events.filter_map(|event| match event.what {
            What::SkillMoved(moved) => {
                let person = moved.person.unwrap_or_else(|| "itself".to_owned());
                Some(format!("{} by {person}: {}", moved.to, moved.why))
            }
            _ => None,
        });
        moves.collect()
    }

    /// Approves everything that waits, and returns what the person saw.
    pub(crate) async fn approve(&self) -> Vec<Value> {
        self.decide(Verdict::Approved).await
    }

    /// Rejects everything that waits.
    pub(crate) async fn reject(&self) {
        self.decide(Verdict::Rejected).await;
    }

    async fn decide(&self, verdict: Verdict) -> Vec<Value> {
        let now = Timestamp::now();
        let mut shown = Vec::new();
        for request in self.registry.approvals().pending(now).await.unwrap() {
            shown.push(serde_json::to_value(&request.shown).unwrap());
            let decision = Decision::new(verdict, "Bob", now).unwrap();
            self.registry
                .decide(request.handle, decision)
                .await
                .unwrap();
        }
        shown
    }
}

pub(crate) fn skill(text: &str) -> Skill {
    Skill::read(Path::new("skill.toml"), text).unwrap_or_else(|error| panic!("{error}"))
}

/// The tools of the shop.
fn tools(service: &Arc<Service>) -> Vec<Tool> {
    let item = json!({
        "type": "object",
        "properties": {"id": {"type": "string"}, "quantity": {"type": "integer"}},
        "required": ["id", "quantity"],
        "additionalProperties": false,
    });
    let list = json!({
        "type": "object",
        "properties": {"items": {"type": "array", "items": item}, "total": {"type": "integer"}},
        "additionalProperties": false,
    });
    let id = json!({"type": "string"});
    vec![
        tool(
            service,
            ["search-shop-items", "observe", "read"],
            json!({"q": {"type": "string"}}),
            &list,
        ),
        tool(
            service,
            ["reserve-shop-item", "execute", "update"],
            json!({"item_id": id}),
            &item,
        ),
        tool(
            service,
            ["note-shop-item", "execute", "annotate"],
            json!({"item_id": id, "text": {"type": "string"}}),
            &item,
        ),
        tool(
            service,
            ["order-shop-item", "execute", "create"],
            json!({"item_id": id, "quantity": {"type": "integer"}}),
            &item,
        ),
    ]
}

fn tool(
    service: &Arc<Service>,
    [name, category, effect]: [&str; 3],
    properties: Value,
    output: &Value,
) -> Tool {
    let required: Vec<_> = properties.as_object().unwrap().keys().cloned().collect();
    let reads = effect == "read";
    let spec = json!({
        "name": name,
        "service": "shop",
        "title": name,
        "short": format!("Does {name}."),
        "description": "",
        "section": "shop",
        "category": category,
        "effect": effect,
        "approval_required": effect == "create",
        "hints": {
            "readOnlyHint": reads,
            "destructiveHint": false,
            "idempotentHint": reads,
            "openWorldHint": true,
        },
        "enabled_by_default": true,
        "input_schema": {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        },
        "output_schema": output,
        "binding": "native",
        "origin": {"document": "shop", "pointer": name},
        "evidence": [],
    });
    let spec = ToolSpec::from_json(&spec.to_string()).unwrap();
    let (name, service) = (name.to_owned(), Arc::clone(service));
    Tool::native(spec, move |_, arguments| {
        let (name, service) = (name.clone(), Arc::clone(&service));
        async move { service.answer(&name, &arguments) }
    })
}

impl Service {
    fn answer(&self, tool: &str, arguments: &Value) -> Result<Value, ToolError> {
        let call = format!("{tool} {arguments}");
        self.calls.lock().unwrap().push(call);
        match self.failing.load(Ordering::SeqCst) {
            0 => {}
            status => {
                return Err(ToolError::Service {
                    status,
                    message: "the shop is closed".to_owned(),
                    body: Box::default(),
                    request: None,
                    detail: None,
                });
            }
        }
        let item = |id: &str| json!({"id": id, "quantity": 3});
        Ok(match tool {
            "search-shop-items" => {
                let other = match self.other.load(Ordering::SeqCst) {
                    0 => 2,
                    number => number,
                };
                let items = [item("item-1"), item(&format!("item-{other}"))];
                json!({"items": items, "total": 2})
            }
            _ => item(arguments["item_id"].as_str().unwrap_or_default()),
        })
    }
}
