//! Lists the zones of the name server, and counts the labels of the first one's name.

use toolwright::{Credentials, Registry, Role, RoleEnum, ToolContext, ToolError, audit::AuditFile, tool};
use toolwright_generated::powerdns::{self, ListPowerdnsServerZones};

#[derive(RoleEnum)]
enum Agent {
    Reader,
}

/// Counts the labels of a domain name.
#[tool(name = "count-domain-labels", category = observe, roles(Agent::Reader))]
async fn count_labels(_: &ToolContext, domain: String) -> Result<usize, ToolError> {
    Ok(domain.split('.').filter(|label| !label.is_empty()).count())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::builder()
        .embedded(powerdns::TOOLS)
        .linked_tools()
        .grant("reader", "service:powerdns category:observe")
        .credentials(Credentials::new("."))
        .audit(AuditFile::new(".toolwright/app.jsonl"))
        .build()?;
    let view = registry.for_agent(&Role::new("reader")?);
    let zones = ListPowerdnsServerZones::new("localhost");
    for zone in view.call(zones).await? {
        let name = zone.name.unwrap_or_default();
        let arguments = serde_json::json!({"domain": name});
        let labels = view.call_json("count-domain-labels", arguments).await?;
        println!("{name} has {} labels", labels.value);
    }
    Ok(())
}
