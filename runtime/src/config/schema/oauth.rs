//! The schema of `[oauth]`.

use serde_json::{Value, json};

use super::keys::{Key, list_of_words, required, spelt, string, table};
use crate::{
    config::oauth::{CLAIM, OAUTH_KEYS, OAUTH_ROLE_KEYS, SigningAlgorithm},
    target::Allowance,
};

pub(super) fn oauth() -> Value {
    let about = "The authorization server whose access tokens `serve --transport http` accepts from its clients.";
    let table = table(about, &OAUTH_KEYS, &|key| {
        match key {
        "issuer" => string("The issuer, as the claim `iss` of its tokens has it.")
            .example("https://login.example"),
        "jwks_url" => string("The URL of the issuer's keys, `jwks_uri` in its metadata: `https`, or `http` on this machine.")
            .example("https://login.example/jwks"),
        "resource" => string("The URL of the server for its clients. By default it is the one on this machine.")
            .example("https://tools.example/mcp"),
        "audience" => string("A value that the claim `aud` must contain. By default it is the resource.")
            .example("toolwright"),
        "algorithms" => {
            let default = spelt(&SigningAlgorithm::DEFAULT);
            list_of_words("The algorithms that are accepted.", SigningAlgorithm::ALL)
                .default(json!(default))
        }
        "claim" => string("The claim that decides the role: words in a string, or a list of strings.")
            .default(CLAIM),
        "workspace_claim" => string("The claim with the workspace that calls are recorded with.")
            .example("workspace"),
        "roles" => Key(roles()),
        "allow" => list_of_words(
            "The targets that are allowed although they are refused by default.",
            Allowance::ALL,
        )
        .example(json!(["private-network"])),
        _ => string("The proxy that carries the requests, except to this machine.")
            .example("http://proxy.example:3128"),
    }
    });
    required(table, &["issuer", "jwks_url", "roles"])
}

fn roles() -> Value {
    let about = "A value of the claim, and its role.";
    let entry = table(about, &OAUTH_ROLE_KEYS, &|key| match key {
        "value" => string("The value.").example("tools:read"),
        _ => string("The role of the clients whose tokens have the value.").example("reader"),
    });
    json!({
        "type": "array",
        "items": required(entry, &OAUTH_ROLE_KEYS),
        "description": "The roles by values of the claim. The first entry whose value a token has decides.",
        "examples": [[{"value": "tools:read", "role": "reader"}]],
    })
}
