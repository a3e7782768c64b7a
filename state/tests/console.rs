//! Sessions at the console, in each kind of database.
#![cfg(test)]

use jiff::{SignedDuration, Timestamp};
use toolwright::{Statement, availability::Override};
use toolwright_state::{State, testing::TestPlace};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

async fn opened(place: &TestPlace) -> State {
    let state = State::at(place.location.clone()).unwrap();
    state.open().await.unwrap();
    state
}

fn after(minutes: i64) -> Timestamp {
    NOW + SignedDuration::from_mins(minutes)
}

#[tokio::test]
async fn a_link_opens_one_session_and_its_secret_is_stored_nowhere() {
    for place in TestPlace::all().await {
        let state = opened(&place).await;
        let link = state
            .issue_console_link("ann", NOW, after(10))
            .await
            .unwrap();
        let link = link.expose();
        assert_eq!(
            state.console_link(link, NOW).await.unwrap().as_deref(),
            Some("ann")
        );
        assert_eq!(state.console_link(link, after(10)).await.unwrap(), None);
        assert_eq!(state.console_link("guessed", NOW).await.unwrap(), None);

        let other = opened(&place).await;
        let (one, two) = tokio::join!(
            state.open_console_session(link, NOW, after(60)),
            other.open_console_session(link, NOW, after(60)),
        );
        // Of two transactions at once, a database may refuse one.
        let opened = [one.ok().flatten(), two.ok().flatten()];
        let [session] = <[_; 1]>::try_from(opened.into_iter().flatten().collect::<Vec<_>>())
            .expect("one session");
        assert_eq!(session.session.person, "ann");
        let again = state.open_console_session(link, NOW, after(60)).await;
        assert!(again.unwrap().is_none());

        let secret = session.secret.expose();
        assert!(!format!("{session:?}").contains(secret));
        let exported = serde_json::to_string(&state.export().await.unwrap()).unwrap();
        assert!(!exported.contains(secret) && !exported.contains(link));
        assert!(exported.contains(&session.session.id), "{exported}");
        let found = state.console_session(secret, after(59)).await.unwrap();
        assert_eq!(found.unwrap().id, session.session.id);
        assert!(
            state
                .console_session(secret, after(60))
                .await
                .unwrap()
                .is_none()
        );
        assert!(
            state
                .console_session(&session.session.id, NOW)
                .await
                .unwrap()
                .is_none()
        );
    }
}

#[tokio::test]
async fn a_link_that_has_expired_opens_nothing() {
    for place in TestPlace::all().await {
        let state = opened(&place).await;
        let link = state
            .issue_console_link("ann", NOW, after(10))
            .await
            .unwrap();
        let late = state.open_console_session(link.expose(), after(11), after(60));
        assert!(late.await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_session_that_was_ended_is_accepted_no_more() {
    for place in TestPlace::all().await {
        let state = opened(&place).await;
        let link = state
            .issue_console_link("bo", NOW, after(10))
            .await
            .unwrap();
        let opened = state.open_console_session(link.expose(), NOW, after(60));
        let opened = opened.await.unwrap().unwrap();
        let statement = Statement::new("ann", "a lost laptop").unwrap();
        let id = &opened.session.id;
        assert!(
            state
                .end_console_session(id, &statement, after(1))
                .await
                .unwrap()
        );
        assert!(
            !state
                .end_console_session(id, &statement, after(2))
                .await
                .unwrap()
        );
        let secret = opened.secret.expose();
        assert!(
            state
                .console_session(secret, after(3))
                .await
                .unwrap()
                .is_none()
        );
        let sessions = state.console_sessions(10).await.unwrap();
        assert_eq!(sessions[0].ended_by.as_deref(), Some("ann"));
        assert_eq!(sessions[0].reason.as_deref(), Some("a lost laptop"));
    }
}

#[tokio::test]
async fn the_calls_that_wait_are_read_in_parts_by_each_kind_of_database() {
    for place in TestPlace::all().await {
        let state = opened(&place).await;
        let tool = "delete-depot-item".parse().unwrap();
        let page = state.waiting_page(NOW, 0, 50).await.unwrap();
        assert_eq!((page.requests.len(), page.total), (0, 0));
        let of_tool = state.waiting_for_tool(&tool, NOW, 50).await.unwrap();
        assert_eq!(of_tool, page);
        let now = state.waiting_now(NOW).await.unwrap();
        assert_eq!((now.total, now.newest, now.settled), (0, 0, 0));
        let handle = "0123456789ab".parse().unwrap();
        assert_eq!(state.approval(&handle).await.unwrap(), None);
        let entry = Override::new(false, "ann", "incident 7", NOW).unwrap();
        let tools = [tool, "list-depot-items".parse().unwrap()];
        state.switch_all(&tools, &entry).await.unwrap();
        assert_eq!(state.overrides().await.unwrap().len(), 2);
        assert_eq!(state.reset_all(&tools).await.unwrap(), 2);
    }
}

#[tokio::test]
async fn ten_thousand_tools_are_switched_in_one_transaction() {
    for place in TestPlace::all().await {
        let state = opened(&place).await;
        let tools: Vec<_> = (0..10_000)
            .map(|number| format!("list-mill-sacks-{number}").parse().unwrap())
            .collect();
        let off = Override::new(false, "ann", "incident 9", NOW).unwrap();
        let begun = std::time::Instant::now();
        state.switch_all(&tools, &off).await.unwrap();
        let switched = begun.elapsed();
        assert_eq!(state.overrides().await.unwrap().len(), 10_000);
        let begun = std::time::Instant::now();
        assert_eq!(state.reset_all(&tools).await.unwrap(), 10_000);
        println!(
            "10,000 tools at {}: switched in {} ms, reset in {} ms",
            place.location,
            switched.as_millis(),
            begun.elapsed().as_millis()
        );
        assert!(state.overrides().await.unwrap().is_empty());
    }
}
