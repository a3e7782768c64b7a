//! The place of a state under attack and in other states than the program expects: file modes,
//! links, other schemas, tampered rows, locks, words that are made to hurt.
#![cfg(test)]
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use toolwright::{ToolName, availability::Override};
use toolwright_state::{Location, State, StateError, testing::TestPlace};

fn state(place: &TestPlace) -> State {
    State::at(place.location.clone()).unwrap()
}

async fn opened(place: &TestPlace) -> State {
    let state = state(place);
    state.open().await.unwrap();
    state
}

fn tool() -> ToolName {
    "delete-depot-item".parse().unwrap()
}

fn off(by: &str, why: &str) -> Override {
    Override::new(false, by, why, Timestamp::UNIX_EPOCH).unwrap()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn a_newer_schema_is_refused_also_while_the_program_runs() {
    for place in TestPlace::all().await {
        let running = opened(&place).await;
        assert!(running.overrides().await.is_ok());
        place
            .tamper("INSERT INTO migration VALUES (99, 'later', 'x', 0)")
            .await;
        let known = running.status().await.unwrap().known;
        let newer = StateError::Newer { found: 99, known };
        assert_eq!(running.overrides().await, Err(newer.clone()));
        assert_eq!(state(&place).open().await, Err(newer.clone()));
        assert_eq!(state(&place).migrate().await, Err(newer));
    }
}

#[tokio::test]
async fn an_older_schema_is_migrated_on_request_and_keeps_its_rows() {
    for place in TestPlace::all().await {
        let old = state(&place);
        old.migrate_to(1).await.unwrap();
        place
            .tamper("INSERT INTO tool_state VALUES ('delete-depot-item', 0, 'ann', 'leaks', 0)")
            .await;
        let new = state(&place);
        let known = old.status().await.unwrap().known;
        let older = StateError::Older { found: 1, known };
        assert!(known > 1);
        assert_eq!(new.open().await, Err(older));
        assert!(new.overrides().await.is_err());
        let migrated = new.migrate().await.unwrap();
        assert_eq!((migrated.from, migrated.to), (1, known));
        new.open().await.unwrap();
        assert_eq!(new.overrides().await.unwrap()[&tool()], off("ann", "leaks"));
        let again = new.migrate().await.unwrap();
        assert_eq!((again.from, again.to), (known, known));
    }
}

#[tokio::test]
async fn a_changed_migration_is_refused() {
    for place in TestPlace::all().await {
        opened(&place).await;
        place
            .tamper("UPDATE migration SET digest = 'x' WHERE number = 1")
            .await;
        let refused = state(&place).open().await;
        assert!(
            matches!(refused, Err(StateError::Foreign(_))),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn a_database_of_another_program_is_left_alone() {
    let place = TestPlace::sqlite();
    let file = place.file().unwrap();
    fs::create_dir(file.parent().unwrap()).unwrap();
    set_mode(file.parent().unwrap(), 0o700);
    place.tamper("CREATE TABLE customers (name TEXT)").await;
    set_mode(&file, 0o600);
    let before = fs::read(&file).unwrap();
    let refused = state(&place).open().await.unwrap_err().to_string();
    assert!(refused.contains("another program"), "{refused}");

    fs::write(
        &file,
        "this is no database, but a long enough text for a header of one",
    )
    .unwrap();
    assert!(state(&place).open().await.is_err());
    assert_ne!(before, fs::read(&file).unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_programs_create_one_schema() {
    for place in TestPlace::all().await {
        let opened: Vec<_> = (0..8)
            .map(|_| {
                let state = state(&place);
                tokio::spawn(async move { state.open().await })
            })
            .collect();
        for opened in opened {
            assert_eq!(opened.await.unwrap(), Ok(()));
        }
    }
}

#[tokio::test]
async fn files_that_others_could_change_are_refused() {
    let place = TestPlace::sqlite();
    opened(&place).await;
    let file = place.file().unwrap();
    let folder = file.parent().unwrap();
    for (path, good, bad) in [
        (file.as_path(), 0o600, 0o660),
        (&file, 0o600, 0o644),
        (folder, 0o700, 0o777),
    ] {
        set_mode(path, bad);
        let refused = state(&place).open().await.unwrap_err().to_string();
        assert!(refused.contains("chmod"), "{refused}");
        set_mode(path, good);
        opened(&place).await;
    }
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        if let Ok(metadata) = fs::metadata(folder.join(name)) {
            assert_eq!(metadata.permissions().mode() & 0o077, 0, "{name}");
        }
    }
}

#[tokio::test]
async fn a_link_to_a_database_is_refused() {
    let (place, other) = (TestPlace::sqlite(), TestPlace::sqlite());
    opened(&other).await;
    let file = place.file().unwrap();
    fs::create_dir(file.parent().unwrap()).unwrap();
    set_mode(file.parent().unwrap(), 0o700);
    symlink(other.file().unwrap(), &file).unwrap();
    let refused = state(&place).open().await.unwrap_err().to_string();
    assert!(refused.contains("symbolic link"), "{refused}");
}

#[tokio::test]
async fn a_running_program_does_not_create_a_removed_database_again() {
    let place = TestPlace::sqlite();
    let running = opened(&place).await;
    running.switch(&tool(), &off("ann", "leaks")).await.unwrap();
    let file = place.file().unwrap();
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        let _ = fs::remove_file(file.with_file_name(name));
    }
    assert!(
        running.overrides().await.is_err(),
        "the tool was switched off"
    );
    assert!(!file.exists());

    // Nor does it go on with another file in its place that is no state.
    fs::write(&file, "").unwrap();
    set_mode(&file, 0o600);
    assert!(running.overrides().await.is_err());
}

#[tokio::test]
async fn words_are_values_and_never_statements() {
    let hostile = [
        "'; DROP TABLE tool_state; --",
        "$1 ?1 :a @b",
        "\\'; DELETE FROM approval; /*",
        "\"; SELECT pg_sleep(10); --",
    ];
    for place in TestPlace::all().await {
        let state = opened(&place).await;
        for text in hostile {
            let entry = off(text, text);
            state.switch(&tool(), &entry).await.unwrap();
            assert_eq!(state.overrides().await.unwrap()[&tool()], entry);
            assert!(
                "delete'--".parse::<ToolName>().is_err(),
                "names have a grammar"
            );
        }
        let exported = state.export().await.unwrap();
        assert_eq!(exported.len(), 2, "{exported:?}");
    }
}

#[tokio::test]
async fn a_switch_that_was_changed_to_nonsense_makes_all_unreadable() {
    for place in TestPlace::all().await {
        let state = opened(&place).await;
        state.switch(&tool(), &off("ann", "leaks")).await.unwrap();
        for (bad, good) in [
            ("tool = 'Delete Everything'", "tool = 'delete-depot-item'"),
            ("person = ''", "person = 'ann'"),
            ("reason = 'a\u{202e}b'", "reason = 'leaks'"),
        ] {
            place.tamper(&format!("UPDATE tool_state SET {bad}")).await;
            let read = state.overrides().await;
            assert!(
                matches!(read, Err(StateError::Foreign(_))),
                "{bad}: {read:?}"
            );
            place.tamper(&format!("UPDATE tool_state SET {good}")).await;
            assert!(state.overrides().await.is_ok());
        }
    }
}

#[tokio::test]
async fn a_trigger_in_a_tampered_file_does_not_run() {
    let place = TestPlace::sqlite();
    let state = opened(&place).await;
    place
        .tamper(
            "CREATE TRIGGER undo AFTER INSERT ON tool_state BEGIN
                 UPDATE tool_state SET enabled = 1; END",
        )
        .await;
    state.switch(&tool(), &off("ann", "leaks")).await.unwrap();
    assert!(!state.overrides().await.unwrap()[&tool()].enabled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_another_program_locks_fails_in_time() {
    let place = TestPlace::sqlite();
    let state = opened(&place).await;
    let other = rusqlite::Connection::open(place.file().unwrap()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    let refused = state.switch(&tool(), &off("ann", "leaks")).await;
    assert!(
        matches!(refused, Err(StateError::Unreachable(_))),
        "{refused:?}"
    );
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
    other.execute_batch("ROLLBACK").unwrap();
    state.switch(&tool(), &off("ann", "leaks")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_transaction_leaves_nothing_behind() {
    for place in TestPlace::all().await {
        let state = opened(&place).await;
        for micros in (0..3000).step_by(100) {
            let entry = off("ann", "leaks");
            let switch = state
                .switch(&"get-depot-item".parse().unwrap(), &entry)
                .await;
            assert_eq!(switch, Ok(()));
            let (tool, entry) = (tool(), off("ann", "abandoned"));
            let abandoned = state.switch(&tool, &entry);
            let _ = tokio::time::timeout(Duration::from_micros(micros), abandoned).await;
        }
        assert_eq!(state.switch(&tool(), &off("ann", "last")).await, Ok(()));
        assert_eq!(state.overrides().await.unwrap()[&tool()].why, "last");
    }
}

#[test]
fn a_password_belongs_in_a_private_file() {
    let url = "postgres://ann:hunter2@db.example/tools";
    let location = Location::postgres(url);
    assert_eq!(location.to_string(), "postgres://…@db.example/tools");
    let refused = State::at(location).unwrap_err().to_string();
    assert!(
        refused.contains("password_file") && !refused.contains("hunter2"),
        "{refused}"
    );
    for url in [
        "postgres://ann:hun ter2@[db/x",
        "mysql://ann:hunter2@db/x",
        "hunter2",
    ] {
        let refused = State::at(Location::postgres(url)).unwrap_err().to_string();
        assert!(!refused.contains("hun"), "{refused}");
    }
}

#[tokio::test]
async fn another_machine_is_reached_with_tls_only() {
    let Some(place) = TestPlace::postgres().await else {
        return;
    };
    let Location::Postgres { url, .. } = &place.location else {
        panic!("{place:?}");
    };
    // The server of the tests offers no TLS, so a connection that needs it fails.
    let state = State::at(Location::postgres(format!("{url}?sslmode=require"))).unwrap();
    let refused = state.open().await.unwrap_err().to_string();
    assert!(refused.contains("TLS"), "{refused}");
}

#[tokio::test]
async fn a_server_that_is_not_there_fails_in_time() {
    let begun = Instant::now();
    let state = State::at(Location::postgres("postgres://root@127.0.0.1:1/test")).unwrap();
    assert!(matches!(
        state.open().await,
        Err(StateError::Unreachable(_))
    ));
    assert!(begun.elapsed() < Duration::from_secs(30));
}
