//! The registry against a reference authoriser, on random roles, grants, overrides and allow-lists.

use std::sync::Arc;

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;
use toolwright::{Kind, Tool, ToolError, ToolSpec, audit::MemoryAudit};

use crate::support::{builder, role, some, spec};

const ROLES: [&str; 3] = ["a", "b", "c"];
const ROUNDS: u64 = 300;

/// An operator's policy, as sets of tool names.
struct Policy {
    grants: Vec<(&'static str, Vec<usize>)>,
    enable: Vec<usize>,
    disable: Vec<usize>,
    allow_list: Option<Vec<usize>>,
}

/// The reference: ten lines that are read at a glance.
fn may_call(policy: &Policy, tools: &[ToolSpec], role: &str, tool: usize) -> bool {
    let granted = policy
        .grants
        .iter()
        .any(|(to, what)| *to == role && what.contains(&tool));
    let overridden = policy.enable.contains(&tool) || tools[tool].enabled_by_default;
    let enabled = overridden && !policy.disable.contains(&tool);
    let listed = match &policy.allow_list {
        Some(list) => list.contains(&tool),
        None => true,
    };
    granted && enabled && listed
}

fn tools() -> Vec<ToolSpec> {
    let kinds = [
        Kind::Read,
        Kind::Derive,
        Kind::Annotate,
        Kind::Transition,
        Kind::Overwrite,
    ];
    let tools = (0..10).map(|index| {
        let http = json!({"method": "GET", "path": "/"});
        spec(
            &format!("tool-{index}"),
            kinds[index % kinds.len()],
            http,
            json!({"type": "object"}),
        )
    });
    tools.collect()
}

fn random_policy(random: &mut StdRng, indices: &[usize]) -> Policy {
    let mut grants: Vec<_> = ROLES
        .iter()
        .map(|role| (*role, some(random, indices)))
        .collect();
    grants.retain(|_| random.random_range(0..4) > 0);
    let few = some(random, indices);
    Policy {
        grants,
        enable: some(random, indices),
        disable: some(random, &few),
        allow_list: random.random::<bool>().then(|| some(random, indices)),
    }
}

#[tokio::test]
async fn the_registry_decides_as_the_reference_does() {
    let tools = tools();
    let indices: Vec<usize> = (0..tools.len()).collect();
    let mut random = StdRng::seed_from_u64(20_261_121);
    let (mut allowed, mut denied) = (0_u32, 0_u32);
    for round in 0..ROUNDS {
        let policy = random_policy(&mut random, &indices);
        let name = |tool: &usize| tools[*tool].name.to_string();
        let mut builder = builder(&Arc::new(MemoryAudit::new()));
        for tool in &tools {
            builder = builder.tool(Tool::native(tool.clone(), |_, _| async {
                Ok(json!("done"))
            }));
        }
        for (role, what) in &policy.grants {
            builder = what
                .iter()
                .fold(builder, |builder, tool| builder.grant(role, &name(tool)));
        }
        builder = policy
            .enable
            .iter()
            .fold(builder, |builder, tool| builder.enable(&name(tool)));
        builder = policy
            .disable
            .iter()
            .fold(builder, |builder, tool| builder.disable(&name(tool)));
        let registry = builder.build().unwrap();
        for role_name in ROLES {
            let mut view = registry.for_agent(&role(role_name));
            if let Some(list) = &policy.allow_list {
                view = view.narrowed_to(list.iter().map(name));
            }
            let listed: Vec<String> = view
                .specs()
                .iter()
                .map(|spec| spec.name.to_string())
                .collect();
            for &tool in &indices {
                let expected = may_call(&policy, &tools, role_name, tool);
                let result = view.call_json(&name(&tool), json!({})).await;
                let passed = match result {
                    Ok(_) => true,
                    Err(ToolError::ToolNotPermitted { .. }) => false,
                    Err(other) => panic!("{other}"),
                };
                let what = format!("round {round}, role {role_name}, {}", name(&tool));
                assert_eq!(passed, expected, "{what}");
                assert_eq!(listed.contains(&name(&tool)), expected, "{what}");
                *(if passed { &mut allowed } else { &mut denied }) += 1;
            }
        }
    }
    assert!(
        allowed > 500 && denied > 500,
        "{allowed} allowed, {denied} denied"
    );
}
