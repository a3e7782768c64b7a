//! Files in events: their handles, digests and sizes, never their content.

use serde::Serialize;
use toolwright_model::Role;

use super::bounded_name;
use crate::files::{FileFacts, FileRecord};

/// A file that a call sent or received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct AuditedFile {
    /// The handle, if the file is in the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The SHA-256 of the content.
    pub sha256: String,
    /// The size in bytes.
    pub bytes: u64,
}

/// A file of the store that a client read, or that a person added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct FileAccess {
    /// The file.
    pub file: AuditedFile,
    /// The role that owns it.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub role: Role,
    /// The run of the pipeline that owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

impl From<&FileFacts> for AuditedFile {
    fn from(file: &FileFacts) -> Self {
        Self {
            handle: file.handle.as_ref().map(ToString::to_string),
            sha256: file.sha256.clone(),
            bytes: file.size,
        }
    }
}

impl From<&FileRecord> for AuditedFile {
    fn from(file: &FileRecord) -> Self {
        Self {
            handle: Some(file.handle.to_string()),
            sha256: file.sha256.clone(),
            bytes: file.size,
        }
    }
}

impl From<&FileRecord> for FileAccess {
    fn from(file: &FileRecord) -> Self {
        Self {
            file: file.into(),
            role: file.owner.role.clone(),
            run: file.owner.run.as_deref().map(bounded_name),
        }
    }
}
