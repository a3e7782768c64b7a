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
    for group in figures
        .calls
        .chunk_by(|a, b| (&a.transport, a.callers) == (&b.transport, b.callers))
    {
        let [ours, bare, peer] = group else {
            return Err("a row has three servers".into());
        };
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

fn lists(page: &mut String, lists: &[List]) -> Result<(), Failure> {
    writeln!(
        page,
        "\n## A large document\n\nThe document is read when the server starts, and the client requests the whole list.\n\n\
         | server | tools | list | CPU to the first list | time | CPU of a further list | peak memory |\n\
         |---|--:|--:|--:|--:|--:|--:|"
    )?;
    for list in lists {
        writeln!(
            page,
            "| {} | {} | {:.2} MB | {:.2} s | {:.2} s | {:.1} ms | {} MiB |",
            list.server,
            list.tools,
            megabytes(list.bytes),
            list.start_cpu_seconds,
            list.start_seconds,
            list.again_cpu_milliseconds,
            list.peak_memory >> 20,
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
