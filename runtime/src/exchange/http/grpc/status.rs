//! The statuses of calls.

use prost::Message;
use serde_json::{Value, json};
use tonic::{Code, Status};

use super::messages::Messages;
use crate::done::Done;

/// The most details of a status that are shown.
const MOST_DETAILS: usize = 16;

/// `google.rpc.Status`, of which only the details are read.
#[derive(Clone, PartialEq, Message)]
struct Detailed {
    #[prost(message, repeated, tag = "3")]
    details: Vec<Detail>,
}

/// `google.protobuf.Any`.
#[derive(Clone, PartialEq, Message)]
struct Detail {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

/// Returns the HTTP status that means the same, by which errors are classed and calls are repeated.
pub(super) const fn http(code: Code) -> u16 {
    match code {
        Code::Ok => 200,
        Code::Cancelled => 499,
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => 400,
        Code::DeadlineExceeded => 504,
        Code::NotFound => 404,
        Code::AlreadyExists | Code::Aborted => 409,
        Code::PermissionDenied => 403,
        Code::Unauthenticated => 401,
        Code::ResourceExhausted => 429,
        Code::Unimplemented => 501,
        Code::Unavailable => 503,
        Code::Unknown | Code::Internal | Code::DataLoss => 500,
    }
}

/// Returns what a status proves about the effect of the call. A service that refuses a call has not
/// carried it out; one that gave up may have.
pub(super) const fn done(code: Code) -> Done {
    match code {
        Code::Ok => Done::Yes,
        Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::ResourceExhausted
        | Code::FailedPrecondition
        | Code::OutOfRange
        | Code::Unimplemented
        | Code::Unauthenticated => Done::No,
        Code::Cancelled
        | Code::Unknown
        | Code::DeadlineExceeded
        | Code::Aborted
        | Code::Internal
        | Code::Unavailable
        | Code::DataLoss => Done::Unknown,
    }
}

/// Returns the JSON of a status.
pub(super) fn failure(status: &Status, messages: &Messages) -> Value {
    let mut failure = json!({
        "code": status.code() as i32,
        "status": name(status.code()),
        "message": status.message(),
    });
    let details = Detailed::decode(status.details())
        .unwrap_or_default()
        .details;
    let details: Vec<Value> = details
        .iter()
        .take(MOST_DETAILS)
        .map(|detail| messages.of_any(&detail.type_url, &detail.value))
        .collect();
    if let Some(failure) = failure.as_object_mut().filter(|_| !details.is_empty()) {
        failure.insert("details".to_owned(), details.into());
    }
    failure
}

const fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
