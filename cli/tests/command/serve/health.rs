//! `/health` for the operator and for strangers.

use std::fs;

use serde_json::json;

use super::process::Server;
use crate::support::Project;

#[test]
fn the_state_is_reported_to_the_operator_alone() {
    let project = Project::with_memo();
    let server = Server::start(&project, &[]);
    server.wait_for_health("/state/reachable", &json!(true));
    assert!(server.health()["state"]["age_seconds"].as_u64() < Some(30));
    let stranger = server.health_for(None).unwrap();
    assert_eq!(stranger, json!({"status": "ok"}));
    // The file of the state is away, as it is on a file system that is not mounted.
    let state = project.path(".toolwright/state/state.db");
    fs::rename(&state, state.with_extension("away")).unwrap();
    server.wait_for_health("/state/reachable", &json!(false));
    let stranger = server.health_for(None).unwrap();
    assert_eq!(stranger, json!({"status": "ok"}));
    fs::rename(state.with_extension("away"), &state).unwrap();
    server.wait_for_health("/state/reachable", &json!(true));
}
