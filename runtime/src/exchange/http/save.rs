//! The place of a body that is saved.

use std::time::Duration;

use jiff::Timestamp;
use toolwright_model::{HttpBinding, ToolName};

use crate::{
    exchange::redact::{Redactor, SecretFound, StreamSearch},
    files::{
        AnswerWriter, FileError, FileFacts, FileOwner, FileStore, FileWriter, Measured, NewFile,
    },
    workspace::ServiceWorkspace,
};

/// How the body of a successful answer is saved.
pub(crate) struct Saving<'a> {
    /// The largest body in bytes.
    pub(crate) limit: u64,
    /// The time that the body may take.
    pub(crate) transfer: Duration,
    pub(crate) place: Place<'a>,
}

/// The place of a saved body.
pub(crate) enum Place<'a> {
    /// A store, for bytes. Other answers become values.
    Store(StorePlace<'a>),
    /// A writer of the program, for every answer.
    Writer(&'a AnswerWriter),
}

/// A place in a store.
#[derive(Clone, Copy)]
pub(crate) struct StorePlace<'a> {
    pub(crate) store: &'a FileStore,
    pub(crate) owner: &'a FileOwner,
    pub(crate) binding: &'a HttpBinding,
    pub(crate) tool: &'a ToolName,
    /// The named workspace of the service.
    pub(crate) source: Option<&'a ServiceWorkspace>,
    pub(crate) now: Timestamp,
}

/// The reason why a body is not saved.
pub(super) enum SaveFault {
    TooLarge,
    Secret,
    File(FileError),
}

/// A body that is being saved.
pub(super) struct SavedBody<'a> {
    limit: u64,
    received: u64,
    search: StreamSearch<'a>,
    sink: Sink<'a>,
}

enum Sink<'a> {
    File(Box<FileWriter>, StorePlace<'a>),
    Writer(&'a AnswerWriter, Measured),
}

impl<'a> Saving<'a> {
    /// Returns the binding that determines which answers are bytes; none if every answer is saved.
    pub(super) const fn binding(&self) -> Option<&'a HttpBinding> {
        match &self.place {
            Place::Store(place) => Some(place.binding),
            Place::Writer(_) => None,
        }
    }

    pub(super) fn open(&self, redactor: &'a Redactor) -> Result<SavedBody<'a>, SaveFault> {
        let sink = match self.place {
            Place::Store(place) => {
                let writer = place.store.begin(place.owner, place.now);
                Sink::File(Box::new(writer.map_err(SaveFault::File)?), place)
            }
            Place::Writer(writer) => Sink::Writer(writer, Measured::default()),
        };
        Ok(SavedBody {
            limit: self.limit,
            received: 0,
            search: redactor.search_stream(),
            sink,
        })
    }
}

impl SavedBody<'_> {
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), SaveFault> {
        self.received = self.received.saturating_add(bytes.len() as u64);
        if self.received > self.limit {
            return Err(SaveFault::TooLarge);
        }
        let searched = self.search.push(bytes)?;
        self.sink.write(&searched)
    }

    pub(super) fn finish(
        self,
        media_type: String,
        name: Option<String>,
    ) -> Result<FileFacts, SaveFault> {
        let Self {
            search, mut sink, ..
        } = self;
        sink.write(&search.finish()?)?;
        match sink {
            Sink::File(writer, place) => {
                let new = NewFile {
                    media_type,
                    name,
                    tool: Some(place.tool.clone()),
                    source: place.source.cloned(),
                };
                Ok(writer.finish(new, place.now)?.into())
            }
            Sink::Writer(writer, measured) => {
                writer.flush_bytes().map_err(FileError::from)?;
                Ok(FileFacts {
                    handle: None,
                    media_type,
                    name,
                    size: measured.size(),
                    sha256: measured.sha256(),
                })
            }
        }
    }
}

impl Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), SaveFault> {
        if bytes.is_empty() {
            return Ok(());
        }
        match self {
            Self::File(writer, _) => Ok(writer.write(bytes)?),
            Self::Writer(writer, measured) => {
                measured.add(bytes);
                Ok(writer.write_bytes(bytes).map_err(FileError::from)?)
            }
        }
    }
}

impl From<FileError> for SaveFault {
    fn from(error: FileError) -> Self {
        match error {
            FileError::TooLarge { .. } => Self::TooLarge,
            error => Self::File(error),
        }
    }
}

impl From<SecretFound> for SaveFault {
    fn from(_: SecretFound) -> Self {
        Self::Secret
    }
}
