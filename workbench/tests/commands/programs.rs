//! `run-python-program` on real programs, in the sandbox of this machine.

use serde_json::{Value, json};
use toolwright::{ToolError, testing::TestView};

use crate::folder::{Folder, code};

const SCOPE: &str = r#"
max_execution_time_seconds = "20"
allowed_read_paths = "notes/**"
"#;

fn view(folder: &Folder) -> TestView {
    folder.view(&["run-python-program", "read-repo-file"], SCOPE)
}

fn folder() -> Folder {
    Folder::new(&[
        ("notes/one.md", "first\n"),
        ("notes/two.md", "second\n"),
        ("secret.md", "hidden\n"),
    ])
}

async fn run(view: &TestView, program: &str) -> Result<Value, ToolError> {
    view.call("run-python-program", json!({"program": program}))
        .await
}

pub(crate) async fn a_program_calls_tools() {
    let folder = folder();
    let view = view(&folder);
    let program = "
from tools import read_repo_file
text = [read_repo_file({'path': f'notes/{name}.md'}) for name in ('one', 'two')]
print(len(text), *(answer['text'].strip() for answer in text))
";
    let result = run(&view, program).await.unwrap();
    let expected = json!({
        "success": true, "exit_code": 0, "stdout": "2 first second\n", "stderr": "",
        "calls": 2, "failed_calls": 0,
    });
    assert_eq!(result, expected);
    let events: Vec<Value> = view
        .events()
        .iter()
        .map(|event| serde_json::to_value(event).unwrap())
        .collect();
    let of = |tool: &str| -> Vec<&Value> {
        events
            .iter()
            .filter(|event| event["tool"] == tool)
            .collect()
    };
    let own = &of("run-python-program")[0]["correlation_id"];
    let reads = of("read-repo-file");
    assert!(!reads.is_empty());
    for read in reads {
        assert_eq!(&read["parent"], own, "{read}");
    }
}

pub(crate) async fn each_call_passes_the_gates() {
    let folder = folder();
    let view = view(&folder);
    let program = "
import tools
for tool, args in [
    ('read-repo-file', {'path': 'secret.md'}),
    ('write-repo-file', {'path': 'notes/one.md', 'content': 'x'}),
    ('run-python-program', {'program': 'print(1)'}),
    ('no-such-tool', {}),
]:
    try:
        print(tools.call(tool, args))
    except tools.ToolError as error:
        print(error.code)
print(hasattr(tools, 'write_repo_file'), hasattr(tools, 'run_python_program'))
";
    let result = run(&view, program).await.unwrap();
    let printed: Vec<_> = result["stdout"].as_str().unwrap().lines().collect();
    let not_permitted = "tool_not_permitted";
    let expected = [
        "scope_violation",
        not_permitted,
        not_permitted,
        not_permitted,
        "False False",
    ];
    assert_eq!(printed, expected);
    assert_eq!(
        (&result["calls"], &result["failed_calls"]),
        (&json!(4), &json!(4))
    );
    assert_eq!(folder.text("notes/one.md"), "first\n");
}

pub(crate) async fn a_program_reaches_nothing_else() {
    let folder = folder();
    let view = view(&folder);
    let inside = folder.path("notes/one.md");
    let program = format!(
        "
import os, socket
def attempt(name, action):
    try:
        action()
        print(name, 'passed')
    except OSError:
        print(name, 'failed')
attempt('repository', lambda: open({inside:?}).read())
attempt('shadow', lambda: open('/etc/shadow').read())
attempt('home', lambda: os.listdir('/root'))
attempt('write', lambda: open('/usr/bin/x', 'w'))
attempt('connect', lambda: socket.create_connection(('127.0.0.1', 80), 1))
attempt('listen', lambda: socket.create_server(('127.0.0.1', 0)))
attempt('parent', lambda: os.kill(os.getppid(), 9) if os.getppid() > 1 else open('/nowhere'))
print(sorted(os.environ))
open('page.txt', 'w').write('scratch')
"
    );
    let result = run(&view, &program).await.unwrap();
    let stdout = result["stdout"].as_str().unwrap();
    assert!(!stdout.contains("passed"), "{stdout}");
    assert_eq!(stdout.matches("failed").count(), 7, "{stdout}");
    assert!(stdout.contains("'TOOLWRIGHT_SOCKET'"), "{stdout}");
    assert!(!stdout.contains("TOOLWRIGHT_POSTGRES"), "{stdout}");
    assert_eq!(result["success"], true);
}

pub(crate) async fn ends_are_told() {
    let folder = folder();
    let view = view(&folder);
    let result = run(&view, "import sys\nprint('half')\nsys.exit('why it ended')").await;
    let result = result.unwrap();
    assert_eq!(
        (&result["success"], &result["exit_code"]),
        (&json!(false), &json!(1))
    );
    assert_eq!(
        (&result["stdout"], &result["stderr"]),
        (&json!("half\n"), &json!("why it ended"))
    );
    let result = run(&view, "x = = 1").await.unwrap();
    assert!(result["stderr"].as_str().unwrap().contains("SyntaxError"));
    let long = "x".repeat((256 << 10) + 1);
    assert_eq!(code(run(&view, &long).await), "program_too_long");
    let printing = "print('x' * 100_000)";
    assert_eq!(code(run(&view, printing).await), "program_limit_exceeded");
    let calling = "
import tools
while True:
    try:
        tools.call('no-such-tool', {})
    except tools.ToolError as error:
        if error.code == 'no_answer': raise
";
    assert_eq!(code(run(&view, calling).await), "program_limit_exceeded");
    let short = folder.view(
        &["run-python-program"],
        "max_execution_time_seconds = \"1\"",
    );
    assert_eq!(
        code(run(&short, "while True: pass").await),
        "program_limit_exceeded"
    );
}
