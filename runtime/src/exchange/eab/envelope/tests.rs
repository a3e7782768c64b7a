//! Answers that keep to the protocol, and answers that do not.

use serde_json::json;

use super::*;

const ID: &str = "6f9f3c0a-1f5e-4b7e-9f0a-0d9b7f4f2a11";

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "status": {"enum": ["success", "failure"]},
            "result": {"type": "object", "properties": {"checked": {"type": "integer"}},
                       "required": ["checked"]},
            "diagnostics": {"type": "array", "items": {
                "type": "object",
                "properties": {"severity": {"enum": ["blocking", "warning", "informational"]},
                               "category": {"type": "string"}, "message": {"type": "string"}},
                "required": ["severity", "category", "message"]}},
            "constraint_results": {"type": "array"},
        },
        "required": ["status", "diagnostics"],
    })
}

fn read(answer: &Value) -> Result<Outcome, Fault> {
    read_outcome(answer.to_string().as_bytes(), ID, &schema())
}

fn good() -> Value {
    json!({"request_id": ID, "status": "success", "result": {"checked": 3}, "diagnostics": []})
}

#[test]
fn a_result_is_returned_without_the_envelope() {
    let mut answer = good();
    answer["metadata"] = json!({"took": 1});
    answer["else"] = json!(1);
    let expected = json!({"status": "success", "result": {"checked": 3}, "diagnostics": [],
                          "metadata": {"took": 1}});
    assert_eq!(read(&answer), Ok(Outcome::Ran(expected)));
}

#[test]
fn a_failure_needs_no_result() {
    let diagnostic = json!({"severity": "blocking", "category": "syntax_error", "message": "x"});
    let answer = json!({"request_id": ID, "status": "failure", "result": null,
                        "diagnostics": [diagnostic]});
    let expected = json!({"status": "failure", "diagnostics": [diagnostic]});
    assert_eq!(read(&answer), Ok(Outcome::Ran(expected)));
}

#[test]
fn a_diagnostic_of_an_unknown_category_is_informational() {
    let mut answer = good();
    answer["diagnostics"] = json!([{"severity": "blocking", "category": "vibes", "message": "x"}]);
    let Ok(Outcome::Ran(outcome)) = read(&answer) else {
        panic!("it conforms");
    };
    assert_eq!(outcome["diagnostics"][0]["severity"], "informational");
}

#[test]
fn an_error_code_decides_whether_to_try_again() {
    for &code in ErrorCode::ALL {
        let answer = json!({"request_id": ID, "status": "error",
                            "error": {"code": code.word(), "message": "m"}});
        let message = "m".to_owned();
        assert_eq!(read(&answer), Ok(Outcome::Error { code, message }));
    }
    let retryable: Vec<_> = ErrorCode::ALL
        .iter()
        .filter(|code| code.is_retryable())
        .map(|code| code.word())
        .collect();
    assert_eq!(retryable, ["tool_failed", "timeout", "internal_error"]);
}

#[test]
fn a_nonconforming_envelope_is_refused_with_the_place() {
    let diagnostic = |field: &str, value: Value| {
        let mut diagnostic =
            json!({"severity": "warning", "category": "syntax_error", "message": "x"});
        diagnostic[field] = value;
        json!([diagnostic])
    };
    for (field, value, pointer) in [
        ("request_id", json!("another"), "/request_id"),
        ("request_id", json!(1), "/request_id"),
        ("status", json!("ok"), "/status"),
        ("status", json!(null), "/status"),
        ("status", json!("error"), "/error"),
        ("result", json!({"checked": "3"}), "/result/checked"),
        ("result", json!({}), "/result"),
        ("result", json!(null), "/result"),
        ("diagnostics", json!(null), "/diagnostics"),
        ("diagnostics", json!({}), "/diagnostics"),
        ("diagnostics", json!([1]), "/diagnostics/0"),
        (
            "diagnostics",
            diagnostic("severity", json!("fatal")),
            "/diagnostics/0/severity",
        ),
        (
            "diagnostics",
            diagnostic("message", json!(7)),
            "/diagnostics/0/message",
        ),
        (
            "diagnostics",
            diagnostic("severity", json!("blocking")),
            "/status",
        ),
        ("constraint_results", json!(true), "/constraint_results"),
    ] {
        let mut answer = good();
        answer[field] = value.clone();
        let Err(Fault(violations)) = read(&answer) else {
            panic!("{field} {value} is accepted");
        };
        assert_eq!(violations[0].pointer, pointer, "{field} {value}");
    }
}

#[test]
fn an_invalid_error_is_refused() {
    for (error, pointer) in [
        (json!("bad"), "/error"),
        (json!({"message": "m"}), "/error/code"),
        (json!({"code": "oops", "message": "m"}), "/error/code"),
        (json!({"code": "timeout"}), "/error/message"),
    ] {
        let answer = json!({"request_id": ID, "status": "error", "error": error});
        assert_eq!(read(&answer).unwrap_err().0[0].pointer, pointer);
    }
}

#[test]
fn a_body_that_is_not_a_json_object_is_refused() {
    let deep = "[".repeat(100_000);
    let deep_object = "{\"a\":".repeat(100_000);
    for bytes in [
        &b""[..],
        b"null",
        b"[]",
        b"\xff\xfe",
        b"{\"request_id\": \"\xff\"}",
        b"{\"request_id\":",
        deep.as_bytes(),
        deep_object.as_bytes(),
    ] {
        let fault = read_outcome(bytes, ID, &schema()).unwrap_err();
        assert_eq!(fault.0[0].pointer, "");
    }
}

/// A generator of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

/// Bytes of a good answer are changed, dropped, doubled and swapped: nothing panics, and what is
/// accepted is an answer to this request that keeps to the schema.
#[test]
fn broken_answers_never_panic() {
    let mut answer = good();
    answer["diagnostics"] =
        json!([{"severity": "warning", "category": "syntax_error", "message": "é"}]);
    let text = answer.to_string().into_bytes();
    let compiled = ArgumentSchema::default();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut bytes = text.clone();
        for _ in 0..=numbers.below(4) {
            if bytes.is_empty() {
                break;
            }
            let at = numbers.below(bytes.len());
            match numbers.below(5) {
                0 => bytes[at] = u8::try_from(numbers.below(256)).unwrap(),
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"{}[]\",:0e\\"[numbers.below(10)]),
                3 => bytes.truncate(at.max(1)),
                _ => {
                    let other = numbers.below(bytes.len());
                    bytes.swap(at, other);
                }
            }
        }
        if let Ok(Outcome::Ran(outcome)) = read_checked(&bytes, ID, &schema(), &compiled) {
            accepted += 1;
            assert_eq!(compiled.violations(&schema(), &outcome), Ok(Vec::new()));
        }
    }
    assert!(accepted > 0, "some changes are within texts");
}
