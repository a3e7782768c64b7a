//! Files that belong to an item.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::values::Text;

/// The maximum length of a file in bytes.
pub(crate) const MAX_FILE: usize = 1 << 20;

/// The maximum number of characters of a file name.
const MAX_FILENAME: usize = 255;

/// The metadata of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ItemFile {
    pub(crate) id: Uuid,
    pub(crate) label: Text<80>,
    pub(crate) filename: String,
    pub(crate) media_type: String,
    pub(crate) size: usize,
    pub(crate) sha256: String,
    pub(crate) uploaded_at: Timestamp,
}

/// An uploaded file.
#[derive(Debug)]
pub(crate) struct Upload {
    pub(crate) label: Text<80>,
    pub(crate) filename: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) content: Vec<u8>,
}

impl ItemFile {
    /// Derives the metadata of an upload.
    pub(crate) fn from_upload(upload: &Upload, now: Timestamp) -> Self {
        Self {
            id: Uuid::new_v4(),
            label: upload.label.clone(),
            filename: plain_name(upload.filename.as_deref().unwrap_or("file")),
            media_type: upload
                .media_type
                .clone()
                .unwrap_or_else(|| "application/octet-stream".to_owned()),
            size: upload.content.len(),
            sha256: hex(&Sha256::digest(&upload.content)),
            uploaded_at: now,
        }
    }
}

/// Returns lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Removes folders and control characters from a file name.
fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let plain: String = last
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_FILENAME)
        .collect();
    if plain.is_empty() {
        "file".to_owned()
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_removed_from_file_names() {
        assert_eq!(plain_name("../../etc/passwd"), "passwd");
        assert_eq!(plain_name("C:\\papers\\note.pdf"), "note.pdf");
        assert_eq!(plain_name("a\r\nb.txt"), "ab.txt");
        assert_eq!(plain_name("folder/"), "file");
    }
}
