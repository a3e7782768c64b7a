//! The reading of paths, operation ids and summaries together.

use super::*;

fn facts(line: &str) -> OperationFacts {
    let mut cells = line.split(' ');
    let (method, path) = (cells.next().unwrap(), cells.next().unwrap());
    let mut facts = OperationFacts::new(Method::from_word(method).unwrap(), path);
    facts.operation_id = cells.next().map(str::to_owned);
    facts
}

#[test]
fn steps_of_paths() {
    for (path, expected) in [
        ("/api/v1/items", "items"),
        ("/items/{id}", "items{id}"),
        ("/repos/{owner}/{repo}/issues", "repos{owner,repo} issues"),
        (
            "/stream/{video_id}/captions",
            "stream video{video_id} captions",
        ),
        ("/records/{id}.{format}", "records{id}"),
        ("/2/users/42", "users"),
        ("/users.php", "users"),
    ] {
        let reading = PathReading::parse(path);
        let steps = reading.steps.iter().map(|step| {
            let keys = step.keys.join(",");
            let keys = if keys.is_empty() {
                keys
            } else {
                format!("{{{keys}}}")
            };
            format!("{}{keys}", step.words.join("-"))
        });
        assert_eq!(steps.collect::<Vec<_>>().join(" "), expected, "{path}");
    }
}

#[test]
fn the_part_of_an_operation_id_with_the_action_is_first() {
    for (line, verb, object) in [
        ("GET /vms VirtualMachines_ListSizes", Some("list"), "sizes"),
        ("GET /alarms GET_DescribeAlarms", Some("describe"), "alarms"),
        ("GET /items listItemsUsingGET", Some("list"), "items"),
        ("GET /items items", None, "items"),
        (
            "POST /runs/wait wait_run_runs_wait_post",
            Some("wait"),
            "run",
        ),
        (
            "POST /items/{id}/reset_key items_reset_key_create",
            Some("reset"),
            "key",
        ),
        ("POST /payments CREATE_AutoAllocate", Some("create"), ""),
        (
            "DELETE /sync/lists/{id} DeleteSyncList",
            Some("delete"),
            "sync list",
        ),
        ("POST /users/{id}/follow users.follow", Some("follow"), ""),
    ] {
        let facts = facts(line);
        let reading = Reading::new(&facts);
        let clause = reading.id_clause().unwrap();
        let found = clause.verb.map(|at| at.verb.base);
        assert_eq!(
            (found, clause.object.join(" ").as_str()),
            (verb, object),
            "{line}"
        );
    }
}

#[test]
fn an_operation_id_that_repeats_the_path_tells_nothing() {
    for line in [
        "GET /users/{id}/keys getUsersIdKeys",
        "POST /users/{id}/keys post-users-keys",
    ] {
        assert!(Reading::new(&facts(line)).id.is_empty(), "{line}");
    }
}

#[test]
fn the_first_sentences_of_texts_are_read() {
    let mut facts = facts("GET /messages/{id}");
    facts.summary = Some("Get a message".to_owned());
    facts.description = Some("Returns the message. One. Two. Three. ".repeat(99));
    let reading = Reading::new(&facts);
    assert_eq!(reading.summary_clause().unwrap().tool_verb(), Some("get"));
    assert_eq!(reading.summary.len(), 1 + SENTENCES);
}
