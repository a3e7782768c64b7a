//! The wire and configuration examples of `docs/eab.md` are correct.

use std::path::Path;

use serde_json::Value;
use toolwright::{
    binding::TransportKind,
    config::Config,
    eab::{Caller, Outcome, RunContext, read_handshake, read_outcome},
};
use toolwright_model::eab::ErrorCode;

const PAGE: &str = include_str!("../../../docs/eab.md");

/// The blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("\n```{language}\n");
    let mut blocks = Vec::new();
    let mut rest = PAGE;
    while let Some((_, behind)) = rest.split_once(fence.as_str()) {
        let (block, behind) = behind.split_once("\n```").unwrap();
        blocks.push(block);
        rest = behind;
    }
    blocks
}

#[test]
fn the_documented_envelopes_are_sent_and_accepted() {
    let json = blocks("json");
    let [request, answer, handshake] = json.as_slice() else {
        panic!("there are {} blocks", json.len());
    };
    let request: Value = serde_json::from_str(request).unwrap();
    let run = RunContext {
        run: Some("run-7".to_owned()),
        node: Some("review".to_owned()),
        work_item: Some("BOARD-12".to_owned()),
        ..RunContext::default()
    };
    let caller = serde_json::to_value(Caller::new(Some("quality"), &run)).unwrap();
    assert_eq!(request["caller"], caller);
    let id = request["request_id"].as_str().unwrap();
    let tools = crate::support::tools(blocks("yaml")[0]);
    let validate = &tools[3];
    let schema = validate.output_schema.as_ref().unwrap().whole();
    assert!(matches!(
        read_outcome(answer.as_bytes(), id, schema),
        Ok(Outcome::Ran(_))
    ));
    let handshake = read_handshake(handshake.as_bytes()).unwrap();
    assert_eq!(handshake.service, validate.eab().unwrap().service);
}

#[test]
fn the_documented_configuration_is_accepted() {
    let toml = blocks("toml");
    let text = toml
        .iter()
        .find(|block| block.contains("[[services]]"))
        .unwrap();
    let config = Config::parse(Path::new("toolwright.toml"), text).unwrap();
    let service = &config.services["kicad"].value;
    assert_eq!(service.common.transport, Some(TransportKind::Unix));
    assert_eq!(service.common.endpoint.as_deref(), Some("/run/kicad.sock"));
    assert_eq!(config.repository.reference.as_deref(), Some("main"));
}

#[test]
fn the_documented_error_codes_are_complete() {
    for &code in ErrorCode::ALL {
        let mut rows = PAGE.lines().filter(|line| line.starts_with("| `"));
        let is_row = |row: &&str| {
            row.contains(&format!("`{code}`"))
                && (row.ends_with("| yes |") || row.ends_with("| no |"))
        };
        let row = rows.find(is_row);
        let said = row.unwrap().trim_end_matches(" |").ends_with("yes");
        assert_eq!(said, code.is_retryable(), "{code}");
    }
}
