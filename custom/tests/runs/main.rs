//! Custom tools on real programs in the sandbox of this machine, and sequences over a real local service.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod commands;
mod page;
mod steps;
mod world;

use std::process::ExitCode;

use toolwright_test_trials::{run, trials};

fn main() -> ExitCode {
    // The program is also the child of its sandbox.
    toolwright_sandbox::serve(&[]);
    run(trials![
        commands::a_program_runs_with_whole_arguments,
        commands::hostile_values_are_refused_or_harmless,
        commands::a_scope_decides_and_its_absence_refuses,
        commands::the_environment_is_clean,
        commands::only_the_stated_files_are_open,
        commands::nothing_protected_is_written,
        commands::limits_end_it_and_a_scope_lowers_them,
        commands::a_cancelled_call_leaves_no_process,
        commands::output_is_progress,
        commands::credentials_are_in_no_argument_and_no_output,
        commands::git_and_cargo_run,
        commands::a_missing_program_is_an_error,
        steps::each_step_is_a_call_of_the_caller,
        steps::the_steps_decide_who_is_offered_it,
        steps::a_step_that_needs_an_approval_waits,
        steps::a_class_that_needs_an_approval_waits,
        steps::a_step_out_of_scope_ends_it,
        page::the_documented_tools_run,
    ])
}
