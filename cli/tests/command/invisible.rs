//! Control, bidirectional, zero-width and other invisible characters of foreign documents reach
//! neither a terminal nor a report nor emitted Rust, with any command.

use std::thread;

use serde_json::{Value, json};
use toolwright_model::text::is_invisible;
use toolwright_tests::Answer;

use crate::support::{Project, Run, all_commands, service};

/// At least one character of each kind, and a style that the command itself never uses.
const HIDDEN: &str = "\u{1}\u{7}\u{8}\u{1b}[35;46m\u{1b}]0;t\u{7}\u{7f}\u{85}\u{9b}31m\u{ad}\u{61c}\
    \u{180e}\u{200b}\u{200d}\u{200e}\u{200f}\u{202a}\u{202e}\u{2028}\u{2029}\u{2060}\u{2066}\u{2069}\
    \u{206a}\u{2800}\u{3164}\u{fe0f}\u{feff}\u{fff9}\u{e000}\u{e0041}\u{e0100}\u{a0}\u{3000}\r";

/// The strings of a document that contain [`HIDDEN`] at a time. Strings that a document is refused
/// for are alone.
const PARTS: [&[&str]; 11] = [
    &[
        "title",
        "summary",
        "description",
        "tag",
        "enum value",
        "default",
        "example",
        "extension",
        "response",
        "version",
    ],
    &["operation id"],
    &["path"],
    &["parameter"],
    &["property"],
    &["server"],
    &["security"],
    &["schema name"],
    &["media type"],
    &["reference"],
    &["type"],
];

/// The commands that read no document of others.
const WITHOUT_DOCUMENTS: [&str; 4] = ["approver-key", "completions", "demo", "man"];

/// Inserts [`HIDDEN`] in the middle of a string if the part is in `parts`.
fn hide(parts: &[&str], part: &str, text: &str) -> String {
    let (start, end) = text.split_at(text.floor_char_boundary(text.len() / 2));
    let hidden = if parts.contains(&part) { HIDDEN } else { "" };
    format!("{start}{hidden}{end}")
}

/// The document of a domain service, with [`HIDDEN`] in some of its strings.
fn eab(parts: &[&str]) -> Value {
    let text = |part: &str, text: &str| hide(parts, part, text);
    json!({
        "eab": "1.0",
        "info": {
            "title": text("title", "Crates"),
            "version": text("version", "1.0"),
            "description": text("description", "Lints manifests."),
        },
        "service": {
            "name": "crates",
            "domain": text("tag", "packaging"),
            "api_version": "1.0",
            "transports": [{"kind": "http", "base_url": text("server", "http://127.0.0.1:9/v1")}],
            "artifact_types": [text("media type", "manifest")],
        },
        "methods": {
            "validate": {
                "summary": text("summary", "Check manifests"),
                "description": text("description", "Checks all manifests."),
                "params": {
                    "type": "object",
                    "properties": {
                        text("property", "path"): {
                            "type": text("type", "string"),
                            "description": text("description", "A folder."),
                            "enum": [text("enum value", "all"), "some"],
                        },
                    },
                },
                "result": {
                    "type": "object",
                    "properties": {
                        "rules": {"type": "array", "items": {
                            "$ref": text("reference", &format!("#/$defs/{}", text("schema name", "Rule"))),
                        }},
                    },
                },
            },
        },
        "$defs": {text("schema name", "Rule"): {"type": "object", "properties": {
            text("property", "name"): {"type": "string"},
        }}},
    })
}

/// The specification, with [`HIDDEN`] in some of its strings.
fn document(parts: &[&str]) -> Value {
    let text = |part: &str, text: &str| hide(parts, part, text);
    let note = text("schema name", "Note");
    let content = json!({
        text("media type", "application/json"): {
            "schema": {"$ref": format!("#/components/schemas/{}", text("reference", &note))},
            "example": {"text": text("example", "milk")},
        },
    });
    let operation = |id: &str, responses: Value| {
        json!({
            "operationId": text("operation id", id),
            "summary": text("summary", "Handle notes"),
            "description": text("description", "Handles the notes.\n\nSecond paragraph."),
            "tags": [text("tag", "notes")],
            text("extension", "x-vendor"): text("extension", "value"),
            "parameters": [{
                "name": text("parameter", "filter"),
                "in": "query",
                "description": text("description", "Which notes."),
                "schema": {
                    "type": text("type", "string"),
                    "enum": [text("enum value", "all"), "some"],
                    "default": text("default", "some"),
                },
            }],
            "responses": responses,
        })
    };
    let done = json!({"200": {"description": text("response", "The notes."), "content": content}});
    let mut create = operation("createNote", done.clone());
    create["requestBody"] = json!({"required": true, "content": content});
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": text("title", "Notes"),
            "version": text("version", "1.0"),
            "description": text("description", "Keeps notes."),
        },
        "servers": [{"url": text("server", "http://127.0.0.1:9/v1")}],
        "tags": [{"name": text("tag", "notes"), "description": text("description", "Of notes.")}],
        "security": [{text("security", "token"): []}],
        "paths": {
            text("path", "/notes"): {"get": operation("listNotes", done.clone()), "post": create},
            text("path", "/notes/{id}"): {
                "parameters": [{
                    "name": "id", "in": "path", "required": true, "schema": {"type": "string"},
                }],
                "delete": operation("deleteNote", json!({"204": {"description": "Gone."}})),
            },
        },
        "components": {
            "schemas": {
                note: {
                    "type": "object",
                    "title": text("title", "Note"),
                    "description": text("description", "A note."),
                    "properties": {
                        text("property", "text"): {
                            "type": "string",
                            "description": text("description", "The words."),
                            "enum": [text("enum value", "milk"), "bread"],
                        },
                        "memo": {"type": "string"},
                    },
                },
            },
            "securitySchemes": {
                text("security", "token"): {
                    "type": "apiKey", "in": "header", "name": text("security", "X-Token"),
                },
            },
        },
    })
}

/// Returns what follows each command on its command line.
///
/// A new command needs an arm here, or a place among [`WITHOUT_DOCUMENTS`].
fn lines_of(command: &str, file: &str, tool: &str) -> Vec<Vec<String>> {
    let one = ["--service", "memo", "--overlay", "overlay.toml"];
    let spec = [&["--spec", file][..], &one].concat();
    let caller = ["--role", "me", "--grant", "*", "--enable", "*"];
    let with = |parts: &[&[&str]]| {
        parts
            .concat()
            .iter()
            .map(|part| (*part).to_owned())
            .collect()
    };
    match command {
        "generate" => vec![
            with(&[&[file], &one, &["--out", "out"]]),
            with(&[&[file], &one, &["--out", "out-crate", "--crate", "--json"]]),
            with(&[]),
        ],
        "new" => vec![
            with(&[&["made"]]),
            with(&[&["made-too", file, "--service", "memo"]]),
            with(&[&[HIDDEN, "--json"]]),
        ],
        "add" => vec![
            with(&[&[file, "--service", "added"]]),
            with(&[&[file, "--service", "again", "--json"]]),
            with(&[&[file]]),
            with(&[&[HIDDEN]]),
            with(&[&[&format!("http://127.0.0.1:9/{HIDDEN}")]]),
        ],
        "refresh" => vec![with(&[]), with(&[&["--json"]]), with(&[&[HIDDEN]])],
        "check" => vec![with(&[]), with(&[&["--json"]])],
        "diff" => ["text", "json", "markdown", "html"]
            .iter()
            .flat_map(|format| {
                let options = ["--service", "memo", "--format", format];
                [
                    with(&[&["plain.json", file], &options]),
                    with(&[&[file, "plain.json"], &options]),
                ]
            })
            .collect(),
        "inspect" => vec![
            with(&[&[file], &one]),
            with(&[&[file], &one, &["--json"]]),
            with(&[&[file, "plain.json"]]),
        ],
        "review" => vec![
            with(&[&[file], &one, &["--questions"]]),
            with(&[&[file], &one]),
            with(&[&[file], &one, &["--json"]]),
            with(&[&[file], &one, &["--with", "cat plain.json"]]),
            with(&[&[file], &one, &["--with", HIDDEN]]),
            with(&[&[file], &one, &["--accept", "listNotes", "--json"]]),
        ],
        "list" => vec![with(&[&spec]), with(&[&spec, &["--json"]])],
        "show" | "explain" => vec![
            with(&[&[tool], &spec]),
            with(&[&[tool], &spec, &["--json"]]),
            with(&[&[HIDDEN], &spec]),
        ],
        "budget" => vec![
            with(&[&spec, &["--role", "me", "--grant", "*"]]),
            with(&[&spec, &["--role", "me", "--grant", "*", "--json"]]),
        ],
        "matrix" => ["text", "json", "html", "svg"]
            .iter()
            .map(|format| with(&[&spec, &["--grant", "me=*", "--format", format]]))
            .collect(),
        "call" => {
            let hidden = json!({"text": HIDDEN, "id": HIDDEN, HIDDEN: HIDDEN}).to_string();
            let body = json!({"text": "bread", "id": "1"}).to_string();
            let memo = json!({"text": "bread", "memo": HIDDEN}).to_string();
            [&hidden, &body, &memo, &"{}".to_owned(), &HIDDEN.to_owned()]
                .into_iter()
                .flat_map(|arguments| {
                    let call = [tool, "--args", arguments];
                    [
                        with(&[&call, &caller, &spec]),
                        with(&[&call, &caller, &spec, &["--json"]]),
                        with(&[&call, &caller, &spec, &["--dry-run"]]),
                        with(&[&call, &caller, &spec, &["--dry-run", "--json"]]),
                        with(&[&call, &caller, &spec, &["--dry-run", "--curl"]]),
                    ]
                })
                .chain([with(&[&[HIDDEN], &caller, &spec])])
                .collect()
        }
        "audit tail" | "audit search" | "audit report" | "audit verify" => {
            vec![with(&[]), with(&[&["--json"]])]
        }
        "audit export" | "audit schema" => vec![with(&[]), with(&[&["--json"]])],
        "audit sinks" | "audit forward" => vec![with(&[]), with(&[&["--json"]])],
        "audit show" => vec![with(&[&[HIDDEN]])],
        "files list" => vec![
            with(&[&caller, &spec]),
            with(&[&caller, &spec, &["--json"]]),
        ],
        "files add" => vec![
            with(&[&["plain.json", "--type", HIDDEN], &caller, &spec]),
            with(&[&[HIDDEN], &caller, &spec]),
        ],
        "files save" | "files remove" => vec![
            with(&[&[HIDDEN], &caller, &spec]),
            with(&[&["file-0123456789abcdef0123456789abcdef"], &caller, &spec]),
        ],
        "approvals list" => vec![with(&[]), with(&[&["--json"]])],
        "approvals watch" => vec![
            with(&[&["--seconds", "0"]]),
            with(&[&["--seconds", "0", "--json"]]),
        ],
        "console sessions" => vec![with(&[]), with(&[&["--json"]])],
        "console link" => vec![with(&[&["--by", HIDDEN], &spec])],
        "console end" => vec![
            with(&[&[HIDDEN, "--by", "me", "--why", "tests"]]),
            with(&[&["0123456789ab", "--by", HIDDEN, "--why", HIDDEN]]),
        ],
        "approvals grants" => vec![with(&[]), with(&[&["--json"]])],
        "approvals grant" => {
            let bounds = ["--uses", "1", "--minutes", "5"];
            let hidden = json!({"text": HIDDEN, HIDDEN: 1}).to_string();
            vec![
                with(&[
                    &[
                        "me", tool, "--by", "me", "--why", "tests", "--args", &hidden,
                    ],
                    &bounds,
                    &spec,
                ]),
                with(&[
                    &["me", tool, "--by", HIDDEN, "--why", HIDDEN],
                    &bounds,
                    &spec,
                ]),
                with(&[
                    &["me", HIDDEN, "--by", "me", "--why", "tests"],
                    &bounds,
                    &spec,
                ]),
            ]
        }
        "approvals revoke" => vec![
            with(&[&[HIDDEN, "--by", "me", "--why", "tests"]]),
            with(&[&["grant-0123456789ab", "--by", HIDDEN, "--why", HIDDEN]]),
        ],
        "approvals show" => vec![with(&[&[HIDDEN]])],
        "sandbox check" | "state" | "state migrate" | "state export" => {
            vec![with(&[]), with(&[&["--json"]])]
        }
        "mount list" => vec![with(&[]), with(&[&["--json"]]), with(&[&[HIDDEN]])],
        "mount diff" => vec![with(&[&[HIDDEN]]), with(&[&["nothing"]])],
        "mount accept" => vec![
            with(&[&[HIDDEN, "--by", "me", "--why", "tests"]]),
            with(&[&["nothing", HIDDEN, "--by", HIDDEN, "--why", HIDDEN]]),
        ],
        "tokens issue" => {
            let statement = ["--by", "me", "--why", "tests"];
            vec![
                with(&[
                    &["ci-report", "--role", "me", "--workspace", HIDDEN],
                    &statement,
                ]),
                with(&[&[HIDDEN, "--role", "me"], &statement]),
                with(&[&["ci-report", "--role", HIDDEN], &statement]),
                with(&[&["ci-report", "--role", "me", "--by", HIDDEN, "--why", HIDDEN]]),
            ]
        }
        "tokens list" => vec![with(&[]), with(&[&["--json"]])],
        "tokens revoke" => vec![
            with(&[&[HIDDEN, "--by", "me", "--why", "tests"]]),
            with(&[&["ci-report", "--by", HIDDEN, "--why", HIDDEN]]),
        ],
        "tools states" => vec![with(&[&spec]), with(&[&spec, &["--json"]])],
        "tools enable" | "tools disable" | "tools reset" => vec![
            with(&[&[tool, "--by", "me", "--why", "tests"], &spec]),
            with(&[&[HIDDEN, "--by", "me", "--why", "tests"], &spec]),
            with(&[&[tool, "--by", HIDDEN, "--why", HIDDEN], &spec]),
        ],
        "skill list" | "skill schema" => vec![with(&[]), with(&[&["--json"]])],
        "skill propose" => vec![with(&[]), with(&[&["--file", HIDDEN]])],
        "skill new" => vec![with(&[&[HIDDEN]]), with(&[&["hide-memo-notes"]])],
        "skill show" | "skill check" | "skill test" | "skill stats" => vec![
            with(&[&[HIDDEN]]),
            with(&[&["hide-memo-notes"]]),
            with(&[&["hide-memo-notes", "--json"]]),
        ],
        "skill review" | "skill activate" | "skill rework" | "skill deprecate" | "skill retire" => {
            vec![
                with(&[&[HIDDEN, "--by", "me", "--why", "tests"]]),
                with(&[&["hide-memo-notes", "--by", HIDDEN, "--why", HIDDEN]]),
            ]
        }
        "approve" | "reject" | "approvals approve" | "approvals reject" => vec![
            with(&[&[HIDDEN, "--by", "me"]]),
            with(&[&["0123456789ab", "--by", HIDDEN]]),
        ],
        "doctor" => vec![with(&[]), with(&[&["--online"]]), with(&[&["--json"]])],
        "trust" => vec![
            with(&[]),
            with(&[&["--json"]]),
            with(&[&["--list"]]),
            with(&[&["--list", "--json"]]),
            with(&[&[HIDDEN]]),
        ],
        // Standard output is the protocol here, which transmits values unchanged.
        "serve" => vec![with(&[&spec, &caller])],
        "mcp-config" => vec![
            with(&[&["--role", "me"]]),
            with(&[&["--role", "me", "--name", HIDDEN]]),
            with(&[&["--role", HIDDEN]]),
        ],
        "export" => [
            "mcp",
            "anthropic",
            "openai",
            "openai-strict",
            "gemini",
            "bedrock",
            "prompt",
        ]
        .iter()
        .flat_map(|target| {
            let target = ["--target", target];
            [
                with(&[&target, &spec]),
                with(&[&target, &spec, &["--json"]]),
            ]
        })
        .chain([with(&[&["--target", "prompt-cli"], &spec, &caller])])
        .collect(),
        "dump" => ["parse", "lower", "passes", "check"]
            .iter()
            .map(|stage| with(&[&["--stage", stage, file], &one]))
            .collect(),
        "policy check" => vec![
            with(&[&spec]),
            with(&[&spec, &["--json"]]),
            with(&[&spec, &["--against", "toolwright.toml"]]),
            with(&[&spec, &["--against", HIDDEN]]),
        ],
        "policy explain" => {
            let hidden = json!({"text": HIDDEN, HIDDEN: HIDDEN}).to_string();
            vec![
                with(&[&["me", tool, "{}"], &spec]),
                with(&[&["me", tool, &hidden], &spec]),
                with(&[&["me", tool, &hidden], &spec, &["--json"]]),
                with(&[&["me", HIDDEN, HIDDEN], &spec]),
                with(&[&["me", HIDDEN], &spec, &["--variable", HIDDEN]]),
            ]
        }
        "policy test" => vec![
            with(&[&[HIDDEN], &spec]),
            with(&[&["toolwright.toml"], &spec]),
        ],
        "eab verify" => vec![
            with(&[&["eab.json", "--endpoint", "/nowhere.sock"]]),
            with(&[&["eab.json", "--endpoint", "/nowhere.sock", "--json"]]),
            with(&[&[file, "--endpoint", HIDDEN]]),
        ],
        "eab scaffold" => vec![
            with(&[&["eab.json", "--out", "skeleton"]]),
            with(&[&[file, "--out", "skeleton", "--json"]]),
        ],
        other => panic!("`{other}` is not checked for invisible characters"),
    }
}

/// Returns the first invisible character, except in the styles that the command adds.
fn invisible(text: &str) -> Option<char> {
    let mut plain = text.to_owned();
    if !text.contains("\u{1b}[35;46m") {
        let mut codes = text.split("\u{1b}[");
        plain = codes.next().unwrap_or_default().to_owned();
        for code in codes {
            let end = code.find(|c: char| !c.is_ascii_digit() && c != ';');
            match end.and_then(|end| code.split_at(end).1.strip_prefix('m')) {
                Some(rest) => plain.push_str(rest),
                None => plain.push_str(&format!("\u{1b}[{code}")),
            }
        }
    }
    plain.chars().find(|c| is_invisible(*c))
}

#[track_caller]
fn assert_visible(name: &str, line: &[String], run: &Run) {
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    for (stream, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
        let found = invisible(text);
        let at = found.and_then(|found| text.lines().find(|line| line.contains(found)));
        assert!(
            found.is_none(),
            "`{name}` writes {found:?} to {stream}: {at:?}\n{line:?}"
        );
    }
}

#[track_caller]
fn assert_visible_rust(project: &Project, folder: &str) {
    if !project.path(folder).exists() {
        return;
    }
    for (path, text) in project.files(folder) {
        if path.extension().is_some_and(|extension| extension == "rs") {
            let found = text.chars().find(|c| is_invisible(*c));
            let at = found.and_then(|found| text.lines().find(|line| line.contains(found)));
            assert!(found.is_none(), "{found:?} in {}: {at:?}", path.display());
        }
    }
}

/// Runs every command on the document.
fn run_all(parts: &[&str], file: &str, overlay: &str) {
    let answer = json!({"error": HIDDEN, HIDDEN: 1}).to_string();
    let server = service(Answer::json(
        if parts.len() > 1 { 200 } else { 400 },
        answer,
    ));
    let project = Project::empty();
    let config = format!(
        "[roles.me]\ngrant = [\"*\"]\n[tools]\nenable = [\"*\"]\n[services.memo]\nbase_url = {:?}\n",
        server.url()
    );
    project.configure(config);
    let text = document(parts).to_string();
    project.write(file, &text);
    project.write("specs/memo/openapi.json", &text);
    project.write("specs/memo/overlay.toml", overlay);
    project.write("plain.json", document(&[]).to_string());
    project.write("overlay.toml", overlay);
    project.write("eab.json", eab(parts).to_string());

    let listed = ["list", "--spec", file, "--service", "memo", "--json"];
    let listed = project.run(&listed);
    let tools: Vec<Value> = listed.json();
    let tools = tools.iter().filter_map(|tool| tool["name"].as_str());
    let tools: Vec<&str> = tools.chain(["no-such-tool"]).collect();

    let commands = all_commands().iter();
    for command in commands.filter(|name| !WITHOUT_DOCUMENTS.contains(&name.as_str())) {
        for tool in &tools {
            let lines = lines_of(command, file, tool);
            let takes_tool = matches!(command.as_str(), "show" | "explain" | "call");
            for line in &lines {
                let mut arguments: Vec<&str> = command.split(' ').collect();
                arguments.extend(line.iter().map(String::as_str));
                arguments.extend(["--color", "always"]);
                let mut run = project.run(&arguments);
                if command == "serve" {
                    run.stdout.clear();
                }
                assert_visible(command, line, &run);
            }
            if !takes_tool {
                break;
            }
        }
    }
    for request in project.run(&["approvals", "--json"]).expect(0).json() {
        let handle = request["handle"].as_str().unwrap();
        let run = project.run(&["reject", handle, "--by", "me"]).expect(0);
        assert_visible("reject", &[], &run);
    }
    for folder in ["out", "out-crate", "generated", "skeleton"] {
        assert_visible_rust(&project, folder);
    }
}

/// HIDDEN as a TOML string can hold it.
fn hidden_in_toml() -> String {
    let escaped = HIDDEN.chars().map(|c| format!("\\U{:08x}", u32::from(c)));
    escaped.collect()
}

#[test]
fn the_examples_are_invisible() {
    let plain = ["[35;46m", "]0;t", "31m"];
    let mut hidden = HIDDEN.to_owned();
    for visible in plain {
        hidden = hidden.replace(visible, "");
    }
    assert!(hidden.chars().all(is_invisible), "{hidden:?}");
}

#[test]
fn no_command_writes_invisible_characters_of_a_document() {
    thread::scope(|scope| {
        for parts in PARTS {
            scope.spawn(move || run_all(parts, "memo.json", ""));
        }
    });
}

#[test]
fn no_command_writes_invisible_characters_of_a_path() {
    let file = format!("me{HIDDEN}mo.json").replace('/', "");
    run_all(&[], &file, "");
}

#[test]
fn no_command_writes_invisible_characters_of_an_overlay() {
    let hidden = hidden_in_toml();
    let texts = format!(
        "[operations.listNotes]\nwhen_to_use = \"a{hidden}b\"\nreason = \"c{hidden}d\"\n\
         approval_required = true\n"
    );
    thread::scope(|scope| {
        for overlay in [
            texts,
            format!("[operations.\"list{hidden}Notes\"]\nwhen_to_use = \"a\"\n"),
            format!("\"ser{hidden}vice\" = \"memo\"\n"),
            format!("[operations.listNotes]\nname = \"list-{hidden}-notes\"\n"),
            format!("service = \"{HIDDEN}\"\n"),
        ] {
            scope.spawn(move || run_all(&[], "memo.json", &overlay));
        }
    });
}
