//! The verb and the object of names and sentences.

use super::*;
use crate::language::words;

fn name(text: &str) -> (Option<&'static str>, String) {
    let clause = Clause::of_name(words(text), text);
    (clause.verb.map(|at| at.verb.base), clause.object.join(" "))
}

fn sentence(text: &str) -> (Option<&'static str>, String) {
    let clause = Clause::of_sentence(text, 0);
    (clause.tool_verb(), clause.object.join(" "))
}

#[test]
fn the_verb_of_a_name_is_first_last_or_within() {
    for (text, verb, object) in [
        ("listUsers", Some("list"), "users"),
        ("users_list", Some("list"), ""),
        ("account_get_photo", Some("get"), "photo"),
        ("archive", Some("archive"), ""),
        ("documents", None, "documents"),
        ("getUpdateStatus", Some("get"), "update status"),
        ("createOrUpdate", Some("create"), ""),
        ("BatchGetItems", Some("get"), "items"),
        ("members_list_continue_v2", Some("list"), ""),
        ("listUsersByStatus", Some("list"), "users"),
        ("report_list", Some("list"), ""),
        ("look-up-user", Some("lookup"), "user"),
        ("orders", None, "orders"),
        ("searchOneOrMoreIndexes", Some("search"), "indexes"),
    ] {
        assert_eq!(name(text), (verb, object.to_owned()), "{text}");
    }
}

#[test]
fn the_verb_of_a_sentence_follows_its_preamble() {
    for (text, verb, object) in [
        ("List all users.", Some("list"), "users"),
        (
            "This endpoint allows you to retrieve a user",
            Some("get"),
            "user",
        ),
        ("Follow a user", Some("follow"), "user"),
        ("Order status", None, "status"),
        ("Request password reset", None, "password reset"),
        ("Forward-adjusted prices", None, "adjusted prices"),
        ("Compress one or more files", Some("compress"), "files"),
        ("Share the file with others", Some("share"), "file"),
        ("Removes a user from the team", Some("remove"), "user"),
        ("Retrieve a list of all users", Some("get"), "users"),
        ("User preferences", None, "user preferences"),
        ("Once it is ready, start the job", Some("start"), "job"),
    ] {
        assert_eq!(sentence(text), (verb, object.to_owned()), "{text}");
    }
}

#[test]
fn an_answer_is_no_action() {
    let clause = Clause::of_sentence("Returns a token for the user", 0);
    assert!(clause.answers && clause.verb.is_none() && clause.indefinite);
    assert_eq!(clause.object, ["token"]);
    assert_eq!(clause.tail, ["for", "the", "user"]);
    assert!(!Clause::of_sentence("Return order", 0).answers);
}

#[test]
fn verbs_that_are_joined_are_kept() {
    let clause = Clause::of_sentence("Gets the message and removes it", 0);
    assert_eq!(clause.others[0].verb.base, "remove");
    assert_eq!(clause.object, ["message"]);
    let clause = Clause::of_sentence("Create or update an item", 0);
    assert_eq!(clause.others.len(), 1);
    assert_eq!(clause.object, ["item"]);
}

#[test]
fn a_relation_begins_with_a_preposition() {
    for (text, at) in [
        ("users by email", Some(1)),
        ("documents on hold", Some(1)),
        ("document to document associations", None),
        ("document to article links", None),
        ("users", None),
    ] {
        assert_eq!(relation(&words(text)), at, "{text}");
    }
}
