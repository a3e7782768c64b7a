//! Programs that call Depot's tools through the socket, and what they cost in the context of a model.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{UnixListener, UnixStream},
    runtime::Runtime,
    time::sleep,
};
use toolwright::{
    Credentials, Registry, Role, ScopedToolView, ToolSpec,
    audit::MemoryAudit,
    config::ServiceConfig,
    render::{
        code::{Language, module},
        mcp::{self, OutputSchemas},
    },
};
use toolwright_depot::{Depot, DepotConfig, InitialStock, Token};
use toolwright_mcp::{Server, Shutdown, ShutdownHandle};

use crate::{compile, compilers};

/// The page with the figures.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/code.md");

const BEGIN: &str = "<!-- cost -->\n";

const END: &str = "<!-- end -->";

/// The number of items of the stock.
const ITEMS: usize = 60;

/// The tools of the agent: everything but deletions.
const TOOLS: [&str; 7] = [
    "add-depot-item-comment",
    "get-depot-item",
    "list-depot-item-comments",
    "list-depot-items",
    "search-depot-items",
    "simulate-depot-order",
    "transition-depot-item",
];

/// The tasks, and what each program prints.
const TASKS: [(&str, &str); 10] = [
    ("01-total", "1770"),
    ("02-lowest", "['LAMP-0000', 'BOLT-0001', 'CASE-0002']"),
    ("03-comment-on-low", "5"),
    (
        "04-comments-of-all",
        "{'LAMP-0000': 1, 'BOLT-0001': 1, 'CASE-0002': 1, 'LAMP-0003': 1, 'BOLT-0004': 1}",
    ),
    ("05-search-and-sum", "20 570"),
    (
        "06-restock",
        "['LAMP-0000', 'BOLT-0001', 'CASE-0002', 'LAMP-0003', 'BOLT-0004']",
    ),
    ("07-reserve", "24"),
    ("08-by-name", "{'bolt': 20, 'case': 20, 'lamp': 20}"),
    ("09-refused", "['tool_not_permitted', 'service_error']"),
    ("10-order", "5"),
];

struct Stage {
    folder: tempfile::TempDir,
    view: ScopedToolView,
    handle: ShutdownHandle,
    traffic: Arc<Traffic>,
    _depot: Depot,
    _runtime: Runtime,
}

/// What passes the socket: the requests and the answers, without their lengths.
#[derive(Default)]
struct Traffic {
    calls: AtomicUsize,
    bytes: AtomicUsize,
    errors: AtomicUsize,
}

impl Stage {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let token = Token::random();
        let config = DepotConfig {
            folder: folder.path().join("depot"),
            token: token.clone(),
            port: 0,
            initial_stock: InitialStock::Empty,
        };
        let depot = runtime.block_on(Depot::start(config)).unwrap();
        let file = folder.path().join(".local/depot/admin-auth.json");
        let auth = json!({"api_token": token.expose()});
        toolwright::private::write(&file, auth.to_string()).unwrap();
        let registry = registry(&folder, &depot);
        let admin = registry.for_agent(&Role::new("admin").unwrap());
        runtime.block_on(fill(&admin));
        let role = Role::new("agent").unwrap();
        let (handle, shutdown) = Shutdown::on_request();
        let inner = folder.path().join("inner.sock");
        let server = Server::new(&registry, &role);
        let path = inner.clone();
        runtime.spawn(async move { server.serve_socket(&path, shutdown).await.unwrap() });
        let traffic = Arc::new(Traffic::default());
        runtime.block_on(relay(folder.path().join("code.sock"), inner, &traffic));
        Self {
            view: registry.for_agent(&role),
            folder,
            handle,
            traffic,
            _depot: depot,
            _runtime: runtime,
        }
    }

    /// Runs a program with the socket, and returns what it prints.
    fn run(&self, command: &mut Command) -> String {
        let command = command
            .current_dir(self.folder.path())
            .env("TOOLWRIGHT_SOCKET", self.folder.path().join("code.sock"));
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {errors}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn specs(&self) -> Vec<ToolSpec> {
        let specs = self.view.specs().into_iter();
        specs.map(Arc::unwrap_or_clone).collect()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.handle.request();
    }
}

fn registry(folder: &tempfile::TempDir, depot: &Depot) -> Registry {
    let specs = toolwright_generated::depot::TOOLS.specs().unwrap();
    let config = ServiceConfig {
        base_url: Some(depot.base_url()),
        ..ServiceConfig::default()
    };
    let without_approval = |spec: ToolSpec| ToolSpec {
        approval_required: false,
        ..spec
    };
    let mut builder = Registry::builder()
        .specs(specs.into_iter().map(without_approval))
        .service("depot".parse().unwrap(), config)
        .grant("admin", "*")
        .grant("agent", "update-depot-item")
        .enable("*")
        .credentials(Credentials::new(folder.path()).with_variables(|_| None))
        .audit(MemoryAudit::new());
    for tool in TOOLS {
        builder = builder.grant("agent", tool);
    }
    builder.build().unwrap()
}

/// Creates the stock: the quantity of each item is its number.
async fn fill(admin: &ScopedToolView) {
    for number in 0..ITEMS {
        let kind = ["lamp", "bolt", "case"][number % 3];
        let item = json!({
            "sku": format!("{}-{number:04}", kind.to_uppercase()),
            "name": format!("{kind} of the series {number}"),
            "quantity": number,
            "description": "An item of the warehouse that is kept on the second floor.",
            "tags": ["warehouse", kind],
        });
        admin.call_json("create-depot-item", item).await.unwrap();
    }
}

/// Passes the calls of programs on, and counts them.
async fn relay(outer: PathBuf, inner: PathBuf, traffic: &Arc<Traffic>) {
    while UnixStream::connect(&inner).await.is_err() {
        sleep(Duration::from_millis(10)).await;
    }
    let listener = UnixListener::bind(outer).unwrap();
    let traffic = Arc::clone(traffic);
    tokio::spawn(async move {
        loop {
            let (mut program, _) = listener.accept().await.unwrap();
            let length = program.read_u32().await.unwrap();
            let mut request = vec![0; length as usize];
            program.read_exact(&mut request).await.unwrap();
            let mut server = UnixStream::connect(&inner).await.unwrap();
            server.write_u32(length).await.unwrap();
            server.write_all(&request).await.unwrap();
            let mut answer = Vec::new();
            server.read_to_end(&mut answer).await.unwrap();
            let read: Value = serde_json::from_slice(&answer[4..]).unwrap();
            let failed = usize::from(read.get("error").is_some());
            traffic.calls.fetch_add(1, Ordering::SeqCst);
            traffic.errors.fetch_add(failed, Ordering::SeqCst);
            let bytes = request.len() + answer.len() - 4;
            traffic.bytes.fetch_add(bytes, Ordering::SeqCst);
            program.write_all(&answer).await.unwrap();
        }
    });
}

/// A tool whose names and texts try to leave their places.
pub(crate) fn hostile() -> ToolSpec {
    let evil = "\"); process.exit(1); /* */ \"\"\" '''\\ \n\r\u{2028}\u{202e}\u{0} */ }";
    let schema = json!({
        "type": "object",
        "properties": {
            evil: {"type": "string", "description": evil},
            "class": {"enum": [evil, "", null, 1, true, 1.5]},
            "__proto__": {"$ref": "#/$defs/Any"},
            "a-b": {"anyOf": [{"$ref": "#/$defs/Loop"}, {"type": "null"}]},
        },
        "required": [evil],
        "$defs": {
            "Any": {"type": "object", "properties": {"self": {"$ref": "#/$defs/Any"}}},
            "Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}, {"$ref": "#/$defs/Other"}]},
            "Other": {"oneOf": [{"$ref": "#/$defs/Loop"}]},
            "1 é": false,
        },
    });
    serde_json::from_value(json!({
        "name": "get-depot-item", "service": "depot", "title": evil, "short": evil,
        "description": evil, "section": evil, "category": "observe", "effect": "read",
        "approval_required": false, "enabled_by_default": true,
        "hints": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
        "input_schema": schema, "output_schema": schema, "binding": "native",
        "origin": {"document": "test", "pointer": "p"}, "evidence": [],
    }))
    .unwrap()
}

#[test]
fn a_program_in_typescript_calls_tools_through_the_gates() {
    let Some(real) = compilers() else {
        return;
    };
    let stage = Stage::start();
    let folder = stage.folder.path();
    fs::write(
        folder.join("tools.ts"),
        module(&stage.specs(), Language::TypeScript),
    )
    .unwrap();
    let program = r#"
import { ToolError, call, searchDepotItems } from "./tools.js";

const found = await searchDepotItems({ q: "lamp", limit: 50 });
const total: number = found.items.reduce((sum, item) => sum + item.quantity, 0);
let code = "";
try {
  await call("delete-depot-item", { item_id: "1" });
} catch (error) {
  if (error instanceof ToolError) code = error.code;
}
console.log(found.items.length, total, code);
"#;
    fs::write(folder.join("program.ts"), program).unwrap();
    fs::write(folder.join("package.json"), r#"{"type": "module"}"#).unwrap();
    let code = real.folder().join("code");
    compile(
        Command::new(code.join("node_modules/.bin/tsc"))
            .args([
                "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node",
            ])
            .arg("--typeRoots")
            .arg(code.join("node_modules/@types"))
            .arg("program.ts"),
        folder,
    );
    let printed = stage.run(Command::new("node").arg("program.js"));
    assert_eq!(printed, "20 570 tool_not_permitted");
}

/// Ten tasks as programs, next to the same calls by an agent with a list of tools.
#[test]
fn programs_cost_less_context_than_calls() {
    if compilers().is_none() {
        return;
    }
    let stage = Stage::start();
    let specs = stage.specs();
    let tasks = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/code/tasks");
    let folder = stage.folder.path();
    fs::write(folder.join("tools.py"), module(&specs, Language::Python)).unwrap();
    fs::copy(tasks.join("stock.py"), folder.join("stock.py")).unwrap();
    let list: usize = specs
        .iter()
        .map(|spec| json!(mcp::tool(spec, OutputSchemas::Cut)).to_string().len())
        .sum();
    let client = module([], Language::Python).len();
    let mut table = String::from(
        "| task | calls | errors | by calls: bytes | by a program: bytes | ratio |\n|---|---|---|---|---|---|\n",
    );
    let (mut all_calls, mut all_programs) = (0, 0);
    for (task, expected) in TASKS {
        let program = fs::read_to_string(tasks.join(format!("{task}.py"))).unwrap();
        fs::write(folder.join("program.py"), &program).unwrap();
        let before = count(&stage.traffic);
        let printed = stage.run(Command::new("python3").arg("program.py"));
        assert_eq!(printed, expected, "{task}");
        let after = count(&stage.traffic);
        let (calls, errors) = (after[0] - before[0], after[2] - before[2]);
        let by_calls = list + after[1] - before[1];
        let used = used(&specs, &format!("{program}{}", stock(&tasks, &program)));
        let signatures = module(used, Language::Python).len() - client;
        let by_program = signatures + program.len() + stock(&tasks, &program).len() + printed.len();
        assert!(by_program < by_calls, "{task}: {by_program} {by_calls}");
        let ratio = by_calls as f64 / by_program as f64;
        let row =
            format!("| {task} | {calls} | {errors} | {by_calls} | {by_program} | {ratio:.1} |\n");
        table.push_str(&row);
        all_calls += by_calls;
        all_programs += by_program;
    }
    let ratio = all_calls as f64 / all_programs as f64;
    table.push_str(&format!(
        "| all | | | {all_calls} | {all_programs} | {ratio:.1} |\n"
    ));
    println!("{table}");
    check_page(&table);
}

fn count(traffic: &Traffic) -> [usize; 3] {
    let all = [&traffic.calls, &traffic.bytes, &traffic.errors];
    all.map(|count| count.load(Ordering::SeqCst))
}

/// Returns the module that the program shares with others, if it uses it.
fn stock(tasks: &Path, program: &str) -> String {
    match program.contains("from stock") {
        true => fs::read_to_string(tasks.join("stock.py")).unwrap(),
        false => String::new(),
    }
}

/// Returns the tools whose functions a program uses.
fn used<'s>(specs: &'s [ToolSpec], program: &str) -> Vec<&'s ToolSpec> {
    let is_used = |spec: &&ToolSpec| program.contains(&spec.name.as_str().replace('-', "_"));
    specs.iter().filter(is_used).collect()
}

/// Compares the table of the page. Answers have ids and times of a length that does not change.
fn check_page(table: &str) {
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (shown, after) = rest.split_once(END).unwrap();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(PAGE, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    let titles = |table: &str| {
        table
            .lines()
            .map(|row| row.split('|').nth(1).map(str::to_owned))
            .collect::<Vec<_>>()
    };
    assert_eq!(titles(shown), titles(table), "run with UPDATE_EXPECT=1");
}
