//! Skills with a script: its calls, its ends, and what it tries.
#![cfg(test)]
#![cfg(target_os = "linux")]

#[path = "../skills/world.rs"]
#[expect(dead_code, reason = "the tests of skills with steps use the rest")]
mod world;

mod approval;
mod calls;
mod ends;
mod hostile;

use std::process::ExitCode;

use toolwright_test_trials::{run, trials};

fn main() -> ExitCode {
    // The program is also the child of its sandboxes.
    toolwright_sandbox::serve(&[]);
    run(trials![
        approval::each_call_waits_for_itself,
        approval::a_rejected_call_ends_the_run,
        approval::nobody_decides,
        calls::a_script_makes_its_calls_as_its_caller,
        calls::a_failed_call_is_an_exit_code,
        calls::a_tool_that_is_not_listed_is_refused,
        ends::an_exit_code_decides_about_the_failure,
        ends::a_result_is_json,
        ends::a_limit_ends_the_run,
        hostile::a_script_sees_no_file_no_network_and_no_secret,
        hostile::a_bomb_ends_at_a_limit,
        hostile::nothing_is_left_after_the_end,
        hostile::a_cancelled_run_is_gone,
        hostile::broken_requests_harm_nobody_else,
        hostile::too_many_requests_end_the_run,
    ])
}
