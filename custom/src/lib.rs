//! Custom tools: requests that an operator describes in TOML, one file each in `tools/`.
//!
//! A file becomes the same record and the same binding as an operation of a specification, so the same
//! executor builds its request. A value of an agent is a value of a parameter and nothing else: it
//! cannot become a part of a path, a name of a parameter, or a header.

mod arguments;
mod request;
mod tool;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use toolwright::{
    Tool,
    config::{
        ConfigProblem,
        reader::{ConfigReader, File},
    },
    private,
};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The tools of a folder, and what is wrong with the files that are none.
#[derive(Debug, Default)]
pub struct CustomTools {
    /// The tools, by the names of their files.
    pub tools: Vec<Tool>,
    /// The problems, each with its place.
    pub problems: Vec<ConfigProblem>,
    /// The files that cannot be read, with the reasons.
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

/// Reads the `*.toml` files of a folder. A file with a fault does not affect the others, and one that another user
/// can change is not read. There are no tools without the folder.
///
/// # Errors
/// If the folder cannot be read.
pub fn read_folder(folder: &Path) -> io::Result<CustomTools> {
    let mut custom = CustomTools::default();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(custom),
        entries => entries?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            paths.push(path);
        }
    }
    paths.sort();
    for path in paths {
        match private::read_protected(&path, LARGEST) {
            Ok(text) => match parse(&path, &text) {
                Ok(tool) => custom.tools.push(tool),
                Err(problems) => custom.problems.extend(problems),
            },
            Err(error) => custom.unreadable.push((path, error)),
        }
    }
    Ok(custom)
}

/// Reads a tool.
///
/// # Errors
/// Everything that is wrong with it, each with its place and its fix.
pub fn parse(path: &Path, text: &str) -> Result<Tool, Vec<ConfigProblem>> {
    let mut reader = ConfigReader::default();
    let file = File { path, text };
    let tool = file
        .parse(&mut reader)
        .and_then(|document| tool::read(file.node(&document), path, &mut reader));
    let problems = reader.into_problems();
    match tool {
        Some(tool) if problems.is_empty() => Ok(tool),
        _ => Err(problems),
    }
}
