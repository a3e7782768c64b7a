//! `toolwright skill`: the skills that come along, over a real Depot, from the review to the retirement;
//! and a proposal from runs that the test plays.

mod session;

use std::{
    fs,
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use sha2::Digest as _;
use toolwright_depot::{Depot, DepotConfig, InitialStock, OPENAPI, Token};

use crate::support::{Project, Run};
use session::Session;

const OVERLAY: &str = include_str!("../../../specs/depot/overlay.toml");

const POLICY: &str = r#"
[roles.clerk]
grant = ["service:depot", "service:annex"]

[roles.reader]
grant = ["category:observe"]

[tools]
enable = ["effect:update", "effect:annotate", "effect:create"]

[audit]
values = true
value_sources = true
"#;

/// A project with two running Depots, and the skills that come along.
struct Warehouse {
    project: Project,
    _runtime: tokio::runtime::Runtime,
    _depots: Vec<Depot>,
}

impl Warehouse {
    fn new() -> Self {
        let project = Project::empty();
        project.configure(POLICY);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let mut depots = Vec::new();
        for service in ["depot", "annex"] {
            let overlay = OVERLAY.replace("-depot-", &format!("-{service}-"));
            let overlay = overlay.replace("\"depot\"", &format!("\"{service}\""));
            project.write(&format!("specs/{service}/openapi.yaml"), OPENAPI);
            project.write(&format!("specs/{service}/overlay.toml"), &overlay);
            let token = Token::random();
            let config = DepotConfig {
                folder: project.path(&format!("data/{service}")),
                token: token.clone(),
                port: 0,
                initial_stock: match service {
                    "depot" => InitialStock::Samples,
                    _ => InitialStock::Empty,
                },
            };
            let depot = runtime.block_on(Depot::start(config)).unwrap();
            let auth = json!({"base_url": depot.base_url(), "api_token": token.expose()});
            let file = project.path(&format!(".local/{service}/admin-auth.json"));
            toolwright::private::write(&file, auth.to_string()).unwrap();
            depots.push(depot);
        }
        let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("skills");
        copy(&skills, &project.path("skills"));
        Self {
            project,
            _runtime: runtime,
            _depots: depots,
        }
    }

    fn run(&self, line: &[&str]) -> Run {
        self.project.run(line)
    }

    fn activate(&self, name: &str) {
        for verb in ["review", "activate"] {
            let line = ["skill", verb, name, "--by", "Ann", "--why", "it was read"];
            self.run(&line).expect(0);
        }
    }

    fn call(&self, tool: &str, role: &str, arguments: &Value) -> Run {
        let arguments = arguments.to_string();
        self.run(&["call", tool, "--role", role, "--args", &arguments, "--json"])
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn the_skills_that_come_along_are_sound_and_pass_their_tests() {
    let warehouse = Warehouse::new();
    warehouse
        .run(&["skill", "check"])
        .expect(0)
        .prints("3 skills checked, without faults");
    warehouse
        .run(&["skill", "test"])
        .expect(0)
        .prints("5 tests, 0 failed");
    let listed = warehouse.run(&["skill", "list", "--json"]).expect(0).json();
    let facts: Vec<_> = listed
        .iter()
        .map(|one| {
            let skill = one["skill"].as_str().unwrap();
            let category = one["category"].as_str().unwrap();
            (
                skill,
                category,
                one["approval_required"] == true,
                one["standing"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        facts,
        [
            ("copy-annex-item", "execute", true, "proposed"),
            ("report-depot-shortages", "observe", false, "proposed"),
            ("reserve-depot-item", "execute", false, "proposed"),
        ]
    );
}

#[test]
fn a_skill_goes_from_its_review_to_its_retirement() {
    let warehouse = Warehouse::new();
    let name = "reserve-depot-item";
    let arguments = json!({"words": "lamp", "customer": "Ines"});
    warehouse.call(name, "clerk", &arguments).expect(5);
    let early = [
        "skill", "activate", name, "--by", "Ann", "--why", "x", "--json",
    ];
    let refused = warehouse.run(&early).expect(100).json();
    assert_eq!(refused[0]["error"]["code"], "not_decided");
    warehouse.activate(name);
    warehouse.call(name, "reader", &arguments).expect(5);
    let output = warehouse.call(name, "clerk", &arguments).expect(0).json();
    assert_eq!(
        output[0]["result"]["reserved"]["status"], "reserved",
        "{output:?}"
    );
    let shown = warehouse
        .run(&["skill", "show", name, "--json"])
        .expect(0)
        .json();
    assert_eq!(shown[0]["roles"], json!(["clerk"]));
    assert_eq!(
        (&shown[0]["runs"], &shown[0]["failures"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(shown[0]["record"]["person"], "Ann");
    let stats = warehouse
        .run(&["skill", "stats", name, "--json"])
        .expect(0)
        .json();
    assert_eq!(stats[0]["runs"][0]["calls"], 3);
    // A changed byte: it is proposed again, and agents do not see it.
    let file = format!("skills/{name}/skill.toml");
    let text = warehouse.project.read(&file);
    warehouse.project.write(
        &file,
        text.replace("author = \"clerk\"", "author = \"Clerk\""),
    );
    warehouse.call(name, "clerk", &arguments).expect(5);
    warehouse
        .run(&["skill", "list"])
        .expect(0)
        .prints("proposed");
    warehouse.activate(name);
    for verb in ["deprecate", "retire"] {
        warehouse
            .run(&["skill", verb, name, "--by", "Ann", "--why", "an end"])
            .expect(0);
    }
    warehouse.call(name, "clerk", &arguments).expect(5);
    let moves = warehouse
        .run(&["audit", "search", "--event", "skill_moved", "--json"])
        .json();
    let moves: Vec<_> = moves
        .iter()
        .map(|event| event["to"].as_str().unwrap())
        .collect();
    assert_eq!(
        moves,
        [
            "reviewed",
            "active",
            "proposed",
            "reviewed",
            "active",
            "deprecated",
            "retired"
        ]
    );
}

#[test]
fn one_approval_covers_a_run_over_two_services() {
    let warehouse = Warehouse::new();
    warehouse.activate("copy-annex-item");
    let listed = warehouse
        .call("list-depot-items", "clerk", &json!({"limit": 1}))
        .json();
    let item = &listed[0]["items"][0];
    let arguments = json!({"item_id": item["id"], "quantity": 4});
    warehouse
        .call("copy-annex-item", "clerk", &arguments)
        .expect(6);
    let waiting = warehouse
        .run(&["approvals", "list", "--json"])
        .expect(0)
        .json();
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    let handle = waiting[0]["handle"].as_str().unwrap();
    let sheet = warehouse.run(&["approvals", "show", handle]).expect(0);
    let sheet = sheet.prints("create-annex-item, which this approval covers");
    sheet.prints("the value at /text comes from Also in the annex, as {{copied#/id}}.");
    let digest = waiting[0]["digest"].as_str().unwrap();
    let approve = ["approve", handle, "--by", "Bob", "--digest", digest];
    warehouse.run(&approve).expect(0);
    let output = warehouse
        .call("copy-annex-item", "clerk", &arguments)
        .expect(0)
        .json();
    assert_eq!(output[0]["result"]["sku"], item["sku"]);
    let copied = warehouse
        .call("list-annex-items", "clerk", &json!({}))
        .json();
    assert_eq!(copied[0]["items"][0]["name"], item["name"]);
}

#[test]
fn a_sequence_that_repeats_is_proposed() {
    let warehouse = Warehouse::new();
    assert_eq!(sessions(&warehouse), 6);
    let lacking = warehouse
        .run(&["skill", "propose", "--min-runs", "4", "--json"])
        .expect(0);
    let proposals = lacking.json();
    assert_eq!(proposals.len(), 1, "{}", lacking.stdout);
    let proposal = &proposals[0];
    assert_eq!(proposal["name"], "add-depot-item-comment-after-search");
    assert_eq!(proposal["evidence"]["runs"], 6);
    warehouse
        .run(&["skill", "propose", "--min-runs", "4", "--write"])
        .expect(0);
    let name = "add-depot-item-comment-after-search";
    warehouse.run(&["skill", "check", name]).expect(0);
    warehouse.call(name, "clerk", &json!({})).expect(5);
    warehouse.activate(name);
    let shown = warehouse
        .run(&["skill", "show", name, "--json"])
        .expect(0)
        .json();
    let mut parameters: Vec<_> = shown[0]["parameters"]["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    parameters.sort();
    assert_eq!(parameters, ["q", "text"]);
    let arguments = json!({"q": "lamp", "text": "Counted again."});
    let output = warehouse.call(name, "clerk", &arguments).expect(0).json();
    assert_eq!(output[0]["calls"], 2);
}

/// Plays sessions of an agent over MCP: each looks something up, reads other things in between, and
/// comments on what it found.
fn sessions(warehouse: &Warehouse) -> usize {
    let words = ["lamp", "desk", "brass", "chair", "table", "bulb"];
    for (index, word) in words.iter().enumerate() {
        let mut session = Session::start(warehouse, &format!("session-{index}"));
        if index % 2 == 0 {
            session.call("get-depot-stock-report", &json!({}));
        }
        let found = session.call("search-depot-items", &json!({"q": word, "limit": 3}));
        let id = &found["items"][0]["id"];
        assert!(id.is_string(), "{word}: {found}");
        if index % 3 == 0 {
            session.call("get-depot-item", &json!({"item_id": id}));
        }
        let text = format!("Looked at {word}.");
        let comment = json!({"item_id": id, "text": text, "author": "agent"});
        session.call("add-depot-item-comment", &comment);
    }
    words.len()
}

#[test]
fn a_skill_with_a_script_is_written_tested_and_run() {
    let warehouse = Warehouse::new();
    let name = "find-depot-stock";
    warehouse
        .run(&["skill", "new", name, "--script"])
        .expect(0)
        .prints("run.sh");
    warehouse.run(&["skill", "check", name]).expect(0);
    let trial = json!({
        "parameters": {"words": "lamp"},
        "calls": [{"tool": "search-depot-items", "arguments": {"q": "lamp"}, "answer": {"items": []}}],
        "result": {"items": []},
    });
    let file = format!("skills/{name}/tests/nothing.json");
    warehouse.project.write(&file, trial.to_string());
    warehouse
        .run(&["skill", "test", name])
        .expect(0)
        .prints("1 test, 0 failed");
    warehouse.activate(name);
    let arguments = json!({"words": "lamp"});
    let output = warehouse.call(name, "reader", &arguments).expect(0).json();
    assert_eq!(output[0]["calls"], 1);
    assert!(!output[0]["result"]["items"].as_array().unwrap().is_empty());
    warehouse
        .run(&["skill", "show", name])
        .expect(0)
        .prints("toolwright call search-depot-items q=\"$words\"");
    // The switch of a skill is that of a tool, and its reset brings the standing back.
    let by = ["--by", "Ann", "--why", "an incident"];
    warehouse
        .run(&[&["tools", "disable", name][..], &by[..]].concat())
        .expect(0);
    warehouse.run(&["tools", "states"]).expect(0).prints(name);
    warehouse.call(name, "reader", &arguments).expect(5);
    warehouse
        .run(&[&["tools", "reset", name][..], &by[..]].concat())
        .expect(0);
    warehouse.call(name, "reader", &arguments).expect(0);
    // A changed byte of the script.
    let script = format!("skills/{name}/run.sh");
    let text = warehouse.project.read(&script);
    warehouse.project.write(&script, text + "# more\n");
    warehouse.call(name, "reader", &arguments).expect(5);
}

/// The extension `io.modelcontextprotocol/skills`.
#[test]
fn a_client_reads_the_skills_of_its_role_by_the_extension() {
    let warehouse = Warehouse::new();
    let name = "reserve-depot-item";
    let uri = format!("skill://{name}/SKILL.md");
    let mut session = Session::start(&warehouse, "before");
    let extensions = |session: &Session| session.begun["capabilities"]["extensions"].clone();
    let is_declared = |session: &Session| {
        extensions(session)
            .as_object()
            .is_some_and(|known| known.contains_key("io.modelcontextprotocol/skills"))
    };
    assert!(!is_declared(&session));
    assert!(session.ask("skills/list", &json!({})).is_null());
    warehouse.activate(name);
    let mut session = Session::start(&warehouse, "after");
    assert!(is_declared(&session), "{}", session.begun);
    assert!(session.begun["capabilities"]["resources"].is_object());
    let listed = session.ask("skills/list", &json!({}));
    let skills = listed["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 1, "{listed}");
    assert_eq!(skills[0]["uri"], uri);
    assert_eq!(skills[0]["frontmatter"]["name"], name);
    let got = session.ask("skills/get", &json!({ "uri": uri }));
    assert_eq!(got["skill"], skills[0]);
    let read = session.ask("resources/read", &json!({ "uri": uri }));
    let text = read["contents"][0]["text"].as_str().unwrap();
    let file = &skills[0]["resources"][0];
    assert_eq!(file["size"], text.len());
    let digest = toolwright_model::hex(sha2::Sha256::digest(text));
    assert_eq!(file["digest"], format!("sha256:{digest}"));
    // The head of the file is the entry, and the schema is that of the tool.
    let (head, body) = text
        .strip_prefix("---\n")
        .unwrap()
        .split_once("---\n")
        .unwrap();
    let description = &skills[0]["frontmatter"]["description"];
    assert_eq!(head, format!("name: {name}\ndescription: {description}\n"));
    assert!(body.contains("\"customer\""), "{body}");
    // A skill that is not active, and a tool that is not a skill, are absent.
    for absent in [
        "skill://copy-annex-item/SKILL.md",
        "skill://list-depot-items/SKILL.md",
    ] {
        assert!(
            session
                .ask("skills/get", &json!({ "uri": absent }))
                .is_null()
        );
        assert!(
            session
                .ask("resources/read", &json!({ "uri": absent }))
                .is_null()
        );
    }
    let listed = session.ask("resources/list", &json!({}));
    assert_eq!(listed["resources"][0]["uri"], uri, "{listed}");
    let reader = Session::start_as(&warehouse, "reader", "reader");
    assert!(!is_declared(&reader));
}

#[test]
fn an_agent_finds_and_runs_a_skill_over_mcp() {
    let warehouse = Warehouse::new();
    let name = "report-depot-shortages";
    let mut session = Session::start(&warehouse, "before");
    let tools = |session: &mut Session| {
        let listed = session.ask("tools/list", &json!({}));
        let tools = listed["tools"].as_array().unwrap();
        let names = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let before = tools(&mut session);
    assert!(
        !before
            .iter()
            .any(|tool| tool.ends_with("skills") || tool == name),
        "{before:?}"
    );
    warehouse.activate(name);
    // The server follows the state.
    let begun = Instant::now();
    while !tools(&mut session).contains(&"run-toolwright-skill".to_owned()) {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "no skill can be run"
        );
        sleep(Duration::from_millis(50));
    }
    let query = json!({"query": "what runs low in stock"});
    let found = session.call("search-toolwright-tools", &query);
    assert!(found.to_string().contains(name), "{found}");
    let listed = session.call("list-toolwright-skills", &json!({}));
    assert_eq!(listed["skills"][0]["skill"], name);
    let run = json!({"skill": name, "parameters": {"low_below": 10}});
    let output = session.call("run-toolwright-skill", &run);
    let direct = session.call(name, &json!({"low_below": 10}));
    assert_eq!(output["result"]["shortages"], direct["result"]["shortages"]);
    assert!(!output["result"]["shortages"].as_array().unwrap().is_empty());
}
