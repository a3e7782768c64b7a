//! Approvals under attack: by who can write into the folder, and by a call that changes after it
//! was approved.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};
use toolwright::{
    Registry, ScopedToolView, ToolSpec,
    approval::{
        ApprovalRequest, ApprovalStore, ApproverKey, ApproverKeys, Decision, FolderApprovals,
        Verdict,
    },
    audit::{MemoryAudit, Reason},
    eab::RunContext,
};

use crate::support::{
    HandClock, Service, at, auth_file, builder, create_item, decisions, last_reason, role,
    with_binding,
};

const TOOL: &str = "create-depot-item";

/// A service, one of its tools that waits for a person, and the folder of its requests.
struct Target {
    service: Service,
    folder: tempfile::TempDir,
    audit: Arc<MemoryAudit>,
    clock: HandClock,
    key: ApproverKey,
}

impl Target {
    async fn start() -> Self {
        Self {
            service: Service::json(201, json!({})).await,
            folder: tempfile::tempdir().unwrap(),
            audit: Arc::new(MemoryAudit::new()),
            clock: HandClock::new(),
            key: ApproverKey::in_folder(tempfile::tempdir().unwrap().path()).unwrap(),
        }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("approvals")
    }

    fn store(&self) -> FolderApprovals {
        let keys = ApproverKeys::Listed(vec![self.key.public()]);
        FolderApprovals::new(self.root()).keys(keys)
    }

    /// A view of the tool with this specification, in a process of its own.
    fn view_of(&self, spec: ToolSpec) -> ScopedToolView {
        let registry: Registry = builder(&self.audit)
            .specs([spec])
            .enable("*")
            .grant("keeper", "*")
            .approvals(Arc::new(self.store()))
            .clock(self.clock.as_clock())
            .build()
            .unwrap();
        registry.for_agent(&role("keeper"))
    }

    fn view(&self) -> ScopedToolView {
        self.view_of(at(create_item(), &self.service.url))
    }

    /// Returns whether the call passes.
    async fn passes(&self, view: &ScopedToolView, name: &str) -> bool {
        view.call_json(TOOL, json!({"name": name})).await.is_ok()
    }

    async fn waiting(&self) -> ApprovalRequest {
        let pending = self.store().pending(self.clock.now()).await.unwrap();
        assert_eq!(pending.len(), 1, "{pending:?}");
        pending[0].clone()
    }

    async fn approve(&self) {
        let request = self.waiting().await;
        let decision = self.decision(&request, Verdict::Approved);
        self.store().decide(request.handle, decision).await.unwrap();
    }

    fn decision(&self, request: &ApprovalRequest, verdict: Verdict) -> Decision {
        let decision = Decision::new(verdict, "operator", self.clock.now()).unwrap();
        decision.signed(&self.key, request)
    }

    /// The only file of a folder of the store.
    fn file(&self, kind: &str) -> PathBuf {
        let mut files = fs::read_dir(self.root().join(kind)).unwrap();
        files.next().unwrap().unwrap().path()
    }

    /// Changes a file of the store, as an attacker with write access would.
    fn tamper(&self, file: &Path, change: impl FnOnce(&mut Value)) {
        let mut record: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        change(&mut record);
        fs::write(file, record.to_string()).unwrap();
    }
}

#[tokio::test]
async fn an_unsigned_decision_is_refused() {
    let target = Target::start().await;
    let view = target.view();
    let stranger = ApproverKey::in_folder(tempfile::tempdir().unwrap().path()).unwrap();
    for signed_by_a_stranger in [false, true] {
        assert!(!target.passes(&view, "bolt").await);
        let request = target.waiting().await;
        let decision =
            Decision::new(Verdict::Approved, "the director", target.clock.now()).unwrap();
        let decision = if signed_by_a_stranger {
            decision.signed(&stranger, &request)
        } else {
            decision
        };
        let refused = target
            .store()
            .decide(request.handle.clone(), decision.clone())
            .await;
        assert!(refused.is_err());
        let pending = target.file("pending");
        let name = pending.file_name().unwrap().to_owned();
        target.tamper(&pending, |record| record["decision"] = json!(decision));
        fs::rename(&pending, target.root().join("approved").join(name)).unwrap();
        assert!(!target.passes(&view, "bolt").await);
        assert_eq!(last_reason(&target.audit), Reason::ApprovalInvalid);
    }
    assert!(target.service.seen().is_empty());
}

#[tokio::test]
async fn a_signed_decision_covers_only_the_signed_request() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 6] = [
        ("verdict", |record| {
            record["decision"]["verdict"] = json!("approved")
        }),
        ("person", |record| {
            record["decision"]["person"] = json!("someone else")
        }),
        ("os_user", |record| {
            record["decision"]["os_user"] = json!("another")
        }),
        ("time", |record| {
            record["decision"]["time"] = json!("2026-11-21T12:00:30Z")
        }),
        ("expires", |record| {
            record["request"]["expires"] = json!("9998-01-01T00:00:00Z")
        }),
        ("id", |record| {
            record["request"]["id"] = json!("wait-0123456789ab")
        }),
    ];
    for (what, change) in changes {
        let target = Target::start().await;
        let view = target.view();
        assert!(!target.passes(&view, "bolt").await);
        let request = target.waiting().await;
        let verdict = if what == "verdict" {
            Verdict::Rejected
        } else {
            Verdict::Approved
        };
        let decision = target.decision(&request, verdict);
        target
            .store()
            .decide(request.handle, decision)
            .await
            .unwrap();
        let kind = if what == "verdict" {
            "rejected"
        } else {
            "approved"
        };
        let file = target.file(kind);
        target.tamper(&file, change);
        let approved = target
            .root()
            .join("approved")
            .join(file.file_name().unwrap());
        fs::rename(&file, approved).unwrap();
        assert!(!target.passes(&view, "bolt").await, "{what}");
        assert_eq!(
            last_reason(&target.audit),
            Reason::ApprovalInvalid,
            "{what}"
        );
        assert!(target.service.seen().is_empty(), "{what}");
    }
}

#[tokio::test]
async fn a_rejection_stored_as_an_approval_does_not_pass() {
    let target = Target::start().await;
    let view = target.view();
    assert!(!target.passes(&view, "bolt").await);
    let request = target.waiting().await;
    let decision = target.decision(&request, Verdict::Rejected);
    target
        .store()
        .decide(request.handle, decision)
        .await
        .unwrap();
    let file = target.file("rejected");
    fs::rename(
        &file,
        target
            .root()
            .join("approved")
            .join(file.file_name().unwrap()),
    )
    .unwrap();
    assert!(!target.passes(&view, "bolt").await);
    assert_eq!(last_reason(&target.audit), Reason::ApprovalInvalid);
}

#[tokio::test]
async fn a_request_that_was_changed_while_it_waited_passes_nothing() {
    let target = Target::start().await;
    let view = target.view();
    assert!(!target.passes(&view, "delete everything").await);
    let file = target.file("pending");
    target.tamper(&file, |record| {
        record["request"]["shown"]["arguments"]["name"] = json!("harmless");
    });
    let pending = target.store().pending(target.clock.now()).await.unwrap();
    assert!(
        pending.is_empty(),
        "the name of the file is not that of what it shows: {pending:?}"
    );

    // With the name that fits, a person would approve something that no agent calls.
    let mut request: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let request: ApprovalRequest = serde_json::from_value(request["request"].take()).unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    let (scope, _) = name.split_once('-').unwrap();
    let fitting = format!("pending/{scope}-{}.json", request.digest());
    let fitting = target.root().join(fitting);
    fs::rename(&file, fitting).unwrap();
    target.approve().await;
    assert!(!target.passes(&view, "delete everything").await);
    assert!(target.service.seen().is_empty());
}

#[tokio::test]
async fn a_restored_approval_is_not_used_twice() {
    let target = Target::start().await;
    let view = target.view();
    assert!(!target.passes(&view, "bolt").await);
    target.approve().await;
    let file = target.file("approved");
    let copy = fs::read(&file).unwrap();
    assert!(target.passes(&view, "bolt").await);
    fs::write(&file, copy).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(!target.passes(&view, "bolt").await);
    assert_eq!(target.service.seen().len(), 1);
}

#[tokio::test]
async fn an_expiry_in_the_far_future_is_refused() {
    let target = Target::start().await;
    let view = target.view();
    assert!(!target.passes(&view, "bolt").await);
    let file = target.file("pending");
    target.tamper(&file, |record| {
        record["request"]["expires"] = json!("9998-01-01T00:00:00Z");
    });
    target.approve().await;
    target.clock.advance(15 * 60);
    assert!(!target.passes(&view, "bolt").await);
    assert!(target.service.seen().is_empty());
}

#[tokio::test]
async fn stray_files_are_ignored() {
    let target = Target::start().await;
    let view = target.view();
    assert!(!target.passes(&view, "bolt").await);
    let pending = target.root().join("pending");
    let digits = "0".repeat(64);
    fs::write(pending.join(".DS_Store"), "x").unwrap();
    fs::write(pending.join("note.json~"), "x").unwrap();
    fs::write(pending.join(format!("0123456789abcdef-{digits}.json")), "{").unwrap();
    fs::create_dir(pending.join(format!("1123456789abcdef-{digits}.json"))).unwrap();
    symlink(
        "/dev/zero",
        pending.join(format!("2123456789abcdef-{digits}.json")),
    )
    .unwrap();
    target.approve().await;
    assert!(target.passes(&view, "bolt").await);
    assert!(!target.passes(&view, "nut").await);
    assert_eq!(last_reason(&target.audit), Reason::ApprovalRequired);
}

#[tokio::test]
async fn a_folder_or_a_file_that_others_can_write_is_refused() {
    let target = Target::start().await;
    let view = target.view();
    assert!(!target.passes(&view, "bolt").await);
    target.approve().await;
    let file = target.file("approved");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(
        !target.passes(&view, "bolt").await,
        "others could have written the file"
    );

    target.approve().await;
    for kind in ["", "approved", "pending", "used"] {
        let folder = target.root().join(kind);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(!target.passes(&view, "bolt").await, "{kind}");
        assert_eq!(last_reason(&target.audit), Reason::Undecided, "{kind}");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
    assert!(target.passes(&view, "bolt").await);
}

#[tokio::test]
async fn an_approval_covers_the_request_that_is_sent() {
    let target = Target::start().await;
    let other = Service::json(201, json!({})).await;
    assert!(!target.passes(&target.view(), "bolt").await);
    target.approve().await;

    let own = || at(create_item(), &target.service.url);
    let moved = at(create_item(), &other.url);
    let renamed = with_binding(own(), |binding| {
        "/wipe-everything".clone_into(&mut binding.path)
    });
    let mut respecified = own();
    "Creates an item and sends it to all customers.".clone_into(&mut respecified.description);
    for (what, spec) in [
        ("base URL", moved),
        ("path", renamed),
        ("record", respecified),
    ] {
        assert!(
            !target.passes(&target.view_of(spec), "bolt").await,
            "another {what}"
        );
    }
    let run = RunContext {
        run: Some("another".to_owned()),
        ..RunContext::default()
    };
    assert!(
        !target.passes(&target.view().in_run(run), "bolt").await,
        "another run"
    );
    assert!(target.service.seen().is_empty() && other.seen().is_empty());

    assert!(
        target.passes(&target.view(), "bolt").await,
        "the approval still stands"
    );
    assert_eq!(target.service.seen().len(), 1);
}

#[tokio::test]
async fn a_base_url_that_changes_after_the_approval_voids_it() {
    let (one, two) = (
        Service::json(201, json!({})).await,
        Service::json(201, json!({})).await,
    );
    let auth = |service: &Service| json!({"base_url": service.url, "api_token": "t"});
    let (folder, credentials) = auth_file(&auth(&one));
    let target = Target::start().await;
    let registry = builder(&target.audit)
        .credentials(credentials)
        .specs([create_item()])
        .enable("*")
        .grant("keeper", "*")
        .approvals(Arc::new(target.store()))
        .clock(target.clock.as_clock())
        .build()
        .unwrap();
    let view = registry.for_agent(&role("keeper"));
    assert!(!target.passes(&view, "bolt").await);
    target.approve().await;
    let file = folder.path().join(".local/depot/admin-auth.json");
    fs::write(file, auth(&two).to_string()).unwrap();
    assert!(!target.passes(&view, "bolt").await);
    assert!(one.seen().is_empty() && two.seen().is_empty());
}

#[tokio::test]
async fn the_approver_sees_method_url_and_body() {
    let target = Target::start().await;
    assert!(!target.passes(&target.view(), "bolt").await);
    let shown = target.waiting().await.shown;
    let request = json!(shown.request.unwrap());
    assert_eq!(request["method"], "POST");
    assert_eq!(request["url"], format!("{}/items", target.service.url));
    assert_eq!(request["body"], json!({"json": {"name": "bolt"}}));
    assert_eq!(json!(shown.service), "depot");
    assert!(decisions(&target.audit.events()).len() == 1);
}

#[tokio::test]
async fn the_approver_sees_a_request_with_a_masked_file() {
    let target = Target::start().await;
    let mut spec = create_item();
    spec.input_schema = json!({"type": "object", "properties": {
        "name": {"type": "string", "contentEncoding": "base64", "writeOnly": true},
    }})
    .into();
    let binding = json!({
        "method": "POST", "path": "/items",
        "body": {"media_type": "application/octet-stream", "content": "binary", "required": true,
                 "shape": {"whole": {"argument": "name"}}},
        "answers": [{"status": "201", "content": "empty"}],
    });
    spec.binding = serde_json::from_value(json!({"http": binding})).unwrap();
    let spec = at(spec, &target.service.url);
    assert!(!target.passes(&target.view_of(spec), "c2VjcmV0").await);
    let shown = target.waiting().await.shown;
    let request = json!(shown.request.unwrap());
    assert_eq!(request["url"], format!("{}/items", target.service.url));
    assert_eq!(request["body"]["bytes"]["length"], 6, "{request}");
    assert!(!json!(shown.arguments).to_string().contains("c2VjcmV0"));
}
