//! The files of a folder of approvals.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::{ApprovalRequest, Decision};
use crate::{
    canonical::sha256,
    private::{self, Audience, Links},
};

/// The longest record that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// The time for which a used approval is remembered: longer than any approval lives.
const MEMORY: Duration = Duration::from_hours(8 * 24);

/// One file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredRequest {
    pub(super) request: ApprovalRequest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<Decision>,
}

/// The state of a request: the folder that its file is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestState {
    Pending,
    Approved,
    Rejected,
}

/// The files, locked for this process until this value is dropped.
pub(super) struct Files {
    folder: PathBuf,
    audience: Audience,
    _lock: File,
}

impl StoredRequest {
    /// Returns whether the record is the live request of this call.
    pub(super) fn is_the_call(&self, call: &ApprovalRequest) -> bool {
        let lifetime = call.requested.duration_until(call.expires);
        let left = call.requested.duration_until(self.request.expires);
        self.request.is_live(call.requested)
            && left <= lifetime
            && self.request.digest() == call.digest()
    }
}

impl Files {
    /// Creates the folders if they are absent, checks them, and waits for the lock.
    pub(super) fn lock(folder: &Path, group: Option<&str>) -> io::Result<Self> {
        let audience = match group {
            None => Audience::Owner,
            Some(group) => Audience::Group(group_number(group)?),
        };
        let kinds = ["", "pending", "approved", "rejected", "used", "scratch"];
        for kind in kinds {
            create_folder(&folder.join(kind), audience)?;
        }
        let path = folder.join("lock");
        if !path.exists() {
            match create_file(&path, audience) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => drop(created?),
            }
        }
        let lock = private::open_for(&path, Links::Refuse, audience)?;
        lock.lock()?;
        Ok(Self {
            folder: folder.to_owned(),
            audience,
            _lock: lock,
        })
    }

    /// The record of the same call. One that cannot be read is as good as absent.
    pub(super) fn get(
        &self,
        standing: RequestState,
        request: &ApprovalRequest,
    ) -> io::Result<Option<StoredRequest>> {
        self.read(&self.path(standing, request))
    }

    /// All records. Files that are not ours, or that others wrote, are passed over.
    pub(super) fn read_all(&self, standing: RequestState) -> io::Result<Vec<StoredRequest>> {
        let mut records = Vec::new();
        for path in self.paths(standing)? {
            let record = self.read(&path)?;
            records.extend(record.filter(|record| path == self.path(standing, &record.request)));
        }
        Ok(records)
    }

    /// Counts the records of the same role and run.
    pub(super) fn count(
        &self,
        standing: RequestState,
        request: &ApprovalRequest,
    ) -> io::Result<usize> {
        let prefix = format!("{}-", scope_of(request));
        let paths = self.paths(standing)?;
        let same = paths.iter().filter_map(|path| path.file_name()?.to_str());
        Ok(same.filter(|name| name.starts_with(&prefix)).count())
    }

    /// Writes a record atomically: a reader sees all of it or nothing.
    pub(super) fn put(&self, standing: RequestState, record: &StoredRequest) -> io::Result<()> {
        let scratch = self
            .folder
            .join("scratch")
            .join(uuid::Uuid::new_v4().to_string());
        let mut file = create_file(&scratch, self.audience)?;
        file.write_all(&serde_json::to_vec_pretty(record)?)?;
        file.sync_all()?;
        fs::rename(scratch, self.path(standing, &record.request))
    }

    /// Removes the record of the same call, if there is one.
    pub(super) fn remove(
        &self,
        standing: RequestState,
        request: &ApprovalRequest,
    ) -> io::Result<()> {
        ignore_absence(fs::remove_file(self.path(standing, request)))
    }

    /// Notes that the approval of a request is used; false if it was noted before.
    pub(super) fn mark_used(&self, request: &ApprovalRequest) -> io::Result<bool> {
        match create_file(&self.used_path(request), self.audience) {
            Ok(file) => file.sync_all().map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Undoes the use of an approval.
    pub(super) fn give_back(&self, record: &StoredRequest) -> io::Result<()> {
        self.put(RequestState::Approved, record)?;
        ignore_absence(fs::remove_file(self.used_path(&record.request)))
    }

    /// Removes records that have expired, and notes of use that no longer matter.
    pub(super) fn forget_expired(&self, now: Timestamp) -> io::Result<()> {
        for standing in [
            RequestState::Pending,
            RequestState::Approved,
            RequestState::Rejected,
        ] {
            for path in self.paths(standing)? {
                let record = self.read(&path)?;
                if record.is_some_and(|record| !record.request.is_live(now)) {
                    ignore_absence(fs::remove_file(path))?;
                }
            }
        }
        let now = SystemTime::now();
        for entry in fs::read_dir(self.folder.join("used"))? {
            let entry = entry?;
            let noted = entry.metadata()?.modified()?;
            if now.duration_since(noted).is_ok_and(|age| age > MEMORY) {
                ignore_absence(fs::remove_file(entry.path()))?;
            }
        }
        Ok(())
    }

    /// Reads a record; none if there is none, or if it is not one that we would have written.
    fn read(&self, path: &Path) -> io::Result<Option<StoredRequest>> {
        let file = match private::open_for(path, Links::Refuse, self.audience) {
            Ok(file) => file,
            Err(error) => {
                let is_foreign = matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
                );
                return if is_foreign { Ok(None) } else { Err(error) };
            }
        };
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes)?;
        Ok(serde_json::from_slice(&bytes).ok())
    }

    /// Returns the sorted paths of a state's files that are named like records.
    fn paths(&self, standing: RequestState) -> io::Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(self.folder.join(standing.folder()))? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            if name.is_some_and(is_name_of_record) {
                paths.push(path);
            }
        }
        paths.sort();
        Ok(paths)
    }

    fn path(&self, standing: RequestState, request: &ApprovalRequest) -> PathBuf {
        let name = format!("{}-{}.json", scope_of(request), request.digest());
        self.folder.join(standing.folder()).join(name)
    }

    fn used_path(&self, request: &ApprovalRequest) -> PathBuf {
        self.folder.join("used").join(request.id.as_str())
    }
}

impl RequestState {
    const fn folder(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
        }
    }
}

/// The first digits of the digest of the role and the run.
fn scope_of(request: &ApprovalRequest) -> String {
    sha256(request.scope_digest().as_bytes())
        .chars()
        .take(16)
        .collect()
}

fn is_name_of_record(name: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts = name
        .strip_suffix(".json")
        .and_then(|name| name.split_once('-'));
    parts.is_some_and(|(scope, digest)| {
        scope.len() == 16 && digest.len() == 64 && digits(scope) && digits(digest)
    })
}

fn ignore_absence(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

fn create_folder(path: &Path, audience: Audience) -> io::Result<()> {
    if !path.exists() {
        private::create_folder(path)?;
        share(path, 0o2770, audience)?;
    }
    private::check_folder_for(path, audience)
}

fn create_file(path: &Path, audience: Audience) -> io::Result<File> {
    let file = private::create(path)?;
    share(path, 0o660, audience)?;
    Ok(file)
}

/// Opens a file of this user to the group, if there is one.
#[cfg(unix)]
fn share(path: &Path, mode: u32, audience: Audience) -> io::Result<()> {
    use std::os::unix::fs::{PermissionsExt, chown};
    if let Audience::Group(group) = audience {
        chown(path, None, Some(group))?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn share(_: &Path, _: u32, _: Audience) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn group_number(name: &str) -> io::Result<u32> {
    use nix::unistd::Group;
    if let Ok(number) = name.parse() {
        return Ok(number);
    }
    let group = Group::from_name(name).map_err(io::Error::from)?;
    let unknown = || {
        io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no group `{name}`"),
        )
    };
    Ok(group.ok_or_else(unknown)?.gid.as_raw())
}

#[cfg(not(unix))]
fn group_number(name: &str) -> io::Result<u32> {
    let message = format!("the group `{name}` cannot be used on this system");
    Err(io::Error::new(io::ErrorKind::Unsupported, message))
}
