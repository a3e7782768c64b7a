//! The page: tables of the data.

use std::{fmt::Write as _, fs, path::Path};

use crate::{
    Failure,
    figures::{Beside, Calls, Figures, List},
};

const HEAD: &str = include_str!("report/head.md");

/// Writes the page.
pub(crate) fn write(data: &Path, folder: &Path) -> Result<(), Failure> {
    let figures = Figures::read(data)?;
    Ok(fs::write(folder.join("mcp-speed.md"), page(&figures)?)?)
}

fn page(figures: &Figures) -> Result<String, Failure> {
    let mut page = HEAD.to_owned();
    calls(&mut page, figures)?;
    floor(&mut page, &figures.calls)?;
    lists(&mut page, &figures.lists)?;
    beside(&mut page, &figures.beside)?;
    Ok(page)
}

fn calls(page: &mut String, figures: &Figures) -> Result<(), Failure> {
    writeln!(
        page,
        "\n## Calls\n\nFastMCP {}. The medians of {} rounds, in which each server had a turn of {} ms; the load of the machine was {:.1} before.\n\n\
         | transport | callers | toolwright | rmcp | FastMCP | of rmcp | of FastMCP | CPU of a call | rmcp | FastMCP |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        figures.peer, figures.rounds, figures.turn_milliseconds, figures.load,
    )?;
    for [ours, _, bare, peer] in rows(&figures.calls)? {
        let Calls {
            transport, callers, ..
        } = ours;
        writeln!(
            page,
            "| {transport} | {callers} | {:.0}/s | {:.0}/s | {:.0}/s | {:.2} | {:.1} | {:.0} µs | {:.0} µs | {:.0} µs |",
            ours.per_second,
            bare.per_second,
            peer.per_second,
            ours.per_second / bare.per_second,
            ours.per_second / peer.per_second,
            ours.cpu,
            bare.cpu,
            peer.cpu,
        )?;
    }
    Ok(())
}

/// Returns a row for each transport and number of callers: its servers in their order.
fn rows(calls: &[Calls]) -> Result<Vec<&[Calls; 4]>, Failure> {
    let rows = calls.chunk_by(|a, b| (&a.transport, a.callers) == (&b.transport, b.callers));
    let rows = rows.map(|row| row.try_into().map_err(|_| "a row has four servers".into()));
    rows.collect()
}

fn floor(page: &mut String, calls: &[Calls]) -> Result<(), Failure> {
    writeln!(
        page,
        "\n## The floor\n\nThe same calls in the same turns, of the server of rmcp with the least that a governed call must do: it reads the\n\
         credential, checks the arguments and the answer against their schemas, and appends two lines to a locked file. It checks\n\
         no right, and nothing protects its record. The last column is what any server with rmcp can reach.\n\n\
         | transport | callers | floor | CPU of a call | floor of rmcp | toolwright of the floor | rmcp of FastMCP |\n\
         |---|--:|--:|--:|--:|--:|--:|"
    )?;
    for [ours, floor, bare, peer] in rows(calls)? {
        writeln!(
            page,
            "| {} | {} | {:.0}/s | {:.0} µs | {:.2} | {:.2} | {:.1} |",
            floor.transport,
            floor.callers,
            floor.per_second,
            floor.cpu,
            floor.per_second / bare.per_second,
            ours.per_second / floor.per_second,
            bare.per_second / peer.per_second,
        )?;
    }
    Ok(())
}

fn lists(page: &mut String, lists: &[List]) -> Result<(), Failure> {
    writeln!(
        page,
        "\n## A large document\n\nThe document is read when the server starts, and the client requests the whole list.\n\n\
         | server | tools | list | CPU to the first list | time | CPU of a further list | peak memory | of it files |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|"
    )?;
    for list in lists {
        writeln!(
            page,
            "| {} | {} | {:.2} MB | {:.2} s | {:.2} s | {:.1} ms | {} MiB | {} MiB |",
            list.server,
            list.tools,
            megabytes(list.bytes),
            list.start_cpu_seconds,
            list.start_seconds,
            list.again_cpu_milliseconds,
            list.peak_memory >> 20,
            list.file_memory >> 20,
        )?;
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a small number")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn beside(page: &mut String, figures: &Beside) -> Result<(), Failure> {
    let Beside {
        alone,
        beside,
        lists,
    } = figures;
    writeln!(
        page,
        "\n## A call beside a list\n\nA client of the server over HTTP makes small calls, alone and while another client requests the list again and again\n\
         ({lists} times).\n\n| | median | 99th percentile |\n|---|--:|--:|\n| alone | {:.2} ms | {:.2} ms |\n| beside the list | {:.2} ms | {:.2} ms |",
        alone.median / 1e3,
        alone.p99 / 1e3,
        beside.median / 1e3,
        beside.p99 / 1e3,
    )?;
    Ok(())
}
