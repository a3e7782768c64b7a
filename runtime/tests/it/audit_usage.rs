//! The usage report over the audit of real calls.

use std::{fs, path::Path};

use serde_json::{Value, json};
use toolwright::{
    Kind, Registry, Tool,
    audit::{AuditFile, SKILLS},
    config::Config,
    eab::RunContext,
};
use toolwright_audit::{
    Entry,
    search::{Filter, search},
    usage::Usage,
};

use crate::{
    policy::file_tool,
    support::{no_credentials, role, spec},
};

/// A tool that does nothing.
fn tool(name: &str, kind: Kind) -> Tool {
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let mut spec = spec(name, kind, json!({"method": "GET", "path": "/"}), schema);
    spec.enabled_by_default = true;
    spec.approval_required = false;
    let service = name.split('-').nth(1).unwrap();
    spec.service = service.parse().unwrap();
    if name.ends_with("-skill") {
        spec.section = SKILLS.to_owned();
    }
    Tool::native(spec, |_, _| async { Ok(Value::Null) })
}

fn usage(audit: &Path, run: &str) -> Usage {
    let filter = Filter {
        run: Some(run.to_owned()),
        ..Filter::default()
    };
    let mut usage = Usage::default();
    search(audit, &filter, &mut |_, entry: &Entry<'_>| {
        usage.add(entry);
        Ok(())
    })
    .unwrap();
    usage.finish()
}

#[tokio::test]
async fn p8_the_usage_report_counts_a_run_by_tool_and_kind() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit.jsonl");
    fs::create_dir(folder.path().join("src")).unwrap();
    let policy = "[roles.coder]\nprofiles = [\"writer\"]\n[profiles.writer]\ntools = [\"*\"]\n\
                  [[profiles.writer.scopes]]\ntools = \"write-repo-file\"\n\
                  allowed_write_paths = [\"src/**\"]";
    let registry = Registry::builder()
        .tool(file_tool("write-repo-file", folder.path()))
        .tool(tool("validate-board-artifact", Kind::Derive))
        .tool(tool("run-toolwright-skill", Kind::Action))
        .tool(tool("search-toolwright-tools", Kind::Read))
        .config(Config::parse(&folder.path().join("toolwright.toml"), policy).unwrap())
        .credentials(no_credentials())
        .audit(AuditFile::new(&audit))
        .build()
        .unwrap();
    let in_run = |run: &str| {
        registry.for_agent(&role("coder")).in_run(RunContext {
            run: Some(run.to_owned()),
            ..RunContext::default()
        })
    };
    let (view, other) = (in_run("r-8"), in_run("r-9"));
    let write = |path: String| json!({"path": path});
    for number in 0..12 {
        let path = write(format!("src/{number}.rs"));
        view.call_json("write-repo-file", path).await.unwrap();
    }
    let refused = view
        .call_json("write-repo-file", write("other.rs".to_owned()))
        .await;
    assert_eq!(refused.unwrap_err().code(), "scope_violation");
    for (name, times) in [
        ("validate-board-artifact", 3),
        ("run-toolwright-skill", 2),
        ("search-toolwright-tools", 1),
    ] {
        for _ in 0..times {
            view.call_json(name, json!({})).await.unwrap();
        }
    }
    other
        .call_json("run-toolwright-skill", json!({}))
        .await
        .unwrap();
    let usage = usage(&audit, "r-8");
    let allowed = |name: &str| usage.tools[name].allowed;
    assert_eq!(allowed("write-repo-file"), 12);
    assert_eq!(usage.tools["write-repo-file"].denied, 1);
    assert_eq!(allowed("validate-board-artifact"), 3);
    assert_eq!(allowed("run-toolwright-skill"), 2);
    let kinds = ["raw", "skill", "discovery"].map(|kind| usage.kinds[kind].allowed);
    assert_eq!(kinds, [15, 2, 1]);
    assert_eq!(
        (usage.total.allowed, usage.total.ok, usage.total.open),
        (18, 18, 0)
    );
    assert_eq!(usage.scope_violations, 1);
    assert_eq!(usage.denials["scope_violation"], 1);
    assert_eq!(usage.roles["coder"].allowed, 18);
}
