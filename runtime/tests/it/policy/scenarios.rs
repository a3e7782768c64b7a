//! The scenarios of profiles: what is offered, what is refused, and what the audit has.

use std::{fs, sync::Arc};

use serde_json::json;
use toolwright::{
    ToolError,
    audit::{MemoryAudit, Permission, Reason, What},
    eab::RunContext,
    error::{OpenError, RefusalReason},
    policy::Variables,
};

use super::{config, depot, file_tool, files, get, refusal, violation};
use crate::support::{Service, builder, decisions, last_reason, role};

#[tokio::test]
async fn p1_a_tool_outside_of_the_profile_is_nowhere_to_be_seen() {
    let audit = Arc::new(MemoryAudit::new());
    let service = Service::json(200, json!({})).await;
    let policy = "[roles.reader]\nprofiles = [\"looks\"]\n[profiles.looks]\ntools = [\"get-*\"]\n\
                  [tools]\nenable = [\"*\"]";
    let registry = depot(&audit, &service, policy).build().unwrap();
    let view = registry.for_agent(&role("reader"));
    let names: Vec<_> = view
        .specs()
        .iter()
        .map(|spec| spec.name.to_string())
        .collect();
    assert_eq!(names, ["get-depot-item"]);
    assert!(view.spec("create-depot-item").is_none());
    let texts: Vec<_> = view
        .specs()
        .iter()
        .map(|spec| format!("{spec:?}"))
        .collect();
    assert!(!texts.concat().contains("create-depot-item"));
    let unknown = view
        .call_json("create-depot-itm", json!({}))
        .await
        .unwrap_err();
    let ungranted = view
        .call_json("create-depot-item", json!({"name": "x"}))
        .await
        .unwrap_err();
    let same = ungranted
        .to_string()
        .replace("create-depot-item", "create-depot-itm");
    assert_eq!(unknown.to_string(), same);
    assert_eq!(service.connections(), 0);
}

const WRITER: &str = "[roles.coder]\nprofiles = [\"writer\"]\n\
    [profiles.writer]\ntools = [\"write-repo-file\"]\n\
    [[profiles.writer.scopes]]\nallowed_write_paths = [\"src/modules/auth/**\"]\n\
    denied_write_paths = [\"src/modules/auth/secrets/**\"]\n";

#[tokio::test]
async fn p2_a_write_outside_of_the_allowed_paths_is_refused_with_its_rule() {
    let (audit, folder) = (Arc::new(MemoryAudit::new()), tempfile::tempdir().unwrap());
    for module in ["auth", "payment"] {
        fs::create_dir_all(folder.path().join("src/modules").join(module)).unwrap();
    }
    let handler = folder.path().join("src/modules/payment/handler.rs");
    fs::write(&handler, "before").unwrap();
    let view = files(&audit, folder.path(), WRITER).for_agent(&role("coder"));
    let write = |path: &str| view.call_json("write-repo-file", json!({"path": path}));

    let refused = write("src/modules/payment/handler.rs").await;
    assert_eq!(refusal(refused), violation("allowed_write_paths"));
    let last = decisions(&audit.events()).pop().unwrap();
    assert_eq!(
        (last.decision, last.reason),
        (
            Permission::Deny,
            Reason::Policy(RefusalReason::ScopeViolation)
        )
    );
    assert_eq!(
        last.rule.as_deref(),
        Some("allowed_write_paths (toolwright.toml:5:1)")
    );
    assert_eq!(fs::read_to_string(&handler).unwrap(), "before");

    write("src/modules/auth/login.rs").await.unwrap();
    assert!(folder.path().join("src/modules/auth/login.rs").exists());
}

#[tokio::test]
async fn p3_the_policy_is_protected_whatever_a_profile_allows() {
    let (audit, folder) = (Arc::new(MemoryAudit::new()), tempfile::tempdir().unwrap());
    fs::create_dir(folder.path().join(".git")).unwrap();
    let policy = folder.path().join("toolwright.toml");
    fs::write(&policy, "before").unwrap();
    let all = "[roles.coder]\nprofiles = [\"writer\"]\n[profiles.writer]\n\
               tools = [\"write-repo-file\"]\n\
               [[profiles.writer.scopes]]\nallowed_write_paths = [\"**\"]";
    let view = files(&audit, folder.path(), all).for_agent(&role("coder"));
    for path in [
        "toolwright.toml",
        "Toolwright.toml",
        ".git/config",
        "a/../toolwright.toml",
    ] {
        let called = view
            .call_json("write-repo-file", json!({"path": path}))
            .await;
        let protected = (
            RefusalReason::ProtectedPath,
            Some("arguments.path".to_owned()),
        );
        assert_eq!(refusal(called), protected, "{path}");
        assert_eq!(
            last_reason(&audit),
            Reason::Policy(RefusalReason::ProtectedPath)
        );
    }
    assert_eq!(fs::read_to_string(&policy).unwrap(), "before");
    view.call_json("write-repo-file", json!({"path": "free.txt"}))
        .await
        .unwrap();
}

#[tokio::test]
async fn p11_denied_paths_win_in_any_spelling() {
    let (audit, folder) = (Arc::new(MemoryAudit::new()), tempfile::tempdir().unwrap());
    fs::create_dir_all(folder.path().join("src/modules/auth/secrets")).unwrap();
    let view = files(&audit, folder.path(), WRITER).for_agent(&role("coder"));
    for (path, rule) in [
        ("src/modules/auth/secrets/x", "denied_write_paths"),
        ("src/modules/auth/SECRETS/x", "denied_write_paths"),
        ("src/modules/auth/../auth/secrets/x", "allowed_write_paths"),
        ("src/modules/auth/./secrets/x", "allowed_write_paths"),
        ("src/modules/auth//secrets/x", "allowed_write_paths"),
        ("src/modules/auth/%73ecrets/x", "allowed_write_paths"),
        ("src/modules/auth\\secrets\\x", "allowed_write_paths"),
        ("/src/modules/auth/a", "allowed_write_paths"),
    ] {
        let refused = view
            .call_json("write-repo-file", json!({"path": path}))
            .await;
        let (reason, found) = refusal(refused);
        assert_eq!(reason, RefusalReason::ScopeViolation, "{path}");
        let found = found.unwrap();
        assert!(
            found == rule || found == "denied_write_paths",
            "{path}: {found}"
        );
    }
    let secrets = fs::read_dir(folder.path().join("src/modules/auth/secrets")).unwrap();
    assert_eq!(secrets.count(), 0);
}

const MODULE: &str = "[roles.coder]\nprofiles = [\"writer\"]\n\
    [profiles.writer]\ntools = [\"write-repo-file\"]\n\
    [[profiles.writer.scopes]]\nallowed_write_paths = [\"src/{{affected_modules}}/**\"]\n";

#[tokio::test]
async fn p4_variables_are_inserted_when_a_view_is_opened_and_the_audit_has_them() {
    let (audit, folder) = (Arc::new(MemoryAudit::new()), tempfile::tempdir().unwrap());
    for module in ["inventory", "orders"] {
        fs::create_dir_all(folder.path().join("src").join(module)).unwrap();
    }
    let registry = files(&audit, folder.path(), MODULE);
    let variables = Variables::new().with("affected_modules", "inventory");
    let view = registry
        .open(&role("coder"), RunContext::default(), variables)
        .unwrap();
    let event = serde_json::to_value(&audit.events()[0]).unwrap();
    assert_eq!(event["event"], "profile_resolved");
    assert_eq!(
        event["scopes"],
        json!([{"place": "toolwright.toml:5:1", "parameter": "allowed_write_paths",
                "values": ["src/inventory/**"]}])
    );
    let write = |path: &str| view.call_json("write-repo-file", json!({"path": path}));
    write("src/inventory/a.rs").await.unwrap();
    assert_eq!(
        refusal(write("src/orders/a.rs").await),
        violation("allowed_write_paths")
    );
    let both = Variables::new().with_list("affected_modules", ["inventory", "orders"]);
    let view = registry
        .open(&role("coder"), RunContext::default(), both)
        .unwrap();
    let write = |path: &str| view.call_json("write-repo-file", json!({"path": path}));
    write("src/orders/a.rs").await.unwrap();
}

#[tokio::test]
async fn p5_without_its_variables_there_is_no_view() {
    let (audit, folder) = (Arc::new(MemoryAudit::new()), tempfile::tempdir().unwrap());
    let registry = files(&audit, folder.path(), MODULE);
    for (values, problem) in [
        (json!({}), "is not set"),
        (json!({"affected_modules": ""}), "is empty"),
        (json!({"affected_modules": []}), "is empty"),
        (
            json!({"affected_modules": 7}),
            "is neither a string nor a list of strings",
        ),
        (
            json!({"affected_modules": "../x"}),
            "contains characters that would change a path",
        ),
        (
            json!({"affected_modules": "**"}),
            "contains characters that would change a path",
        ),
    ] {
        let variables = Variables::from(values.as_object().unwrap());
        let opened = registry.open(&role("coder"), RunContext::default(), variables.clone());
        let Err(OpenError::Variables(faults)) = opened else {
            panic!("{values}: {opened:?}");
        };
        assert_eq!(
            faults[0].to_string(),
            format!("the variable `affected_modules` {problem}")
        );
        let view = registry.for_agent(&role("coder")).with_variables(variables);
        assert!(view.specs().is_empty(), "{values}");
        let called = view
            .call_json("write-repo-file", json!({"path": "src/x"}))
            .await;
        assert!(
            matches!(called, Err(ToolError::ToolNotPermitted { .. })),
            "{called:?}"
        );
        assert_eq!(
            last_reason(&audit),
            Reason::Policy(RefusalReason::VariableMissing)
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn p6_without_a_file_only_code_generation_can_write() {
    let (audit, folder) = (Arc::new(MemoryAudit::new()), tempfile::tempdir().unwrap());
    fs::create_dir_all(folder.path().join("src/inventory")).unwrap();
    let writer = file_tool("write-repo-file", folder.path());
    let registry = builder(&audit)
        .tool(writer)
        .pipeline_roles()
        .build()
        .unwrap();
    let nodes: Vec<_> = registry.roles().iter().map(ToString::to_string).collect();
    assert_eq!(nodes.len(), 7);
    for node in &nodes {
        let variables = Variables::new().with("affected_modules", "inventory");
        let run = RunContext {
            node: Some(node.clone()),
            ..RunContext::default()
        };
        let view = registry.open(&role(node), run, variables).unwrap();
        let path = json!({"path": "src/inventory/a.rs"});
        let written = view.call_json("write-repo-file", path).await;
        assert_eq!(
            written.is_ok(),
            node == "code-generation",
            "{node}: {written:?}"
        );
        let elsewhere = view
            .call_json("write-repo-file", json!({"path": "src/a.rs"}))
            .await;
        assert!(elsewhere.is_err(), "{node}");
    }
}

#[tokio::test]
async fn a_configured_role_replaces_the_built_in_one_of_its_name() {
    let (audit, folder) = (Arc::new(MemoryAudit::new()), tempfile::tempdir().unwrap());
    let writer = file_tool("write-repo-file", folder.path());
    let registry = builder(&audit)
        .tool(writer)
        .pipeline_roles()
        .config(config("[roles.code-generation]\ngrant = []"))
        .audit(Arc::clone(&audit))
        .build()
        .unwrap();
    let view = registry.for_agent(&role("code-generation"));
    assert!(view.specs().is_empty());
}

fn alerts(audit: &MemoryAudit) -> Vec<(u64, bool)> {
    let events = audit.events().into_iter();
    let alerts = events.filter_map(|event| match event.what {
        What::Alert(alert) => Some((alert.count, alert.halted)),
        _ => None,
    });
    alerts.collect()
}

#[tokio::test]
async fn p7_five_violations_in_one_run_are_one_alert_and_may_halt_it() {
    let service = Service::json(200, json!({})).await;
    for halt in [false, true] {
        let audit = Arc::new(MemoryAudit::new());
        let policy = format!(
            "[policy]\nhalt = {halt}\n[roles.reader]\nprofiles = [\"a\"]\n[profiles.a]\n\
             tools = [\"get-*\"]\n[[profiles.a.scopes]]\narguments.id = {{ values = [\"1\"] }}"
        );
        let registry = depot(&audit, &service, &policy).build().unwrap();
        let in_run = |run: &str| {
            let run = RunContext {
                run: Some(run.to_owned()),
                ..RunContext::default()
            };
            registry.for_agent(&role("reader")).in_run(run)
        };
        let (one, other) = (in_run("r-1"), in_run("r-2"));
        for number in 1..=7 {
            assert!(get(&one, "2").await.is_err());
            assert!(number != 4 || alerts(&audit).is_empty());
        }
        assert_eq!(alerts(&audit), [(5, halt)]);
        let event = audit.events().into_iter();
        let mut alerts = event.map(|event| serde_json::to_value(event).unwrap());
        let alert = alerts.find(|event| event["event"] == "alert").unwrap();
        assert_eq!(
            (&alert["role"], &alert["run"]),
            (&json!("reader"), &json!("r-1"))
        );
        assert_eq!(get(&one, "1").await.is_ok(), !halt);
        if halt {
            assert_eq!(last_reason(&audit), Reason::Halted);
            assert!(one.specs().is_empty());
            assert!(
                in_run("r-1").specs().is_empty(),
                "another view of the same run"
            );
        }
        get(&other, "1").await.unwrap();
    }
}

#[tokio::test]
async fn p10_a_base_url_outside_of_the_allowed_urls_opens_no_socket() {
    let audit = Arc::new(MemoryAudit::new());
    let service = Service::json(200, json!({})).await;
    let scoped = |scope: &str| {
        let policy = format!(
            "[roles.reader]\nprofiles = [\"a\"]\n[profiles.a]\ntools = [\"get-*\"]\n\
             [[profiles.a.scopes]]\n{scope}"
        );
        let registry = depot(&audit, &service, &policy).build().unwrap();
        registry.for_agent(&role("reader"))
    };
    for (scope, rule) in [
        ("allowed_urls = [\"https://depot.example\"]", "allowed_urls"),
        ("allowed_urls = [\"{url}/other/\"]", "allowed_urls"),
        ("allowed_urls = []", "allowed_urls"),
        ("allowed_methods = [\"POST\"]", "allowed_methods"),
    ] {
        assert_eq!(
            refusal(get(&scoped(scope), "7").await),
            violation(rule),
            "{scope}"
        );
        assert_eq!(
            last_reason(&audit),
            Reason::Policy(RefusalReason::ScopeViolation)
        );
    }
    assert_eq!(service.connections(), 0);
    let allowed = "allowed_urls = [\"{url}/items/\"]\nallowed_methods = [\"GET\"]";
    get(&scoped(allowed), "7").await.unwrap();
    assert_eq!(service.one().target, "/items/7");
}
