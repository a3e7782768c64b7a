//! `new`, `add` and `refresh`: a project and its services.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use serde_json::Value;
use toolwright_tests::Answer;

use crate::{
    project::{SHOP, listed},
    support::{NOTES, Project, service},
};

const POLICY: &str = "[roles.reader]\ngrant = [\"category:observe\"]\n";

/// An answer with a specification.
fn document(text: &str) -> Answer {
    Answer {
        status: 200,
        media_type: "application/yaml".to_owned(),
        body: text.as_bytes().to_vec(),
    }
}

/// A project without services and with a role.
fn project() -> Project {
    let project = Project::empty();
    project.configure(POLICY);
    project
}

#[test]
fn a_new_project_grants_nothing_and_is_checked() {
    let folder = Project::from_elsewhere();
    folder.write("notes.yaml", NOTES);
    let run = folder.run(&["new", "tools"]).expect(0);
    run.prints("created  tools/toolwright.toml")
        .prints("created  tools/.gitignore")
        .prints("toolwright add SPEC");
    let config = folder.path("tools/toolwright.toml");
    let config = config.to_str().unwrap();
    let run = folder.run(&["list", "--config", config]).expect(100);
    run.says("this project has no services");
    folder.run(&["trust", config]).expect(0);
    folder
        .run(&["add", "notes.yaml", "--config", config])
        .expect(0);
    let call = [
        "call",
        "list-notes-notes",
        "--role",
        "reader",
        "--config",
        config,
    ];
    folder.run(&call).expect(5).says("may not call");

    // What CI runs.
    let workflow = folder.read("tools/.github/workflows/toolwright.yml");
    let commands = workflow
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- run: toolwright "));
    let commands: Vec<Vec<&str>> = commands.map(|line| line.split(' ').collect()).collect();
    assert_eq!(commands.len(), 2);
    for command in &commands {
        let mut command = folder.command(command);
        command.current_dir(folder.path("tools"));
        crate::support::run(&mut command).expect(0);
    }
    let ignored = folder.read("tools/.gitignore");
    assert!(ignored.contains("/.local/") && ignored.contains("/.toolwright/"));
}

#[test]
fn the_commented_policy_is_valid() {
    let folder = Project::from_elsewhere();
    folder.run(&["new", "."]).expect(0);
    folder.write("notes.yaml", NOTES);
    folder.run(&["add", "notes.yaml"]).expect(0);
    let text = folder.read("toolwright.toml");
    let lines = text.lines().map(|line| match line.strip_prefix("# ") {
        Some(code) if code.starts_with('[') || code.contains(" = ") => code,
        _ => line,
    });
    folder.configure(lines.collect::<Vec<_>>().join("\n"));
    folder.run(&["policy", "check"]).expect(0);
    folder.run(&["matrix"]).expect(0).prints("READER");
}

#[test]
fn no_file_is_overwritten() {
    let folder = Project::from_elsewhere();
    folder.write("tools/.gitignore", "mine\n");
    folder
        .run(&["new", "tools"])
        .expect(0)
        .prints("kept  tools/.gitignore");
    assert_eq!(folder.read("tools/.gitignore"), "mine\n");
    let before = folder.files("tools");
    let run = folder.run(&["new", "tools"]).expect(100);
    run.says("`tools/toolwright.toml` exists already");
    assert_eq!(folder.files("tools"), before);
}

#[test]
fn a_project_is_created_with_its_first_service() {
    let folder = Project::from_elsewhere();
    folder.write("notes.yaml", NOTES);
    let new = ["new", "tools", "notes.yaml", "--service", "memo"];
    folder
        .run(&new)
        .expect(0)
        .prints("created  tools/specs/memo/openapi.yaml");
    let source = folder.read("tools/specs/memo/source.toml");
    assert!(source.contains("file = \"../notes.yaml\""), "{source}");
}

#[test]
fn a_file_is_added() {
    let project = project();
    project.write("vendor/shop.yaml", SHOP);
    let run = project.run(&["add", "vendor/shop.yaml"]).expect(0);
    run.prints("created  specs/shop/openapi.yaml")
        .prints("`shop` has 2 tools.")
        .prints("READER")
        .prints("○get ");
    assert_eq!(project.read("specs/shop/openapi.yaml"), SHOP);
    assert!(
        project
            .read("specs/shop/names.lock")
            .contains("get-shop-order")
    );
    let source = project.read("specs/shop/source.toml");
    assert!(source.contains("file = \"vendor/shop.yaml\""), "{source}");
    assert_eq!(
        listed(&project, &[]),
        ["get-shop-order", "list-shop-orders"]
    );
    project.run(&["check", "--locks"]).expect(0);
    let before = project.files("specs");
    let run = project.run(&["add", "vendor/shop.yaml"]).expect(100);
    run.says("`specs/shop` exists already")
        .says("toolwright refresh shop");
    assert_eq!(project.files("specs"), before);
}

#[test]
fn a_url_is_added() {
    let project = project();
    let json = serde_json::json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "paths": {"/things": {"get": {"operationId": "listThings", "responses": {"200": {"description": "All."}}}}}});
    let server = service(document(&json.to_string()));
    let url = format!("{}/v1/depot.json", server.url());
    let run = project.run(&["add", &url, "--json"]).expect(0);
    let added = &run.json()[0];
    assert_eq!(added["service"], "depot");
    assert_eq!(added["tools"], 1);
    assert_eq!(added["source"]["url"], *url);
    assert_eq!(added["matrix"]["roles"][0], "reader");
    assert!(project.path("specs/depot/openapi.json").exists());
    let requests = server.take_requests();
    assert!(requests[0].starts_with("GET /v1/depot.json "));
    assert!(!requests[0].to_lowercase().contains("authorization"));
}

#[test]
fn what_cannot_be_added_changes_nothing() {
    let project = project();
    project.write("bad.yaml", "openapi: [");
    project.write(
        "parts.yaml",
        SHOP.replace("#/components/schemas/Order", "other.yaml#/Order"),
    );
    project.write("openapi.yaml", SHOP);
    let server = service(document(SHOP));
    let before = project.files(".");
    let url = server.url();
    for (arguments, code, problem) in [
        (&["add", "bad.yaml"][..], 100, "bad.yaml:1:"),
        (&["add", "absent.yaml"], 100, "cannot read `absent.yaml`"),
        (&["add", "specs"], 100, "`specs` is not a file"),
        (
            &["add", "parts.yaml"],
            100,
            "refers to another file, `other.yaml`",
        ),
        (&["add", "openapi.yaml"], 2, "suggests no name"),
        (&["add", "ftp://a.example/x"], 2, "scheme `ftp`"),
        (
            &["add", "http://a:b@127.0.0.1/x"],
            2,
            "contains credentials",
        ),
        (&["add", "http://127.0.0.1:9/x.yaml"], 100, "cannot fetch"),
        (&["add", &url, "--service", "A"], 2, "is not a service name"),
    ] {
        project.run(arguments).expect(code).says(problem);
        assert_eq!(project.files("."), before, "{arguments:?}");
    }
    let folder = Project::from_elsewhere();
    let run = folder.run(&["add", "shop.yaml"]).expect(100);
    run.says("no `toolwright.toml`").says("toolwright new");
}

#[test]
fn a_redirect_to_another_server_is_not_followed() {
    let project = project();
    let other = service(document(SHOP));
    let target = other.url();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/shop.yaml", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let answer =
            format!("HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
        let _ = stream.write_all(answer.as_bytes());
    });
    let run = project.run(&["add", &url]).expect(100);
    run.says("redirects to another server").says(&other.url());
    assert!(other.take_requests().is_empty());
}

#[test]
fn operations_that_are_left_out_are_counted() {
    let project = project();
    let parameter = "{ name: id, in: path, required: true, schema: { type: integer } }";
    assert!(SHOP.contains(parameter));
    let gone = "{ $ref: \"#/components/parameters/Gone\" }";
    project.write("shop.yaml", SHOP.replace(parameter, gone));
    let run = project.run(&["add", "shop.yaml"]).expect(0);
    run.prints("`shop` has 1 tool.")
        .prints("1 operation cannot be");
    project.run(&["check", "--locks"]).expect(100);
    let fix = ["generate", "--locks", "--fix", "--exclude-broken"];
    project.run(&fix).expect(0);
    project.run(&["check", "--locks"]).expect(0);
    assert!(!project.path("generated").exists());
}

#[test]
fn a_changed_specification_is_shown_and_then_accepted() {
    let project = project();
    let server = service(document(SHOP));
    let url = format!("{}/shop.yaml", server.url());
    project.run(&["add", &url]).expect(0);
    project
        .run(&["refresh"])
        .expect(0)
        .prints("`shop` is unchanged");

    let more = SHOP.replace("  /orders/{id}:", "  /returns:\n    delete:\n      operationId: deleteReturns\n      summary: Delete all returns\n      responses: { \"204\": { description: Gone. } }\n  /orders/{id}:");
    server.set_answer(document(&more));
    let before = project.files("specs");
    let run = project.run(&["refresh"]).expect(4);
    run.prints("delete-shop-returns")
        .prints("toolwright refresh shop --accept ");
    assert_eq!(project.files("specs"), before);
    assert_eq!(project.read(".toolwright/refresh/shop/openapi.yaml"), more);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = fs::metadata(project.path(".toolwright")).unwrap();
        assert_eq!(folder.permissions().mode() & 0o077, 0);
    }
    let run = project.run(&["refresh", "shop", "--json"]).expect(4);
    let state = &run.json()[0];
    assert_eq!(state["state"], "changed");
    let digest = state["sha256"].as_str().unwrap();

    // It changed again after it was shown.
    server.set_answer(document(&more.replace("Delete all", "Remove all")));
    let accept = ["refresh", "shop", "--accept", digest.get(..12).unwrap()];
    project.run(&accept).expect(100).says("has changed again");
    project
        .run(&["refresh", "shop", "--accept", "1f"])
        .expect(2);
    assert_eq!(project.files("specs"), before);

    server.set_answer(document(&more));
    project.run(&accept).expect(0).prints("`shop` is accepted");
    assert_eq!(project.read("specs/shop/openapi.yaml"), more);
    assert!(
        project
            .read("specs/shop/names.lock")
            .contains("delete-shop-returns")
    );
    assert!(project.read("specs/shop/source.toml").contains(digest));
    project
        .run(&["refresh"])
        .expect(0)
        .prints("`shop` is unchanged");
    project.run(&["check", "--locks"]).expect(0);
}

#[test]
fn a_lower_class_needs_its_own_consent() {
    let project = project();
    let with = |summary: &str| {
        let path = format!(
            "  /orders/work:\n    post:\n      operationId: work\n      summary: {summary}\n      responses: {{ \"200\": {{ description: Done. }} }}\n  /orders/{{id}}:"
        );
        SHOP.replace("  /orders/{id}:", &path)
    };
    project.write("shop.yaml", with("Delete all orders"));
    project.run(&["add", "shop.yaml"]).expect(0);
    project.write("shop.yaml", with("Search all orders"));
    let before = project.files("specs");
    let run = project.run(&["refresh", "shop", "--accept"]).expect(100);
    run.says("specs/shop/names.lock").says("--lowering");
    assert_eq!(project.files("specs"), before);
    let accept = ["refresh", "shop", "--accept", "--lowering"];
    project.run(&accept).expect(0).prints("is accepted");
    project.run(&["check", "--locks"]).expect(0);
}

#[test]
fn faults_of_a_new_specification_leave_the_old_one() {
    let project = project();
    let server = service(document(SHOP));
    project
        .run(&["add", &format!("{}/shop.yaml", server.url())])
        .expect(0);
    let before = project.files("specs");
    server.set_answer(document("openapi: ["));
    let run = project.run(&["refresh", "shop", "--accept"]).expect(100);
    run.says(".toolwright/refresh/shop/openapi.yaml:1:");
    assert_eq!(project.files("specs"), before);
    project.run(&["refresh"]).expect(100);
    server.set_answer(Answer::json(404, "{}"));
    project.run(&["refresh", "shop"]).expect(100).says("404");
}

#[test]
fn a_fault_of_a_service_does_not_affect_the_others() {
    let project = project();
    let server = service(document(SHOP));
    let url = format!("{}/shop.yaml", server.url());
    project.run(&["add", &url]).expect(0);
    project.write("specs/empty/overlay.toml", "");
    project.write("specs/memo/openapi.yaml", NOTES);
    project.write("specs/memo/source.toml", "uri = 1");
    let run = project.run(&["refresh"]).expect(100);
    run.prints("`shop` is unchanged")
        .says("`specs/empty` has no specification")
        .says("unknown field `uri`");
    project.run(&["refresh", "shop"]).expect(0);
}

#[test]
fn an_untrusted_project_causes_no_fetch() {
    let project = Project::from_elsewhere();
    let server = service(document(SHOP));
    project.write("toolwright.toml", POLICY);
    project.write("specs/shop/openapi.yaml", SHOP);
    let source = format!("url = \"{}/x\"\nsha256 = \"\"\nread = \"\"\n", server.url());
    project.write("specs/shop/source.toml", source);
    project.run(&["refresh"]).expect(100).says("is not trusted");
    assert!(server.take_requests().is_empty());
    project.run(&["trust"]).expect(0);
    project.run(&["refresh"]).expect(0);
    assert_eq!(server.take_requests().len(), 1);
}

#[test]
fn an_edited_specification_is_reported() {
    let project = project();
    project.write("shop.yaml", SHOP);
    project.run(&["add", "shop.yaml"]).expect(0);
    project.write(
        "specs/shop/openapi.yaml",
        SHOP.replace("List orders", "List all"),
    );
    let run = project.run(&["refresh"]).expect(4);
    run.says("`specs/shop/openapi.yaml` was edited")
        .says("overlay");
}

#[test]
fn a_source_is_needed_and_must_be_valid() {
    let project = Project::with_memo();
    let run = project.run(&["refresh", "memo"]).expect(100);
    run.says("there is no `specs/memo/source.toml`");
    project.run(&["refresh"]).expect(100).says("source.toml");
    project.run(&["refresh", "mmo"]).expect(100).says("`memo`");
    for (text, problem) in [
        ("uri = 1", "unknown field `uri`"),
        ("sha256 = \"\"\nread = \"\"\n", "either `url` or `file`"),
        (
            "url = \"x\"\nsha256 = \"\"\nread = \"\"\n",
            "either `url` or `file`",
        ),
        (
            "url = \"ftp://x/y\"\nsha256 = \"\"\nread = \"\"\n",
            "scheme `ftp`",
        ),
    ] {
        project.write("specs/memo/source.toml", text);
        project.run(&["refresh", "memo"]).says(problem);
    }
    let run = project.run(&["refresh", "--accept"]).expect(2);
    run.says("SERVICE");
}

#[test]
fn the_matrix_of_a_new_service_is_for_programs_too() {
    let project = project();
    project.write("shop.yaml", SHOP);
    let run = project.run(&["add", "shop.yaml", "--json"]).expect(0);
    let value: &Value = &run.json()[0];
    let rows = value["matrix"]["services"][0]["rows"].as_array().unwrap();
    assert_eq!(rows[0]["tools"][0]["granted_to"][0], "reader");
    assert!(fs::metadata(project.path("specs/shop")).unwrap().is_dir());
}
