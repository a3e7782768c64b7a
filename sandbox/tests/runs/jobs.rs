//! Jobs: functions of this program.

use std::{
    env, fs,
    net::TcpListener,
    os::fd::OwnedFd,
    path::PathBuf,
    process::{self, Command},
    thread,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use toolwright_sandbox::{Confinement, End, Error, Job, Limit, Sandbox};

/// Writes a file.
pub(crate) struct Write;

#[derive(Serialize, Deserialize)]
pub(crate) struct WriteInput {
    path: PathBuf,
    text: String,
}

impl Job for Write {
    const NAME: &'static str = "write";
    type Input = WriteInput;
    type Output = usize;

    fn run(input: WriteInput, _: Vec<OwnedFd>) -> Result<usize, String> {
        fs::write(&input.path, &input.text).map_err(|error| error.to_string())?;
        Ok(input.text.len())
    }
}

/// Tries something that no job may do.
pub(crate) struct Try;

impl Job for Try {
    const NAME: &'static str = "try";
    type Input = String;
    type Output = String;

    fn run(attempt: String, _: Vec<OwnedFd>) -> Result<String, String> {
        let error = match attempt.as_str() {
            "process" => Command::new("/bin/true")
                .status()
                .err()
                .map(|error| error.to_string()),
            "thread" => thread::Builder::new()
                .spawn(|| ())
                .err()
                .map(|error| error.to_string()),
            "socket" => TcpListener::bind("127.0.0.1:0")
                .err()
                .map(|error| error.to_string()),
            "environment" => env::vars_os()
                .next()
                .is_none()
                .then(|| "it is empty".to_owned()),
            "time" => {
                thread::sleep(Duration::from_secs(60));
                None
            }
            "cpu" => loop {
                std::hint::black_box(1);
            },
            "memory" => Some(vec![1_u8; 1 << 30].len().to_string()),
            _ => None,
        };
        error.ok_or_else(|| "it succeeded".to_owned())
    }
}

/// Returns the number of its process.
pub(crate) struct Number;

impl Job for Number {
    const NAME: &'static str = "number";
    type Input = ();
    type Output = u32;

    fn run((): (), _: Vec<OwnedFd>) -> Result<u32, String> {
        Ok(process::id())
    }
}

/// A job that the program does not have.
struct Absent;

impl Job for Absent {
    const NAME: &'static str = "absent";
    type Input = ();
    type Output = ();

    fn run((): (), _: Vec<OwnedFd>) -> Result<(), String> {
        Ok(())
    }
}

pub(crate) async fn writes_in_scope() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("inside")).unwrap();
    let mut confinement = Confinement::new(folder.path().join("inside"));
    confinement.files.write = vec![folder.path().join("inside")];
    let run = async |path: &str| {
        let path = folder.path().join(path);
        let text = "text".to_owned();
        Sandbox::new()
            .job::<Write>(&confinement, &WriteInput { path, text }, &[])
            .await
    };
    assert_eq!(run("inside/a").await.unwrap(), 4);
    assert_eq!(
        fs::read_to_string(folder.path().join("inside/a")).unwrap(),
        "text"
    );
    assert!(matches!(run("outside").await, Err(Error::Job(_))));
    assert!(matches!(run("inside/../outside").await, Err(Error::Job(_))));
    assert!(!folder.path().join("outside").exists());
}

async fn attempt(attempt: &str) -> Result<String, Error> {
    let mut confinement = Confinement::new("/");
    confinement.files = confinement.files.with_system_programs();
    confinement.limits.time = Duration::from_secs(4);
    confinement.limits.cpu = Duration::from_secs(1);
    confinement.limits.memory = 64 << 20;
    Sandbox::new()
        .job::<Try>(&confinement, &attempt.to_owned(), &[])
        .await
}

pub(crate) async fn starts_nothing() {
    for what in ["process", "thread", "socket", "environment"] {
        attempt(what).await.unwrap();
    }
}

pub(crate) async fn ends_at_limits() {
    let time = attempt("time").await.unwrap_err();
    assert!(
        matches!(time, Error::Ended(End::Limit(Limit::Time))),
        "{time}"
    );
    for what in ["cpu", "memory"] {
        let ended = attempt(what).await.unwrap_err();
        assert!(
            matches!(ended, Error::Ended(End::Signalled(_))),
            "{what}: {ended}"
        );
    }
}

pub(crate) async fn unknown() {
    let error = Sandbox::new()
        .job::<Absent>(&Confinement::new("/"), &(), &[])
        .await
        .unwrap_err();
    assert!(error.to_string().contains("no job `absent`"), "{error}");
}

/// Reads a file, and renames another one to it.
pub(crate) struct ReadAndReplace;

impl Job for ReadAndReplace {
    const NAME: &'static str = "read-and-replace";
    type Input = (PathBuf, PathBuf);
    type Output = (Result<String, String>, Result<(), String>);

    fn run((path, other): (PathBuf, PathBuf), _: Vec<OwnedFd>) -> Result<Self::Output, String> {
        let read = fs::read_to_string(&path).map_err(|error| error.to_string());
        let replaced = fs::rename(other, path).map_err(|error| error.to_string());
        Ok((read, replaced))
    }
}

/// A path that is hidden below one that may be written is empty, and nothing takes its place.
pub(crate) async fn hidden() {
    let folder = tempfile::tempdir().unwrap();
    let path = |path: &str| folder.path().join(path);
    fs::create_dir(path("secrets")).unwrap();
    for name in ["secrets/key", "key", "other", "new"] {
        fs::write(path(name), "text").unwrap();
    }
    let mut confinement = Confinement::new(folder.path());
    confinement.files.write = vec![folder.path().to_owned()];
    confinement.files.hidden = vec![path("secrets"), path("key"), path("absent")];
    let run = async |name: &str| {
        let input = (path(name), path("new"));
        let sandbox = Sandbox::new();
        let done = sandbox
            .job::<ReadAndReplace>(&confinement, &input, &[])
            .await;
        done.unwrap()
    };
    let (read, replaced) = run("secrets/key").await;
    assert!(read.is_err() && replaced.is_err(), "{read:?} {replaced:?}");
    let (read, replaced) = run("key").await;
    assert!(read.is_ok_and(|text| text.is_empty()));
    assert!(replaced.is_err());
    assert_eq!(fs::read_to_string(path("key")).unwrap(), "text");
    let (read, replaced) = run("other").await;
    assert_eq!((read.unwrap().as_str(), replaced), ("text", Ok(())));
}
