//! The parts that every check uses: valid envelopes, and responses.

use serde_json::{Value, json};
use toolwright::{
    binding::EabBinding,
    eab::{Client, Outcome, Reply, read_outcome},
};
use toolwright_model::eab::ErrorCode;
use uuid::Uuid;

use super::{Options, Report};

/// The schema of any outcome, for responses that are checked for their envelope only.
const ANYTHING: Value = Value::Bool(true);

/// A visit to one service.
pub(super) struct Visit<'v> {
    pub(super) client: &'v Client,
    pub(super) report: &'v mut Report,
    binding: &'v EabBinding,
    options: &'v Options,
}

impl<'v> Visit<'v> {
    pub(super) const fn new(
        client: &'v Client,
        binding: &'v EabBinding,
        options: &'v Options,
        report: &'v mut Report,
    ) -> Self {
        Self {
            client,
            report,
            binding,
            options,
        }
    }

    /// An envelope that is right.
    pub(super) fn envelope(&self, method: &str, params: &Value) -> Value {
        let mut envelope = json!({
            "request_id": Uuid::new_v4().to_string(),
            "api_version": self.binding.api_version,
            "method": method,
            "caller": {"system": "toolwright", "role": "conformance"},
            "params": params,
        });
        if let (Some(repository), Some(fields)) =
            (&self.options.repository, envelope.as_object_mut())
        {
            fields.insert("repository".to_owned(), repository.clone());
        }
        envelope
    }

    /// Sends an envelope. A transport error is returned as a message.
    pub(super) async fn send(&self, method: &str, envelope: &Value) -> Result<Reply, String> {
        self.send_bytes(method, envelope.to_string().into_bytes())
            .await
    }

    pub(super) async fn send_bytes(&self, method: &str, body: Vec<u8>) -> Result<Reply, String> {
        let reply = self.client.post(method, body).await;
        let reply = reply.map_err(|error| error.to_string())?;
        if reply.truncated {
            let bound = self.options.max_response_bytes;
            return Err(format!("the answer is longer than {bound} bytes"));
        }
        Ok(reply)
    }
}

/// Checks that a response refuses a request with one of these codes. A response to something other
/// than an envelope has nothing to repeat, so only its kind counts.
pub(super) fn refuses(
    reply: Result<Reply, String>,
    request_id: Option<&str>,
    codes: &[ErrorCode],
) -> Result<(), String> {
    let reply = reply?;
    let status = reply.status;
    if status >= 500 {
        return Err(format!("it answers with the status {status}"));
    }
    let said = serde_json::from_slice::<Value>(&reply.bytes).unwrap_or_default();
    let id = match request_id {
        Some(id) => id.to_owned(),
        None => said
            .get("request_id")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
    };
    let bytes = if id.is_empty() {
        with_id(said)
    } else {
        reply.bytes
    };
    match read_outcome(&bytes, &id, &ANYTHING) {
        Ok(Outcome::Error { code, message }) if codes.contains(&code) => {
            if message.trim().is_empty() {
                return Err("the error has no message".to_owned());
            }
            Ok(())
        }
        Ok(Outcome::Error { code, .. }) => Err(format!(
            "the code is `{code}`, expected {}",
            join_codes(codes)
        )),
        Ok(Outcome::Ran(_)) => Err(format!("it is carried out, expected {}", join_codes(codes))),
        Err(fault) => Err(format!("the answer does not conform: {fault}")),
    }
}

/// The answer with the empty id that it is read with.
fn with_id(mut said: Value) -> Vec<u8> {
    if let Some(fields) = said.as_object_mut() {
        fields.insert("request_id".to_owned(), "".into());
    }
    said.to_string().into_bytes()
}

fn join_codes(codes: &[ErrorCode]) -> String {
    let words: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
    words.join(" or ")
}

/// The id of an envelope.
pub(super) fn id_of(envelope: &Value) -> &str {
    let id = envelope.get("request_id").and_then(Value::as_str);
    id.unwrap_or_default()
}
