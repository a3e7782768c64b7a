//! A real PostgreSQL with TLS, which is started for the test, and a program that connects to it.

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::{PermissionsExt, chown},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use toolwright_state::{Location, State};

use crate::OPEN;

/// The user that the server runs as: it refuses to run as root.
const NOBODY: u32 = 65_534;

/// A server, which ends when this is dropped.
struct Server {
    child: Child,
    folder: tempfile::TempDir,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The instance: opens the state at a URL, and prints the error.
pub(crate) async fn open(url: String) {
    let state = State::at(Location::postgres(url)).unwrap();
    match state.open().await {
        Ok(()) => println!("opened"),
        Err(error) => println!("{error}"),
    }
}

/// Checks whether the programs of PostgreSQL are here, and whether they can run as another user.
pub(crate) fn is_possible() -> bool {
    let found = Command::new("initdb").arg("--version").output();
    let possible = found.is_ok() && toolwright::system::user() == "root";
    if !possible {
        eprintln!(
            "skipped: the test of TLS: it needs `initdb`, and root to run it as another user"
        );
    }
    possible
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(path("data")).unwrap();
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        fs::write(path("cert.pem"), cert.pem()).unwrap();
        fs::write(path("key.pem"), signing_key.serialize_pem()).unwrap();
        fs::set_permissions(path("key.pem"), fs::Permissions::from_mode(0o600)).unwrap();
        for name in ["data", "key.pem", "cert.pem"] {
            chown(path(name), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let data = path("data/db");
        let made = as_nobody("initdb")
            .args(["-U", "state", "--auth=trust", "-D"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let setting = |name: &str, file: PathBuf| format!("{name}={}", file.display());
        let child = as_nobody("postgres")
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string(), "-c", "ssl=on", "-c"])
            .arg(setting("ssl_cert_file", path("cert.pem")))
            .arg("-c")
            .arg(setting("ssl_key_file", path("key.pem")))
            .arg("-c")
            .arg(setting("unix_socket_directories", path("data")))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            child,
            folder,
            port,
        }
    }

    /// What a program says that opens the state at a host with these options.
    fn open(&self, host: &str, options: &str, trusted: Option<&Path>) -> String {
        let url = format!("postgres://state@{host}:{}/postgres{options}", self.port);
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([OPEN, &url]).env_remove("SSL_CERT_DIR");
        match trusted {
            Some(file) => command.env("SSL_CERT_FILE", file),
            None => command.env_remove("SSL_CERT_FILE"),
        };
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    }
}

fn as_nobody(program: &str) -> Command {
    let mut command = Command::new("setpriv");
    let user = [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")];
    command.args(user).args(["--clear-groups", program]);
    command
}

/// The certificate of the server must be one that the system trusts, and be for its name.
pub(crate) fn certificates() {
    let server = Server::start();
    let certificate = server.folder.path().join("cert.pem");
    let begun = Instant::now();
    while server.open("localhost", "?sslmode=require", Some(&certificate)) != "opened\n" {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the server does not answer"
        );
        std::thread::sleep(Duration::from_millis(200));
    }
    let unknown = server.open("localhost", "?sslmode=require", None);
    assert!(unknown.contains("UnknownIssuer"), "{unknown}");
    let other = server.open("127.0.0.1", "?sslmode=require", Some(&certificate));
    assert!(other.contains("not valid for name"), "{other}");
    // This machine needs none.
    assert_eq!(server.open("127.0.0.1", "", None), "opened\n");
}
