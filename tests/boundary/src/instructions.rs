//! The instructions of a call, counted by callgrind. They do not depend on the load of the machine.

use std::process::Command;

use crate::figures::Instructions;

/// The numbers of calls of two runs. The difference is the cost of the calls without the start.
const RUNS: [usize; 2] = [100, 600];

pub(crate) fn measure() -> Result<Vec<Instructions>, String> {
    let [few, many] = RUNS;
    let (before, after) = (count(few)?, count(many)?);
    let calls = u64::try_from(many - few).map_err(|error| error.to_string())?;
    let number = after.saturating_sub(before) / calls;
    println!("{number} instructions for each call");
    Ok(vec![Instructions {
        what: "a call through the boundary".to_owned(),
        number,
    }])
}

/// Returns the instructions of a process that makes some calls.
fn count(calls: usize) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["calls", &calls.to_string()])
        .output()
        .map_err(|error| format!("cannot run valgrind: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text
        .lines()
        .find_map(|line| line.split_once("Collected : "));
    let (_, number) = collected.ok_or_else(|| format!("callgrind counted nothing:\n{text}"))?;
    number
        .trim()
        .parse()
        .map_err(|_| format!("`{number}` is not a number"))
}
