//! A repository that tries to run programs. Each way would create a file.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    process::{Command, Stdio},
};

use serde_json::json;

use crate::{
    folder::{Folder, code},
    git::{SCOPE, TOOLS, git, repository},
};

/// Settings that name a program. `RUN` is the program, with the name of the setting as its argument.
const SETTINGS: [(&str, &str); 23] = [
    ("core.fsmonitor", "RUN"),
    ("core.pager", "RUN"),
    ("core.editor", "RUN"),
    ("core.sshCommand", "RUN"),
    ("core.gitProxy", "RUN"),
    ("core.askPass", "RUN"),
    ("core.alternateRefsCommand", "RUN"),
    ("credential.helper", "!RUN"),
    ("diff.external", "RUN"),
    ("diff.evil.command", "RUN"),
    ("diff.evil.textconv", "RUN"),
    ("filter.evil.clean", "RUN"),
    ("filter.evil.smudge", "RUN"),
    ("filter.evil.process", "RUN"),
    ("gpg.program", "RUN"),
    ("gpg.ssh.program", "RUN"),
    ("merge.evil.driver", "RUN"),
    ("pager.log", "RUN"),
    ("sequence.editor", "RUN"),
    ("interactive.diffFilter", "RUN"),
    ("alias.status", "!RUN"),
    ("uploadpack.packObjectsHook", "RUN"),
    ("submodule.sub.update", "!RUN"),
];

/// Settings that make git do more than it is asked for.
const SWITCHES: [(&str, &str); 8] = [
    ("commit.gpgSign", "true"),
    ("log.showSignature", "true"),
    ("submodule.recurse", "true"),
    ("status.submoduleSummary", "true"),
    ("diff.submodule", "diff"),
    ("remote.origin.url", "ext::RUN fetch"),
    ("remote.origin.promisor", "true"),
    ("protocol.ext.allow", "always"),
];

const HOOKS: [&str; 12] = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "pre-auto-gc",
    "pre-commit",
    "prepare-commit-msg",
    "reference-transaction",
    "update",
    "post-rewrite",
];

/// A repository with every trap, and the folder in which they leave their marks.
struct Hostile(Folder);

impl Hostile {
    fn new() -> Self {
        let hostile = Self(repository());
        let folder = &hostile.0;
        fs::create_dir(hostile.marks()).unwrap();
        let program = folder.outside().with_file_name("program");
        let marks = hostile.marks();
        let script = format!(
            "#!/bin/sh\ntouch \"{}/$(echo \"$1\" | tr / _)\"\n",
            marks.display()
        );
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let program = program.to_str().unwrap();
        for (key, value) in SETTINGS {
            let run = format!("{program} {key} ");
            let value = match key {
                // These take a program without arguments.
                "core.fsmonitor" | "gpg.program" | "gpg.ssh.program" | "core.askPass" => {
                    own_program(folder, key, program)
                }
                _ => value.replace("RUN", &run),
            };
            git(folder, &["config", key, &value]);
        }
        for (key, value) in SWITCHES {
            let run = format!("{program} {key}");
            git(folder, &["config", key, &value.replace("RUN", &run)]);
        }
        folder.write(
            ".gitattributes",
            "*.evil diff=evil filter=evil merge=evil\n",
        );
        folder.write("src/x.evil", "evil\n");
        fs::create_dir_all(folder.path(".git/hooks")).unwrap();
        for hook in HOOKS {
            let path = folder.path(&format!(".git/hooks/{hook}"));
            let script = format!("#!/bin/sh\n{program} hook-{hook}\n");
            fs::write(&path, script).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        hostile.include(program);
        hostile.submodule(program);
        hostile
    }

    /// The settings of another file, of the repository and of a work tree.
    fn include(&self, program: &str) {
        let folder = &self.0;
        let more = own_program(folder, "included", program);
        folder.write(
            ".git/more",
            format!("[core]\n\tfsmonitor = {more}\n\tpager = {more}\n"),
        );
        git(folder, &["config", "include.path", "more"]);
        git(folder, &["config", "includeIf.gitdir:**.path", "more"]);
        git(folder, &["config", "extensions.worktreeConfig", "true"]);
        fs::copy(
            folder.path(".git/more"),
            folder.path(".git/config.worktree"),
        )
        .unwrap();
    }

    /// A repository within the repository, with traps of its own.
    fn submodule(&self, program: &str) {
        let folder = &self.0;
        let inner = own_program(folder, "submodule", program);
        let run = |arguments: &[&str]| {
            let mut all = vec!["-C", "sub"];
            all.extend(arguments);
            git(folder, &all);
        };
        fs::create_dir(folder.path("sub")).unwrap();
        run(&["init", "--quiet", "--initial-branch=main"]);
        run(&["commit", "--quiet", "--allow-empty", "--message=Inner"]);
        let commit = git(folder, &["-C", "sub", "rev-parse", "HEAD"]);
        let entry = format!("160000,{commit},sub");
        git_quietly(folder, &["update-index", "--add", "--cacheinfo", &entry]);
        folder.write(
            ".gitmodules",
            "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n",
        );
        run(&["config", "core.fsmonitor", &inner]);
        folder.write("sub/file", "inner\n");
    }

    fn marks(&self) -> std::path::PathBuf {
        self.0.outside().with_file_name("marks")
    }

    /// Returns the names of the traps that were sprung, and forgets them.
    fn sprung(&self) -> Vec<String> {
        let entries = fs::read_dir(self.marks()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        for name in &names {
            fs::remove_file(self.marks().join(name)).unwrap();
        }
        names
    }
}

/// Returns the path of a program that needs no argument to leave its mark.
fn own_program(folder: &Folder, name: &str, program: &str) -> String {
    let path = folder.outside().with_file_name(format!("program-{name}"));
    fs::write(&path, format!("#!/bin/sh\n{program} {name}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Runs git as a person would, with all traps.
fn git_quietly(folder: &Folder, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.com"]);
    let command = command.args(arguments).current_dir(folder.root());
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .stdin(Stdio::null());
    command.status().unwrap();
}

pub(crate) async fn nothing_in_a_repository_runs_a_program() {
    let hostile = Hostile::new();
    let folder = &hostile.0;
    // The traps work: a person who uses this repository springs them.
    folder.write("src/a.rs", "changed by a person\n");
    hostile.sprung();
    for arguments in [
        // The answer of the program that watches files would hide the change.
        ["-c", "core.fsmonitor=false", "diff"].as_slice(),
        &["status", "--porcelain"],
        &["add", "src/x.evil"],
        &["commit", "--message=x"],
        &["-c", "core.fsmonitor=false", "log", "-1"],
        &["switch", "--create", "cogworks/swi-0"],
    ] {
        git_quietly(folder, arguments);
    }
    let sprung = hostile.sprung();
    for trap in [
        "diff.external",
        "filter.evil.process",
        "submodule",
        "gpg.program",
        "included",
        "hook-post-index-change",
    ] {
        assert!(sprung.iter().any(|name| name == trap), "{trap}: {sprung:?}");
    }
    let view = folder.view(&TOOLS, SCOPE);
    for (tool, arguments) in [
        ("get-git-status", json!({})),
        ("get-git-diff", json!({})),
        ("get-git-diff", json!({"from": "HEAD", "to": "HEAD"})),
        ("list-git-commits", json!({})),
        ("create-git-branch", json!({"branch": "cogworks/swi-1"})),
        (
            "create-git-commit",
            json!({"branch": "cogworks/swi-1", "paths": ["src/a.rs"], "message": "x"}),
        ),
        (
            "get-git-diff",
            json!({"from": "main", "to": "cogworks/swi-1"}),
        ),
    ] {
        let called = view.call(tool, arguments).await;
        called.unwrap_or_else(|error| panic!("{tool}: {error}"));
        assert_eq!(hostile.sprung(), [""; 0], "{tool}");
    }
    let filtered = json!({"branch": "cogworks/swi-1", "paths": ["src/x.evil"], "message": "x"});
    assert_eq!(
        code(view.call("create-git-commit", filtered).await),
        "filtered_file"
    );
    assert_eq!(hostile.sprung(), [""; 0]);
}

pub(crate) async fn a_repository_that_reaches_out_of_its_folder_is_not_used() {
    let other = repository();
    other.write("src/a.rs", "the secret of another repository\n");
    git(&other, &["commit", "--quiet", "--all", "--message=Secret"]);
    let objects = other.path(".git/objects");
    let commit = git(&other, &["rev-parse", "HEAD"]);
    type Trap<'a> = Box<dyn Fn(&Folder) + 'a>;
    let put = |name: &'static str, text: String| -> Trap<'_> {
        Box::new(move |folder| folder.write(name, &text))
    };
    let link = |name: &'static str, target: std::path::PathBuf| -> Trap<'_> {
        Box::new(move |folder| {
            let path = folder.path(name);
            let _ = fs::remove_dir_all(&path);
            let _ = fs::remove_file(&path);
            symlink(&target, path).unwrap();
        })
    };
    let own = other.path(".git");
    let traps = [
        put(
            ".git/objects/info/alternates",
            format!("{}\n", objects.display()),
        ),
        put(
            ".git/objects/info/http-alternates",
            "http://127.0.0.1/\n".to_owned(),
        ),
        put(".git/commondir", format!("{}\n", own.display())),
        link(".git/objects", objects.clone()),
        link(".git/objects/pack", objects.join("pack")),
        link(".git/refs", own.join("refs")),
        link(".git/refs/heads", own.join("refs/heads")),
        link(".git/packed-refs", own.join("packed-refs")),
        link(".git/index", own.join("index")),
        link(".git/HEAD", own.join("HEAD")),
        link(".git/config", own.join("config")),
        link(".git/refs/heads/cogworks", own.join("refs/heads")),
        Box::new(|folder| {
            git(folder, &["config", "core.repositoryFormatVersion", "1"]);
            git(folder, &["config", "extensions.partialClone", "origin"]);
        }),
        Box::new(|folder| {
            fs::remove_dir_all(folder.path(".git")).unwrap();
            folder.write(".git", format!("gitdir: {}\n", own.display()));
        }),
        link(".git", own.clone()),
    ];
    for (number, trap) in traps.iter().enumerate() {
        let folder = repository();
        trap(&folder);
        let view = folder.view(&TOOLS, SCOPE);
        let branch = json!({"branch": "cogworks/swi-1"});
        let refused = code(view.call("create-git-branch", branch).await);
        assert_eq!(refused, "unsupported_git_repository", "trap {number}");
        let diff = view.call("get-git-diff", json!({"from": commit})).await;
        assert!(
            !format!("{diff:?}").contains("secret of another"),
            "trap {number}"
        );
    }
    assert_eq!(git(&other, &["branch", "--list", "*swi*"]), "");
}
