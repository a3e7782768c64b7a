//! A git repository whose own configuration decides nothing.
//!
//! A configuration file of a repository can name programs: to compare, to filter, to watch files, to sign, to
//! fetch. Git is therefore given a temporary git folder with a configuration of ours, and takes the objects,
//! the references and the index from the repository. The files of the repository that git would obey are not
//! read at all, except for settings with values from fixed lists.
//!
//! A library in place of the program (`gix`) reads the same files and runs the same programs unless each is
//! switched off, and adds 63 crates.

use std::{
    fs,
    os::fd::AsFd as _,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Dir, FileType, OFlags},
    io::Errno,
};
use tempfile::TempDir;
use toolwright::{ToolContext, ToolError};

use super::run::Git;
use crate::{
    beneath::{self, LOOK},
    failure::failed,
    workspace::{AccessError, Entry, Workspace},
};

/// The longest configuration or reference of a repository, in bytes.
const LONGEST: u64 = 1 << 20;

/// The settings that are taken over, and their possible values. They state how files are stored.
const SETTINGS: [(&str, &[&str]); 6] = [
    ("core.autocrlf", &["true", "false", "input"]),
    ("core.eol", &["lf", "crlf", "native"]),
    ("core.filemode", &["true", "false"]),
    ("core.ignorecase", &["true", "false"]),
    ("core.precomposeunicode", &["true", "false"]),
    ("core.symlinks", &["true", "false"]),
];

/// The extensions of a repository that change nothing for the tools.
const EXTENSIONS: [&str; 4] = [
    "extensions.noop",
    "extensions.preciousobjects",
    "extensions.relativeworktrees",
    "extensions.worktreeconfig",
];

/// Files that make git look for objects elsewhere.
const ELSEWHERE: [&str; 3] = [
    "commondir",
    "objects/info/alternates",
    "objects/info/http-alternates",
];

/// Our configuration. Git reads no other one.
const CONFIGURATION: &str = "\
[core]
\tbare = false
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\thooksPath = /dev/null
\tfsmonitor = false
\tuntrackedCache = false
\tlogAllRefUpdates = false
\tprotectHFS = true
\tprotectNTFS = true
[gc]
\tauto = 0
[maintenance]
\tauto = false
[protocol]
\tallow = never
[submodule]
\trecurse = false
";

/// The repository of a call, with a git folder of our own.
#[derive(Debug)]
pub(super) struct Repository {
    pub(super) workspace: Workspace,
    /// The repository's own git folder.
    own: Entry,
    folder: TempDir,
}

impl Repository {
    /// Opens the repository of a call.
    pub(super) async fn of_call(ctx: &ToolContext) -> Result<Self, ToolError> {
        let workspace = Workspace::of_call(ctx)?;
        let own = workspace.find(".git").map_err(not_usable)?;
        if !own.is_folder() || own.path() != ".git" {
            return Err(unsupported(
                "`.git` is a file or a link, such as of a linked work tree",
            ));
        }
        for name in ELSEWHERE {
            if exists(&own, name)? {
                let problem = format!("it takes objects from elsewhere, by `.git/{name}`");
                return Err(unsupported(&problem));
            }
        }
        for folder in ["objects", "objects/pack", "refs", "refs/heads"] {
            check_no_links(&own, folder)?;
        }
        let folder = TempDir::with_prefix("toolwright-git-").map_err(AccessError::from)?;
        let repository = Self {
            workspace,
            own,
            folder,
        };
        repository.prepare().await?;
        Ok(repository)
    }

    /// Fills the git folder of our own.
    async fn prepare(&self) -> Result<(), ToolError> {
        let own = self.own_path();
        let config = self.read("config")?.unwrap_or_default();
        let config = self.configuration(&config).await?;
        let head = self.read("HEAD")?;
        let head = head.ok_or_else(|| unsupported("it has no `HEAD`"))?;
        let write = || -> std::io::Result<()> {
            fs::write(self.path("config"), config)?;
            fs::write(self.path("HEAD"), head)?;
            symlink(own.join("refs"), self.path("refs"))?;
            fs::create_dir(self.path("info"))?;
            symlink(own.join("packed-refs"), self.path("packed-refs"))
        };
        write().map_err(AccessError::from)?;
        if let Some(exclude) = self.read("info/exclude")? {
            fs::write(self.path("info/exclude"), exclude).map_err(AccessError::from)?;
        }
        // A history that was cut off, as of a shallow clone.
        if let Some(shallow) = self.read("shallow")? {
            fs::write(self.path("shallow"), shallow).map_err(AccessError::from)?;
        }
        for name in ["packed-refs", "index"] {
            self.read_link(name)?;
        }
        Ok(())
    }

    /// Returns our configuration, with the settings of the repository that only state how it is stored.
    async fn configuration(&self, written: &[u8]) -> Result<String, ToolError> {
        let arguments = ["config", "--no-includes", "--file", "-", "--null", "--list"];
        let listed = Git::without_repository(self.folder.path(), &arguments);
        let listed = listed.input(written).run().await?;
        let listed = String::from_utf8_lossy(&listed);
        let mut version = 0;
        let mut more = String::new();
        for setting in listed.split_terminator('\0') {
            let (key, value) = setting.split_once('\n').unwrap_or((setting, "true"));
            let (section, name) = key.split_once('.').unwrap_or((key, ""));
            let known = SETTINGS.iter().find(|(known, _)| *known == key);
            let value = value.to_lowercase();
            if known.is_some_and(|(_, values)| values.contains(&value.as_str())) {
                more += &format!("[core]\n\t{name} = {value}\n");
            } else if key == "extensions.objectformat" && matches!(&*value, "sha1" | "sha256") {
                version = 1;
                more += &format!("[extensions]\n\tobjectFormat = {value}\n");
            } else if section == "extensions" && !EXTENSIONS.contains(&key) {
                return Err(unsupported(&format!("it uses `{key}`")));
            }
        }
        let version = format!("[core]\n\trepositoryFormatVersion = {version}\n");
        Ok([CONFIGURATION, &version, &more].concat())
    }

    /// Reads a small file of the repository's own git folder; none if there is no such file.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, ToolError> {
        use std::io::Read as _;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        let file = match beneath::open(self.own.as_fd(), name, flags) {
            Ok(file) => fs::File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(linked(name)),
            Err(error) => return Err(AccessError::from(error).into()),
        };
        let mut content = Vec::new();
        let read = file.take(LONGEST).read_to_end(&mut content);
        read.map_err(AccessError::from)?;
        Ok(Some(content))
    }

    /// Checks that a file of the git folder is none of a symbolic link.
    fn read_link(&self, name: &str) -> Result<(), ToolError> {
        match beneath::open(self.own.as_fd(), name, LOOK) {
            Err(Errno::LOOP) => Err(linked(name)),
            _ => Ok(()),
        }
    }

    /// Returns a path in the git folder of our own.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the repository's own git folder, open.
    pub(super) const fn own(&self) -> &Entry {
        &self.own
    }

    pub(super) fn own_path(&self) -> PathBuf {
        self.workspace.path().join(".git")
    }

    /// Prepares a command of git on the repository.
    pub(super) fn git(&self, arguments: &[&str]) -> Git {
        let own = self.own_path();
        Git::new(self.folder.path(), self.workspace.path(), arguments)
            .variable("GIT_OBJECT_DIRECTORY", own.join("objects"))
            .variable("GIT_INDEX_FILE", own.join("index"))
    }

    /// Returns the branch that is checked out; none if a commit is.
    pub(super) fn branch(&self) -> Option<String> {
        let head = fs::read_to_string(self.path("HEAD")).ok()?;
        let name = head.trim_end().strip_prefix("ref: refs/heads/")?;
        Some(name.to_owned())
    }

    /// Returns the commit that a revision names; none if there is none.
    pub(super) async fn commit_of(&self, revision: &str) -> Result<Option<String>, ToolError> {
        let name = format!("{revision}^{{commit}}");
        let arguments = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &name,
        ];
        let found = self.git(&arguments).try_run().await?;
        Ok(found.map(|found| String::from_utf8_lossy(&found).trim_end().to_owned()))
    }

    /// The same, and fails if there is none.
    pub(super) async fn must_find(&self, revision: &str) -> Result<String, ToolError> {
        let found = self.commit_of(revision).await?;
        found.ok_or_else(|| {
            let message = format!("there is no commit `{revision}`");
            failed("unknown_revision", message)
        })
    }

    /// Checks that no link leads a reference of a branch out of the repository.
    pub(super) fn check_branch(&self, branch: &str) -> Result<(), ToolError> {
        let mut folder = "refs/heads".to_owned();
        for name in branch.split('/') {
            folder = format!("{folder}/{name}");
            self.read_link(&folder)?;
        }
        Ok(())
    }
}

fn exists(own: &Entry, name: &str) -> Result<bool, ToolError> {
    match beneath::open(own.as_fd(), name, LOOK | OFlags::NOFOLLOW) {
        Ok(_) => Ok(true),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
        Err(Errno::LOOP) => Err(linked(name)),
        Err(error) => Err(AccessError::from(error).into()),
    }
}

/// Checks that a folder of the git folder is none of a symbolic link, and contains none.
fn check_no_links(own: &Entry, name: &str) -> Result<(), ToolError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let folder = match beneath::open(own.as_fd(), name, flags) {
        Ok(folder) => folder,
        Err(Errno::NOENT) => return Ok(()),
        Err(Errno::LOOP) => return Err(linked(name)),
        Err(error) => return Err(AccessError::from(error).into()),
    };
    let entries = Dir::new(folder).map_err(AccessError::from)?;
    for entry in entries {
        let entry = entry.map_err(AccessError::from)?;
        if entry.file_type() == FileType::Symlink {
            return Err(linked(name));
        }
    }
    Ok(())
}

fn not_usable(error: AccessError) -> ToolError {
    match error {
        AccessError::NotFound => failed("no_git_repository", "the repository has no `.git` folder"),
        AccessError::Outside | AccessError::Link => unsupported("`.git` is a symbolic link"),
        error => error.into(),
    }
}

fn linked(name: &str) -> ToolError {
    unsupported(&format!("`.git/{name}` is or contains a symbolic link"))
}

fn unsupported(problem: &str) -> ToolError {
    let message = format!("the tools do not use this git repository: {problem}");
    failed("unsupported_git_repository", message)
}

/// Checks that a string is a revision and neither an option nor a path in disguise.
pub(super) fn check_revision(revision: &str) -> Result<(), ToolError> {
    let is_plain = !revision.is_empty()
        && !revision.starts_with('-')
        && !revision.contains(|c: char| c.is_control() || c == ':');
    if is_plain {
        return Ok(());
    }
    Err(failed(
        "unknown_revision",
        "a revision is a branch, a tag or the id of a commit, such as `main` or `HEAD~2`",
    ))
}

/// Returns the path of a folder as git receives it.
pub(super) fn as_argument(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
