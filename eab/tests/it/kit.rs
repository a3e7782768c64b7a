//! The conformance kit: it passes on the reference service, and catches each fault of its twins.

use std::{collections::BTreeSet, path::Path};

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    middleware::{self, Next},
    response::Response,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use toolwright::eab::Endpoint;
use toolwright_eab::{
    crates::Crates,
    kit::{CheckVerdict, Options, Report, verify},
    router,
};

use crate::support::{TRANSPORTS, crates_tools, packages, start};

async fn check_service(endpoint: Endpoint, folder: &Path) -> Report {
    let mut options = Options::new(endpoint);
    options.repository = Some(json!({"path": folder}));
    options.calls_that_write = true;
    options.timeout = std::time::Duration::from_secs(5);
    verify(&crates_tools(), &options).await
}

fn failures(report: &Report) -> Vec<String> {
    let checks = report.checks.iter();
    checks
        .filter(|check| check.verdict == CheckVerdict::Failed)
        .map(|check| format!("{} {:?}: {}", check.id, check.method, check.message))
        .collect()
}

#[tokio::test]
async fn the_reference_service_passes_on_both_transports() {
    for transport in TRANSPORTS {
        let (run, folder) = (tempfile::tempdir().unwrap(), packages());
        let endpoint = start(Crates, transport, run.path()).await;
        let report = check_service(endpoint, folder.path()).await;
        assert_eq!(failures(&report), Vec::<String>::new());
        assert_eq!(report.count(CheckVerdict::Skipped), 0, "{report:?}");
        assert!(report.checks.len() > 60, "{}", report.checks.len());
    }
}

/// An exchange between the kit and the service, for a fault to spoil.
struct Exchange {
    method: String,
    /// The request; null if it is not JSON.
    sent: Value,
    /// The status and the answer of the reference service.
    status: u16,
    answer: Value,
    content_type: &'static str,
    /// The response instead, if it is not JSON.
    raw: Option<Vec<u8>>,
}

impl Exchange {
    fn is(&self, method: &str) -> bool {
        self.method == method
    }

    /// Returns whether a method ran.
    fn ran(&self) -> bool {
        !self.is("handshake") && self.answer["status"] != "error"
    }

    fn refuses(&self, code: &str) -> bool {
        self.answer["error"]["code"] == code
    }

    /// Takes what was sent for right.
    fn accept(&mut self) {
        self.status = 200;
        self.answer = json!({"request_id": self.sent["request_id"], "status": "success",
                             "result": {"rules": []}, "diagnostics": []});
    }
}

type Fault = (&'static str, &'static str, fn(&mut Exchange));

/// The planted fault, the check that must fail, and the change.
const FAULTS: &[Fault] = &[
    ("the handshake is missing", "handshake.answer", |it| {
        if it.is("handshake") {
            it.status = 404
        }
    }),
    ("the handshake is no JSON", "handshake.answer", |it| {
        if it.is("handshake") {
            it.raw = Some(b"hello".to_vec())
        }
    }),
    ("the handshake lacks a field", "handshake.answer", |it| {
        drop(
            it.is("handshake")
                .then(|| it.answer.as_object_mut().unwrap().remove("domain")),
        )
    }),
    (
        "the handshake is said to be text",
        "handshake.content-type",
        |it| {
            if it.is("handshake") {
                it.content_type = "text/plain"
            }
        },
    ),
    ("another service answers", "handshake.service", |it| {
        if it.is("handshake") {
            it.answer["service"] = json!("kicad")
        }
    }),
    ("another domain answers", "handshake.domain", |it| {
        if it.is("handshake") {
            it.answer["domain"] = json!("electrical")
        }
    }),
    ("another version is spoken", "handshake.version", |it| {
        if it.is("handshake") {
            it.answer["api_version"] = json!("2.0")
        }
    }),
    ("a method is not named", "handshake.capabilities", |it| {
        drop(
            it.is("handshake")
                .then(|| it.answer["capabilities"].as_array_mut().unwrap().pop()),
        )
    }),
    (
        "a method is named twice",
        "handshake.capabilities-once",
        |it| {
            if it.is("handshake") {
                it.answer["capabilities"]
                    .as_array_mut()
                    .unwrap()
                    .push(json!("validate"))
            }
        },
    ),
    (
        "an artifact type is not named",
        "handshake.artifact-types",
        |it| {
            if it.is("handshake") {
                it.answer["artifact_types"] = json!([])
            }
        },
    ),
    (
        "an interface type is not named",
        "handshake.interface-types",
        |it| {
            if it.is("handshake") {
                it.answer["interface_types"] = json!(["library", "binary"])
            }
        },
    ),
    ("the service is unavailable", "handshake.status", |it| {
        if it.is("handshake") {
            it.answer["status"] = json!("unavailable")
        }
    }),
    ("every handshake is another", "handshake.stable", |it| {
        if it.is("handshake") {
            it.answer["version"] = it.sent["request_id"].clone()
        }
    }),
    ("the id is another one", "method.answer", |it| {
        if it.ran() {
            it.answer["request_id"] = json!("x")
        }
    }),
    ("the id is missing", "method.answer", |it| {
        drop(
            it.ran()
                .then(|| it.answer.as_object_mut().unwrap().remove("request_id")),
        )
    }),
    ("the status is unknown", "method.answer", |it| {
        if it.ran() {
            it.answer["status"] = json!("ok")
        }
    }),
    ("the diagnostics are missing", "method.answer", |it| {
        drop(
            it.ran()
                .then(|| it.answer.as_object_mut().unwrap().remove("diagnostics")),
        )
    }),
    ("a severity is unknown", "method.answer", |it| {
        if it.ran() {
            it.answer["diagnostics"] =
                json!([{"severity": "fatal", "category": "syntax_error", "message": "x"}])
        }
    }),
    ("a diagnostic has no message", "method.answer", |it| {
        if it.ran() {
            it.answer["diagnostics"] = json!([{"severity": "warning", "category": "syntax_error"}])
        }
    }),
    ("what blocks is a success", "method.answer", |it| {
        if it.ran() {
            it.answer["diagnostics"] =
                json!([{"severity": "blocking", "category": "syntax_error", "message": "x"}])
        }
    }),
    ("the result is missing", "method.answer", |it| {
        if it.ran() {
            it.answer["result"] = Value::Null
        }
    }),
    (
        "a field of the result is of another type",
        "method.answer",
        |it| {
            if it.ran() && it.is("validate") {
                it.answer["result"]["checked"] = json!("2")
            }
        },
    ),
    (
        "an element of the result is of another type",
        "method.answer",
        |it| {
            if it.ran() && it.is("review_rules") {
                it.answer["result"]["rules"][0]["severity"] = json!("fatal")
            }
        },
    ),
    ("a success has another status", "method.answer", |it| {
        if it.ran() {
            it.status = 201
        }
    }),
    (
        "the answer is said to be text",
        "method.content-type",
        |it| {
            if it.ran() {
                it.content_type = "text/plain"
            }
        },
    ),
    (
        "the answer is longer than the bound",
        "method.answer",
        |it| {
            if it.ran() {
                it.answer["metadata"] = json!({"text": "x".repeat(2 << 20)})
            }
        },
    ),
    (
        "a failure says nothing that blocks",
        "method.status",
        |it| {
            if it.ran() {
                it.answer["status"] = json!("failure")
            }
        },
    ),
    ("what fits is refused", "method.runs", |it| {
        if it.ran() {
            it.answer = json!({"request_id": it.sent["request_id"], "status": "error", "error": {"code": "invalid_request", "message": "no"}})
        }
    }),
    ("the service is always at fault", "method.runs", |it| {
        if it.ran() {
            it.answer = json!({"request_id": it.sent["request_id"], "status": "error", "error": {"code": "internal_error", "message": "no"}})
        }
    }),
    (
        "the code of an error is unknown",
        "params.wrong-type",
        |it| {
            if it.refuses("invalid_request") {
                it.answer["error"]["code"] = json!("oops")
            }
        },
    ),
    ("an error has no message", "params.wrong-type", |it| {
        if it.refuses("invalid_request") {
            it.answer["error"]["message"] = json!(" ")
        }
    }),
    (
        "params of another type are taken",
        "params.wrong-type",
        |it| {
            if it.refuses("invalid_request") && it.sent["params"]["path"].is_object() {
                it.accept()
            }
        },
    ),
    (
        "params that lack something are taken",
        "params.missing",
        |it| {
            if it.is("explain_rule")
                && it.refuses("invalid_request")
                && it.sent["params"] == json!({})
            {
                it.accept()
            }
        },
    ),
    (
        "params that are no object are taken",
        "params.not-an-object",
        |it| {
            if it.refuses("invalid_request") && it.sent["params"].is_array() {
                it.accept()
            }
        },
    ),
    (
        "params that do not fit are the service's fault",
        "params.wrong-type",
        |it| {
            if it.refuses("invalid_request") {
                it.status = 500
            }
        },
    ),
    (
        "a contract is judged that was not given",
        "contracts.results",
        |it| {
            if it.sent["interface_contracts"].is_object() {
                it.answer["constraint_results"] =
                    json!([{"contract": "another", "satisfied": true}])
            }
        },
    ),
    ("a contract is judged twice", "contracts.results", |it| {
        if it.sent["interface_contracts"].is_object() {
            let result = it.answer["constraint_results"][0].clone();
            it.answer["constraint_results"] = json!([result, result])
        }
    }),
    (
        "a contract is judged without a verdict",
        "contracts.results",
        |it| {
            if it.sent["interface_contracts"].is_object() {
                it.answer["constraint_results"] = json!([{"contract": "conformance"}])
            }
        },
    ),
    (
        "an unknown method is a bad request",
        "envelope.unknown-method",
        |it| {
            if it.refuses("unsupported_method") {
                it.answer["error"]["code"] = json!("invalid_request")
            }
        },
    ),
    (
        "an unknown method is not the protocol's matter",
        "envelope.unknown-method",
        |it| {
            if it.refuses("unsupported_method") {
                it.raw = Some(b"not found".to_vec())
            }
        },
    ),
    (
        "the method of the envelope does not matter",
        "envelope.other-method",
        |it| {
            if it.refuses("invalid_request") && it.sent["method"] == "no_such_method_of_any_service"
            {
                it.accept()
            }
        },
    ),
    (
        "the version does not matter",
        "envelope.other-major-version",
        |it| {
            if it.refuses("api_version_mismatch") {
                it.accept()
            }
        },
    ),
    (
        "the minor version does not matter",
        "envelope.newer-minor-version",
        |it| {
            if it.refuses("api_version_mismatch") && it.sent["api_version"] != "2.0" {
                it.accept()
            }
        },
    ),
    ("the id may be missing", "envelope.no-request-id", |it| {
        if it.refuses("invalid_request") && it.sent.is_object() && it.sent["request_id"].is_null() {
            it.accept();
            it.answer["request_id"] = json!("")
        }
    }),
    ("the version may be missing", "envelope.no-version", |it| {
        if it.refuses("invalid_request") && it.sent.is_object() && it.sent["api_version"].is_null()
        {
            it.accept()
        }
    }),
    (
        "a field of a later version is refused",
        "envelope.unknown-field",
        |it| {
            if it.sent["x_of_a_later_version"].is_object() {
                it.answer = json!({"request_id": it.sent["request_id"], "status": "error", "error": {"code": "invalid_request", "message": "no"}})
            }
        },
    ),
    (
        "what is no JSON is the service's fault",
        "body.no-json",
        |it| {
            if it.refuses("invalid_request") && it.sent.is_null() {
                it.status = 500
            }
        },
    ),
    ("what is no object is taken", "body.no-object", |it| {
        if it.sent.is_array() {
            it.accept();
            it.answer["request_id"] = json!("")
        }
    }),
    (
        "what is nested deeply is the service's fault",
        "body.nested-deeply",
        |it| {
            if it.sent.is_null() {
                it.status = 502
            }
        },
    ),
    ("a huge body is the service's fault", "body.huge", |it| {
        if it.status == 413 {
            it.status = 500
        }
    }),
];

/// The reference service with a fault in front of it.
async fn faulty_proxy(fault: fn(&mut Exchange)) -> Endpoint {
    let spoil = move |request: Request, next: Next| async move {
        let method = request.uri().path().rsplit('/').next().unwrap().to_owned();
        let (parts, body) = request.into_parts();
        let sent = to_bytes(body, 64 << 20).await.unwrap_or_default();
        let again = Request::from_parts(parts, Body::from(sent.clone()));
        let response = next.run(again).await;
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), 64 << 20).await.unwrap();
        let mut exchange = Exchange {
            method,
            sent: serde_json::from_slice(&sent).unwrap_or_default(),
            status,
            answer: serde_json::from_slice(&bytes).unwrap_or_default(),
            content_type: "application/json",
            raw: None,
        };
        fault(&mut exchange);
        let said = || exchange.answer.to_string().into_bytes();
        let bytes = exchange.raw.clone().unwrap_or_else(said);
        Response::builder()
            .status(exchange.status)
            .header("content-type", exchange.content_type)
            .body(Body::from(bytes))
            .unwrap()
    };
    let app = router(std::sync::Arc::new(Crates)).layer(middleware::from_fn(spoil));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    Endpoint::Http(url)
}

#[tokio::test]
async fn each_planted_fault_is_caught() {
    let folder = packages();
    let mut missed = Vec::new();
    for (what, check, fault) in FAULTS {
        let report = check_service(faulty_proxy(*fault).await, folder.path()).await;
        let failed = report.checks.iter();
        let mut failed = failed.filter(|check| check.verdict == CheckVerdict::Failed);
        if !failed.any(|failed| failed.id == *check) {
            missed.push(format!("{what}: {:?}", failures(&report)));
        }
    }
    assert_eq!(missed, Vec::<String>::new());
    let names: BTreeSet<_> = FAULTS.iter().map(|(what, ..)| what).collect();
    assert!(names.len() >= 25);
}

/// Without a fault the twin is the reference service, so what is caught is the fault.
#[tokio::test]
async fn a_proxy_without_a_fault_passes() {
    let folder = packages();
    let report = check_service(faulty_proxy(|_| {}).await, folder.path()).await;
    assert_eq!(failures(&report), Vec::<String>::new());
}

#[tokio::test]
async fn an_absent_service_is_reported_at_once() {
    let folder = packages();
    let endpoint = Endpoint::Unix(folder.path().join("none.sock"));
    let report = check_service(endpoint, folder.path()).await;
    assert_eq!(failures(&report).len(), 1);
    assert!(!report.passed());
}
