//! The layers that a role requires, on a machine that does not have them: in a sandbox, which permits no
//! further namespaces and no further filters of system calls.

use std::{env, path::Path};

use serde_json::json;
use toolwright::{
    Registry, Role,
    audit::What,
    config::{Config, Repository},
    policy::SandboxLayer,
    testing::TestView,
};
use toolwright_sandbox::{Confinement, End, Layer, Program, Sandbox};

use crate::folder::{Folder, code};

/// The variable that is set within the sandbox.
pub(crate) const WITHIN: &str = "WITHIN_A_SANDBOX";

/// The trial that runs within the sandbox.
pub(crate) const TRIAL: &str = "a_call_within_a_sandbox_has_the_layers_or_is_refused";

pub(crate) async fn are_those_of_the_policy() {
    let names = Layer::ALL.map(Layer::as_str);
    assert_eq!(names, SandboxLayer::ALL.map(SandboxLayer::as_str));
}

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

/// Makes calls of a role that requires these layers.
fn view(folder: &Folder, layers: &str) -> TestView {
    let policy = format!(
        "[roles.coder]\nprofiles = [\"own\"]\n{layers}\n[profiles.own]\ntools = [\"run-shell-command\"]\n\
         [[profiles.own.scopes]]\nallowed_commands = [\"touch = touch out/file\"]\n\
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
    let folder = Folder::new(&[("out/.keep", "")]);
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
        let events = view.events();
        let ended = events.iter().find_map(|event| match &event.what {
            What::Outcome(outcome) => outcome.error.clone(),
            _ => None,
        });
        let ended = ended.map(|ended| ended.to_string()).unwrap_or_default();
        assert!(ended.contains("sandbox_unavailable"), "{ended}");
    }
    let view = view(&folder, "sandbox = [\"files\"]");
    let result = view.call("run-shell-command", arguments).await.unwrap();
    assert_eq!(result["success"], true, "{result}");
    assert!(folder.path("out/file").exists());
}
