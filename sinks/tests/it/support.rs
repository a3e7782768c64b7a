//! Audits, a connection that can be cut, and processes that forward.
#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    time::{Instant, sleep, timeout},
};
use toolwright::{
    audit::{AuditEvent, AuditSink},
    config::{AuditConfig, Config},
};

use crate::tls::Certificate;

/// The variable that names the configuration of a process that forwards.
const FORWARD: &str = "TOOLWRIGHT_TEST_FORWARD";

/// A folder with an audit and its configuration.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    pub(crate) audit: AuditConfig,
}

impl Place {
    /// A folder with these tables in its configuration.
    pub(crate) fn new(tables: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("[audit]\nfile = \"audit.jsonl\"\n{tables}");
        let path = folder.path().join("toolwright.toml");
        fs::write(&path, text).unwrap();
        let audit = Config::read(&path).unwrap().audit;
        Self { folder, audit }
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("toolwright.toml")
    }

    /// Records events.
    pub(crate) fn record(&self, audit: &dyn AuditSink, events: usize) {
        for number in 0..events {
            let reason = number.to_string();
            let event = AuditEvent::login_refused(Timestamp::now(), "127.0.0.1", &reason, 1);
            audit.record(&event).unwrap();
        }
    }

    /// Returns the lines of the file.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.audit.file).unwrap();
        text.lines().map(ToOwned::to_owned).collect()
    }

    /// Returns the number of events that wait for the only sink.
    pub(crate) fn waiting(&self) -> u64 {
        self.audit.options.spools[0]
            .waiting(&self.audit.file)
            .unwrap()
    }

    /// Waits until no event waits.
    pub(crate) async fn settled(&self) {
        until("all events are delivered", || self.waiting() == 0).await;
    }

    /// Starts a process that forwards.
    pub(crate) fn forward(&self) -> Child {
        self.forwarding().spawn().unwrap()
    }

    /// Starts a process that forwards and trusts a certificate, and ends it after it has delivered all.
    pub(crate) async fn forward_trusting(&self, certificate: &Certificate) {
        let mut forwarding = self.forwarding();
        let trusting = forwarding.env("SSL_CERT_FILE", certificate.file());
        let mut child = trusting.spawn().unwrap();
        self.settled().await;
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn forwarding(&self) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "support::forwards_as_another_process"])
            .env(FORWARD, self.config())
            .stdout(Stdio::null());
        command
    }

    /// Delivers what waits to the only sink, in this process. Returns the error.
    pub(crate) async fn refused(&self) -> String {
        let mut forwarders = toolwright_sinks::forwarders(&self.audit).unwrap();
        forwarders[0].drain().await.unwrap_err().to_string()
    }
}

/// Waits until a condition is met.
pub(crate) async fn until(what: &str, is_met: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_met() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        sleep(Duration::from_millis(20)).await;
    }
}

/// Runs the forwarders of a configuration within this process, until it is dropped.
pub(crate) struct Running(Vec<tokio::task::JoinHandle<()>>);

impl Running {
    pub(crate) fn start(place: &Place) -> Self {
        let forwarders = toolwright_sinks::forwarders(&place.audit).unwrap();
        let forwarders = forwarders.into_iter();
        Self(forwarders.map(|one| tokio::spawn(one.run())).collect())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}

/// Forwards in another process, which a test kills. Without the variable it does nothing.
#[tokio::test]
async fn forwards_as_another_process() {
    if let Some(path) = std::env::var_os(FORWARD) {
        let config = Config::read(Path::new(&path)).unwrap();
        let forwarders = toolwright_sinks::forwarders(&config.audit).unwrap();
        for forwarder in forwarders {
            forwarder.run().await;
        }
    }
}

/// A port that leads to a server, until it is cut.
pub(crate) struct Wire {
    pub(crate) port: u16,
    is_cut: Arc<AtomicBool>,
}

impl Wire {
    pub(crate) async fn to(server: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_cut = Arc::new(AtomicBool::new(false));
        let cut = Arc::clone(&is_cut);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let cut = Arc::clone(&cut);
                tokio::spawn(async move {
                    let mut server = TcpStream::connect(server).await.unwrap();
                    let copying = copy_bidirectional(&mut client, &mut server);
                    tokio::pin!(copying);
                    while !cut.load(Ordering::SeqCst) {
                        if timeout(Duration::from_millis(5), &mut copying)
                            .await
                            .is_ok()
                        {
                            return;
                        }
                    }
                });
            }
        });
        Self { port, is_cut }
    }

    /// Ends all connections, and each new one at once.
    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
    }

    pub(crate) fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

/// Cuts the wire to a sink, and mends it: nothing is lost, and changes stop at the bound of 40 events.
/// Returns the lines of the file.
pub(crate) async fn goes_away_and_returns(place: &Place, wire: &Wire) -> Vec<String> {
    let audit = place.audit.open();
    let running = Running::start(place);
    place.record(&audit, 10);
    place.settled().await;
    wire.cut();
    place.record(&audit, 39);
    assert_eq!(audit.backlog(), None);
    place.record(&audit, 61);
    let reason = audit.backlog().unwrap();
    assert!(
        reason.starts_with("100 events wait for the sink"),
        "{reason}"
    );
    // The forwarder fails several times.
    sleep(outage()).await;
    assert_eq!(place.waiting(), 100);
    wire.mend();
    place.settled().await;
    assert_eq!(audit.backlog(), None);
    place.record(&audit, 5);
    place.settled().await;
    drop(running);
    place.lines()
}

/// Returns the time for which a sink is away: two seconds, or the seconds in the variable
/// `TOOLWRIGHT_OUTAGE`. The pauses of a forwarder are up to ten seconds long.
fn outage() -> Duration {
    let seconds = std::env::var("TOOLWRIGHT_OUTAGE");
    let seconds = seconds.ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(2))
}

/// Kills a process that forwards many events, and starts another one. Returns the lines of the file.
pub(crate) async fn is_killed_and_resumes(place: &Place) -> Vec<String> {
    let audit = place.audit.open();
    place.record(&audit, 6_000);
    let mut kills = 0;
    while place.waiting() > 0 {
        let before = place.waiting();
        let mut child = place.forward();
        until("some events are delivered", || place.waiting() < before).await;
        child.kill().unwrap();
        child.wait().unwrap();
        kills += usize::from(place.waiting() > 0);
    }
    assert!(kills > 0, "the process was never killed within its work");
    place.lines()
}
