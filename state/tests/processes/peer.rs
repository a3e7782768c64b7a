//! An instance as the test sees it.

use std::{path::Path, process::Stdio};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};
use toolwright::{
    approval::{ApprovalStore, ApproverKey, ApproverKeys, Decision, Verdict},
    system::{Clock, SystemClock},
};
use toolwright_state::{Location, State, testing::TestPlace};

use crate::INSTANCE;

/// An operator, who approves calls and switches tools, and the place that the instances share.
pub(crate) struct Operator {
    pub(crate) place: TestPlace,
    pub(crate) state: State,
    pub(crate) folder: tempfile::TempDir,
    key: ApproverKey,
}

/// A process.
pub(crate) struct Peer {
    child: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
}

impl Operator {
    pub(crate) async fn new(place: TestPlace) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = ApproverKey::in_folder(folder.path()).unwrap();
        let keys = ApproverKeys::Listed(vec![key.public()]);
        let state = State::at(place.location.clone()).unwrap().keys(keys);
        state.open().await.unwrap();
        Self {
            place,
            state,
            folder,
            key,
        }
    }

    /// Starts an instance.
    pub(crate) async fn peer(&self) -> Peer {
        Peer::start(&self.place.location, self.folder.path(), 30).await
    }

    /// Approves the call that waits.
    pub(crate) async fn approve(&self) {
        let now = SystemClock.now();
        let pending = self.state.pending(now).await.unwrap();
        assert_eq!(pending.len(), 1, "{pending:?}");
        let decision = Decision::new(Verdict::Approved, "operator", now).unwrap();
        let decision = decision.signed(&self.key, &pending[0]);
        self.state
            .decide(pending[0].handle.clone(), decision)
            .await
            .unwrap();
    }

    /// Whether a call waits.
    pub(crate) async fn waits(&self) -> bool {
        let pending = self.state.pending(SystemClock.now()).await;
        !pending.unwrap().is_empty()
    }

    /// How often the call with this name was carried out.
    pub(crate) fn effects(&self, name: &str) -> usize {
        let text = std::fs::read_to_string(self.folder.path().join("effects"));
        text.unwrap_or_default()
            .lines()
            .filter(|line| *line == name)
            .count()
    }
}

impl Peer {
    pub(crate) async fn start(location: &Location, folder: &Path, grace: u32) -> Self {
        let place = match location {
            Location::Sqlite { file, .. } => format!("file:{}", file.display()),
            Location::Postgres { url, .. } => url.clone(),
            _ => panic!("{location}"),
        };
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([INSTANCE, &place])
            .arg(folder)
            .arg(folder.join("effects"))
            .arg(grace.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut peer = Self {
            child,
            stdin,
            stdout,
        };
        assert_eq!(peer.answer().await, json!("ready"));
        peer
    }

    pub(crate) async fn tell(&mut self, command: &str) {
        self.stdin
            .write_all(format!("{command}\n").as_bytes())
            .await
            .unwrap();
    }

    pub(crate) async fn answer(&mut self) -> Value {
        let line = self.stdout.next_line().await.unwrap();
        serde_json::from_str(&line.expect("the instance ended")).unwrap()
    }

    pub(crate) async fn ask(&mut self, command: &str) -> Value {
        self.tell(command).await;
        self.answer().await
    }

    /// Calls a tool; `ok`, or the code of the error.
    pub(crate) async fn call(&mut self, tool: &str, name: &str) -> String {
        let answer = self.ask(&format!("call {tool} {name}")).await;
        answer["ended"].as_str().unwrap().to_owned()
    }

    /// Ends the process as `kill -9` does.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}
