//! The built-in profiles: one for each node of a pipeline.
//!
//! They select the tools that Toolwright itself offers, by name, and methods of domain services. A
//! registry without these tools grants nothing by them.

use std::collections::BTreeMap;

use toolwright_model::ProfileName;

use crate::{
    selector::Selector,
    variable::Template,
    written::{Profile, Scope, ScopeRule, Stated},
};

/// The place of the built-in profiles in messages.
const PLACE: &str = "the built-in profiles";

/// The names of the seven built-in profiles, one for each node of a pipeline.
pub const BUILT_IN: [&str; 7] = [
    "intake",
    "architecture",
    "interface-design",
    "planning",
    "code-generation",
    "review",
    "integration",
];

const READER: [&str; 5] = [
    "read-repo-file",
    "list-repo-files",
    "find-repo-files",
    "search-repo-text",
    "search-repo-code",
];

const READS_GIT: [&str; 3] = ["get-git-status", "get-git-diff", "list-git-commits"];

const WRITER: [&str; 4] = [
    "write-repo-file",
    "edit-repo-file",
    "create-repo-file",
    "delete-repo-file",
];

/// Returns the tools and the limits of a built-in profile. Each limit is a tool, a parameter and its
/// value.
fn tools_of(name: &str) -> Option<Vec<&'static str>> {
    let more: &[&str] = match name {
        "intake" | "interface-design" | "planning" => &[],
        "architecture" => &["search-docs-pages"],
        "code-generation" => &[
            "create-git-commit",
            "create-git-branch",
            "run-shell-command",
            "method:*",
        ],
        "review" => &["method:validate", "method:review_rules", "method:simulate"],
        "integration" => {
            let own = ["read-repo-file", "create-git-branch"];
            return Some([READS_GIT.as_slice(), &own].concat());
        }
        _ => return None,
    };
    let writer = if name == "code-generation" {
        WRITER.as_slice()
    } else {
        &[]
    };
    Some([READER.as_slice(), writer, more].concat())
}

/// The limits of the tools that Toolwright itself offers, wherever a built-in profile grants them.
const LIMITS: [(&str, &str, &str); 13] = [
    ("read-repo-file", "allowed_read_paths", "**"),
    ("list-repo-files", "allowed_read_paths", "**"),
    ("find-repo-files", "allowed_read_paths", "**"),
    ("search-repo-text", "allowed_read_paths", "**"),
    ("search-repo-code", "allowed_read_paths", "**"),
    ("search-docs-pages", "allowed_read_paths", "**"),
    (
        "write-repo-file",
        "allowed_write_paths",
        "src/{{affected_modules}}/**",
    ),
    (
        "edit-repo-file",
        "allowed_write_paths",
        "src/{{affected_modules}}/**",
    ),
    (
        "create-repo-file",
        "allowed_write_paths",
        "src/{{affected_modules}}/**",
    ),
    (
        "delete-repo-file",
        "allowed_write_paths",
        "src/{{affected_modules}}/**",
    ),
    ("create-git-commit", "branch_pattern", "cogworks/swi-.*"),
    ("create-git-commit", "allowed_commit_paths", "**"),
    ("create-git-branch", "branch_pattern", "cogworks/swi-.*"),
];

/// Returns a built-in profile.
#[must_use]
pub fn built_in(name: &ProfileName) -> Option<Profile> {
    let selectors = tools_of(name.as_str())?;
    let limits = LIMITS.iter().filter(|(tool, ..)| selectors.contains(tool));
    let scopes = limits.filter_map(|(tool, parameter, value)| {
        let own = Stated::new(vec![Template::new(*value)], PLACE);
        Some(ScopeRule {
            tools: selector(tool)?,
            scope: Scope {
                own: BTreeMap::from([((*parameter).to_owned(), own)]),
                ..Scope::default()
            },
        })
    });
    Some(Profile {
        scopes: scopes.collect(),
        tools: selectors.into_iter().filter_map(selector).collect(),
    })
}

fn selector(text: &str) -> Option<Stated<Selector>> {
    let selector = text.parse().ok()?;
    Some(Stated::new(selector, PLACE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_profile_is_whole() {
        for name in BUILT_IN {
            let profile = built_in(&ProfileName::new(name).unwrap()).unwrap();
            assert_eq!(profile.tools.len(), tools_of(name).unwrap().len(), "{name}");
        }
    }

    #[test]
    fn only_code_generation_can_write() {
        let writes = |name: &&str| {
            let profile = built_in(&ProfileName::new(*name).unwrap()).unwrap();
            let mut tools = profile.tools.iter();
            tools.any(|tool| WRITER.contains(&tool.value.as_str()))
        };
        let writers: Vec<_> = BUILT_IN.iter().filter(|name| writes(name)).collect();
        assert_eq!(writers, [&"code-generation"]);
    }
}
