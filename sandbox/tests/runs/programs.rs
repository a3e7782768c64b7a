//! Programs with their processes.

use std::{
    collections::BTreeSet, env, net::TcpListener, path::Path, process::Command, time::Duration,
};

use tokio::time::{sleep, timeout};
use toolwright_sandbox::{
    Confinement, End, Error, Finished, Layer, Limit, Network, Program, Sandbox, Stream, Support,
};
use toolwright_test_trials::sleeping;

/// The argument that makes this program a caller which is killed.
const CALLER: &str = "--be-a-caller";

fn confinement() -> Confinement {
    let mut confinement = Confinement::new("/usr");
    confinement.files = confinement.files.with_system_programs();
    confinement.limits.time = Duration::from_secs(20);
    confinement
}

async fn shell(
    confinement: &Confinement,
    script: &str,
) -> Result<(Finished, String, String), Error> {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let program = Program::new("/bin/sh", ["-c", script]);
    let sandbox = Sandbox::new();
    let finished = sandbox.run(confinement, &program, |stream, bytes| match stream {
        Stream::Output => output.extend_from_slice(bytes),
        Stream::Error => errors.extend_from_slice(bytes),
    });
    let finished = finished.await?;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ok((finished, text(output), text(errors)))
}

pub(crate) async fn output_and_end() {
    let confinement = confinement();
    let (finished, output, errors) = shell(&confinement, "echo a; echo b >&2; exit 7")
        .await
        .unwrap();
    assert_eq!(
        (finished.end, output.as_str(), errors.as_str()),
        (End::Exited(7), "a\n", "b\n")
    );
    let (finished, ..) = shell(&confinement, "kill -TERM $$").await.unwrap();
    assert_eq!(finished.end, End::Signalled(15));
    // A program that leaves a process behind ends, and its process with it.
    let (finished, ..) = shell(&confinement, "sleep 4711.5 & exit 0").await.unwrap();
    assert_eq!(finished.end, End::Exited(0));
    assert_eq!(sleeping("4711.5").unwrap(), 0);
}

pub(crate) async fn environment() {
    let mut confinement = confinement();
    confinement
        .environment
        .insert("COLOUR".to_owned(), "blue".to_owned());
    let program = Program::new("/usr/bin/env", [""; 0]);
    let mut output = Vec::new();
    let sandbox = Sandbox::new();
    let run = sandbox.run(&confinement, &program, |_, bytes| {
        output.extend_from_slice(bytes)
    });
    run.await.unwrap();
    assert_eq!(output, b"COLOUR=blue\n");
}

pub(crate) async fn absent() {
    let program = Program::new("/usr/bin/no-such-program", [""; 0]);
    let error = Sandbox::new()
        .run(&confinement(), &program, |_, _| ())
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("/usr/bin/no-such-program"),
        "{error}"
    );
}

pub(crate) async fn absent_path() {
    let mut confinement = confinement();
    confinement.files.read = vec!["/no/such/folder".into()];
    let error = shell(&confinement, "true").await.unwrap_err();
    assert!(error.to_string().contains("`/no/such/folder`"), "{error}");
}

pub(crate) async fn limits() {
    let mut confinement = confinement();
    confinement.limits.time = Duration::from_secs(1);
    let (finished, ..) = shell(&confinement, "sleep 30").await.unwrap();
    assert_eq!(finished.end, End::Limit(Limit::Time));
    confinement.limits.time = Duration::from_secs(20);
    confinement.limits.output = 10;
    let (finished, output, _) = shell(&confinement, "yes").await.unwrap();
    assert_eq!(finished.end, End::Limit(Limit::Output));
    assert_eq!(output, "y\ny\ny\ny\ny\n");
}

pub(crate) async fn until(is_so: impl Fn() -> bool) {
    let waited = async {
        while !is_so() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(20), waited).await.unwrap();
}

pub(crate) async fn dropped() {
    let confinement = confinement();
    let run = shell(&confinement, "(setsid sleep 4711.75 &); sleep 4711.75");
    tokio::select! {
        ended = run => panic!("it ended: {ended:?}"),
        () = until(|| sleeping("4711.75").unwrap() == 2) => {}
    }
    until(|| sleeping("4711.75").unwrap() == 0).await;
}

/// Runs a program forever, if this program was started as a caller.
pub(crate) fn be_caller_if_asked() {
    if env::args().nth(1).is_none_or(|first| first != CALLER) {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime
        .block_on(shell(
            &confinement(),
            "(setsid sleep 4712.25 &); sleep 4712.25",
        ))
        .unwrap();
}

pub(crate) async fn killed_caller() {
    let mut caller = Command::new(env::current_exe().unwrap())
        .arg(CALLER)
        .spawn()
        .unwrap();
    until(|| sleeping("4712.25").unwrap() == 2).await;
    caller.kill().unwrap();
    caller.wait().unwrap();
    until(|| sleeping("4712.25").unwrap() == 0).await;
}

pub(crate) async fn ports() {
    let (open, closed) = (
        TcpListener::bind("127.0.0.1:0").unwrap(),
        TcpListener::bind("127.0.0.1:0").unwrap(),
    );
    let [open, closed] = [&open, &closed].map(|listener| listener.local_addr().unwrap().port());
    let mut confinement = confinement();
    confinement.network = Network::Ports(BTreeSet::from([open]));
    let connect = async |port: u16| {
        let code = format!(
            "use Socket; socket(S, AF_INET, SOCK_STREAM, 0) or die; connect(S, sockaddr_in({port}, INADDR_LOOPBACK)) or die $!"
        );
        let program = Program::new("/usr/bin/perl", ["-e", &code]);
        Sandbox::new()
            .run(&confinement, &program, |_, _| ())
            .await
            .unwrap()
            .end
    };
    assert_eq!(connect(open).await, End::Exited(0));
    assert_ne!(connect(closed).await, End::Exited(0));
}

pub(crate) async fn missing_layer() {
    let none = Support::default();
    let mut confinement = confinement();
    assert_eq!(none.missing(&confinement), Layer::ALL);
    confinement.required = BTreeSet::from([Layer::Files]);
    assert_eq!(none.missing(&confinement), [Layer::Files]);
    let error = Error::Unsupported(vec![Layer::Files]);
    assert!(error.to_string().contains("`files`"));
    // A program that is not its own child runs nothing.
    let sandbox = Sandbox::with_helper("/bin/true");
    let program = Program::new("/bin/true", [""; 0]);
    let refused = sandbox.run(&confinement, &program, |_, _| ()).await;
    refused.unwrap_err();
}

/// Without a namespace of processes, the process that watches ends them.
pub(crate) async fn without_namespaces() {
    let mut confinement = confinement();
    confinement.required = BTreeSet::from([Layer::Files, Layer::SystemCalls]);
    let mut support = Sandbox::new().support().unwrap();
    (support.user, support.pid, support.mount, support.proc) = (false, false, false, false);
    (support.network, support.ipc, support.scratch) = (false, false, false);
    let sandbox = Sandbox::new().with_support(support);
    let program = Program::new(
        "/bin/sh",
        ["-c", "(setsid sleep 4713.5 &); sleep 0.2; exit 3"],
    );
    let finished = sandbox
        .run(&confinement, &program, |_, _| ())
        .await
        .unwrap();
    assert_eq!(finished.end, End::Exited(3));
    assert_eq!(sleeping("4713.5").unwrap(), 0);
    confinement.required = Layer::ALL.into();
    let refused = sandbox.run(&confinement, &program, |_, _| ()).await;
    assert!(matches!(refused, Err(Error::Unsupported(layers)) if layers == [Layer::Processes]));
    assert!(Path::new("/proc/self").exists());
}
