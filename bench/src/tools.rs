//! What `#[tool]` costs to compile: crates of many tools, beside the same functions without the
//! attribute, and beside the tools of `rmcp`.

mod sources;

use std::{fmt::Write, fs, path::Path, process::Command};

use crate::{
    records::{Cost, Outcome},
    workshop::Workshop,
};
use sources::Form;

/// The most milliseconds that a tool may add to `cargo check` of its crate.
const MOST_PER_TOOL: f64 = 2.0;

/// The most CPU seconds in which the crate of the macros and all that it depends on are built.
const MOST_FOR_MACROS: f64 = 6.0;

/// Each figure is the best of so many.
const RUNS: usize = 3;

/// After so many seconds a run is given up.
const LIMIT: u32 = 600;

/// Where this project is.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What a form costs: the crate with its attributes, and the same crate without them.
struct Row {
    form: Form,
    with: Cost,
    without: Cost,
}

/// Measures all forms, and writes the page. Fails when a tool costs too much.
pub(crate) fn run(count: u32, page: &Path, work: &Path) -> Result<(), String> {
    let workshop = Workshop::open(&work.join("tools"), LIMIT).map_err(told)?;
    let mut rows = Vec::new();
    for form in Form::ALL {
        let without = check(&workshop, form, false, count)?;
        let with = check(&workshop, form, true, count)?;
        let row = Row {
            form,
            with,
            without,
        };
        println!(
            "{}: {:.2} s, without attributes {:.2} s, {:.2} ms a tool",
            form.title(),
            with.seconds,
            without.seconds,
            row.per_tool(count)
        );
        rows.push(row);
    }
    let ours = build(&workshop, "toolwright-macros")?;
    let theirs = build(&workshop, "rmcp-macros")?;
    println!("building the macros: {ours:.2} s, those of rmcp {theirs:.2} s");
    let text = report(&rows, count, ours / theirs).ok_or("the form of `rmcp` was not measured")?;
    fs::write(page, text).map_err(told)?;
    let dear = rows
        .iter()
        .filter(|row| row.form.is_ours() && row.per_tool(count) > MOST_PER_TOOL);
    let mut faults: Vec<String> = dear
        .map(|row| {
            let (title, cost) = (row.form.title(), row.per_tool(count));
            format!("{title}: {cost:.2} ms a tool, {MOST_PER_TOOL} are allowed")
        })
        .collect();
    if ours > MOST_FOR_MACROS {
        faults.push(format!(
            "the macros take {ours:.2} s to build, {MOST_FOR_MACROS} are allowed"
        ));
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("\n"))
    }
}

impl Row {
    /// The milliseconds that a tool adds.
    fn per_tool(&self, count: u32) -> f64 {
        (self.with.seconds - self.without.seconds) * 1000.0 / f64::from(count)
    }
}

/// The best of several runs of `cargo check` of the crate alone.
fn check(workshop: &Workshop, form: Form, attributes: bool, count: u32) -> Result<Cost, String> {
    let name = if attributes { form.name() } else { "plain" };
    let folder = workshop.folder().join(form.name()).join(name);
    fs::create_dir_all(folder.join("src")).map_err(told)?;
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{}\n[workspace]\n",
        form.dependencies(Path::new(ROOT))
    );
    fs::write(folder.join("Cargo.toml"), manifest).map_err(told)?;
    fs::copy(
        Path::new(ROOT).join("Cargo.lock"),
        folder.join("Cargo.lock"),
    )
    .map_err(told)?;
    let target = workshop.folder().join("target");
    let source = form.source(count, attributes);
    let mut best: Option<Cost> = None;
    for _ in 0..RUNS {
        fs::write(folder.join("src/lib.rs"), &source).map_err(told)?;
        let outcome = workshop.compile(&folder, &target, "check").map_err(told)?;
        let cost = done(outcome, &folder.display().to_string())?;
        if best.is_none_or(|best| cost.seconds < best.seconds) {
            best = Some(cost);
        }
    }
    best.ok_or_else(|| "nothing was run".to_owned())
}

/// The CPU seconds in which a crate of macros is built, with all that it depends on.
fn build(workshop: &Workshop, package: &str) -> Result<f64, String> {
    // The crate of `rmcp` is known to the crate that was measured with it.
    let folder = match package {
        "rmcp-macros" => workshop
            .folder()
            .join(Form::Rmcp.name())
            .join(Form::Rmcp.name()),
        _ => ROOT.into(),
    };
    let target = workshop.folder().join("macros");
    if target.exists() {
        fs::remove_dir_all(&target).map_err(told)?;
    }
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--quiet", "--package", package])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_INCREMENTAL", "0");
    let outcome = workshop.run(cargo).map_err(told)?;
    Ok(done(outcome, package)?.seconds)
}

fn done(outcome: Outcome, what: &str) -> Result<Cost, String> {
    match outcome {
        Outcome::Done(cost) => Ok(cost),
        Outcome::Failed => Err(format!("{what} does not compile")),
        Outcome::TimedOut => Err(format!("{what} was not compiled in {LIMIT} seconds")),
    }
}

/// The page: nothing but ratios of what was measured in one run.
fn report(rows: &[Row], count: u32, macros: f64) -> Option<String> {
    let rmcp = rows.iter().find(|row| !row.form.is_ours())?.per_tool(count);
    let mut page = include_str!("tools/head.md").replace("{count}", &count.to_string());
    for row in rows {
        // Writing to a text cannot fail.
        let _ = writeln!(
            page,
            "| {} | {:.2} | {:.2} |",
            row.form.title(),
            row.with.seconds / row.without.seconds,
            row.per_tool(count) / rmcp,
        );
    }
    let _ = write!(
        page,
        "\nTo build `toolwright-macros` and all that it depends on takes {macros:.2} times what `rmcp-macros` takes.\n"
    );
    Some(page)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is a function for `map_err`"
)]
fn told(error: std::io::Error) -> String {
    error.to_string()
}
