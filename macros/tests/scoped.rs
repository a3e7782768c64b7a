//! Scope parameters that the attribute declares: required ones that are absent refuse the call, the
//! others restrict their arguments, and the function reads them.
#![cfg(test)]

use std::path::Path;

use serde_json::json;
use toolwright::{
    Registry, RoleEnum, ToolContext, ToolError,
    audit::{Reason, RefusalReason, What},
    config::Config,
    registry::RegistryProblem,
    testing::TestView,
    tool,
};

#[derive(RoleEnum)]
enum AgentRole {
    Reader,
    Bare,
}

/// Finds files below a folder.
#[tool(
    name = "find-library-files",
    category = observe,
    roles(AgentRole::Bare),
    scope(
        allowed_read_paths = allowed_paths(folder),
        denied_read_paths = denied_paths(folder, optional),
        most_files = value,
    )
)]
async fn find_files(
    ctx: &ToolContext,
    /// The folder.
    folder: String,
    /// The names to look for.
    names: Vec<String>,
) -> Result<Vec<String>, ToolError> {
    let scope = ctx.scope();
    let limits = scope.texts("most_files").flatten();
    let limits = limits.map(|limit| limit.parse::<usize>().map_err(ToolError::failed));
    let limits: Vec<usize> = limits.collect::<Result<_, _>>()?;
    let most = limits.into_iter().min().unwrap_or_default();
    let found = names.iter().map(|name| format!("{folder}/{name}"));
    let may_read = |path: &String| {
        scope.allows("allowed_read_paths", path) && scope.allows("denied_read_paths", path)
    };
    Ok(found.filter(may_read).take(most).collect())
}

/// Counts the books of a folder that may be read.
#[tool(
    name = "count-library-books",
    category = observe,
    roles(none, reason = "profiles grant it"),
    scope(
        allowed_read_paths = allowed_paths(..),
        denied_read_paths = denied_paths(.., optional),
    )
)]
async fn count_books(ctx: &ToolContext, folder: String) -> Result<usize, ToolError> {
    if folder == "elsewhere" {
        ctx.check("allowed_read_paths", "../elsewhere")?;
    }
    let books = ["a", "secrets/b"].map(|book| format!("{folder}/{book}"));
    let may_read = |book: &&String| ctx.scope().allows("denied_read_paths", book);
    Ok(books.iter().filter(may_read).count())
}

/// A branch.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Branch {
    /// Its name.
    name: String,
}

/// Shows a branch.
#[tool(
    name = "show-library-branch",
    category = observe,
    roles(none, reason = "profiles grant it"),
    scope(branch_pattern = pattern("/branch/name"))
)]
async fn show_branch(
    _: &ToolContext,
    branch: Branch,
    whole: Option<bool>,
) -> Result<String, ToolError> {
    Ok(format!("{} {}", branch.name, whole.unwrap_or_default()))
}

const POLICY: &str = "
[roles.reader]
profiles = [\"library\"]
[profiles.library]
tools = [\"service:library\"]
[[profiles.library.scopes]]
tools = \"find-library-files\"
allowed_read_paths = [\"src\", \"src/**\"]
denied_read_paths = [\"src/secrets/**\"]
most_files = \"3\"
[[profiles.library.scopes]]
tools = \"find-library-files\"
most_files = \"2\"
[[profiles.library.scopes]]
tools = \"count-library-books\"
allowed_read_paths = [\"src/**\"]
denied_read_paths = [\"src/secrets/**\"]
[[profiles.library.scopes]]
tools = \"show-library-branch\"
branch_pattern = \"swi-.*\"
";

fn view(role: AgentRole, policy: &str) -> TestView {
    let config = Config::parse(Path::new("toolwright.toml"), policy).unwrap();
    TestView::new(Registry::builder().linked_tools().config(config), role)
}

#[tokio::test]
async fn a_required_parameter_that_is_absent_refuses_every_call() {
    let arguments = json!({"folder": "src", "names": []});
    let reader = view(AgentRole::Bare, POLICY);
    let refused = reader.call("find-library-files", arguments.clone()).await;
    refused.unwrap_err();
    let missing = Reason::Policy(RefusalReason::ScopeMissing);
    assert_eq!(reader.reason(), Some(missing));

    let without_value = POLICY.replace("most_files = \"3\"", "");
    let without_value = without_value.replace("most_files = \"2\"", "rate = \"9/second\"");
    let reader = view(AgentRole::Reader, &without_value);
    let refused = reader.call("find-library-files", arguments).await;
    refused.unwrap_err();
    assert_eq!(reader.reason(), Some(missing));
}

#[tokio::test]
async fn a_function_reads_the_values_of_every_rule() {
    let reader = view(AgentRole::Reader, POLICY);
    let names = json!(["a", "secrets/key", "../etc/passwd", "b", "c"]);
    let arguments = json!({"folder": "src", "names": names});
    let found = reader.call("find-library-files", arguments).await;
    assert_eq!(found.unwrap(), json!(["src/a", "src/b"]));
}

#[tokio::test]
async fn an_argument_outside_of_its_parameter_is_refused() {
    let reader = view(AgentRole::Reader, POLICY);
    for folder in [
        "lib",
        "src/../lib",
        "src/secrets/x",
        "SRC",
        "src%2fx",
        "src//x",
        "",
    ] {
        let arguments = json!({"folder": folder, "names": ["a"]});
        let refused = reader.call("find-library-files", arguments).await;
        refused.expect_err(folder);
        let violation = Reason::Policy(RefusalReason::ScopeViolation);
        assert_eq!(reader.reason(), Some(violation), "{folder}");
    }
}

#[tokio::test]
async fn a_tool_checks_what_it_finds_and_violations_are_recorded() {
    let reader = view(AgentRole::Reader, POLICY);
    let count = |folder: &str| reader.call("count-library-books", json!({"folder": folder}));
    assert_eq!(count("src").await.unwrap(), 1);
    let refused = count("elsewhere").await.unwrap_err();
    assert_eq!(refused.code(), "scope_violation");
    let events = reader.events();
    let violations = events.iter().filter_map(|event| match &event.what {
        What::ScopeViolation(violated) => violated.rule.clone(),
        _ => None,
    });
    let violations: Vec<_> = violations.collect();
    assert_eq!(violations, ["allowed_read_paths (toolwright.toml:15:9)"]);
}

#[tokio::test]
async fn a_parameter_restricts_a_part_of_an_argument() {
    let reader = view(AgentRole::Reader, POLICY);
    let named = |name: &str| json!({"branch": {"name": name}});
    let shown = reader.call("show-library-branch", named("swi-7")).await;
    assert_eq!(shown.unwrap(), "swi-7 false");
    for name in ["main", "swi-7\nmain", "x-swi-7"] {
        let refused = reader.call("show-library-branch", named(name)).await;
        refused.expect_err(name);
    }
}

mod broken {
    //! Tools that a registry refuses, because their parameters cannot be checked.

    use toolwright::{Tool, ToolSpec, policy::ScopeParameter};

    pub(super) fn tool(parameter: &str, declared: ScopeParameter) -> Tool {
        let spec: ToolSpec = serde_json::from_value(serde_json::json!({
            "name": "show-shelf-item", "service": "shelf", "title": "t", "short": "t",
            "description": "t", "section": "t", "category": "observe", "effect": "read",
            "approval_required": false, "enabled_by_default": true, "binding": "native",
            "hints": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                      "openWorldHint": true},
            "input_schema": {"type": "object", "properties": {"id": {"type": "string"}}},
            "origin": {"document": "t", "pointer": "/"}, "evidence": [],
        }))
        .unwrap();
        let tool = Tool::native(spec, |_, arguments| async { Ok(arguments) });
        tool.with_scope_parameters([(parameter.to_owned(), declared)].into())
    }
}

#[test]
fn a_parameter_of_an_unknown_argument_is_a_problem_of_the_registry() {
    use toolwright::policy::{ParameterCheck, ScopeParameter};
    let pattern = |argument: &str| ScopeParameter::required(ParameterCheck::Pattern, argument);
    let wrong = [
        (
            "shelf",
            pattern("shelf"),
            "the tool has no argument `shelf`",
        ),
        (
            "shelf",
            pattern("/shelf/id"),
            "the tool has no argument `/shelf/id`",
        ),
        (
            "rate",
            pattern("id"),
            "every scope has a parameter `rate`; use another name",
        ),
        (
            "shelf",
            ScopeParameter {
                argument: None,
                ..pattern("id")
            },
            "it checks no argument; name one",
        ),
        (
            "shelf",
            ScopeParameter {
                check: ParameterCheck::Value,
                ..pattern("id")
            },
            "it is a value for the tool and cannot check the argument `id`",
        ),
        (
            "shelf",
            ScopeParameter {
                found: true,
                ..pattern("id")
            },
            "it checks what the tool finds and cannot check the argument `id`",
        ),
        (
            "shelf",
            ScopeParameter::found(ParameterCheck::Value, true),
            "it is a value for the tool and checks nothing",
        ),
        (
            "shelf",
            ScopeParameter::required(ParameterCheck::Url, "id"),
            "the parameter of a URL is `allowed_urls`",
        ),
        (
            "allowed_urls",
            pattern("id"),
            "every scope has a parameter `allowed_urls`; use another name",
        ),
    ];
    for (parameter, declared, expected) in wrong {
        let audit = toolwright::audit::MemoryAudit::new();
        let registry = Registry::builder()
            .tool(broken::tool(parameter, declared))
            .audit(audit);
        let problems = registry.build().unwrap_err().problems;
        let [RegistryProblem::ScopeParameter { message, .. }] = problems.as_slice() else {
            panic!("{problems:?}");
        };
        assert_eq!(message, expected);
    }
    let audit = toolwright::audit::MemoryAudit::new();
    let tool = broken::tool("shelf", pattern("id"));
    Registry::builder().tool(tool).audit(audit).build().unwrap();
}
