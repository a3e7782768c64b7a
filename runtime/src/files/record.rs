//! The records of files.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use toolwright_model::{Role, ToolName};

use super::FileHandle;
use crate::workspace::ServiceWorkspace;

/// The media type of bytes of which nothing is known.
const OCTETS: &str = "application/octet-stream";

/// The longest media type and the longest name, in bytes.
const LONGEST_TEXT: usize = 100;

/// The owner of a file. All parts must be equal, also those that are absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileOwner {
    /// The role.
    pub role: Role,
    /// The run of the pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The person who started the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The workspace of the caller, as the program names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

/// A file in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FileRecord {
    /// The handle.
    pub handle: FileHandle,
    /// The owner.
    pub owner: FileOwner,
    /// The media type, such as `image/png`.
    pub media_type: String,
    /// The name: a suggestion of the service or of the caller, without folders. It is no path of
    /// the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 of the content, in hexadecimal digits.
    pub sha256: String,
    /// The tool whose answer the file is; none if a person added it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// The named workspace of the service whose answer the file is. No call of another workspace of the
    /// service sends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ServiceWorkspace>,
    /// The time at which it was stored.
    pub created: Timestamp,
    /// The time from which on it cannot be used.
    pub expires: Timestamp,
}

/// A body that was saved, in a store or elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileFacts {
    /// The handle, if it is in a store.
    pub handle: Option<FileHandle>,
    /// The media type, such as `image/png`.
    pub media_type: String,
    /// The name that the service suggests, without folders.
    pub name: Option<String>,
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 of the content, in hexadecimal digits.
    pub sha256: String,
}

/// The description of a file that is about to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewFile {
    pub(crate) media_type: String,
    pub(crate) name: Option<String>,
    /// The tool whose answer it is.
    pub(crate) tool: Option<ToolName>,
    /// The named workspace of the service whose answer it is.
    pub(crate) source: Option<ServiceWorkspace>,
}

impl From<FileRecord> for FileFacts {
    fn from(record: FileRecord) -> Self {
        Self {
            handle: Some(record.handle),
            media_type: record.media_type,
            name: record.name,
            size: record.size,
            sha256: record.sha256,
        }
    }
}

/// Returns a content type as a media type without parameters.
pub(crate) fn media_type_of(content_type: Option<&str>) -> String {
    let essence = content_type.unwrap_or_default().split(';').next();
    let essence = essence.unwrap_or_default().trim().to_ascii_lowercase();
    let is_token =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+' | b'-' | b'.' | b'_');
    let fits = essence.len() <= LONGEST_TEXT && essence.bytes().all(is_token);
    if fits && essence.matches('/').count() == 1 {
        essence
    } else {
        OCTETS.to_owned()
    }
}

/// Returns the last part of a name that another program suggests, with harmless characters only.
pub(crate) fn plain_name(suggested: &str) -> Option<String> {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_kept = |c: &char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '.' | '-' | '_');
    let kept: String = last.chars().filter(is_kept).take(LONGEST_TEXT).collect();
    let plain = kept.trim_matches([' ', '.', '-']);
    (!plain.is_empty()).then(|| plain.to_owned())
}
