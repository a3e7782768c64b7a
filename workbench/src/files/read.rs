//! `read-repo-file`.

use std::io::{self, Read as _, Seek as _, SeekFrom};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::failed;

use crate::{
    blocking::blocking,
    scope::{find_to_read, largest_file},
    text::{self, NotText},
    workspace::{AccessError, Entry, Workspace},
};

/// The longest answer, in bytes.
const LONGEST_ANSWER: usize = 256 << 10;

/// The part of a file to read.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct ReadFile {
    /// The path below the root of the repository, such as `src/main.rs`.
    path: String,
    /// The first line, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    first_line: Option<usize>,
    /// The last line. It is included.
    #[serde(default)]
    #[schemars(range(min = 1))]
    last_line: Option<usize>,
    /// The encoding, such as `windows-1252`. By default the one of the byte order mark, or UTF-8.
    #[serde(default)]
    encoding: Option<String>,
    /// Reads bytes instead of lines, from this one on. The first byte is 0.
    #[serde(default)]
    first_byte: Option<u64>,
    /// The number of bytes to read, at most 196608.
    #[serde(default)]
    byte_count: Option<u64>,
}

/// The content of a file, or a part of it.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct FileContent {
    /// The path of the file, without symbolic links.
    path: String,
    /// The size of the whole file in bytes.
    size_bytes: u64,
    /// The lines, each with its line break.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The encoding of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    /// The number of the first line in `text`; 0 if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_line: Option<usize>,
    /// The number of lines of the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_count: Option<usize>,
    /// The bytes that were asked for, as base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    /// The part that is missing because of a limit, and how to read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
}

/// Reads a file of the repository: all of it, some lines, or some bytes.
///
/// # When to use
/// To see the content of a file. `search-repo-text` finds the lines that matter in many files.
#[tool(
    name = "read-repo-file",
    category = observe,
    roles(none, reason = "profiles grant it, with the paths"),
    open_world = false,
    scope(
        allowed_read_paths = allowed_paths(path),
        denied_read_paths = denied_paths(path, optional),
        max_file_size_bytes = value(optional),
    )
)]
async fn read_file(ctx: &ToolContext, input: ReadFile) -> Result<FileContent, ToolError> {
    blocking(ctx, move |ctx| {
        let workspace = Workspace::of_call(ctx)?;
        let entry = find_to_read(ctx, &workspace, &input.path)?;
        if input.first_byte.is_some() || input.byte_count.is_some() {
            return read_bytes(&entry, &input);
        }
        read_text(&entry, &input, largest_file(ctx)?)
    })
    .await
}

fn read_bytes(entry: &Entry, input: &ReadFile) -> Result<FileContent, ToolError> {
    const MOST_BYTES: u64 = 192 << 10;
    let mut file = entry.open()?;
    let first = input.first_byte.unwrap_or_default();
    let wanted = input.byte_count.unwrap_or(MOST_BYTES);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(first))
        .and_then(|_| file.take(wanted.min(MOST_BYTES)).read_to_end(&mut bytes))
        .map_err(AccessError::from)?;
    let read = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let next = first.saturating_add(read);
    let is_cut = read < wanted && next < entry.size();
    Ok(FileContent {
        base64: Some(STANDARD.encode(bytes)),
        left_out: is_cut.then(|| format!("the bytes from {next} on; `first_byte` reads them")),
        ..FileContent::of(entry)
    })
}

fn read_text(entry: &Entry, input: &ReadFile, largest: u64) -> Result<FileContent, ToolError> {
    let bytes = read_whole(entry, largest)?;
    let decoded = text::decode(&bytes, input.encoding.as_deref());
    let decoded = decoded.map_err(|fault| not_text(fault, input))?;
    let first = input.first_line.unwrap_or(1).max(1);
    let last = input.last_line.unwrap_or(usize::MAX);
    let mut content = String::new();
    let mut next = first;
    let mut line_count = 0;
    let mut is_cut = false;
    for (line, number) in decoded.text.split_inclusive('\n').zip(1..) {
        line_count = number;
        if number < first || number > last || is_cut {
            continue;
        }
        is_cut = content.len() + line.len() > LONGEST_ANSWER;
        if !is_cut {
            content.push_str(line);
            next = number + 1;
        }
    }
    if is_cut && content.is_empty() {
        return Err(failed(
            "line_too_long",
            format!("line {next} is longer than {LONGEST_ANSWER} bytes; read it by `first_byte`"),
        ));
    }
    Ok(FileContent {
        first_line: Some(if content.is_empty() { 0 } else { first }),
        text: Some(content),
        encoding: Some(decoded.encoding.to_owned()),
        line_count: Some(line_count),
        left_out: is_cut.then(|| format!("the lines from {next} on; `first_line` reads them")),
        ..FileContent::of(entry)
    })
}

/// Reads a whole file, unless it is larger than a limit.
fn read_whole(entry: &Entry, largest: u64) -> Result<Vec<u8>, ToolError> {
    let file = entry.open()?;
    let limit = largest.saturating_add(1);
    // A read of the whole file at once, unless it has become longer in the meantime.
    let length = entry.size().saturating_add(1).min(limit);
    let mut bytes = Vec::new();
    let reserved = bytes.try_reserve_exact(usize::try_from(length).unwrap_or_default());
    // A sparse file can be longer than the memory: an error, as of the read itself.
    let reserved = reserved.map_err(io::Error::from);
    let read = reserved.and_then(|()| file.take(limit).read_to_end(&mut bytes));
    read.map_err(AccessError::from)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= largest) {
        return Ok(bytes);
    }
    Err(failed(
        "file_too_large",
        format!("the file is larger than {largest} bytes; read parts of it by `first_byte`"),
    ))
}

fn not_text(fault: NotText, input: &ReadFile) -> ToolError {
    let encoding = input.encoding.as_deref();
    match (fault, encoding) {
        (NotText::UnknownEncoding, Some(name)) => {
            failed("unknown_encoding", format!("there is no encoding `{name}`"))
        }
        (_, None) => failed(
            "not_text",
            "the file is not text in UTF-8; state its `encoding`, or read it by `first_byte`",
        ),
        (_, Some(name)) => failed(
            "not_text",
            format!("the file is not text in `{name}`; read it by `first_byte`"),
        ),
    }
}

impl FileContent {
    fn of(entry: &Entry) -> Self {
        Self {
            path: entry.path().to_owned(),
            size_bytes: entry.size(),
            text: None,
            encoding: None,
            first_line: None,
            line_count: None,
            base64: None,
            left_out: None,
        }
    }
}
