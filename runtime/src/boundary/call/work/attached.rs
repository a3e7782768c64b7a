//! The files of a call: those of the store that its request sends, and its answer if it is saved.

use toolwright_model::{AnswerContent, HttpBinding};

use super::{CalledService, PlannedCall, Requester};
use crate::{
    audit::Reason,
    boundary::{
        call::{Denial, arguments::misfit},
        files::Delivery,
    },
    error::{FileError, ToolError},
    exchange::{
        http::{Attachments, Place, Saving, StorePlace},
        request::PlannedFile,
    },
    files::{FileOwner, FileRecord},
    schema::Violation,
    workspace::ServiceWorkspace,
};

impl CalledService<'_> {
    /// Finds the files that the planned request sends. A file that the caller does not own is a fault
    /// of the argument.
    pub(super) fn attach(
        &mut self,
        requester: Requester<'_>,
        planned: &PlannedCall<'_>,
    ) -> Result<(), Denial> {
        let PlannedCall::Http(_, request) = planned else {
            return Ok(());
        };
        let found = request.files.iter().map(|file| {
            let record = requester.record(file);
            // A file of another workspace looks like one that does not exist.
            let is_beside = |source: &ServiceWorkspace| source.is_beside(&self.workspace);
            let record = record.and_then(|record| match &record.source {
                Some(source) if is_beside(source) => Err(FileError::NotFound),
                _ => Ok(record),
            });
            record.map_err(|error| self.not_attached(file, error))
        });
        self.attached = found.collect::<Result<_, _>>()?;
        Ok(())
    }

    fn not_attached(&self, file: &PlannedFile, error: FileError) -> Denial {
        match (error, &file.argument) {
            (error @ (FileError::NotFound | FileError::NoStore), Some(pointer)) => {
                let violation = Violation {
                    pointer: pointer.clone(),
                    message: error.to_string(),
                };
                misfit(self.entry, vec![violation])
            }
            (error, _) => Denial::new(Reason::Undecided, ToolError::File(error)),
        }
    }

    /// Checks that the store has room, if the operation answers with bytes. The answer of a request
    /// that was sent would otherwise be lost.
    pub(super) fn check_room(
        &self,
        requester: Requester<'_>,
        owner: &FileOwner,
        binding: &HttpBinding,
    ) -> Result<(), FileError> {
        let core = requester.core;
        let (Delivery::Store, Some(store)) = (&requester.scope.delivery, &core.files) else {
            return Ok(());
        };
        let mut answers = binding.answers.iter();
        if answers.any(|answer| answer.content == AnswerContent::Binary) {
            // The file that is begun here is removed at once.
            store.begin(owner, core.clock.now())?;
        }
        Ok(())
    }

    /// Returns how the answer of the call is saved; none if it becomes a value.
    pub(super) fn saving<'s>(
        &'s self,
        requester: Requester<'s>,
        owner: &'s FileOwner,
        binding: &'s HttpBinding,
    ) -> Option<Saving<'s>> {
        // The response of a GraphQL endpoint may be an error, which only its value shows.
        if binding.graphql().is_some() {
            return None;
        }
        let core = requester.core;
        let place = match (&requester.scope.delivery, &core.files) {
            (Delivery::Writer(writer), _) => Place::Writer(writer),
            (Delivery::Store, Some(store)) => Place::Store(StorePlace {
                store,
                owner,
                binding,
                tool: &self.entry.spec().name,
                source: Some(&self.workspace).filter(|source| source.workspace.is_some()),
                now: core.clock.now(),
            }),
            (Delivery::Store, None) | (Delivery::Value, _) => return None,
        };
        Some(Saving {
            limit: self.file_bytes,
            transfer: core.file_limits.transfer,
            place,
        })
    }
}

impl<'a> Requester<'a> {
    /// Returns the record of a file that the caller owns.
    fn record(self, file: &PlannedFile) -> Result<FileRecord, FileError> {
        let store = self.core.files.as_ref().ok_or(FileError::NoStore)?;
        let owner = self.scope.file_owner();
        store.record(&file.handle, &owner, self.core.clock.now())
    }

    /// Returns the place of the files of the call.
    pub(super) fn attachments(self, owner: &'a FileOwner) -> Option<Attachments<'a>> {
        let core = self.core;
        core.files.as_ref().map(|store| Attachments {
            store,
            owner,
            now: core.clock.now(),
        })
    }
}
