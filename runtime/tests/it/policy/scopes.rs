//! Each limit of a scope, what is forbidden, the lock, and the faults of a policy.

use std::{fs, sync::Arc, time::Instant};

use jiff::Timestamp;
use serde_json::json;
use toolwright::{
    Credentials, Registry, ToolError, ToolSpec,
    audit::{AuditEvent, MemoryAudit, Permission, Reason},
    config::Config,
    eab::RunContext,
    error::RefusalReason,
    files::AnswerWriter,
};

use super::{config, depot, files, get, last_rule, refusal, violation};
use crate::support::{
    HandClock, Service, answer, at, builder, decisions, delete_item, get_item, last_reason,
    redirect, role, with_binding,
};

const BEARER: &str = r#"[[{"scheme": "b", "kind": "bearer"}]]"#;

#[tokio::test]
async fn a_redirect_does_not_leave_the_scope() {
    let audit = Arc::new(MemoryAudit::new());
    let service = Service::start(|seen| async move {
        match seen.target.as_str() {
            "/items/7" => redirect(302, "/admin/secrets"),
            "/items/8" => redirect(302, "/items/9"),
            _ => answer(200, "application/json", "{}"),
        }
    })
    .await;
    let policy = "[roles.reader]\nprofiles = [\"a\"]\n[profiles.a]\ntools = [\"get-*\"]\n\
                  [[profiles.a.scopes]]\nallowed_urls = [\"{url}/items/\"]";
    let view = depot(&audit, &service, policy)
        .build()
        .unwrap()
        .for_agent(&role("reader"));
    let error = get(&view, "7").await.unwrap_err();
    assert_eq!(error.code(), "redirect_refused");
    assert_eq!(service.seen().len(), 1);
    get(&view, "8").await.unwrap();
}

#[tokio::test]
async fn pinned_arguments_are_filled_in_and_not_shown() {
    let audit = Arc::new(MemoryAudit::new());
    let service = Service::json(200, json!({})).await;
    let policy = "[roles.reader]\nprofiles = [\"a\"]\n[profiles.a]\ntools = [\"get-*\"]\n\
                  [[profiles.a.scopes]]\npinned = { limit = 5 }";
    let view = depot(&audit, &service, policy)
        .build()
        .unwrap()
        .for_agent(&role("reader"));
    let schema = view.spec("get-depot-item").unwrap().input_schema.to_value();
    assert!(schema["properties"].get("limit").is_none(), "{schema}");
    get(&view, "7").await.unwrap();
    assert_eq!(service.one().target, "/items/7?limit=5");
    let other = json!({"id": "7", "limit": 6});
    let error = view.call_json("get-depot-item", other).await.unwrap_err();
    assert_eq!(error.code(), "invalid_arguments");
    assert_eq!(service.seen().len(), 1);
}

#[tokio::test]
async fn a_forbid_wins_over_every_grant() {
    let audit = Arc::new(MemoryAudit::new());
    let service = Service::json(200, json!({})).await;
    let policy = "[roles.reader]\ngrant = [\"*\"]\n[roles.other]\ngrant = [\"*\"]\n\
                  [tools]\nenable = [\"*\"]\n\
                  [[forbid]]\ntools = \"get-*\"\nroles = [\"reader\"]\n\
                  when.id = { pattern = \"prod-.*\" }\nreason = \"production\"\n\
                  [[forbid]]\ntools = \"delete-*\"";
    let registry = depot(&audit, &service, policy).build().unwrap();
    let view = registry.for_agent(&role("reader"));
    let forbidden = (RefusalReason::Forbidden, Some("forbid".to_owned()));
    assert_eq!(refusal(get(&view, "prod-1").await), forbidden);
    assert_eq!(
        last_rule(&audit).as_deref(),
        Some("forbid (toolwright.toml:8:9)")
    );
    assert_eq!(service.connections(), 0);
    get(&view, "test-1").await.unwrap();
    get(&registry.for_agent(&role("other")), "prod-1")
        .await
        .unwrap();
    let names: Vec<_> = view
        .specs()
        .iter()
        .map(|spec| spec.name.to_string())
        .collect();
    assert_eq!(names, ["create-depot-item", "get-depot-item"]);
    let deleted = view
        .call_json("delete-depot-item", json!({"id": "1"}))
        .await;
    assert!(matches!(deleted, Err(ToolError::ToolNotPermitted { .. })));
    assert_eq!(
        last_reason(&audit),
        Reason::Policy(RefusalReason::Forbidden)
    );
}

#[tokio::test]
async fn a_rate_is_counted_by_role_and_refills() {
    let audit = Arc::new(MemoryAudit::new());
    let service = Service::json(200, json!({})).await;
    let policy = "[roles.reader]\nprofiles = [\"a\"]\n[roles.other]\nprofiles = [\"a\"]\n\
                  [profiles.a]\ntools = [\"get-*\"]\n[[profiles.a.scopes]]\nrate = \"2/minute\"";
    let clock = HandClock::new();
    let registry = depot(&audit, &service, policy)
        .clock(clock.as_clock())
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    get(&view, "1").await.unwrap();
    get(&view, "1").await.unwrap();
    let error = get(&view, "1").await.unwrap_err();
    assert_eq!(
        (error.code(), error.is_retryable()),
        ("rate_exceeded", true)
    );
    assert_eq!(
        last_reason(&audit),
        Reason::Policy(RefusalReason::RateExceeded)
    );
    assert_eq!(service.seen().len(), 2);
    get(&registry.for_agent(&role("other")), "1").await.unwrap();
    clock.advance(30);
    get(&view, "1").await.unwrap();
    assert!(get(&view, "1").await.is_err());
}

#[tokio::test]
async fn a_scope_bounds_the_size_of_an_answer() {
    let audit = Arc::new(MemoryAudit::new());
    let service = Service::json(200, json!("x".repeat(1000))).await;
    let policy = "[roles.reader]\nprofiles = [\"a\"]\n[profiles.a]\ntools = [\"get-*\"]\n\
                  [[profiles.a.scopes]]\nmax_response_bytes = 100";
    let view = depot(&audit, &service, policy)
        .build()
        .unwrap()
        .for_agent(&role("reader"));
    let error = view
        .call_json("get-depot-item", json!({"id": "7"}))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "answer_too_large");
    assert_eq!(error.to_json()["error"]["limit"], 100);
    let (writer, written) = (AnswerWriter::new(Vec::new()), json!({"id": "7"}));
    let error = view.call_to("get-depot-item", written, writer).await;
    assert_eq!(error.unwrap_err().to_json()["error"]["limit"], 100);
}

#[tokio::test]
async fn a_required_parameter_that_is_not_set_refuses_the_call() {
    let (audit, folder) = (Arc::new(MemoryAudit::new()), tempfile::tempdir().unwrap());
    let policy = "[roles.coder]\ngrant = [\"write-repo-file\"]";
    let view = files(&audit, folder.path(), policy).for_agent(&role("coder"));
    let called = view
        .call_json("write-repo-file", json!({"path": "a"}))
        .await;
    let missing = (
        RefusalReason::ScopeMissing,
        Some("allowed_write_paths".to_owned()),
    );
    assert_eq!(refusal(called), missing);
    assert_eq!(
        last_reason(&audit),
        Reason::Policy(RefusalReason::ScopeMissing)
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn an_override_of_a_node_narrows_the_scope_and_grants_nothing() {
    let audit = Arc::new(MemoryAudit::new());
    let service = Service::json(200, json!({})).await;
    let policy = "[roles.reader]\ngrant = [\"get-*\"]\n\
                  [[nodes.review.scopes]]\ntools = \"service:depot\"\n\
                  arguments.id = { values = [\"1\"], optional = true }";
    let registry = depot(&audit, &service, policy).enable("*").build().unwrap();
    let view = registry.for_agent(&role("reader"));
    let run = |node: &str| RunContext {
        node: Some(node.to_owned()),
        ..RunContext::default()
    };
    let review = view.clone().in_run(run("review"));
    assert_eq!(view.specs().len(), review.specs().len());
    get(&view, "2").await.unwrap();
    get(&review, "1").await.unwrap();
    assert_eq!(refusal(get(&review, "2").await), violation("arguments.id"));
    get(&view.in_run(run("planning")), "2").await.unwrap();
}

#[tokio::test]
async fn a_role_uses_the_credentials_of_its_account_and_no_others() {
    let audit = Arc::new(MemoryAudit::new());
    let service = Service::json(200, json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, token: &str| {
        let file = folder.path().join(".local/depot").join(name);
        let content = json!({"api_token": token, "origins": [service.url]});
        toolwright::private::write(&file, content.to_string()).unwrap();
    };
    write("admin-auth.json", "administrators-token");
    write("clerk-auth.json", "clerks-own-token");
    let policy = "[roles.admin]\ngrant = [\"*\"]\n[roles.clerk]\ngrant = [\"*\"]\n\
                  credentials = \"clerk\"\n[roles.guest]\ngrant = [\"*\"]\ncredentials = \"guest\"";
    let with_token = |spec: ToolSpec| {
        let security = serde_json::from_str(BEARER).unwrap();
        with_binding(spec, |binding| binding.security = security)
    };
    let credentials = Credentials::new(folder.path()).with_variables(|_| None);
    let registry = builder(&audit)
        .credentials(credentials)
        .specs([with_token(at(get_item(), &service.url))])
        .config(config(policy))
        .approvals(Arc::new(toolwright::approval::MemoryApprovals::new()))
        .build()
        .unwrap();
    get(&registry.for_agent(&role("admin")), "1").await.unwrap();
    get(&registry.for_agent(&role("clerk")), "1").await.unwrap();
    let error = get(&registry.for_agent(&role("guest")), "1")
        .await
        .unwrap_err();
    assert!(matches!(error, ToolError::Credentials(_)), "{error:?}");
    let seen = service.seen();
    let tokens: Vec<_> = seen
        .iter()
        .filter_map(|seen| seen.header("authorization"))
        .collect();
    assert_eq!(
        tokens,
        ["Bearer administrators-token", "Bearer clerks-own-token"]
    );
}

#[tokio::test]
async fn overrides_of_switches_apply_at_once_and_disable_wins() {
    use toolwright::availability::{Override, Overrides};

    let audit = Arc::new(MemoryAudit::new());
    let service = Service::json(200, json!({})).await;
    let policy = "[roles.reader]\ngrant = [\"*\"]\n[tools]\ndisable = [\"delete-*\"]";
    let registry = depot(&audit, &service, policy).build().unwrap();
    let view = registry.for_agent(&role("reader"));
    let set = |tool: &str, enabled: bool| {
        let decided = Override::new(enabled, "ann", "test", Timestamp::UNIX_EPOCH).unwrap();
        let overrides = Overrides::from([(tool.parse().unwrap(), decided)]);
        registry.availability().publish(overrides, Instant::now());
    };
    set("get-depot-item", false);
    assert!(get(&view, "1").await.is_err());
    assert_eq!(last_reason(&audit), Reason::Policy(RefusalReason::Disabled));
    registry.reload(&config(policy)).unwrap();
    assert!(
        get(&view, "1").await.is_err(),
        "a reload keeps the overrides"
    );
    set("create-depot-item", true);
    assert!(view.spec("create-depot-item").is_some());
    get(&view, "1").await.unwrap();
    set("delete-depot-item", true);
    assert!(view.spec("delete-depot-item").is_none());
    registry
        .availability()
        .publish(Overrides::new(), Instant::now());
    assert!(view.spec("create-depot-item").is_none());
}

#[tokio::test]
async fn every_fault_of_a_policy_is_reported_with_its_place() {
    let audit = Arc::new(MemoryAudit::new());
    let service = Service::json(200, json!({})).await;
    let policy = "[roles.reader]\nprofiles = [\"clrk\"]\ngrant = [\"get-depot-item\"]\n\
        [roles.twice]\nprofiles = [\"clerk\"]\ngrant = [\"get-depot-item\"]\n\
        [profiles.clerk]\ntools = [\"get-depot-item\"]\n\
        [[profiles.clerk.scopes]]\npinned = { limit = 5 }\narguments.idd = { values = [\"1\"] }\n\
        alowed_urls = [\"https://x\"]\n\
        [[profiles.clerk.scopes]]\ntools = \"get-depot-itm\"\nrate = \"1/day\"\n\
        [[forbid]]\ntools = \"get-*\"\nroles = [\"redaer\"]";
    let error = depot(&audit, &service, policy)
        .build()
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "\
toolwright.toml:9:1: no tool that `*` selects here has an argument `idd`; use the name of an argument, as `toolwright show` prints it
toolwright.toml:12:1: no tool that `*` selects here has a scope parameter `alowed_urls`; a similar name is `allowed_urls`
toolwright.toml:14:9: `get-depot-itm` selects no tool: nothing matches `get-depot-itm`; a similar name is `get-depot-item`
toolwright.toml:2:13: there is no profile `clrk`; a similar name is `clerk`
toolwright.toml:9:1: the role `twice` is granted `get-depot-item` by `grant` of the role `twice` and by profile `clerk`, and they do not pin `limit` to the same value; pin the same value in each of them, or grant the tool only once
toolwright.toml:18:10: the role `redaer` is not declared; a similar name is `reader`"
    );
}

#[tokio::test]
async fn a_lock_grants_what_was_accepted_and_nothing_new() {
    let audit = Arc::new(MemoryAudit::new());
    let service = Service::json(200, json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("toolwright.toml");
    fs::write(
        &file,
        "[roles.reader]\ngrant = [\"service:depot\"]\n[tools]\nenable = [\"*\"]",
    )
    .unwrap();
    let built = |specs: Vec<ToolSpec>| {
        let specs = specs.into_iter().map(|spec| at(spec, &service.url));
        builder(&audit)
            .specs(specs)
            .config(Config::read(&file).unwrap())
            .build()
            .unwrap()
    };
    let names = |registry: &Registry| -> Vec<String> {
        let specs = registry.for_agent(&role("reader")).specs();
        specs.iter().map(|spec| spec.name.to_string()).collect()
    };
    let before = built(vec![get_item()]);
    fs::write(
        folder.path().join("toolwright.policy.lock"),
        before.matched().to_toml(),
    )
    .unwrap();
    let after = built(vec![get_item(), delete_item()]);
    assert_eq!(names(&after), ["get-depot-item"]);
    let pending = after.pending();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].owner, "roles.reader");
    assert!(pending[0].tools.contains("delete-depot-item"));
    fs::write(
        folder.path().join("toolwright.policy.lock"),
        after.matched().to_toml(),
    )
    .unwrap();
    let accepted = built(vec![get_item(), delete_item()]);
    assert_eq!(names(&accepted), ["delete-depot-item", "get-depot-item"]);
    assert_eq!(accepted.pending(), []);
}

#[tokio::test]
async fn each_call_has_one_decision_and_a_denied_one_opens_no_socket() {
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    let service = Service::json(200, json!({})).await;
    let mut random = StdRng::seed_from_u64(20_261_124);
    let scopes = [
        "arguments.id = { values = [\"1\", \"2\"] }",
        "arguments.id = { pattern = \"[12]\" }",
        "allowed_methods = [\"GET\"]",
        "allowed_urls = [\"{url}/items/\"]",
        "allowed_urls = [\"{url}/none/\"]",
        "rate = \"3/day\"",
    ];
    let (mut allowed, mut denied) = (0, 0);
    for _ in 0..40 {
        let audit = Arc::new(MemoryAudit::new());
        let mut policy = "[roles.a]\nprofiles = [\"p\", \"q\"]\n".to_owned();
        for profile in ["p", "q"] {
            policy += &format!("[profiles.{profile}]\ntools = [\"get-*\"]\n");
            for scope in scopes.iter().filter(|_| random.random_ratio(1, 3)) {
                policy += &format!("[[profiles.{profile}.scopes]]\n{scope}\n");
            }
        }
        let registry = depot(&audit, &service, &policy).build().unwrap();
        let view = registry.for_agent(&role("a"));
        for _ in 0..8 {
            let tools = ["get-depot-item", "create-depot-item", "none"];
            let tool = tools[usize::from(random.random::<u8>()) % tools.len()];
            let id = random.random_range(0..4_u8).to_string();
            let (requests, events) = (service.seen().len(), audit.events().len());
            let called = view.call_json(tool, json!({"id": id})).await;
            let new: Vec<AuditEvent> = audit.events().split_off(events);
            let decided = decisions(&new);
            assert_eq!(decided.len(), 1, "{new:?}");
            let sent = service.seen().len() - requests;
            assert_eq!(sent, usize::from(called.is_ok()), "{called:?}");
            assert_eq!(decided[0].decision == Permission::Allow, called.is_ok());
            *(if called.is_ok() {
                &mut allowed
            } else {
                &mut denied
            }) += 1;
        }
    }
    assert!(
        allowed > 20 && denied > 100,
        "{allowed} allowed, {denied} denied"
    );
}
