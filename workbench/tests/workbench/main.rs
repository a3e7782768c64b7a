//! The tools on real folders: what they do, and what they refuse.
#![cfg(test)]
#![cfg(unix)]

mod changes;
mod documentation;
mod folder;
mod found;
mod git;
mod hostile;
mod layers;
mod paths;
mod pipeline;
mod race;
mod read;
mod web;

use std::process::ExitCode;

use toolwright_sandbox::{RegisteredJob, serve};
use toolwright_test_trials::{Trial, run, trials};

fn main() -> ExitCode {
    // The program is also the child of its sandbox.
    serve(&[RegisteredJob::new::<layers::Hostile>()]);
    race::be_the_other_process_if_asked();
    let trials = [
        of_files(),
        of_git(),
        of_layers(),
        of_pages(),
        of_the_pipeline(),
    ];
    run(trials.into_iter().flatten().collect())
}

fn of_files() -> Vec<Trial> {
    trials![
        changes::a_change_is_shown_as_a_diff_and_keeps_the_mode,
        changes::an_edit_replaces_exactly_what_was_asked_for,
        changes::a_file_is_created_once_with_its_folders,
        changes::a_file_is_created_in_a_scope_that_does_not_exist_yet,
        changes::a_deletion_waits_for_a_person,
        changes::a_write_outside_of_the_scope_is_refused_with_its_rule,
        changes::a_link_leads_no_change_out_of_the_scope,
        changes::a_protected_path_is_refused_whatever_the_profile_grants,
        changes::a_denied_file_is_not_shown_by_a_change_of_it,
        changes::a_file_has_at_most_the_size_that_the_operator_allows,
        found::a_listing_shows_what_may_be_read_and_what_leads_to_it,
        found::a_listing_of_many_files_shows_the_same_others,
        found::a_folder_that_leads_to_nothing_allowed_is_refused,
        found::files_are_found_by_a_pattern,
        found::text_is_searched_in_the_files_of_the_scope_alone,
        found::code_is_searched_with_context_words_and_languages,
        found::the_first_matches_by_path_are_shown_whatever_thread_is_first,
        paths::only_ordinary_files_are_opened,
        paths::an_encoded_or_foreign_path_names_nothing,
        paths::the_root_may_be_a_link_and_a_file_may_have_any_name,
        race::no_exchange_of_names_leads_to_a_secret,
        read::a_file_is_read_as_a_whole_by_lines_and_by_bytes,
        read::a_denied_file_is_not_read_in_any_spelling,
    ]
}

fn of_git() -> Vec<Trial> {
    trials![
        git::a_change_is_seen_committed_and_listed,
        git::a_commit_outside_of_its_branches_and_paths_is_refused,
        git::a_commit_takes_neither_links_nor_forged_trailers,
        git::a_revision_is_neither_an_option_nor_a_file,
        git::a_folder_without_a_repository_and_an_empty_repository_are_told,
        hostile::nothing_in_a_repository_runs_a_program,
        hostile::a_repository_that_reaches_out_of_its_folder_is_not_used,
    ]
}

fn of_layers() -> Vec<Trial> {
    trials![
        layers::each_layer_refuses_a_write_with_the_other_one_off,
        layers::with_both_layers_off_nothing_is_opened,
        layers::each_layer_refuses_a_denied_file_with_the_other_one_off,
        layers::a_hostile_body_reaches_nothing_but_its_file,
        layers::a_deletion_and_a_new_folder_need_the_scope_too,
        layers::git_that_turned_hostile_changes_objects_and_branches_alone,
    ]
}

fn of_pages() -> Vec<Trial> {
    trials![
        documentation::the_best_section_is_first_with_its_lines,
        documentation::a_search_is_limited_and_says_what_is_missing,
        web::a_page_becomes_readable_text,
        web::a_long_page_is_read_in_parts_and_a_large_one_is_refused,
        web::a_url_outside_of_the_scope_is_not_requested,
        web::a_redirect_is_checked_like_the_url,
        web::an_allowed_url_at_a_private_address_needs_the_operators_word,
        web::a_role_without_urls_fetches_nothing,
    ]
}

fn of_the_pipeline() -> Vec<Trial> {
    trials![pipeline::a_pipeline_does_its_work_and_nothing_else]
}
