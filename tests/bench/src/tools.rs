//! Measures the compile time of `#[tool]`: crates of many tools, compared with the same functions
//! without the attribute and with the tools of `rmcp`.

mod sources;

use std::{fmt::Write, fs, path::Path, process::Command};

use crate::{
    records::{Cost, Outcome},
    workshop::Workshop,
};
use sources::Form;

/// The most milliseconds that a tool may add to `cargo check` of its crate.
const MOST_PER_TOOL: f64 = 2.0;

/// The most CPU seconds that a build of the macro crate and its dependencies may take.
const MOST_FOR_MACROS: f64 = 6.0;

/// The number of runs per figure; the best one counts.
const RUNS: usize = 3;

/// The number of seconds after which a run is ended.
const LIMIT: u32 = 600;

/// The project's root.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The cost of a form: the crate with its attributes and without them.
struct Row {
    form: Form,
    with: Cost,
    without: Cost,
}

/// Measures all forms and writes the page. Fails if a tool costs too much.
pub(crate) fn run(count: u32, page: &Path, work: &Path) -> Result<(), String> {
    let workshop = Workshop::open(&work.join("tools"), LIMIT).map_err(to_message)?;
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
    fs::write(page, text).map_err(to_message)?;
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

/// Returns the best of several runs of `cargo check` on the crate alone.
fn check(workshop: &Workshop, form: Form, attributes: bool, count: u32) -> Result<Cost, String> {
    let name = if attributes { form.name() } else { "plain" };
    let folder = workshop.folder().join(form.name()).join(name);
    fs::create_dir_all(folder.join("src")).map_err(to_message)?;
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{}\n[workspace]\n",
        form.dependencies(Path::new(ROOT))
    );
    fs::write(folder.join("Cargo.toml"), manifest).map_err(to_message)?;
    fs::copy(
        Path::new(ROOT).join("Cargo.lock"),
        folder.join("Cargo.lock"),
    )
    .map_err(to_message)?;
    let target = workshop.folder().join("target");
    let source = form.source(count, attributes);
    let mut best: Option<Cost> = None;
    for _ in 0..RUNS {
        fs::write(folder.join("src/lib.rs"), &source).map_err(to_message)?;
        let outcome = workshop
            .compile(&folder, &target, "check")
            .map_err(to_message)?;
        let cost = require_cost(outcome, &folder.display().to_string())?;
        if best.is_none_or(|best| cost.seconds < best.seconds) {
            best = Some(cost);
        }
    }
    best.ok_or_else(|| "no run succeeded".to_owned())
}

/// Returns the CPU seconds that a build of a macro crate and its dependencies takes.
fn build(workshop: &Workshop, package: &str) -> Result<f64, String> {
    // Only the crate that was measured with `rmcp` depends on its macros.
    let folder = match package {
        "rmcp-macros" => workshop
            .folder()
            .join(Form::Rmcp.name())
            .join(Form::Rmcp.name()),
        _ => ROOT.into(),
    };
    let target = workshop.folder().join("macros");
    if target.exists() {
        fs::remove_dir_all(&target).map_err(to_message)?;
    }
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--quiet", "--package", package])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_INCREMENTAL", "0");
    let outcome = workshop.run(cargo).map_err(to_message)?;
    Ok(require_cost(outcome, package)?.seconds)
}

fn require_cost(outcome: Outcome, what: &str) -> Result<Cost, String> {
    match outcome {
        Outcome::Done(cost) => Ok(cost),
        Outcome::Failed => Err(format!("{what} does not compile")),
        Outcome::TimedOut => Err(format!("{what} was not compiled in {LIMIT} seconds")),
    }
}

/// Returns the page, which contains only ratios of one run's measurements.
fn report(rows: &[Row], count: u32, macros: f64) -> Option<String> {
    let rmcp = rows.iter().find(|row| !row.form.is_ours())?.per_tool(count);
    let mut page = include_str!("tools/head.md").replace("{count}", &count.to_string());
    for row in rows {
        // Writing to a `String` cannot fail.
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
        "\nBuilding `toolwright-macros` with its dependencies takes {macros:.2} times as long as `rmcp-macros`.\n"
    );
    Some(page)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "`map_err` takes a function of the error by value"
)]
fn to_message(error: std::io::Error) -> String {
    error.to_string()
}
