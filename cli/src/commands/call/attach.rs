//! `--file`: files of this machine as arguments. They are copied into the store of files, and the call
//! sends them from there, so the content cannot change between an approval and the call.

use std::{fs::File, path::Path};

use clap::Args;
use serde_json::{Map, Value, json};
use toolwright::{
    ScopedToolView, ToolSpec,
    files::{FileHandle, FileRecord},
};
use toolwright_schema::Root;

use crate::Failure;

/// The media type of a file of which none is given.
const OCTETS: &str = "application/octet-stream";

/// The arguments for files that are sent.
#[derive(Clone, Debug, Args)]
pub(super) struct AttachArguments {
    /// Send a file of this machine as an argument that takes a file or base64, such as
    /// `photo=@cat.png` or `photo=@cat.png;type=image/png` (may be repeated)
    #[arg(long = "file", value_name = "ARGUMENT=@FILE")]
    files: Vec<String>,
}

/// Files that were stored for one call.
#[derive(Default)]
pub(super) struct Attached(Vec<FileHandle>);

impl AttachArguments {
    /// Stores the files, and adds their handles to the arguments.
    pub(super) fn attach(
        &self,
        tool: &str,
        view: &ScopedToolView,
        arguments: &mut Value,
    ) -> Result<Attached, Failure> {
        let mut attached = Attached::default();
        if self.files.is_empty() {
            return Ok(attached);
        }
        let Value::Object(arguments) = arguments else {
            return Err(Failure::usage("`--file` needs an object of arguments"));
        };
        let before = view.files().map_err(|error| failure(&error))?;
        let is_new = |record: &FileRecord| before.iter().all(|known| known.handle != record.handle);
        // An unknown tool is refused by the call.
        let spec = view.spec(tool);
        for given in &self.files {
            let (name, file) = given.split_once("=@").ok_or_else(|| {
                Failure::usage(format!("`--file {given}` names no file"))
                    .help("write the argument, `=@` and the path: `--file photo=@cat.png`")
            })?;
            let (path, media_type) = file.split_once(";type=").unwrap_or((file, OCTETS));
            let Some(spec) = &spec else { continue };
            let schema = property(spec, name)?;
            if !takes_file(spec.input_schema.whole(), schema) {
                let message = format!("`{name}` of `{}` takes no file", spec.name);
                return Err(Failure::usage(message)
                    .note("it takes neither base64 nor the content of a part")
                    .help("give its value with `--args`"));
            }
            let record = store(view, Path::new(path), media_type)?;
            if is_new(&record) {
                attached.0.push(record.handle.clone());
            }
            insert(arguments, name, schema, &record);
        }
        Ok(attached)
    }
}

impl Attached {
    /// Removes the files from the store.
    pub(super) fn remove(self, view: &ScopedToolView) {
        for handle in self.0 {
            // It expires anyway.
            let _ = view.remove_file(&handle);
        }
    }
}

/// Copies a file into the store.
pub(crate) fn store(
    view: &ScopedToolView,
    path: &Path,
    media_type: &str,
) -> Result<FileRecord, Failure> {
    let opened = File::open(path).map_err(|error| Failure::file("read", path, &error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut content = opened;
    let stored = view.add_file(&mut content, media_type, &name);
    stored.map_err(|error| failure(&error))
}

/// Converts an error of the store.
pub(crate) fn failure(error: &toolwright::files::FileError) -> Failure {
    let failure = Failure::new(error.to_string()).foreign_code(error.code().to_owned());
    failure.detail(error.detail())
}

/// Returns the schema of an argument.
fn property<'s>(spec: &'s ToolSpec, name: &str) -> Result<&'s Value, Failure> {
    let properties = spec.input_schema.whole().get("properties");
    properties
        .and_then(|properties| properties.get(name))
        .ok_or_else(|| {
            Failure::usage(format!("`{}` has no argument `{name}`", spec.name)).help(format!(
                "run `toolwright show {}` to list its arguments",
                spec.name
            ))
        })
}

/// Checks whether an argument takes base64, a file, or a list of them.
fn takes_file(root: &Value, schema: &Value) -> bool {
    let root = Root::new(root);
    let is_base64 = |schema: &Value| {
        let mut parts = root.parts(schema).into_iter();
        parts.any(|part| part.get("contentEncoding") == Some(&json!("base64")))
    };
    let is_file = |schema: &Value| {
        let content = |part: &Value| part.pointer("/properties/content").is_some_and(is_base64);
        is_base64(schema) || root.parts(schema).into_iter().any(content)
    };
    let items = |part: &Value| part.get("items").is_some_and(is_file);
    is_file(schema) || root.parts(schema).into_iter().any(items)
}

/// Adds a handle as the value of an argument: as a string, as an object with its name and its type, or as
/// an element of a list.
fn insert(arguments: &mut Map<String, Value>, name: &str, schema: &Value, record: &FileRecord) {
    let items = schema.get("items");
    let is_object = |schema: &Value| schema.get("properties").is_some();
    let value = |as_object: bool| match as_object {
        true => json!({
            "content": record.handle,
            "filename": record.name,
            "media_type": record.media_type,
        }),
        false => json!(record.handle),
    };
    match items {
        Some(items) => {
            let list = arguments.entry(name).or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut() {
                list.push(value(is_object(items)));
            }
        }
        None => {
            arguments.insert(name.to_owned(), value(is_object(schema)));
        }
    }
}
