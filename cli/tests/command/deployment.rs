//! The deployment of `docs/threat-model.md`: the server, the approver and the agent are different
//! users of the system. It needs root, to become them.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::{PermissionsExt, chown},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use serde_json::{Value, json};
use toolwright_tests::{Answer, Recorder};

use crate::support::{NOTES, service};

const SERVER: u32 = 61_001;
const APPROVER: u32 = 61_002;
const AGENT: u32 = 61_003;
const APPROVERS: u32 = 61_010;

/// The token that the agent's client is given.
const TOKEN: &str = "the-token-of-the-agents-client";

/// The service's own token, which the agent must never see.
const SECRET: &str = "the-token-of-the-service-0123456789";

/// The folders of the users, and the program.
struct Machine {
    folder: tempfile::TempDir,
}

/// A server, which ends when this is dropped.
struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Machine {
    fn new() -> Self {
        let machine = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(machine.folder.path(), open.clone()).unwrap();
        for (name, user) in [("server", SERVER), ("approver", APPROVER), ("agent", AGENT)] {
            machine.make_folder(name, user, 0o700);
        }
        machine.make_folder("shared", SERVER, 0o755);
        let program = machine.program();
        fs::copy(env!("CARGO_BIN_EXE_toolwright"), &program).unwrap();
        fs::set_permissions(program, open).unwrap();
        machine
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn program(&self) -> PathBuf {
        self.path("toolwright")
    }

    fn make_folder(&self, name: &str, user: u32, mode: u32) {
        let path = self.path(name);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        chown(path, Some(user), Some(user)).unwrap();
    }

    /// Writes a private file of a user.
    fn write(&self, user: u32, path: &str, text: &str) {
        let path = self.path(path);
        for folder in path.parent().unwrap().ancestors() {
            if folder.exists() {
                break;
            }
            fs::create_dir_all(folder).unwrap();
            chown(folder, Some(user), Some(user)).unwrap();
        }
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        chown(path, Some(user), Some(user)).unwrap();
    }

    /// A command as a user in that user's folder.
    fn command(&self, user: u32, program: &Path, arguments: &[&str]) -> Command {
        let (home, groups) = match user {
            SERVER => ("server", format!("--groups={APPROVERS}")),
            APPROVER => ("approver", format!("--groups={APPROVERS}")),
            _ => ("agent", "--clear-groups".to_owned()),
        };
        let mut command = Command::new("setpriv");
        command
            .args([format!("--reuid={user}"), format!("--regid={user}"), groups])
            .arg(program)
            .args(arguments)
            .env_clear()
            .env("HOME", self.path(home))
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.path(home))
            .stdin(Stdio::null());
        command
    }

    /// Runs Toolwright as a user.
    fn run(&self, user: u32, arguments: &[&str]) -> Output {
        let program = self.program();
        self.command(user, &program, arguments).output().unwrap()
    }

    /// Runs Toolwright as a user, who succeeds; what it printed.
    fn succeed(&self, user: u32, arguments: &[&str]) -> String {
        let ended = self.run(user, arguments);
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{arguments:?}: {stderr}");
        String::from_utf8(ended.stdout).unwrap()
    }

    /// Checks whether a shell command of the agent succeeds.
    fn agent_can(&self, command: &str) -> bool {
        let shell = Path::new("/bin/sh");
        let ended = self
            .command(AGENT, shell, &["-c", command])
            .output()
            .unwrap();
        ended.status.success()
    }

    fn approvals(&self, key: &str) -> String {
        let file = self.path("shared/state/state.db");
        let file = file.display();
        format!(
            "[state]\nfile = \"{file}\"\ngroup = \"{APPROVERS}\"\n[approvals]\nkeys = [\"{key}\"]\n"
        )
    }

    /// Sets up the users as the page describes.
    fn set_up(&self, service: &Recorder) {
        let key = self.succeed(APPROVER, &["approver-key"]);
        let approvals = self.approvals(key.trim());
        let policy = "[roles.clerk]\ngrant = [\"*\"]\n[tools]\nenable = [\"create-*\"]\n";
        self.write(
            SERVER,
            "server/toolwright.toml",
            &format!("{policy}{approvals}"),
        );
        self.write(SERVER, "server/memo.yaml", NOTES);
        let auth = json!({"base_url": service.url(), "api_token": SECRET});
        self.write(
            SERVER,
            "server/.local/memo/admin-auth.json",
            &auth.to_string(),
        );
        self.write(SERVER, "server/token.txt", TOKEN);
        self.succeed(SERVER, &["trust"]);
        self.write(APPROVER, "approver/toolwright.toml", &approvals);
        self.succeed(APPROVER, &["trust"]);
    }

    fn serve(&self) -> Server {
        let arguments = [
            "serve",
            "--role",
            "clerk",
            "--spec",
            "memo.yaml",
            "--service",
            "memo",
            "--transport",
            "http",
            "--port",
            "0",
            "--token-file",
            "token.txt",
        ];
        let program = self.program();
        let mut command = self.command(SERVER, &program, &arguments);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let port = loop {
            let mut line = String::new();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "{said}");
            said.push_str(&line);
            let url = line.split("http://127.0.0.1:").nth(1);
            if let Some(url) = url {
                break url.split('/').next().unwrap().parse().unwrap();
            }
        };
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Server { child, port }
    }
}

impl Server {
    /// Calls the tool that creates a note, and returns its output.
    fn create(&self) -> String {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params =
            json!({"name": "create-memo-note", "arguments": {"text": "milk"}, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let body = body.to_string();
        let (port, length) = (self.port, body.len());
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\
             Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMcp-Method: tools/call\r\n\
             Mcp-Name: create-memo-note\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(!answer.contains(SECRET), "{answer}");
        answer
    }
}

#[test]
fn an_agent_that_is_another_user_can_neither_approve_nor_read_secrets() {
    if toolwright::system::user() != "root" {
        eprintln!("skipped: it takes root to run commands as other users");
        return;
    }
    let service = service(Answer::json(201, r#"{"id": 7, "text": "milk"}"#));
    let machine = Machine::new();
    machine.set_up(&service);
    let server = machine.serve();

    let told = server.create();
    assert!(told.contains("approval_required"), "{told}");
    let id = told.split("wait-").nth(1).unwrap().get(..12).unwrap();
    agent_attacks(&machine, &format!("wait-{id}"));
    let again = server.create();
    assert!(again.contains("approval_required"), "{again}");
    assert!(service.take_requests().is_empty());

    let waiting = machine.succeed(APPROVER, &["approvals", "--json"]);
    let waiting: Value = serde_json::from_str(&waiting).unwrap();
    let fact = |name: &str| waiting[name].as_str().unwrap();
    let (handle, digest) = (fact("handle"), fact("digest"));
    let arguments = ["approve", handle, "--by", "ann", "--digest", digest];
    let refused = machine.run(SERVER, &arguments);
    assert!(
        !refused.status.success(),
        "the server's user holds no approver's key"
    );
    machine.succeed(APPROVER, &arguments);

    let created = server.create();
    assert!(
        created.contains("milk") && !created.contains("approval_required"),
        "{created}"
    );
    let sent = service.take_requests();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(
        server.create().contains("approval_required"),
        "it passed once"
    );

    let audit = fs::read_to_string(machine.path("server/.toolwright/audit.jsonl")).unwrap();
    assert!(audit.contains(r#""person":"ann""#), "{audit}");
    assert!(!audit.contains(SECRET), "{audit}");
    let decided = fs::read_to_string(machine.path("approver/.toolwright/audit.jsonl")).unwrap();
    assert!(decided.contains(&format!("uid:{APPROVER}")), "{decided}");
}

/// Runs the attacks of the agent's user, who has the id that the agent received.
fn agent_attacks(machine: &Machine, id: &str) {
    let path = |path: &str| machine.path(path).display().to_string();
    let state = path("shared/state");
    for command in [
        format!("cat {}", path("server/.local/memo/admin-auth.json")),
        format!("cat {}", path("server/token.txt")),
        format!("cat {}", path("server/.toolwright/audit.jsonl")),
        format!("cat {}", path("approver/.config/toolwright/approver.key")),
        format!("ls {state}"),
        format!("cat {state}/state.db"),
        format!("touch {state}/state.db-wal"),
        format!("mv {state} {state}2"),
        format!("rm {}", path("server/.toolwright/audit.jsonl")),
        format!("echo >> {}", path("server/toolwright.toml")),
    ] {
        assert!(!machine.agent_can(&command), "{command}");
    }
    machine.write(
        AGENT,
        "agent/toolwright.toml",
        &machine.approvals(machine.succeed(AGENT, &["approver-key"]).trim()),
    );
    machine.succeed(AGENT, &["trust"]);
    let digest = "0".repeat(64);
    for arguments in [
        vec!["approvals"],
        vec!["approve", id, "--by", "ann", "--digest", &digest],
        vec![
            "approve",
            "0123456789ab",
            "--by",
            "ann",
            "--digest",
            &digest,
        ],
    ] {
        let ended = machine.run(AGENT, &arguments);
        assert!(!ended.status.success(), "{arguments:?}");
    }
}
