//! Prism, a validating proxy.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use toolwright_tests::real::{Real, RealError};

/// The memory limit in MiB.
const MEMORY: u32 = 4096;
/// The number of documents per process, because a process never frees one.
const DOCUMENTS: usize = 12;
/// The port of the installation check.
const PORT: &str = "4610";

/// The idle processes.
static IDLE: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// A Prism process with one document.
pub(super) struct Prism {
    process: Option<Process>,
    url: String,
}

/// The validator's reason for a missing verdict.
pub(super) struct NoVerdict(pub(super) String);

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    read: usize,
}

/// Installs Prism if necessary.
pub(super) fn install(real: &Real) -> Result<(), RealError> {
    if folder(real).join("node_modules/.bin/prism").exists() {
        return Ok(());
    }
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("nothing.json");
    fs::write(
        &document,
        r#"{"openapi":"3.0.3","info":{"title":"","version":""},"paths":{}}"#,
    )
    .unwrap();
    real.run("prism.sh", &[document.to_str().unwrap(), PORT])?;
    real.run("stop.sh", &[&format!("prism-{PORT}")])
}

fn folder(real: &Real) -> std::path::PathBuf {
    real.folder().join("npm/prism")
}

impl Prism {
    /// Loads a document and sets the URL for valid requests.
    pub(super) fn start(real: &Real, document: &Path, service: &str) -> Result<Self, NoVerdict> {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut process = idle.unwrap_or_else(|| Process::start(real));
        let url = process.read(document, service)?;
        Ok(Self {
            process: Some(process),
            url,
        })
    }

    /// Waits briefly and returns true if the process has ended. A crash closes connections first.
    pub(super) fn has_crashed(&mut self) -> bool {
        thread::sleep(Duration::from_millis(500));
        self.has_ended()
    }

    fn has_ended(&mut self) -> bool {
        let process = self.process.as_mut();
        process.is_none_or(|process| process.child.try_wait().is_ok_and(|ended| ended.is_some()))
    }

    /// The URL, such as `http://127.0.0.1:…`.
    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Process {
    fn start(real: &Real) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let logs = real.folder().join("logs");
        fs::create_dir_all(&logs).unwrap();
        let log = File::create(logs.join(format!("prism-{number}.log"))).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("real/prism.js");
        let mut child = Command::new("node")
            .arg(format!("--max-old-space-size={MEMORY}"))
            .arg(script)
            .arg(folder(real))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            read: 0,
        }
    }

    /// Loads a document and returns the URL of its validator.
    fn read(&mut self, document: &Path, service: &str) -> Result<String, NoVerdict> {
        self.read += 1;
        let no_verdict = |why: &str| NoVerdict(why.to_owned());
        let order = json!({"document": document, "service": service});
        writeln!(self.input, "{order}").map_err(|_| no_verdict("it has ended"))?;
        let mut line = String::new();
        let _ = self.output.read_line(&mut line);
        let answer: Value = serde_json::from_str(&line).unwrap_or_default();
        match answer["url"].as_str() {
            Some(url) => Ok(url.to_owned()),
            None => Err(no_verdict(
                answer["error"].as_str().unwrap_or("it ended on it"),
            )),
        }
    }
}

impl Drop for Prism {
    fn drop(&mut self) {
        let ended = self.has_ended();
        if let Some(process) = self.process.take()
            && process.read < DOCUMENTS
            && !ended
        {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push(process);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
