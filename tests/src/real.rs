//! Services and clients that others wrote, for the tests that ask for them.
//!
//! They are installed and started by scripts beside the project, into a folder that may be thrown
//! away. `TOOLWRIGHT_REAL=1` asks for these tests; `TOOLWRIGHT_SHARED` says where the scripts are,
//! by default in a folder `shared` beside the project's; `REAL` says where they install, by
//! default `target/real`.

use std::{
    env, fmt, fs, io,
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::shared;

/// How long a service is given to answer a look at whether it is there.
const GLANCE: Duration = Duration::from_secs(5);

/// What the tests with real services and clients need.
#[derive(Clone, Debug)]
pub struct Real {
    scripts: PathBuf,
    folder: PathBuf,
}

/// A service, by what its script is called and where it answers when it is ready.
#[derive(Clone, Copy, Debug)]
pub struct RealService {
    /// The name of the script, and of the folder with the service's data.
    pub name: &'static str,
    /// The port on the loopback interface.
    pub port: u16,
    /// A path that is answered with 200 once the service is ready.
    pub path: &'static str,
    /// How long it may take until then.
    pub patience: Duration,
}

/// A service that answers. If it was started here, it ends when this is dropped.
#[derive(Debug)]
pub struct Started {
    real: Real,
    service: RealService,
    here: bool,
    /// How long it took until the service answered.
    pub took: Duration,
}

/// Why something real could not be had.
#[derive(Debug)]
pub struct RealError(String);

impl Real {
    /// What the tests need, if they are asked for and it is there; otherwise prints why not.
    #[must_use]
    pub fn wanted() -> Option<Self> {
        Self::with_scripts(shared::folder().join("real/scripts"))
    }

    /// Returns what the tests need whose scripts are in a folder of `tests/real`, if they are asked
    /// for; otherwise prints why not.
    #[must_use]
    pub fn of_project(folder: &str) -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self::with_scripts(root.join("real").join(folder))
    }

    fn with_scripts(scripts: PathBuf) -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        if env::var_os("TOOLWRIGHT_REAL").is_none_or(|value| value != "1") {
            eprintln!(
                "skipped: TOOLWRIGHT_REAL=1 asks for the tests with real services and clients"
            );
            return None;
        }
        if !scripts.is_dir() {
            eprintln!("skipped: {} is not there", scripts.display());
            return None;
        }
        let folder = env::var_os("REAL").map(PathBuf::from);
        let folder = folder.unwrap_or_else(|| root.join("target/real"));
        Some(Self { scripts, folder })
    }

    /// Where everything is installed.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs a script to its end.
    ///
    /// # Errors
    /// When it cannot be run or fails.
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

    /// A service that answers: the one that is there, or one that is started on no data.
    ///
    /// # Errors
    /// When it cannot be started, or does not answer in time.
    pub fn start(&self, service: RealService) -> Result<Started, RealError> {
        let begun = Instant::now();
        let here = !service.answers();
        if here {
            self.forget(service.name)?;
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

    /// Removes what an earlier run of a service left behind.
    fn forget(&self, service: &str) -> Result<(), RealError> {
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
    /// Where the service is.
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
