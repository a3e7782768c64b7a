//! Checks the layers: which crate may depend on which, and which module of a crate on which.
#![cfg(test)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The crates of the workspace that each crate may depend on, and no others.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("schema", &[]),
    ("model", &["toolwright-schema"]),
    ("macros", &["toolwright-model"]),
    ("adapter", &["toolwright-model"]),
    ("audit", &["toolwright-model"]),
    ("policy", &["toolwright-model"]),
    (
        "runtime",
        &[
            "toolwright-adapter",
            "toolwright-audit",
            "toolwright-macros",
            "toolwright-model",
            "toolwright-policy",
            "toolwright-schema",
        ],
    ),
    ("generator", &["toolwright-model", "toolwright-schema"]),
    (
        "drift",
        &[
            "toolwright-generator",
            "toolwright-model",
            "toolwright-schema",
        ],
    ),
    ("generated", &["toolwright-adapter"]),
    ("tests/depot", &[]),
    (
        "eab",
        &["toolwright", "toolwright-model", "toolwright-schema"],
    ),
    ("jwt", &["toolwright"]),
    (
        "mcp",
        &[
            "toolwright",
            "toolwright-jwt",
            "toolwright-model",
            "toolwright-schema",
        ],
    ),
    ("sandbox", &["toolwright-model"]),
    ("scripts", &["toolwright", "toolwright-sandbox"]),
    ("discovery", &["toolwright", "toolwright-model"]),
    ("state", &["toolwright", "toolwright-model"]),
    (
        "sinks",
        &["toolwright", "toolwright-audit", "toolwright-state"],
    ),
    (
        "skills",
        &[
            "toolwright",
            "toolwright-audit",
            "toolwright-model",
            "toolwright-sandbox",
            "toolwright-schema",
            "toolwright-scripts",
            "toolwright-state",
        ],
    ),
    (
        "commands",
        &["toolwright", "toolwright-model", "toolwright-sandbox"],
    ),
    (
        "custom",
        &[
            "toolwright",
            "toolwright-commands",
            "toolwright-model",
            "toolwright-sandbox",
            "toolwright-skills",
        ],
    ),
    (
        "mounts",
        &["toolwright", "toolwright-model", "toolwright-sandbox"],
    ),
    (
        "statements",
        &["toolwright", "toolwright-model", "toolwright-state"],
    ),
    (
        "workbench",
        &[
            "toolwright",
            "toolwright-commands",
            "toolwright-sandbox",
            "toolwright-scripts",
        ],
    ),
    (
        "console",
        &[
            "toolwright",
            "toolwright-audit",
            "toolwright-jwt",
            "toolwright-model",
            "toolwright-skills",
            "toolwright-state",
        ],
    ),
];

/// The modules at the root of each crate, in layers: a module may use only modules of the layers
/// above it in this list.
const MODULES: &[(&str, &[&[&str]])] = &[
    (
        "schema",
        &[
            &["canonical", "json_pointer", "keywords", "length"],
            &["root", "walk"],
            &["definitions"],
            &["cut", "example", "patterns", "words"],
        ],
    ),
    (
        "policy",
        &[
            &["rate", "refusal", "selector", "variable"],
            &["memo", "pattern"],
            &["condition"],
            &["declaration"],
            &["protected", "written"],
            &["own"],
            &["scope"],
            &["builtin", "lock", "problem", "reader", "snapshot"],
            &["decide", "compare", "compile", "schema"],
        ],
    ),
    (
        "audit",
        &[
            &["entry", "gzip", "hash", "no_gzip"],
            &["key"],
            &["head", "line", "segment", "statement", "usage"],
            &["cursor", "index", "tail"],
            &["pack"],
            &["search", "verify"],
        ],
    ),
    (
        "generator",
        &[
            &["components", "document", "language", "parallel"],
            &["governance", "parse"],
            &["naming"],
            &["ir"],
            &["lower", "passes"],
            &["check"],
            &["emit"],
            &["reconcile"],
            &["generate"],
        ],
    ),
    (
        "drift",
        &[
            &["inventory", "predicate", "subject"],
            &["change", "pairs"],
            &["outline", "report"],
            &["descriptions", "governance", "paging", "reach", "schema"],
        ],
    ),
    (
        "runtime",
        &[
            &["secret", "statement", "workspace"],
            &[
                "availability",
                "binding",
                "canonical",
                "cut",
                "discovery",
                "done",
                "private",
                "progress",
                "schema",
                "system",
                "target",
                "verdict",
            ],
            &["files"],
            &["audit", "render"],
            &["approval"],
            &["config"],
            &["credentials"],
            &["error"],
            &["output", "socket"],
            &["exchange"],
            &["notify", "sources"],
            &["boundary"],
            &["linked", "pages"],
            &["registry"],
            &["testing"],
        ],
    ),
    (
        "sandbox",
        &[
            &["confinement"],
            &["support"],
            &["message"],
            &["connections", "error", "job", "own_program"],
            &["child"],
            &["serve"],
            &["running"],
            &["kept", "starter"],
            &["run"],
            &["dialogue", "session"],
        ],
    ),
    (
        "state",
        &[
            &["error"],
            &["database"],
            &["location"],
            &["state"],
            &["secret"],
            &[
                "console",
                "overrides",
                "skills",
                "standing",
                "testing",
                "tokens",
            ],
            &["export"],
            &["approvals", "follow"],
            &["folder", "waiting"],
        ],
    ),
    (
        "skills",
        &[
            &["digest", "template"],
            &["sequence"],
            &["format"],
            &["check", "library", "run", "schema"],
            &["caller", "governance", "propose", "standing", "trial"],
            &["set"],
        ],
    ),
    (
        "statements",
        &[
            &["error", "sql", "value"],
            &["file"],
            &["no_postgres", "postgres", "record"],
            &["database"],
        ],
    ),
    (
        "discovery",
        &[
            &["embeddings", "words"],
            &["synonyms", "tool_text"],
            &["index", "typos"],
            &["query"],
            &["meaning"],
            &["finder"],
        ],
    ),
    (
        "sinks",
        &[
            &["cursor_file", "metrics", "sink"],
            &["forwarder", "nats", "no_otlp", "otlp", "postgres"],
        ],
    ),
    (
        "commands",
        &[
            &["failure", "hole"],
            &["argument", "confined", "folder"],
            &["run"],
        ],
    ),
    (
        "custom",
        &[
            &["arguments", "kind"],
            &["record", "scope"],
            &["command", "request", "steps"],
            &["schema", "tool"],
        ],
    ),
    (
        "mounts",
        &[
            &[
                "answering",
                "arguments",
                "definition",
                "limited",
                "question",
                "result",
                "standing",
            ],
            &["client"],
            &["connect", "document"],
            &["listing", "lock"],
            &["mount"],
            &["call"],
        ],
    ),
    (
        "workbench",
        &[
            &["beneath", "blocking", "diff", "entries", "text"],
            &["workspace"],
            &["permitted", "scope"],
            &["change", "walk"],
            &["commands", "files", "programs"],
            &["documentation", "files", "git", "web"],
            &["internals"],
        ],
    ),
    ("jwt", &[&["crypto", "keys"]]),
    (
        "mcp",
        &[
            &[
                "aside",
                "caller",
                "error",
                "limits",
                "list",
                "metrics",
                "outline",
                "parameters",
                "progress",
                "questions",
                "skills",
                "status",
            ],
            &["lines", "notices", "oauth", "views"],
            &["access"],
            &["admission"],
            &["shares"],
            &["changes", "client", "files", "tasks"],
            &["calls"],
            &["answer", "shutdown", "span"],
            &["call"],
            &["handler"],
            &["http", "socket", "stdio"],
            &["server"],
        ],
    ),
    (
        "console",
        &[
            &[
                "address", "assets", "event", "form", "provider", "pulse", "shown", "time",
                "visitor",
            ],
            &["charts", "console", "governance"],
            &["guard", "page"],
            &["refusal"],
            &["session"],
            &["live", "record", "sign_in"],
            &["openid"],
            &["access", "skills", "tools", "waiting"],
            &["server"],
        ],
    ),
    (
        "cli",
        &[
            &["identity", "output", "picture", "target"],
            &["failure", "matrix", "names"],
            &[
                "asynchronous",
                "budget",
                "linked",
                "new_crate",
                "overlay_file",
                "search",
                "state",
                "trust",
                "workspace",
            ],
            &["project", "specification"],
            &["context", "generation", "source"],
            &["databases", "drift", "interrupt", "mounts", "skills"],
            &["tools"],
            &["operator"],
            &["serve"],
            &["commands"],
            &["demo"],
            &["command"],
            &["program"],
        ],
    ),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// Returns the crates of the workspace under `[dependencies]` of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut in_dependencies = false;
    let mut dependencies = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line == "[dependencies]";
        }
        let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
        if in_dependencies && name.starts_with("toolwright") {
            dependencies.push(name.to_owned());
        }
    }
    dependencies
}

#[test]
fn crates_depend_only_on_lower_crates() {
    for (name, allowed) in MAY_DEPEND_ON {
        let manifest = fs::read_to_string(folder(name).join("Cargo.toml")).unwrap();
        for dependency in dependencies(&manifest) {
            assert!(
                allowed.contains(&dependency.as_str()),
                "`{name}` must not depend on `{dependency}`"
            );
        }
    }
}

/// Returns the Rust files below a folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Returns the modules at the root of a crate.
fn root_modules(source: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(source).unwrap();
    let names = entries.map(|entry| entry.unwrap().path());
    names
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "lib" && name != "main")
        .collect()
}

/// Returns the code of a file without comments and without its module of tests.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect();
    let code = lines.join("\n");
    let tests = code.split_once("#[cfg(test)]\nmod tests {");
    tests.map_or(code.clone(), |(code, _)| code.to_owned())
}

/// Returns the first segment of each path after `prefix`: one of `prefix::a`, and all of
/// `prefix::{a::b, c}`.
fn first_segments(code: &str, prefix: &str) -> BTreeSet<String> {
    let mut segments = BTreeSet::new();
    for (start, _) in code.match_indices(prefix) {
        let (before, rest) = code.split_at(start);
        let rest = rest.strip_prefix(prefix).unwrap_or_default();
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '$');
        if before.ends_with(inside) {
            continue;
        }
        match rest.strip_prefix('{') {
            Some(group) => segments.extend(members(group)),
            None => drop(segments.insert(identifier(rest))),
        }
    }
    segments
}

/// Returns the first segment of each member of a group of imports, which begins after its `{`.
fn members(group: &str) -> BTreeSet<String> {
    let mut members = BTreeSet::new();
    let mut depth = 0;
    let mut member = String::new();
    for c in group.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => drop(members.insert(identifier(&std::mem::take(&mut member)))),
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if depth == 0 => member.push(c),
            _ => {}
        }
    }
    members.insert(identifier(&member));
    members.remove("");
    members
}

fn identifier(text: &str) -> String {
    text.trim_start()
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// Returns the modules at the root of the crate that a file uses.
fn used_modules(source: &Path, file: &Path) -> (String, BTreeSet<String>) {
    let inner = file.strip_prefix(source).unwrap().with_extension("");
    let path: Vec<String> = inner
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let code = code(file);
    let mut used = first_segments(&code, "crate::");
    used.extend(first_segments(&code, &"super::".repeat(path.len())));
    (path[0].clone(), used)
}

#[test]
fn modules_use_only_modules_of_lower_layers() {
    for (name, layers) in MODULES {
        let source = folder(name).join("src");
        let declared: BTreeSet<String> = layers
            .iter()
            .copied()
            .flatten()
            .map(|module| (*module).to_owned())
            .collect();
        let modules = root_modules(&source);
        assert_eq!(
            modules, declared,
            "the modules of `{name}` and their layers"
        );
        let layer_of = |module: &str| layers.iter().position(|layer| layer.contains(&module));
        for file in rust_files(&source) {
            let inner = file.strip_prefix(&source).unwrap();
            if inner.ends_with("tests.rs") || inner.iter().any(|part| part == "tests") {
                continue;
            }
            let (module, used) = used_modules(&source, &file);
            let Some(own) = layer_of(&module) else {
                continue;
            };
            for other in used.iter().filter(|other| **other != module) {
                let below = layer_of(other).is_none_or(|layer| layer < own);
                assert!(
                    below,
                    "{}: `{module}` must not use `{other}`, which is not in a lower layer",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn paths_are_read_from_code() {
    let code = "use crate::{a::{b, c}, d};\nfn f() { crate::e::g(); $crate::h::i(); }";
    let expected = ["a", "d", "e"].map(str::to_owned);
    assert_eq!(first_segments(code, "crate::"), expected.into());
    assert_eq!(
        first_segments("super::super::x", "super::"),
        ["super".to_owned()].into()
    );
    assert_eq!(
        first_segments("super::super::x", "super::super::"),
        ["x".to_owned()].into()
    );
}

#[test]
fn schemas_the_model_and_policies_do_no_io() {
    let files = ["schema/src", "model/src", "policy/src"].map(|name| rust_files(&folder(name)));
    for path in files.into_iter().flatten() {
        let text = fs::read_to_string(&path).unwrap();
        for io in [
            "std::fs",
            "std::net",
            "std::env",
            "std::time::Instant",
            "std::time::SystemTime",
            "std::process",
        ] {
            assert!(!text.contains(io), "{} uses `{io}`", path.display());
        }
    }
}
