//! The loading stage: reads files into sources and trees. Only this stage reads files, through a
//! [`FileSystem`].
//!
//! A document may reference other files with `$ref`. They are loaded recursively. Only relative
//! paths are followed, and only below a folder: the document's own, or a wider one that the caller
//! allows. Hidden files are refused. Nothing is fetched over a network.

mod memory;
#[cfg(not(feature = "grpc"))]
#[path = "load/no_protobuf.rs"]
mod protobuf;
#[cfg(feature = "grpc")]
mod protobuf;
mod reach;
mod references;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    path::PathBuf,
};

use crate::{
    document::built_in::{OUTCOME_PATH, OUTCOME_TEXT, is_eab},
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        documents::{Absence, Documents, join, normalise},
        format::Format,
        proto,
        source::{Place, SourceId, Sources},
        tree::{self, Data, Node},
    },
};
pub use memory::{Layered, Memory};
use reach::Reach;

/// The maximum size of a file, in bytes. The largest public specification has about 64 MiB.
pub(crate) const LARGEST_FILE: u64 = 256 * 1024 * 1024;

/// The maximum total size of a document and its referenced files, in bytes.
const LARGEST_DOCUMENT: u64 = LARGEST_FILE;

/// The most files of a folder that is listed.
const MOST_FILES: usize = 10_000;

/// A source of files.
pub trait FileSystem {
    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// Fails if the file does not exist or cannot be read.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// Returns the path with its symbolic links resolved. Without such links it is the normalised
    /// path.
    ///
    /// # Errors
    /// Fails if the file does not exist.
    fn real_path(&self, path: &str) -> io::Result<PathBuf> {
        Ok(PathBuf::from(normalise(path)))
    }

    /// Returns the names of the files in a folder, in alphabetical order.
    ///
    /// # Errors
    /// Fails if the folder does not exist, cannot be read or has too many files.
    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let _ = folder;
        Err(io::Error::other("folders cannot be listed here"))
    }
}

/// The local file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

/// Loads the files of a run, each once.
pub struct Loader<'f> {
    files: &'f dyn FileSystem,
    /// The formats that the program adds.
    formats: &'f [&'f dyn Format],
    sources: Sources,
    /// The trees of the current document.
    documents: Documents,
    texts: BTreeMap<String, Option<SourceId>>,
    /// The bytes of descriptor sets, whose texts only list their parts.
    #[cfg(feature = "grpc")]
    sets: BTreeMap<SourceId, Vec<u8>>,
    /// The number of bytes read for the current document.
    bytes: u64,
}

impl<'f> Loader<'f> {
    /// Creates a loader.
    #[must_use]
    pub fn new(files: &'f dyn FileSystem) -> Self {
        Self {
            files,
            formats: &[],
            sources: Sources::new(),
            documents: Documents::default(),
            texts: BTreeMap::new(),
            #[cfg(feature = "grpc")]
            sets: BTreeMap::new(),
            bytes: 0,
        }
    }

    /// Reads documents in these formats too. They come before those of this crate.
    #[must_use]
    pub const fn with_formats(mut self, formats: &'f [&'f dyn Format]) -> Self {
        self.formats = formats;
        self
    }

    /// Returns the added format that a document has.
    pub(crate) fn format_of(&self, path: &str) -> Option<&'f dyn Format> {
        let mut formats = self.formats.iter().copied();
        formats.find(|format| format.reads(path))
    }

    /// Reads a text file, such as an overlay.
    ///
    /// Reports an error and returns `None` if the file cannot be read or is not UTF-8.
    pub fn text(&mut self, path: &str, diagnostics: &mut Diagnostics) -> Option<SourceId> {
        let known = normalise(path);
        if let Some(source) = self.texts.get(&known) {
            return *source;
        }
        let source = self.read(path, diagnostics);
        self.texts.insert(known, source);
        source
    }

    /// Returns the paths of the files in a folder, in alphabetical order.
    ///
    /// # Errors
    /// Fails if the folder cannot be listed.
    pub(crate) fn folder(&self, folder: &str) -> io::Result<Vec<String>> {
        let names = self.files.list(folder)?.into_iter();
        Ok(names.map(|name| format!("{folder}/{name}")).collect())
    }

    /// Reads a document and all files that it references into trees.
    ///
    /// Each document gets its own trees, so its meaning does not depend on other documents of the
    /// run. Files outside of `reach` are refused. The default reach is the document's folder.
    ///
    /// Reports an error and returns `None` if the document itself cannot be read.
    pub fn document(
        &mut self,
        path: &str,
        reach: Option<&str>,
        diagnostics: &mut Diagnostics,
    ) -> Option<(SourceId, Documents)> {
        self.edited_document(path, reach, |_, _| {}, diagnostics)
    }

    /// Reads the text of a document, before the files that change it.
    pub(crate) fn open(&mut self, path: &str, diagnostics: &mut Diagnostics) {
        self.documents = Documents::default();
        self.bytes = 0;
        self.text(path, diagnostics);
    }

    /// Reads a document, changes its tree, and reads the files that it then references.
    pub(crate) fn edited_document(
        &mut self,
        path: &str,
        reach: Option<&str>,
        edit: impl FnOnce(&mut Node, &mut Diagnostics),
        diagnostics: &mut Diagnostics,
    ) -> Option<(SourceId, Documents)> {
        self.open(path, diagnostics);
        let is_proto = proto::is_source(path) || proto::is_descriptor_set(path);
        if is_proto && self.format_of(path).is_none() {
            let source = self.protobuf(path, reach, diagnostics)?;
            if let Some(root) = self.documents.root_mut(source) {
                edit(root, diagnostics);
            }
            return Some((source, std::mem::take(&mut self.documents)));
        }
        let reach = Reach::new(path, reach);
        let source = self.tree(path, diagnostics)?;
        let text = self.sources.file(source).map(|file| file.text.len());
        self.bytes = text.unwrap_or_default() as u64;
        if let Some(root) = self.documents.root_mut(source) {
            edit(root, diagnostics);
        }
        if self.documents.root(source).is_some_and(is_eab) {
            self.built_in(OUTCOME_PATH, OUTCOME_TEXT);
        }
        let mut unread = vec![source];
        while let Some(source) = unread.pop() {
            unread.extend(self.load_references(source, &reach, diagnostics));
        }
        Some((source, std::mem::take(&mut self.documents)))
    }

    /// Adds a file that is part of the program.
    fn built_in(&mut self, path: &str, text: &str) {
        let sources = &mut self.sources;
        let known = self.texts.entry(path.to_owned());
        let source = *known.or_insert_with(|| Some(sources.add(path, text)));
        let root = source.and_then(|source| {
            let root = parse(&self.sources, source, &mut Diagnostics::default())?;
            Some((source, root))
        });
        if let Some((source, root)) = root {
            self.documents.add(source, path, root);
        }
    }

    /// Returns the files that were read so far.
    pub(crate) const fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns the files that were read.
    #[must_use]
    pub fn finish(self) -> Sources {
        self.sources
    }

    /// Reads a file into a tree, unless it is already loaded.
    fn tree(&mut self, path: &str, diagnostics: &mut Diagnostics) -> Option<SourceId> {
        let source = self.text(path, diagnostics)?;
        if self.documents.root(source).is_none() {
            let root = match self.format_of(path) {
                Some(format) => {
                    let text = &self.sources.file(source)?.text;
                    format.read(source, text, diagnostics)?
                }
                None => parse(&self.sources, source, diagnostics)?,
            };
            self.documents.add(source, path, root);
        }
        Some(source)
    }

    /// Loads the files that a document references and returns the newly loaded ones.
    fn load_references(
        &mut self,
        source: SourceId,
        reach: &Reach,
        diagnostics: &mut Diagnostics,
    ) -> Vec<SourceId> {
        let Some(root) = self.documents.root(source) else {
            return Vec::new();
        };
        let references = references::collect(root);
        if references.names {
            self.documents.identify(source);
        }
        let base = normalise(self.sources.path(source));
        let mut found = Vec::new();
        for file in references.files {
            let file = self.documents.local_reference(source, &file);
            let path = join(&base, file);
            if self.documents.has_file(&path) {
                continue;
            }
            match self.referenced_file(file, &path, reach, diagnostics) {
                Ok(source) => found.push(source),
                Err(absence) => self.documents.add_absent(path, absence),
            }
        }
        found
    }

    fn referenced_file(
        &mut self,
        file: &str,
        path: &str,
        reach: &Reach,
        diagnostics: &mut Diagnostics,
    ) -> Result<SourceId, Absence> {
        if references::is_url(file) {
            return Err(Absence::Remote);
        }
        reach.admit(path, self.files)?;
        let mut reported = Diagnostics::default();
        let source = self.tree(path, &mut reported);
        let mut unreadable = false;
        for diagnostic in reported.sorted() {
            // A missing file is reported at the `$ref` that needs it.
            if diagnostic.code == Code::Unreadable {
                unreadable = true;
            } else if references::may_be_document(path) {
                diagnostics.report(diagnostic);
            }
        }
        source.ok_or(if unreadable {
            Absence::Unreadable
        } else {
            Absence::Malformed
        })
    }

    fn read(&mut self, path: &str, diagnostics: &mut Diagnostics) -> Option<SourceId> {
        match self.bytes_of(path) {
            Ok(bytes) if proto::is_descriptor_set(path) && self.format_of(path).is_none() => {
                Some(self.descriptor_set(path, bytes))
            }
            Ok(bytes) => self.decode(path, bytes, diagnostics),
            Err(error) => {
                let place = Place::start_of(self.sources.add(path, ""));
                let diagnostic =
                    Diagnostic::error(Code::Unreadable, place, "cannot read this file")
                        .note(error.to_string());
                diagnostics.report(match help_for(path) {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                });
                None
            }
        }
    }

    fn bytes_of(&mut self, path: &str) -> io::Result<Vec<u8>> {
        let bytes = self.files.read(path)?;
        self.bytes += bytes.len() as u64;
        if self.bytes > LARGEST_DOCUMENT {
            return Err(too_large(
                "the document and its referenced files are",
                LARGEST_DOCUMENT,
            ));
        }
        Ok(bytes)
    }

    fn decode(
        &mut self,
        path: &str,
        bytes: Vec<u8>,
        diagnostics: &mut Diagnostics,
    ) -> Option<SourceId> {
        match String::from_utf8(bytes) {
            Ok(text) => Some(self.sources.add(path, text)),
            Err(error) => {
                let start = error.utf8_error().valid_up_to();
                let utf16 = matches!(error.as_bytes(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
                let text = String::from_utf8_lossy(error.as_bytes());
                let source = self.sources.add(path, text);
                let place = Place::new(source, start, start + '\u{fffd}'.len_utf8());
                diagnostics.report(not_utf8(place, utf16));
                None
            }
        }
    }
}

impl FileSystem for Disk {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        // Check the type first: opening a pipe waits for its other end.
        regular(&fs::metadata(path)?)?;
        let file = File::open(path)?;
        regular(&file.metadata()?)?;
        let mut bytes = Vec::new();
        file.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(too_large("it is", LARGEST_FILE));
        }
        Ok(bytes)
    }

    fn real_path(&self, path: &str) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if names.len() >= MOST_FILES {
                let message = format!("it has more than {MOST_FILES} files");
                return Err(io::Error::other(message));
            }
            if entry.file_type()?.is_file()
                && let Ok(name) = entry.file_name().into_string()
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }
}

/// Checks that a file is a regular one and not too large.
fn regular(metadata: &fs::Metadata) -> io::Result<()> {
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(too_large("it is", LARGEST_FILE));
    }
    Ok(())
}

fn too_large(subject: &str, most: u64) -> io::Error {
    let mebibytes = most / (1024 * 1024);
    io::Error::other(format!("{subject} larger than {mebibytes} MiB"))
}

fn parse(sources: &Sources, source: SourceId, diagnostics: &mut Diagnostics) -> Option<Node> {
    let file = sources.file(source)?;
    let place = Place::start_of(source);
    match tree::read(source, &file.path, &file.text, diagnostics) {
        Ok(root) if matches!(root.data, Data::Null) => {
            diagnostics.report(
                Diagnostic::error(Code::Empty, place, "this file is empty")
                    .help("write an OpenAPI document into it"),
            );
            None
        }
        Ok(root) => Some(root),
        Err(error) => {
            diagnostics.report(error);
            None
        }
    }
}

/// Returns what to do in place of naming what is not a file.
fn help_for(path: &str) -> Option<&'static str> {
    if path.contains("://") {
        Some("download it, or add it to a project with `toolwright add`: nothing is fetched here")
    } else if path == "-" {
        Some("for standard input, use `/dev/stdin` and `--service NAME`")
    } else {
        None
    }
}

fn not_utf8(place: Place, utf16: bool) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::NotUtf8, place, "this file is not valid UTF-8")
        .label("the first invalid byte")
        .help("save the file as UTF-8");
    if utf16 {
        diagnostic.note("it begins with the byte order mark of UTF-16")
    } else {
        diagnostic
    }
}

#[cfg(test)]
mod tests;
