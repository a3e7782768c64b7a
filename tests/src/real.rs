//! Third-party services and clients, for the opt-in tests.
//!
//! `TOOLWRIGHT_REAL=1` enables these tests. Scripts install and start the services in a disposable
//! folder. The scripts are in `TOOLWRIGHT_SHARED`, by default the folder `shared` next to the
//! project. The installation folder is `REAL`, by default `target/real`.

use std::{
    env, fmt, fs, io,
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::shared;

/// The read timeout of a readiness check.
const GLANCE: Duration = Duration::from_secs(5);

/// The scripts and the installation folder.
#[derive(Clone, Debug)]
pub struct Real {
    scripts: PathBuf,
    folder: PathBuf,
}

/// A service: its script and its readiness check.
#[derive(Clone, Copy, Debug)]
pub struct RealService {
    /// The name of the script and of the service's data folder.
    pub name: &'static str,
    /// The port on the loopback interface.
    pub port: u16,
    /// A path that returns 200 when the service is ready.
    pub path: &'static str,
    /// The time limit for the start.
    pub patience: Duration,
}

/// A running service. If this process started it, dropping this value ends it.
#[derive(Debug)]
pub struct Started {
    real: Real,
    service: RealService,
    here: bool,
    /// The time until the service was ready.
    pub took: Duration,
}

/// An error of a script or a service.
#[derive(Debug)]
pub struct RealError(String);

impl Real {
    /// Returns the setup if these tests are enabled and it exists; prints the reason otherwise.
    #[must_use]
    pub fn if_enabled() -> Option<Self> {
        Self::with_scripts(shared::folder().join("real/scripts"))
    }

    /// Returns the setup with the scripts of a folder in `tests/real`, if these tests are enabled;
    /// prints the reason otherwise.
    #[must_use]
    pub fn if_enabled_with(folder: &str) -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self::with_scripts(root.join("real").join(folder))
    }

    fn with_scripts(scripts: PathBuf) -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        if env::var_os("TOOLWRIGHT_REAL").is_none_or(|value| value != "1") {
            eprintln!(
                "skipped: set TOOLWRIGHT_REAL=1 to run the tests with real services and clients"
            );
            return None;
        }
        if !scripts.is_dir() {
            eprintln!("skipped: {} does not exist", scripts.display());
            return None;
        }
        let folder = env::var_os("REAL").map(PathBuf::from);
        let folder = folder.unwrap_or_else(|| root.join("target/real"));
        Some(Self { scripts, folder })
    }

    /// The installation folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs a script and waits for its end.
    ///
    /// # Errors
    /// If the script cannot be run or fails.
    pub fn run(&self, script: &str, arguments: &[&str]) -> Result<(), RealError> {
        let mut command = Command::new(self.scripts.join(script));
        let ended = command
            .args(arguments)
            .env("REAL", &self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status();
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(RealError(format!("`{script}` failed: {status}"))),
            Err(error) => Err(RealError(format!("`{script}` cannot be run: {error}"))),
        }
    }

    /// Returns the running service, or starts it without data.
    ///
    /// # Errors
    /// If it cannot be started or does not answer in time.
    pub fn start(&self, service: RealService) -> Result<Started, RealError> {
        let begun = Instant::now();
        let here = !service.answers();
        if here {
            self.remove_data(service.name)?;
            self.run(&format!("{}.sh", service.name), &[])?;
        }
        let mut started = Started {
            real: self.clone(),
            service,
            here,
            took: Duration::ZERO,
        };
        while !service.answers() {
            if begun.elapsed() > service.patience {
                let RealService { name, patience, .. } = service;
                return Err(RealError(format!(
                    "`{name}` did not answer within {patience:?}"
                )));
            }
            std::thread::sleep(Duration::from_millis(500));
        }
        started.took = begun.elapsed();
        Ok(started)
    }

    /// Removes the data of an earlier run.
    fn remove_data(&self, service: &str) -> Result<(), RealError> {
        let data = self.folder.join("data").join(service);
        match fs::remove_dir_all(&data) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RealError(format!(
                "cannot remove {}: {error}",
                data.display()
            ))),
            _ => Ok(()),
        }
    }
}

impl RealService {
    /// The base URL of the service.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn answers(&self) -> bool {
        self.status_line().is_ok_and(|line| line.contains(" 200 "))
    }

    fn status_line(&self) -> io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(GLANCE))?;
        let (path, port) = (self.path, self.port);
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        )?;
        let mut beginning = [0; 16];
        stream.read_exact(&mut beginning)?;
        Ok(String::from_utf8_lossy(&beginning).into_owned())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if self.here
            && let Err(error) = self.real.run("stop.sh", &[self.service.name])
        {
            eprintln!("{error}");
        }
    }
}

impl fmt::Display for RealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RealError {}
