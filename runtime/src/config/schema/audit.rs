//! The schema of `[audit]` and `[metrics]`.

use serde_json::Value;

use super::{Key, boolean, number, required, string, table, words};
use crate::{
    audit::{AuditMode, AuditOptions},
    config::{
        audit::{
            AUDIT_KEYS, LARGEST_SEGMENT, LONGEST_KEPT, LONGEST_SEGMENT, MOST_BETWEEN_CHECKPOINTS,
        },
        metrics::METRICS_KEYS,
        sinks::{
            LARGEST_SPOOL, MOST_WAITING, NATS_KEYS, OTLP_KEYS, POSTGRES_KEYS, STREAM, SUBJECT,
        },
    },
};

pub(super) fn audit() -> Value {
    let about = "The audit, which records every decision.";
    table(about, &AUDIT_KEYS, &|key| {
        match key {
        "mode" => words(
            "The events that are on the disk before a call goes on.",
            AuditMode::ALL,
        )
        .default(AuditMode::default().to_string()),
        "key" => string(
            "The file of the key that protects the events. By default it is next to the file of the audit.",
        )
        .example("/etc/toolwright/audit.key"),
        "values" => boolean(
            "True to record the values of arguments, with those that are secret by their schema masked.",
        ),
        "value_sources" => boolean(
            "True to record which results of earlier calls the values of arguments come from. `toolwright skill propose` needs it.",
        ),
        "reads_without_audit" => boolean(
            "True to let calls that only read pass while the audit cannot be written.",
        ),
        "file" => string("The file of the audit.").default(".toolwright/audit.jsonl"),
        "instance" => string(
            "The name of this audit among those that share a sink. By default it is the id of the key.",
        )
        .example("build-1"),
        "postgres" => Key(postgres()),
        "nats" => Key(nats()),
        "otlp" => Key(otlp()),
        _ => limit_of_audit(key),
    }
    })
}

fn limit_of_audit(key: &str) -> Key {
    let default = AuditOptions::default();
    match key {
        "segment_mib" => number(
            "The size of a segment in MiB. After it, the file is closed and compressed.",
            1,
            LARGEST_SEGMENT,
        )
        .default(default.segment_bytes >> 20),
        "segment_hours" => number(
            "The time for which a segment is written to, in hours.",
            1,
            LONGEST_SEGMENT,
        )
        .default(default.segment_age.as_secs() / 3600),
        "keep_days" => number(
            "The time for which closed segments are kept, in days. By default they are kept forever.",
            1,
            LONGEST_KEPT,
        )
        .example(365),
        "checkpoint_events" => number(
            "The number of events after which a checkpoint is signed.",
            1,
            MOST_BETWEEN_CHECKPOINTS,
        )
        .default(default.checkpoint_events),
        _ => number(
            "The time after which the next event is followed by a signed checkpoint, in seconds.",
            1,
            MOST_BETWEEN_CHECKPOINTS,
        )
        .default(default.checkpoint_age.as_secs()),
    }
}

fn postgres() -> Value {
    let about = "A table of a PostgreSQL database that receives the events.";
    let table = table(about, &POSTGRES_KEYS, &|key| match key {
        "url" => string("The database. The URL contains no password.")
            .example("postgres://toolwright_audit@db.example/audit"),
        "password_file" => string("The private file with the password for the URL.")
            .example("/run/secrets/audit-password"),
        _ => most_waiting(),
    });
    required(table, &["url"])
}

fn nats() -> Value {
    let about = "A stream of NATS JetStream that receives the events.";
    let table = table(about, &NATS_KEYS, &|key| match key {
        "url" => string("The server: `tls`, or `nats` on this machine.")
            .example("tls://nats.example:4222"),
        "credentials_file" => string("The private file with the credentials of the user.")
            .example("/run/secrets/audit.creds"),
        "stream" => string("The stream. It is created if it does not exist.").default(STREAM),
        "subject" => string("The beginning of the subjects, before the name of the instance.")
            .default(SUBJECT),
        _ => most_waiting(),
    });
    required(table, &["url"])
}

fn otlp() -> Value {
    let about = "A receiver of OpenTelemetry that receives the events as log records and spans.";
    let table = table(about, &OTLP_KEYS, &|key| {
        match key {
        "url" => string(
            "The receiver of OTLP over HTTP: `https`, or `http` on this machine. `/v1/logs` and `/v1/traces` are added.",
        )
        .example("http://127.0.0.1:4318"),
        "headers_file" => string(
            "The private file with further headers, one `Name: value` in each line.",
        )
        .example("/run/secrets/otlp-headers"),
        _ => most_waiting(),
    }
    });
    required(table, &["url"])
}

fn most_waiting() -> Key {
    number(
        "The number of waiting events from which calls that change something are refused.",
        1,
        LARGEST_SPOOL,
    )
    .default(MOST_WAITING)
}

pub(super) fn metrics() -> Value {
    let about = "The metrics of a server.";
    table(about, &METRICS_KEYS, &|_| {
        string("The address at which a server answers with its metrics in the text format of Prometheus.")
            .example("127.0.0.1:9464")
    })
}
