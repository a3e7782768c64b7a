//! Documents of Protocol Buffers: a `.proto` file with its imports, or a descriptor set.
//!
//! A file is imported from the folder of the document; or, if this is the folder of its package
//! (`shop/v1` of `shop.v1`), from the folder that contains the package. If an import is not there, its
//! own path decides: `acme/shop/v2/types.proto` is imported by a document below `acme` from the folder
//! that contains `acme`. Nothing outside of this folder is read, and of it only `.proto` files.

use std::{collections::BTreeMap, ops::Range};

use super::{Loader, reach::Reach};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    documents::{Absence, folder_of, normalise},
    proto::{self, Header, HeaderFault, ProtoFile},
    source::{Place, SourceId},
    tree::DEEPEST,
};

/// The most files of a document.
const MOST_FILES: usize = 10_000;

/// A file that was read, with the names of those that it imports.
struct Read {
    source: SourceId,
    imports: Vec<(String, Range<usize>)>,
}

/// The files of a document by the names under which they are imported. Those that come with the
/// program are none of them.
#[derive(Default)]
struct Files {
    read: BTreeMap<String, Read>,
}

impl Loader<'_> {
    /// Reads a document of Protocol Buffers into a tree.
    pub(super) fn protobuf(
        &mut self,
        path: &str,
        reach: Option<&str>,
        diagnostics: &mut Diagnostics,
    ) -> Option<SourceId> {
        let source = self.text(path, diagnostics)?;
        let root = if proto::is_descriptor_set(path) {
            let bytes = self.sets.get(&source)?;
            proto::decode(bytes, source, diagnostics)?
        } else {
            let files = self.files(path, source, reach, diagnostics)?;
            let root = proto::compile(&files, &self.sources, diagnostics)?;
            for file in files {
                if file.source != source {
                    self.documents.alias(file.source, source);
                }
            }
            root
        };
        self.documents.add(source, path, root);
        Some(source)
    }

    /// Adds a descriptor set, with a list of its parts as its text.
    pub(super) fn descriptor_set(&mut self, path: &str, bytes: Vec<u8>) -> SourceId {
        let source = self.sources.add(path, proto::listing(&bytes));
        self.sets.insert(source, bytes);
        source
    }

    /// Returns the files of a document, each after those that it imports.
    fn files(
        &mut self,
        path: &str,
        source: SourceId,
        reach: Option<&str>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<ProtoFile>> {
        let header = self.header(source, diagnostics)?;
        let (folder, name) = self.root(path, &header, reach);
        let reach = reach_of(path, &folder, reach);
        let mut files = Files::default();
        files.add(name.clone(), source, header);
        let mut unread = vec![name.clone()];
        let mut sound = true;
        while let Some(importing) = unread.pop() {
            let Some(file) = files.read.get(&importing) else {
                continue;
            };
            let (source, imports) = (file.source, file.imports.clone());
            for (import, span) in imports {
                if files.read.contains_key(&import) || proto::is_well_known(&import) {
                    continue;
                }
                let place = Place::new(source, span.start, span.end);
                match self.import(&import, &folder, &reach, place, diagnostics) {
                    Import::Read(source, header) if files.read.len() < MOST_FILES => {
                        files.add(import.clone(), source, header);
                        unread.push(import);
                    }
                    Import::BuiltIn => {}
                    Import::Read(..) => {
                        let message = format!("the document has more than {MOST_FILES} files");
                        diagnostics.report(Diagnostic::error(Code::Unreadable, place, message));
                        return None;
                    }
                    Import::Faulty => sound = false,
                }
            }
        }
        let sorted = files.sorted(&name, diagnostics)?;
        sound.then_some(sorted)
    }

    /// Returns the folder from which a document imports, and its own name there.
    fn root(&mut self, path: &str, header: &Header, reach: Option<&str>) -> (String, String) {
        let path_of_document = normalise(path);
        let root = root_of(&path_of_document, header.package.as_deref());
        let mut imports = header.imports.iter().map(|(import, _)| import);
        let mut has = |import: &str, folder: &str| {
            let reach = reach_of(path, folder, reach);
            self.imported(import, folder, &reach).is_ok()
        };
        let stray = imports.find(|import| {
            !proto::is_well_known(import)
                && proto::built_in(import).is_none()
                && !has(import, &root.0)
        });
        let above = stray.map(|stray| (stray, roots_above(&path_of_document, stray)));
        let found = above.and_then(|(stray, roots)| {
            let mut roots = roots.into_iter();
            roots.find(|(folder, _)| has(stray, folder))
        });
        found.unwrap_or(root)
    }

    fn import(
        &mut self,
        import: &str,
        folder: &str,
        reach: &Reach,
        place: Place,
        diagnostics: &mut Diagnostics,
    ) -> Import {
        match self.imported(import, folder, reach) {
            Ok(source) => match self.header(source, diagnostics) {
                Some(header) => Import::Read(source, header),
                None => Import::Faulty,
            },
            Err(Absence::Unreadable) if proto::built_in(import).is_some() => Import::BuiltIn,
            Err(absence) => {
                diagnostics.report(unresolved(import, folder, &absence, place));
                Import::Faulty
            }
        }
    }

    /// Reads an imported file.
    fn imported(&mut self, import: &str, folder: &str, reach: &Reach) -> Result<SourceId, Absence> {
        let is_plain = !import.starts_with('/')
            && !import.contains(['\\', ':'])
            && import
                .split('/')
                .all(|step| !matches!(step, "" | "." | ".."));
        if !is_plain || !proto::is_source(import) {
            return Err(Absence::OutOfReach {
                reach: folder.to_owned(),
            });
        }
        let path = match folder {
            "" => import.to_owned(),
            "/" => format!("/{import}"),
            folder => format!("{folder}/{import}"),
        };
        reach.admit(&path, self.files)?;
        let mut reported = Diagnostics::default();
        match self.text(&path, &mut reported) {
            Some(source) => Ok(source),
            None => {
                let reported = reported.sorted();
                let missing = reported.iter().all(|one| one.code == Code::Unreadable);
                Err(match missing {
                    true => Absence::Unreadable,
                    false => Absence::Malformed,
                })
            }
        }
    }

    fn header(&self, source: SourceId, diagnostics: &mut Diagnostics) -> Option<Header> {
        let text = &self.sources.file(source)?.text;
        match Header::read(text) {
            Ok(header) => Some(header),
            Err(HeaderFault::OpenComment(at)) => {
                let place = Place::new(source, at, at + 2);
                let fault =
                    Diagnostic::error(Code::InvalidProto, place, "the comment does not end");
                diagnostics.report(fault.help("close it with `*/`"));
                None
            }
            Err(HeaderFault::Edition(at)) => {
                let place = Place::new(source, at, at + "edition".len());
                let message = "documents with an edition are not read";
                let fault = Diagnostic::error(Code::UnsupportedVersion, place, message);
                let help = "write `syntax = \"proto3\"` if the file has no features of editions";
                diagnostics.report(fault.help(help));
                None
            }
            Err(HeaderFault::TooDeep(at)) => {
                let place = Place::new(source, at, at + 1);
                let message = "braces and brackets are nested too deeply";
                let note =
                    format!("messages may be nested 31 levels deep, and a document {DEEPEST}");
                let fault = Diagnostic::error(Code::TooDeep, place, message).note(note);
                diagnostics
                    .report(fault.help("move inner messages out, and refer to them by name"));
                None
            }
        }
    }
}

/// The outcome of an import.
enum Import {
    Read(SourceId, Header),
    BuiltIn,
    Faulty,
}

impl Files {
    fn add(&mut self, name: String, source: SourceId, header: Header) {
        let imports = header.imports;
        self.read.insert(name, Read { source, imports });
    }

    /// Returns the files, each after those that it imports. Reports a cycle.
    fn sorted(&self, first: &str, diagnostics: &mut Diagnostics) -> Option<Vec<ProtoFile>> {
        /// The file is being visited, or was.
        #[derive(PartialEq)]
        enum State {
            Open,
            Done,
        }
        let mut states: BTreeMap<&str, State> = BTreeMap::new();
        let mut sorted = Vec::new();
        let mut open: Vec<(&str, usize)> = vec![(first, 0)];
        states.insert(first, State::Open);
        while let Some((name, at)) = open.last_mut() {
            let Some(file) = self.read.get(*name) else {
                open.pop();
                continue;
            };
            let Some((import, span)) = file.imports.get(*at) else {
                states.insert(name, State::Done);
                sorted.push(ProtoFile {
                    name: (*name).to_owned(),
                    source: file.source,
                });
                open.pop();
                continue;
            };
            *at += 1;
            match states.get(import.as_str()) {
                Some(State::Open) => {
                    let place = Place::new(file.source, span.start, span.end);
                    let message = format!("the import of `{import}` is part of a cycle");
                    let fault = Diagnostic::error(Code::CircularReference, place, message);
                    diagnostics.report(fault.help("move what both files need to a third one"));
                    return None;
                }
                Some(State::Done) => {}
                None if self.read.contains_key(import) => {
                    states.insert(import, State::Open);
                    open.push((import, 0));
                }
                None => {}
            }
        }
        Some(sorted)
    }
}

/// Returns the folder from which a document imports, and its own name there.
fn root_of(path: &str, package: Option<&str>) -> (String, String) {
    let folder = folder_of(path);
    let file = path.rsplit('/').next().unwrap_or(path);
    let package = package.unwrap_or_default().replace('.', "/");
    let above = folder
        .strip_suffix(&package)
        .filter(|_| !package.is_empty());
    match above {
        Some("") => (String::new(), format!("{package}/{file}")),
        Some("/") => ("/".to_owned(), format!("{package}/{file}")),
        Some(above) if above.ends_with('/') => {
            let above = above.trim_end_matches('/').to_owned();
            (above, format!("{package}/{file}"))
        }
        Some(_) | None => (folder, file.to_owned()),
    }
}

/// Returns the folders above a document from which the path of an import may begin, and the names of the
/// document there: those that contain a folder of the document's path with the first name of the import.
fn roots_above(path: &str, import: &str) -> Vec<(String, String)> {
    let Some((first, _)) = import.split_once('/') else {
        return Vec::new();
    };
    let mut roots = Vec::new();
    let mut rest = folder_of(path);
    while !rest.is_empty() && rest != "/" {
        let above = folder_of(&rest);
        let name = rest.rsplit('/').next().unwrap_or_default();
        if name == first {
            let below = path.strip_prefix(above.as_str()).unwrap_or(path);
            roots.push((above.clone(), below.trim_start_matches('/').to_owned()));
        }
        rest = above;
    }
    roots
}

fn reach_of(path: &str, folder: &str, reach: Option<&str>) -> Reach {
    match reach {
        Some(reach) => Reach::new(path, Some(reach)),
        None => Reach::of_folder(folder),
    }
}

fn unresolved(import: &str, folder: &str, absence: &Absence, place: Place) -> Diagnostic {
    let shown = if folder.is_empty() { "." } else { folder };
    let message = format!("cannot import `{import}`");
    let fault = Diagnostic::error(Code::UnresolvedReference, place, message);
    match absence {
        Absence::Unreadable => fault
            .note(format!("there is no such file in `{shown}`"))
            .help("add the file there, or use a descriptor set, which has all files"),
        Absence::Malformed => fault.note("it is not UTF-8 text").help("fix the file"),
        Absence::Hidden => fault
            .note("hidden files are not read")
            .help("rename it so that no part of its path begins with a dot"),
        Absence::OutOfReach { .. } | Absence::Remote => fault
            .note(format!("only `.proto` files in `{shown}` are imported"))
            .help("copy the file there, and import it by its path below this folder"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_is_looked_for_above_the_folder_with_its_first_name() {
        let roots = |path, import| {
            let roots = roots_above(path, import).into_iter();
            roots
                .map(|(folder, name)| format!("{folder} {name}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            roots("p/a/b/a/x.proto", "a/y.proto"),
            ["p/a/b a/x.proto", "p a/b/a/x.proto"]
        );
        assert_eq!(roots("/a/x.proto", "a/y.proto"), ["/ a/x.proto"]);
        assert_eq!(roots("a/x.proto", "a/y.proto"), [" a/x.proto"]);
        assert!(roots("a/x.proto", "b/y.proto").is_empty());
        assert!(roots("a/x.proto", "y.proto").is_empty());
    }

    #[test]
    fn a_document_imports_from_the_folder_of_its_package() {
        for (path, package, folder, name) in [
            (
                "a/shop/v1/shop.proto",
                Some("shop.v1"),
                "a",
                "shop/v1/shop.proto",
            ),
            (
                "shop/v1/shop.proto",
                Some("shop.v1"),
                "",
                "shop/v1/shop.proto",
            ),
            (
                "/shop/v1/shop.proto",
                Some("shop.v1"),
                "/",
                "shop/v1/shop.proto",
            ),
            ("a/shop.proto", Some("shop.v1"), "a", "shop.proto"),
            (
                "a/myshop/v1/shop.proto",
                Some("shop.v1"),
                "a/myshop/v1",
                "shop.proto",
            ),
            ("shop.proto", None, "", "shop.proto"),
        ] {
            let found = root_of(path, package);
            assert_eq!(found, (folder.to_owned(), name.to_owned()), "{path}");
        }
    }
}
