//! The body of an answer in blocks, decompressed if the service has compressed it.
//!
//! The limits of an answer concern the decompressed bytes.

use bytes::Bytes;
use reqwest::{Response, header::CONTENT_ENCODING};

use super::{fault, gzip::Inflation};
use crate::error::ToolError;

/// The longest name of an encoding that an error repeats.
const LONGEST_NAME: usize = 20;

/// The body of an answer.
pub(super) struct Blocks<'p> {
    peer: &'p str,
    response: Response,
    inflation: Option<Inflation>,
}

impl<'p> Blocks<'p> {
    /// # Errors
    /// If the body has an encoding that the request did not accept.
    pub(super) fn new(peer: &'p str, response: Response) -> Result<Self, ToolError> {
        let status = response.status().as_u16();
        let header = response.headers().get(CONTENT_ENCODING);
        let encoding = header.map(|value| value.to_str().unwrap_or("?").trim());
        let inflation = match encoding.map(str::to_ascii_lowercase).as_deref() {
            None | Some("" | "identity") => None,
            Some(encoding) => {
                let inflation = Inflation::new(encoding, status);
                Some(inflation.ok_or_else(|| unaccepted(status, encoding))?)
            }
        };
        Ok(Self {
            peer,
            response,
            inflation,
        })
    }

    /// Returns the size of the body, if the service states it and has not compressed it.
    pub(super) fn size(&self) -> Option<u64> {
        match self.inflation {
            Some(_) => None,
            None => self.response.content_length(),
        }
    }

    /// Returns the next block; none after the end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, ToolError> {
        let Some(inflation) = &mut self.inflation else {
            return Self::receive(self.peer, &mut self.response).await;
        };
        while !inflation.is_finished() {
            let block = if inflation.is_hungry() {
                match Self::receive(self.peer, &mut self.response).await? {
                    Some(block) => {
                        inflation.feed(block);
                        continue;
                    }
                    None => inflation.finish()?,
                }
            } else {
                inflation.expand()?
            };
            if !block.is_empty() {
                return Ok(Some(block));
            }
        }
        Ok(None)
    }

    async fn receive(peer: &str, response: &mut Response) -> Result<Option<Bytes>, ToolError> {
        let block = response.chunk().await;
        block.map_err(|error| fault::unanswered(peer, &error))
    }
}

fn unaccepted(status: u16, encoding: &str) -> ToolError {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ',' | ' ');
    let is_shown = encoding.len() <= LONGEST_NAME && encoding.chars().all(is_name);
    let encoding = if is_shown { encoding } else { "something" };
    let message =
        format!("the service's answer is encoded as `{encoding}`, which was not accepted");
    fault::unusable(status, message)
}
