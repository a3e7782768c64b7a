//! Operations on files.

use axum::{
    Json,
    extract::{
        Multipart, State,
        multipart::{Field, MultipartError, MultipartRejection},
    },
    http::{
        StatusCode,
        header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    },
    response::IntoResponse,
};
use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use super::{
    App,
    path::{FileId, ItemId},
};
use crate::{
    error::{ApiError, Code},
    file::{ItemFile, MAX_FILE, Upload},
    store::{files, items},
    values::Text,
};

/// The maximum length of an upload request in bytes: the file and the form around it.
pub(crate) const MAX_UPLOAD: usize = MAX_FILE + (16 << 10);

/// The files of an item.
#[derive(Debug, Serialize)]
pub(crate) struct FileList {
    files: Vec<ItemFile>,
}

/// The parts of an upload that have arrived.
#[derive(Debug, Default)]
struct Parts {
    label: Option<Text<80>>,
    file: Option<FilePart>,
}

/// The part that holds the file.
#[derive(Debug)]
struct FilePart {
    filename: Option<String>,
    media_type: Option<String>,
    content: Vec<u8>,
}

pub(crate) async fn list(
    State(app): State<App>,
    ItemId(item): ItemId,
) -> Result<Json<FileList>, ApiError> {
    let read = move |tx: &rusqlite::Transaction<'_>| {
        items::get(tx, item)?;
        files::list(tx, item)
    };
    let files = app.store.transact(read).await?;
    Ok(Json(FileList { files }))
}

pub(crate) async fn upload(
    State(app): State<App>,
    ItemId(item): ItemId,
    form: Result<Multipart, MultipartRejection>,
) -> Result<(StatusCode, Json<ItemFile>), ApiError> {
    let form = form.map_err(|_| {
        let message = "the body is not `multipart/form-data` with a boundary";
        ApiError::new(Code::MalformedBody, message)
    })?;
    let upload = read_upload(form).await?;
    let keep = move |tx: &rusqlite::Transaction<'_>| {
        items::get(tx, item)?;
        let file = ItemFile::from_upload(&upload, Timestamp::now());
        files::insert(tx, item, &file, &upload.content)?;
        Ok(file)
    };
    let file = app.store.transact(keep).await?;
    Ok((StatusCode::CREATED, Json(file)))
}

pub(crate) async fn download(
    State(app): State<App>,
    ItemId(item): ItemId,
    FileId(file): FileId,
) -> Result<impl IntoResponse, ApiError> {
    let read = move |tx: &rusqlite::Transaction<'_>| {
        items::get(tx, item)?;
        files::get(tx, item, file)
    };
    let (file, content) = app.store.transact(read).await?;
    // The media type of the upload is not repeated: it is untrusted, and a browser would act on it.
    let name = utf8_percent_encode(&file.filename, NON_ALPHANUMERIC);
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        (
            CONTENT_DISPOSITION,
            format!("attachment; filename*=UTF-8''{name}"),
        ),
    ];
    Ok((headers, content))
}

async fn read_upload(mut form: Multipart) -> Result<Upload, ApiError> {
    let mut parts = Parts::default();
    while let Some(field) = form.next_field().await.map_err(|cause| broken(&cause))? {
        parts.read(field).await?;
    }
    let missing = |name: &str| {
        let message = format!("the form has no part `{name}`");
        ApiError::new(Code::InvalidValue, message).with_field(name)
    };
    let file = parts.file.ok_or_else(|| missing("file"))?;
    Ok(Upload {
        label: parts.label.ok_or_else(|| missing("label"))?,
        filename: file.filename,
        media_type: file.media_type,
        content: file.content,
    })
}

impl Parts {
    async fn read(&mut self, field: Field<'_>) -> Result<(), ApiError> {
        match field.name() {
            Some("file") if self.file.is_none() => self.file = Some(FilePart::read(field).await?),
            Some("label") if self.label.is_none() => self.label = Some(read_label(field).await?),
            name => {
                let name = name.unwrap_or_default();
                let message = format!("the part `{name}` is unknown or a duplicate");
                return Err(ApiError::new(Code::InvalidValue, message).with_field(name));
            }
        }
        Ok(())
    }
}

impl FilePart {
    async fn read(mut field: Field<'_>) -> Result<Self, ApiError> {
        let mut content = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|cause| broken(&cause))? {
            content.extend_from_slice(&chunk);
            if content.len() > MAX_FILE {
                return Err(too_large());
            }
        }
        Ok(Self {
            filename: field.file_name().map(str::to_owned),
            media_type: field.content_type().map(str::to_owned),
            content,
        })
    }
}

async fn read_label(field: Field<'_>) -> Result<Text<80>, ApiError> {
    let text = field.text().await.map_err(|cause| broken(&cause))?;
    Text::new(text).map_err(|rule| ApiError::new(Code::InvalidValue, rule).with_field("label"))
}

fn broken(cause: &MultipartError) -> ApiError {
    if cause.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return too_large();
    }
    ApiError::new(Code::MalformedBody, "the form cannot be read")
}

fn too_large() -> ApiError {
    let message = format!("a file may have at most {MAX_FILE} bytes");
    ApiError::new(Code::TooLarge, message).with_field("file")
}
