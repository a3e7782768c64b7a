//! Tests of the errors of calls.

use toolwright_model::Method;

use super::*;

#[test]
fn the_json_form_has_a_status_only_if_there_was_one() {
    let busy = ToolError::Service {
        status: 503,
        message: "try later".to_owned(),
        body: Box::new(json!({"message": "try later", "trace": "0815"})),
        request: Some(Box::new(SentRequest::new(
            Method::Get,
            "https://10.0.0.7/notes".to_owned(),
            None,
        ))),
        detail: None,
    };
    assert_eq!(
        busy.to_json(),
        json!({"error": {"code": "service_error", "message": "the service answered 503: try later",
                         "status": 503, "retryable": true}})
    );
    assert_eq!(
        ToolError::failed("no disk").to_json(),
        json!({"error": {"code": "tool_failed", "message": "no disk", "retryable": false}})
    );
}

#[test]
fn times_are_shown_to_the_second() {
    let waiting = ToolError::ApprovalRequired {
        id: "wait-0123456789ab".parse().unwrap(),
        expires: "2026-11-22T00:28:30.854726835Z".parse().unwrap(),
    };
    assert_eq!(
        waiting.to_string(),
        "a person must approve this call as `wait-0123456789ab` before 2026-11-22T00:28:30Z; \
         after that, call again with the same arguments"
    );
    assert_eq!(waiting.to_json()["error"]["approval"], "wait-0123456789ab");
}

#[test]
fn only_transient_errors_are_retryable() {
    for (status, expected) in [
        (400, false),
        (404, false),
        (429, true),
        (500, false),
        (504, true),
    ] {
        let error = ToolError::Service {
            status,
            message: String::new(),
            body: Box::default(),
            request: None,
            detail: None,
        };
        assert_eq!(error.is_retryable(), expected, "{status}");
    }
    for (fault, expected) in [
        (TransportFault::Connect, true),
        (TransportFault::Timeout, true),
        (TransportFault::Broken, true),
        (TransportFault::Redirect, false),
        (TransportFault::Unsendable, false),
    ] {
        let error = ToolError::Transport {
            fault,
            message: String::new(),
            detail: None,
            request: None,
        };
        assert_eq!(error.is_retryable(), expected, "{fault:?}");
    }
}
