//! The values that an agent fills in.

use serde_json::{Value, json};
use toolwright::testing::TestView;

use crate::folder::{Folder, code};

const SCOPE: &str = r#"
allowed_commands = [
    "print = printf %s\\n --fixed=<value:text> <word:word>",
    "environment = env",
    "read = cat <file:path>",
    "outside = cat /etc/shadow",
    "sh = sh -c <script:text>",
]
max_execution_time_seconds = "20"
environment = "COLOUR=blue"
"#;

fn view(folder: &Folder) -> TestView {
    folder.view(&["run-shell-command"], SCOPE)
}

async fn run(
    view: &TestView,
    command: &str,
    values: Value,
) -> Result<Value, toolwright::ToolError> {
    let arguments = json!({"command": command, "values": values});
    view.call("run-shell-command", arguments).await
}

pub(crate) async fn is_one_argument() {
    let folder = Folder::new(&[]);
    let view = view(&folder);
    let hostile = "$(id); `id` | x > y && z 'a' \"b\" * ~ \\";
    let result = run(&view, "print", json!({"value": hostile, "word": "w"}))
        .await
        .unwrap();
    assert_eq!(result["stdout"], format!("--fixed={hostile}\nw\n"));
    assert_eq!(result["success"], true);
}

pub(crate) async fn is_no_option() {
    let folder = Folder::new(&[]);
    let view = view(&folder);
    for value in [
        "", "-x", "--x=y", "@file", "a\0b", "a\nb", "+x", "a b", "$(id)", "../x",
    ] {
        let values = json!({"value": "v", "word": value});
        let refused = code(run(&view, "print", values).await);
        assert_eq!(refused, "command_value_refused", "{value:?}");
    }
    let values = json!({"value": "v", "word": "w", "other": "x"});
    assert_eq!(
        code(run(&view, "print", values).await),
        "command_value_refused"
    );
    assert_eq!(
        code(run(&view, "print", json!({"value": "v"})).await),
        "command_value_refused"
    );
}

pub(crate) async fn only_named_commands_run() {
    let folder = Folder::new(&[]);
    let view = view(&folder);
    for name in ["ls", "print = ls", "", "PRINT", "print;ls"] {
        assert_eq!(
            code(run(&view, name, json!({})).await),
            "command_not_allowed",
            "{name}"
        );
    }
    let other = folder.view(&["run-shell-command"], "max_execution_time_seconds = \"1\"");
    assert_eq!(code(run(&other, "print", json!({})).await), "scope_missing");
}

pub(crate) async fn the_environment_is_clean() {
    let folder = Folder::new(&[]);
    let result = run(&view(&folder), "environment", json!({})).await.unwrap();
    let text = result["stdout"].as_str().unwrap();
    let mut names: Vec<_> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .collect();
    names.sort_unstable();
    let names: Vec<_> = names.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["COLOUR", "LANG", "PATH", "TMPDIR"]);
}

pub(crate) async fn denied_files_are_covered() {
    let files = [
        ("a", "open"),
        ("src/b.PEM", "hidden-1"),
        ("deep/secrets/x/y", "hidden-2"),
        ("deep/secrets/z", "hidden-3"),
        ("linked.pem", "hidden-4"),
    ];
    let folder = Folder::new(&files);
    std::fs::hard_link(folder.path("linked.pem"), folder.path("other-name")).unwrap();
    std::os::unix::fs::symlink("../src/b.PEM", folder.path("deep/link")).unwrap();
    let scope = format!("{SCOPE}\ndenied_read_paths = [\"**/*.pem\", \"deep/secrets/**\"]\n");
    let view = folder.view(&["run-shell-command"], &scope);
    let script = "cat a src/b.PEM deep/link deep/secrets/x/y deep/secrets/z linked.pem other-name; grep -r hidden .; \
                  cp src/b.PEM $TMPDIR/c; cat $TMPDIR/c; cd deep; cat secrets/z";
    let read = run(&view, "sh", json!({"script": script})).await.unwrap();
    assert_eq!(read["stdout"], "open", "{read}");
    let open = folder.view(&["run-shell-command"], SCOPE);
    let read = run(&open, "sh", json!({"script": "cat src/b.PEM"}))
        .await
        .unwrap();
    assert_eq!(read["stdout"], "hidden-1");
}

pub(crate) async fn too_many_denied_files_are_refused() {
    let folder = Folder::new(&[]);
    std::fs::create_dir(folder.path("keys")).unwrap();
    for number in 0..1_001 {
        std::fs::write(folder.path(&format!("keys/{number}.pem")), "x").unwrap();
    }
    let view = |denied: &str| {
        let scope = format!("{SCOPE}\ndenied_read_paths = {denied:?}\n");
        folder.view(&["run-shell-command"], &scope)
    };
    let refused = run(&view("**/*.pem"), "sh", json!({"script": "true"})).await;
    assert_eq!(code(refused), "command_misconfigured");
    let script = json!({"script": "cat keys/7.pem"});
    let covered = run(&view("keys/**"), "sh", script).await.unwrap();
    assert_eq!(covered["success"], false, "{covered}");
}

pub(crate) async fn files_out_of_scope_are_closed() {
    let folder = Folder::new(&[("a", "text")]);
    let view = view(&folder);
    let read = run(&view, "read", json!({"file": "a"})).await.unwrap();
    assert_eq!(read["stdout"], "text");
    let outside = run(&view, "outside", json!({})).await.unwrap();
    assert!(
        outside["stderr"]
            .as_str()
            .unwrap()
            .contains("Permission denied"),
        "{outside}"
    );
    let script = format!("cat {}", folder.outside().display());
    let outside = run(&view, "sh", json!({"script": script})).await.unwrap();
    assert!(
        outside["stderr"]
            .as_str()
            .unwrap()
            .contains("Permission denied"),
        "{outside}"
    );
    let script = "echo changed > a; echo new > b; chmod 777 a";
    let written = run(&view, "sh", json!({"script": script})).await.unwrap();
    assert_eq!(written["success"], false, "{written}");
    assert_eq!(folder.text("a"), "text");
    assert!(!folder.path("b").exists());
}
