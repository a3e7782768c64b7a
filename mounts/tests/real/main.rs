//! Six servers of others, from npm and PyPI, in the sandbox.
//!
//! With `TOOLWRIGHT_REAL=1`, they are installed below `REAL` (`target/real`). Without it, the tests are skipped.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod everything;

use std::{
    env, fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::Arc,
    thread,
};

use serde_json::{Value, json};
use toolwright::{
    Category, Registry, Role, ServiceName, ToolSpec, audit::MemoryAudit, config::Config,
};
use toolwright_generator::{
    generate::{self, Input, Options, Unnameable},
    load::Disk,
};
use toolwright_mounts::{Acceptance, DOCUMENT_FILE, Document, Lock, Mount};
use toolwright_test_trials::{run, trials};

fn main() -> ExitCode {
    // The program is also the child of its sandbox.
    toolwright_sandbox::serve(&[]);
    if env::var_os("TOOLWRIGHT_REAL").is_none() {
        eprintln!("skipped: the tests with six real servers: set TOOLWRIGHT_REAL=1");
        return ExitCode::SUCCESS;
    }
    install();
    run(trials![
        files,
        memory,
        everything::everything,
        git,
        time,
        fetch
    ])
}

/// Returns the folder of the installation.
fn folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/real");
    env::var_os("REAL").map_or(root, PathBuf::from).join("mcp")
}

fn install() {
    let folder = folder();
    fs::create_dir_all(&folder).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        let status = command.args(arguments).current_dir(&folder).status();
        assert!(status.unwrap().success(), "{program} {arguments:?}");
    };
    if !folder
        .join("node_modules/@modelcontextprotocol/server-everything")
        .exists()
    {
        let packages = [
            "@modelcontextprotocol/server-filesystem",
            "@modelcontextprotocol/server-memory",
            "@modelcontextprotocol/server-everything",
        ];
        run(
            "npm",
            &[
                &["install", "--no-audit", "--no-fund", "--silent"],
                packages.as_slice(),
            ]
            .concat(),
        );
    }
    if !folder.join("venv/bin/mcp-server-time").exists() {
        run("python3", &["-m", "venv", "venv"]);
        let packages = ["mcp-server-git", "mcp-server-fetch", "mcp-server-time"];
        run(
            "venv/bin/pip",
            &[&["install", "-q"], packages.as_slice()].concat(),
        );
    }
}

/// A mounted server whose tools were all accepted.
struct World {
    specs: Vec<ToolSpec>,
    registry: Registry,
    /// The folder of the project, in which the server starts.
    _root: tempfile::TempDir,
}

impl World {
    async fn new(service: &str, table: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let text = format!("[mcp.{service}]\n{table}\nstart_seconds = 60\n");
        let config = Config::parse(&root.path().join("toolwright.toml"), &text).unwrap();
        let name = ServiceName::new(service).unwrap();
        let server = &config.mcp[&name].value;
        let mount = |lock, document: &Document| {
            Mount::new(name.clone(), server.clone(), lock, document, |changed| {
                eprintln!("changed: {changed:?}");
            })
        };
        let listing = mount(Lock::default(), &Document::default())
            .listing()
            .await
            .unwrap();
        assert!(listing.faults.is_empty(), "{:?}", listing.faults);
        let document = Document::new(listing.definitions.values().cloned());
        let mut lock = Lock::default();
        for definition in document.definitions() {
            let accepted = Acceptance {
                definition: definition.digest(),
                by: "ann".to_owned(),
                why: "a test".to_owned(),
                at: "2026-01-02T03:04:05Z".parse().unwrap(),
            };
            lock.insert(definition.name(), accepted);
        }
        let path = root.path().join(DOCUMENT_FILE);
        fs::write(&path, document.to_text(&name, ("server", "1"))).unwrap();
        let options = Options {
            unnameable: Unnameable::LeaveOut,
            ..Options::default()
        };
        let outcome = generate::run(&[Input::new(path.to_string_lossy())], options, &Disk);
        let specs = outcome.catalog.unwrap().tool_specs();
        let mount = mount(lock, &document);
        let registry = Registry::builder()
            .tools(specs.iter().map(|spec| mount.tool(spec.clone())))
            .grant("all", "*")
            .enable("*")
            .audit(Arc::new(MemoryAudit::new()))
            .build()
            .unwrap();
        for spec in &specs {
            let tool = &spec.mcp().unwrap().tool;
            println!(
                "{service}: {tool} is {} ({}, {})",
                spec.name, spec.category, spec.effect
            );
        }
        Self {
            specs,
            registry,
            _root: root,
        }
    }

    /// Returns the tool of a server's tool.
    fn spec(&self, tool: &str) -> &ToolSpec {
        let mut specs = self.specs.iter();
        specs.find(|spec| spec.mcp().unwrap().tool == tool).unwrap()
    }

    /// Calls a tool that only reads.
    async fn read(&self, tool: &str, arguments: Value) -> String {
        let spec = self.spec(tool);
        assert_eq!(
            spec.category,
            Category::Observe,
            "{tool}: {:?}",
            spec.evidence
        );
        let view = self.registry.for_agent(&Role::new("all").unwrap());
        let called = view.call_json(spec.name.as_str(), arguments).await;
        called.unwrap().value.to_string()
    }

    /// Asserts that tools change something, so they are off by default.
    fn change(&self, tools: &[&str]) {
        for tool in tools {
            let spec = self.spec(tool);
            assert_eq!(
                spec.category,
                Category::Execute,
                "{tool}: {:?}",
                spec.evidence
            );
            assert!(!spec.enabled_by_default, "{tool}");
        }
    }
}

fn node(package: &str) -> String {
    let modules = folder().join("node_modules").canonicalize().unwrap();
    let script = modules
        .join("@modelcontextprotocol")
        .join(package)
        .join("dist/index.js");
    format!("\"/usr/bin/node\", {script:?}")
}

/// Returns the Python of the installation, and the folders that it consists of.
fn python() -> (String, String) {
    let venv = folder().join("venv").canonicalize().unwrap();
    let real = venv.join("bin/python3").canonicalize().unwrap();
    let base = real.parent().and_then(Path::parent).unwrap().to_owned();
    (
        format!("{:?}", venv.join("bin/python3")),
        format!("{venv:?}, {base:?}"),
    )
}

async fn files() {
    let notes = tempfile::tempdir().unwrap();
    let notes = notes.path().canonicalize().unwrap();
    fs::write(notes.join("a.txt"), "the first note").unwrap();
    let (command, modules) = (node("server-filesystem"), folder().canonicalize().unwrap());
    let table = format!("command = [{command}, {notes:?}]\nread = [{notes:?}, {modules:?}]");
    let world = World::new("files", &table).await;
    let listed = world.read("list_directory", json!({"path": notes})).await;
    assert!(listed.contains("a.txt"), "{listed}");
    let found = world
        .read(
            "search_files",
            json!({"path": notes, "pattern": "**/*.txt"}),
        )
        .await;
    assert!(found.contains("a.txt"), "{found}");
    world.change(&["write_file", "edit_file", "move_file", "create_directory"]);
}

async fn memory() {
    let store = tempfile::tempdir().unwrap();
    let store = store.path().canonicalize().unwrap();
    let line = json!({"type": "entity", "name": "Ann", "entityType": "person", "observations": ["writes"]});
    fs::write(store.join("memory.json"), format!("{line}\n")).unwrap();
    let (command, modules) = (node("server-memory"), folder().canonicalize().unwrap());
    let table = format!(
        "command = [{command}]\nread = [{modules:?}]\nwrite = [{store:?}]\n\
         environment = {{ MEMORY_FILE_PATH = {:?} }}",
        store.join("memory.json")
    );
    let world = World::new("memory", &table).await;
    let found = world.read("search_nodes", json!({"query": "Ann"})).await;
    assert!(found.contains("writes"), "{found}");
    world.change(&[
        "create_entities",
        "add_observations",
        "delete_entities",
        "delete_relations",
    ]);
}

async fn git() {
    let repository = tempfile::tempdir().unwrap();
    let repository = repository.path().canonicalize().unwrap();
    for arguments in [
        ["init", "-q", "-b", "main"].as_slice(),
        &[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.example",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "the first commit",
        ],
    ] {
        let mut command = Command::new("git");
        assert!(
            command
                .args(arguments)
                .current_dir(&repository)
                .status()
                .unwrap()
                .success()
        );
    }
    let (program, parts) = python();
    let table = format!(
        "command = [{program}, \"-m\", \"mcp_server_git\", \"--repository\", {repository:?}]\n\
         execute = [{parts}]\nread = [{repository:?}]"
    );
    let world = World::new("git", &table).await;
    world.change(&[
        "git_commit",
        "git_add",
        "git_reset",
        "git_create_branch",
        "git_checkout",
    ]);
    // The names say too little, so a person decides about each call of them.
    let log = world.spec("git_log");
    assert!(log.approval_required || log.category == Category::Observe);
    let branches = world
        .read(
            "git_branch",
            json!({"repo_path": repository, "branch_type": "local"}),
        )
        .await;
    assert!(branches.contains("main"), "{branches}");
}

async fn time() {
    let (program, parts) = python();
    let table = format!(
        "command = [{program}, \"-m\", \"mcp_server_time\", \"--local-timezone\", \"UTC\"]\nexecute = [{parts}]"
    );
    let world = World::new("time", &table).await;
    let now = world
        .read("get_current_time", json!({"timezone": "Europe/Berlin"}))
        .await;
    assert!(now.contains("Europe/Berlin"), "{now}");
}

async fn fetch() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let page = "<html><body><h1>The page</h1><p>Some words of it.</p></body></html>";
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";
            let _ = write!(stream, "{head}Content-Length: {}\r\n\r\n{page}", page.len());
        }
    });
    let (program, parts) = python();
    let table = format!(
        "command = [{program}, \"-m\", \"mcp_server_fetch\", \"--ignore-robots-txt\", \"--allow-private-ips\"]\n\
         execute = [{parts}]\nports = [{port}]"
    );
    let world = World::new("fetch", &table).await;
    let page = world
        .read(
            "fetch",
            json!({"url": format!("http://127.0.0.1:{port}/"), "raw": true}),
        )
        .await;
    assert!(page.contains("Some words"), "{page}");
}
