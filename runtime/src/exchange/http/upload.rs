//! A request body with files of a store, which are read while they are sent.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::mpsc;

use crate::{
    exchange::request::PlannedRequest,
    files::{FileError, FileOwner, FileStore, StoredFile},
    progress::{Direction, Listener, Meter},
};

/// The blocks that are read ahead.
const AHEAD: usize = 2;

/// The files of a request.
#[derive(Clone, Copy)]
pub(crate) struct Attachments<'a> {
    pub(crate) store: &'a FileStore,
    pub(crate) owner: &'a FileOwner,
    pub(crate) now: jiff::Timestamp,
}

/// A body of known length that a thread reads from files.
struct Upload {
    blocks: mpsc::Receiver<Result<Bytes, FileError>>,
    left: u64,
    meter: Meter,
}

/// A part of a body.
enum Segment {
    Bytes(Bytes),
    File(Box<StoredFile>),
    /// A file as base64.
    Encoded(Box<StoredFile>),
}

/// Returns the body of a request with files.
pub(super) fn body(
    request: &PlannedRequest,
    bytes: &[u8],
    attachments: Option<Attachments<'_>>,
    progress: Option<&Listener>,
) -> Result<reqwest::Body, FileError> {
    let Attachments { store, owner, now } = attachments.ok_or(FileError::NoStore)?;
    let mut segments = Vec::new();
    let (mut left, mut sent) = (bytes.len() as u64, 0);
    for file in &request.files {
        let before = bytes.get(sent..file.at).unwrap_or_default();
        segments.push(Segment::Bytes(Bytes::copy_from_slice(before)));
        sent = file.at;
        let stored = store.open(&file.handle, owner, now)?;
        let size = stored.record().size;
        let (size, segment) = match file.is_base64 {
            true => (size.div_ceil(3) * 4, Segment::Encoded(Box::new(stored))),
            false => (size, Segment::File(Box::new(stored))),
        };
        left = left.saturating_add(size);
        segments.push(segment);
    }
    let rest = bytes.get(sent..).unwrap_or_default();
    segments.push(Segment::Bytes(Bytes::copy_from_slice(rest)));
    let (sender, blocks) = mpsc::channel(AHEAD);
    tokio::task::spawn_blocking(move || feed(segments, &sender));
    let meter = Meter::new(progress, Direction::Sent, Some(left));
    Ok(reqwest::Body::wrap(Upload {
        blocks,
        left,
        meter,
    }))
}

/// Sends the blocks of a body, until the receiver is gone.
fn feed(segments: Vec<Segment>, sender: &mpsc::Sender<Result<Bytes, FileError>>) {
    for segment in segments {
        let sent = match segment {
            Segment::Bytes(bytes) => sender.blocking_send(Ok(bytes)).is_ok(),
            Segment::File(file) => feed_file(*file, sender, Bytes::from),
            // All blocks but the last are groups of three bytes.
            Segment::Encoded(file) => {
                feed_file(*file, sender, |block| BASE64_STANDARD.encode(block).into())
            }
        };
        if !sent {
            return;
        }
    }
}

/// Sends the blocks of a file, and returns whether all were sent.
fn feed_file(
    file: StoredFile,
    sender: &mpsc::Sender<Result<Bytes, FileError>>,
    encode: impl Fn(Vec<u8>) -> Bytes,
) -> bool {
    file.blocks().all(|block| {
        let is_block = block.is_ok();
        sender.blocking_send(block.map(&encode)).is_ok() && is_block
    })
}

impl Body for Upload {
    type Data = Bytes;
    type Error = FileError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, FileError>>> {
        let frame = match ready!(self.blocks.poll_recv(context)) {
            Some(Ok(bytes)) => {
                self.left = self.left.saturating_sub(bytes.len() as u64);
                self.meter.add(bytes.len());
                Some(Ok(Frame::data(bytes)))
            }
            Some(Err(error)) => Some(Err(error)),
            None if self.left > 0 => Some(Err(FileError::Changed)),
            None => None,
        };
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
