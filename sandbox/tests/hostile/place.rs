//! The folders, sockets and processes that an attempt finds.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs::{self, File, Permissions},
    io::Write,
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::{PermissionsExt, chown, symlink},
            net::{SocketAddr, UnixListener},
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::Duration,
};

use rustix::io::{FdFlags, fcntl_setfd};
use tempfile::TempDir;
use toolwright_sandbox::{Confinement, End, Limit, Program};

use crate::{
    attempts::{Attempt, LATE, NEVER_OUTSIDE},
    sandbox,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const MIB: u64 = 1 << 20;
const BODY: &str = include_str!("attempts.pl");

/// The end of an attempt.
#[derive(Debug)]
pub(crate) enum Outcome {
    Succeeded,
    /// A system call failed with this error.
    Failed(i32),
    /// The program was ended.
    Ended(End),
    /// The program failed by itself, or had no effect.
    NoEffect(String),
}

/// Everything that an attempt finds.
pub(crate) struct Place {
    pub(crate) root: TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    _unix: UnixListener,
    _abstract: UnixListener,
    victim: Child,
    name: String,
    /// Open in the children of this process, which the standard library would not do.
    _inherited: File,
}

impl Outcome {
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Succeeded => "succeeded".to_owned(),
            Self::Failed(error) => std::io::Error::from_raw_os_error(*error).to_string(),
            Self::Ended(end) => end.to_string(),
            Self::NoEffect(output) => format!("no effect: {output}"),
        }
    }

    fn of(code: Option<i32>, output: &str) -> Self {
        let error = output.rsplit_once("error ").map(|(_, error)| error);
        let error = error.and_then(|error| error.split(' ').next()?.parse().ok());
        match (code, error) {
            (Some(0), _) => Self::Succeeded,
            (_, Some(error)) => Self::Failed(error),
            _ => Self::NoEffect(output.trim().chars().take(200).collect()),
        }
    }
}

impl Place {
    pub(crate) fn new() -> Result<Self> {
        let root = tempfile::tempdir_in(env::temp_dir())?;
        for folder in ["inside", "outside/.ssh", "readable"] {
            fs::create_dir_all(root.path().join(folder))?;
        }
        for file in [
            "outside/secret",
            "outside/.ssh/id_ed25519",
            "outside/file",
            "readable/file",
            "outside/to-delete",
        ] {
            fs::write(root.path().join(file), "the secret\n")?;
        }
        let outside = root.path().join("outside");
        symlink(outside.join("secret"), root.path().join("inside/link"))?;
        symlink(
            outside.join("file"),
            root.path().join("inside/link-to-file"),
        )?;
        let name = root.path().display().to_string();
        let inherited = File::open(outside.join("secret"))?;
        fcntl_setfd(&inherited, FdFlags::empty())?;
        let abstract_name = SocketAddr::from_abstract_name(&name)?;
        Ok(Self {
            tcp: TcpListener::bind("127.0.0.1:0")?,
            udp: UdpSocket::bind("127.0.0.1:0")?,
            _unix: UnixListener::bind(root.path().join("inside/socket"))?,
            _abstract: UnixListener::bind_addr(&abstract_name)?,
            victim: Command::new("sleep").arg("60").spawn()?,
            name,
            root,
            _inherited: inherited,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Lets all users enter the folder.
    pub(crate) fn open_to_all(&self) -> Result<()> {
        Ok(fs::set_permissions(
            self.root.path(),
            Permissions::from_mode(0o755),
        )?)
    }

    /// Creates a copy of `id` that runs as another user.
    pub(crate) fn setuid_program(&self, user: u32, group: u32) -> Result<PathBuf> {
        let path = self.path("readable/id");
        fs::copy("/usr/bin/id", &path)?;
        chown(&path, Some(user), Some(group))?;
        fs::set_permissions(&path, Permissions::from_mode(0o4755))?;
        Ok(path)
    }

    fn environment(&self) -> Result<BTreeMap<String, String>> {
        let path = |name| self.path(name).display().to_string();
        let (setuid, user) = match env::var("TOOLWRIGHT_SETUID") {
            Ok(path) => (path, "0".to_owned()),
            Err(_) => (
                self.setuid_program(1234, 1234)?.display().to_string(),
                "1234".to_owned(),
            ),
        };
        let disk = fs::read_dir("/sys/block")?.flatten().find_map(|disk| {
            let disk = Path::new("/dev").join(disk.file_name());
            disk.exists().then(|| disk.display().to_string())
        });
        let cgroup = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"];
        let cgroup = cgroup.into_iter().find(|path| Path::new(path).is_dir());
        let values = [
            ("INSIDE", path("inside")),
            ("OUTSIDE", path("outside")),
            ("READABLE", path("readable")),
            ("CALLER", std::process::id().to_string()),
            ("VICTIM", self.victim.id().to_string()),
            ("TCP_PORT", self.tcp.local_addr()?.port().to_string()),
            ("UDP_PORT", self.udp.local_addr()?.port().to_string()),
            ("ABSTRACT", self.name.clone()),
            ("DISK", disk.unwrap_or_else(|| "/dev/sda".to_owned())),
            ("CGROUP", cgroup.unwrap_or("/sys/fs/cgroup").to_owned()),
            ("SETUID", setuid),
            ("SETUID_USER", user),
        ];
        Ok(values.map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// Makes an attempt without a sandbox.
    pub(crate) fn outside(self, attempt: &Attempt) -> Result<Outcome> {
        if NEVER_OUTSIDE.contains(&attempt.name) {
            return Ok(Outcome::NoEffect("it is not tried".to_owned()));
        }
        let mut command = Command::new("/usr/bin/perl");
        command.args(["-e", BODY, attempt.name]).env_clear();
        command.envs(self.environment()?).stdin(Stdio::null());
        let output = command.output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let text = text + &String::from_utf8_lossy(&output.stderr);
        Ok(self.late(attempt, Outcome::of(output.status.code(), &text)))
    }

    /// Makes an attempt in the sandbox.
    pub(crate) fn inside(self, attempt: &Attempt) -> Result<Outcome> {
        let mut confinement = Confinement::new(self.path("inside"));
        confinement.files = confinement.files.with_system_programs();
        confinement.files.read = vec![self.path("readable")];
        confinement.files.write = vec![self.path("inside")];
        confinement.environment = self.environment()?;
        let program = confinement.environment.get("SETUID").map(PathBuf::from);
        confinement.files.execute.extend(program);
        let limits = &mut confinement.limits;
        limits.time = Duration::from_secs(if attempt.name == "ignore-the-end" {
            1
        } else {
            120
        });
        limits.cpu = Duration::from_secs(1);
        limits.memory = 64 * MIB;
        limits.processes = 32;
        limits.file_size = 8 * MIB;
        limits.written = 64 * MIB;
        limits.open_files = 64;
        limits.output = MIB;
        limits.scratch = 8 * MIB;
        let program = Program::new("/usr/bin/perl", ["-e", BODY, attempt.name]);
        let mut output = Vec::new();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let finished = runtime.block_on(sandbox().run(&confinement, &program, |_, bytes| {
            output.extend_from_slice(bytes);
        }))?;
        let output = String::from_utf8_lossy(&output);
        let outcome = match finished.end {
            End::Exited(code) => Outcome::of(Some(code), &output),
            end => Outcome::Ended(end),
        };
        Ok(self.late(attempt, outcome))
    }

    /// Waits for the effect of an attempt that comes later.
    fn late(&self, attempt: &Attempt, outcome: Outcome) -> Outcome {
        if !LATE.contains(&attempt.name) {
            return outcome;
        }
        sleep(Duration::from_secs(if attempt.name == "ignore-the-end" {
            5
        } else {
            2
        }));
        match (outcome, self.path("inside/effect").exists()) {
            (_, true) => Outcome::Succeeded,
            (Outcome::Ended(End::Limit(Limit::Time)), _) => Outcome::Ended(End::Limit(Limit::Time)),
            (_, false) => Outcome::NoEffect("the process is gone".to_owned()),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        let _ = std::io::stdout().flush();
    }
}
