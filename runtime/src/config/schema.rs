//! The JSON Schema of `toolwright.toml`, for editors and for the reference of its keys.
//!
//! Each key has a description and an example, and a default if it has a fixed one.

mod audit;
mod console;
mod databases;
mod keys;
mod mcp;
mod oauth;

use keys::{Key, boolean, list_of_words, number, required, string, strings, table, words};
use serde_json::{Value, json};
use toolwright_model::TransportKind;

use super::{
    alerts::{ALERT_KEYS, LONGEST_WITHIN, MOST_COUNTED, WITHIN_SECONDS},
    approvals::APPROVALS_KEYS,
    budget::{BUDGET_KEYS, MOST_TOKENS},
    discovery::{DISCOVERY_KEYS, MOST_TOOLS},
    files::{FILES_KEYS, LEAST_CUT, LONGEST_MINUTES, LONGEST_TRANSFER, MOST_BYTES},
    limits::{POLICY_KEYS, ViolationLimits},
    notify::{COMMAND_KEYS, DELIVERY_SECONDS, LONGEST_DELIVERY, WEBHOOK_KEYS},
    service::{MOST_RETRIES, SERVICE_KEYS, ServiceConfig},
    skills::{HEALTH_PERCENT, HEALTH_RUNS, MOST_HEALTH_RUNS, SKILLS_KEYS},
    state::{LONGEST_GRACE, STATE_KEYS},
    vault::{APPROLE_MOUNT, MOUNT, SourceKind, VAULT_KEYS},
    workspaces::{MOST_WORKSPACES, WORKSPACES_KEYS, WorkspaceFrom},
};
use crate::{
    approval::MOST_WAITING,
    audit::{AlertGroup, AlertTrigger},
    availability::GRACE,
    discovery::DEFAULT_THRESHOLD,
    files::FileLimits,
    target::Allowance,
};

/// Returns the JSON Schema of the file.
#[must_use]
pub fn json_schema() -> Value {
    let mut properties = toolwright_policy::schema_of_tables();
    let tables = [
        ("workspace", workspace()),
        ("services", services()),
        ("mcp", mcp::mcp()),
        ("databases", databases::databases()),
        ("vault", vault()),
        ("oauth", oauth::oauth()),
        ("repository", repository()),
        ("audit", audit::audit()),
        ("metrics", audit::metrics()),
        ("state", state()),
        ("files", files()),
        ("skills", skills()),
        ("discovery", discovery()),
        ("budget", budget()),
        ("approvals", approvals()),
        ("console", console::console()),
        ("policy", policy()),
    ];
    let tables = tables.into_iter();
    properties.extend(tables.map(|(name, table)| (name.to_owned(), table)));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "toolwright.toml",
        "description": "The configuration of a workspace. See docs/configuration.md and docs/boundary.md.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "$defs": toolwright_policy::schema_definitions(),
    })
}

fn workspace() -> Value {
    let about = "The folders of the project, relative to the file.";
    table(about, &["specs", "generated"], &|key| match key {
        "specs" => string("The folder with a folder for each service.").default("specs"),
        _ => string("The folder of the generated adapters.").default("generated"),
    })
}

fn skills() -> Value {
    let about = "The skills of the workspace.";
    table(about, &SKILLS_KEYS, &|key| match key {
        "folder" => string("The folder with a folder for each skill.").default("skills"),
        "health_runs" => number(
            "The number of runs that the health of a skill is computed from.",
            1,
            MOST_HEALTH_RUNS,
        )
        .default(HEALTH_RUNS),
        _ => number(
            "The success rate in percent below which a skill is deprecated by itself; 0 for never.",
            0,
            100,
        )
        .default(HEALTH_PERCENT),
    })
}

fn discovery() -> Value {
    let about = "What agents with many tools see.";
    table(about, &DISCOVERY_KEYS, &|key| {
        match key {
        "threshold" => number(
            "The number of tools from which on an agent sees a search rather than the list of its tools; 0 for never.",
            0,
            MOST_TOOLS,
        )
        .default(DEFAULT_THRESHOLD),
        _ => string(
            "The folder of a local model, by which a search compares meanings too. The program needs the feature `embeddings`.",
        )
        .example("models/all-MiniLM-L6-v2"),
    }
    })
}

fn budget() -> Value {
    let about = "How much of a model's context the tools may take, in tokens of the format of MCP. `toolwright check` and `toolwright budget` fail beyond.";
    table(about, &BUDGET_KEYS, &|key| {
        let (about, example) = match key {
            "list_tokens" => ("The most tokens of the list that a role sees.", 20_000),
            _ => ("The most tokens of one tool.", 2_000),
        };
        number(about, 1, MOST_TOKENS).example(example)
    })
}

/// Returns the schemas of services: a table of tables, or an array of tables with their names.
fn services() -> Value {
    let about = "The settings of a service.";
    let keys = [SERVICE_KEYS.as_slice(), &WORKSPACES_KEYS].concat();
    let named = [keys.as_slice(), &["name"]].concat();
    let entry = required(table(about, &named, &service), &["name"]);
    json!({
        "description": "The services, by their names. A project needs no table for a service that has its defaults.",
        "oneOf": [
            {
                "type": "object",
                "propertyNames": {"examples": ["depot"]},
                "additionalProperties": table(about, &keys, &service),
            },
            {"type": "array", "items": entry},
        ],
    })
}

fn service(key: &str) -> Key {
    match key {
        "name" => string("The name of the service.").example("depot"),
        "base_url" => string(
            "The URL of the service. It wins over the one of the specification; the credentials win over it.",
        )
        .example("https://depot.example/api"),
        "transport" => words(
            "The transport of a domain service. By default it is the first one of its document.",
            TransportKind::ALL,
        )
        .example("unix"),
        "endpoint" => string(
            "The address of a domain service: a socket or a base URL. By default it is that of its document.",
        )
        .example("/run/depot.sock"),
        "origins" => strings("Further origins that may receive the credentials of the service.")
            .example(json!(["https://files.example"])),
        "allow" => list_of_words(
            "The targets that are allowed although they are refused by default.",
            Allowance::ALL,
        )
        .example(json!(["private-network"])),
        "proxy" => string(
            "The proxy that carries the requests, except to this machine. Proxies of the environment are ignored.",
        )
        .example("http://proxy.example:3128"),
        "credentials" => words("The source of the credentials.", SourceKind::ALL)
            .default(SourceKind::Files.word()),
        "vault_path" => string(
            "The path of the credentials in the secret store. By default it is the name of the service.",
        )
        .example("teams/stock/depot"),
        "constants" => Key(constants()),
        "workspaces" => Key(workspaces()),
        "default_workspace" => {
            string("The workspace of calls that choose none.").example("north")
        }
        "workspace_from" => words(
            "The decision about the workspace of a call. By default it is the workspace of a caller that has one, and otherwise an argument.",
            WorkspaceFrom::ALL,
        )
        .example("caller"),
        _ => limit_of_service(key),
    }
}

fn constants() -> Value {
    json!({
        "type": "object",
        "additionalProperties": {"type": ["string", "integer", "boolean"], "minimum": 0},
        "description": "Service constants. They pin the arguments of the same names; those of the credentials win over them.",
        "examples": [{"warehouse": "n1"}],
    })
}

fn workspaces() -> Value {
    let about = "A workspace of the service. Its keys win over those of the service.";
    json!({
        "type": "object",
        "propertyNames": {"examples": ["north"]},
        "maxProperties": MOST_WORKSPACES,
        "examples": [{"north": {"base_url": "https://north.depot.example/api"}}],
        "additionalProperties": table(about, &SERVICE_KEYS, &service),
        "description": "The workspaces of the service, by their names: its instances or tenants. Each has credentials of its own.",
    })
}

fn limit_of_service(key: &str) -> Key {
    let default = ServiceConfig::default();
    match key {
        "handshake_seconds" => number(
            "The time for which the handshake with a domain service is valid.",
            1,
            24 * 60 * 60,
        )
        .default(default.handshake_interval.as_secs()),
        "retries" => number(
            "The most repetitions of a request, if a repetition has no further effect. The timeout limits all attempts together.",
            0,
            u64::from(MOST_RETRIES),
        )
        .default(default.retries)
        .example(2),
        "max_response_bytes" => number(
            "The longest answer that becomes a value, in bytes. A longer one is an error. Files have limits of their own.",
            1,
            1 << 30,
        )
        .default(default.max_response_bytes),
        _ => number(
            "The timeout of a call, to the last byte of the answer. By default it is 30, or that of the method of a domain service.",
            1,
            60 * 60,
        )
        .example(60),
    }
}

fn vault() -> Value {
    let about = "The secret store that holds credentials, OpenBao or Vault. It has either `role_id` and `secret_id_file`, or `token_file`.";
    let mut table = table(about, &VAULT_KEYS, &|key| match key {
        "address" => string("The URL of the store: `https`, or `http` on this machine.")
            .example("https://vault.example:8200"),
        "mount" => string("The mount of the KV engine, version 2.").default(MOUNT),
        "namespace" => string("The namespace of the mounts.").example("stock"),
        "role_id" => {
            string("The id of the role of AppRole.").example("5b8c4f6e-2f0e-4d6a-9d2b-8f1d3a7c9e10")
        }
        "secret_id_file" => string("The private file with the secret id of AppRole.")
            .example(".local/vault-secret-id.txt"),
        "approle_mount" => string("The mount of AppRole.").default(APPROLE_MOUNT),
        "token_file" => string("The private file with a token, which another program renews.")
            .example("/run/vault/token"),
        "allow" => list_of_words(
            "The targets that are allowed although they are refused by default.",
            Allowance::ALL,
        )
        .example(json!(["private-network"])),
        _ => string("The proxy that carries the requests, except to this machine.")
            .example("http://proxy.example:3128"),
    });
    if let Some(table) = table.as_object_mut() {
        let logins = json!([
            {"required": ["role_id", "secret_id_file"]},
            {"required": ["token_file"]},
        ]);
        table.insert("required".to_owned(), json!(["address"]));
        table.insert("oneOf".to_owned(), logins);
    }
    table
}

fn repository() -> Value {
    let about = "The repository that domain services, and the tools for a repository, work on.";
    table(about, &["path", "clone_url", "ref"], &|key| {
        match key {
        "path" => string(
            "The folder, for services at a Unix socket and for the tools. By default it is the folder of the file.",
        )
        .example("."),
        "clone_url" => string("The URL that services on other machines clone.")
            .example("https://git.example/board.git"),
        _ => string("The branch, the tag or the commit.").example("main"),
    }
    })
}

fn state() -> Value {
    let about = "The place of the calls that wait, and of the switches of tools.";
    table(about, &STATE_KEYS, &|key| {
        match key {
        "url" => string("A PostgreSQL database in place of the file. It contains no password.")
            .example("postgres://toolwright@db.example/tools"),
        "password_file" => string("The private file with the password for the URL.")
            .example("/run/secrets/state-password"),
        "group" => string(
            "The group of the operating system that shares the file. By default only its user does.",
        )
        .example("approvers"),
        "grace_seconds" => number(
            "The time for which the last known switches apply while the state cannot be reached.",
            1,
            LONGEST_GRACE,
        )
        .default(GRACE.as_secs()),
        _ => string("The SQLite database.").default(".toolwright/state/state.db"),
    }
    })
}

fn files() -> Value {
    let about = "The answers that are saved as files, and the files that calls send.";
    let default = FileLimits::default();
    table(about, &FILES_KEYS, &|key| {
        match key {
        "max_file_bytes" => number("The largest file.", 1, MOST_BYTES).default(default.file_bytes),
        "quota_bytes" => number("The most bytes of the files of one role.", 1, MOST_BYTES)
            .default(default.quota_bytes),
        "expire_minutes" => number("The time for which a file is kept.", 1, LONGEST_MINUTES)
            .default(default.lifetime.as_secs() / 60),
        "transfer_seconds" => number(
            "The time that the transfer of a file may take.",
            1,
            LONGEST_TRANSFER,
        )
        .default(default.transfer.as_secs()),
        "cut_answer_bytes" => number(
            "The size from which on an answer of JSON is cut for an agent, which reads the rest with `read-toolwright-answer`. By default answers are never cut.",
            LEAST_CUT,
            MOST_BYTES,
        )
        .example(65_536),
        _ => string("The private folder of the files.").default(".toolwright/files"),
    }
    })
}

fn approvals() -> Value {
    let about = "How calls wait for a person, and whose decisions count.";
    table(about, &APPROVALS_KEYS, &|key| {
        match key {
        "folder" => string(
            "The folder in which versions before the state kept approvals. Only `state migrate` reads it.",
        )
        .default(".toolwright/approvals"),
        "expire_minutes" => number(
            "The time that a call waits for, and that its approval is valid for.",
            1,
            60 * 24 * 7,
        )
        .default(15),
        "keys" => strings(
            "The public keys of the approvers. By default only the user who runs the tools approves.",
        )
        .example(json!([EXAMPLE_KEY])),
        "approvers" => Key(approvers()),
        "four_eyes" => boolean("True if no person approves a call of a run that the same person started."),
        "mask" => strings("JSON Pointers to arguments that approvers are not shown. `*` is any key.")
            .example(json!(["/users/*/pin"])),
        "most_waiting" => number(
            "The most calls of one role and run that wait at once.",
            1,
            1_000,
        )
        .default(MOST_WAITING),
        "console" => string(
            "The URL of the operator's console: `https`, or `http` on this machine. MCP clients show their users the page of a waiting call, `waiting/` and the id of its approval below this URL.",
        )
        .example("https://console.example"),
        "webhook" => Key(webhook()),
        _ => Key(command()),
    }
    })
}

/// A key as `toolwright approver-key` prints it.
const EXAMPLE_KEY: &str = "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

fn approvers() -> Value {
    let about = "A person who may approve calls.";
    let entry = table(about, &["key", "approve"], &|key| match key {
        "approve" => strings("The selectors of the tools whose calls the person may approve.")
            .example(json!(["service:depot"])),
        _ => string("The person's public key, as `toolwright approver-key` prints it.")
            .example(EXAMPLE_KEY),
    });
    json!({
        "type": "object",
        "propertyNames": {"examples": ["ann"]},
        "additionalProperties": required(entry, &["key", "approve"]),
        "description": "The persons who may approve calls, by their names. If there is one, only these approve.",
    })
}

fn webhook() -> Value {
    let about = "The receiver of events about calls that wait. It has either `secret_file` or `secret_env`.";
    let table = table(about, &WEBHOOK_KEYS, &|key| match key {
        "url" => string("The URL of the receiver: `https`, or `http` on this machine.")
            .example("https://hooks.example/toolwright"),
        "secret_file" => string("The private file with the secret that signs the events.")
            .example(".local/webhook-secret.txt"),
        "secret_env" => {
            string("The variable of the environment with the secret.").example("WEBHOOK_SECRET")
        }
        "timeout_seconds" => delivery_timeout("The timeout of one attempt."),
        "allow" => list_of_words(
            "The targets that are allowed although they are refused by default.",
            &[Allowance::PrivateNetwork],
        )
        .example(json!(["private-network"])),
        _ => string("The proxy that carries the requests, except to this machine.")
            .example("http://proxy.example:3128"),
    });
    let mut table = required(table, &["url"]);
    if let Some(table) = table.as_object_mut() {
        let secrets = json!([{"required": ["secret_file"]}, {"required": ["secret_env"]}]);
        table.insert("oneOf".to_owned(), secrets);
    }
    table
}

fn command() -> Value {
    let about = "The command that runs for each event about calls that wait.";
    let table = table(about, &COMMAND_KEYS, &|key| match key {
        "argv" => Key(json!({
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "description": "The absolute path of the program, and its arguments.",
        }))
        .example(json!([
            "/usr/local/bin/tell-approvers",
            "--channel",
            "operations"
        ])),
        "environment" => {
            strings("The names of the variables that the program receives, besides `PATH`.")
                .example(json!(["DBUS_SESSION_BUS_ADDRESS"]))
        }
        _ => delivery_timeout("The time after which the program is killed."),
    });
    required(table, &["argv"])
}

fn delivery_timeout(about: &str) -> Key {
    number(about, 1, LONGEST_DELIVERY).default(DELIVERY_SECONDS)
}

fn policy() -> Value {
    let about = "What follows from violations of scopes, and whether the policy needs its lock.";
    table(about, &POLICY_KEYS, &|key| {
        match key {
        "alert_after" => number(
            "The number of violations of one role in one run after which the audit records an alert.",
            1,
            1_000_000,
        )
        .default(ViolationLimits::default().alert_after),
        "halt" => boolean("True to refuse all further calls of the run after the alert."),
        "alerts" => Key(alerts()),
        _ => boolean("True if a policy without `toolwright.policy.lock` is not used."),
    }
    })
}

fn alerts() -> Value {
    let about = "A rule: so many events of the audit within a time are an alert.";
    let entry = table(about, &ALERT_KEYS, &|key| match key {
        "on" => words("The events that count.", AlertTrigger::ALL).example("denied"),
        "count" => number("The number of events that are an alert.", 1, MOST_COUNTED).default(1),
        "within_seconds" => {
            number("The time within which they happen.", 1, LONGEST_WITHIN).default(WITHIN_SECONDS)
        }
        _ => words("The events that are counted together.", AlertGroup::ALL)
            .default(AlertGroup::Run.to_string()),
    });
    json!({
        "type": "object",
        "propertyNames": {"examples": ["many-refusals"]},
        "additionalProperties": required(entry, &["on"]),
        "description": "Further rules of alerts, by their names.",
    })
}
