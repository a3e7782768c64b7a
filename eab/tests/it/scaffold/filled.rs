//! The skeleton of `circuits` with its methods filled in.

use std::{collections::BTreeMap, env, error::Error, path::PathBuf, sync::Arc};

use circuits_service::{
    adapters::*,
    service::{Methods, Served},
};
use tokio::net::TcpListener;
use toolwright::codec::{Value, Word};
use toolwright_eab::{
    ConstraintResult, Diagnostic, MethodResult, Refusal, Request, Severity, serve_http, serve_unix,
};

/// The service.
struct Circuits;

impl Methods for Circuits {
    async fn extract_interfaces(
        &self,
        _params: ExtractCircuitsInterfaces,
        request: Request,
    ) -> Result<MethodResult<types::ExtractCircuitsInterfacesOutcomeResult>, Refusal> {
        let rails = vec![rail("main", 5)];
        let judged = |(contract, wanted): (&String, &Value)| ConstraintResult {
            contract: contract.clone(),
            satisfied: rails
                .iter()
                .any(|rail| wanted["name"] == rail.name.as_str()),
            message: "looked up by its name".to_owned(),
        };
        let contracts = request.interface_contracts.as_ref();
        let results = contracts.map(|contracts| contracts.iter().map(judged).collect());
        let mut result = types::ExtractCircuitsInterfacesOutcomeResult::default();
        result.rails = rails;
        let mut found = MethodResult::new(result);
        found.constraint_results = results;
        Ok(found)
    }

    async fn normalise(
        &self,
        params: NormaliseCircuitsArtifacts,
        _request: Request,
    ) -> Result<MethodResult<Vec<types::Net>>, Refusal> {
        let mut nets = params.body;
        nets.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(MethodResult::new(nets))
    }

    async fn pick_part(
        &self,
        params: RunCircuitsPickPart,
        _request: Request,
    ) -> Result<MethodResult<types::Part>, Refusal> {
        let number = match params.part {
            types::RunCircuitsPickPartPart::Integer(number) => number,
            types::RunCircuitsPickPartPart::String(name) => name.len() as i64,
            _ => return Err(Refusal::invalid("no part")),
        };
        let mut parent = types::Part::default();
        parent.number = 1;
        let mut part = types::Part::default();
        part.number = number;
        part.parent = Some(Box::new(parent));
        Ok(MethodResult::new(part))
    }

    async fn simulate(
        &self,
        params: SimulateCircuitsPowerRails,
        _request: Request,
    ) -> Result<MethodResult<Vec<types::Rail>>, Refusal> {
        match params.source {
            types::SimulateCircuitsPowerRailsSource::Battery(battery) => {
                Ok(MethodResult::new(vec![rail("main", battery.cells)]))
            }
            types::SimulateCircuitsPowerRailsSource::Mains(mains) => {
                Ok(MethodResult::new(vec![rail("mains", mains.hertz)]))
            }
            _ => Err(Refusal::invalid("no source")),
        }
    }

    async fn validate(
        &self,
        params: ValidateCircuitsArtifacts,
        _request: Request,
    ) -> Result<MethodResult<types::ValidateCircuitsArtifactsOutcomeResult>, Refusal> {
        let most = params
            .limits
            .and_then(|limits| limits.max_pins)
            .unwrap_or(100);
        let pins = |net: &types::Net| net.pins.as_ref().map_or(0, Vec::len) as i64;
        let blocking = |net: &types::Net| Diagnostic {
            severity: Severity::Blocking,
            category: "constraint_violation",
            message: format!("the net `{}` has too many pins", net.name),
            location: None,
        };
        let found = params
            .nets
            .iter()
            .filter(|net| pins(net) > most)
            .map(blocking)
            .collect();
        let mut by_kind = BTreeMap::new();
        for net in &params.nets {
            *by_kind.entry(net.kind.as_word().to_owned()).or_default() += 1;
        }
        let worst = params.nets.iter().max_by_key(|net| pins(net)).cloned();
        let mut result = types::ValidateCircuitsArtifactsOutcomeResult::default();
        result.checked = params.nets.len() as i64;
        result.worst = worst.map(Into::into);
        result.by_kind = by_kind;
        Ok(MethodResult::new(result).with_diagnostics(found))
    }
}

fn rail(name: &str, volts: i64) -> types::Rail {
    let mut rail = types::Rail::default();
    rail.name = name.to_owned();
    rail.volts = volts.into();
    rail
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(socket), Some(address)) = (arguments.next(), arguments.next()) else {
        return Err("expected two arguments: a socket path and an address".into());
    };
    let socket = PathBuf::from(socket);
    let listener = TcpListener::bind(&address).await?;
    let service = Arc::new(Served::new(Circuits)?);
    tokio::select! {
        ended = serve_http(listener, Arc::clone(&service)) => ended?,
        ended = serve_unix(&socket, service) => ended?,
        pressed = tokio::signal::ctrl_c() => pressed?,
    }
    std::fs::remove_file(&socket)?;
    Ok(())
}
