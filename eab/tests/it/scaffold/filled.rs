//! The skeleton of `texts` with its methods filled in.

use std::{env, error::Error, path::PathBuf, sync::Arc};

use texts_service::{
    adapters::*,
    service::{Methods, Served},
};
use toolwright::codec::Value;
use toolwright_eab::{Diagnostic, Found, Refusal, Request, Severity, serve_unix};

/// The service.
struct Texts;

impl Methods for Texts {
    async fn dependency_graph(
        &self,
        _params: GetTextsDependencyGraph,
        _request: Request,
    ) -> Result<Found<Value>, Refusal> {
        Ok(Found::new(Value::Null))
    }

    async fn normalise(
        &self,
        params: NormaliseTextsArtifacts,
        _request: Request,
    ) -> Result<Found<String>, Refusal> {
        Ok(Found::new(params.lines.join(" ")))
    }

    async fn validate(
        &self,
        params: ValidateTextsArtifacts,
        _request: Request,
    ) -> Result<Found<types::ValidateTextsArtifactsOutcomeResult>, Refusal> {
        let longest = params.longest.unwrap_or(80);
        let found: Vec<Diagnostic> = params
            .lines
            .iter()
            .filter(|line| line.chars().count() as i64 > longest)
            .map(|_| Diagnostic {
                severity: Severity::Blocking,
                category: "style_violation",
                message: "a line is too long".to_owned(),
                location: None,
            })
            .collect();
        let result = types::ValidateTextsArtifactsOutcomeResult {
            checked: params.lines.len() as i64,
            longest,
            additional: Default::default(),
        };
        Ok(Found::new(result).with(found))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let socket = env::args().nth(1).map(PathBuf::from).ok_or("give a socket")?;
    serve_unix(&socket, Arc::new(Served::new(Texts)?)).await?;
    Ok(())
}
