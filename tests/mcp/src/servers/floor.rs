//! The least that a call takes which is checked and recorded: it reads the credential, checks the arguments and the
//! answer against their schemas, and appends two lines to a file that other processes may append to.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::Failure;

/// The checks and the record of a server's calls.
#[derive(Debug)]
pub(super) struct Floor {
    credential: PathBuf,
    record: Mutex<File>,
    arguments: Validator,
    answer: Validator,
}

impl Floor {
    /// Creates the files of the floor in a folder.
    pub(super) fn new(folder: &Path) -> Result<Self, Failure> {
        let credential = folder.join("credential.json");
        fs::write(
            &credential,
            r#"{"api_token": "a-token-of-the-upstream-service"}"#,
        )?;
        let mut options = File::options();
        let record = options.create(true).append(true);
        let record = record.open(folder.join("record.jsonl"))?;
        let arguments = json!({
            "type": "object",
            "required": ["id"],
            "properties": {"id": {"type": "integer"}},
        });
        let answer = json!({
            "type": "object",
            "required": ["id", "name", "count"],
            "properties": {
                "id": {"type": "integer"}, "name": {"type": "string"}, "count": {"type": "integer"},
            },
        });
        Ok(Self {
            credential,
            record: Mutex::new(record),
            arguments: jsonschema::validator_for(&arguments)?,
            answer: jsonschema::validator_for(&answer)?,
        })
    }

    /// Checks the arguments and records the decision. Returns the token for the request.
    pub(super) fn before(&self, arguments: &Value) -> Result<String, Failure> {
        let credential = fs::read(&self.credential)?;
        let credential: Value = serde_json::from_slice(&credential)?;
        if !self.arguments.is_valid(arguments) {
            return Err("the arguments do not fit".into());
        }
        self.append(&json!({
            "event": "decision", "role": "agent", "tool": "get_item", "arguments": ["id"], "decision": "allow",
        }))?;
        let token = credential.get("api_token").and_then(Value::as_str);
        Ok(token.ok_or("there is no token")?.to_owned())
    }

    /// Checks the answer and records the outcome.
    pub(super) fn after(&self, answer: &Value) -> Result<(), Failure> {
        let fits = self.answer.is_valid(answer);
        self.append(
            &json!({"event": "outcome", "role": "agent", "tool": "get_item", "is_valid": fits}),
        )?;
        match fits {
            true => Ok(()),
            false => Err("the answer does not fit".into()),
        }
    }

    fn append(&self, event: &Value) -> io::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        record.lock()?;
        let written = record.write_all(&line);
        record.unlock()?;
        written
    }
}
