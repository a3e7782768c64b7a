//! The files of a view as resources of MCP.

use rmcp::{
    ErrorData,
    model::{
        CacheScope, ContentBlock, ListResourcesResult, ReadResourceResult, Resource,
        ResourceContents,
    },
};
use serde_json::json;
use toolwright::{
    ScopedToolView,
    codec::Bytes,
    files::{FileError, FileFacts, FileHandle},
};

use crate::aside::aside;

/// The start of the URI of a file.
const SCHEME: &str = "toolwright://files/";

/// The largest file that a client can read in one message, in bytes.
pub(crate) const LARGEST_READ: u64 = 1 << 20;

/// The largest picture or sound that is part of a result, in bytes.
const LARGEST_MEDIA: u64 = 1 << 20;

/// The largest text that is part of a result, in bytes: some thousand tokens.
const LARGEST_TEXT: u64 = 16 << 10;

/// Returns a saved answer as a resource, if it is in the store.
pub(crate) fn link(file: &FileFacts) -> Option<Resource> {
    let handle = file.handle.as_ref()?;
    let name = file.name.clone().unwrap_or_else(|| handle.to_string());
    let resource = Resource::new(uri(handle), name).with_size(file.size);
    Some(resource.with_mime_type(file.media_type.clone()))
}

/// Returns a picture, a sound or a short text as a block that a model can see, hear or read at once; none of
/// another file, and of one that is too large for a message.
pub(crate) async fn block(view: &ScopedToolView, file: &FileFacts) -> Option<ContentBlock> {
    let media_type = file.media_type.as_str();
    let (kind, _) = media_type.split_once('/')?;
    let is_media = matches!(kind, "image" | "audio");
    let limit = match is_media {
        true => LARGEST_MEDIA,
        false if is_text(media_type) => LARGEST_TEXT,
        false => return None,
    };
    if file.size > limit {
        return None;
    }
    let handle = file.handle.as_ref()?;
    let read = aside(async { view.open_file(handle)?.read(limit) });
    let read: Result<_, FileError> = read.await;
    let bytes = read.ok()?;
    if !is_media {
        let contents = ResourceContents::text(String::from_utf8(bytes).ok()?, uri(handle));
        return Some(ContentBlock::resource(contents.with_mime_type(media_type)));
    }
    let bytes = Bytes::new(bytes);
    Some(match kind {
        "image" => ContentBlock::image(bytes.as_base64(), media_type),
        _ => ContentBlock::audio(bytes.as_base64(), media_type),
    })
}

/// Lists the files of a view.
pub(crate) fn list(view: &ScopedToolView) -> Result<ListResourcesResult, ErrorData> {
    if !view.has_files() {
        return Ok(ListResourcesResult::default());
    }
    let files = view.files().map_err(|error| failure(&error))?;
    let resources = files.into_iter().map(FileFacts::from);
    let resources = resources.filter_map(|file| link(&file)).collect();
    let list = ListResourcesResult::with_all_items(resources);
    Ok(list.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

/// Reads a file: as text if it is UTF-8 of a text type, otherwise as base64.
pub(crate) async fn read(
    view: &ScopedToolView,
    uri: String,
) -> Result<ReadResourceResult, ErrorData> {
    let handle = uri.strip_prefix(SCHEME).unwrap_or_default();
    let handle: FileHandle = handle.parse().map_err(|_| failure(&FileError::NotFound))?;
    let read = aside(async {
        let file = view.open_file(&handle)?;
        let media_type = file.record().media_type.clone();
        let size = file.record().size;
        if size > LARGEST_READ {
            return Err(Unread::TooLarge { handle, size });
        }
        Ok((media_type, file.read(LARGEST_READ)?))
    });
    let read: Result<_, Unread> = read.await;
    let (media_type, bytes) = read.map_err(|unread| unread.error())?;
    let contents = match String::from_utf8(bytes) {
        Ok(text) if is_text(&media_type) => ResourceContents::text(text, uri),
        Ok(text) => blob(text.as_bytes(), uri),
        Err(error) => blob(error.as_bytes(), uri),
    };
    let result = ReadResourceResult::new(vec![contents.with_mime_type(media_type)]);
    Ok(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

/// The reason why a file is not read.
enum Unread {
    TooLarge { handle: FileHandle, size: u64 },
    File(FileError),
}

impl From<FileError> for Unread {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl Unread {
    fn error(&self) -> ErrorData {
        match self {
            Self::File(error) => failure(error),
            Self::TooLarge { handle, size } => ErrorData::invalid_params(
                format!(
                    "the file has {size} bytes, and a message carries at most {LARGEST_READ}; give its handle to another tool, or save it with `toolwright files save {handle} --output FILE`"
                ),
                Some(json!({"code": "file_too_large", "size": size, "limit": LARGEST_READ})),
            ),
        }
    }
}

fn uri(handle: &FileHandle) -> String {
    format!("{SCHEME}{handle}")
}

fn blob(bytes: &[u8], uri: String) -> ResourceContents {
    ResourceContents::blob(Bytes::new(bytes).as_base64(), uri)
}

fn is_text(media_type: &str) -> bool {
    let is_structured = |subtype: &str| {
        ["json", "xml", "yaml", "javascript"]
            .iter()
            .any(|known| subtype.ends_with(known))
    };
    media_type.starts_with("text/") || is_structured(media_type)
}

/// Converts an error of the store. An unknown file and a foreign one are the same error.
fn failure(error: &FileError) -> ErrorData {
    let data = Some(json!({"code": error.code()}));
    match error {
        FileError::NotFound | FileError::NoStore => {
            ErrorData::resource_not_found(FileError::NotFound.to_string(), data)
        }
        error => ErrorData::internal_error(error.to_string(), data),
    }
}
