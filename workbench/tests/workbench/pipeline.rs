//! One run of a pipeline over a small repository, played by a test with the built-in profiles: each node does
//! its work, and tries what it must not do.

use std::{collections::BTreeMap, fs, os::unix::fs::symlink, path::Path, sync::Arc};

use serde_json::{Value, json};
use toolwright::{
    Credentials, Registry, Role, ScopedToolView,
    audit::AuditFile,
    config::{Config, Repository},
    eab::RunContext,
    policy::{BUILT_IN, Variables},
};
use toolwright_audit::{
    Entry,
    search::{Filter, search},
    usage::Usage,
};
use toolwright_eab::{crates::Crates, serve_unix};

use crate::{
    folder::{Folder, code, toolchain},
    git::git,
};

const RUN: &str = "run-1";

/// The commands of code generation, which the operator adds to its built-in profile.
const COMMANDS: &str = r#"
[roles.code-generation]
profiles = ["code-generation", "commands"]
[profiles.commands]
tools = ["run-shell-command"]
[[profiles.commands.scopes]]
allowed_commands = ["build = cargo build --locked --offline", "touch = touch <file:path>"]
max_execution_time_seconds = "300"
program_folders = "{toolchain}"
writable_folders = "target"
executable_folders = "target"
environment = ["CARGO_HOME=target/cargo-home", "CARGO_INCREMENTAL=0"]
max_memory_bytes = "4000000000"
"#;

/// A layer that refuses a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    /// The role is not offered the tool.
    Offer,
    /// The scope of the role, by the arguments.
    Scope,
    /// The scope of the role, by what the arguments lead to.
    Found,
    /// The tool itself: it does not do such a thing.
    Tool,
}

use Layer::{Found, Offer, Scope, Tool};

/// The calls that must fail: the node, the tool, its arguments, the code of the error, and the layer.
fn forbidden() -> Vec<(&'static str, &'static str, Value, &'static str, Layer)> {
    let write = |path: &str| json!({"path": path, "content": "x"});
    let read = |path: &str| json!({"path": path});
    let commit =
        |branch: &str, path: &str| json!({"branch": branch, "paths": [path], "message": "x"});
    let unknown = "tool_not_permitted";
    let outside = "scope_violation";
    let protected = "protected_path";
    vec![
        (
            "intake",
            "write-repo-file",
            write("src/inventory/mod.rs"),
            unknown,
            Offer,
        ),
        (
            "intake",
            "create-git-commit",
            commit("cogworks/swi-1", "src/inventory/mod.rs"),
            unknown,
            Offer,
        ),
        ("intake", "get-git-diff", json!({}), unknown, Offer),
        (
            "intake",
            "fetch-web-page",
            json!({"url": "https://example.com/"}),
            unknown,
            Offer,
        ),
        (
            "intake",
            "read-repo-file",
            read("../outside"),
            outside,
            Scope,
        ),
        (
            "intake",
            "read-repo-file",
            read("/etc/shadow"),
            outside,
            Scope,
        ),
        ("intake", "read-repo-file", read("src/out"), outside, Found),
        (
            "intake",
            "read-repo-file",
            read("src/hard"),
            "hard_link",
            Tool,
        ),
        (
            "architecture",
            "create-repo-file",
            write("docs/new.md"),
            unknown,
            Offer,
        ),
        (
            "architecture",
            "delete-repo-file",
            read("docs/guide.md"),
            unknown,
            Offer,
        ),
        (
            "architecture",
            "search-docs-pages",
            json!({"query": "x", "path": ".."}),
            outside,
            Found,
        ),
        (
            "architecture",
            "search-repo-code",
            json!({"pattern": "x", "path": "src/up"}),
            outside,
            Found,
        ),
        (
            "architecture",
            "validate-crates-artifacts",
            json!({}),
            unknown,
            Offer,
        ),
        (
            "interface-design",
            "edit-repo-file",
            write("src/lib.rs"),
            unknown,
            Offer,
        ),
        (
            "interface-design",
            "search-docs-pages",
            json!({"query": "stock"}),
            unknown,
            Offer,
        ),
        (
            "interface-design",
            "list-repo-files",
            read("src/up"),
            outside,
            Found,
        ),
        (
            "planning",
            "create-git-branch",
            json!({"branch": "cogworks/swi-2"}),
            unknown,
            Offer,
        ),
        (
            "planning",
            "run-shell-command",
            json!({"command": "sh"}),
            unknown,
            Offer,
        ),
        (
            "planning",
            "find-repo-files",
            json!({"pattern": "*", "path": "/"}),
            outside,
            Found,
        ),
        (
            "code-generation",
            "write-repo-file",
            write("src/lib.rs"),
            outside,
            Scope,
        ),
        (
            "code-generation",
            "write-repo-file",
            write("src/payment/mod.rs"),
            outside,
            Scope,
        ),
        (
            "code-generation",
            "create-repo-file",
            write("src/inventory/../payment/x.rs"),
            outside,
            Scope,
        ),
        (
            "code-generation",
            "create-repo-file",
            write("build.rs"),
            outside,
            Scope,
        ),
        (
            "code-generation",
            "create-repo-file",
            write(".git/hooks/post-commit"),
            protected,
            Scope,
        ),
        (
            "code-generation",
            "write-repo-file",
            write("toolwright.toml"),
            protected,
            Scope,
        ),
        (
            "code-generation",
            "write-repo-file",
            write("src/inventory/.git/config"),
            protected,
            Scope,
        ),
        (
            "code-generation",
            "create-repo-file",
            write("src/inventory/up/x.rs"),
            outside,
            Found,
        ),
        (
            "code-generation",
            "write-repo-file",
            write("src/inventory/payment/mod.rs"),
            outside,
            Found,
        ),
        (
            "code-generation",
            "write-repo-file",
            write("src/inventory/hard.rs"),
            "hard_link",
            Tool,
        ),
        (
            "code-generation",
            "create-repo-file",
            write("src/inventory/mod.rs"),
            "file_exists",
            Tool,
        ),
        (
            "code-generation",
            "create-git-branch",
            json!({"branch": "main2"}),
            outside,
            Scope,
        ),
        (
            "code-generation",
            "create-git-commit",
            commit("main", "src/inventory/mod.rs"),
            outside,
            Scope,
        ),
        (
            "code-generation",
            "create-git-commit",
            commit("cogworks/swi-1", ".git/config"),
            protected,
            Scope,
        ),
        (
            "code-generation",
            "create-git-commit",
            commit("cogworks/swi-9", "src/inventory/mod.rs"),
            "other_branch",
            Tool,
        ),
        (
            "code-generation",
            "run-shell-command",
            json!({"command": "sh"}),
            "command_not_allowed",
            Tool,
        ),
        (
            "code-generation",
            "run-shell-command",
            json!({"command": "touch", "values": {"file": "--help"}}),
            "command_value_refused",
            Tool,
        ),
        (
            "code-generation",
            "fetch-web-page",
            json!({"url": "https://example.com/"}),
            unknown,
            Offer,
        ),
        (
            "review",
            "write-repo-file",
            write("src/inventory/mod.rs"),
            unknown,
            Offer,
        ),
        (
            "review",
            "normalise-crates-artifacts",
            json!({}),
            unknown,
            Offer,
        ),
        (
            "review",
            "read-repo-file",
            read("src/up/outside"),
            outside,
            Found,
        ),
        (
            "integration",
            "create-git-commit",
            commit("cogworks/swi-1", "src/inventory/mod.rs"),
            unknown,
            Offer,
        ),
        (
            "integration",
            "search-repo-text",
            json!({"text": "x"}),
            unknown,
            Offer,
        ),
        (
            "integration",
            "create-git-branch",
            json!({"branch": "release"}),
            outside,
            Scope,
        ),
        (
            "integration",
            "get-git-diff",
            json!({"from": "--output=x"}),
            "unknown_revision",
            Tool,
        ),
    ]
}

/// Creates the repository, with links that lead out of it.
fn repository() -> Folder {
    let manifest = "[package]\nname = \"stock\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                    description = \"Stock\"\nlicense = \"MIT\"\n";
    let folder = Folder::new(&[
        ("Cargo.toml", manifest),
        (
            "Cargo.lock",
            "version = 4\n\n[[package]]\nname = \"stock\"\nversion = \"0.1.0\"\n",
        ),
        (".gitignore", "/target\n"),
        ("target/.keep", ""),
        ("README.md", "# Stock\n\nSee docs.\n"),
        (
            "docs/guide.md",
            "# Guide\n\n## Reservations\n\nA reservation expires after a day.\n",
        ),
        ("src/lib.rs", "pub mod inventory;\npub mod payment;\n"),
        (
            "src/inventory/mod.rs",
            "pub fn count() -> u32 {\n    0\n}\n",
        ),
        ("src/payment/mod.rs", "pub fn pay() {}\n"),
        ("toolwright.toml", ""),
    ]);
    git(&folder, &["init", "--quiet", "--initial-branch=main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "--message=First"]);
    let outer = folder.outside().parent().unwrap().to_owned();
    symlink(folder.outside(), folder.path("src/out")).unwrap();
    symlink(&outer, folder.path("src/up")).unwrap();
    symlink(&outer, folder.path("src/inventory/up")).unwrap();
    symlink("../payment", folder.path("src/inventory/payment")).unwrap();
    fs::hard_link(folder.outside(), folder.path("src/hard")).unwrap();
    fs::hard_link(
        folder.path("src/lib.rs"),
        folder.path("src/inventory/hard.rs"),
    )
    .unwrap();
    folder
}

/// The registry of the pipeline, with a domain service on a socket.
fn registry(folder: &Folder, audit: &Path) -> Registry {
    let socket = folder.outside().with_file_name("crates.sock");
    let service = socket.clone();
    tokio::spawn(async move { serve_unix(&service, Arc::new(Crates)).await });
    let policy = format!(
        "[services.crates]\nendpoint = \"unix:{}\"\n{}",
        socket.display(),
        COMMANDS.replace("{toolchain}", &toolchain().display().to_string())
    );
    let config = Config::parse(Path::new("toolwright.toml"), &policy).unwrap();
    let registry = Registry::builder()
        .linked_tools()
        .embedded(toolwright_generated::crates::TOOLS)
        .pipeline_roles()
        .config(config)
        .enable("*")
        .repository(Repository {
            path: Some(folder.root()),
            ..Repository::default()
        })
        .credentials(Credentials::none())
        .audit(AuditFile::new(audit))
        .build();
    registry.unwrap_or_else(|error| panic!("{error}"))
}

fn view(registry: &Registry, node: &str) -> ScopedToolView {
    let run = RunContext {
        run: Some(RUN.to_owned()),
        node: Some(node.to_owned()),
        work_item: Some("SWI-1".to_owned()),
        ..RunContext::default()
    };
    let variables = Variables::new().with("affected_modules", "inventory");
    registry
        .open(&Role::new(node).unwrap(), run, variables)
        .unwrap()
}

async fn call(view: &ScopedToolView, tool: &str, arguments: Value) -> Value {
    let called = view.call_json(tool, arguments).await;
    called
        .unwrap_or_else(|error| panic!("{tool}: {error}"))
        .value
}

/// The nodes before and after code generation.
async fn understand(registry: &Registry) {
    let intake = view(registry, "intake");
    let files = call(&intake, "list-repo-files", json!({"depth": 3})).await;
    assert!(
        files.to_string().contains("src/inventory/mod.rs"),
        "{files}"
    );
    call(&intake, "read-repo-file", json!({"path": "README.md"})).await;
    let architecture = view(registry, "architecture");
    let code = call(
        &architecture,
        "search-repo-code",
        json!({"pattern": "fn \\w+", "language": "rust"}),
    )
    .await;
    assert_eq!(code["file_count"], 2);
    let pages = json!({"query": "when do reservations expire"});
    let pages = call(&architecture, "search-docs-pages", pages).await;
    assert_eq!(
        pages["sections"][0]["headings"],
        json!(["Guide", "Reservations"])
    );
    let design = view(registry, "interface-design");
    call(&design, "find-repo-files", json!({"pattern": "*.rs"})).await;
    let planning = view(registry, "planning");
    call(&planning, "search-repo-text", json!({"text": "pub mod"})).await;
}

async fn generate(registry: &Registry) {
    let coder = view(registry, "code-generation");
    call(
        &coder,
        "create-git-branch",
        json!({"branch": "cogworks/swi-1"}),
    )
    .await;
    let reserve =
        json!({"path": "src/inventory/reserve.rs", "content": "pub const DAYS: u32 = 1;\n"});
    call(&coder, "create-repo-file", reserve).await;
    let edit = json!({"path": "src/inventory/mod.rs", "old_text": "pub fn count",
        "new_text": "pub mod reserve;\n\npub fn count"});
    let edited = call(&coder, "edit-repo-file", edit).await;
    assert!(
        edited["diff"]
            .as_str()
            .unwrap()
            .contains("+pub mod reserve;"),
        "{edited}"
    );
    let built = call(&coder, "run-shell-command", json!({"command": "build"})).await;
    assert_eq!(built["success"], true, "{built}");
    // The sandbox opens no source to a command.
    let touch = json!({"command": "touch", "values": {"file": "src/payment/new.rs"}});
    let touched = call(&coder, "run-shell-command", touch).await;
    assert_eq!(touched["success"], false, "{touched}");
    let commit = json!({"branch": "cogworks/swi-1", "message": "Add reservations",
        "paths": ["src/inventory/mod.rs", "src/inventory/reserve.rs"]});
    call(&coder, "create-git-commit", commit).await;
}

async fn review_and_integrate(registry: &Registry) {
    let review = view(registry, "review");
    call(
        &review,
        "read-repo-file",
        json!({"path": "src/inventory/reserve.rs"}),
    )
    .await;
    let validated = call(&review, "validate-crates-artifacts", json!({})).await;
    assert_eq!(validated["status"], "success", "{validated}");
    let integration = view(registry, "integration");
    let status = call(&integration, "get-git-status", json!({})).await;
    assert_eq!(status["branch"], "cogworks/swi-1");
    let diff = json!({"from": "main", "to": "cogworks/swi-1"});
    let diff = call(&integration, "get-git-diff", diff).await;
    let expected = json!(["src/inventory/mod.rs", "src/inventory/reserve.rs"]);
    assert_eq!(diff["files"], expected);
    let commits = call(&integration, "list-git-commits", json!({"limit": 1})).await;
    let message = commits["commits"][0]["message"].as_str().unwrap();
    assert!(
        message.contains("Toolwright-Role: code-generation"),
        "{message}"
    );
}

fn usage(audit: &Path) -> Usage {
    let filter = Filter {
        run: Some(RUN.to_owned()),
        ..Filter::default()
    };
    let mut usage = Usage::default();
    let found = search(audit, &filter, &mut |_, entry: &Entry<'_>| {
        usage.add(entry);
        Ok(())
    });
    found.unwrap();
    usage.finish()
}

pub(crate) async fn a_pipeline_does_its_work_and_nothing_else() {
    let folder = repository();
    let audit = folder.outside().with_file_name("audit.jsonl");
    let registry = registry(&folder, &audit);
    understand(&registry).await;
    generate(&registry).await;
    let before = git(&folder, &["status", "--porcelain", "--untracked-files=all"]);
    let heads = git(&folder, &["for-each-ref"]);
    let forbidden = forbidden();
    let mut layers = BTreeMap::<Layer, u64>::new();
    for (node, tool, arguments, expected, layer) in &forbidden {
        let refused = view(&registry, node)
            .call_json(tool, arguments.clone())
            .await;
        let refused = refused.map(|output| output.value);
        assert_eq!(code(refused), *expected, "{node} {tool} {arguments}");
        *layers.entry(*layer).or_default() += 1;
    }
    assert!(forbidden.len() >= 40);
    assert_eq!(
        git(&folder, &["status", "--porcelain", "--untracked-files=all"]),
        before
    );
    assert_eq!(git(&folder, &["for-each-ref"]), heads);
    assert_eq!(fs::read_to_string(folder.outside()).unwrap(), "outside");
    review_and_integrate(&registry).await;
    let usage = usage(&audit);
    // A refusal by the offer or the scope is a denial. A refusal by the tool itself is a call that failed.
    let count = |layer| layers.get(&layer).copied().unwrap_or_default();
    assert_eq!(usage.total.ok, 17, "{usage:#?}");
    assert_eq!(
        usage.total.denied,
        count(Offer) + count(Scope),
        "{:#?}",
        usage.denials
    );
    assert_eq!(usage.total.failed, count(Found) + count(Tool));
    let offer = ["not_granted", "unknown_tool"].map(|reason| usage.denials.get(reason));
    let offer: u64 = offer.into_iter().flatten().sum();
    assert_eq!(offer, count(Offer));
    assert_eq!(usage.scope_violations, count(Scope) + count(Found));
    assert_eq!(usage.tools["create-repo-file"].ok, 1);
    assert_eq!(usage.tools["edit-repo-file"].ok, 1);
    assert_eq!(usage.tools["validate-crates-artifacts"].ok, 1);
    assert_eq!(usage.tools["run-shell-command"].ok, 2);
    assert_eq!(usage.kinds["raw"].ok, 17);
    assert_eq!(usage.roles.len(), BUILT_IN.len());
}
