//! The schema of `[console]`.

use serde_json::{Value, json};

use super::keys::{Key, list_of_words, number, required, spelt, string, strings, table, words};
use crate::{
    config::{
        console::{CONSOLE_KEYS, ConsoleRole, LONGEST_SESSION, PERSON_KEYS, SESSION_MINUTES},
        oauth::SigningAlgorithm,
        openid::{CLAIM, OPENID_KEYS, SERVICE},
    },
    target::Allowance,
};

pub(super) fn console() -> Value {
    let about = "The web page of `toolwright console`.";
    table(about, &CONSOLE_KEYS, &|key| match key {
        "session_minutes" => number(
            "The time after which a person must sign in again.",
            1,
            LONGEST_SESSION,
        )
        .default(SESSION_MINUTES),
        "people" => Key(people()),
        _ => Key(openid()),
    })
}

fn openid() -> Value {
    let about = "The OpenID provider through which people sign in, in addition to the links of the command.";
    let table = table(about, &OPENID_KEYS, &|key| {
        match key {
        "issuer" => string(
            "The URL of the provider, as the claim `iss` of its tokens has it: `https`, or `http` on this machine.",
        )
        .example("https://login.example"),
        "claim" => string(
            "The claim of the identity token that identifies a person. `email` counts only if `email_verified` is true.",
        )
        .default(CLAIM),
        "scopes" => strings(
            "The scopes to request in addition to `openid`. By default it is `email` if the claim is, and none otherwise.",
        )
        .example(json!(["email"])),
        "service" => string(
            "The name under which the sources of credentials hold the client: its id, its secret and the token endpoint.",
        )
        .default(SERVICE),
        "algorithms" => {
            let default = spelt(&SigningAlgorithm::DEFAULT);
            list_of_words("The algorithms that are accepted.", SigningAlgorithm::ALL)
                .default(json!(default))
        }
        "allow" => list_of_words(
            "The targets that are allowed although they are refused by default.",
            Allowance::ALL,
        )
        .example(json!(["private-network"])),
        _ => string("The proxy that carries the requests, except to this machine.")
            .example("http://proxy.example:3128"),
    }
    });
    required(table, &["issuer"])
}

fn people() -> Value {
    let about = "A person who may sign in.";
    let entry = table(about, &PERSON_KEYS, &|key| {
        match key {
        "role" => words(
            "What the person may do: `viewer` sees everything, `approver` also decides about calls that wait, `operator` also switches tools and moves skills.",
            ConsoleRole::ALL,
        )
        .example(ConsoleRole::Approver.word()),
        _ => string(
            "The value of the claim by which the OpenID provider identifies the person. Without it, the person signs in with links only.",
        )
        .example("ann@example.com"),
    }
    });
    json!({
        "type": "object",
        "propertyNames": {"examples": ["ann"]},
        "additionalProperties": required(entry, &["role"]),
        "description": "The persons who may sign in, by their names. Nobody else may.",
    })
}
