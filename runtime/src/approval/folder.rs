//! Approvals in a folder, shared by processes.
//!
//! A request is one file, `pending/ID.json`; a decision moves it to `approved/` or `rejected/`.
//! Every change of hands is one rename: whoever renames a file away owns it, so a request is
//! decided once and an approval is used once, however many processes try. A crash between two
//! steps loses the file, and the call has to be asked for again: it fails to the safe side.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Admission, ApprovalError, ApprovalId, ApprovalRequest, ApprovalStore, Decision, Verdict,
};
use crate::tool::BoxFuture;

/// Approvals in a folder, so that one process calls and a person approves from another.
///
/// Whoever may write into the folder can approve. It is made accessible to its owner only, and an
/// agent's own tools must not reach it.
#[derive(Clone, Debug)]
pub struct FolderApprovals {
    folder: PathBuf,
}

/// One file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    request: ApprovalRequest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
}

/// Where a request stands: the folder that its file is in.
#[derive(Clone, Copy)]
enum Standing {
    Pending,
    Approved,
    Rejected,
}

impl FolderApprovals {
    /// A store in this folder, which is made when the first request comes.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    fn admit_now(&self, request: ApprovalRequest) -> io::Result<Admission> {
        let now = request.requested;
        let same = |record: &Record| record.request.is_same_call(&request);
        for approved in self.live(Standing::Approved, now)?.into_iter().filter(same) {
            if let Some(Record {
                request,
                decision: Some(decision),
            }) = self.claim(Standing::Approved, &approved.request.id)?
            {
                return Ok(Admission::Approved(request, decision));
            }
        }
        if let Some(Record {
            request,
            decision: Some(decision),
        }) = self.live(Standing::Rejected, now)?.into_iter().find(same)
        {
            return Ok(Admission::Rejected(request, decision));
        }
        if let Some(waiting) = self.live(Standing::Pending, now)?.into_iter().find(same) {
            return Ok(Admission::Waiting(waiting.request));
        }
        let record = Record {
            request,
            decision: None,
        };
        self.put(Standing::Pending, &record)?;
        Ok(Admission::Waiting(record.request))
    }

    fn pending_now(&self, now: Timestamp) -> io::Result<Vec<ApprovalRequest>> {
        let records = self.live(Standing::Pending, now)?;
        let mut pending: Vec<_> = records.into_iter().map(|record| record.request).collect();
        pending.sort_by(|a, b| (a.requested, &a.id).cmp(&(b.requested, &b.id)));
        Ok(pending)
    }

    fn decide_now(
        &self,
        id: &ApprovalId,
        decision: Decision,
    ) -> io::Result<Option<ApprovalRequest>> {
        let Some(Record { request, .. }) = self.claim(Standing::Pending, id)? else {
            return Ok(None);
        };
        if !request.is_live(decision.time) {
            return Ok(None);
        }
        let standing = match decision.verdict {
            Verdict::Approved => Standing::Approved,
            Verdict::Rejected => Standing::Rejected,
        };
        let record = Record {
            request,
            decision: Some(decision),
        };
        self.put(standing, &record)?;
        Ok(Some(record.request))
    }

    /// The records that have not expired; those that have are removed.
    fn live(&self, standing: Standing, now: Timestamp) -> io::Result<Vec<Record>> {
        let mut records = Vec::new();
        for path in files(&self.folder.join(standing.folder()))? {
            let Some(record) = read(&path)? else { continue };
            if record.request.is_live(now) {
                records.push(record);
            } else {
                ignore_absence(fs::remove_file(&path))?;
            }
        }
        Ok(records)
    }

    /// Takes a record away from everybody else; none when somebody was faster.
    fn claim(&self, standing: Standing, id: &ApprovalId) -> io::Result<Option<Record>> {
        let claimed = self.scratch()?;
        if !ignore_absence(fs::rename(self.path(standing, id), &claimed))? {
            return Ok(None);
        }
        let record = read(&claimed)?;
        fs::remove_file(&claimed)?;
        Ok(record)
    }

    /// Writes a record so that it is seen whole or not at all.
    fn put(&self, standing: Standing, record: &Record) -> io::Result<()> {
        let scratch = self.scratch()?;
        write_private(&scratch, &serde_json::to_vec_pretty(record)?)?;
        make_private(&self.folder.join(standing.folder()))?;
        fs::rename(scratch, self.path(standing, &record.request.id))
    }

    fn path(&self, standing: Standing, id: &ApprovalId) -> PathBuf {
        self.folder
            .join(standing.folder())
            .join(format!("{id}.json"))
    }

    /// A path that nobody else uses, on the same file system.
    fn scratch(&self) -> io::Result<PathBuf> {
        let folder = self.folder.join("scratch");
        make_private(&folder)?;
        Ok(folder.join(Uuid::new_v4().to_string()))
    }

    fn failed(&self, error: &io::Error) -> ApprovalError {
        ApprovalError::Store(format!("{}: {error}", self.folder.display()))
    }
}

impl ApprovalStore for FolderApprovals {
    fn admit(&self, request: ApprovalRequest) -> BoxFuture<'_, Result<Admission, ApprovalError>> {
        Box::pin(async move { self.admit_now(request).map_err(|error| self.failed(&error)) })
    }

    fn pending(
        &self,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Vec<ApprovalRequest>, ApprovalError>> {
        Box::pin(async move { self.pending_now(now).map_err(|error| self.failed(&error)) })
    }

    fn decide(
        &self,
        id: ApprovalId,
        decision: Decision,
    ) -> BoxFuture<'_, Result<ApprovalRequest, ApprovalError>> {
        Box::pin(async move {
            match self.decide_now(&id, decision) {
                Ok(Some(request)) => Ok(request),
                Ok(None) => Err(ApprovalError::NotPending(id)),
                Err(error) => Err(self.failed(&error)),
            }
        })
    }
}

impl Standing {
    const fn folder(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
        }
    }
}

/// The files of a folder, sorted; none when there is no folder.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Reads a record; none when somebody has taken it away.
fn read(path: &Path) -> io::Result<Option<Record>> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text?,
    };
    serde_json::from_slice(&text).map(Some).map_err(|error| {
        let (file, line) = (path.display(), error.line());
        let message = format!("line {line} of {file} does not belong into a request");
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

/// Whether it was done; that there was nothing to do it to is no error.
fn ignore_absence(result: io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
