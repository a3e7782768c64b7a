//! The folder of skills: a folder for each, with its file.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use toolwright::config::{ConfigProblem, Place};

use crate::format::{LONGEST_FILE, SCRIPT, Skill, SkillError};

/// The name of the file that describes a skill.
pub const FILE: &str = "skill.toml";

/// A skill that was found, or what is wrong with its file.
#[derive(Clone, Debug)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// The content.
    pub text: String,
    /// The skill.
    pub skill: Result<Skill, SkillError>,
}

/// Reads the skills below a folder, sorted by the names of their folders. A folder that does not exist
/// has none. A fault in one skill does not affect the others.
///
/// # Errors
/// When the folder cannot be read.
pub fn find(folder: &Path) -> io::Result<Vec<Found>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut files = Vec::new();
    for entry in entries {
        let file = entry?.path().join(FILE);
        if file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files.iter().map(|file| locate(file)).collect())
}

/// Reads the skill of one file.
#[must_use]
pub fn locate(path: &Path) -> Found {
    let (text, skill) = match read(path) {
        Ok(text) => {
            let skill = script_of(path).and_then(|script| {
                let skill = Skill::read_with(path, &text, script.as_deref());
                skill.and_then(|skill| in_folder(path, skill))
            });
            (text, skill)
        }
        Err(error) => (String::new(), Err(error)),
    };
    debug_assert!(skill.is_err() || text.len() <= LONGEST_FILE);
    Found {
        path: path.to_owned(),
        text,
        skill,
    }
}

/// Reads the script next to the file of a skill, if there is one.
fn script_of(path: &Path) -> Result<Option<String>, SkillError> {
    let script = path.with_file_name(SCRIPT);
    match fs::metadata(&script) {
        Ok(found) if found.is_file() => read(&script).map(Some),
        Ok(_) => Err(of_file(&script, "this is not a file".to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(of_file(&script, cannot_be_read(&error))),
    }
}

/// Reads a file, or its beginning if it is longer than a skill may be.
fn read(path: &Path) -> Result<String, SkillError> {
    let most = u64::try_from(LONGEST_FILE).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let file = fs::File::open(path);
    file.and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(|error| of_file(path, cannot_be_read(&error)))?;
    if bytes.len() > LONGEST_FILE {
        return Err(of_file(path, "the file has more than 256 KiB".to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| of_file(path, "the file is not UTF-8".to_owned()))
}

fn cannot_be_read(error: &io::Error) -> String {
    format!("the file cannot be read: {error}")
}

/// Checks that the folder has the name of its skill: no two folders have skills of one name.
fn in_folder(path: &Path, skill: Skill) -> Result<Skill, SkillError> {
    let folder = path.parent().and_then(Path::file_name);
    if folder.is_some_and(|folder| folder == skill.name.value.as_str()) {
        return Ok(skill);
    }
    let problem = ConfigProblem {
        place: skill.name.place,
        message: format!("the folder is not named `{}`", skill.name.value),
        help: Some("rename the folder, or change `name`".to_owned()),
    };
    Err(SkillError {
        problems: vec![problem],
    })
}

fn of_file(path: &Path, message: String) -> SkillError {
    let place = Place {
        file: path.to_owned(),
        line: 1,
        column: 1,
        span: 0..0,
    };
    SkillError {
        problems: vec![ConfigProblem {
            place,
            message,
            help: None,
        }],
    }
}
