//! The measurements: a call of each server in turn, so that a busy machine slows both.

use std::{
    env,
    error::Error,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    client::Client,
    figures::{Figures, Kind, Search, Times, quantile},
    reference,
    tree::{Tree, WORD},
};

/// The calls that are made for the calls per second, and those of them that are in flight at any time.
const MANY: (usize, usize) = (160, 16);

/// The number of searches of the whole tree.
const SEARCHES: usize = 11;

/// The tool of a server, and the arguments of the call with a number.
type Tool<'a> = (&'static str, Box<dyn Fn(usize) -> Value + 'a>);

/// The calls of a kind for each server.
struct Calls<'a> {
    name: &'static str,
    ours: Tool<'a>,
    reference: Tool<'a>,
    bare: Tool<'a>,
}

/// The measured servers.
struct Servers {
    ours: Client,
    reference: Client,
    bare: Client,
}

/// Measures everything on a tree.
pub(crate) fn measure(
    tree: &Tree,
    program: &Path,
    calls: usize,
) -> Result<Figures, Box<dyn Error>> {
    let own = env::current_exe()?;
    let mut servers = Servers {
        ours: Client::start(Command::new(&own).arg("serve").arg(&tree.root))?,
        reference: Client::start(Command::new("node").arg(program).arg(&tree.root))?,
        bare: Client::start(Command::new(own).arg("serve-bare").arg(&tree.root))?,
    };
    let mut kinds = Vec::new();
    for kind in reads(tree).into_iter().chain(changes(tree)) {
        eprintln!("{} …", kind.name);
        kinds.push(measure_kind(&kind, &mut servers, calls)?);
    }
    Ok(Figures {
        files: tree.files.len(),
        calls,
        in_flight: MANY.1,
        reference: reference::version(program)?,
        kinds,
        search: measure_search(tree, &mut servers.ours)?,
    })
}

/// Returns the calls that only read.
fn reads(tree: &Tree) -> Vec<Calls<'_>> {
    let file = |number: usize| {
        let at = number.wrapping_mul(7_919) % tree.files.len().max(1);
        tree.files.get(at).cloned().unwrap_or_default()
    };
    let folder = |number: usize| {
        let at = number.wrapping_mul(104_729) % tree.folders.len().max(1);
        tree.folders.get(at).cloned().unwrap_or_default()
    };
    let whole = |path: String| tree.root.join(path);
    vec![
        Calls {
            name: "read a file",
            ours: (
                "read-repo-file",
                Box::new(move |n| json!({"path": file(n)})),
            ),
            reference: (
                "read_text_file",
                Box::new(move |n| json!({"path": whole(file(n))})),
            ),
            bare: ("read", Box::new(move |n| json!({"path": file(n)}))),
        },
        Calls {
            name: "list a folder",
            ours: (
                "list-repo-files",
                Box::new(move |n| json!({"path": folder(n)})),
            ),
            reference: (
                "list_directory",
                Box::new(move |n| json!({"path": whole(folder(n))})),
            ),
            bare: ("list", Box::new(move |n| json!({"path": folder(n)}))),
        },
        Calls {
            name: "find files by a pattern in a folder",
            ours: (
                "find-repo-files",
                Box::new(move |n| json!({"pattern": "*1.rs", "path": folder(n)})),
            ),
            reference: (
                "search_files",
                Box::new(move |n| json!({"pattern": "*1.rs", "path": whole(folder(n))})),
            ),
            bare: (
                "find",
                Box::new(move |n| json!({"end": "1.rs", "path": folder(n)})),
            ),
        },
    ]
}

/// Returns the calls that change something. Each server changes files of its own.
fn changes(tree: &Tree) -> Vec<Calls<'_>> {
    let ours = |number: usize| format!("work/ours{number}.txt");
    let theirs = |number: usize| tree.root.join(format!("work/theirs{number}.txt"));
    let bare = |number: usize| format!("work/bare{number}.txt");
    let last_line = |number: usize| format!("line number {number} is the last\n");
    let content =
        move |number: usize| format!("{}{}", "a line of text\n".repeat(50), last_line(number));
    vec![
        Calls {
            name: "create a file",
            ours: (
                "create-repo-file",
                Box::new(move |n| json!({"path": ours(n), "content": content(n)})),
            ),
            reference: (
                "write_file",
                Box::new(move |n| json!({"path": theirs(n), "content": content(n)})),
            ),
            bare: (
                "create",
                Box::new(move |n| json!({"path": bare(n), "content": content(n)})),
            ),
        },
        Calls {
            name: "edit a file",
            ours: (
                "edit-repo-file",
                Box::new(
                    move |n| json!({"path": ours(n), "old_text": last_line(n), "new_text": "the end\n"}),
                ),
            ),
            reference: (
                "edit_file",
                Box::new(move |n| {
                    let edit = json!({"oldText": last_line(n), "newText": "the end\n"});
                    json!({"path": theirs(n), "edits": [edit]})
                }),
            ),
            bare: (
                "edit",
                Box::new(
                    move |n| json!({"path": bare(n), "old_text": last_line(n), "new_text": "the end\n"}),
                ),
            ),
        },
    ]
}

fn measure_kind(
    kind: &Calls<'_>,
    servers: &mut Servers,
    calls: usize,
) -> Result<Kind, Box<dyn Error>> {
    let mut turns = [
        (&mut servers.ours, &kind.ours),
        (&mut servers.reference, &kind.reference),
        (&mut servers.bare, &kind.bare),
    ];
    let mut times = [const { Vec::new() }; 3];
    for number in 0..calls {
        for ((client, (tool, arguments)), times) in turns.iter_mut().zip(&mut times) {
            let arguments = arguments(number);
            times.push(timed(|| client.call(tool, &arguments).map(drop))?);
        }
    }
    let mut measured = Vec::new();
    for ((client, (tool, arguments)), times) in turns.iter_mut().zip(&mut times) {
        let arguments: Vec<_> = (calls..calls + MANY.0).map(arguments).collect();
        let time = timed(|| client.call_all(tool, &arguments, MANY.1))?;
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let per_second = MANY.0 as f64 / time.as_secs_f64();
        measured.push(Times {
            median: quantile(times, 0.5),
            p99: quantile(times, 0.99),
            per_second,
        });
    }
    let [ours, reference, bare] = *measured else {
        return Err("a server was not measured".into());
    };
    Ok(Kind {
        name: kind.name.to_owned(),
        ours,
        reference,
        bare,
    })
}

/// Measures the search of the whole tree; none without `rg`.
fn measure_search(tree: &Tree, ours: &mut Client) -> Result<Option<Search>, Box<dyn Error>> {
    if Command::new("rg")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        eprintln!("there is no `rg`: the search is not compared");
        return Ok(None);
    }
    eprintln!("search the tree …");
    let (mut own_times, mut their_times) = (Vec::new(), Vec::new());
    for _ in 0..SEARCHES {
        let mut found = Value::Null;
        own_times.push(timed(|| {
            found = ours.call("search-repo-text", &json!({"text": WORD}))?;
            Ok(())
        })?);
        let count = found.pointer("/structuredContent/file_count").cloned();
        if count != Some(json!(tree.found)) {
            return Err(format!("{} files have the word, and not {count:?}", tree.found).into());
        }
        their_times.push(timed(|| {
            let output = Command::new("rg")
                .args(["--fixed-strings", "--line-number", "--hidden", WORD])
                .current_dir(&tree.root)
                .output()?;
            let lines = output.stdout.split(|byte| *byte == b'\n').count() - 1;
            if lines != tree.found {
                return Err(format!("rg found {lines} lines").into());
            }
            Ok(())
        })?);
    }
    Ok(Some(Search {
        searches: SEARCHES,
        ours: quantile(&mut own_times, 0.5),
        ripgrep: quantile(&mut their_times, 0.5),
    }))
}

fn timed(call: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    call()?;
    Ok(start.elapsed())
}
