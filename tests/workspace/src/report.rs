//! The page: tables of the data.

use std::{
    error::Error,
    fmt::{self, Write as _},
    fs,
    path::Path,
};

use crate::{
    figures::{Figures, Kind},
    reference::PACKAGE,
};

const HEAD: &str = include_str!("report/head.md");

/// Writes the page.
pub(crate) fn write(data: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let figures = Figures::read(data)?;
    Ok(fs::write(
        folder.join("workspace-speed.md"),
        page(&figures)?,
    )?)
}

fn page(figures: &Figures) -> Result<String, Box<dyn Error>> {
    let mut page = HEAD.to_owned();
    let Figures {
        files,
        calls,
        in_flight,
        reference,
        kinds,
        search,
    } = figures;
    writeln!(
        page,
        "\n## Calls\n\nA tree of {files} files, `{PACKAGE}` {reference}. For the times, {calls} calls of each kind were made one after\n\
         another, each server in turn; for the calls per second, {in_flight} calls were in flight at any time.\n\n\
         | call | median | reference | ratio | 99th percentile | reference | calls per second | reference | ratio |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|"
    )?;
    for Kind {
        name,
        ours,
        reference,
        ..
    } in kinds
    {
        writeln!(
            page,
            "| {name} | {:.2} ms | {:.2} ms | {:.1} | {:.2} ms | {:.2} ms | {:.0} | {:.0} | {:.1} |",
            ours.median / 1e3,
            reference.median / 1e3,
            reference.median / ours.median,
            ours.p99 / 1e3,
            reference.p99 / 1e3,
            ours.per_second,
            reference.per_second,
            ours.per_second / reference.per_second,
        )?;
    }
    writeln!(page, "\nA ratio above 1 is in favour of Toolwright.")?;
    write_floor(&mut page, kinds)?;
    if let Some(search) = search {
        writeln!(
            page,
            "\n## Search\n\nThe whole tree was searched {} times for a string, in turn.\n\n\
             | | median |\n|---|--:|\n| `search-repo-text` over MCP | {:.0} ms |\n| `rg` | {:.0} ms |\n| ratio | {:.2} |",
            search.searches,
            search.ours / 1e3,
            search.ripgrep / 1e3,
            search.ours / search.ripgrep,
        )?;
    }
    Ok(page)
}

/// Writes what a server of the protocol library takes for the same calls without any check.
fn write_floor(page: &mut String, kinds: &[Kind]) -> fmt::Result {
    writeln!(
        page,
        "\n## The floor\n\nThe same calls in the same turns, of a server of the protocol library alone: it reads and writes files as asked,\n\
         without any check, sandbox, schema or record. No server with this library can be faster.\n\n\
         | call | median | ratio to the reference | part of the time of Toolwright | calls per second | ratio to the reference |\n\
         |---|--:|--:|--:|--:|--:|"
    )?;
    for kind in kinds {
        let Kind {
            name,
            ours,
            reference,
            bare,
        } = kind;
        writeln!(
            page,
            "| {name} | {:.2} ms | {:.1} | {:.2} | {:.0} | {:.1} |",
            bare.median / 1e3,
            reference.median / bare.median,
            bare.median / ours.median,
            bare.per_second,
            bare.per_second / reference.per_second,
        )?;
    }
    Ok(())
}
