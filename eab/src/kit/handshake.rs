//! The handshake.

use std::collections::BTreeSet;

use serde_json::json;
use toolwright::eab::read_handshake;
use toolwright_model::eab::{HANDSHAKE, Handshake, Readiness};

use super::{Method, visit::Visit};

/// Checks the service's handshake. False if there is no use in going on.
pub(super) async fn verify(visit: &mut Visit<'_>, methods: &[Method<'_>]) -> bool {
    let (handshake, is_json) = match shake(visit).await {
        Ok(read) => read,
        Err(message) => {
            visit.report.fail("handshake.answer", None, message);
            return false;
        }
    };
    let again = shake(visit).await;
    let report = &mut *visit.report;
    report.note("handshake.answer", None, Ok(()));
    let json = is_json.then_some(());
    let message = "the content type is not `application/json`".to_owned();
    report.note("handshake.content-type", None, json.ok_or(message));
    let Some(binding) = methods.first().map(|method| method.binding) else {
        return false;
    };
    report.note(
        "handshake.service",
        None,
        check_equal("service", &handshake.service, &binding.service),
    );
    report.note(
        "handshake.domain",
        None,
        check_equal("domain", &handshake.domain, &binding.domain),
    );
    let (offered, wanted) = (handshake.api_version, binding.api_version);
    let version = offered.serves(wanted).then_some(());
    let message =
        format!("the service implements version {offered}, the document requires {wanted}");
    report.note("handshake.version", None, version.ok_or(message));
    let wanted = methods.iter().map(Method::name);
    report.note(
        "handshake.capabilities",
        None,
        check_offered("method", wanted, &handshake.capabilities),
    );
    let mut seen = BTreeSet::new();
    let twice = handshake
        .capabilities
        .iter()
        .find(|name| !seen.insert(*name));
    let twice = twice.map_or(Ok(()), |name| Err(format!("`{name}` is named twice")));
    report.note("handshake.capabilities-once", None, twice);
    let wanted = binding.artifact_types.iter().map(String::as_str);
    report.note(
        "handshake.artifact-types",
        None,
        check_offered("artifact type", wanted, &handshake.artifact_types),
    );
    let wanted = binding.interface_types.iter().map(String::as_str);
    report.note(
        "handshake.interface-types",
        None,
        check_offered("interface type", wanted, &handshake.interface_types),
    );
    let available = handshake.status != Readiness::Unavailable;
    let message = "the service reports that it is unavailable".to_owned();
    report.note(
        "handshake.status",
        None,
        available.then_some(()).ok_or(message),
    );
    let stable = match again {
        Ok((again, _)) if again == handshake => Ok(()),
        Ok(_) => Err("a second handshake differs".to_owned()),
        Err(message) => Err(message),
    };
    report.note("handshake.stable", None, stable);
    true
}

/// Requests the handshake. Returns it, and whether its content type is JSON.
async fn shake(visit: &Visit<'_>) -> Result<(Handshake, bool), String> {
    let envelope = visit.envelope(HANDSHAKE, &json!({}));
    let reply = visit.send(HANDSHAKE, &envelope).await?;
    if reply.status != 200 {
        return Err(format!("it answers with the status {}", reply.status));
    }
    let handshake = read_handshake(&reply.bytes);
    let handshake = handshake.map_err(|fault| format!("it does not conform: {fault}"))?;
    Ok((handshake, is_json(reply.content_type.as_deref())))
}

/// Returns whether a content type is JSON.
pub(super) fn is_json(content_type: Option<&str>) -> bool {
    let essence = content_type.and_then(|text| text.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

fn check_equal(what: &str, actual: &str, wanted: &str) -> Result<(), String> {
    if actual == wanted {
        return Ok(());
    }
    Err(format!(
        "the {what} is `{actual}`, the document declares `{wanted}`"
    ))
}

fn check_offered<'a>(
    what: &str,
    wanted: impl Iterator<Item = &'a str>,
    offered: &[String],
) -> Result<(), String> {
    let lacking: Vec<String> = wanted
        .filter(|wanted| !offered.iter().any(|offered| offered == wanted))
        .map(|wanted| format!("`{wanted}`"))
        .collect();
    if lacking.is_empty() {
        return Ok(());
    }
    Err(format!(
        "it lacks the {what} {} of the document",
        lacking.join(", ")
    ))
}
