//! The schema of `[mcp.*]`.

use serde_json::{Map, Value, json};

use super::keys::{Key, list_of_words, number, string, strings, table};
use crate::{
    audit::ServerRequest,
    config::mcp::{
        GREATEST_MOST_TOOLS, LEAST_MEMORY_BYTES, LONGEST_TIMEOUT, MCP_KEYS, MEMORY_BYTES,
        MOST_MEMORY_BYTES, MOST_RESPONSE_BYTES, MOST_TOOLS, OF_COMMAND, OF_URL, RESPONSE_BYTES,
        START_SECONDS, TIMEOUT_SECONDS,
    },
    target::Allowance,
};

/// The words that a server at a URL can be allowed.
const ALLOWANCES: [Allowance; 3] = [
    Allowance::PlainHttp,
    Allowance::PrivateNetwork,
    Allowance::LinkLocal,
];

pub(super) fn mcp() -> Value {
    let about = "An MCP server whose tools are mounted: a program, or a server at a URL.";
    let mut server = table(about, &MCP_KEYS, &key);
    if let Some(server) = server.as_object_mut() {
        let one = json!([{"required": ["command"]}, {"required": ["url"]}]);
        server.insert("oneOf".to_owned(), one);
        let of = |keys: &'static [&str], kind: &'static str| {
            keys.iter()
                .map(move |key| ((*key).to_owned(), json!([kind])))
        };
        let keys: Map<_, _> = of(&OF_COMMAND, "command")
            .chain(of(&OF_URL, "url"))
            .collect();
        server.insert("dependentRequired".to_owned(), keys.into());
    }
    json!({
        "type": "object",
        "propertyNames": {"examples": ["files"]},
        "additionalProperties": server,
        "description": "The mounted MCP servers, by the names of their services. See docs/mounts.md.",
    })
}

fn key(key: &str) -> Key {
    match key {
        "command" => {
            strings("The absolute path of a program and its arguments. It runs in the sandbox.")
                .example(json!(["/usr/bin/mcp-server-git", "--repository", "."]))
        }
        "url" => {
            string("The URL of a server of streamable HTTP.").example("https://mcp.example/mcp")
        }
        "environment" => Key(variables(
            "The environment of the program. It has no other variables than these and its secrets.",
            &json!({"LANG": "C.UTF-8"}),
        )),
        "secret_files" => Key(variables(
            "The private files whose contents are variables of the environment of the program.",
            &json!({"API_TOKEN": ".local/files/api-token.txt"}),
        )),
        "token_file" => string("The private file with the bearer token for the server at the URL.")
            .example(".local/files/api-token.txt"),
        "folder" => string("The folder in which the program starts. It may read it.").default("."),
        "read" => strings(
            "The paths that the program may read, besides programs and libraries of the system.",
        )
        .example(json!(["docs"])),
        "write" => strings("The paths that the program may change.").example(json!(["scratch"])),
        "execute" => strings(
            "The paths that the program may execute, such as those of its own installation.",
        )
        .example(json!(["/opt/mcp"])),
        "allow" => list_of_words(
            "The targets that are allowed although they are refused by default.",
            &ALLOWANCES,
        )
        .example(json!(["private-network"])),
        "requests" => list_of_words(
            "What the server may ask of the client whose call it serves. By default nothing.",
            &ServerRequest::GRANTABLE,
        )
        .example(json!(["elicitation"])),
        "proxy" => string("The proxy that carries the requests, except to this machine.")
            .example("http://proxy.example:3128"),
        _ => limit(key),
    }
}

fn limit(key: &str) -> Key {
    match key {
        "ports" => Key(json!({
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": u16::MAX},
            "description": "The TCP ports that the program may connect to. By default it has no network.",
        }))
        .example(json!([443])),
        "start_seconds" => number("The time until the server has listed its tools.", 1, LONGEST_TIMEOUT)
            .default(START_SECONDS),
        "timeout_seconds" => {
            number("The timeout of a call.", 1, LONGEST_TIMEOUT).default(TIMEOUT_SECONDS)
        }
        "max_response_bytes" => number("The longest result of a call.", 1, MOST_RESPONSE_BYTES)
            .default(RESPONSE_BYTES),
        "max_memory_bytes" => number(
            "The memory of the processes of the program.",
            LEAST_MEMORY_BYTES,
            MOST_MEMORY_BYTES,
        )
        .default(MEMORY_BYTES),
        _ => number("The number of tools that the server may list.", 1, GREATEST_MOST_TOOLS)
            .default(MOST_TOOLS),
    }
}

fn variables(about: &str, example: &Value) -> Value {
    json!({
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": about,
        "examples": [example],
    })
}
