//! The table of attempts in the documentation.

use std::{env, fmt::Write, fs, path::PathBuf};

use libtest_mimic::Failed;

use crate::attempts::ATTEMPTS;

const START: &str = "<!-- attempts -->\n";
const END: &str = "<!-- end of attempts -->";

/// Returns the page that contains the table.
pub(crate) fn page() -> PathBuf {
    let page = env::var_os("TOOLWRIGHT_DOCS").map(PathBuf::from);
    page.unwrap_or_else(|| {
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/sandbox.md"))
    })
}

/// Checks the table, or writes it with `UPDATE_EXPECT=1`.
pub(crate) fn check() -> Result<(), Failed> {
    let mut table = String::from("| attempt to | is stopped by | name |\n|---|---|---|\n");
    for attempt in ATTEMPTS {
        writeln!(
            table,
            "| {} | {} | `{}` |",
            attempt.description, attempt.by, attempt.name
        )?;
    }
    let text = fs::read_to_string(page())?;
    let (before, rest) = text.split_once(START).ok_or("the page has no table")?;
    let (found, after) = rest.split_once(END).ok_or("the table has no end")?;
    if found.trim() == table.trim() {
        return Ok(());
    }
    if env::var_os("UPDATE_EXPECT").is_none() {
        return Err("the table is out of date: run the test with `UPDATE_EXPECT=1`".into());
    }
    Ok(fs::write(
        page(),
        format!("{before}{START}\n{table}\n{END}{after}"),
    )?)
}
