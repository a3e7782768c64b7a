//! Skills with a script: its calls, its limits, and what it tries.
#![cfg(test)]
#![cfg(target_os = "linux")]

#[path = "../skills/world.rs"]
#[expect(dead_code, reason = "the tests of skills with steps use the rest")]
mod world;

use std::process::ExitCode;

use toolwright_test_trials::{run, trials};

mod calls;

fn main() -> ExitCode {
    // The program is also the child of its sandboxes.
    toolwright_sandbox::serve(&[]);
    run(trials![calls::a_script_makes_its_calls_as_its_caller])
}
