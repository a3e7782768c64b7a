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
    time::Duration,
};

use rustix::{
    fs::{Dir, FileType, OFlags, fstat},
    io::Errno,
};
use tempfile::TempDir;
use toolwright::{ToolContext, ToolError};
use toolwright_commands::{
    confined::{confinement, not_started},
    failed,
};
use toolwright_sandbox::{Confinement, Sandbox, Session};

use super::{
    own_file::{self, NewFile},
    run::{Git, folder_of_program},
};
use crate::{
    beneath::{self, LOOK},
    workspace::{AccessError, Entry, Workspace},
};

/// The longest time of all commands of a call.
const LONGEST_CALL: Duration = Duration::from_secs(300);

/// The memory of the commands of a call, in bytes.
const MEMORY: u64 = 2 << 30;

/// The bytes that the commands of a call may write.
const WRITTEN: u64 = 2 << 30;

/// The name of the copy of the index.
const INDEX: &str = "copied-index";

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

/// The repository of a call, with a git folder of our own, and the sandbox in which git runs.
#[derive(Debug)]
pub(super) struct Repository {
    // Dropped first: it ends the processes that use the others.
    session: Session,
    pub(super) workspace: Workspace,
    /// The path of the workspace without symbolic links.
    root: PathBuf,
    /// The repository's own git folder.
    own: Entry,
    folder: TempDir,
}

/// The purpose for which a call opens the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To read.
    Read,
    /// To add objects and to move branches.
    Change,
}

impl Repository {
    /// Opens the repository of a call.
    pub(super) async fn of_call(ctx: &ToolContext, purpose: Purpose) -> Result<Self, ToolError> {
        let workspace = Workspace::of_call(ctx)?;
        let root = workspace.path().canonicalize();
        let root = root.map_err(|_| ToolError::from(AccessError::NoRepository))?;
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
        let confinement = confine(ctx, &root, folder.path(), purpose);
        let session = Sandbox::new().session(&confinement).await;
        let session = session.map_err(|error| not_started(&error, "git_failed"))?;
        let repository = Self {
            session,
            workspace,
            root,
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
        let folder = self.folder.path();
        let listed = Git::without_repository(&self.session, folder, &arguments);
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

    fn own_path(&self) -> PathBuf {
        self.root.join(".git")
    }

    /// Checks a branch out: writes the `HEAD` of the repository.
    pub(super) async fn check_out(
        &self,
        ctx: &ToolContext,
        reference: &str,
    ) -> Result<(), ToolError> {
        let content = self.path("new-head");
        fs::write(&content, format!("ref: {reference}\n")).map_err(AccessError::from)?;
        let head = NewFile {
            root: self.root.clone(),
            name: "HEAD".to_owned(),
            content,
            made_of: None,
        };
        own_file::replace(ctx, head).await
    }

    /// Copies the index of the repository, if it has one, for a change of it. Returns its version.
    pub(super) fn copy_index(&self) -> Result<Option<String>, ToolError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        let index = match beneath::open(self.own.as_fd(), "index", flags) {
            Ok(index) => index,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(AccessError::from(error).into()),
        };
        let stat = fstat(&index).map_err(AccessError::from)?;
        let copy = || -> std::io::Result<()> {
            let mut copy = fs::File::create(self.path(INDEX))?;
            std::io::copy(&mut fs::File::from(index), &mut copy)?;
            Ok(())
        };
        copy().map_err(AccessError::from)?;
        Ok(Some(own_file::version_of(&stat)))
    }

    /// Prepares a command of git on the copy of the index.
    pub(super) fn git_on_copy(&self, arguments: &[&str]) -> Git<'_> {
        self.git(arguments)
            .variable("GIT_INDEX_FILE", self.path(INDEX))
    }

    /// Puts the copy of the index in the place of the version that it was made of.
    pub(super) async fn replace_index(
        &self,
        ctx: &ToolContext,
        made_of: Option<String>,
    ) -> Result<(), ToolError> {
        let index = NewFile {
            root: self.root.clone(),
            name: "index".to_owned(),
            content: self.path(INDEX),
            made_of,
        };
        own_file::replace(ctx, index).await
    }

    /// Prepares a command of git on the repository.
    pub(super) fn git(&self, arguments: &[&str]) -> Git<'_> {
        let own = self.own_path();
        Git::new(&self.session, self.folder.path(), &self.root, arguments)
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

/// Returns the confinement of the programs of a call. They read the repository, and write the git folder of our
/// own. To change something, they may also write the objects and the branches of the repository, but neither
/// its configuration nor its hooks.
fn confine(ctx: &ToolContext, root: &Path, folder: &Path, purpose: Purpose) -> Confinement {
    let mut confinement = confinement(ctx, root);
    let files = &mut confinement.files;
    files.system = true;
    files.execute.extend(folder_of_program());
    files.read.push(root.to_owned());
    files.write.push(folder.to_owned());
    if purpose == Purpose::Change {
        let own = root.join(".git");
        let changed = ["objects", "refs/heads"].map(|path| own.join(path));
        files
            .write
            .extend(changed.into_iter().filter(|path| path.is_dir()));
    }
    let limits = &mut confinement.limits;
    limits.time = LONGEST_CALL;
    limits.cpu = LONGEST_CALL;
    limits.memory = MEMORY;
    limits.file_size = WRITTEN;
    limits.written = WRITTEN;
    confinement
}

/// Returns the confinement of the programs of a call that changes the git folder.
pub(crate) fn confine_to_change(ctx: &ToolContext, root: &Path, folder: &Path) -> Confinement {
    confine(ctx, root, folder, Purpose::Change)
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
