//! Prism, a mock server that refuses what does not keep to a document.

use std::{
    fs::{self, File},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use toolwright_tests::real::{Real, RealError};

/// How long it may read a document.
const PATIENCE: Duration = Duration::from_secs(180);

/// Prism, with one document.
pub(super) struct Prism {
    process: Child,
    port: u16,
}

/// Why there is no verdict: in the judge's own words.
pub(super) struct Unjudged(pub(super) String);

/// Installs it where it is not there yet.
pub(super) fn install(real: &Real, port: u16) -> Result<(), RealError> {
    if binary(real).exists() {
        return Ok(());
    }
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("nothing.json");
    fs::write(
        &document,
        r#"{"openapi":"3.0.3","info":{"title":"","version":""},"paths":{}}"#,
    )
    .unwrap();
    let port = port.to_string();
    real.run("prism.sh", &[document.to_str().unwrap(), &port])?;
    real.run("stop.sh", &[&format!("prism-{port}")])
}

fn binary(real: &Real) -> std::path::PathBuf {
    real.folder().join("npm/prism/node_modules/.bin/prism")
}

impl Prism {
    /// Starts it with a document and waits until it listens.
    pub(super) fn start(real: &Real, document: &Path, port: u16) -> Result<Self, Unjudged> {
        let log = real.folder().join(format!("logs/prism-{port}.log"));
        fs::create_dir_all(log.parent().unwrap()).unwrap();
        let output = File::create(&log).unwrap();
        let process = Command::new(binary(real))
            .args([
                "mock",
                "--errors",
                "-h",
                "127.0.0.1",
                "-p",
                &port.to_string(),
            ])
            .arg(document)
            .stdin(Stdio::null())
            .stderr(output.try_clone().unwrap())
            .stdout(output)
            .spawn()
            .unwrap();
        let mut prism = Self { process, port };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = prism.process.try_wait().unwrap();
            if ended.is_some() || begun.elapsed() > PATIENCE {
                let said = fs::read_to_string(&log).unwrap_or_default();
                return Err(Unjudged(reason(&said)));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(prism)
    }

    /// `http://127.0.0.1:…`.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// The line of the log that says what is wrong.
fn reason(log: &str) -> String {
    let wrong = log.lines().find(|line| line.contains("rror"));
    wrong
        .unwrap_or("it did not listen in time")
        .trim()
        .to_owned()
}

impl Drop for Prism {
    fn drop(&mut self) {
        // It is gone already, or it goes now.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
