//! Domain services: their documents as specifications, calls of them, and what is for their
//! writers.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use toolwright_eab::{
    crates::{Crates, DOCUMENT},
    serve_unix,
};
use toolwright_tests::Answer;

use crate::support::{Project, service};

fn project() -> Project {
    let project = Project::empty();
    project.write("specs/crates/eab.yaml", DOCUMENT);
    project
}

/// The reference service at a socket, for as long as the tests run.
fn start_service(folder: &Path) -> PathBuf {
    let socket = folder.join("crates.sock");
    let at = socket.clone();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(serve_unix(&at, Arc::new(Crates))).unwrap();
    });
    while !socket.exists() {
        thread::sleep(Duration::from_millis(5));
    }
    socket
}

#[test]
fn an_eab_document_is_accepted_like_any_specification() {
    let project = project();
    project.run(&["generate"]).expect(0);
    project.run(&["check"]).expect(0);
    let lock = project.read("specs/crates/names.lock");
    assert!(lock.contains("validate-crates-artifacts"), "{lock}");
    let manifest = project.read("generated/src/crates/manifest.json");
    assert!(manifest.contains("\"/api/v1/validate\""), "{manifest}");

    let document = "specs/crates/eab.yaml";
    let inspected = project
        .run(&["inspect", document, "--json"])
        .expect(0)
        .json();
    assert_eq!(inspected[0]["format"], "eab 1.0");
    assert_eq!(inspected[0]["service"], "crates");
    assert_eq!(inspected[0]["operations"], 7);
    assert_eq!(inspected[0]["types"]["untyped"], 0);
    let tools = inspected[0]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 7);
    assert!(tools.iter().all(|tool| tool["method"] == "POST"));
    let tool = "validate-crates-artifacts";
    project
        .run(&["explain", tool, "--spec", document])
        .expect(0)
        .prints("the standard method `validate`")
        .prints("`validate` is a standard method");
    project
        .run(&["show", tool, "--spec", document])
        .expect(0)
        .prints("POST /api/v1/validate of crates 1.0 at unix:/run/toolwright/crates.sock")
        .prints("300 s")
        .prints("cargo_manifest")
        .prints("library, binary, feature");
    project
        .run(&["dump", "--stage", "parse", document])
        .expect(0)
        .prints("/api/v1/validate");

    let renamed = DOCUMENT.replace("  review_rules:", "  review_rulez:");
    project.write(
        "specs/crates/eab.yaml",
        renamed.replace("summary:", "sumary:"),
    );
    project
        .run(&["generate"])
        .expect(100)
        .says("unknown key `sumary`")
        .says("a similar key is `summary`");
}

#[test]
fn a_call_goes_to_the_configured_endpoint() {
    let project = project();
    let socket = start_service(&project.path(""));
    project.configure(format!(
        "[[services]]\nname = \"crates\"\ntransport = \"unix\"\nendpoint = \"{}\"\n",
        socket.display()
    ));
    project.write("package/Cargo.toml", "[package]\nname = \"1\"\n");
    let call = |tool: &str, arguments: &str| {
        project.run(&[
            "call",
            tool,
            "--spec",
            "specs/crates/eab.yaml",
            "--role",
            "linter",
            "--grant",
            "category:observe",
            "--args",
            arguments,
            "--json",
        ])
    };
    let found = call("validate-crates-artifacts", "{\"path\": \"package\"}")
        .expect(0)
        .json();
    assert_eq!(found[0]["status"], "failure");
    assert_eq!(
        found[0]["diagnostics"][0]["location"]["element"],
        "package.name"
    );
    let absent = call("validate-crates-artifacts", "{\"path\": \"none\"}")
        .expect(7)
        .json();
    assert_eq!(absent[0]["error"]["code"], "artifact_not_found");
    assert_eq!(absent[0]["error"]["retryable"], false);
}

#[test]
fn a_service_receives_the_context_of_the_run() {
    let project = project();
    let handshake = serde_json::json!({
        "service": "crates", "version": "1", "api_version": "1.0", "domain": "packaging",
        "capabilities": ["review_rules"], "status": "ready",
    });
    let recorder = service(Answer::json(200, handshake.to_string()));
    let endpoint = format!("[services.crates]\nendpoint = \"{}\"\n", recorder.url());
    project.configure(endpoint);
    let arguments = [
        "call",
        "review-crates-rules",
        "--spec",
        "specs/crates/eab.yaml",
        "--role",
        "linter",
        "--grant",
        "category:observe",
        "--run",
        "run-7",
        "--node",
        "review",
        "--work-item",
        "W-1",
    ];
    // The service responds to every request with its handshake.
    project
        .run(&arguments)
        .expect(7)
        .says("the answer of the service `crates` does not conform: at `/request_id`");
    let caller = "\"caller\":{\"system\":\"toolwright\",\"role\":\"linter\",\"run\":\"run-7\",\"node\":\"review\",\"work_item\":\"W-1\"}";
    let requests = recorder.take_requests();
    assert_eq!(requests.len(), 2);
    assert!(
        requests.iter().all(|request| request.contains(caller)),
        "{requests:?}"
    );
}

#[test]
fn verify_passes_a_conforming_service_and_reports_faults() {
    let project = project();
    let socket = start_service(&project.path(""));
    let socket = socket.to_str().unwrap();
    let verify = |document: &str, more: &[&str]| {
        let arguments = [
            &[
                "eab",
                "verify",
                document,
                "--endpoint",
                socket,
                "--repository",
                ".",
            ][..],
            more,
        ];
        project.run(&arguments.concat())
    };
    let document = "specs/crates/eab.yaml";
    verify(document, &["--writes"])
        .expect(0)
        .prints(" 0 failed, 0 skipped");
    let report = verify(document, &["--json"]).expect(0).json();
    assert_eq!(report[0]["passed"], true);
    let skipped = report[0]["checks"].as_array().unwrap().iter();
    let skipped = skipped
        .filter(|check| check["verdict"] == "skipped")
        .count();
    assert_eq!(skipped, 2, "`normalise` and `explain_rule` are not called");

    project.write(
        "other.yaml",
        DOCUMENT.replace("  dependency_graph:", "  layout_graph:"),
    );
    verify("other.yaml", &[])
        .expect(100)
        .prints("it lacks the method `layout_graph` of the document");
    project.write("memo.yaml", crate::support::NOTES);
    verify("memo.yaml", &[])
        .expect(100)
        .says("does not declare a domain service");
    project
        .run(&["eab", "verify", document, "--endpoint", "nowhere"])
        .expect(2)
        .says("is not the path of a socket");
}

#[test]
fn scaffold_does_not_overwrite_the_users_files() {
    let project = project();
    let scaffold = || {
        let arguments = [
            "eab",
            "scaffold",
            "specs/crates/eab.yaml",
            "--out",
            "service",
        ];
        project.run(&arguments).expect(0)
    };
    let written = scaffold();
    for file in [
        "Cargo.toml",
        "src/main.rs",
        "src/lib.rs",
        "src/service.rs",
        "src/adapters/types.rs",
    ] {
        assert!(project.path("service").join(file).is_file(), "{file}");
        assert!(written.stdout.contains(file), "{}", written.stdout);
    }
    let main = project.path("service/src/main.rs");
    fs::write(&main, "fn main() {}\n").unwrap();
    fs::write(project.path("service/src/lib.rs"), "broken").unwrap();
    assert_eq!(scaffold().stdout.lines().count(), 1);
    assert_eq!(fs::read_to_string(main).unwrap(), "fn main() {}\n");
}
