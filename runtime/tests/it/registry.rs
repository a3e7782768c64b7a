//! The inputs that a registry refuses, all at once.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use serde_json::json;
use toolwright::{
    EmbeddedTools, Kind, Registry, Selector, Tool, ToolSpec,
    audit::MemoryAudit,
    config::{Config, ServiceConfig},
    policy::PolicyProblem,
    registry::{RegistryError, RegistryProblem},
};

use crate::support::{at, builder, create_item, delete_item, get_item, role, spec};

fn error(builder: toolwright::RegistryBuilder) -> RegistryError {
    builder.build().unwrap_err()
}

#[test]
fn all_problems_are_reported_at_once() {
    let mut broken = spec(
        "get-depot-odd",
        Kind::Read,
        json!({"method": "GET", "path": "/"}),
        json!({"type": 7}),
    );
    broken.service = "depot".parse().unwrap();
    let mut native = get_item();
    native.name = "get-depot-native".parse().unwrap();
    native.binding = toolwright::binding::Binding::Native;
    let mut twin = get_item();
    twin.origin.document = "other.yaml".to_owned();
    let error = error(
        Registry::builder()
            .embedded(EmbeddedTools::new("plane", "{"))
            .specs([get_item(), twin, create_item(), broken, native])
            .grant("reader", "category:observ")
            .grant("reader", "get-depot-itm")
            .grant("reader", "get-*")
            .grant("Bad Role", "*")
            .enable("service:dpot")
            .disable("service:depot category:report")
            .service("dept".parse().unwrap(), ServiceConfig::default()),
    );
    assert_eq!(
        error.to_string(),
        "\
the compiled-in tools of `plane` cannot be read: EOF while parsing an object at line 1 column 1; generate them again
the grant of `reader`: `observ` is not a category; a similar one is `observe`
`Bad Role` is not a role: lower-case words of letters and digits, joined by single hyphens or underscores, beginning with a letter
two tools are named `get-depot-item`: `depot.yaml` at `/paths/get-depot-item`, and `other.yaml` at `/paths/get-depot-item`
`get-depot-native` is a native tool, but no function was given for it
the grant of `reader`: `get-depot-itm` selects no tool: nothing matches `get-depot-itm`; a similar name is `get-depot-item`
the tools to enable: `service:dpot` selects no tool: nothing matches `service:dpot`; a similar name is `depot`
the tools to disable: `service:depot category:report` selects no tool: nothing matches `category:report`
the service `dept`: there is no tool of the service `dept`; a similar name is `depot`
no audit was given; a registry requires one, because it records every decision"
    );
}

#[test]
fn the_configuration_may_mention_tools_that_a_partial_registry_lacks() {
    let audit = Arc::new(MemoryAudit::new());
    let configured = |text: &str| Config::parse(Path::new("toolwright.toml"), text).unwrap();
    let whole = || {
        builder(&audit)
            .specs([get_item()])
            .config(configured("[roles.reader]\ngrant = [\"service:plane\"]"))
    };
    let problem = error(whole()).problems;
    assert!(matches!(
        problem.as_slice(),
        [RegistryProblem::Policy(
            PolicyProblem::SelectsNothing { .. }
        )]
    ));
    let part = whole().partial().build().unwrap();
    assert_eq!(part.unmatched(), problem);
    assert!(part.for_agent(&role("reader")).specs().is_empty());
    for wrong in ["category:none", "get-depot-itm"] {
        let registry = whole().partial().grant("reader", wrong);
        assert!(
            registry.build().is_err(),
            "the program itself grants `{wrong}`"
        );
    }
}

#[test]
fn a_switch_off_that_selects_nothing_is_an_error_everywhere() {
    let audit = Arc::new(MemoryAudit::new());
    let switched_off = |selector: &str| {
        let text = format!("[tools]\ndisable = [\"{selector}\"]");
        let config = Config::parse(Path::new("toolwright.toml"), &text).unwrap();
        let part = builder(&audit).specs([get_item()]).config(config);
        part.partial().elsewhere([delete_item()])
    };
    for slip in ["remove-*", "service:depott", "get-depot-itm"] {
        let problems = error(switched_off(slip)).problems;
        assert!(
            matches!(problems.as_slice(), [RegistryProblem::Policy(PolicyProblem::SelectsNothing { selector, .. })] if selector == slip),
            "{problems:?}"
        );
    }
    let elsewhere = switched_off("delete-*").build().unwrap().unmatched();
    assert!(
        matches!(elsewhere.as_slice(), [RegistryProblem::Policy(PolicyProblem::DisablesElsewhere { selector, .. })] if selector == "delete-*"),
        "{elsewhere:?}"
    );
    let here = switched_off("get-*").build().unwrap().unmatched();
    assert_eq!(here, []);
}

#[test]
fn selectors_select_by_every_term() {
    let audit = Arc::new(MemoryAudit::new());
    let mut other = get_item();
    other.name = "get-plane-task".parse().unwrap();
    other.service = "plane".parse().unwrap();
    other.section = "Work items".to_owned();
    let specs = [get_item(), create_item(), delete_item(), other];
    let selected: BTreeMap<&str, Vec<&str>> = [
        (
            "*",
            vec![
                "create-depot-item",
                "delete-depot-item",
                "get-depot-item",
                "get-plane-task",
            ],
        ),
        ("get-*", vec!["get-depot-item", "get-plane-task"]),
        ("get-depot-item", vec!["get-depot-item"]),
        ("service:plane", vec!["get-plane-task"]),
        (
            "category:execute",
            vec!["create-depot-item", "delete-depot-item"],
        ),
        ("effect:delete", vec!["delete-depot-item"]),
        ("service:depot  category:observe", vec!["get-depot-item"]),
        ("section:work-items", vec!["get-plane-task"]),
        (
            "*-item section:stock-items effect:create",
            vec!["create-depot-item"],
        ),
    ]
    .into_iter()
    .collect();
    for (selector, expected) in selected {
        let registry = builder(&audit)
            .specs(specs.clone())
            .enable("*")
            .grant("r", selector);
        let view = registry.build().unwrap().for_agent(&role("r"));
        let names: Vec<String> = view
            .specs()
            .iter()
            .map(|spec| spec.name.to_string())
            .collect();
        assert_eq!(names, expected, "{selector}");
        let parsed: Selector = selector.parse().unwrap();
        let fit = |spec: &&ToolSpec| parsed.selects(spec);
        assert_eq!(
            specs.iter().filter(fit).count(),
            expected.len(),
            "{selector}"
        );
    }
}

#[test]
fn the_operator_sees_every_tool_and_its_state() {
    let registry = builder(&Arc::new(MemoryAudit::new()))
        .specs([get_item(), create_item(), delete_item()])
        .enable("effect:create")
        .enable("effect:delete")
        .disable("delete-*")
        .role("idle")
        .grant("reader", "get-*")
        .build()
        .unwrap();
    let states: Vec<_> = registry
        .tools()
        .map(|(spec, on)| (spec.name.to_string(), on))
        .collect();
    let expected = [
        ("create-depot-item", true),
        ("delete-depot-item", false),
        ("get-depot-item", true),
    ];
    assert_eq!(states, expected.map(|(name, on)| (name.to_owned(), on)));
    assert_eq!(
        registry
            .roles()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["idle", "reader"]
    );
}

#[tokio::test]
async fn a_configuration_makes_a_registry() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toolwright.toml");
    let text = "\
[roles.reader]
grant = ['category:observe']
[roles.keeper]
grant = ['service:depot effect:create', 'get-*']
[roles.idle]
[tools]
enable = ['*-depot-item']
disable = ['delete-*']
[audit]
file = 'audit.jsonl'
";
    let config = Config::parse(&path, text).unwrap();
    let tools = [get_item(), create_item(), delete_item()];
    let tools =
        tools.map(|spec| Tool::native(at(spec, "http://x"), |_, _| async { Ok(json!("done")) }));
    let registry = Registry::builder()
        .tools(tools)
        .config(config)
        .build()
        .unwrap();
    let roles: Vec<_> = registry.roles().iter().map(ToString::to_string).collect();
    assert_eq!(roles, ["idle", "keeper", "reader"]);
    let keeper = registry.for_agent(&role("keeper"));
    let names: Vec<String> = keeper
        .specs()
        .iter()
        .map(|spec| spec.name.to_string())
        .collect();
    assert_eq!(names, ["create-depot-item", "get-depot-item"]);
    let waiting = keeper
        .call_json("create-depot-item", json!({"name": "bolt"}))
        .await
        .unwrap_err();
    assert_eq!(waiting.code(), "approval_required");
    let audit = std::fs::read_to_string(folder.path().join("audit.jsonl")).unwrap();
    assert_eq!(audit.lines().count(), 1);
}

#[test]
fn a_selector_of_a_file_is_reported_with_its_place() {
    let text = "[roles.reader]\ngrant = [\n  'get-*',\n  'list-*',\n]\n[services.depo]\n";
    let config = Config::parse(Path::new("w/toolwright.toml"), text).unwrap();
    let problems = error(Registry::builder().specs([get_item()]).config(config)).to_string();
    assert_eq!(
        problems,
        "w/toolwright.toml:4:3: `list-*` selects no tool: nothing matches `list-*`\n\
         w/toolwright.toml:6:11: there is no tool of the service `depo`; a similar name is `depot`"
    );
}
