//! The answer as it arrives: into memory up to a limit, or block by block into a file.

use std::time::Duration;

use percent_encoding::percent_decode_str;
use reqwest::{
    Response,
    header::{CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, LINK},
};
use tokio::time::{Instant, timeout_at};

use super::{
    Sending,
    answer::{is_binary, is_stream},
    blocks::Blocks,
    fault,
    link::next_of,
    retry::retry_after,
    save::{SaveFault, Saving},
};
use crate::{
    error::ToolError,
    files::{FileFacts, media_type_of, plain_name},
    progress::{Direction, Meter},
};

/// The longest version of an answer that is kept, in bytes.
const LONGEST_ETAG: usize = 256;

/// An answer, before it is decoded.
#[derive(Debug)]
pub(crate) struct RawAnswer {
    pub(crate) status: u16,
    pub(crate) content_type: Option<String>,
    /// The URL of the next page that the header `Link` has.
    pub(super) link: Option<String>,
    /// The version of the answer, if it is short.
    pub(super) etag: Option<String>,
    /// The time after which the service asks to send the request again.
    pub(super) retry_after: Option<Duration>,
    pub(crate) bytes: Vec<u8>,
    /// The reason why only a part of the answer was read.
    pub(crate) cut: Option<Cut>,
    /// The saved body; `bytes` is empty then.
    pub(super) saved: Option<FileFacts>,
    /// True if the service redirected the request before.
    pub(super) follows_redirect: bool,
}

/// The reason why only a part of an answer was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It is larger than the limit.
    Size {
        /// The limit in bytes.
        limit: u64,
        /// The size, if the service states it.
        size: Option<u64>,
    },
    /// It is a stream that did not end in time.
    Time,
    /// It is a stream of more messages than a result has.
    #[cfg(feature = "grpc")]
    Messages,
}

impl RawAnswer {
    /// Returns the error for an answer that is too large. Those of domain services cannot be saved.
    pub(crate) fn too_large(&self, can_be_saved: bool) -> Option<ToolError> {
        match self.cut {
            Some(Cut::Size { limit, size }) => Some(ToolError::AnswerTooLarge {
                status: self.status,
                limit,
                size,
                can_be_saved,
                request: None,
            }),
            Some(_) | None => None,
        }
    }

    /// Creates an answer that has only a body.
    #[cfg(feature = "grpc")]
    pub(super) fn new(status: u16, content_type: &str, bytes: Vec<u8>, cut: Option<Cut>) -> Self {
        Self {
            status,
            content_type: Some(content_type.to_owned()),
            link: None,
            etag: None,
            retry_after: None,
            bytes,
            cut,
            saved: None,
            follows_redirect: false,
        }
    }

    const fn is_success(&self) -> bool {
        matches!(self.status, 200..300)
    }
}

/// Receives an answer. Only a successful one is saved.
pub(super) async fn receive(
    sending: &Sending<'_>,
    peer: &str,
    response: Response,
    deadline: Instant,
) -> Result<RawAnswer, ToolError> {
    let header = |name| response.headers().get(name)?.to_str().ok();
    let answer = RawAnswer {
        status: response.status().as_u16(),
        content_type: header(CONTENT_TYPE).map(str::to_owned),
        link: next_link(&response),
        etag: header(ETAG)
            .filter(|etag| etag.len() <= LONGEST_ETAG)
            .map(str::to_owned),
        retry_after: retry_after(&response),
        bytes: Vec::new(),
        cut: None,
        saved: None,
        follows_redirect: false,
    };
    let saving = sending.saving.as_ref().filter(|saving| {
        let content_type = answer.content_type.as_deref();
        let is_binary = |binding| is_binary(binding, answer.status, content_type);
        answer.is_success() && saving.binding().is_none_or(is_binary)
    });
    match saving {
        Some(saving) => save(sending, saving, peer, answer, response).await,
        None => read(sending, peer, answer, response, deadline).await,
    }
}

/// Reads an answer into memory. A stream need not end: the part that arrived in time is its answer.
async fn read(
    sending: &Sending<'_>,
    peer: &str,
    mut answer: RawAnswer,
    response: Response,
    deadline: Instant,
) -> Result<RawAnswer, ToolError> {
    let most = sending.limits.max_response_bytes;
    let limit = most as u64;
    let mut body = Blocks::new(peer, response)?;
    let size = body.size();
    let too_large = Some(Cut::Size { limit, size });
    if answer.is_success() && size.is_some_and(|size| size > limit) {
        answer.cut = too_large;
        return Ok(answer);
    }
    let mut meter = Meter::new(sending.progress, Direction::Received, size);
    let is_stream = answer.content_type.as_deref().is_some_and(is_stream);
    answer.cut = loop {
        let Ok(chunk) = timeout_at(deadline, body.next()).await else {
            if is_stream && !answer.bytes.is_empty() {
                break Some(Cut::Time);
            }
            return Err(fault::timed_out(sending.limits.timeout));
        };
        let Some(chunk) = chunk? else { break None };
        meter.add(chunk.len());
        let room = most.saturating_sub(answer.bytes.len());
        answer.bytes.extend(chunk.iter().take(room));
        if chunk.len() > room {
            break too_large;
        }
    };
    if answer.cut.is_some() {
        sending.redactor.cut(&mut answer.bytes);
    }
    Ok(answer)
}

/// Saves the body of an answer. A body that breaks off, is too large, or contains a secret of the
/// call leaves nothing behind.
async fn save(
    sending: &Sending<'_>,
    saving: &Saving<'_>,
    peer: &str,
    mut answer: RawAnswer,
    response: Response,
) -> Result<RawAnswer, ToolError> {
    let status = answer.status;
    let name = suggested_name(&response);
    let mut blocks = Blocks::new(peer, response)?;
    let (limit, size) = (saving.limit, blocks.size());
    if size.is_some_and(|size| size > limit) {
        return Err(too_large(status, limit, size));
    }
    let failed = |fault| match fault {
        SaveFault::TooLarge => too_large(status, limit, None),
        SaveFault::Secret => has_secret(status),
        SaveFault::File(error) => error.into(),
    };
    let media_type = media_type_of(answer.content_type.as_deref());
    let has_secret = |text: &str| sending.redactor.has_secret(text);
    let mut body = saving.open(sending.redactor).map_err(failed)?;
    let mut meter = Meter::new(sending.progress, Direction::Received, size);
    let end = Instant::now() + saving.transfer;
    loop {
        let idle = Instant::now() + sending.limits.timeout;
        let Ok(chunk) = timeout_at(idle.min(end), blocks.next()).await else {
            return Err(match Instant::now() < end {
                true => fault::stalled(sending.limits.timeout),
                false => fault::timed_out(saving.transfer),
            });
        };
        let Some(chunk) = chunk? else { break };
        body.write(&chunk).map_err(failed)?;
        meter.add(chunk.len());
    }
    let media_type = match has_secret(&media_type) {
        true => media_type_of(None),
        false => media_type,
    };
    let name = name.filter(|name| !has_secret(name));
    answer.saved = Some(body.finish(media_type, name).map_err(failed)?);
    Ok(answer)
}

const fn too_large(status: u16, limit: u64, size: Option<u64>) -> ToolError {
    ToolError::AnswerTooLarge {
        status,
        limit,
        size,
        can_be_saved: false,
        request: None,
    }
}

fn has_secret(status: u16) -> ToolError {
    let message = "the service's answer contains a secret of the call, and is not saved";
    fault::unusable(status, message.to_owned())
}

fn next_link(response: &Response) -> Option<String> {
    let mut links = response.headers().get_all(LINK).iter();
    links.find_map(|link| next_of(link.to_str().ok()?))
}

/// Returns the name that the service suggests for a file, without folders and without special
/// characters. It is shown, and it is never used as a path.
fn suggested_name(response: &Response) -> Option<String> {
    let header = response.headers().get(CONTENT_DISPOSITION)?;
    let text = header.to_str().ok()?;
    let parameter = |key: &str| {
        let start = text.to_ascii_lowercase().find(key)? + key.len();
        let rest = text.get(start..)?;
        Some(match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default(),
            None => rest.split(';').next().unwrap_or_default().trim(),
        })
    };
    let encoded = parameter("filename*=").and_then(|value| value.rsplit('\'').next());
    let decoded = encoded.map(|value| percent_decode_str(value).decode_utf8_lossy().into_owned());
    plain_name(&decoded.or_else(|| parameter("filename=").map(str::to_owned))?)
}
