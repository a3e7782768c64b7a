//! A newcomer's way from the distributed archive to an agent that works with a real service, with
//! nothing of this repository but the command and the crates.
//!
//! The service is PowerDNS. `TOOLWRIGHT_REAL=1` enables the test; see [`toolwright_tests::real`]. It
//! prints the seconds of each command. Only the commands that a person types count; what a person
//! writes into a file does not.
#![cfg(test)]

mod newcomer;

use std::time::Duration;

use serde_json::{Value, json};
use toolwright_tests::{
    real::{Real, RealService},
    shared,
};

use newcomer::Newcomer;

const POWERDNS: RealService = RealService {
    name: "pdns",
    port: 8081,
    path: "/",
    patience: Duration::from_secs(120),
};

/// The policy that the newcomer writes.
const POLICY: &str = r#"
[roles.reader]
grant = ["service:powerdns category:observe"]

[roles.operator]
grant = ["service:powerdns category:observe", "create-powerdns-server-zone"]

[roles.auditor]
grant = ["service:netbox category:observe"]

[tools]
enable = ["create-powerdns-server-zone"]
"#;

/// The most commands and seconds, without compiling.
const MOST_COMMANDS: usize = 12;
const MOST_SECONDS: f64 = 15.0 * 60.0;

#[test]
fn a_newcomer_gets_an_agent_into_production() {
    let Some(real) = Real::if_enabled() else {
        return;
    };
    let _service = real.start(POWERDNS).unwrap();
    real.run("mcp-tools.sh", &[]).unwrap();
    let documents = shared::folder();
    let powerdns = documents.join("real/specs/powerdns.json");
    let netbox = documents.join("services/netbox/openapi.yaml");
    let mut newcomer = Newcomer::arrive();

    newcomer.install();
    let vendor = newcomer.download(&powerdns, "powerdns.json");
    newcomer.toolwright(&["new", ".", &vendor, "--service", "powerdns"], 0);
    let netbox = netbox.to_str().unwrap();
    newcomer.toolwright(&["add", netbox, "--service", "netbox"], 0);
    newcomer.append("toolwright.toml", POLICY);
    newcomer.write_secret(
        ".local/powerdns/admin-auth.json",
        r#"{"base_url": "http://127.0.0.1:8081/api/v1", "api_token": "secret-key"}"#,
    );
    newcomer.toolwright(&["trust"], 0);

    let zone = format!("walk-{}.example.", std::process::id());
    read_and_write(&mut newcomer, &zone);
    serve_netbox(&mut newcomer, &real);
    use_from_rust(&mut newcomer, &zone);
    meet_a_change(&mut newcomer, &vendor);

    newcomer.report();
    assert!(newcomer.commands() <= MOST_COMMANDS);
    assert!(newcomer.seconds() <= MOST_SECONDS);
}

/// Reads the service, and creates a zone that a person approves while the call waits.
fn read_and_write(newcomer: &mut Newcomer, name: &str) {
    let zones = |newcomer: &mut Newcomer| {
        let arguments = r#"{"server_id": "localhost"}"#;
        let call = ["call", "list-powerdns-server-zones", "--role", "reader"];
        newcomer.toolwright(&[&call[..], &["--args", arguments]].concat(), 0)
    };
    let before = zones(newcomer);
    assert!(!before.contains(name), "{before}");

    let zone = json!({"server_id": "localhost", "name": name, "kind": "Native", "nameservers": []});
    let zone = zone.to_string();
    let call = ["call", "create-powerdns-server-zone", "--role", "operator"];
    let waiting = newcomer.start(&[&call[..], &["--wait", "120", "--args", &zone]].concat());
    let request = newcomer.wait_for_request();
    assert_eq!(request["tool"], "create-powerdns-server-zone");
    let word = |key: &str| request[key].as_str().unwrap();
    let approve = [
        "approve",
        word("handle"),
        "--digest",
        word("digest"),
        "--by",
        "ann",
    ];
    newcomer.toolwright(&approve, 0);
    let created = newcomer.finish(waiting);
    assert!(created.contains(name), "{created}");
}

/// Puts the whole of NetBox read-only behind an MCP client.
fn serve_netbox(newcomer: &mut Newcomer, real: &Real) {
    let printed = newcomer.toolwright(&["mcp-config", "--role", "auditor"], 0);
    let printed: Value = serde_json::from_str(&printed).unwrap();
    let server = &printed["mcpServers"]["toolwright-auditor"];
    let seen = newcomer.connect(real, server);
    let tools = seen["steps"][0]["tools"].as_array().unwrap();
    for tool in tools {
        assert_eq!(
            tool["annotations"]["readOnlyHint"], true,
            "{}",
            tool["name"]
        );
    }
    // The list would have several hundred tools, so the client searches them.
    let found = &seen["steps"][1]["result"]["structuredContent"]["tools"];
    let names = found.as_array().unwrap().iter();
    let mut names = names.map(|tool| tool["name"].as_str().unwrap());
    assert!(
        names.any(|name| name == "list-netbox-dcim-sites"),
        "{found}"
    );
}

/// Calls the service and a tool of the newcomer's own from a Rust program.
fn use_from_rust(newcomer: &mut Newcomer, zone: &str) {
    newcomer.toolwright(&["generate"], 0);
    newcomer.write_program(include_str!("app.rs"));
    let printed = newcomer.cargo_run();
    assert!(
        printed.contains(&format!("{zone} has 2 labels")),
        "{printed}"
    );
}

/// The vendor publishes a document in which a tool reads more, and the check in CI reports it.
fn meet_a_change(newcomer: &mut Newcomer, vendor: &str) {
    let text = newcomer.read(vendor);
    let changed = text.replacen(
        "\"/servers/{server_id}/zones\"",
        "\"/servers/{server_id}/all-zones\"",
        1,
    );
    assert_ne!(changed, text);
    newcomer.write(vendor, &changed);
    let said = newcomer.toolwright(&["refresh", "powerdns"], 4);
    assert!(said.contains("list-powerdns-server-zones"), "{said}");
}
