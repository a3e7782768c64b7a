//! The files of a view: answers that are saved, and files that calls send.

use std::io::Read;

use serde_json::Value;

use super::view::{Scope, ScopedToolView};
use crate::{
    audit::{AuditEvent, AuditSink as _, What},
    error::ToolError,
    files::{
        AnswerWriter, FileError, FileHandle, FileOwner, FileRecord, FileStore, NewFile, StoredFile,
        media_type_of, plain_name,
    },
    output::ToolOutput,
};

/// The destination of the successful answer of a service.
#[derive(Clone, Debug)]
pub(crate) enum Delivery {
    /// The output, in every case.
    Value,
    /// The store of files if the answer is bytes and there is a store, otherwise the output.
    Store,
    /// A writer of the program.
    Writer(AnswerWriter),
}

impl ScopedToolView {
    /// Calls a tool, and writes the body of a successful answer to a writer as it arrives. The
    /// output has [`ToolOutput::file`] then. The answer of a function of the program or of a domain
    /// service is not written: it is the value of the output.
    ///
    /// The limits are those of files. The body is written unchanged, so it is an error if it
    /// contains a secret of the call. If the call fails, a part of the body may have been written.
    ///
    /// # Errors
    /// As [`ScopedToolView::call_json`], and if the writer fails.
    pub async fn call_to(
        &self,
        name: &str,
        arguments: Value,
        writer: AnswerWriter,
    ) -> Result<ToolOutput, ToolError> {
        let view = self.delivering(Delivery::Writer(writer));
        view.call_json(name, arguments).await
    }

    /// Checks whether the registry has a store of files.
    #[must_use]
    pub fn has_files(&self) -> bool {
        self.core().files.is_some()
    }

    /// Returns the files of the view: those of its role, its run, the person who started it, and its
    /// workspace.
    ///
    /// # Errors
    /// [`FileError`] if there is no store, or if it cannot be read.
    pub fn files(&self) -> Result<Vec<FileRecord>, FileError> {
        let now = self.core().clock.now();
        self.store()?.list(&self.scope().file_owner(), now)
    }

    /// Opens a file of the view. The audit records it.
    ///
    /// # Errors
    /// [`FileError::NotFound`] if the view has no such file, and other errors if the store cannot be
    /// used or the audit cannot record the access.
    pub fn open_file(&self, handle: &FileHandle) -> Result<StoredFile, FileError> {
        let now = self.core().clock.now();
        let owner = self.scope().file_owner();
        let file = self.store()?.open(handle, &owner, now)?;
        self.record_file(What::FileRead(file.record().into()))?;
        Ok(file)
    }

    /// Stores a file for calls of the view. The audit records it. The same file has the same handle.
    ///
    /// # Errors
    /// [`FileError`] if there is no store, if the file is too large, and if the store or the reader
    /// fails.
    pub fn add_file(
        &self,
        content: &mut dyn Read,
        media_type: &str,
        name: &str,
    ) -> Result<FileRecord, FileError> {
        let new = NewFile {
            media_type: media_type_of(Some(media_type)),
            name: plain_name(name),
            tool: None,
            source: None,
        };
        self.store_file(new, content)
    }

    /// Stores an answer for calls of the view. The audit records it.
    pub(crate) fn store_file(
        &self,
        new: NewFile,
        content: &mut dyn Read,
    ) -> Result<FileRecord, FileError> {
        let (now, owner) = (self.core().clock.now(), self.scope().file_owner());
        let record = self.store()?.add(&owner, new, content, now)?;
        self.record_file(What::FileAdded((&record).into()))?;
        Ok(record)
    }

    /// Removes a file of the view.
    ///
    /// # Errors
    /// As [`ScopedToolView::open_file`].
    pub fn remove_file(&self, handle: &FileHandle) -> Result<(), FileError> {
        let now = self.core().clock.now();
        self.store()?
            .discard(handle, &self.scope().file_owner(), now)
    }

    /// Returns the store. A view that was revoked, or whose run was halted, has no files.
    fn store(&self) -> Result<&FileStore, FileError> {
        let (core, scope) = (self.core(), self.scope());
        let store = core.files.as_ref().ok_or(FileError::NoStore)?;
        if scope.is_revoked(core) || core.violations.is_halted(scope, core.policy().violations) {
            return Err(FileError::NotFound);
        }
        Ok(store)
    }

    fn record_file(&self, what: What) -> Result<(), FileError> {
        let event = AuditEvent::new(self.core().clock.now(), None, what);
        let recorded = self.core().audit.record(&event);
        recorded.map_err(|error| FileError::Failed {
            detail: error.to_string(),
        })
    }
}

impl Scope {
    /// Returns the owner of the files of this scope.
    pub(crate) fn file_owner(&self) -> FileOwner {
        FileOwner {
            role: self.role.clone(),
            run: self.run.run.clone(),
            person: self.run.started_by.clone(),
            workspace: self.run.workspace.clone(),
        }
    }
}
