//! A large tree of source files, the same in each run.

use std::{
    error::Error,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

/// The files of a folder.
const FILES_OF_FOLDER: usize = 50;

/// The lines of a file.
const LINES: usize = 100;

/// The word that is searched, and how many files are between two with it.
pub(crate) const WORD: &str = "needle_of_the_search";
const DISTANCE: usize = 1_000;

/// Words of made-up code.
const WORDS: [&str; 16] = [
    "let", "count", "item", "return", "value", "store", "fn", "match", "order", "shelf", "if",
    "await", "total", "self", "index", "price",
];

/// A tree.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    /// The paths of all files below the root.
    pub(crate) files: Vec<String>,
    /// The paths of all folders of files.
    pub(crate) folders: Vec<String>,
    /// The number of files with the word.
    pub(crate) found: usize,
}

/// Creates a tree below a folder.
pub(crate) fn create(folder: &Path, count: usize) -> Result<Tree, Box<dyn Error>> {
    let root = folder.join("tree");
    let mut tree = Tree {
        root: root.clone(),
        files: Vec::with_capacity(count),
        folders: Vec::new(),
        found: 0,
    };
    let mut words = Words(1);
    for number in 0..count {
        let folder = format!(
            "src/part{:02}/module{:04}",
            number / 5_000,
            number / FILES_OF_FOLDER
        );
        if number % FILES_OF_FOLDER == 0 {
            fs::create_dir_all(root.join(&folder))?;
            tree.folders.push(folder.clone());
        }
        let path = format!("{folder}/file{number:06}.rs");
        let has_word = number % DISTANCE == DISTANCE / 2;
        fs::write(root.join(&path), words.file(has_word)?)?;
        tree.found += usize::from(has_word);
        tree.files.push(path);
    }
    fs::create_dir_all(root.join("work"))?;
    Ok(tree)
}

/// A sequence of words that only looks like chance.
struct Words(u64);

impl Words {
    fn next(&mut self) -> &'static str {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(self.0 >> 60).unwrap_or_default();
        WORDS.get(at).copied().unwrap_or_default()
    }

    fn file(&mut self, has_word: bool) -> io::Result<String> {
        let mut text = String::new();
        for line in 0..LINES {
            let words = [
                self.next(),
                self.next(),
                self.next(),
                self.next(),
                self.next(),
            ];
            let mark = if has_word && line == LINES / 2 {
                WORD
            } else {
                ""
            };
            writeln!(text, "    {} {mark};", words.join(" ")).map_err(io::Error::other)?;
        }
        Ok(text)
    }
}
