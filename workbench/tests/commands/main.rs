//! `run-shell-command` and `run-python-program` on real programs, in the sandbox of this machine.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod builds;
mod ends;
#[expect(dead_code, reason = "the tests of files use all of it")]
#[path = "../workbench/folder.rs"]
mod folder;
mod layers;
mod page;
mod programs;
mod values;

use std::process::ExitCode;

use toolwright_test_trials::{run, trial};

fn main() -> ExitCode {
    // The program is also the child of its sandbox.
    toolwright_sandbox::serve(&[]);
    if std::env::var_os(layers::WITHIN).is_some() {
        let trials = vec![trial(layers::TRIAL, layers::within_a_sandbox)];
        return run(trials);
    }
    let trials = vec![
        trial("a_value_is_one_argument", values::is_one_argument),
        trial("a_value_is_no_option", values::is_no_option),
        trial("only_named_commands_run", values::only_named_commands_run),
        trial("the_environment_is_clean", values::the_environment_is_clean),
        trial(
            "files_out_of_scope_are_closed",
            values::files_out_of_scope_are_closed,
        ),
        trial("denied_files_are_covered", values::denied_files_are_covered),
        trial(
            "too_many_denied_files_are_refused",
            values::too_many_denied_files_are_refused,
        ),
        trial("a_failure_is_a_result", ends::a_failure_is_a_result),
        trial("limits_end_a_command", ends::limits_end_a_command),
        trial(
            "a_cancelled_command_is_gone",
            ends::a_cancelled_command_is_gone,
        ),
        trial("output_is_reported_as_progress", ends::output_is_reported),
        trial("a_missing_layer_refuses", layers::a_missing_layer_refuses),
        trial("the_examples_of_the_page_run", page::examples_run),
        trial("a_program_calls_tools", programs::a_program_calls_tools),
        trial(
            "each_call_of_a_program_passes_the_gates",
            programs::each_call_passes_the_gates,
        ),
        trial(
            "a_program_reaches_nothing_else",
            programs::a_program_reaches_nothing_else,
        ),
        trial("the_ends_of_programs_are_told", programs::ends_are_told),
        trial("a_crate_is_built_tested_and_linted", builds::a_crate),
    ];
    run(trials)
}
