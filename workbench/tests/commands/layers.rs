//! The layers that a role requires, on a machine that does not have them: in a sandbox, which permits no
//! further namespaces and no further filters of system calls.

use std::{env, path::Path};

use serde_json::{Value, json};
use toolwright::{
    Registry, Role,
    audit::{Reason, RefusalReason},
    config::{Config, Repository},
    testing::TestView,
};
use toolwright_sandbox::{Confinement, End, Program, Sandbox};

use crate::folder::{Folder, code};

/// The variable that is set within the sandbox.
pub(crate) const WITHIN: &str = "WITHIN_A_SANDBOX";

/// The trial that runs within the sandbox.
pub(crate) const TRIAL: &str = "a_call_within_a_sandbox_has_the_layers_or_is_refused";

/// Runs this program within a sandbox, where it makes calls.
pub(crate) async fn a_missing_layer_refuses() {
    let program = env::current_exe().unwrap();
    let mut confinement = Confinement::new("/usr");
    confinement.files = confinement.files.with_system_programs();
    confinement.files.execute.push(program.clone());
    confinement.limits.scratch = 64 << 20;
    confinement.limits.memory = 2 << 30;
    let within = (WITHIN.to_owned(), "1".to_owned());
    confinement.environment = [within].into();
    let program = Program::new(program, ["--exact", TRIAL]);
    let mut output = Vec::new();
    let sandbox = Sandbox::new();
    let run = sandbox.run(&confinement, &program, |_, bytes| {
        output.extend_from_slice(bytes)
    });
    let end = run.await.unwrap().end;
    let output = String::from_utf8_lossy(&output);
    assert_eq!(end, End::Exited(0), "{output}");
    assert!(output.contains("1 passed"), "{output}");
}

/// Calls of all tools that write or run something, but the one for commands.
fn others() -> [(&'static str, Value); 8] {
    let path = "src/a";
    [
        ("write-repo-file", json!({"path": path, "content": "x"})),
        (
            "edit-repo-file",
            json!({"path": path, "old_text": "t", "new_text": "x", "replace_all": true}),
        ),
        ("create-repo-file", json!({"path": "src/b", "content": "x"})),
        ("get-git-status", json!({})),
        ("get-git-diff", json!({})),
        ("list-git-commits", json!({})),
        ("create-git-branch", json!({"branch": "b"})),
        (
            "create-git-commit",
            json!({"branch": "b", "paths": [path], "message": "x"}),
        ),
    ]
}

/// Makes calls of a role that requires these layers.
fn view(folder: &Folder, layers: &str) -> TestView {
    let policy = format!(
        "[roles.coder]\nprofiles = [\"own\"]\n{layers}\n[profiles.own]\ntools = [\"run-shell-command\", \"*-repo-*\", \"*-git-*\"]\n\
         [[profiles.own.scopes]]\nallowed_read_paths = [\"**\"]\nallowed_write_paths = [\"**\"]\n\
         allowed_commit_paths = [\"**\"]\nbranch_pattern = \".*\"\nallowed_commands = [\"touch = touch out/file\"]\n\
         max_execution_time_seconds = \"10\"\nwritable_folders = \"out\"\n"
    );
    let config = Config::parse(Path::new("toolwright.toml"), &policy).unwrap();
    let repository = Repository {
        path: Some(folder.root()),
        ..Repository::default()
    };
    let registry = Registry::builder()
        .linked_tools()
        .config(config)
        .repository(repository);
    TestView::new(registry, Role::new("coder").unwrap())
}

pub(crate) async fn within_a_sandbox() {
    let folder = Folder::new(&[("out/.keep", ""), ("src/a", "text")]);
    let support = Sandbox::new().support().unwrap();
    assert!(
        support.landlock > 0 && !support.pid && !support.seccomp,
        "{support:?}"
    );
    let arguments = json!({"command": "touch"});
    for layers in [
        "",
        "sandbox = [\"processes\"]",
        "sandbox = [\"files\", \"system_calls\"]",
    ] {
        let view = view(&folder, layers);
        let refused = view.call("run-shell-command", arguments.clone()).await;
        assert_eq!(code(refused), "sandbox_unavailable", "{layers}");
        assert!(!folder.path("out/file").exists());
        let reason = Reason::Policy(RefusalReason::SandboxUnavailable);
        assert_eq!(view.reason(), Some(reason), "the boundary decides");
        // So it does about the other tools that write or run something.
        for (tool, arguments) in others() {
            let refused = view.call(tool, arguments).await;
            assert_eq!(code(refused), "sandbox_unavailable", "{layers} {tool}");
            assert_eq!(view.reason(), Some(reason), "{layers} {tool}");
        }
        assert_eq!(folder.text("src/a"), "text");
        let read = view.call("read-repo-file", json!({"path": "src/a"})).await;
        assert_eq!(read.unwrap()["text"], "text");
    }
    let view = view(&folder, "sandbox = [\"files\"]");
    let result = view.call("run-shell-command", arguments).await.unwrap();
    assert_eq!(result["success"], true, "{result}");
    assert!(folder.path("out/file").exists());
}
