//! People are told of calls that wait: by a signed webhook and by a command.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use jiff::Timestamp;
use ring::hmac::{self, HMAC_SHA256};
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright::{
    Registry, RegistryBuilder, Tool,
    approval::{ApprovalRequest, Decision, Verdict},
    audit::{MemoryAudit, NotificationFailed, What},
    config::Config,
};
use toolwright_model::text::has_invisible;

use crate::support::{Absent, Seen, Service, answer, builder, create_item, redirect, role};

/// The example of the specification "Standard Webhooks".
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const TOOL: &str = "create-depot-item";

/// Longer than any delivery of these tests.
const LONG: Duration = Duration::from_secs(60);

/// A registry whose calls wait, with the ways of telling people.
struct Desk {
    registry: Registry,
    audit: Arc<MemoryAudit>,
    folder: TempDir,
}

impl Desk {
    fn new(ways: &str) -> Self {
        Self::built(ways, |builder| builder)
    }

    fn built(ways: &str, more: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Self {
        let folder = tempfile::tempdir().unwrap();
        toolwright::private::write(&folder.path().join("secret"), SECRET).unwrap();
        let text = format!(
            "[roles.keeper]\ngrant = [\"*\"]\n[tools]\nenable = [\"*\"]\n[approvals]\n\
             most_waiting = 500\n{ways}"
        );
        let config = Config::parse(&folder.path().join("toolwright.toml"), &text).unwrap();
        let mut spec = create_item();
        spec.input_schema = serde_json::from_value(json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "note": {"format": "password"}},
        }))
        .unwrap();
        let audit = Arc::new(MemoryAudit::new());
        let builder = builder(&audit)
            .tool(Tool::native(spec, |_, arguments| async { Ok(arguments) }))
            .config(config)
            .approvals(Arc::new(
                toolwright::approval::MemoryApprovals::new().most_waiting(500),
            ));
        Self {
            registry: more(builder).build().unwrap(),
            audit,
            folder,
        }
    }

    async fn call(&self, arguments: Value) -> String {
        let view = self.registry.for_agent(&role("keeper"));
        let called = view.call_json(TOOL, arguments).await;
        called.map_or_else(|error| error.code().to_owned(), |_| "ok".to_owned())
    }

    async fn waiting(&self) -> ApprovalRequest {
        let pending = self.registry.approvals().pending(Timestamp::now()).await;
        pending.unwrap().remove(0)
    }

    async fn decide(&self, verdict: Verdict) {
        let request = self.waiting().await;
        let decision = Decision::new(verdict, "ann", Timestamp::now()).unwrap();
        self.registry
            .decide(request.handle, decision)
            .await
            .unwrap();
    }

    async fn finish(&self) {
        self.registry.finish_notifications(LONG).await;
    }

    /// The failed deliveries in the audit.
    fn failures(&self) -> Vec<NotificationFailed> {
        let events = self.audit.events().into_iter();
        let failures = events.filter_map(|event| match event.what {
            What::NotificationFailed(failed) => Some(failed),
            _ => None,
        });
        failures.collect()
    }

    fn one_failure(&self) -> String {
        let failures = self.failures();
        assert_eq!(failures.len(), 1, "{failures:?}");
        failures[0].reason.clone()
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }
}

fn webhook(url: &str) -> String {
    format!("[approvals.webhook]\nurl = \"{url}\"\nsecret_file = \"secret\"\ntimeout_seconds = 1\n")
}

/// Verifies a message as a receiver does.
fn is_signed(id: &str, timestamp: &str, body: &[u8], signatures: &str) -> bool {
    let secret = BASE64_STANDARD.decode(SECRET.strip_prefix("whsec_").unwrap());
    let key = hmac::Key::new(HMAC_SHA256, &secret.unwrap());
    let signed = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat();
    signatures.split(' ').any(|signature| {
        let tag = signature.strip_prefix("v1,").unwrap();
        hmac::verify(&key, &signed, &BASE64_STANDARD.decode(tag).unwrap()).is_ok()
    })
}

/// Checks the message and returns its id and its event.
fn verified(seen: &Seen) -> (String, Value) {
    let header = |name: &str| seen.header(name).unwrap().to_owned();
    let (id, time) = (header("webhook-id"), header("webhook-timestamp"));
    assert!(is_signed(
        &id,
        &time,
        &seen.body,
        &header("webhook-signature")
    ));
    assert!(!is_signed(&id, &time, b"{}", &header("webhook-signature")));
    let age = Timestamp::now().as_second() - time.parse::<i64>().unwrap();
    assert!((0..60).contains(&age), "{time}");
    assert_eq!(header("content-type"), "application/json");
    assert_eq!(seen.method, "POST");
    (id, serde_json::from_slice(&seen.body).unwrap())
}

#[test]
fn the_verification_of_these_tests_is_the_specified_one() {
    let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    let body = br#"{"test": 2432232314}"#;
    assert!(is_signed(id, "1614265330", body, signature));
    assert!(!is_signed(id, "1614265331", body, signature));
}

#[tokio::test]
async fn a_webhook_receives_one_signed_event_for_each_change() {
    let receiver = Service::json(204, json!(null)).await;
    let desk = Desk::new(&webhook(&format!("{}/hook?team=ops", receiver.url)));
    let name = "\u{1b}]0;owned\u{7}\u{202e}a\\b";
    for _ in 0..2 {
        let code = desk
            .call(json!({"name": name, "note": "hunter2-hunter2"}))
            .await;
        assert_eq!(code, "approval_required");
    }
    let request = desk.waiting().await;
    desk.decide(Verdict::Approved).await;
    desk.call(json!({"name": "b"})).await;
    desk.decide(Verdict::Rejected).await;
    desk.finish().await;

    let seen = receiver.seen();
    let messages: Vec<_> = seen.iter().map(verified).collect();
    let kinds: Vec<_> = messages.iter().map(|(_, event)| &event["type"]).collect();
    assert_eq!(
        kinds,
        [
            "approval.waiting",
            "approval.approved",
            "approval.waiting",
            "approval.rejected"
        ]
    );
    assert_eq!(seen[0].target, "/hook?team=ops");
    let (id, event) = &messages[0];
    assert_eq!(*id, format!("msg_{}_waiting", request.id));
    let data = &event["data"];
    assert_eq!(data["handle"], request.handle.as_str());
    assert_eq!(data["digest"], request.digest());
    assert_eq!(
        (&data["tool"], &data["role"]),
        (&json!(TOOL), &json!("keeper"))
    );
    assert_eq!(
        data["arguments"]["name"],
        "\\u{1b}]0;owned\\u{7}\\u{202e}a\\\\b"
    );
    assert_eq!(messages[1].1["data"]["person"], "ann");
    for seen in &seen {
        let text = seen.text();
        assert!(
            !text.contains("hunter2") && !text.contains("whsec_"),
            "{text}"
        );
        let strings = strings_of(&serde_json::from_str(&text).unwrap());
        assert!(
            !strings.iter().any(|text| has_invisible(text)),
            "{strings:?}"
        );
    }
    assert_eq!(desk.failures(), []);
}

fn strings_of(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(strings_of).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .flat_map(|(name, field)| [vec![name.clone()], strings_of(field)].concat())
                .collect()
        }
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn a_long_event_is_shortened() {
    let receiver = Service::json(200, json!({})).await;
    let desk = Desk::new(&webhook(&receiver.url));
    desk.call(json!({"name": "x".repeat(100_000)})).await;
    desk.finish().await;
    let (_, event) = verified(&receiver.one());
    assert_eq!(event["data"]["shortened"], true);
    assert_eq!(event["data"]["tool"], TOOL);
    assert_eq!(event["data"]["arguments"], json!(null));
    assert!(receiver.one().body.len() < 20 * 1024);
}

#[tokio::test]
async fn a_busy_receiver_gets_the_same_message_again() {
    let asked = Arc::new(AtomicUsize::default());
    let receiver = Service::start(move |_| {
        let status = [500, 429, 200][asked.fetch_add(1, Ordering::SeqCst).min(2)];
        async move { answer(status, "text/plain", "") }
    })
    .await;
    let desk = Desk::new(&webhook(&receiver.url));
    desk.call(json!({"name": "a"})).await;
    desk.finish().await;
    let messages: Vec<_> = receiver.seen().iter().map(verified).collect();
    assert_eq!(messages.len(), 3);
    assert!(
        messages.iter().all(|message| *message == messages[0]),
        "{messages:?}"
    );
    assert_eq!(desk.failures(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_delivery_is_an_event_and_costs_the_call_nothing() {
    let elsewhere = Service::json(200, json!({})).await;
    let target = format!("{}/elsewhere", elsewhere.url);
    let redirecting = Service::start(move |_| {
        let target = target.clone();
        async move { redirect(307, &target) }
    })
    .await;
    let refusing = Service::json(401, json!({})).await;
    let broken = Service::json(500, json!({})).await;
    let hanging = Service::start(|_| async {
        tokio::time::sleep(LONG).await;
        answer(200, "text/plain", "")
    })
    .await;
    let absent = Absent::new();
    let cases = [
        (redirecting.url.clone(), "redirects (307)", "attempts: 1"),
        (refusing.url.clone(), "status 401", "attempts: 1"),
        (broken.url.clone(), "status 500", "attempts: 4"),
        (hanging.url.clone(), "within 1 s", "attempts: 4"),
        (absent.url.clone(), "could not be reached", "attempts: 4"),
    ];
    let mut desks = Vec::new();
    for (url, reason, attempts) in cases {
        let desk = Desk::new(&webhook(&format!("{url}/token-in-the-path")));
        let begun = Instant::now();
        assert_eq!(desk.call(json!({"name": "a"})).await, "approval_required");
        assert!(begun.elapsed() < Duration::from_secs(3), "{url}");
        desks.push((desk, reason, attempts));
    }
    for (desk, reason, attempts) in desks {
        desk.finish().await;
        let told = desk.one_failure();
        assert!(told.contains(reason) && told.contains(attempts), "{told}");
        assert!(!told.contains("token-in-the-path"), "{told}");
        desk.decide(Verdict::Approved).await;
        assert_eq!(desk.call(json!({"name": "a"})).await, "ok");
    }
    assert_eq!(elsewhere.seen().len(), 0);
    assert!(broken.seen().len() >= 4 && refusing.seen().len() <= 2);
}

#[tokio::test]
async fn a_flood_of_calls_is_bounded() {
    let hanging = Service::start(|_| async {
        tokio::time::sleep(LONG).await;
        answer(200, "text/plain", "")
    })
    .await;
    let desk = Desk::new(&webhook(&hanging.url));
    let begun = Instant::now();
    for index in 0..150 {
        let code = desk.call(json!({"name": index.to_string()})).await;
        assert_eq!(code, "approval_required");
    }
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    let dropped = desk.failures();
    assert!((80..=86).contains(&dropped.len()), "{}", dropped.len());
    assert!(dropped[0].reason.contains("more than 64"), "{dropped:?}");
    assert!(hanging.connections() <= 12, "{}", hanging.connections());
}

#[tokio::test]
async fn a_secret_that_is_not_private_signs_nothing() {
    let receiver = Service::json(200, json!({})).await;
    let desk = Desk::new(&webhook(&receiver.url));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(desk.path("secret"), mode).unwrap();
        desk.call(json!({"name": "a"})).await;
        desk.finish().await;
        assert!(desk.one_failure().contains("`secret_file` cannot be used"));
    }
    toolwright::private::write(Path::new(&desk.path("secret")), "hunter2-hunter2").unwrap();
    desk.call(json!({"name": "b"})).await;
    desk.finish().await;
    let last = desk.failures().pop().unwrap().reason;
    assert!(
        last.contains("whsec_") && !last.contains("hunter2"),
        "{last}"
    );
    assert_eq!(receiver.seen().len(), 0);
}

#[tokio::test]
async fn nobody_decided_in_time() {
    let receiver = Service::json(200, json!({})).await;
    let desk = Desk::built(&webhook(&receiver.url), |builder| {
        builder.approval_lifetime(Duration::from_millis(1_500))
    });
    desk.call(json!({"name": "decided"})).await;
    desk.decide(Verdict::Rejected).await;
    desk.call(json!({"name": "left"})).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    desk.finish().await;
    let events: Vec<_> = receiver
        .seen()
        .iter()
        .map(|seen| verified(seen).1)
        .collect();
    let expired = events
        .iter()
        .filter(|event| event["type"] == "approval.expired");
    let expired: Vec<_> = expired
        .map(|event| &event["data"]["arguments"]["name"])
        .collect();
    assert_eq!(expired, ["left"], "{events:?}");
}

#[tokio::test]
async fn a_policy_that_is_loaded_again_changes_the_receiver() {
    let (first, second) = (
        Service::json(200, json!({})).await,
        Service::json(200, json!({})).await,
    );
    let desk = Desk::new(&webhook(&first.url));
    desk.call(json!({"name": "a"})).await;
    let text = format!(
        "[roles.keeper]\ngrant = [\"*\"]\n[tools]\nenable = [\"*\"]\n{}",
        webhook(&second.url)
    );
    let config = Config::parse(Path::new(&desk.path("toolwright.toml")), &text).unwrap();
    desk.registry.reload(&config).unwrap();
    desk.call(json!({"name": "b"})).await;
    desk.finish().await;
    assert_eq!((first.seen().len(), second.seen().len()), (1, 1));
}

#[test]
fn an_unsafe_receiver_or_command_is_a_fault_of_the_configuration() {
    let hook = |url: &str, more: &str| format!("[approvals.webhook]\nurl = \"{url}\"\n{more}");
    let secret = "secret_env = \"HOOK\"\n";
    for (text, fault) in [
        (
            hook("http://hooks.example/t0ken", secret),
            "over plain HTTP",
        ),
        (
            hook("https://169.254.169.254/t0ken", secret),
            "metadata service",
        ),
        (
            hook("https://metadata.google.internal/t0ken", secret),
            "metadata service",
        ),
        (hook("https://10.0.0.7/t0ken", secret), "private network"),
        (
            hook("https://ann:t0ken@hooks.example/", secret),
            "a user or a password",
        ),
        (
            hook("ftp://hooks.example/t0ken", secret),
            "not one of the web",
        ),
        (hook("t0ken", secret), "URL is invalid"),
        (hook("https://hooks.example", ""), "no secret"),
        (
            hook(
                "https://hooks.example",
                "secret_env = \"A\"\nsecret_file = \"b\"\n",
            ),
            "both `secret_file` and `secret_env`",
        ),
        (
            hook(
                "https://169.254.169.254",
                "secret_env = \"A\"\nallow = [\"link-local\"]\n",
            ),
            "cannot be allowed `link-local`",
        ),
        (
            hook("https://hooks.example", "secret = \"whsec_AAAA\"\n"),
            "unknown key `secret`",
        ),
        ("[approvals.command]\n".to_owned(), "no `argv`"),
        (
            "[approvals.command]\nargv = []\n".to_owned(),
            "absolute path",
        ),
        (
            "[approvals.command]\nargv = [\"notify\"]\n".to_owned(),
            "absolute path",
        ),
        (
            "[approvals.command]\nargv = \"/bin/sh -c x\"\n".to_owned(),
            "an array of strings",
        ),
    ] {
        let parsed = Config::parse(Path::new("toolwright.toml"), &text);
        let error = parsed.unwrap_err().to_string();
        assert!(error.contains(fault), "{text}: {error}");
        assert!(!error.contains("t0ken"), "{error}");
    }
    for url in [
        "https://hooks.example/a",
        "http://127.0.0.1:9/a",
        "http://[::1]/",
    ] {
        Config::parse(Path::new("toolwright.toml"), &hook(url, secret)).unwrap();
    }
    let private = "secret_env = \"A\"\nallow = [\"private-network\"]\n";
    Config::parse(
        Path::new("toolwright.toml"),
        &hook("https://10.0.0.7", private),
    )
    .unwrap();
}

#[cfg(unix)]
mod commands {
    use super::*;

    /// A command of `sh` with the path of a file in the desk's folder as `$0`.
    fn command(folder: &Path, script: &str, more: &str) -> String {
        let file = folder.join("out");
        let argv = json!(["/bin/sh", "-c", script, file]);
        format!("[approvals.command]\nargv = {argv}\ntimeout_seconds = 1\n{more}")
    }

    async fn told(script: &str, more: &str) -> (Desk, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let desk = Desk::new(&command(folder.path(), script, more));
        let name = "$(touch /tmp/x); \u{1b}[31m";
        let code = desk
            .call(json!({"name": name, "note": "hunter2-hunter2"}))
            .await;
        assert_eq!(code, "approval_required");
        (desk, folder)
    }

    fn read(folder: &TempDir, name: &str) -> String {
        std::fs::read_to_string(folder.path().join(name)).unwrap()
    }

    /// Waits until a process is gone: a killed one is reaped by the process that adopted it.
    async fn is_gone(process: &str) -> bool {
        let status = format!("/proc/{}/stat", process.trim());
        for _ in 0..200 {
            match std::fs::read_to_string(&status) {
                Ok(text) if !text.contains(") Z ") => {}
                _ => return true,
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        false
    }

    #[tokio::test]
    async fn a_command_reads_the_event_and_gets_nothing_else() {
        let script = "cat > $0; env > $0.env; echo $# > $0.arguments";
        let (desk, folder) = told(script, "environment = [\"CARGO_MANIFEST_DIR\"]").await;
        desk.finish().await;
        assert_eq!(desk.failures(), []);
        let text = read(&folder, "out");
        let event: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(event["type"], "approval.waiting");
        assert_eq!(
            event["data"]["handle"],
            desk.waiting().await.handle.as_str()
        );
        assert!(
            !text.contains('\u{1b}') && !text.contains("hunter2"),
            "{text}"
        );
        assert_eq!(read(&folder, "out.arguments").trim(), "0");
        let environment = read(&folder, "out.env");
        let names = environment
            .lines()
            .map(|line| line.split('=').next().unwrap());
        let mut names: Vec<_> = names
            .filter(|name| !["PWD", "_", "SHLVL", "OLDPWD"].contains(name))
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["CARGO_MANIFEST_DIR", "PATH"]);
    }

    #[tokio::test]
    async fn a_command_that_hangs_is_killed_with_its_children() {
        let script = "sleep 1000 & echo $! > $0; echo $$ > $0.own; wait";
        let (desk, folder) = told(script, "").await;
        desk.finish().await;
        assert!(desk.one_failure().contains("more than 1 s"));
        assert!(is_gone(&read(&folder, "out")).await);
        assert!(is_gone(&read(&folder, "out.own")).await);
    }

    #[tokio::test]
    async fn a_process_that_a_command_leaves_is_killed() {
        let (desk, folder) = told("sleep 1000 & echo $! > $0", "").await;
        desk.finish().await;
        assert_eq!(desk.failures(), []);
        assert!(is_gone(&read(&folder, "out")).await);
    }

    #[tokio::test]
    async fn a_command_may_flood_fail_or_ignore_its_input() {
        let (flooding, _folder) = told(
            "head -c 50000000 /dev/zero; head -c 50000000 /dev/zero >&2",
            "",
        )
        .await;
        flooding.finish().await;
        assert_eq!(flooding.failures(), []);
        let (endless, _folder) = told("exec yes", "").await;
        endless.finish().await;
        assert!(endless.one_failure().contains("more than 1 s"));
        let (failing, _folder) = told("exec 0<&-; exit 3", "").await;
        failing.finish().await;
        assert!(failing.one_failure().contains("exit status: 3"));
        let missing = Desk::new("[approvals.command]\nargv = [\"/nowhere/at/all\"]\n");
        missing.call(json!({"name": "a"})).await;
        missing.finish().await;
        assert!(missing.one_failure().contains("cannot be started"));
    }

    #[tokio::test]
    async fn a_program_that_ends_leaves_no_command() {
        let folder = tempfile::tempdir().unwrap();
        let script = "echo $$ > $0; sleep 1000";
        let ways = command(folder.path(), script, "").replace("seconds = 1", "seconds = 60");
        let desk = Desk::new(&ways);
        desk.call(json!({"name": "a"})).await;
        while !folder.path().join("out").exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let begun = Instant::now();
        desk.registry
            .finish_notifications(Duration::from_millis(200))
            .await;
        assert!(begun.elapsed() < Duration::from_secs(3));
        assert!(desk.one_failure().contains("the program ended"));
        assert!(is_gone(&read(&folder, "out")).await);
    }

    #[tokio::test]
    async fn a_receiver_that_hangs_does_not_delay_the_command() {
        let hanging = Service::start(|_| async {
            tokio::time::sleep(LONG).await;
            answer(200, "text/plain", "")
        })
        .await;
        let folder = tempfile::tempdir().unwrap();
        let ways = format!(
            "{}{}",
            webhook(&hanging.url),
            command(folder.path(), "cat >> $0", "")
        );
        let desk = Desk::new(&ways);
        for index in 0..3 {
            desk.call(json!({"name": index.to_string()})).await;
        }
        let begun = Instant::now();
        let lines = || std::fs::read_to_string(folder.path().join("out")).unwrap_or_default();
        while lines().lines().count() < 3 {
            assert!(begun.elapsed() < Duration::from_secs(8), "{}", lines());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
