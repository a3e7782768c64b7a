//! The keyring of a desktop: GNOME Keyring on a message bus of its own.
//!
//! The bus and the keyring belong to a second process, which is this test again.

use std::{fs, process::Command};

use toolwright_tests::real::Real;

use crate::desk::{Desk, Recorder};

/// Tells the process that it runs within the session.
const WITHIN: &str = "TOOLWRIGHT_TEST_KEYRING";

/// Stores an auth file by the command of the page, for another user.
fn store(user: &str, json: &str) {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/credentials.md");
    let page = fs::read_to_string(page).unwrap();
    let mut lines = page.lines();
    let line = lines.find(|line| line.starts_with("secret-tool store "));
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), json).unwrap();
    let line = line
        .unwrap()
        .replace("username plane ", &format!("username {user} "));
    let line = line.replace("plane-auth.json", file.path().to_str().unwrap());
    assert!(
        line.contains(user) && line.contains(file.path().to_str().unwrap()),
        "{line}"
    );
    let stored = Command::new("sh").args(["-c", &line]).status().unwrap();
    assert!(stored.success(), "{line}");
}

fn clear(user: &str) {
    let mut command = Command::new("secret-tool");
    command.args(["clear", "service", "toolwright", "username", user]);
    assert!(command.status().unwrap().success());
}

#[tokio::test]
async fn credentials_are_read_from_the_keyring_at_each_call() {
    if std::env::var_os(WITHIN).is_some() {
        return read().await;
    }
    let Some(real) = Real::if_enabled_with("credentials") else {
        return;
    };
    real.run("keyring.sh", &[]).unwrap();
    let home = tempfile::tempdir().unwrap();
    let session = "printf password | gnome-keyring-daemon --unlock --components=secrets && exec \"$0\" \"$@\"";
    let status = Command::new("dbus-run-session")
        .args(["--", "sh", "-c", session])
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "keyring::credentials_are_read_from_the_keyring_at_each_call",
        ])
        .env(WITHIN, "1")
        .env("HOME", home.path())
        .env("XDG_RUNTIME_DIR", home.path())
        .env_remove("XDG_DATA_HOME")
        .status()
        .unwrap();
    assert!(status.success());
}

async fn read() {
    let service = Recorder::start().await;
    let config = format!(
        "[services.depot]\nbase_url = \"{}\"\ncredentials = \"keyring\"\n",
        service.url
    );
    let desk = Desk::new(&config, &[]);
    let missing = desk.refusal("reader", &[]).await;
    assert!(missing.starts_with("credentials_missing"), "{missing}");
    assert!(
        missing.contains("service toolwright, username depot"),
        "{missing}"
    );
    for (user, role, token) in [
        ("depot", "reader", "first-token"),
        ("depot/clerk", "clerk", "of-clerk"),
        ("depot", "reader", "second-token"),
    ] {
        store(user, &format!("{{\"api_token\": \"{token}\"}}"));
        desk.call(role, None).await.unwrap();
        assert_eq!(service.last(), format!("Bearer {token}"));
    }
    // A number of few digits could be a part of an identifier of the audit.
    store("depot", "{\"api_token\": 815004927316}");
    let invalid = desk.refusal("reader", &["815004927316"]).await;
    assert!(invalid.contains("`api_token` is not a string"), "{invalid}");
    clear("depot");
    let cleared = desk.refusal("reader", &["second-token"]).await;
    assert!(cleared.starts_with("credentials_missing"), "{cleared}");
}
