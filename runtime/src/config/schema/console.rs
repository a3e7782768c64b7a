//! The schema of `[console]`.

use serde_json::{Value, json};

use super::keys::{Key, number, required, table, words};
use crate::config::console::{
    CONSOLE_KEYS, ConsoleRole, LONGEST_SESSION, PERSON_KEYS, SESSION_MINUTES,
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
        _ => Key(people()),
    })
}

fn people() -> Value {
    let about = "A person who may sign in.";
    let entry = table(about, &PERSON_KEYS, &|_| {
        words(
            "What the person may do: `viewer` sees everything, `approver` also decides about calls that wait, `operator` also switches tools and moves skills.",
            ConsoleRole::ALL,
        )
        .example(ConsoleRole::Approver.word())
    });
    json!({
        "type": "object",
        "propertyNames": {"examples": ["ann"]},
        "additionalProperties": required(entry, &PERSON_KEYS),
        "description": "The persons who may sign in, by their names. Nobody else may.",
    })
}
