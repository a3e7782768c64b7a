//! Mounted servers: a plain one and a hostile one, which this program is itself.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod asks;
mod calls;
mod hostile;
mod http;
mod server;
mod world;

use std::process::ExitCode;

use toolwright_test_trials::{run, trials};

fn main() -> ExitCode {
    // The program is also the child of its sandbox, and the server in it.
    toolwright_sandbox::serve(&[]);
    server::serve_if_asked();
    run(trials![
        asks::a_granted_form_is_shown_as_the_servers,
        asks::a_granted_request_reaches_the_model,
        asks::a_client_over_http_is_asked,
        asks::requests_are_refused_unless_granted,
        asks::a_client_that_declares_nothing_is_not_asked,
        asks::a_request_outside_of_a_call_is_refused,
        asks::a_request_that_may_be_for_another_call_is_refused,
        asks::a_server_asks_eight_times_in_a_call,
        asks::hostile_texts_are_bounded_and_shown,
        asks::pages_and_nested_forms_are_refused,
        asks::a_form_never_approves_a_call,
        asks::a_secret_is_not_shown_to_a_person,
        asks::a_person_who_never_answers_holds_no_call,
        calls::an_accepted_tool_is_called,
        calls::names_and_classes_come_from_the_generator,
        calls::a_failure_is_an_error_without_hidden_characters,
        calls::a_secret_never_leaves,
        calls::a_missing_layer_refuses,
        calls::a_dropped_call_does_not_harm_the_next,
        hostile::a_changed_definition_is_off,
        hostile::a_definition_that_changes_later_is_off,
        hostile::an_unaccepted_tool_is_off,
        hostile::a_changed_document_is_off,
        hostile::hidden_text_is_reported_and_removed,
        hostile::bombs_and_foreign_references_are_refused,
        hostile::two_tools_of_one_name_are_refused,
        hostile::endless_lists_end,
        hostile::results_are_limited,
        hostile::answers_that_are_none_fail,
        hostile::a_server_that_dies_is_started_again,
        hostile::a_flood_of_notifications_is_no_harm,
        hostile::a_flood_of_requests_ends_the_connection,
        hostile::the_sandbox_confines_the_server,
        http::a_server_over_http_is_called,
        http::a_target_that_is_not_allowed_is_refused,
    ])
}
