//! Custom tools: what an operator describes in TOML, one file each in `tools/`. A tool is a request, a program
//! in the sandbox, or a sequence of calls of other tools.
//!
//! A request becomes the same record and the same binding as an operation of a specification, so the same
//! executor builds it. A program has the engine of `run-shell-command`, and a sequence the interpreter of
//! skills. A value of an agent is a value and nothing else: it cannot become a part of a path, a name of a
//! parameter, a header, an option of a program or a step.

mod arguments;
mod command;
mod kind;
mod record;
mod request;
mod schema;
mod scope;
mod steps;
mod tool;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use toolwright::{
    Tool, ToolName,
    config::{
        ConfigProblem,
        reader::{ConfigReader, File},
    },
    private,
};
use toolwright_skills::KnownTools;

pub use schema::json_schema;
pub use steps::StepsTool;

/// The folder of the custom tools, next to `toolwright.toml`.
pub const FOLDER: &str = "tools";

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// A tool that a file describes.
#[derive(Clone, Debug)]
pub enum CustomTool {
    /// A request or a program.
    Tool(Tool),
    /// A sequence of calls, which is a tool together with the tools that it calls.
    Steps(Box<StepsTool>),
}

/// A file of a tool.
#[derive(Clone, Debug)]
pub struct CustomFile {
    /// The path.
    pub path: PathBuf,
    /// The content.
    pub text: String,
    /// The tool.
    pub tool: CustomTool,
}

/// The tools of a folder, and what is wrong with the files that are none.
#[derive(Debug, Default)]
pub struct CustomTools {
    /// The files without faults, by their names.
    pub files: Vec<CustomFile>,
    /// The problems, each with its place.
    pub problems: Vec<ConfigProblem>,
    /// The files that cannot be read, with the reasons.
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

impl CustomTool {
    /// Returns the name of the tool.
    #[must_use]
    pub fn name(&self) -> &ToolName {
        match self {
            Self::Tool(tool) => &tool.spec().name,
            Self::Steps(steps) => steps.name(),
        }
    }

    /// Returns the service of the tool.
    #[must_use]
    pub fn service(&self) -> &str {
        match self {
            Self::Tool(tool) => tool.spec().service.as_str(),
            Self::Steps(steps) => steps.service(),
        }
    }

    /// Returns the tool, given all tools that its steps may call.
    ///
    /// # Errors
    /// Everything that is wrong with its steps, each with its place and its fix.
    pub fn complete(&self, tools: &KnownTools<'_>) -> Result<Tool, Vec<ConfigProblem>> {
        match self {
            Self::Tool(tool) => Ok(tool.clone()),
            Self::Steps(steps) => steps.tool(tools),
        }
    }
}

/// Reads the `*.toml` files of a folder. A file with a fault does not affect the others, and one that another user
/// can change is not read. Without the folder, there are no tools.
///
/// # Errors
/// If the folder cannot be read.
pub fn read_folder(folder: &Path) -> io::Result<CustomTools> {
    let mut custom = CustomTools::default();
    for path in files(folder)? {
        match private::read_protected(&path, LARGEST) {
            Ok(text) => match parse(&path, &text) {
                Ok(tool) => custom.files.push(CustomFile { path, text, tool }),
                Err(problems) => custom.problems.extend(problems),
            },
            Err(error) => custom.unreadable.push((path, error)),
        }
    }
    Ok(custom)
}

/// Returns the `*.toml` files of a folder, sorted; none without the folder.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
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
    Ok(paths)
}

/// Reads the programs of a folder without checking them: the names of the files, and the tables `[command]` as
/// they are written. Files that cannot be read and folders without files have none: they are no tools either.
#[must_use]
pub fn read_programs(folder: &Path) -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for path in files(folder).unwrap_or_default() {
        let text = private::read_protected(&path, LARGEST).unwrap_or_default();
        let table = text.parse::<toml::Table>().unwrap_or_default();
        if let (Some(command), Some(name)) = (table.get("command"), path.file_name()) {
            programs.push((name.to_string_lossy().into_owned(), command.to_string()));
        }
    }
    programs
}

/// Reads a tool.
///
/// # Errors
/// Everything that is wrong with it by itself, each with its place and its fix.
pub fn parse(path: &Path, text: &str) -> Result<CustomTool, Vec<ConfigProblem>> {
    let mut reader = ConfigReader::default();
    let file = File { path, text };
    let tool = file
        .parse(&mut reader)
        .and_then(|document| tool::read(file.node(&document), &mut reader));
    let problems = reader.into_problems();
    match tool {
        Some(tool) if problems.is_empty() => Ok(tool),
        _ => Err(problems),
    }
}
