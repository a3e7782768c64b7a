//! `toolwright console`: it prints a link that signs in once, and follows the policy.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    serve::process::signal,
    support::{Project, command},
};

/// The time after which a test that waits for an event fails.
const PATIENCE: Duration = Duration::from_secs(60);

const POLICY: &str = "[roles.reader]\ngrant = [\"category:observe\"]\n";

const ANN: &str = "[console.people.ann]\nrole = \"operator\"\n";

/// A console as a process, which is killed when this is dropped.
struct Console {
    child: Child,
    origin: String,
    link: String,
}

impl Console {
    fn start(project: &Project) -> Self {
        let arguments = [
            "console",
            "--by",
            "ann",
            "--port",
            "0",
            "--json",
            "--spec",
            "specs/memo/openapi.yaml",
        ];
        Self::spawn(project.command(&arguments), |line| {
            let started: Value = serde_json::from_str(line).unwrap();
            started["link"].as_str().unwrap().to_owned()
        })
    }

    /// Starts a command whose first line has the link.
    fn spawn(mut command: Command, link: impl Fn(&str) -> String) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let link = link(&line);
        let (origin, _) = link.split_once("/sign-in/").unwrap();
        Self {
            child,
            origin: origin.to_owned(),
            link,
        }
    }

    /// Makes a request, and returns the answer.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let host = self.origin.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nOrigin: {}\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            self.origin,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Signs in by a link, and returns the header with the cookie.
    fn sign_in(&self, link: &str) -> String {
        let secret = link.rsplit('/').next().unwrap();
        let answer = self.ask("POST", "/sign-in", "", &format!("link={secret}"));
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        let (_, cookie) = answer.split_once("set-cookie: ").unwrap();
        format!("Cookie: {}\r\n", cookie.split(';').next().unwrap())
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_link_signs_in_once_and_the_policy_decides_for_how_long() {
    let project = Project::with_memo();
    project.configure(format!("{POLICY}{ANN}"));
    let mut console = Console::start(&project);
    assert!(
        console.link.starts_with(&console.origin),
        "{}",
        console.link
    );
    let cookie = console.sign_in(&console.link);
    let tools = console.ask("GET", "/tools", &cookie, "");
    assert!(tools.contains("memo"), "{tools}");
    let port = console.origin.rsplit(':').next().unwrap();
    let second = project.run(&["console", "link", "--by", "ann", "--port", port]);
    let second = console.sign_in(second.expect(0).stdout.trim());
    let sessions = project
        .run(&["console", "sessions", "--json"])
        .expect(0)
        .json();
    assert_eq!(sessions.len(), 2);
    let id = sessions[0]["id"].as_str().unwrap();
    let end = ["console", "end", id, "--by", "ann", "--why", "tests"];
    project.run(&end).expect(0).prints("has ended");
    let is_in = |cookie: &str| {
        let answer = console.ask("GET", "/", cookie, "");
        answer.starts_with("HTTP/1.1 200")
    };
    assert_ne!(is_in(&cookie), is_in(&second), "one of the two was ended");
    // Without a role, the other one is signed out within a moment.
    project.configure(POLICY);
    let begun = Instant::now();
    while is_in(&cookie) || is_in(&second) {
        assert!(begun.elapsed() < PATIENCE, "the policy is not followed");
        sleep(Duration::from_millis(50));
    }
    signal(console.child.id(), "TERM");
    assert!(console.child.wait().unwrap().success());
}

#[test]
fn behind_a_proxy_links_have_its_address_and_a_provider_without_a_client_is_reported() {
    let project = Project::with_memo();
    let provider = "[console.openid]\nissuer = \"https://login.example\"\n";
    project.configure(format!("{POLICY}{ANN}{provider}"));
    let link = [
        "console",
        "link",
        "--by",
        "ann",
        "--url",
        "https://ops.example",
    ];
    let issued = project.run(&link).expect(0);
    let printed = issued.stdout.trim();
    assert!(
        printed.starts_with("https://ops.example/sign-in/"),
        "{printed}"
    );
    let plain = [
        "console",
        "link",
        "--by",
        "ann",
        "--url",
        "http://ops.example",
    ];
    project
        .run(&plain)
        .expect(100)
        .says("is not the address of a console");
    let arguments = [
        "console",
        "--by",
        "ann",
        "--port",
        "0",
        "--spec",
        "specs/memo/openapi.yaml",
    ];
    let mut command = project.command(&arguments);
    let mut console = Console::spawn(
        {
            command.stderr(Stdio::piped());
            command
        },
        |line| line.trim().to_owned(),
    );
    let mut stderr = BufReader::new(console.child.stderr.take().unwrap()).lines();
    let warning = stderr.find_map(|line| line.ok().filter(|line| line.contains("login.example")));
    let warning = warning.unwrap();
    for part in [
        "nobody can sign in through",
        "authorization_code",
        ".local/console/admin-auth.json",
    ] {
        assert!(warning.contains(part), "{warning}");
    }
}

#[test]
fn who_is_not_in_the_policy_gets_no_console() {
    let project = Project::with_memo();
    project.configure(POLICY);
    let refused = project.run(&["console", "--by", "ann", "--port", "0"]);
    refused.expect(100).says("[console.people.ann]");
}

#[test]
fn agents_of_the_demo_wait_for_decisions() {
    let arguments = ["demo", "--console", "--port", "0"];
    let demo = command(&std::env::temp_dir(), &arguments);
    let mut console = Console::spawn(demo, |line| line.trim().to_owned());
    let cookie = console.sign_in(&console.link);
    let begun = Instant::now();
    loop {
        let page = console.ask("GET", "/", &cookie, "");
        if page.contains("create-depot-item") {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{page}");
        sleep(Duration::from_millis(100));
    }
    signal(console.child.id(), "TERM");
    assert!(console.child.wait().unwrap().success());
}
