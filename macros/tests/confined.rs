//! `sandbox`: a call that needs layers which the machine lacks is refused before the tool starts, and before a
//! person is asked.
#![cfg(test)]

use std::{
    collections::BTreeSet,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use toolwright::{
    Registry, RoleEnum, ToolContext, ToolError,
    audit::{Reason, RefusalReason, What},
    config::Config,
    policy::{SandboxLayer, ScopeValues},
    testing::TestView,
    tool,
};

#[derive(RoleEnum)]
enum AgentRole {
    Strict,
    Lenient,
}

const POLICY: &str = "
[roles.strict]
profiles = [\"runner\"]
[roles.lenient]
profiles = [\"runner\"]
sandbox = [\"files\", \"network\"]
[profiles.runner]
tools = [\"service:library\"]
[[profiles.runner.scopes]]
network_access = \"{network}\"
";

/// The calls that reached the function.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// A machine without a namespace of processes, and without a kernel that permits single ports.
fn lacking_layers(scope: &ScopeValues) -> BTreeSet<SandboxLayer> {
    let mut lacking = BTreeSet::from([SandboxLayer::Processes]);
    if scope
        .texts("network_access")
        .flatten()
        .any(|value| value != "none")
    {
        lacking.insert(SandboxLayer::Network);
    }
    lacking
}

/// Runs the program of the library.
#[tool(
    name = "run-library-program",
    category = execute,
    effect = action,
    roles(none, reason = "a profile grants it"),
    sandbox = lacking_layers,
    scope(network_access = value)
)]
async fn run_program(ctx: &ToolContext) -> Result<usize, ToolError> {
    CALLS.fetch_add(1, Ordering::SeqCst);
    Ok(ctx.sandbox().len())
}

fn view(role: AgentRole, network: &str) -> TestView {
    let policy = POLICY.replace("{network}", network);
    let config = Config::parse(Path::new("toolwright.toml"), &policy).unwrap();
    TestView::new(Registry::builder().linked_tools().config(config), role)
}

async fn refusal(view: &TestView) -> (String, String) {
    let refused = view.call("run-library-program", json!({})).await;
    let refused = refused.unwrap_err();
    (refused.code().to_owned(), refused.to_string())
}

#[tokio::test]
async fn a_missing_layer_refuses_the_call_with_its_own_reason() {
    // A role requires all layers unless the policy states them.
    let strict = view(AgentRole::Strict, "none");
    let (code, message) = refusal(&strict).await;
    assert_eq!(code, "sandbox_unavailable");
    assert!(message.contains("(processes)"), "{message}");
    let reason = Reason::Policy(RefusalReason::SandboxUnavailable);
    assert_eq!(strict.reason(), Some(reason));
    assert_eq!(strict.approve().await, Ok(0), "nobody is asked");
    let events = strict.events();
    let is_violation = |what: &What| matches!(what, What::ScopeViolation(_));
    assert!(!events.iter().any(|event| is_violation(&event.what)));
    // The values of the scope decide too.
    let (code, message) = refusal(&view(AgentRole::Lenient, "443")).await;
    assert_eq!(code, "sandbox_unavailable");
    assert!(message.contains("(network)"), "{message}");
    assert_eq!(CALLS.load(Ordering::SeqCst), 0);
    // With the layers that it requires, the call waits for a person, and passes.
    let lenient = view(AgentRole::Lenient, "none");
    assert_eq!(refusal(&lenient).await.0, "approval_required");
    assert_eq!(lenient.approve().await, Ok(1));
    let passed = lenient.call("run-library-program", json!({})).await;
    assert_eq!(passed.unwrap(), 2);
    assert_eq!(CALLS.load(Ordering::SeqCst), 1);
}
