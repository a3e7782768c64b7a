//! Interface contracts: a service that is given some may judge them, and judges no others.

use serde_json::{Value, json};
use toolwright::eab::{Outcome, read_outcome};
use toolwright_model::ToolSchema;

use super::{
    Method,
    visit::{Visit, id_of},
};

/// The name of the contract that is given.
const CONTRACT: &str = "conformance";

/// The method that contracts are about, if a service has it.
const EXTRACT: &str = "extract_interfaces";

/// Checks how the service handles a contract. Methods that change something are not called.
pub(super) async fn verify(visit: &mut Visit<'_>, methods: &[Method<'_>]) {
    let mut reads = methods
        .iter()
        .filter(|method| method.spec.hints.read_only && method.params.is_some());
    let Some(first) = reads.clone().next() else {
        return;
    };
    let method = reads
        .find(|method| method.name() == EXTRACT)
        .unwrap_or(first);
    let params = method.params.clone().unwrap_or_default();
    let mut envelope = visit.envelope(method.name(), &params);
    if let Some(fields) = envelope.as_object_mut() {
        let contracts = json!({CONTRACT: {"name": "a name that no interface has"}});
        fields.insert("interface_contracts".to_owned(), contracts);
    }
    let reply = visit.send(method.name(), &envelope).await;
    let found = reply.and_then(|reply| {
        let any = Value::Bool(true);
        let schema = method.spec.output_schema.as_ref();
        let schema = schema.map_or(&any, ToolSchema::whole);
        match read_outcome(&reply.bytes, id_of(&envelope), schema) {
            Ok(Outcome::Ran(outcome)) => only_the_given(&outcome),
            Ok(Outcome::Error { .. }) => Ok(()),
            Err(fault) => Err(format!("it does not conform: {fault}")),
        }
    });
    let name = Some(method.name());
    visit.report.note("contracts.results", name, found);
}

/// Checks that results are about the given contract, and that each contract has one at most.
fn only_the_given(outcome: &Value) -> Result<(), String> {
    let results = outcome.get("constraint_results").and_then(Value::as_array);
    let names = results.into_iter().flatten().map(|result| {
        let name = result.get("contract").and_then(Value::as_str);
        name.unwrap_or_default()
    });
    match names.collect::<Vec<_>>().as_slice() {
        [] | [CONTRACT] => Ok(()),
        [CONTRACT, ..] => Err("a contract is judged twice".to_owned()),
        [other, ..] => Err(format!(
            "the result judges `{other}`, which is not a given contract"
        )),
    }
}
