//! The protocol of programs that call tools by their names, over a Unix socket. `docs/code.md` describes it.
//!
//! A connection carries one call. The request and the answer are JSON after their lengths, which are four bytes with
//! the most significant first: `{"tool": …, "arguments": …}`, then `{"result": …}` or `{"error": …}`.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::error::ToolError;

/// The longest request, in bytes.
pub const LONGEST_REQUEST: usize = 4 << 20;

/// A request for a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallRequest {
    /// The name of the tool.
    pub tool: String,
    /// The arguments: an object, or null for none.
    #[serde(default)]
    pub arguments: Value,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CallAnswer {
    /// The result of the call.
    #[serde(rename = "result")]
    Success(Value),
    /// Why there is none: an object with `code` and `message`, and further facts of some errors.
    #[serde(rename = "error")]
    Failure(Value),
}

impl CallAnswer {
    /// Creates the answer to a request that is no call.
    #[must_use]
    pub fn refusal(code: &str, message: &str) -> Self {
        Self::Failure(json!({"code": code, "message": message}))
    }

    /// Creates the answer to a call that failed.
    #[must_use]
    pub fn failure(error: &ToolError) -> Self {
        let mut error = error.to_json();
        let error = error.get_mut("error").map(Value::take);
        Self::Failure(error.unwrap_or_default())
    }
}

/// Reads a request, or returns the answer that refuses it.
///
/// # Errors
/// If the connection fails, or ends before the request.
pub async fn read_request(
    connection: &mut (impl AsyncRead + Unpin),
) -> io::Result<Result<CallRequest, CallAnswer>> {
    let length = usize::try_from(connection.read_u32().await?).unwrap_or(usize::MAX);
    if length > LONGEST_REQUEST {
        let message = "a request has at most 4 MiB";
        return Ok(Err(CallAnswer::refusal("request_too_long", message)));
    }
    // The length is that of the other side, so room is made only for what arrives.
    let mut request = Vec::new();
    let mut rest = connection.take(length as u64);
    if rest.read_to_end(&mut request).await? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let request = serde_json::from_slice(&request);
    Ok(request.map_err(|error| CallAnswer::refusal("malformed_request", &error.to_string())))
}

/// Writes an answer.
///
/// # Errors
/// If the connection fails, or the answer has 4 GiB.
pub async fn write_answer(
    connection: &mut (impl AsyncWrite + Unpin),
    answer: &CallAnswer,
) -> io::Result<()> {
    let answer = serde_json::to_vec(answer)?;
    let length = u32::try_from(answer.len()).map_err(io::Error::other)?;
    connection.write_u32(length).await?;
    connection.write_all(&answer).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(json: &str) -> Vec<u8> {
        let length = u32::try_from(json.len()).unwrap();
        [&length.to_be_bytes(), json.as_bytes()].concat()
    }

    #[tokio::test]
    async fn a_request_has_a_tool_and_nothing_unknown() {
        let read = async |json: &str| read_request(&mut framed(json).as_slice()).await.unwrap();
        let request = read(r#"{"tool": "x"}"#).await.unwrap();
        assert_eq!(
            (request.tool.as_str(), request.arguments),
            ("x", Value::Null)
        );
        for wrong in ["", "{}", "[]", r#"{"tool": "x", "role": "admin"}"#] {
            let answer = read(wrong).await.unwrap_err();
            let CallAnswer::Failure(error) = answer else {
                panic!("{answer:?}")
            };
            assert_eq!(error["code"], "malformed_request", "{wrong}");
        }
    }

    #[tokio::test]
    async fn a_length_reserves_nothing() {
        let long = u32::MAX.to_be_bytes();
        let mut long = long.as_slice();
        let refused = read_request(&mut long).await.unwrap();
        let expected = CallAnswer::refusal("request_too_long", "a request has at most 4 MiB");
        assert_eq!(refused, Err(expected));
        let cut = framed("{}");
        let mut cut = cut.split_last().unwrap().1;
        let kind = read_request(&mut cut).await.unwrap_err().kind();
        assert_eq!(kind, io::ErrorKind::UnexpectedEof);
    }

    #[tokio::test]
    async fn an_answer_is_read_as_it_was_written() {
        let mut written = Vec::new();
        let answer = CallAnswer::Success(json!({"n": 1}));
        write_answer(&mut written, &answer).await.unwrap();
        assert_eq!(written, framed(r#"{"result":{"n":1}}"#));
        let read: CallAnswer = serde_json::from_slice(&written[4..]).unwrap();
        assert_eq!(read, answer);
    }
}
