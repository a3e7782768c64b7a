//! The body of an answer in blocks, decompressed if the service has compressed it.
//!
//! Requests accept `gzip` alone. The limits of an answer concern the decompressed bytes, and a body
//! that expands without measure is refused before it reaches them.

use std::io::Write;

use bytes::Bytes;
use flate2::write::GzDecoder;
use reqwest::{Response, header::CONTENT_ENCODING};

use super::fault;
use crate::error::ToolError;

/// The value of `Accept-Encoding`.
pub(super) const ACCEPTED: &str = "gzip";

/// The most compressed bytes that are decompressed at once. They become a mebibyte at most.
const PIECE: usize = 1024;

/// The size from which on the expansion is measured, in bytes.
const MEASURED: u64 = 1 << 20;

/// The greatest expansion. Texts expand by a factor of 10, repetitive ones of 100.
const MOST_EXPANSION: u64 = 250;

/// The longest name of an encoding that an error repeats.
const LONGEST_NAME: usize = 20;

/// The body of an answer.
pub(super) struct Blocks<'p> {
    peer: &'p str,
    response: Response,
    inflation: Option<Inflation>,
}

/// A compressed body.
struct Inflation {
    status: u16,
    decoder: GzDecoder<Vec<u8>>,
    waiting: Bytes,
    received: u64,
    expanded: u64,
    is_finished: bool,
}

impl<'p> Blocks<'p> {
    /// # Errors
    /// If the body has another encoding than the accepted one.
    pub(super) fn new(peer: &'p str, response: Response) -> Result<Self, ToolError> {
        let status = response.status().as_u16();
        let header = response.headers().get(CONTENT_ENCODING);
        let encoding = header.map(|value| value.to_str().unwrap_or_default().trim());
        let inflation = match encoding.map(str::to_ascii_lowercase).as_deref() {
            None | Some("" | "identity") => None,
            Some("gzip" | "x-gzip") => Some(Inflation {
                status,
                decoder: GzDecoder::new(Vec::new()),
                waiting: Bytes::new(),
                received: 0,
                expanded: 0,
                is_finished: false,
            }),
            Some(other) => return Err(unaccepted(status, other)),
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
        while !inflation.is_finished {
            if inflation.waiting.is_empty() {
                match Self::receive(self.peer, &mut self.response).await? {
                    Some(block) => inflation.waiting = block,
                    None => return inflation.finish(),
                }
            }
            let block = inflation.expand()?;
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

impl Inflation {
    /// Decompresses a piece of the received bytes.
    fn expand(&mut self) -> Result<Bytes, ToolError> {
        let piece = self.waiting.split_to(self.waiting.len().min(PIECE));
        self.received += piece.len() as u64;
        let written = self.decoder.write_all(&piece);
        written.map_err(|_| self.unusable("is damaged"))?;
        self.take()
    }

    /// Returns the rest of the body.
    fn finish(&mut self) -> Result<Option<Bytes>, ToolError> {
        // An answer without a body may still name an encoding.
        if self.received > 0 {
            let finished = self.decoder.try_finish();
            finished.map_err(|_| self.unusable("is damaged or incomplete"))?;
        }
        self.is_finished = true;
        let rest = self.take()?;
        Ok(Some(rest).filter(|rest| !rest.is_empty()))
    }

    fn take(&mut self) -> Result<Bytes, ToolError> {
        let block = std::mem::take(self.decoder.get_mut());
        self.expanded += block.len() as u64;
        let most = self.received.saturating_mul(MOST_EXPANSION).max(MEASURED);
        if self.expanded > most {
            let what = format!("expands by more than a factor of {MOST_EXPANSION}");
            return Err(self.unusable(&what));
        }
        Ok(block.into())
    }

    fn unusable(&self, what: &str) -> ToolError {
        unusable(
            self.status,
            format!("the service's compressed answer {what}"),
        )
    }
}

fn unaccepted(status: u16, encoding: &str) -> ToolError {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ',' | ' ');
    let is_shown = encoding.len() <= LONGEST_NAME && encoding.chars().all(is_name);
    let encoding = if is_shown { encoding } else { "something" };
    let message =
        format!("the service's answer is encoded as `{encoding}`, which was not accepted");
    unusable(status, message)
}

const fn unusable(status: u16, message: String) -> ToolError {
    ToolError::UnusableAnswer {
        status: Some(status),
        message,
        request: None,
    }
}
