//! Sessions: programs that run one after another within one sandbox.

use std::{fs, time::Duration};

use tokio::time::timeout;
use toolwright_sandbox::{Confinement, End, Error, Limit, Program, Sandbox, Session, Step};
use toolwright_test_trials::sleeping;

use crate::programs::until;

fn confinement() -> Confinement {
    let mut confinement = Confinement::new("/usr");
    confinement.files = confinement.files.with_system_programs();
    confinement.limits.time = Duration::from_secs(20);
    confinement
}

fn script(script: &str) -> Step {
    Step::new(Program::new("/bin/sh", ["-c", script]), "/usr")
}

async fn run(session: &Session, text: &str) -> String {
    let ended = session.run(&script(text)).await.unwrap();
    String::from_utf8(ended.output).unwrap()
}

pub(crate) async fn in_turn() {
    let session = Sandbox::new().session(&confinement()).await.unwrap();
    let mut step = script("cat; echo $COLOUR; pwd; echo failed >&2; exit 3");
    // More than a pipe holds, both ways.
    let long = "0123456789\n".repeat(50_000);
    step.input = long.clone().into_bytes();
    step.environment = [("COLOUR".to_owned(), "blue".to_owned())].into();
    let ended = session.run(&step).await.unwrap();
    assert_eq!(ended.end, End::Exited(3));
    assert_eq!(
        String::from_utf8(ended.output).unwrap(),
        format!("{long}blue\n/usr\n")
    );
    assert_eq!(ended.errors, b"failed\n");
    // Neither the environment nor the folder nor the input of one is that of the next one.
    assert_eq!(run(&session, "cat; echo $COLOUR").await, "\n");
    let absent = Step::new(Program::new("/usr/bin/no-such-program", [""; 0]), "/usr");
    let error = session.run(&absent).await.unwrap_err().to_string();
    assert!(error.contains("/usr/bin/no-such-program"), "{error}");
    let mut step = script("yes");
    step.longest_output = 10;
    let ended = session.run(&step).await.unwrap();
    assert_eq!(ended.output, b"y\ny\ny\ny\ny\n");
    assert_ne!(ended.end, End::Exited(0));
}

pub(crate) async fn one_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    let mut confinement = confinement();
    confinement.files.write = vec![folder.path().to_owned()];
    let outside = tempfile::NamedTempFile::new().unwrap();
    let session = Sandbox::new().session(&confinement).await.unwrap();
    let inside = folder.path().join("file");
    let write = |path: &std::path::Path| format!("echo text > {}", path.display());
    run(&session, &write(&inside)).await;
    assert_eq!(fs::read_to_string(&inside).unwrap(), "text\n");
    let refused = session.run(&script(&write(outside.path()))).await.unwrap();
    assert_ne!(refused.end, End::Exited(0));
    assert_eq!(fs::read(outside.path()).unwrap(), b"");
    // A confinement that cannot be set up is an error of the first program.
    confinement.files.read = vec!["/no/such/folder".into()];
    let session = Sandbox::new().session(&confinement).await.unwrap();
    let error = session.run(&script("true")).await.unwrap_err();
    assert!(error.to_string().contains("`/no/such/folder`"), "{error}");
}

pub(crate) async fn limits() {
    let mut confinement = confinement();
    confinement.limits.time = Duration::from_secs(1);
    let session = Sandbox::new().session(&confinement).await.unwrap();
    let ended = session.run(&script("sleep 30")).await.unwrap_err();
    assert!(
        matches!(ended, Error::Ended(End::Limit(Limit::Time))),
        "{ended}"
    );
    session.run(&script("true")).await.unwrap_err();
}

pub(crate) async fn dropped() {
    let session = Sandbox::new().session(&confinement()).await.unwrap();
    run(&session, "sleep 4714.5 >/dev/null 2>&1 & exit 0").await;
    assert_eq!(sleeping("4714.5").unwrap(), 1);
    let running = script("sleep 4714.5");
    let cancelled = timeout(Duration::from_millis(300), session.run(&running)).await;
    assert!(cancelled.is_err());
    // What was cancelled cannot be told from what comes after it.
    session.run(&script("true")).await.unwrap_err();
    drop(session);
    until(|| sleeping("4714.5").unwrap() == 0).await;
}
