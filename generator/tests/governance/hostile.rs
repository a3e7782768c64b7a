//! Operations whose documents are friendlier than they are.

use toolwright_generator::internals::{
    AnswerFacts, AnswerShape, BodyFacts, Classification, OperationFacts, classify,
};
use toolwright_model::{Category, Governance, Kind, Method, StatusPattern};

fn operation(method: Method, path: &str, id: &str, summary: &str) -> OperationFacts {
    let mut facts = OperationFacts::new(method, path);
    facts.operation_id = (!id.is_empty()).then(|| id.to_owned());
    facts.summary = (!summary.is_empty()).then(|| summary.to_owned());
    facts
}

/// Checks whether an operation needs approval and is marked destructive.
fn requires_approval(found: &Classification) -> bool {
    let row = Governance::from_kind(found.kind, false);
    row.category() == Category::Execute && row.approval_required && row.hints.destructive
}

#[test]
fn a_command_in_a_path_is_not_outvoted_by_friendly_words() {
    for path in [
        "/admin/delete-all",
        "/admin/deleteAll",
        "/admin/delete_all_users",
        "/admin/deleteall",
        "/admin/%64elete-all",
        "/users/delete",
        "/users/delete/",
        "/users/delete.json",
        "/users/delete.php",
        "/users/delete/{id}",
        "/users/{id}/delete",
        "/users/{id}/delete/{confirm}",
        "/users.delete",
        "/users:purge",
        "/delete/users",
        "/revoke/users/{id}",
        "/users/force-delete",
        "/users/bulk-delete",
        "/users/user-delete",
        "/users/delete-users",
        "/users/drop",
        "/users/wipe",
        "/users/purge",
        "/users/reset",
        "/users/reset-passwords",
        "/users/revoke",
        "/users/rotate",
        "/users/flush",
        "/users/flush-all",
        "/users/kill",
        "/users/disable",
        "/users/transfer",
        "/users/archive-all",
        "/users/terminate",
        "/users/deactivateAll",
        "/users/shutdown",
        "/users/reboot",
        "/users/truncate",
        "/users/approve",
        "/users/send",
        "/users/impersonate",
    ] {
        for (id, summary) in [
            ("listUsers", "Get users"),
            ("getUsers", "Returns a list of all users."),
            ("users_list", "Retrieve the users"),
            ("searchUsers", "Search users. It only reads."),
        ] {
            let found = classify(&operation(Method::Get, path, id, summary));
            assert!(
                requires_approval(&found),
                "{path} {id} {summary}: {found:#?}"
            );
            assert!(found.evidence[0].decided);
        }
    }
}

#[test]
fn resources_named_like_commands_are_reads() {
    for path in [
        "/updates",
        "/releases",
        "/runs",
        "/orders",
        "/requests",
        "/deletes",
        "/archive",
        "/users/deleted",
        "/seal-status",
        "/config/auto-delete",
        "/settings/reset-interval-settings",
        "/monitors/can-delete",
        "/mute-rules",
        "/login-profiles",
        "/rotate/config",
        "/schedule",
        "/transfers",
        "/posts",
    ] {
        let found = classify(&operation(Method::Get, path, "listThings", "List things"));
        assert_eq!(found.kind, Kind::Read, "{path}: {found:#?}");
    }
}

#[test]
fn a_described_change_is_not_outvoted() {
    for description in [
        "Deletes all users.",
        "Also sends it to all customers.",
        "This also deletes the users.",
        "It reads what is there. It shows what comes out. It is fast. It also removes the users.",
        "Afterwards, it will delete users.",
        "Note that this permanently deletes users.",
        "Warning: this deletes all users.",
        "Furthermore, it revokes their tokens.",
        "This also marks them as read and removes the flag.",
    ] {
        let mut get = operation(Method::Get, "/users", "listUsers", "Get users");
        get.description = Some(description.to_owned());
        assert!(requires_approval(&classify(&get)), "GET: {description}");
        let mut post = operation(
            Method::Post,
            "/reports/preview",
            "previewReport",
            "Preview a report",
        );
        post.body = Some(BodyFacts::default());
        assert!(classify(&post).kind <= Kind::Derive);
        post.description = Some(description.to_owned());
        assert!(requires_approval(&classify(&post)), "POST: {description}");
    }
}

#[test]
fn a_post_that_replaces_a_secret_is_no_creation() {
    for (path, id, status) in [
        ("/users/{id}/change_password", "", 201),
        ("/users/{id}/set_password", "users_set_password_create", 204),
        ("/tokens/{id}/set-key", "tokensSetKeyCreate", 204),
    ] {
        let mut facts = operation(Method::Post, path, id, "");
        facts.answers.push(AnswerFacts {
            status: StatusPattern::Exact(status),
            description: String::new(),
            media_types: Vec::new(),
            shape: AnswerShape::Unknown,
        });
        let found = classify(&facts);
        assert_eq!(found.kind, Kind::Action, "{path}: {found:#?}");
    }
    let mut created = operation(Method::Post, "/users", "createUser", "Create a user");
    created.body = Some(BodyFacts {
        secrets: vec!["password".to_owned()],
        ..BodyFacts::default()
    });
    assert_eq!(classify(&created).kind, Kind::Create);
}

#[test]
fn what_creates_or_overwrites_is_no_creation() {
    for (method, id, summary) in [
        (Method::Put, "createOrUpdateNote", ""),
        (Method::Put, "Notes_CreateOrUpdate", ""),
        (Method::Post, "", "Create or update a note"),
        (Method::Post, "", "Creates or replaces a note."),
        (Method::Post, "", "Add/Change a note"),
        (Method::Put, "", "Add / update a note"),
        (
            Method::Put,
            "",
            "Creates a note, or updates it if it exists",
        ),
    ] {
        let found = classify(&operation(method, "/notes/{id}", id, summary));
        assert_eq!(found.kind, Kind::Action, "{id} {summary}: {found:#?}");
    }
    for (id, summary) in [
        ("createNote", "Create a note or a set of notes"),
        ("createNote", "Create a note for the update of an item"),
        ("addUpdate", "Add an update or a note"),
    ] {
        let found = classify(&operation(Method::Post, "/notes", id, summary));
        assert_eq!(found.kind, Kind::Create, "{id} {summary}: {found:#?}");
    }
}

#[test]
fn an_update_of_permissions_requires_approval() {
    for (method, path, id, summary) in [
        (Method::Patch, "/users/{id}/password", "", ""),
        (Method::Put, "/repos/{id}/collaborators", "", ""),
        (Method::Put, "/repos/{id}/collaborators/{user}", "", ""),
        (
            Method::Patch,
            "/repos/{repo_id}/secrets/{secret}",
            "update-woodpecker-secret",
            "",
        ),
        (Method::Patch, "/items/{id}", "updateItemOwner", ""),
        (
            Method::Put,
            "/items/{id}",
            "",
            "Change the owner of an item",
        ),
        (Method::Put, "/buckets/{id}/policy", "", ""),
        (Method::Put, "/users/{id}/roles", "", ""),
        (
            Method::Post,
            "/users/{id}/update",
            "users.updatePermissions",
            "",
        ),
        (Method::Put, "/apiKeys/{id}", "", ""),
        (Method::Patch, "/teams/{id}/memberships/{user}", "", ""),
        (Method::Put, "/apps/{id}/credentials", "", ""),
        (Method::Put, "/hooks/{id}/token", "", ""),
        (Method::Patch, "/certificates/{id}", "", ""),
    ] {
        let found = classify(&operation(method, path, id, summary));
        assert!(
            requires_approval(&found),
            "{method} {path} {id} {summary}: {found:#?}"
        );
        let why = &found.evidence[0].found;
        assert!(why.ends_with("is a power that is overwritten"), "{why}");
    }
    for (properties, required, secrets) in [
        (&["name", "password"][..], &[][..], &["password"][..]),
        (&["owner"], &[], &[]),
        (&["name", "role"], &["role"], &[]),
        (&["name", "note", "nested"], &[], &["clientSecret"]),
    ] {
        let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let mut facts = operation(
            Method::Patch,
            "/things/{id}",
            "updateThing",
            "Update a thing",
        );
        facts.body = Some(BodyFacts {
            properties: all(properties),
            required_properties: all(required),
            secrets: all(secrets),
            ..BodyFacts::default()
        });
        assert!(
            requires_approval(&classify(&facts)),
            "{properties:?} {required:?} {secrets:?}"
        );
    }
}

#[test]
fn other_updates_require_no_approval() {
    let mut facts = operation(
        Method::Patch,
        "/things/{id}",
        "updateThing",
        "Update a thing",
    );
    facts.body = Some(BodyFacts {
        properties: vec!["name".to_owned(), "owner".to_owned(), "key".to_owned()],
        required_properties: vec!["key".to_owned()],
        ..BodyFacts::default()
    });
    assert_eq!(classify(&facts).kind, Kind::Overwrite);
}
