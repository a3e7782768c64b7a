//! Programs and jobs in the sandbox: their results, their ends, and what is required of the machine.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod jobs;
mod kept;
mod programs;
mod sessions;

use std::process::ExitCode;

use toolwright_sandbox::{RegisteredJob, serve};
use toolwright_test_trials::{run, trial};

fn main() -> ExitCode {
    // The program is also the child of its sandbox.
    serve(&[
        RegisteredJob::new::<jobs::Write>(),
        RegisteredJob::new::<jobs::Try>(),
        RegisteredJob::new::<jobs::ReadAndReplace>(),
        RegisteredJob::new::<jobs::Number>(),
        RegisteredJob::new::<kept::Leave>(),
        RegisteredJob::new::<kept::Use>(),
    ]);
    let mut trials = vec![
        trial(
            "a_program_has_its_output_and_its_end",
            programs::output_and_end,
        ),
        trial("a_program_has_its_environment_alone", programs::environment),
        trial("a_program_that_is_absent_is_reported", programs::absent),
        trial("a_path_that_is_absent_is_reported", programs::absent_path),
        trial("a_limit_is_named", programs::limits),
        trial("a_dropped_run_is_gone", programs::dropped),
        trial(
            "a_killed_caller_takes_its_run_with_it",
            programs::killed_caller,
        ),
        trial("a_port_in_scope_is_reached_alone", programs::ports),
        trial("a_missing_layer_refuses", programs::missing_layer),
        trial(
            "without_namespaces_the_processes_end",
            programs::without_namespaces,
        ),
        trial("a_job_writes_in_scope_alone", jobs::writes_in_scope),
        trial("a_job_starts_nothing", jobs::starts_nothing),
        trial("a_job_ends_at_its_limits", jobs::ends_at_limits),
        trial("an_unknown_job_is_reported", jobs::unknown),
        trial("a_hidden_path_is_empty_and_stays", jobs::hidden),
        trial("programs_of_a_session_run_in_turn", sessions::in_turn),
        trial("a_session_is_one_sandbox", sessions::one_sandbox),
        trial("a_session_ends_at_a_limit", sessions::limits),
        trial("a_dropped_session_is_gone", sessions::dropped),
    ];
    programs::be_caller_if_asked();
    kept::test_alone_if_asked();
    trials.extend(kept::trials());
    run(trials)
}
