//! The inputs and outputs of a run, used to skip a run without changes.
//!
//! A stamp is a hidden file in the output folder. It is only a cache: deleting it is safe, and it
//! should not be committed. It holds the digest of every file that the run read or missed and of
//! every output file. All digests are compared on each run.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toolwright_model::hex;

use crate::{document::load::FileSystem, emit::OutputTree};

/// The folder of the stamp, below the output folder.
const FOLDER: &str = ".toolwright";

/// The file name.
const FILE: &str = "stamp.json";

/// The inputs and outputs of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The request and the generator version.
    request: String,
    /// The digests of the input files, by path; null for a file that could not be read.
    inputs: BTreeMap<String, Option<String>>,
    /// The digests of the output files, by path below the folder; null for a file of the user's own.
    outputs: BTreeMap<String, Option<String>>,
    /// The output of the run for the user.
    pub said: String,
}

/// A file system that records the digests of the files read.
pub struct Recorded<'f> {
    files: &'f dyn FileSystem,
    found: RefCell<BTreeMap<String, Option<String>>>,
}

impl Stamp {
    /// Creates the stamp of a completed run.
    #[must_use]
    pub fn new(request: String, read: Recorded<'_>, tree: &OutputTree, said: String) -> Self {
        let outputs = tree.iter().map(|(path, content)| {
            let is_own = tree.is_initial(path);
            (
                path.to_owned(),
                (!is_own).then(|| digest(content.as_bytes())),
            )
        });
        Self {
            request,
            inputs: read.found.into_inner(),
            outputs: outputs.collect(),
            said,
        }
    }

    /// Updates the digest of an input file that this run wrote.
    pub fn rewritten(&mut self, path: &str, content: &str) {
        let digest = digest(content.as_bytes());
        self.inputs.insert(path.to_owned(), Some(digest));
    }

    /// Returns the stamp and files of a folder if a run with this request would change nothing.
    #[must_use]
    pub fn fresh(
        request: &str,
        files: &dyn FileSystem,
        folder: &Path,
    ) -> Option<(Self, OutputTree)> {
        let stamp: Self = serde_json::from_slice(&fs::read(Self::path(folder)).ok()?).ok()?;
        if stamp.request != request {
            return None;
        }
        let as_before =
            |(path, known): (&String, &Option<String>)| digest_at(files, path) == *known;
        if !stamp.inputs.iter().all(as_before) {
            return None;
        }
        let mut tree = OutputTree::new();
        for (path, known) in &stamp.outputs {
            let content = fs::read_to_string(folder.join(path)).ok()?;
            match known {
                None => tree.add_initial(path, content),
                Some(known) if *known == digest(content.as_bytes()) => tree.add(path, content),
                Some(_) => return None,
            }
        }
        Some((stamp, tree))
    }

    /// Writes the stamp of a folder unless it is unchanged.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let path = Self::path(folder);
        let text = serde_json::to_string_pretty(self)? + "\n";
        if fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
            return Ok(());
        }
        fs::create_dir_all(folder.join(FOLDER))?;
        fs::write(folder.join(FOLDER).join(".gitignore"), "*\n")?;
        fs::write(path, text)
    }

    fn path(folder: &Path) -> PathBuf {
        folder.join(FOLDER).join(FILE)
    }
}

impl<'f> Recorded<'f> {
    /// Creates a recorder for these files.
    #[must_use]
    pub const fn new(files: &'f dyn FileSystem) -> Self {
        Self {
            files,
            found: RefCell::new(BTreeMap::new()),
        }
    }
}

impl FileSystem for Recorded<'_> {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let read = self.files.read(path);
        let digest = read.as_deref().ok().map(digest);
        self.found.borrow_mut().insert(path.to_owned(), digest);
        read
    }

    fn real_path(&self, path: &str) -> io::Result<PathBuf> {
        self.files.real_path(path)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let names = self.files.list(folder);
        let digest = names.as_deref().ok().map(digest_of_names);
        let path = format!("{folder}/");
        self.found.borrow_mut().insert(path, digest);
        names
    }
}

/// Returns the digest of a file, or of the names in a folder, whose path ends in a slash.
fn digest_at(files: &dyn FileSystem, path: &str) -> Option<String> {
    if let Some(folder) = path.strip_suffix('/') {
        return files.list(folder).ok().as_deref().map(digest_of_names);
    }
    files.read(path).ok().as_deref().map(digest)
}

fn digest_of_names(names: &[String]) -> String {
    digest(names.join("\n").as_bytes())
}

fn digest(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        document::load::Disk,
        emit,
        generate::{self, Input, Options},
        reconcile,
    };

    const DOCUMENT: &str = "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths:\n  /items:\n    get:\n      operationId: listItems\n      responses:\n        '200':\n          description: Items.\n          content:\n            application/json:\n              schema: {$ref: items.yaml}\n";

    /// A project: a document with a referenced document, an overlay, and the output.
    struct Project(tempfile::TempDir);

    impl Project {
        fn new() -> Self {
            let project = Self(tempfile::tempdir().unwrap());
            project.put("shop.yaml", DOCUMENT);
            project.put("items.yaml", "type: array\nitems: {type: string}\n");
            project.put("overlay.toml", "");
            project
        }

        fn path(&self, file: &str) -> String {
            self.0.path().join(file).to_string_lossy().into_owned()
        }

        fn put(&self, file: &str, content: &str) {
            fs::write(self.0.path().join(file), content).unwrap();
        }

        fn out_folder(&self) -> PathBuf {
            self.0.path().join("out")
        }

        fn generate(&self) {
            let input = Input::new(self.path("shop.yaml")).overlay(self.path("overlay.toml"));
            let files = Recorded::new(&Disk);
            let outcome = generate::run(&[input], Options::default(), &files);
            let catalog = outcome.catalog.unwrap();
            let tree = emit::service(&catalog.services()[0]);
            reconcile::write(&tree, &self.out_folder()).unwrap();
            let stamp = Stamp::new("all".to_owned(), files, &tree, String::new());
            stamp.write(&self.out_folder()).unwrap();
        }

        fn is_fresh(&self) -> bool {
            Stamp::fresh("all", &Disk, &self.out_folder()).is_some()
        }
    }

    #[test]
    fn an_unchanged_run_is_fresh_with_the_same_files() {
        let project = Project::new();
        assert!(!project.is_fresh());
        project.generate();
        let (_, tree) = Stamp::fresh("all", &Disk, &project.out_folder()).unwrap();
        assert!(tree.file("types.rs").is_some());
        assert!(
            reconcile::compare(&tree, &project.out_folder())
                .unwrap()
                .is_fresh()
        );
        assert!(Stamp::fresh("others", &Disk, &project.out_folder()).is_none());
    }

    #[test]
    fn any_changed_input_is_detected() {
        for file in ["shop.yaml", "items.yaml", "overlay.toml"] {
            let project = Project::new();
            project.generate();
            assert!(project.is_fresh());
            let before = fs::read_to_string(project.path(file)).unwrap();
            project.put(file, &format!("{before}# More.\n"));
            assert!(!project.is_fresh(), "{file}");
            project.put(file, &before);
            assert!(project.is_fresh(), "{file}");
            fs::remove_file(project.path(file)).unwrap();
            assert!(!project.is_fresh(), "{file}");
        }
    }

    #[test]
    fn a_missing_file_that_appears_is_detected() {
        let project = Project::new();
        let items = project.path("items.yaml");
        fs::remove_file(&items).unwrap();
        project.generate();
        assert!(project.is_fresh());
        project.put("items.yaml", "type: array\n");
        assert!(!project.is_fresh());
    }

    #[test]
    fn an_edited_or_removed_output_is_detected() {
        let project = Project::new();
        for file in [
            "mod.rs",
            "tools.rs",
            "types.rs",
            "tools.json",
            "manifest.json",
        ] {
            project.generate();
            let path = project.out_folder().join(file);
            let content = fs::read_to_string(&path).unwrap();
            fs::write(&path, content + " ").unwrap();
            assert!(!project.is_fresh(), "{file}");
            project.generate();
            assert!(project.is_fresh());
            fs::remove_file(path).unwrap();
            assert!(!project.is_fresh(), "{file}");
        }
    }

    #[test]
    fn the_runs_own_output_is_not_a_change() {
        let project = Project::new();
        project.generate();
        let (mut stamp, _) = Stamp::fresh("all", &Disk, &project.out_folder()).unwrap();
        project.put("overlay.toml", "# Written by the run.\n");
        stamp.rewritten(&project.path("overlay.toml"), "# Written by the run.\n");
        stamp.write(&project.out_folder()).unwrap();
        assert!(project.is_fresh());
    }

    #[test]
    fn an_invalid_stamp_is_ignored() {
        let project = Project::new();
        project.generate();
        fs::write(Stamp::path(&project.out_folder()), "{}").unwrap();
        assert!(!project.is_fresh());
    }
}
