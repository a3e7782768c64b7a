//! What a script tries that nobody has reviewed well.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    time::{Duration, Instant},
};

use toolwright_sandbox::{OwnProgram, PROGRAMS, connect};
use toolwright_test_trials::sleeping;

use crate::calls::{failed, run, world};

/// Breaks the protocol of the socket in a way that its argument names.
#[linkme::distributed_slice(PROGRAMS)]
static HOSTILE: OwnProgram = OwnProgram::new("hostile", |arguments| {
    let way = arguments.first().map_or("", String::as_str);
    let answered = match way {
        "huge" => ask(&u32::MAX.to_be_bytes()),
        "garbage" => ask(&framed("{\"tool\"")),
        "other" => ask(&framed("{\"role\": \"admin\"}")),
        "deep" => ask(&framed(&"[".repeat(1 << 20))),
        "many" => (0..600).all(|_| ask(&framed("{\"tool\": \"no-such-tool\", \"arguments\": {}}"))),
        // The beginning of a request, and then nothing.
        _ => connect().is_ok_and(|mut connection| connection.write_all(&[0, 0]).is_ok()),
    };
    i32::from(!answered)
});

fn framed(text: &str) -> Vec<u8> {
    let mut frame = u32::try_from(text.len()).unwrap().to_be_bytes().to_vec();
    frame.extend_from_slice(text.as_bytes());
    frame
}

/// Sends bytes on a connection, and returns whether the answer is an error.
fn ask(bytes: &[u8]) -> bool {
    let mut connection = connect().unwrap();
    connection.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).unwrap();
    answer.windows(5).any(|part| part == b"error")
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) async fn a_script_sees_no_file_no_network_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("id_ed25519");
    fs::write(&secret, "a private key").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (secret, outside) = (secret.display(), folder.path().join("new"));
    let outside = outside.display();
    let script = format!(
        r#"#!/bin/bash
tried() {{ if "$@" >/dev/null 2>&1; then echo "$*"; fi; }}
{{
    tried cat {secret}
    tried ls {}
    tried ls /root /home
    tried ls "$HOME/../../root"
    tried cp bin/toolwright {outside}
    tried ln -s {secret} link
    tried cat link
    tried cat /proc/1/environ /proc/1/mem
    tried ls /proc/1/root/root
    tried bash -c 'exec 5<>/dev/tcp/127.0.0.1/{port}'
    tried bash -c 'echo x >/dev/udp/127.0.0.1/{port}'
    tried chmod u+s /proc/self/exe
    tried mount -t tmpfs none /dev/shm
    tried unshare -U true
    tried mkdir /tmp/of-a-script
}} >seen
env | cut -d= -f1 | sort | tr '\n' ' ' >environment
printf '{{"seen": "%s", "environment": "%s"}}' "$(tr '\n' ';' <seen)" "$(cat environment)"
"#,
        folder.path().display()
    );
    let world = world(&script).await;
    let output = run(&world).await.unwrap();
    let seen = output["result"]["seen"].as_str().unwrap();
    // A link can be made, and leads nowhere.
    assert_eq!(seen.replace(&format!("ln -s {secret} link;"), ""), "");
    let environment = output["result"]["environment"].as_str().unwrap();
    let expected = [
        "BASH_EXECUTION_STRING",
        "HOME",
        "LANG",
        "PATH",
        "PWD",
        "SHLVL",
        "TMPDIR",
        "_",
        "OLDPWD",
    ];
    for name in environment.split(' ').filter(|name| !name.is_empty()) {
        assert!(expected.contains(&name), "{name}");
    }
    assert!(listener.accept().is_err(), "a connection came");
    assert!(!folder.path().join("new").exists());
}

pub(crate) async fn a_bomb_ends_at_a_limit() {
    let script = "bomb() { sleep 7717 & bomb & bomb & wait; }\nbomb\n";
    let world = world(script).await;
    let begun = Instant::now();
    let error = run(&world).await.unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(30), "{error}");
    until("the bomb is left", || sleeping("7717").unwrap() == 0).await;
}

pub(crate) async fn nothing_is_left_after_the_end() {
    let script = "
(setsid sleep 7718; sleep 1; toolwright call reserve-shop-item item_id=late) >/dev/null 2>&1 &
(sleep 1; toolwright call reserve-shop-item item_id=late) >/dev/null 2>&1 &
setsid sleep 7718 >/dev/null 2>&1 &
echo 1
";
    let world = world(script).await;
    assert_eq!(run(&world).await.unwrap()["result"], 1);
    assert_eq!(sleeping("7718").unwrap(), 0);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(world.calls(), Vec::<String>::new());
}

pub(crate) async fn a_cancelled_run_is_gone() {
    let script = "toolwright call search-shop-items q=x; setsid sleep 7719 & sleep 7719";
    let world = world(script).await;
    let running = run(&world);
    let started = until("the script did not start", || sleeping("7719").unwrap() > 0);
    tokio::select! {
        ended = running => panic!("{ended:?}"),
        () = started => {}
    }
    until("the script is left", || sleeping("7719").unwrap() == 0).await;
    assert_eq!(world.calls().len(), 1);
}

pub(crate) async fn broken_requests_harm_nobody_else() {
    let hostile = HOSTILE.command_line().join(" ");
    let script = format!(
        "
set -e
for way in huge garbage other deep; do {hostile} $way <&3; done
# A request without its end, from a process that is gone.
{hostile} half <&3
# Some connections that nobody takes, and one whose process waits for nothing.
printf abc >&3
timeout 1 toolwright call search-shop-items - </dev/zero || true
toolwright call search-shop-items q=after
"
    );
    let world = world(&script).await;
    let output = run(&world).await.unwrap();
    assert_eq!(output["result"]["total"], 2);
    assert_eq!(world.calls(), [r#"search-shop-items {"q":"after"}"#]);
}

pub(crate) async fn too_many_requests_end_the_run() {
    let world = world(&format!("{} many <&3", HOSTILE.command_line().join(" "))).await;
    let (code, text, is_failure) = failed(&world).await;
    assert_eq!(code, "run_too_many_calls", "{text}");
    assert!(!is_failure);
    let events = world.events();
    let denied = events.iter().filter(|event| event["decision"] == "deny");
    assert_eq!(denied.count(), 500);
}
