//! Tokens of clients, in each kind of database.
#![cfg(test)]

use std::{collections::BTreeMap, time::Duration};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use toolwright::{Statement, availability::GRACE};
use toolwright_state::{
    KnownTokens, Receivers, State, StateError, StoredToken, TokenDigest, TokenGrant,
    testing::TestPlace,
};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// The time after which a test that waits for an event fails.
const PATIENCE: Duration = Duration::from_secs(60);

async fn opened(place: &TestPlace) -> State {
    let state = State::at(place.location.clone()).unwrap();
    state.open().await.unwrap();
    state
}

fn grant(name: &str) -> TokenGrant {
    TokenGrant {
        name: name.parse().unwrap(),
        role: "reader".parse().unwrap(),
        workspace: Some("north".to_owned()),
        until: NOW + SignedDuration::from_hours(1),
        issued: Statement::new("ann", "it's a \"test\"; DROP TABLE token").unwrap(),
    }
}

fn statement() -> Statement {
    Statement::new("bo", "it leaked").unwrap()
}

#[tokio::test]
async fn a_token_is_stored_as_its_digest_and_a_name_is_used_once() {
    for place in TestPlace::all().await {
        let state = opened(&place).await;
        let issued = state.issue_token(&grant("ci"), NOW).await.unwrap().unwrap();
        assert!(!format!("{issued:?}").contains(issued.expose()));
        assert!(
            state
                .issue_token(&grant("ci"), NOW)
                .await
                .unwrap()
                .is_none()
        );
        let other = state
            .issue_token(&grant("night"), NOW)
            .await
            .unwrap()
            .unwrap();
        assert_ne!(issued.expose(), other.expose());

        let tokens = opened(&place).await.tokens().await.unwrap();
        let [ci, night] = tokens.try_into().unwrap();
        assert_eq!(ci.digest, TokenDigest::from_token(issued.expose()));
        assert_eq!(night.digest, TokenDigest::from_token(other.expose()));
        assert_eq!(
            (&*ci.issued.by, ci.workspace.as_deref()),
            ("ann", Some("north"))
        );
        assert_eq!(ci.issued, grant("ci").issued);
        assert!(ci.is_live(NOW) && !ci.is_live(grant("ci").until));
        let exported = serde_json::to_string(&state.export().await.unwrap()).unwrap();
        assert!(!exported.contains(issued.expose()), "{exported}");
        assert!(exported.contains("\"night\""), "{exported}");
    }
}

#[tokio::test]
async fn a_token_is_revoked_once_and_its_last_use_is_kept() {
    for place in TestPlace::all().await {
        let state = opened(&place).await;
        let name = grant("ci").name;
        let nothing = state.revoke_token(&name, &statement(), NOW).await;
        assert_eq!(nothing, Ok(false));
        let issued = state.issue_token(&grant("ci"), NOW).await.unwrap().unwrap();
        let digest = TokenDigest::from_token(issued.expose());
        let later = NOW + SignedDuration::from_secs(9);
        for time in [later, NOW] {
            let uses = BTreeMap::from([(digest, time), (TokenDigest([7; 32]), time)]);
            state.note_token_uses(&uses).await.unwrap();
        }
        assert_eq!(
            state.revoke_token(&name, &statement(), later).await,
            Ok(true)
        );
        assert_eq!(
            state.revoke_token(&name, &statement(), NOW).await,
            Ok(false)
        );
        let [token] = state.tokens().await.unwrap().try_into().unwrap();
        assert_eq!(token.used_at, Some(later), "an earlier use does not count");
        let revoked = token.revoked.clone().unwrap();
        assert_eq!((revoked.at, revoked.statement), (later, statement()));
        assert!(!token.is_live(NOW));
        // Its name stays taken: in the audit it identifies the caller.
        assert!(
            state
                .issue_token(&grant("ci"), NOW)
                .await
                .unwrap()
                .is_none()
        );
    }
}

#[tokio::test]
async fn a_tampered_row_makes_all_tokens_unreadable() {
    for place in TestPlace::all().await {
        let state = opened(&place).await;
        state.issue_token(&grant("ci"), NOW).await.unwrap().unwrap();
        for change in ["digest = 'x'", "role = 'A B'", "person = ''", "name = 'A'"] {
            place.tamper(&format!("UPDATE token SET {change}")).await;
            let read = state.tokens().await;
            assert!(
                matches!(read, Err(StateError::Foreign(_))),
                "{change}: {read:?}"
            );
            place.tamper("DELETE FROM token").await;
            state.issue_token(&grant("ci"), NOW).await.unwrap().unwrap();
        }
    }
}

#[tokio::test]
async fn every_instance_learns_of_tokens_and_their_revocation() {
    for place in TestPlace::all().await {
        let operator = opened(&place).await;
        let mut instances = Vec::new();
        for _ in 0..2 {
            let state = opened(&place).await;
            let known = watch::Sender::<KnownTokens>::new([].into());
            instances.push(known.subscribe());
            let availability = state.availability(GRACE).await.unwrap();
            let receivers = Receivers::from(availability).with_tokens(known);
            tokio::spawn(state.follow(receivers, |_| {}));
        }
        operator
            .issue_token(&grant("ci"), NOW)
            .await
            .unwrap()
            .unwrap();
        for known in &mut instances {
            wait_for(known, |tokens| tokens.len() == 1).await;
        }
        let name = grant("ci").name;
        let revoked = operator.revoke_token(&name, &statement(), NOW).await;
        assert_eq!(revoked, Ok(true));
        for known in &mut instances {
            wait_for(known, |tokens| {
                tokens.iter().all(|one| one.revoked.is_some())
            })
            .await;
        }
    }
}

async fn wait_for(
    known: &mut watch::Receiver<KnownTokens>,
    is_met: impl Fn(&[StoredToken]) -> bool,
) {
    let met = known.wait_for(|tokens| is_met(tokens));
    tokio::time::timeout(PATIENCE, met).await.unwrap().unwrap();
}
