//! The methods of gRPC services, which this build does not call.

use reqwest::Client;
use tokio::time::Instant;
use toolwright_model::GrpcCall;

use super::{Sending, fault, receive::RawAnswer};
use crate::{
    error::ToolError,
    exchange::request::{PlanError, PlannedRequest},
};

/// The reason, and the fix.
const PROBLEM: &str =
    "this program does not call gRPC services: it was built without the feature `grpc`";

/// Reports that this build calls no method.
///
/// # Errors
/// Always [`PlanError::Binding`].
pub(crate) fn check(_: &GrpcCall, _: &PlannedRequest) -> Result<(), PlanError> {
    Err(PlanError::Binding(PROBLEM.to_owned()))
}

/// Reports that this build calls no method.
pub(super) async fn send(
    _: &Client,
    _: &Sending<'_>,
    _: &GrpcCall,
    _: Instant,
) -> Result<RawAnswer, ToolError> {
    Err(fault::unsendable(PROBLEM))
}
