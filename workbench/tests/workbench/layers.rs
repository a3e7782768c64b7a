//! P9 and P11: each layer refuses with the others switched off. The first one is off if the role was granted
//! everything. The second one is off for the tools here: they declare the scope parameters as values that
//! nothing checks, and do what the tools for files do. Then only the third one is left: what is opened, by the scope read
//! once more, and the sandbox.

use std::{
    fs, io, iter,
    net::TcpListener,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::fs::{PermissionsExt as _, symlink},
    },
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::{ToolContext, ToolError, tool};
use toolwright_sandbox::{End, Job, Program, Sandbox, Step};
use toolwright_workbench::internals;

use crate::folder::{Folder, code, violations};

const SCOPE: &str = "allowed_write_paths = [\"src/modules/auth/**\"]\n\
                     denied_write_paths = [\"**/fixed.rs\"]\n\
                     denied_read_paths = [\"src/modules/auth/secrets/**\", \"**/*.key\"]";

/// Changes a file as the tools for files do, whatever its path is.
#[tool(
    name = "write-hostile-file",
    category = execute,
    effect = update,
    open_world = false,
    roles(none, reason = "a test grants it"),
    scope(
        allowed_write_paths = value,
        denied_write_paths = value(optional),
        denied_read_paths = value(optional),
    )
)]
async fn write_hostile(
    ctx: &ToolContext,
    path: String,
    change: String,
) -> Result<String, ToolError> {
    match change.as_str() {
        "create" => internals::create_file(ctx, path, "x".to_owned()).await,
        "delete" => internals::delete_file(ctx, path).await,
        _ => internals::write_file(ctx, path, "x".to_owned()).await,
    }
}

/// Tries everything in the sandbox of a change of a file, which has the open file. Returns the attempts that succeeded.
#[tool(
    name = "run-hostile-attempts",
    category = execute,
    effect = update,
    open_world = false,
    roles(none, reason = "a test grants it"),
    scope(
        allowed_write_paths = value,
        denied_write_paths = value(optional),
        denied_read_paths = value(optional),
    )
)]
async fn run_hostile(ctx: &ToolContext, path: String) -> Result<Vec<String>, ToolError> {
    let confinement = internals::confinement(ctx)?;
    let root = ctx.repository().path.clone().unwrap_or_default();
    let file = fs::File::open(root.join(path)).map_err(ToolError::failed)?;
    let (sandbox, attempts) = (Sandbox::new(), Attempts { root });
    let tried = sandbox
        .job::<Hostile>(&confinement, &attempts, &[file.as_fd()])
        .await;
    tried.map_err(ToolError::failed)
}

/// Runs scripts in place of git, in the sandbox of a commit. Returns those that succeeded.
#[tool(
    name = "run-hostile-git",
    category = execute,
    effect = update,
    open_world = false,
    roles(none, reason = "a test grants it"),
    scope(branch_pattern = value)
)]
async fn run_hostile_git(
    ctx: &ToolContext,
    scripts: Vec<String>,
) -> Result<Vec<String>, ToolError> {
    let folder = tempfile::tempdir().map_err(ToolError::failed)?;
    let confinement = internals::git_confinement(ctx, folder.path())?;
    let root = ctx.repository().path.clone().unwrap_or_default();
    let session = Sandbox::new().session(&confinement).await;
    let session = session.map_err(ToolError::failed)?;
    let mut succeeded = Vec::new();
    for script in scripts {
        let program = Program::new("/bin/sh", ["-c", &script]);
        let ended = session.run(&Step::new(program, &root)).await;
        if ended.map_err(ToolError::failed)?.end == End::Exited(0) {
            succeeded.push(script);
        }
    }
    Ok(succeeded)
}

/// Reads a file by the gate of the scope alone: the body follows every link.
#[tool(
    name = "read-hostile-file",
    category = observe,
    open_world = false,
    roles(none, reason = "a test grants it"),
    scope(
        allowed_read_paths = allowed_paths(path),
        denied_read_paths = denied_paths(path, optional),
    )
)]
async fn read_hostile(ctx: &ToolContext, path: String) -> Result<String, ToolError> {
    let root = ctx.repository().path.clone().unwrap_or_default();
    fs::read_to_string(root.join(path)).map_err(ToolError::failed)
}

/// Reads a file by the check of what was found alone: no argument is checked.
#[tool(
    name = "find-hostile-file",
    category = observe,
    open_world = false,
    roles(none, reason = "a test grants it"),
    scope(
        allowed_read_paths = allowed_paths(..),
        denied_read_paths = denied_paths(.., optional),
    )
)]
async fn find_hostile(ctx: &ToolContext, path: String) -> Result<String, ToolError> {
    internals::read_file(ctx, &path)
}

fn folder() -> Folder {
    let folder = Folder::new(&[
        ("src/modules/auth/a.rs", "a"),
        ("src/modules/auth/b.rs", "b"),
        ("src/modules/auth/fixed.rs", "fixed"),
        ("src/modules/auth/own.key", "SECRET"),
        ("src/modules/auth/deep/c.rs", "c"),
        ("src/modules/auth/secrets/key", "SECRET"),
        ("src/modules/payment/handler.rs", "payment"),
        ("docs/guide.md", "guide"),
        ("toolwright.toml", "policy"),
        (".git/config", "git"),
    ]);
    let inside = |path: &str| folder.path(&format!("src/modules/auth/{path}"));
    symlink("../payment", inside("folder")).unwrap();
    symlink("secrets/key", inside("link")).unwrap();
    symlink(folder.outside().parent().unwrap(), inside("up")).unwrap();
    fs::hard_link(folder.outside(), inside("hard.rs")).unwrap();
    folder
}

/// Returns all files below a folder, with their content and their permissions.
fn all_files(folder: &Path) -> Vec<(PathBuf, Vec<u8>, u32)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let found = fs::symlink_metadata(&path).unwrap();
        if found.is_dir() {
            files.extend(all_files(&path));
        } else if found.is_file() {
            let content = fs::read(&path).unwrap();
            files.push((path, content, found.permissions().mode()));
        }
    }
    files.sort();
    files
}

/// P9, the first two layers.
pub(crate) async fn each_layer_refuses_a_write_with_the_other_one_off() {
    let folder = folder();
    let before = all_files(&folder.root());
    let write = async |tools: &[&str], scope: &str, path: &str| {
        let view = folder.view(tools, scope);
        let arguments = json!({"path": path, "content": "x"});
        code(view.call("write-repo-file", arguments).await)
    };
    let payment = "src/modules/payment/handler.rs";
    let everything = ["*-repo-*"];
    // The first one off: the role is offered every tool, and the second one refuses.
    assert_eq!(write(&everything, SCOPE, payment).await, "scope_violation");
    let none = "allowed_read_paths = [\"**\"]";
    assert_eq!(write(&everything, none, payment).await, "scope_missing");
    // The second one off: the scope allows everything, and the first one refuses.
    let all = "allowed_write_paths = [\"**\"]\nallowed_read_paths = [\"**\"]";
    let reader = ["read-repo-file", "delete-repo-file"];
    assert_eq!(write(&reader, all, payment).await, "tool_not_permitted");
    assert_eq!(all_files(&folder.root()), before);
    // Neither refuses what is meant to pass.
    let passed = write(&everything, all, payment).await;
    assert!(passed.starts_with("it passed"), "{passed}");
}

/// P9, both layers off.
pub(crate) async fn with_both_layers_off_nothing_is_opened() {
    let folder = folder();
    let before = all_files(folder.outside().parent().unwrap());
    let view = folder.view(&["write-hostile-file"], SCOPE);
    let write = async |path: &str| {
        let arguments = json!({"path": path, "change": "write"});
        view.call("write-hostile-file", arguments).await
    };
    for (path, expected) in [
        ("src/modules/payment/handler.rs", "file_not_permitted"),
        ("docs/guide.md", "file_not_permitted"),
        ("toolwright.toml", "file_not_permitted"),
        (".git/config", "file_not_permitted"),
        ("src/modules/auth/fixed.rs", "file_not_permitted"),
        ("src/modules/auth/own.key", "file_not_permitted"),
        ("src/modules/auth/secrets/key", "file_not_permitted"),
        // By links: to a folder that is not in scope, to a file, out of the repository, and a second name.
        ("src/modules/auth/folder/handler.rs", "file_not_permitted"),
        ("src/modules/auth/link", "symbolic_link"),
        ("src/modules/auth/up/outside", "outside_of_repository"),
        ("src/modules/auth/hard.rs", "hard_link"),
        ("src/modules/../../../outside", "outside_of_repository"),
    ] {
        let refused = write(path).await;
        let shown = format!("{refused:?}");
        assert!(!shown.contains("SECRET"), "{path}: {shown}");
        assert_eq!(code(refused), expected, "{path}");
    }
    assert_eq!(all_files(folder.outside().parent().unwrap()), before);
    // No layer above has noticed anything.
    assert_eq!(violations(&view), []);
    let written = write("src/modules/auth/a.rs").await.unwrap();
    assert!(written.to_string().contains("+x"), "{written}");
    assert_eq!(folder.text("src/modules/auth/a.rs"), "x");
}

/// P11.
pub(crate) async fn each_layer_refuses_a_denied_file_with_the_other_one_off() {
    let folder = Folder::new(&[("src/a.rs", "a"), ("src/secrets/x", "SECRET")]);
    symlink("secrets/x", folder.path("src/link")).unwrap();
    symlink("secrets", folder.path("src/folder")).unwrap();
    symlink(folder.outside(), folder.path("src/out")).unwrap();
    fs::hard_link(folder.path("src/secrets/x"), folder.path("src/hard")).unwrap();
    let scope = "allowed_read_paths = [\"src/**\"]\ndenied_read_paths = [\"src/secrets/**\"]";
    let view = folder.view(&["read-hostile-file", "find-hostile-file"], scope);
    let read = async |tool: &str, path: &str| {
        let read = view.call(tool, json!({"path": path})).await;
        let shown = format!("{read:?}");
        (code(read), shown.contains("SECRET"))
    };
    let spellings = [
        "src/secrets/x",
        "src/SECRETS/x",
        "src/./secrets/x",
        "src/a/../secrets/x",
        "src//secrets/x",
        "src/%73ecrets/x",
        "src\\secrets\\x",
        "../outside",
        "/etc/passwd",
    ];
    // The check of what was found is off.
    for path in spellings {
        let (code, _) = read("read-hostile-file", path).await;
        assert_eq!(code, "scope_violation", "{path}");
    }
    // The gate is off. A spelling that names nothing is not found.
    for path in spellings {
        let (code, has_secret) = read("find-hostile-file", path).await;
        let is_refused = ["scope_violation", "file_not_found"].contains(&code.as_str());
        assert!(is_refused && !has_secret, "{path}: {code}");
    }
    for (path, expected) in [
        ("src/secrets/x", "scope_violation"),
        ("src/link", "scope_violation"),
        ("src/folder/x", "scope_violation"),
        ("src/out", "scope_violation"),
        ("src/hard", "hard_link"),
    ] {
        let (code, has_secret) = read("find-hostile-file", path).await;
        assert_eq!((code.as_str(), has_secret), (expected, false), "{path}");
    }
    // The links are real: without the check of what was found, they lead to the secret.
    for path in ["src/link", "src/folder/x", "src/hard"] {
        assert!(read("read-hostile-file", path).await.1, "{path}");
    }
}

pub(crate) async fn a_deletion_and_a_new_folder_need_the_scope_too() {
    let folder = folder();
    let before = all_files(&folder.root());
    let view = folder.view(&["write-hostile-file"], SCOPE);
    let change = async |change: &str, path: &str| {
        let arguments = json!({"path": path, "change": change});
        code(view.call("write-hostile-file", arguments).await)
    };
    for path in [
        "docs/new.md",
        "docs/new/deep/a.md",
        ".git/hooks/post-commit",
        "new.rs",
    ] {
        assert_eq!(change("create", path).await, "file_not_permitted", "{path}");
    }
    for path in ["docs/guide.md", "src/modules/auth/fixed.rs"] {
        assert_eq!(change("delete", path).await, "file_not_permitted", "{path}");
    }
    assert_eq!(all_files(&folder.root()), before);
    assert!(!folder.path("docs/new").exists() && !folder.path(".git/hooks").exists());
    for (kind, path) in [
        ("create", "src/modules/auth/new/deep/d.rs"),
        ("delete", "src/modules/auth/b.rs"),
    ] {
        let passed = change(kind, path).await;
        assert!(passed.starts_with("it passed"), "{path}: {passed}");
    }
}

/// The body of a tool that turned hostile, in the sandbox of a change of `src/modules/auth/a.rs`: it has this file,
/// open for reading.
pub(crate) struct Hostile;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Attempts {
    root: PathBuf,
}

impl Job for Hostile {
    const NAME: &'static str = "hostile-body";
    type Input = Attempts;
    type Output = Vec<String>;

    fn run(attempts: Attempts, files: Vec<OwnedFd>) -> Result<Vec<String>, String> {
        let mut open = files.into_iter().map(fs::File::from);
        let read = open.all(|file| io::read_to_string(file).is_ok());
        let read = (
            "read the file that it has",
            read.then_some(()).ok_or(io::ErrorKind::Other.into()),
        );
        let made = iter::once(read).chain(attempts.make());
        let succeeded = made.filter(|(_, done)| done.is_ok());
        Ok(succeeded.map(|(name, _)| name.to_owned()).collect())
    }
}

impl Attempts {
    fn make(&self) -> Vec<(&'static str, io::Result<()>)> {
        let auth = |path: &str| self.root.join("src/modules/auth").join(path);
        let root = |path: &str| self.root.join(path);
        let read = |path: PathBuf| match fs::read(path) {
            Ok(content) if content.is_empty() => Err(io::Error::other("it is empty")),
            read => read.map(drop),
        };
        // A device that swallows everything is in the place of some files.
        let write = |path: PathBuf| fs::write(&path, "y").and_then(|()| read(path));
        let outside = self.root.with_file_name("outside");
        let executable = fs::Permissions::from_mode(0o777);
        vec![
            ("write the file", write(auth("a.rs"))),
            ("read its neighbour in scope", read(auth("b.rs"))),
            ("write its neighbour in scope", write(auth("b.rs"))),
            ("create a file next to it", write(auth("new.rs"))),
            ("read a denied neighbour", read(auth("own.key"))),
            ("write a denied neighbour", write(auth("fixed.rs"))),
            (
                "replace a denied neighbour",
                fs::rename(auth("new.rs"), auth("fixed.rs")),
            ),
            (
                "delete a denied neighbour",
                fs::remove_file(auth("own.key")),
            ),
            (
                "move a denied neighbour away",
                fs::rename(auth("fixed.rs"), auth("moved.rs")),
            ),
            ("read a denied folder", read(auth("secrets/key"))),
            ("read a denied file by a link", read(auth("link"))),
            (
                "list a denied folder",
                fs::read_dir(auth("secrets")).and_then(not_empty),
            ),
            (
                "move a denied folder away",
                fs::rename(auth("secrets"), auth("moved")),
            ),
            (
                "write a second name of a file outside",
                write(auth("hard.rs")),
            ),
            ("write a file of a folder below", write(auth("deep/c.rs"))),
            (
                "read a file of another module",
                read(root("src/modules/payment/handler.rs")),
            ),
            ("read it by a link", read(auth("folder/handler.rs"))),
            (
                "write a file of another module",
                write(root("src/modules/payment/handler.rs")),
            ),
            (
                "create a file of another module",
                write(root("src/modules/payment/new.rs")),
            ),
            ("write the policy", write(root("toolwright.toml"))),
            ("write the configuration of git", write(root(".git/config"))),
            ("create a hook of git", fs::create_dir(root(".git/hooks"))),
            (
                "list the repository",
                fs::read_dir(&self.root).and_then(not_empty),
            ),
            (
                "change permissions",
                fs::set_permissions(root("docs/guide.md"), executable),
            ),
            (
                "link a file out of the folder",
                fs::hard_link(auth("b.rs"), root("linked.rs")),
            ),
            (
                "move a file out of the folder",
                fs::rename(auth("b.rs"), root("moved.rs")),
            ),
            ("read a file outside", read(outside.clone())),
            (
                "read it by a link of its own",
                symlink(&outside, auth("own-link")).and_then(|()| read(auth("own-link"))),
            ),
            (
                "read it by `/proc/self/root`",
                read(
                    Path::new("/proc/self/root")
                        .join(outside.strip_prefix("/").unwrap_or(&outside)),
                ),
            ),
            ("write it", write(outside)),
            (
                "read a file of the system",
                read(PathBuf::from("/etc/passwd")),
            ),
            (
                "start a program",
                Command::new("/bin/true").status().map(drop),
            ),
            (
                "start a thread",
                thread::Builder::new().spawn(|| ()).map(drop),
            ),
            (
                "listen on a port",
                TcpListener::bind("127.0.0.1:0").map(drop),
            ),
        ]
    }
}

fn not_empty(mut entries: fs::ReadDir) -> io::Result<()> {
    entries.next().map_or_else(
        || Err(io::Error::other("it is empty")),
        |entry| entry.map(drop),
    )
}

pub(crate) async fn a_hostile_body_reaches_nothing_but_its_file() {
    // Outside of a sandbox each attempt succeeds.
    let free = folder();
    let made = Attempts { root: free.root() }.make();
    let failed: Vec<_> = made.iter().filter(|(_, done)| done.is_err()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let folder = folder();
    let before = all_files(folder.outside().parent().unwrap());
    let view = folder.view(&["run-hostile-attempts"], SCOPE);
    let path = json!({"path": "src/modules/auth/a.rs"});
    let succeeded = view.call("run-hostile-attempts", path).await.unwrap();
    // What was opened for it is all that it reaches.
    assert_eq!(succeeded, json!(["read the file that it has"]));
    assert_eq!(all_files(folder.outside().parent().unwrap()), before);
}

/// The same for the programs of git tools: they read the repository, and write objects and branches.
pub(crate) async fn git_that_turned_hostile_changes_objects_and_branches_alone() {
    let folder = folder();
    for path in ["objects/x", "refs/heads/main", "hooks/pre-commit", "HEAD"] {
        folder.write(&format!(".git/{path}"), "x");
    }
    let view = folder.view(&["run-hostile-git"], "branch_pattern = \".*\"");
    let outside = folder.outside().display().to_string();
    let permitted = [
        "cat docs/guide.md",
        "echo y > .git/objects/new",
        "mkdir .git/refs/heads/cogworks",
    ];
    let refused = [
        "echo y > .git/config".to_owned(),
        "echo y > .git/hooks/pre-commit".to_owned(),
        "echo y > .git/hooks/new".to_owned(),
        "echo y > .git/commondir".to_owned(),
        "echo y > .git/HEAD".to_owned(),
        "mv .git/hooks .git/objects/hooks".to_owned(),
        "echo y > docs/guide.md".to_owned(),
        "echo y > src/new.rs".to_owned(),
        "rm src/modules/auth/a.rs".to_owned(),
        "chmod 777 docs/guide.md".to_owned(),
        format!("cat {outside}"),
        format!("echo y > {outside}"),
        format!("ln -s {outside} .git/objects/link; cat .git/objects/link"),
        "cp /bin/true .git/objects/true && .git/objects/true".to_owned(),
        "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(Listen => 1) or die'".to_owned(),
        "kill -0 $PPID && test $PPID -gt 1".to_owned(),
    ];
    let scripts: Vec<_> = permitted
        .map(str::to_owned)
        .into_iter()
        .chain(refused)
        .collect();
    let arguments = json!({"scripts": scripts});
    let succeeded = view.call("run-hostile-git", arguments).await.unwrap();
    assert_eq!(succeeded, json!(permitted));
    assert_eq!(folder.text(".git/config"), "git");
    assert_eq!(folder.text("docs/guide.md"), "guide");
}
