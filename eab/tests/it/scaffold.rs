//! The skeleton of a service: it compiles unchanged, and passes the kit once its methods are filled
//! in.

use std::{
    collections::BTreeSet,
    env, fs,
    net::TcpListener,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::Arc,
    time::Duration,
};

use serde_json::json;
use toolwright::{
    Credentials, Registry, Role,
    audit::MemoryAudit,
    eab::{Endpoint, RunContext},
};
use toolwright_eab::kit::{CheckVerdict, Options, verify};
use toolwright_generator::{
    emit::{CrateOptions, skeleton},
    generate::{self, Input, Options as Generation},
    load::Memory,
};

use crate::support::at;

const DOCUMENT: &str = include_str!("scaffold/eab.yaml");

/// Writes the skeleton and gives its folder.
fn scaffold() -> PathBuf {
    let files = Memory([("eab.yaml".to_owned(), DOCUMENT.as_bytes().to_vec())].into());
    let outcome = generate::run(&[Input::new("eab.yaml")], Generation::default(), &files);
    let catalog = outcome.catalog.unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = fs::canonicalize(root).unwrap();
    let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scaffold");
    let folder = workspace.join("circuits-service");
    let options = CrateOptions {
        checkout: Some(root),
        own_workspace: false,
    };
    let tree = skeleton(&catalog.services()[0], &options);
    for own in ["Cargo.toml", "src/main.rs"] {
        assert!(tree.is_initial(own));
    }
    for (file, text) in tree.iter() {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    toolwright_test_cargo::write_workspace(&workspace, &["circuits-service"]).unwrap();
    folder
}

/// Builds the crate and gives its program.
fn build(folder: &Path) -> PathBuf {
    let output = toolwright_test_cargo::command("build")
        .unwrap()
        .args(["--quiet", "--workspace"])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("warning"), "{said}");
    let test = env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    profile.join("circuits-service")
}

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the program, and gives it with the places at which it serves.
async fn start(program: &Path, folder: &Path) -> (Running, [Endpoint; 2]) {
    let socket = folder.join("circuits.sock");
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = port.local_addr().unwrap().to_string();
    drop(port);
    let program = Command::new(program)
        .args([socket.as_os_str(), address.as_ref()])
        .spawn();
    let running = Running(program.unwrap());
    for _ in 0..500 {
        if UnixStream::connect(&socket).is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let http = Endpoint::Http(format!("http://{address}"));
    (running, [Endpoint::Unix(socket), http])
}

#[tokio::test]
async fn an_implemented_skeleton_compiles_and_passes_the_kit() {
    let folder = scaffold();
    let run = tempfile::tempdir().unwrap();
    let tools = crate::support::tools(DOCUMENT);
    // The unchanged skeleton completes the handshake, and reports that it implements nothing yet.
    let (unfilled, [socket, _]) = start(&build(&folder), run.path()).await;
    let report = verify(&tools, &Options::new(socket)).await;
    let failed = report.checks.iter();
    let failed = failed.filter(|check| check.verdict == CheckVerdict::Failed);
    let ids: BTreeSet<_> = failed.map(|check| check.id).collect();
    assert_eq!(ids, ["method.runs"].into(), "{report:#?}");
    drop(unfilled);

    let filled = include_str!("scaffold/filled.rs");
    fs::write(folder.join("src/main.rs"), filled).unwrap();
    let (_running, endpoints) = start(&build(&folder), run.path()).await;
    for endpoint in endpoints {
        let mut options = Options::new(endpoint.clone());
        options.calls_that_write = true;
        let report = verify(&tools, &options).await;
        let checks = report.checks.iter();
        let wrong: Vec<_> = checks
            .filter(|check| check.verdict != CheckVerdict::Passed)
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        judges_contracts(&endpoint).await;
    }
}

/// The service is called by its adapter, in a run that has interface contracts.
async fn judges_contracts(endpoint: &Endpoint) {
    let registry = Registry::builder()
        .specs(crate::support::tools(DOCUMENT))
        .service("circuits".parse().unwrap(), at(endpoint))
        .credentials(Credentials::new("nowhere").with_variables(|_| None))
        .grant("reviewer", "category:observe")
        .audit(Arc::new(MemoryAudit::new()))
        .build()
        .unwrap();
    let view = registry.for_agent(&Role::new("reviewer").unwrap());
    let contracts = json!({"supply": {"name": "main"}, "motor": {"name": "drive"}});
    let view = view.in_run(RunContext {
        interface_contracts: Some(contracts),
        ..RunContext::default()
    });
    let output = view
        .call_for_artifact("extract_interfaces", "netlist", json!({}))
        .await
        .unwrap();
    assert_eq!(
        output.value["result"]["rails"],
        json!([{"name": "main", "volts": 5}])
    );
    let results = output.value["constraint_results"].as_array().unwrap();
    let held = results
        .iter()
        .map(|result| (&result["contract"], &result["satisfied"]));
    let held: Vec<_> = held.collect();
    assert_eq!(
        held,
        [
            (&json!("supply"), &json!(true)),
            (&json!("motor"), &json!(false))
        ]
    );
}
