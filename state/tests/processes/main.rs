//! Programs that share a state, as real processes: switches of tools, outages, and approvals that
//! several programs use at once or that a killed program was about to use.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

mod approvals;
mod availability;
mod instance;
mod outage;
mod peer;
mod tls;

use std::{process::ExitCode, time::Duration};

use libtest_mimic::{Arguments, Failed, Trial};
use tokio::runtime::{Builder, Runtime};
use toolwright_state::testing::TestPlace;

/// The first argument of a process that is not the test.
const INSTANCE: &str = "instance";

/// The first argument of a process that only opens the state at a URL.
const OPEN: &str = "open";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some(INSTANCE) => {
            runtime().block_on(instance::run(arguments.collect()));
            return ExitCode::SUCCESS;
        }
        Some(OPEN) => {
            runtime().block_on(tls::open(arguments.collect()));
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let mut arguments = Arguments::from_args();
    // They measure times, and some use all cores.
    arguments.test_threads = Some(1);
    libtest_mimic::run(&arguments, trials()).exit_code()
}

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// Returns each test for each kind of database that this machine has.
fn trials() -> Vec<Trial> {
    type Test = fn(TestPlace);
    let tests: [(&str, Test); 8] = [
        ("a_switch_applies_to_two_programs_under_load", |place| {
            runtime().block_on(availability::switch_under_load(place));
        }),
        ("the_time_of_switches_is_measured", |place| {
            runtime().block_on(availability::measured(place));
        }),
        (
            "a_tool_that_is_off_by_default_is_switched_on_and_reset",
            |place| {
                runtime().block_on(availability::on_and_reset(place));
            },
        ),
        ("an_allow_list_narrows_only", |place| {
            runtime().block_on(availability::allow_list(place));
        }),
        ("two_programs_tell_of_a_waiting_call_once", |place| {
            runtime().block_on(approvals::told_once(place));
        }),
        (
            "an_approval_passes_one_of_100_retries_of_two_programs",
            |place| {
                runtime().block_on(approvals::retries(place));
            },
        ),
        (
            "an_approval_is_used_once_although_programs_are_killed",
            |place| {
                runtime().block_on(approvals::killed(place));
            },
        ),
        ("an_outage_refuses_changes_after_a_while", |place| {
            runtime().block_on(outage::outage(place));
        }),
    ];
    let has_postgres = runtime().block_on(TestPlace::postgres()).is_some();
    let mut trials = Vec::new();
    for (name, test) in tests {
        trials.push(Trial::test(format!("{name}_sqlite"), move || {
            test(TestPlace::sqlite());
            Ok(())
        }));
        let on_postgres = Trial::test(format!("{name}_postgres"), move || {
            let place = runtime().block_on(TestPlace::postgres());
            test(place.ok_or_else(|| Failed::from("no PostgreSQL"))?);
            Ok(())
        });
        // `TestPlace::postgres` has printed why they are skipped.
        trials.push(on_postgres.with_ignored_flag(!has_postgres));
    }
    let certificates = Trial::test("a_server_shows_a_certificate_that_is_trusted", || {
        tls::certificates();
        Ok(())
    });
    trials.push(certificates.with_ignored_flag(!tls::is_possible()));
    trials
}

/// The time within which a switch must apply on the slowest machine. The usual time is measured by
/// `the_time_of_switches_is_measured`, which prints it.
const LIMIT: Duration = Duration::from_secs(30);
