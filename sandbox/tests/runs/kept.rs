//! Children that wait: one for its order, and confined ones for their next job.
//!
//! Each test is a process of its own, since others run jobs as well.

use std::{
    env,
    fs::{self, File},
    io::{BufRead as _, BufReader},
    mem,
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
    time::{Duration, Instant},
};

use libtest_mimic::{Failed, Trial};
use nix::sched::{CloneFlags, unshare};
use rustix::{
    fs::Mode,
    mount::{MountPropagationFlags, mount_change},
    process::{Pid, Resource, Signal, getrlimit, kill_process, umask},
};
use serde::{Deserialize, Serialize};
use toolwright_sandbox::{Confinement, End, Error, Job, Limit, Repeatable, Sandbox};

use crate::{jobs::Number, programs::until};

/// The argument that makes this program run one of the tests.
const ALONE: &str = "--alone";

/// The argument that makes this program run a job and wait.
const CALLER: &str = "--caller-of-a-kept-child";

/// The tests by their names.
macro_rules! tests {
    ($($name:ident),*) => {
        const TESTS: &[&str] = &[$(stringify!($name)),*];

        async fn run(name: &str) {
            match name {
                $(stringify!($name) => $name().await,)*
                name => panic!("there is no test {name}"),
            }
        }
    };
}

tests!(
    one_ahead,
    equal_rights,
    other_rights,
    other_files,
    hidden_paths,
    not_kept,
    stopped,
    idle,
    many_jobs,
    leftovers,
    faults,
    dropped,
    killed_caller,
    mounts
);

/// Returns the tests, each in a process of its own.
pub(crate) fn trials() -> Vec<Trial> {
    let trial = |name: &&'static str| {
        let name = *name;
        Trial::test(format!("kept_children_{name}"), move || {
            let status = Command::new(env::current_exe()?)
                .args([ALONE, name])
                .status()?;
            status
                .success()
                .then_some(())
                .ok_or_else(|| Failed::from(status.to_string()))
        })
    };
    TESTS.iter().map(trial).collect()
}

pub(crate) fn test_alone_if_asked() {
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    match env::args().nth(1).as_deref() {
        Some(ALONE) => {
            leave_mounts();
            runtime().block_on(run(&env::args().nth(2).unwrap()));
        }
        Some(CALLER) => {
            println!("{}", runtime().block_on(number(&Confinement::new("/"))));
            std::thread::sleep(Duration::from_secs(60));
        }
        _ => return,
    }
    process::exit(0);
}

/// Enters a mount namespace if this user may: a child is not kept if others change the mounts in the meantime.
fn leave_mounts() {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    if unshare(CloneFlags::CLONE_NEWNS).is_ok() {
        mount_change("/", private).unwrap();
    }
}

impl Repeatable for Number {}

/// Leaves something behind that the next job must not have.
pub(crate) struct Leave;

#[derive(Serialize, Deserialize)]
pub(crate) enum Leftover {
    /// A umask, and a folder.
    State,
    File,
    Memory,
    Cpu,
    Panic,
    Failure,
    Sleep,
    Exit,
    /// Nothing, but it takes a while.
    Nothing,
}

impl Job for Leave {
    const NAME: &'static str = "leave";
    type Input = Leftover;
    type Output = State;

    fn run(leftover: Leftover) -> Result<State, String> {
        let state = State::now();
        match leftover {
            Leftover::State => {
                umask(Mode::empty());
                env::set_current_dir("/").unwrap();
            }
            Leftover::File => mem::forget(File::open(".").unwrap()),
            Leftover::Memory => drop(std::hint::black_box(vec![1_u8; 64 << 20])),
            Leftover::Cpu => {
                let start = Instant::now();
                while start.elapsed() < Duration::from_millis(600) {
                    std::hint::black_box(1);
                }
            }
            Leftover::Panic => panic!("the job panics"),
            Leftover::Failure => return Err("the job fails".to_owned()),
            Leftover::Sleep => std::thread::sleep(Duration::from_secs(60)),
            Leftover::Exit => process::exit(0),
            Leftover::Nothing => std::thread::sleep(Duration::from_millis(200)),
        }
        Ok(state)
    }
}

impl Repeatable for Leave {}

/// The state of a process in which a job starts.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    process: u32,
    umask: u32,
    folder: PathBuf,
    /// The most open files, and the number of the next one.
    files: (Option<u64>, i32),
    /// The CPU time that it may use in seconds.
    cpu: Option<u64>,
    variables: usize,
}

impl State {
    fn now() -> Self {
        use std::os::fd::AsRawFd as _;
        let mask = umask(Mode::empty());
        umask(mask);
        let file = rustix::io::dup(std::io::stdin()).unwrap();
        Self {
            process: process::id(),
            umask: mask.as_raw_mode(),
            folder: env::current_dir().unwrap(),
            files: (getrlimit(Resource::Nofile).current, file.as_raw_fd()),
            cpu: getrlimit(Resource::Cpu).current,
            variables: env::vars_os().count(),
        }
    }
}

async fn number(confinement: &Confinement) -> u32 {
    let sandbox = Sandbox::new();
    sandbox
        .repeat::<Number>("owner", confinement, &())
        .await
        .unwrap()
}

async fn leave(confinement: &Confinement, leftover: Leftover) -> Result<State, Error> {
    let sandbox = Sandbox::new();
    sandbox
        .repeat::<Leave>("owner", confinement, &leftover)
        .await
}

fn state_of(process: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    Some(fields.split(' ').next()?.to_owned())
}

/// Checks whether a process is gone, or waits to be forgotten.
fn is_gone(process: u32) -> bool {
    state_of(process).is_none_or(|state| state == "Z")
}

/// Creates a confinement that may write a folder.
fn writing(folder: &Path) -> Confinement {
    let mut confinement = Confinement::new(folder);
    confinement.files.write = vec![folder.to_owned()];
    confinement.files.read = vec![folder.to_owned()];
    confinement
}

/// Jobs of one owner with equal rights share a child.
async fn equal_rights() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = writing(folder.path());
    let first = number(&confinement).await;
    for _ in 0..5 {
        assert_eq!(number(&confinement).await, first);
    }
    // Several at a time have several children.
    let slow = async || {
        let done = leave(&confinement, Leftover::Nothing).await;
        done.unwrap().process
    };
    let (one, other) = tokio::join!(slow(), slow());
    assert_ne!(one, other);
    assert!([one, other].contains(&first));
    // A job that is not repeated has a child of its own, and leaves the kept one alone.
    let alone = Sandbox::new()
        .job::<Number>(&confinement, &())
        .await
        .unwrap();
    assert!(![one, other].contains(&alone));
    assert!(is_gone(alone));
}

/// Jobs with other rights, or of another owner, do not share a child.
async fn other_rights() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = writing(folder.path());
    let mut all = vec![number(&confinement).await];
    let sandbox = Sandbox::new();
    let other = sandbox
        .repeat::<Number>("other", &confinement, &())
        .await
        .unwrap();
    all.push(other);
    let changes: [fn(&mut Confinement); 9] = [
        |confinement| confinement.files.read.clear(),
        |confinement| confinement.files.write.clear(),
        |confinement| confinement.umask = 0o022,
        |confinement| confinement.required.clear(),
        |confinement| confinement.limits.memory += 1,
        |confinement| confinement.limits.cpu += Duration::from_secs(1),
        |confinement| confinement.limits.file_size -= 1,
        |confinement| confinement.limits.open_files -= 1,
        |confinement| confinement.folder = "/".into(),
    ];
    for change in changes {
        let mut confinement = confinement.clone();
        change(&mut confinement);
        all.push(number(&confinement).await);
    }
    // A machine with fewer features.
    let mut support = sandbox.support().unwrap();
    support.ipc = !support.ipc;
    support.ipc &= sandbox.support().unwrap().ipc;
    let sandbox = Sandbox::new().with_support(support);
    all.push(
        sandbox
            .repeat::<Number>("owner", &confinement, &())
            .await
            .unwrap(),
    );
    let first = all[0];
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 12);
    assert_eq!(number(&confinement).await, first);
}

/// The same paths with other files are other rights.
async fn other_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("inside")).unwrap();
    fs::create_dir(path("next")).unwrap();
    let confinement = writing(&path("inside"));
    let first = number(&confinement).await;
    fs::rename(path("inside"), path("before")).unwrap();
    fs::rename(path("next"), path("inside")).unwrap();
    let second = number(&confinement).await;
    assert_ne!(second, first);
    // Removed and created again: the number is not the one of before, since the child still holds it.
    fs::remove_dir(path("inside")).unwrap();
    fs::create_dir(path("inside")).unwrap();
    let third = number(&confinement).await;
    assert!(![first, second].contains(&third));
    // By a link that leads elsewhere.
    std::os::unix::fs::symlink("inside", path("link")).unwrap();
    let linked = writing(&path("link"));
    let fourth = number(&linked).await;
    fs::remove_file(path("link")).unwrap();
    std::os::unix::fs::symlink("before", path("link")).unwrap();
    assert_ne!(number(&linked).await, fourth);
    // A folder that is gone is an error as ever.
    fs::remove_dir(path("inside")).unwrap();
    let gone = Sandbox::new()
        .repeat::<Number>("owner", &confinement, &())
        .await;
    assert!(matches!(gone, Err(Error::Setup(_))), "{gone:?}");
}

/// Looks at a path: the content of a file, or the number of entries of a folder.
pub(crate) struct Look;

impl Job for Look {
    const NAME: &'static str = "look";
    type Input = PathBuf;
    type Output = (u32, Result<String, String>);

    fn run(path: PathBuf) -> Result<Self::Output, String> {
        let content = fs::read_to_string(&path).or_else(|_| {
            let entries = fs::read_dir(&path)?;
            Ok(entries.count().to_string())
        });
        let content = content.map_err(|error: std::io::Error| error.kind().to_string());
        Ok((process::id(), content))
    }
}

impl Repeatable for Look {}

/// A child with hidden paths is kept as long as the same files are covered.
async fn hidden_paths() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("sub")).unwrap();
    for name in ["sub/a", "secret", "open"] {
        fs::write(path(name), name).unwrap();
    }
    let mut confinement = writing(folder.path());
    confinement.files.hidden = vec![path("secret"), path("sub")];
    let look = async |name: &str| {
        let (sandbox, path) = (Sandbox::new(), path(name));
        let done = sandbox.repeat::<Look>("owner", &confinement, &path).await;
        done.unwrap()
    };
    // Nothing that is hidden is seen, by the child from before or by another one.
    let check = async || {
        let (child, open) = look("open").await;
        assert_eq!(open.as_deref(), Ok("open"));
        assert_eq!(look("secret").await, (child, Ok(String::new())));
        let (same, sub) = look("sub").await;
        assert_eq!(same, child);
        assert!(sub.is_err(), "{sub:?}");
        assert!(look("sub/a").await.1.is_err());
        child
    };
    let mut last = check().await;
    assert_eq!(check().await, last);
    let changes: [(&str, &dyn Fn()); 6] = [
        ("a file is replaced", &|| {
            fs::write(path("new"), "new").unwrap();
            fs::rename(path("new"), path("secret")).unwrap();
        }),
        (
            "a file is removed and created, perhaps with the same number",
            &|| {
                fs::remove_file(path("secret")).unwrap();
                fs::write(path("secret"), "again").unwrap();
            },
        ),
        ("a file is exchanged with one that may be read", &|| {
            fs::rename(path("secret"), path("aside")).unwrap();
            fs::rename(path("open"), path("secret")).unwrap();
            fs::rename(path("aside"), path("open")).unwrap();
            fs::write(path("open"), "open").unwrap();
        }),
        (
            "another name of a file takes the place of the hidden one",
            &|| {
                fs::hard_link(path("secret"), path("link")).unwrap();
                fs::remove_file(path("secret")).unwrap();
                fs::rename(path("link"), path("secret")).unwrap();
            },
        ),
        ("a folder is replaced", &|| {
            fs::rename(path("sub"), path("before")).unwrap();
            fs::create_dir(path("sub")).unwrap();
            fs::rename(path("before/a"), path("sub/a")).unwrap();
            fs::remove_dir(path("before")).unwrap();
        }),
        ("a folder is removed and created", &|| {
            fs::remove_dir_all(path("sub")).unwrap();
            fs::create_dir(path("sub")).unwrap();
            fs::write(path("sub/a"), "a").unwrap();
        }),
    ];
    for (change, make) in changes {
        make();
        let next = check().await;
        assert_ne!(next, last, "{change}");
        last = next;
    }
    // The same file at its old place is covered as before.
    fs::rename(path("secret"), path("aside")).unwrap();
    fs::rename(path("aside"), path("secret")).unwrap();
    check().await;
}

/// A confinement of which a change cannot be noticed has a child for each job.
async fn not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let file = path("file");
    fs::write(&file, "text").unwrap();
    let changes: [&dyn Fn(&mut Confinement); 4] = [
        &|confinement| confinement.files.hidden = vec![path("absent")],
        &|confinement| {
            fs::hard_link(&file, path("other")).unwrap();
            confinement.files.hidden = vec![file.clone()];
        },
        &|confinement| confinement.files.system = true,
        &|confinement| confinement.limits.scratch = 1 << 20,
    ];
    for change in changes {
        let mut confinement = writing(folder.path());
        change(&mut confinement);
        let child = number(&confinement).await;
        assert!(is_gone(child));
        assert_ne!(number(&confinement).await, child);
    }
}

/// A child that waits has no time of the processor.
async fn stopped() {
    let confinement = Confinement::new("/");
    let child = number(&confinement).await;
    until(|| state_of(child).unwrap() == "T").await;
    assert_eq!(number(&confinement).await, child);
}

/// A child that waits for long ends.
async fn idle() {
    let child = number(&Confinement::new("/")).await;
    until(|| is_gone(child)).await;
    assert_ne!(number(&Confinement::new("/")).await, child);
}

/// A child ends after some jobs.
async fn many_jobs() {
    let confinement = Confinement::new("/");
    let first = number(&confinement).await;
    let mut jobs = 1;
    while number(&confinement).await == first {
        jobs += 1;
    }
    assert_eq!(jobs, 64);
    assert!(is_gone(first));
}

/// A job starts in the same state as in a child of its own, whatever the one before it left.
async fn leftovers() {
    let folder = tempfile::tempdir().unwrap();
    let mut confinement = writing(folder.path());
    confinement.umask = 0o027;
    let first = leave(&confinement, Leftover::State).await.unwrap();
    assert_eq!(leave(&confinement, Leftover::State).await.unwrap(), first);
    let (mask, path) = (first.umask, fs::canonicalize(folder.path()).unwrap());
    assert_eq!((mask, &first.folder), (0o027, &path));
    for leftover in [Leftover::File, Leftover::Memory, Leftover::Cpu] {
        let before = leave(&confinement, leftover).await.unwrap();
        assert!(is_gone(before.process));
        let after = leave(&confinement, Leftover::State).await.unwrap();
        assert_ne!(after.process, before.process);
        assert_eq!(
            State {
                process: before.process,
                ..after
            },
            before
        );
    }
}

/// A child in which a job fails, or which ends, carries out no other.
async fn faults() {
    let mut confinement = Confinement::new("/");
    confinement.limits.time = Duration::from_secs(2);
    for leftover in [
        Leftover::Panic,
        Leftover::Failure,
        Leftover::Sleep,
        Leftover::Exit,
    ] {
        let child = number(&confinement).await;
        let error = leave(&confinement, leftover).await.unwrap_err();
        assert!(is_gone(child), "{error}");
        assert_ne!(number(&confinement).await, child);
    }
    let error = leave(&confinement, Leftover::Sleep).await.unwrap_err();
    assert!(
        matches!(error, Error::Ended(End::Limit(Limit::Time))),
        "{error}"
    );
}

/// A dropped job takes its child with it.
async fn dropped() {
    let confinement = Confinement::new("/");
    let child = number(&confinement).await;
    tokio::select! {
        ended = leave(&confinement, Leftover::Sleep) => panic!("it ended: {ended:?}"),
        () = until(|| state_of(child).unwrap() == "S") => {}
    }
    until(|| is_gone(child)).await;
}

/// A killed caller takes a stopped child with it.
async fn killed_caller() {
    let own = env::current_exe().unwrap();
    let mut caller = Command::new(own)
        .arg(CALLER)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let output = caller.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    let child = line.trim().parse().unwrap();
    until(|| state_of(child).unwrap() == "T").await;
    caller.kill().unwrap();
    caller.wait().unwrap();
    until(|| is_gone(child)).await;
}

/// A change of the mounts of the program is not one of a child's, so the child carries out no other job.
async fn mounts() {
    use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("below")).unwrap();
    let confinement = writing(folder.path());
    let first = number(&confinement).await;
    let below = folder.path().join("below");
    if mount("tmpfs", &below, "tmpfs", MountFlags::empty(), c"size=4k").is_err() {
        eprintln!("this user may not mount a file system");
        return;
    }
    let second = number(&confinement).await;
    unmount(&below, UnmountFlags::empty()).unwrap();
    let third = number(&confinement).await;
    assert_ne!(second, first);
    assert_ne!(third, second);
}

/// Returns the child that waits for its order, as soon as there is one.
async fn spare_child() -> u32 {
    for _ in 0..1_000 {
        let threads = fs::read_dir("/proc/self/task").unwrap();
        let children = threads.flat_map(|thread| {
            let children = fs::read_to_string(thread.unwrap().path().join("children"));
            let children = children.unwrap_or_default();
            children
                .split_whitespace()
                .map(|child| child.parse().unwrap())
                .collect::<Vec<u32>>()
        });
        // It has left the session of this program when it waits.
        let waits = |child: &u32| {
            let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            let (_, fields) = stat.rsplit_once(") ").unwrap_or_default();
            let mut fields = fields.split(' ');
            fields.next() == Some("S") && fields.nth(2) == Some(&child.to_string())
        };
        if let Some(child) = children.into_iter().find(waits) {
            return child;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no child waits for a job");
}

/// A job has the child that waits for its order, and the next one is started.
async fn one_ahead() {
    let (sandbox, confinement) = (Sandbox::new(), Confinement::new("/"));
    let number = async || sandbox.job::<Number>(&confinement, &()).await.unwrap();
    let first = number().await;
    let waiting = spare_child().await;
    assert_ne!(waiting, first);
    // It carries out one job.
    assert_eq!(number().await, waiting);
    let next = spare_child().await;
    assert_ne!(next, waiting);
    // A job does not need it.
    let pid = Pid::from_raw(i32::try_from(next).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    while fs::read_to_string(format!("/proc/{next}/stat")).is_ok_and(|stat| !stat.contains(") Z")) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_ne!(number().await, next);
}
