//! The server, and a registry with its tools.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, OnceLock},
};

use serde_json::Value;
use tempfile::TempDir;
use toolwright::{
    Credentials, Registry, Role, ToolError, ToolOutput, ToolSpec, audit::MemoryAudit,
    config::Config,
};
use toolwright_generator::{
    generate::{self, Input, Options},
    load::Memory,
};

/// The token of the service.
pub(crate) const TOKEN: &str = "5up3r-s3cr3t-t0k3n-of-the-shelf";

/// A running server, and a registry whose service `shelf` it is.
pub(crate) struct Shelf {
    server: Mutex<Child>,
    registry: Registry,
    pub(crate) base_url: String,
    pub(crate) audit: Arc<MemoryAudit>,
    _folder: TempDir,
}

impl Shelf {
    /// Starts the server and speaks to it without TLS. The text is more of the service's settings.
    pub(crate) fn start(settings: &str) -> Option<Self> {
        Self::new(false, true, settings)
    }

    /// Starts the server and speaks to it over TLS, with or without a check of its certificate.
    pub(crate) fn start_with_tls(verify: bool) -> Option<Self> {
        let settings = match verify {
            true => "",
            false => "allow = [\"unverified-tls\"]\n",
        };
        Self::new(true, verify, settings)
    }

    fn new(tls: bool, verify: bool, settings: &str) -> Option<Self> {
        let installed = install()?;
        let folder = tempfile::tempdir().unwrap();
        let (server, ports) = serve(&installed, folder.path());
        let (scheme, port) = match tls {
            true => ("https", ports.1),
            false => ("http", ports.0),
        };
        let base_url = format!("{scheme}://127.0.0.1:{port}");
        let text = format!(
            "[roles.reader]\ngrant = [\"service:shelf\"]\n[tools]\nenable = [\"*\"]\n\
             [services.shelf]\nbase_url = \"{base_url}\"\n{settings}"
        );
        let auth = serde_json::json!({"api_token": TOKEN, "verify_ssl": verify});
        let file = folder.path().join(".local/shelf/admin-auth.json");
        toolwright::private::write(&file, auth.to_string()).unwrap();
        let config = Config::parse(&folder.path().join("toolwright.toml"), &text).unwrap();
        let audit = Arc::new(MemoryAudit::new());
        let registry = Registry::builder()
            .specs(specs().into_iter().map(|spec| ToolSpec {
                approval_required: false,
                ..spec
            }))
            .credentials(Credentials::from_config(&config).with_variables(|_| None))
            .config(config)
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        Some(Self {
            server: Mutex::new(server),
            registry,
            base_url,
            audit,
            _folder: folder,
        })
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        self.output(tool, arguments)
            .await
            .map(|output| output.value)
    }

    /// Calls a tool, and returns all of its output.
    pub(crate) async fn output(
        &self,
        tool: &str,
        arguments: Value,
    ) -> Result<ToolOutput, ToolError> {
        let view = self.registry.for_agent(&Role::new("reader").unwrap());
        view.call_json(tool, arguments).await
    }

    /// Ends the server.
    pub(crate) fn stop(&self) {
        let mut server = self.server.lock().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        if let Ok(mut server) = self.server.lock() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

/// Returns the tools of the document.
pub(crate) fn specs() -> Vec<ToolSpec> {
    let document = source().join("shelf.proto");
    specs_of("shelf.proto", fs::read(document).unwrap())
}

/// Returns the tools of a document in memory.
pub(crate) fn specs_of(name: &str, bytes: Vec<u8>) -> Vec<ToolSpec> {
    let files = Memory([(name.to_owned(), bytes)].into());
    let outcome = generate::run(&[Input::new(name)], Options::default(), &files);
    let faults = &outcome.diagnostics;
    outcome
        .catalog
        .unwrap_or_else(|| panic!("{faults:#?}"))
        .tool_specs()
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/grpc_server")
}

/// Installs the packages and compiles the document. Returns the folder.
fn install() -> Option<PathBuf> {
    static INSTALLED: OnceLock<Option<PathBuf>> = OnceLock::new();
    INSTALLED.get_or_init(install_once).clone()
}

fn install_once() -> Option<PathBuf> {
    if env::var_os("TOOLWRIGHT_REAL").is_none_or(|value| value != "1") {
        eprintln!("skipped: a gRPC server in Python: set TOOLWRIGHT_REAL=1");
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/real");
    let folder = env::var_os("REAL").map_or(root, PathBuf::from).join("grpc");
    fs::create_dir_all(folder.join("gen")).unwrap();
    let folder = folder.canonicalize().unwrap();
    let python = folder.join("venv/bin/python");
    if !python.exists() {
        run(Command::new("python3")
            .args(["-m", "venv", "venv"])
            .current_dir(&folder));
        let packages = [
            "grpcio",
            "grpcio-reflection",
            "grpcio-status",
            "grpcio-tools",
        ];
        let mut pip = Command::new(folder.join("venv/bin/pip"));
        run(pip.args(["install", "-q"]).args(packages));
    }
    // The package `googleapis-common-protos`, on which another depends, has the imported files.
    let code = "import google.api.annotations_pb2 as a, pathlib\n\
                print(pathlib.Path(a.__file__).parents[2])";
    let found = Command::new(&python).args(["-c", code]).output().unwrap();
    let common = String::from_utf8(found.stdout).unwrap();
    let mut protoc = Command::new(&python);
    protoc.args(["-m", "grpc_tools.protoc", "-I"]).arg(source());
    protoc.args([
        "-I",
        common.trim(),
        "--include_imports",
        "--include_source_info",
    ]);
    let gen_folder = folder.join("gen");
    for option in ["python_out", "grpc_python_out"] {
        protoc.arg(format!("--{option}={}", gen_folder.display()));
    }
    let set = gen_folder.join("shelf.binpb");
    protoc.arg(format!("--descriptor_set_out={}", set.display()));
    run(protoc.arg(source().join("shelf.proto")));
    Some(folder)
}

fn run(command: &mut Command) {
    let status = command.status().unwrap();
    assert!(status.success(), "{command:?}");
}

/// Starts the server. Returns its ports without and with TLS.
fn serve(installed: &Path, folder: &Path) -> (Child, (u16, u16)) {
    let certified = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let (key, chain) = (folder.join("key.pem"), folder.join("chain.pem"));
    fs::write(&key, certified.signing_key.serialize_pem()).unwrap();
    fs::write(&chain, certified.cert.pem()).unwrap();
    let mut server = Command::new(installed.join("venv/bin/python"))
        .arg(source().join("server.py"))
        .args([&key, &chain])
        .env("PYTHONPATH", installed.join("gen"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let (plain, secure) = line.trim().split_once(' ').unwrap();
    (server, (plain.parse().unwrap(), secure.parse().unwrap()))
}
