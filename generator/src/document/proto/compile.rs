//! Compiles the files of a document, and reports what is wrong with them.

use std::{borrow::Cow, collections::BTreeMap, fmt::Write as _, ops::Range};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use miette::Diagnostic as _;
use prost_reflect::{DescriptorPool, FileDescriptor};
use protox::{
    Compiler, Error,
    file::{File, FileResolver, GoogleFileResolver},
};

use super::{header, places::Places, tree};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, SourceId, Sources},
    tree::Node,
};

/// A `.proto` file of a document.
#[derive(Clone, Debug)]
pub(crate) struct ProtoFile {
    /// The name under which others import it.
    pub(crate) name: String,
    /// Its text.
    pub(crate) source: SourceId,
}

/// Compiles the files of a document, each after those that it imports; the last one is the document
/// itself. Returns its tree.
pub(crate) fn compile(
    files: &[ProtoFile],
    sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Node> {
    let document = files.last()?;
    let text = |file: &ProtoFile| sources.file(file.source).map(|source| source.text.as_str());
    let texts = files.iter().filter_map(|file| {
        let text = text(file)?;
        Some((file.name.clone(), text.to_owned()))
    });
    let mut compiler = Compiler::with_file_resolver(Texts(texts.collect()));
    compiler.include_imports(true).include_source_info(true);
    let mut failed = false;
    for file in files {
        if let Err(error) = compiler.open_file(&file.name) {
            failed = true;
            report(&error, files, document.source, diagnostics);
        }
    }
    if failed {
        return None;
    }
    let pool = compiler.descriptor_pool();
    let mut places = Places::new(document.source);
    for file in pool.files() {
        let own = files.iter().find(|known| known.name == file.name());
        places.add(&file, own.and_then(|own| Some((own.source, text(own)?))));
    }
    let main = pool.get_file_by_name(&document.name)?;
    Some(tree::build(&offered(main), &places, document.source))
}

/// Reads a descriptor set, which may be base64. Returns the tree of its document.
pub(crate) fn decode(
    bytes: &[u8],
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<Node> {
    let pool = match DescriptorPool::decode(binary(bytes).as_ref()) {
        Ok(pool) => pool,
        Err(error) => {
            let place = Place::start_of(source);
            let message = format!(
                "this is not a descriptor set: {}",
                one_line(&error.to_string())
            );
            let fault = Diagnostic::error(Code::InvalidProto, place, message);
            let note = "a set contains all files that its files import";
            let help = "make it with `buf build -o FILE`, or with `protoc --include_imports --include_source_info -o FILE`";
            diagnostics.report(fault.note(note).help(help));
            return None;
        }
    };
    let (_, lines) = list(&pool);
    let mut places = Places::new(source).with_listing(lines);
    for file in pool.files() {
        places.add(&file, None);
    }
    let own = |file: &FileDescriptor| !is_of_servers(file.package_name());
    let files: Vec<FileDescriptor> = pool.files().filter(own).collect();
    Some(tree::build(&files, &places, source))
}

/// Returns the names of the parts of a descriptor set, one a line: the text in which the places of
/// diagnostics are. It is empty if the bytes are no descriptor set.
pub(crate) fn listing(bytes: &[u8]) -> String {
    let pool = DescriptorPool::decode(binary(bytes).as_ref());
    pool.map_or_else(|_| String::new(), |pool| list(&pool).0)
}

/// Returns the bytes of a set, which begin with a line break, or those of its base64 form.
fn binary(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.starts_with(b"\n") {
        return Cow::Borrowed(bytes);
    }
    let text: Vec<u8> = bytes
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    BASE64_STANDARD
        .decode(text)
        .map_or(Cow::Borrowed(bytes), Cow::Owned)
}

/// Files in memory, the well-known ones, and those of `google/api`.
struct Texts(BTreeMap<String, String>);

impl FileResolver for Texts {
    fn open_file(&self, name: &str) -> Result<File, Error> {
        let own = self.0.get(name).map(String::as_str);
        match own.or_else(|| header::built_in(name)) {
            Some(text) => File::from_source(name, text),
            None => GoogleFileResolver::new().open_file(name),
        }
    }
}

/// Returns the files whose services are offered: a file and those that it imports publicly.
fn offered(main: FileDescriptor) -> Vec<FileDescriptor> {
    let mut files = vec![main];
    let mut at = 0;
    while let Some(file) = files.get(at) {
        let imported: Vec<_> = file.public_dependencies().collect();
        for file in imported {
            if !files.iter().any(|known| known.name() == file.name()) {
                files.push(file);
            }
        }
        at += 1;
    }
    files
}

/// Checks whether a package is one of those that every server may have next to its own.
fn is_of_servers(package: &str) -> bool {
    package == "google.protobuf"
        || package.starts_with("grpc.reflection.")
        || package.starts_with("grpc.health.")
        || package.starts_with("grpc.channelz.")
}

fn list(pool: &DescriptorPool) -> (String, BTreeMap<String, Range<usize>>) {
    let mut text = String::new();
    let mut lines = BTreeMap::new();
    let mut add = |kind: &str, name: &str| {
        // A string can always be written to.
        let _ = write!(text, "{kind} ");
        let start = text.len();
        text.push_str(name);
        lines.insert(name.to_owned(), start..text.len());
        text.push('\n');
    };
    for service in pool.services() {
        add("service", service.full_name());
        for method in service.methods() {
            add("rpc", method.full_name());
        }
    }
    for message in pool.all_messages() {
        add("message", message.full_name());
        for field in message.fields() {
            add("field", field.full_name());
        }
    }
    for one in pool.all_enums() {
        add("enum", one.full_name());
    }
    (text, lines)
}

/// Reports all faults of an error of the compiler. One of a file that imports a faulty file repeats
/// the fault.
fn report(error: &Error, files: &[ProtoFile], document: SourceId, diagnostics: &mut Diagnostics) {
    let file = error
        .file()
        .and_then(|name| files.iter().find(|file| file.name == name));
    let source = file.map_or(document, |file| file.source);
    diagnostics.report(fault(error, source));
    for related in error.related().into_iter().flatten() {
        diagnostics.report(fault(related, source));
    }
}

fn fault(error: &dyn miette::Diagnostic, source: SourceId) -> Diagnostic {
    let message = one_line(&error.to_string());
    let missing = message.contains("not found") || message.contains("is not defined");
    let code = match missing || message.contains("not imported") {
        true => Code::UnresolvedReference,
        false => Code::InvalidProto,
    };
    // Of two declarations that contradict each other, the later one is at fault.
    let mut labels: Vec<_> = error.labels().into_iter().flatten().collect();
    labels.sort_by_key(|label| label.offset());
    let last = labels.pop();
    let place = last.as_ref().map_or_else(
        || Place::start_of(source),
        |label| Place::new(source, label.offset(), label.offset() + label.len()),
    );
    let mut fault = Diagnostic::error(code, place, message);
    if let Some(label) = last.as_ref().and_then(|label| label.label()) {
        fault = fault.label(one_line(label));
    }
    for label in labels {
        let place = Place::new(source, label.offset(), label.offset() + label.len());
        fault = fault.also(place, one_line(label.label().unwrap_or("here")));
    }
    match error.help() {
        Some(help) => fault.help(one_line(&help.to_string())),
        None => fault,
    }
}

/// Writes a message on one line, with quoted names in backticks.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('\'', "`").replace('…', "")
}
