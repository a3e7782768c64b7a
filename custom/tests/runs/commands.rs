//! Programs.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use toolwright::{
    Registry, Role, ToolError, audit::MemoryAudit, config::Config, testing::TestView,
};
use toolwright_custom::{CustomTool, parse};
use toolwright_test_trials::sleeping;

use crate::world::{World, code, scoped};

/// Returns the file of a tool with the argument `value`.
fn tool(schema: &str, command: &str) -> String {
    format!(
        "name = \"run-shell-test\"\nline = \"Runs a test.\"\ncategory = \"execute\"\neffect = \"update\"\n\
         [arguments.value]\n{schema}\ndescription = \"A value.\"\n\
         [scope.allowed_values]\ncheck = \"pattern\"\nargument = \"value\"\noptional = true\n\
         [scope.seconds]\ncheck = \"limit\"\noptional = true\n[command]\n{command}\n"
    )
}

const TEXT: &str = "type = \"string\"";

/// Returns a tool that runs its argument as a script. Only a test offers that.
fn shell(more: &str) -> String {
    let command = format!("program = \"/bin/sh\"\narguments = [\"-c\", \"{{value}}\"]\n{more}");
    tool(TEXT, &command)
}

async fn run(view: &TestView, value: impl Into<Value>) -> Result<Value, ToolError> {
    view.call("run-shell-test", json!({"value": value.into()}))
        .await
}

pub(crate) async fn a_program_runs_with_whole_arguments() {
    let world = World::new(&[("a.txt", "one two three\n")]);
    let print = tool(
        TEXT,
        "program = \"/usr/bin/printf\"\narguments = [\"%s|\", \"fixed ; id\", \"{value}\"]",
    );
    let view = world.view(&[&print], &scoped(""));
    let hostile = "$(id); `id` | x > y && z 'a' \"b\" * ~ \\ {value} /etc/passwd";
    let result = run(&view, hostile).await.unwrap();
    assert_eq!(result["stdout"], format!("fixed ; id|{hostile}|"));
    assert_eq!(result["success"], true);
    let count = tool(
        TEXT,
        "program = \"/usr/bin/wc\"\narguments = [\"-w\", \"{value:path}\"]",
    );
    let view = world.view(&[&count], &scoped(""));
    assert_eq!(run(&view, "a.txt").await.unwrap()["stdout"], "3 a.txt\n");
    let failed = run(&view, "b.txt").await.unwrap();
    assert_eq!(
        (&failed["success"], &failed["exit_code"]),
        (&json!(false), &json!(1))
    );
    let lines = tool(
        "type = \"integer\"",
        "program = \"/usr/bin/head\"\narguments = [\"-n\", \"{value}\", \"a.txt\"]",
    );
    let view = world.view(&[&lines], &scoped(""));
    assert_eq!(run(&view, 1).await.unwrap()["stdout"], "one two three\n");
    assert_eq!(code(&run(&view, -1).await), "command_value_refused");
}

pub(crate) async fn hostile_values_are_refused_or_harmless() {
    let world = World::new(&[
        ("a.txt", "text"),
        (".local/depot/api-token.txt", "tok-4711"),
    ]);
    let print = |kind: &str| {
        let command =
            format!("program = \"/usr/bin/printf\"\narguments = [\"%s\", \"{{value{kind}}}\"]");
        tool(TEXT, &command)
    };
    for (kind, values) in [
        (
            "",
            &[
                "",
                "-x",
                "--x=y",
                "@file",
                "+x",
                "a\0b",
                "a\nb",
                "a\rb",
                "\u{1b}[2J",
                "\u{202e}a",
            ][..],
        ),
        (":word", &["a b", "$(id)", "a/b", "", "-x", "~", "a;b"]),
        (
            ":path",
            &[
                "../x",
                "/etc/passwd",
                ".git/config",
                ".local/depot/api-token.txt",
                "a//b",
                "x/-y",
                "./a",
                "~root",
            ],
        ),
        (":debug|release", &["Debug", "debug release", "", "-"]),
    ] {
        let view = world.view(&[&print(kind)], &scoped(""));
        for value in values {
            let refused = code(&run(&view, *value).await);
            assert_eq!(refused, "command_value_refused", "{kind} {value:?}");
        }
    }
    let long = "x".repeat(5000);
    let view = world.view(&[&print("")], &scoped(""));
    assert_eq!(code(&run(&view, long).await), "command_value_refused");
    assert_eq!(code(&run(&view, json!(["a"])).await), "invalid_arguments");
    let more = view.call("run-shell-test", json!({"value": "a", "other": "b"}));
    assert_eq!(code(&more.await), "invalid_arguments");
    assert_eq!(
        code(&view.call("run-shell-test", json!({})).await),
        "invalid_arguments"
    );
}

pub(crate) async fn a_scope_decides_and_its_absence_refuses() {
    let world = World::new(&[]);
    let required = tool(TEXT, "program = \"/bin/echo\"\narguments = [\"{value}\"]").replacen(
        "optional = true\n",
        "",
        1,
    );
    let view = world.view(&[&required], &scoped("allowed_values = [\"a|b\"]"));
    assert_eq!(run(&view, "a").await.unwrap()["stdout"], "a\n");
    assert_eq!(code(&run(&view, "c").await), "scope_violation");
    let unset = world.view(&[&required], &scoped("rate = \"9/minute\""));
    assert_eq!(code(&run(&unset, "a").await), "scope_missing");
    let ungranted = world.view(&[&required], "[roles.clerk]\ngrant = []\n");
    assert_eq!(code(&run(&ungranted, "a").await), "tool_not_permitted");
}

pub(crate) async fn the_environment_is_clean() {
    let world = World::new(&[]);
    let environment = tool(
        TEXT,
        "program = \"/usr/bin/env\"\narguments = [\"sh\", \"-c\", \"env\", \"{value}\"]\nenvironment = { COLOUR = \"blue\" }",
    );
    let view = world.view(&[&environment], &scoped(""));
    let result = run(&view, "x").await.unwrap();
    let mut names: Vec<_> = result["stdout"]
        .as_str()
        .unwrap()
        .lines()
        .filter_map(|line| line.split('=').next())
        .filter(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(name))
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["COLOUR", "LANG", "PATH", "TMPDIR"]);
}

pub(crate) async fn only_the_stated_files_are_open() {
    let world = World::new(&[
        ("notes/a.txt", "inside"),
        ("other.txt", "outside"),
        (".local/depot/api-token.txt", "tok-4711"),
        (".toolwright/state/x", "state"),
    ]);
    let inner = world.view(&[&shell("folder = \"notes\"")], &scoped(""));
    assert_eq!(run(&inner, "cat a.txt").await.unwrap()["stdout"], "inside");
    for path in [
        "../other.txt",
        "/etc/shadow",
        "/root",
        "../.local/depot/api-token.txt",
    ] {
        let result = run(&inner, format!("cat {path} || ls {path}/"))
            .await
            .unwrap();
        assert_eq!(result["success"], false, "{path}: {result}");
    }
    let whole = world.view(&[&shell("")], &scoped(""));
    assert_eq!(
        run(&whole, "cat other.txt").await.unwrap()["stdout"],
        "outside"
    );
    let secret = run(
        &whole,
        "cat .local/depot/api-token.txt; ls -A .local .toolwright",
    );
    let secret = secret.await.unwrap();
    assert!(!secret.to_string().contains("tok-4711"), "{secret}");
    assert_eq!(secret["stdout"], "", "{secret}");
    let network = "exec 3<>/dev/tcp/127.0.0.1/22 || exit 7";
    let result = run(&whole, format!("bash -c '{network}'")).await.unwrap();
    assert_eq!(result["success"], false);
}

pub(crate) async fn nothing_protected_is_written() {
    let world = World::new(&[
        ("out/.keep", ""),
        ("toolwright.toml", "x"),
        ("tools/a.toml", "x"),
    ]);
    let view = world.view(&[&shell("write = [\"out\"]")], &scoped(""));
    assert_eq!(run(&view, "echo a > out/a").await.unwrap()["success"], true);
    assert_eq!(fs::read_to_string(world.path("out/a")).unwrap(), "a\n");
    for path in [
        "toolwright.toml",
        "tools/a.toml",
        "tools/b.toml",
        "a",
        "/tmp/a",
    ] {
        let result = run(&view, format!("echo a > {path}")).await.unwrap();
        assert_eq!(result["success"], false, "{path}");
    }
    // A link to a folder that is protected, made after the file was read.
    std::os::unix::fs::symlink("tools", world.path("link")).unwrap();
    let view = world.view(&[&shell("write = [\"link\"]")], &scoped(""));
    assert_eq!(code(&run(&view, "true").await), "command_misconfigured");
    std::os::unix::fs::symlink("/", world.path("root")).unwrap();
    let view = world.view(&[&shell("write = [\"root\"]")], &scoped(""));
    assert_eq!(code(&run(&view, "true").await), "outside_of_repository");
}

pub(crate) async fn limits_end_it_and_a_scope_lowers_them() {
    let world = World::new(&[("out/.keep", "")]);
    let view = |more: &str, scope: &str| world.view(&[&shell(more)], &scoped(scope));
    for (limit, more, scope, script) in [
        ("time", "seconds = 1", "", "sleep 30"),
        ("time", "seconds = 60", "seconds = \"1\"", "sleep 30"),
        ("output", "max_output_bytes = 1000", "", "yes"),
        (
            "CPU time",
            "cpu_seconds = 1",
            "",
            "while true; do true; done",
        ),
        (
            "processes",
            "max_processes = 8",
            "",
            "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 9 & done; wait",
        ),
    ] {
        let ended = run(&view(more, scope), script).await;
        let message = ended
            .as_ref()
            .err()
            .map(ToString::to_string)
            .unwrap_or_default();
        assert!(
            message.contains(&format!("limit of {limit}")),
            "{limit}: {ended:?}"
        );
        assert_eq!(code(&ended), "command_limit_exceeded");
    }
    let higher = view("seconds = 1", "seconds = \"30\"");
    assert_eq!(
        code(&run(&higher, "sleep 5").await),
        "command_limit_exceeded"
    );
    let wrong = view("", "seconds = \"soon\"");
    assert_eq!(code(&run(&wrong, "true").await), "command_misconfigured");
    let memory = view("max_memory_bytes = 50000000", "");
    let script = "head -c 200000000 /dev/zero | tail > /dev/null";
    assert_ne!(
        run(&memory, script)
            .await
            .ok()
            .map(|it| it["success"] == true),
        Some(true)
    );
}

pub(crate) async fn a_cancelled_call_leaves_no_process() {
    let world = World::new(&[("out/.keep", "")]);
    let view = world.view(&[&shell("write = [\"out\"]")], &scoped(""));
    let script = "(setsid sleep 4719.25 &) ; touch out/started; sleep 4719.25";
    let call = run(&view, script);
    let started = async {
        while !world.path("out/started").exists() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        ended = call => panic!("it ended: {ended:?}"),
        () = started => {}
    }
    let gone = async {
        while sleeping("4719.25").unwrap() > 0 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(10), gone).await.unwrap();
}

/// Builds the view of a registry, whose calls report progress.
fn plain_view(world: &World, file: &str) -> toolwright::ScopedToolView {
    let Ok(CustomTool::Tool(tool)) = parse(Path::new("tools/a.toml"), file) else {
        panic!("no tool: {file}");
    };
    let config = Config::parse(&world.path("toolwright.toml"), &scoped("")).unwrap();
    let registry = Registry::builder()
        .tool(tool)
        .config(config)
        .enable("*")
        .audit(MemoryAudit::new());
    let registry = registry.build().unwrap();
    registry.for_agent(&Role::new("clerk").unwrap())
}

pub(crate) async fn output_is_progress() {
    let world = World::new(&[]);
    let printed = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&printed);
    let view = plain_view(&world, &shell(""));
    let view = view.reporting_to(move |progress| {
        heard.lock().unwrap().push_str(&format!("{progress:?}"));
    });
    let script = json!({"value": "echo first; sleep 1; echo second"});
    let output = view.call_json("run-shell-test", script).await.unwrap();
    assert_eq!(output.value["stdout"], "first\nsecond\n");
    assert!(printed.lock().unwrap().contains("first"), "{printed:?}");
}

pub(crate) async fn credentials_are_in_no_argument_and_no_output() {
    let world = World::new(&[(".local/shell/clerk-api-token.txt", "tok-4711-secret")]);
    let file = world.path(".local/shell/clerk-api-token.txt");
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    let policy = scoped("").replace("[roles.clerk]", "[roles.clerk]\ncredentials = \"clerk\"");
    let with_token = shell("credentials = { API_TOKEN = \"token\" }");
    let view = world.view(&[&with_token], &policy);
    let script = "printf %s \"$API_TOKEN\" | wc -c; echo $API_TOKEN; cat /proc/self/cmdline /proc/$$/cmdline";
    let result = run(&view, script).await.unwrap();
    let stdout = result["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("15\n"), "{stdout}");
    assert!(!stdout.contains("tok-4711-secret"), "{stdout}");
    let events = serde_json::to_string(
        &view
            .events()
            .iter()
            .map(|event| serde_json::to_value(event).unwrap())
            .collect::<Vec<_>>(),
    );
    let events = events.unwrap();
    assert!(!events.contains("tok-4711-secret"), "{events}");
    assert!(events.contains("/bin/sh"), "{events}");
    // A role whose account has no credentials is refused before anything runs.
    let other = world.view(&[&with_token], &scoped(""));
    assert_eq!(code(&run(&other, "true").await), "credentials_missing");
    let user = shell("credentials = { API_USER = \"username\" }");
    assert_eq!(
        code(&run(&world.view(&[&user], &policy), "true").await),
        "credentials_missing"
    );
}

pub(crate) async fn git_and_cargo_run() {
    let world = World::new(&[]);
    let git = tool(
        TEXT,
        "program = \"/usr/bin/git\"\narguments = [\"hash-object\", \"--\", \"{value:path}\"]\nenvironment = { GIT_CONFIG_NOSYSTEM = \"1\" }",
    );
    fs::write(world.path("a.txt"), "text\n").unwrap();
    let view = world.view(&[&git], &scoped(""));
    let hashed = run(&view, "a.txt").await.unwrap();
    assert_eq!(
        hashed["stdout"], "8e27be7d6154a1f68ea9160ef0e18691d20560dc\n",
        "{hashed}"
    );
    let sysroot = std::process::Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .unwrap();
    let sysroot = String::from_utf8(sysroot.stdout).unwrap();
    let sysroot = sysroot.trim();
    let cargo = tool(
        TEXT,
        &format!(
            "program = \"{sysroot}/bin/cargo\"\narguments = [\"metadata\", \"--offline\", \"--no-deps\", \"--format-version=1\", \"--manifest-path\", \"{{value:path}}\"]\n\
             execute = [\"{sysroot}\"]\nmax_memory_bytes = 4000000000\nenvironment = {{ CARGO_HOME = \"/dev/shm\" }}"
        ),
    );
    fs::create_dir_all(world.path("crate/src")).unwrap();
    fs::write(world.path("crate/src/lib.rs"), "").unwrap();
    let manifest = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    fs::write(world.path("crate/Cargo.toml"), manifest).unwrap();
    let view = world.view(&[&cargo], &scoped(""));
    let result = run(&view, "crate/Cargo.toml").await.unwrap();
    assert_eq!(result["success"], true, "{result}");
    assert!(result["stdout"].as_str().unwrap().contains("\"small\""));
}

pub(crate) async fn a_missing_program_is_an_error() {
    let world = World::new(&[]);
    let absent = tool(
        TEXT,
        "program = \"/usr/bin/no-such-program\"\narguments = [\"{value}\"]",
    );
    let view = world.view(&[&absent], &scoped(""));
    assert_eq!(code(&run(&view, "a").await), "command_not_started");
    let absent = tool(
        TEXT,
        "program = \"/bin/echo\"\narguments = [\"{value}\"]\nfolder = \"no/such\"",
    );
    let view = world.view(&[&absent], &scoped(""));
    assert_eq!(code(&run(&view, "a").await), "command_misconfigured");
}
