//! Another process exchanges folders, files and links while the tools read and write.

use std::{
    collections::BTreeMap,
    env, fs,
    os::unix::fs::symlink,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::json;

use crate::folder::{Folder, code};

const TOOLS: [&str; 6] = [
    "create-repo-file",
    "edit-repo-file",
    "list-repo-files",
    "read-repo-file",
    "search-repo-text",
    "write-repo-file",
];

const SCOPE: &str = "allowed_read_paths = [\"open/**\"]\nallowed_write_paths = [\"open/**\"]\n\
                     denied_read_paths = [\"open/secrets/**\"]";

/// The duration of the race.
const LENGTH: Duration = Duration::from_secs(3);

/// The longest time to wait for calls that pass, and calls that do not.
const PATIENCE: Duration = Duration::from_secs(60);

/// The environment variable with the folder in which the other process exchanges names.
const FOLDER: &str = "TOOLWRIGHT_TEST_RACE";

/// A process that exchanges names until it is dropped.
struct Racer(Child);

impl Racer {
    /// Runs this program again, for this alone.
    fn start(folder: &Folder) -> Self {
        let child = Command::new(env::current_exe().unwrap())
            .env(FOLDER, folder.root())
            .stdout(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Racer {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Exchanges names until it is killed, in the process that [`Racer`] starts. Returns at once among the tests.
pub(crate) fn be_the_other_process_if_asked() {
    let Some(folder) = env::var_os(FOLDER) else {
        return;
    };
    env::set_current_dir(folder).unwrap();
    // A tool may have created a folder in the place of the link.
    let place = |from: &str| {
        while fs::rename(from, "open/d").is_err() {
            let _ = fs::remove_dir_all("open/d");
        }
    };
    let put = |target: &str| {
        symlink(target, "stock/f").unwrap();
        fs::rename("stock/f", "open/f").unwrap();
    };
    loop {
        for (link, target) in [
            ("stock/d1", "secrets/x"),
            ("stock/d2", "../../outside"),
            ("stock/d3", "../closed/x"),
        ] {
            place(link);
            put(target);
            fs::rename("open/d", link).unwrap();
            place("stock/real");
            fs::write("stock/f", "harmless").unwrap();
            fs::rename("stock/f", "open/f").unwrap();
            fs::rename("open/d", "stock/real").unwrap();
        }
    }
}

/// `open/d` is a folder with a harmless file, and links to the denied folder, to one outside of the scope and to
/// one outside of the repository, in turn; `open/f` is a file, and links to secrets.
pub(crate) async fn no_exchange_of_names_leads_to_a_secret() {
    let folder = Folder::new(&[
        ("open/f", "harmless"),
        ("stock/real/x", "harmless"),
        ("open/secrets/x", "SECRET"),
        ("closed/x", "SECRET"),
    ]);
    let outside = folder.outside();
    let outer = outside.parent().unwrap().join("outer");
    fs::create_dir(&outer).unwrap();
    fs::write(outer.join("x"), "SECRET").unwrap();
    fs::write(&outside, "SECRET").unwrap();
    symlink("secrets", folder.path("stock/d1")).unwrap();
    symlink(&outer, folder.path("stock/d2")).unwrap();
    symlink("../closed", folder.path("stock/d3")).unwrap();
    let racer = Racer::start(&folder);
    let view = folder.view(&TOOLS, SCOPE);
    let begin = Instant::now();
    let mut outcomes = BTreeMap::<String, usize>::new();
    let was_race = |outcomes: &BTreeMap<String, usize>| {
        ["ok", "scope_violation"]
            .iter()
            .all(|outcome| outcomes.contains_key(&format!("read-repo-file {outcome}")))
    };
    while begin.elapsed() < LENGTH || (begin.elapsed() < PATIENCE && !was_race(&outcomes)) {
        for path in ["open/d/x", "open/f"] {
            let calls = [
                ("read-repo-file", json!({"path": path})),
                (
                    "edit-repo-file",
                    json!({"path": path, "old_text": "SECRET", "new_text": "gone"}),
                ),
                (
                    "write-repo-file",
                    json!({"path": path, "content": "harmless"}),
                ),
                (
                    "create-repo-file",
                    json!({"path": path, "content": "harmless"}),
                ),
                ("list-repo-files", json!({"path": "open/d"})),
                ("search-repo-text", json!({"text": "SECRET"})),
            ];
            for (tool, arguments) in calls {
                let result = view.call(tool, arguments).await;
                let shown = format!("{result:?}");
                let is_search = tool == "search-repo-text";
                let found_nothing = shown.contains("\"match_count\": Number(0)");
                assert!(
                    !shown.contains("SECRET") || (is_search && found_nothing),
                    "{tool} {path}: {shown}"
                );
                let outcome = if result.is_ok() {
                    "ok".to_owned()
                } else {
                    code(result)
                };
                *outcomes.entry(format!("{tool} {outcome}")).or_default() += 1;
            }
        }
    }
    drop(racer);
    for path in ["open/secrets/x", "closed/x"] {
        assert_eq!(folder.text(path), "SECRET", "{path}");
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "SECRET");
    assert_eq!(fs::read_to_string(outer.join("x")).unwrap(), "SECRET");
    for (folder, files) in [
        (outer, 1),
        (folder.path("closed"), 1),
        (folder.path("open/secrets"), 1),
    ] {
        assert_eq!(
            fs::read_dir(&folder).unwrap().count(),
            files,
            "{}",
            folder.display()
        );
    }
    // Calls both passed and were refused.
    assert!(was_race(&outcomes), "{outcomes:?}");
}
